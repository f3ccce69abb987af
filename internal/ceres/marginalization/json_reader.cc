// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/json_reader.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <locale>
#include <sstream>

#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

constexpr int kMaxDepth = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Recursive descent over the grammar of RFC 8259. Each function reads one
// element at `position_`, or sets error_ and returns false.
class JsonParser {
 public:
  explicit JsonParser(const std::string& json) : json_(json) {
    number_stream_.imbue(std::locale::classic());
  }

  bool ReadDocument(JsonValue* value) {
    if (!ReadValue(0, value)) return false;
    SkipSpaces();
    return position_ == json_.size() || Fail("There is text after the value");
  }
  const std::string& error() const { return error_; }

 private:
  char Peek() const {
    return position_ < json_.size() ? json_[position_] : '\0';
  }
  bool Fail(const char* what) {
    error_ = Format("%s, at byte %zu of the JSON text.", what, position_);
    return false;
  }
  void SkipSpaces() {
    while (position_ < json_.size() &&
           std::strchr(" \t\r\n", json_[position_]) != nullptr &&
           json_[position_] != '\0') {
      ++position_;
    }
  }
  bool Take(char c) {
    SkipSpaces();
    if (position_ >= json_.size() || json_[position_] != c) return false;
    ++position_;
    return true;
  }

  bool ReadValue(int depth, JsonValue* value) {
    if (depth > kMaxDepth) return Fail("The value is nested too deep");
    SkipSpaces();
    switch (Peek()) {
      case '{':
        return ReadObject(depth, value);
      case '[':
        return ReadArray(depth, value);
      case '"':
        value->kind = JsonValue::Kind::kString;
        return ReadString(&value->text);
      case 't':
      case 'f':
      case 'n':
        return ReadWord(value);
      default:
        return ReadNumber(value);
    }
  }

  bool ReadObject(int depth, JsonValue* value) {
    value->kind = JsonValue::Kind::kObject;
    Take('{');
    if (Take('}')) return true;
    do {
      SkipSpaces();
      std::string name;
      if (!ReadString(&name)) return false;
      if (!Take(':')) return Fail("A ':' is missing");
      value->members.emplace_back(std::move(name), JsonValue());
      if (!ReadValue(depth + 1, &value->members.back().second)) return false;
    } while (Take(','));
    return Take('}') || Fail("A '}' is missing");
  }

  bool ReadArray(int depth, JsonValue* value) {
    value->kind = JsonValue::Kind::kArray;
    Take('[');
    if (Take(']')) return true;
    do {
      value->items.emplace_back();
      if (!ReadValue(depth + 1, &value->items.back())) return false;
    } while (Take(','));
    return Take(']') || Fail("A ']' is missing");
  }

  bool ReadString(std::string* text) {
    if (!Take('"')) return Fail("A string is missing");
    while (position_ < json_.size() && json_[position_] != '"') {
      if (static_cast<unsigned char>(json_[position_]) < 0x20) {
        return Fail("A string has a control character");
      }
      if (json_[position_] == '\\') *text += json_[position_++];
      if (position_ < json_.size()) *text += json_[position_++];
    }
    return Take('"') || Fail("A string has no end");
  }

  bool ReadWord(JsonValue* value) {
    for (const char* word : {"true", "false", "null"}) {
      if (json_.compare(position_, std::strlen(word), word) != 0) continue;
      position_ += std::strlen(word);
      value->kind =
          *word == 'n' ? JsonValue::Kind::kNull : JsonValue::Kind::kBool;
      value->truth = *word == 't';
      return true;
    }
    return Fail("A value is missing");
  }

  std::size_t CountDigits(std::size_t at) const {
    std::size_t end = at;
    while (end < json_.size() && IsDigit(json_[end])) ++end;
    return end - at;
  }

  // The end of the number at position_; position_ if there is none.
  std::size_t EndOfNumber() const {
    std::size_t end = position_;
    if (Peek() == '-') ++end;
    const std::size_t integer = CountDigits(end);
    if (integer == 0 || (integer > 1 && json_[end] == '0')) return position_;
    end += integer;
    if (end < json_.size() && json_[end] == '.') {
      const std::size_t fraction = CountDigits(end + 1);
      if (fraction == 0) return position_;
      end += 1 + fraction;
    }
    if (end < json_.size() && (json_[end] == 'e' || json_[end] == 'E')) {
      ++end;
      if (end < json_.size() && (json_[end] == '+' || json_[end] == '-')) ++end;
      const std::size_t exponent = CountDigits(end);
      if (exponent == 0) return position_;
      end += exponent;
    }
    return end;
  }

  bool ReadNumber(JsonValue* value) {
    const std::size_t end = EndOfNumber();
    if (end == position_) return Fail("A value is missing");
    number_stream_.clear();
    number_stream_.str(json_.substr(position_, end - position_));
    number_stream_ >> value->number;
    // libc++ also fails at subnormal numbers, after it has read them.
    const bool is_subnormal =
        std::fabs(value->number) < std::numeric_limits<double>::min();
    if ((number_stream_.fail() && !is_subnormal) ||
        !std::isfinite(value->number)) {
      return Fail("A number is out of range");
    }
    value->kind = JsonValue::Kind::kNumber;
    position_ = end;
    return true;
  }

  const std::string& json_;
  std::size_t position_ = 0;
  std::istringstream number_stream_;
  std::string error_;
};

}  // namespace

const JsonValue* JsonValue::Find(const std::string& name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool ReadJson(const std::string& json, JsonValue* value, std::string* error) {
  *value = JsonValue();
  JsonParser parser(json);
  if (parser.ReadDocument(value)) return true;
  *error = parser.error();
  return false;
}

}  // namespace ceres::internal
