// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the readers and writers of the examples' file formats: read and
// write whole files, parse numbers.
//
// Functions on files return false on failure and then say in *error which file
// it was and what the system answered.

#ifndef VESTA_EXAMPLES_TEXT_FILE_H_
#define VESTA_EXAMPLES_TEXT_FILE_H_

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace ceres::examples {

// Reads a whole file, a pipe as well.
[[nodiscard]] bool ReadFile(const std::string& path, std::string* contents,
                            std::string* error);

// Writes a file beside its destination and renames it into place when it is
// complete: whoever reads the destination never sees half a file. Devices and
// pipes are written in place, and a link keeps pointing to its target.
[[nodiscard]] bool WriteFile(const std::string& contents,
                             const std::string& path, std::string* error);

// Space, tab, line feed, vertical tab, form feed or carriage return, whatever
// the locale.
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// False if the token is not wholly an integer. One beyond the range of int64_t
// becomes the end of that range.
[[nodiscard]] bool ParseInteger(std::string_view token, int64_t* value);

// False if the token is not wholly a finite decimal number. One too small for a
// double becomes what strtod makes of it. On failure *value is unspecified.
[[nodiscard]] bool ParseFiniteDouble(std::string_view token, double* value);

// The beginning of a token in quotation marks, printable: a binary file may be
// one long token.
std::string QuoteToken(std::string_view token);

// Appends the shortest decimal form that reads back as the same number, then
// the character `after`.
template <typename Number>
void AppendNumber(Number number, char after, std::string* text) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), number);
  text->append(buffer, result.ptr);
  text->push_back(after);
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_TEXT_FILE_H_
