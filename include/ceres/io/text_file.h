// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_IO_TEXT_FILE_H_
#define CERES_PUBLIC_IO_TEXT_FILE_H_

// What readers and writers of text formats share: whole files, and numbers. No
// function depends on the locale. Functions on files return false on failure
// and then say in *error which file it was and what the system answered. All
// functions may be called by several threads at once.

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::io {

// Reads a whole file, a pipe as well.
[[nodiscard]] CERES_EXPORT bool ReadFile(const std::string& path,
                                         std::string* contents,
                                         std::string* error);

// Writes a file beside its destination and renames it into place when it is
// complete: whoever reads the destination never sees half a file, and a full
// disk leaves the destination as it was. Devices and pipes are written in
// place, and a link keeps pointing to its target.
[[nodiscard]] CERES_EXPORT bool WriteFile(const std::string& contents,
                                          const std::string& path,
                                          std::string* error);

// The same for several files, pairs of a path and the contents: if one of them
// cannot be written, all destinations stay as they were.
[[nodiscard]] CERES_EXPORT bool WriteFiles(
    const std::vector<std::pair<std::string, std::string>>& files,
    std::string* error);

// Removes the byte order mark of UTF-8 from the front of `text`. Returns false
// and says in *error what the text is if it begins like UTF-16, UTF-32, or a
// file that gzip, bzip2, xz, zstd or zip compressed. `name` says in the message
// where the text came from.
[[nodiscard]] CERES_EXPORT bool StartText(const std::string& name,
                                          std::string_view* text,
                                          std::string* error);

// Space, tab, line feed, vertical tab, form feed or carriage return.
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// False if the token is not wholly an integer. One beyond the range of int64_t
// becomes the end of that range.
[[nodiscard]] CERES_EXPORT bool ParseInteger(std::string_view token,
                                             int64_t* value);

// False if the token is not wholly an integer in [0, 2^64).
[[nodiscard]] CERES_EXPORT bool ParseId(std::string_view token,
                                        uint64_t* value);

// False if the token is not wholly a finite decimal number. One too small for a
// double becomes zero, or the nearest subnormal number. On failure *value is
// unspecified.
[[nodiscard]] CERES_EXPORT bool ParseFiniteDouble(std::string_view token,
                                                  double* value);

// The beginning of a token in quotation marks, printable: a binary file may be
// one long token.
CERES_EXPORT std::string QuoteToken(std::string_view token);

// Appends the shortest decimal form that reads back as the same number (at most
// 17 significant digits), then the character `after`.
template <typename Number>
void AppendNumber(Number number, char after, std::string* text) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  text->append(buffer, result.ptr);
  text->push_back(after);
}

}  // namespace ceres::io

#endif  // CERES_PUBLIC_IO_TEXT_FILE_H_
