// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/io/token_reader.h"

#include <algorithm>

#include "ceres/base/number.h"
#include "ceres/io/text_file.h"

namespace ceres::io {

bool TokenReader::ReadInt(const char* what, int64_t lower, int64_t upper,
                          int* value) {
  std::string_view token;
  if (!NextToken(what, &token)) return false;
  int64_t number = 0;
  if (!ParseInteger(token, &number)) {
    return Fail(std::string("expected ") + what + ", an integer, found " +
                QuoteToken(token));
  }
  if (number < lower || number > upper) {
    return Fail(std::string("expected ") + what + " in [" +
                std::to_string(lower) + ", " + std::to_string(upper) +
                "], found " + QuoteToken(token));
  }
  *value = static_cast<int>(number);
  return true;
}

bool TokenReader::ReadDouble(const char* what, double* value) {
  if (ReadPlainDouble(value)) return true;
  std::string_view token;
  if (!NextToken(what, &token)) return false;
  if (!ParseFiniteDouble(token, value)) {
    return Fail(std::string("expected ") + what + ", a finite number, found " +
                QuoteToken(token));
  }
  return true;
}

// Reads the next token if it is a number that std::from_chars can read, as
// nearly all are. The end of the token is not searched for first: a file of
// numbers is read in three quarters of the time.
bool TokenReader::ReadPlainDouble(double* value) {
  if (!error_.empty() || AtEnd()) return false;
  const size_t length =
      internal::ReadLeadingDouble(text_.substr(position_), value);
  const size_t end = position_ + length;
  if (length == 0 || (end < text_.size() && !IsSpace(text_[end]))) return false;
  ++num_tokens_;
  token_begin_ = position_;
  position_ = end;
  return true;
}

bool TokenReader::AtEnd() {
  while (position_ < text_.size() && IsSpace(text_[position_])) ++position_;
  return position_ == text_.size();
}

bool TokenReader::ExpectEnd() {
  if (!error_.empty()) return false;
  if (AtEnd()) return true;
  std::string_view token;
  if (!NextToken("the end of the file", &token)) return false;
  return Fail("expected the end of the file, found " + QuoteToken(token));
}

bool TokenReader::Fail(const std::string& message) {
  if (error_.empty()) {
    const auto line =
        std::count(text_.begin(), text_.begin() + token_begin_, '\n') + 1;
    error_ = name_ + ":" + std::to_string(line) + ": token " +
             std::to_string(num_tokens_) + ": " + context_ + message;
  }
  return false;
}

bool TokenReader::NextToken(const char* what, std::string_view* token) {
  if (!error_.empty()) return false;
  AtEnd();
  ++num_tokens_;
  token_begin_ = position_;
  while (position_ < text_.size() && !IsSpace(text_[position_])) ++position_;
  *token = text_.substr(token_begin_, position_ - token_begin_);
  if (!token->empty()) return true;
  return Fail(std::string("expected ") + what + ", but the file ends here");
}

}  // namespace ceres::io
