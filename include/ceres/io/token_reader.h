// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_IO_TOKEN_READER_H_
#define CERES_PUBLIC_IO_TOKEN_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres::io {

// Cuts a text into whitespace-separated tokens and tokens into numbers. After
// the first failure all further reads fail and the first message stays: file,
// line and token (both counted from 1), what was expected, what was found.
//
// Refers to the text, which must outlive it. Thread safety: one thread at a
// time.
class CERES_EXPORT TokenReader {
 public:
  // `name` says in messages where the text came from.
  TokenReader(std::string_view text, std::string name)
      : text_(text), name_(std::move(name)) {}

  // What further messages of failures begin with, behind file, line and token.
  void SetContext(const char* context) { context_ = context; }

  // An integer in [lower, upper]. `what` names it in the message.
  [[nodiscard]] bool ReadInt(const char* what, int64_t lower, int64_t upper,
                             int* value);

  // A finite double.
  [[nodiscard]] bool ReadDouble(const char* what, double* value);

  // Any token.
  [[nodiscard]] bool ReadWord(const char* what, std::string_view* word) {
    return NextToken(what, word);
  }

  // Whether only white space is left.
  bool AtEnd();

  // Fails unless only white space is left.
  [[nodiscard]] bool ExpectEnd();

  // Fails at the token read last. Returns false.
  bool Fail(const std::string& message);

  // The first message; empty if nothing has failed.
  const std::string& error() const { return error_; }

 private:
  bool ReadPlainDouble(double* value);
  bool NextToken(const char* what, std::string_view* token);

  std::string_view text_;
  std::string name_;
  size_t position_ = 0;
  size_t token_begin_ = 0;
  int64_t num_tokens_ = 0;
  const char* context_ = "";
  std::string error_;
};

}  // namespace ceres::io

#endif  // CERES_PUBLIC_IO_TOKEN_READER_H_
