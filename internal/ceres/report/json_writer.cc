// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/json_writer.h"

#include <charconv>
#include <cmath>
#include <string>

#include "ceres/solver/reporting/json_string.h"

namespace ceres::internal {

JsonWriter& JsonWriter::Begin(char bracket) {
  Separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(const char* name) {
  Separate();
  text_ += JsonString(name) + ":";
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Value(const std::string& text) {
  Separate();
  text_ += JsonString(text);
  return *this;
}

JsonWriter& JsonWriter::Value(bool value) {
  Separate();
  text_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::Value(std::int64_t value) {
  Separate();
  text_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::Value(double value) {
  Separate();
  if (!std::isfinite(value)) {
    text_ += "null";
    return *this;
  }
  char digits[32];
  const std::to_chars_result end = std::to_chars(
      digits, digits + sizeof(digits), value, std::chars_format::general, 6);
  text_.append(digits, end.ptr);
  return *this;
}

void JsonWriter::Separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

std::string JsonForScript(const std::string& json) {
  // U+2028 and U+2029 in UTF-8.
  const std::string line_separator = "\xe2\x80\xa8";
  const std::string paragraph_separator = "\xe2\x80\xa9";
  std::string escaped;
  escaped.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<') {
      escaped += "\\u003c";
    } else if (json.compare(i, 3, line_separator) == 0) {
      escaped += "\\u2028";
      i += 2;
    } else if (json.compare(i, 3, paragraph_separator) == 0) {
      escaped += "\\u2029";
      i += 2;
    } else {
      escaped += json[i];
    }
  }
  return escaped;
}

}  // namespace ceres::internal
