// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "slam/common/g2o_record.h"

#include <cstdint>
#include <limits>

#include "text_file.h"

namespace ceres::examples {

G2oRecord::G2oRecord(std::string_view line, int line_number,
                     const std::string& name)
    : rest_(line), line_number_(line_number), name_(name) {
  tag_ = NextToken();
}

bool G2oRecord::ReadId(const char* what, int* id) {
  if (!error_.empty()) return false;
  const std::string_view token = NextToken();
  int64_t number = 0;
  if (!ParseInteger(token, &number) || number < 0 ||
      number > std::numeric_limits<int>::max()) {
    return Expected(std::string(what) + ", an integer in [0, 2147483647]",
                    token);
  }
  *id = static_cast<int>(number);
  return true;
}

bool G2oRecord::ReadNumber(const char* what, double* value) {
  if (!error_.empty()) return false;
  const std::string_view token = NextToken();
  if (ParseFiniteDouble(token, value)) return true;
  return Expected(std::string(what) + ", a finite number", token);
}

bool G2oRecord::ReadNumbers(const char* what, int count, double* values) {
  for (int i = 0; i < count; ++i) {
    if (!ReadNumber(what, &values[i])) return false;
  }
  return true;
}

bool G2oRecord::ExpectEnd() {
  if (!error_.empty()) return false;
  const std::string_view token = NextToken();
  return token.empty() || Expected("the end of the line", token);
}

bool G2oRecord::Fail(const std::string& message) {
  if (error_.empty()) {
    error_ = name_ + ":" + std::to_string(line_number_) + ": " + message;
  }
  return false;
}

std::string_view G2oRecord::NextToken() {
  size_t begin = 0;
  while (begin < rest_.size() && IsSpace(rest_[begin])) ++begin;
  size_t end = begin;
  while (end < rest_.size() && !IsSpace(rest_[end])) ++end;
  const std::string_view token = rest_.substr(begin, end - begin);
  rest_.remove_prefix(end);
  return token;
}

bool G2oRecord::Expected(const std::string& what, std::string_view found) {
  return Fail(
      "expected " + what +
      (found.empty() ? ", but the line ends" : ", found " + QuoteToken(found)));
}

}  // namespace ceres::examples
