// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/json_reader.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ceres/base/format.h"
#include "ceres/base/number.h"

namespace ceres::internal {
namespace {

constexpr int kMaxDepth = 64;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsHighSurrogate(std::uint32_t unit) { return unit >> 10 == 0xD800 >> 10; }
bool IsLowSurrogate(std::uint32_t unit) { return unit >> 10 == 0xDC00 >> 10; }

void AppendUtf8(std::uint32_t code, std::string* text) {
  const auto append_tail = [&](int shift) {
    *text += static_cast<char>(0x80 | (code >> shift & 0x3F));
  };
  if (code < 0x80) {
    *text += static_cast<char>(code);
  } else if (code < 0x800) {
    *text += static_cast<char>(0xC0 | code >> 6);
    append_tail(0);
  } else if (code < 0x10000) {
    *text += static_cast<char>(0xE0 | code >> 12);
    append_tail(6);
    append_tail(0);
  } else {
    *text += static_cast<char>(0xF0 | code >> 18);
    append_tail(12);
    append_tail(6);
    append_tail(0);
  }
}

// Recursive descent over the grammar of RFC 8259. Each function reads one
// element at `position_`, or sets error_ and returns false.
class JsonParser {
 public:
  explicit JsonParser(const std::string& json) : json_(json) {}

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
    std::size_t line = 1;
    std::size_t begin_of_line = 0;
    for (std::size_t i = 0; i < position_; ++i) {
      if (json_[i] != '\n') continue;
      ++line;
      begin_of_line = i + 1;
    }
    error_ = Format("%s, at line %zu, column %zu of the JSON text.", what, line,
                    position_ - begin_of_line + 1);
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
      if (json_[position_] != '\\') {
        *text += json_[position_++];
      } else if (!ReadEscape(text)) {
        return false;
      }
    }
    // Not Take, which would skip spaces.
    if (position_ == json_.size()) return Fail("A string has no end");
    ++position_;
    return true;
  }

  // A backslash and what follows it.
  bool ReadEscape(std::string* text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kCharacters = "\"\\/\b\f\n\r\t";
    ++position_;
    if (Peek() == 'u') return ReadUnicodeEscape(text);
    const std::size_t letter = kLetters.find(Peek());
    if (letter == std::string_view::npos) {
      return Fail("An escape sequence is unknown");
    }
    *text += kCharacters[letter];
    ++position_;
    return true;
  }

  // A character in UTF-16: one unit (u and four hexadecimal digits), or two
  // that form a surrogate pair.
  bool ReadUnicodeEscape(std::string* text) {
    std::uint32_t code = 0;
    if (!ReadUnit(&code)) return false;
    if (IsHighSurrogate(code)) {
      std::uint32_t low = 0;
      if (json_.compare(position_, 2, "\\u") != 0) {
        return Fail("A low surrogate is missing");
      }
      ++position_;
      if (!ReadUnit(&low)) return false;
      if (!IsLowSurrogate(low)) return Fail("A low surrogate is missing");
      code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
    } else if (IsLowSurrogate(code)) {
      return Fail("A high surrogate is missing");
    }
    AppendUtf8(code, text);
    return true;
  }

  bool ReadUnit(std::uint32_t* unit) {
    constexpr std::string_view kHex = "0123456789abcdefABCDEF";
    ++position_;  // the u
    for (int k = 0; k < 4; ++k, ++position_) {
      const std::size_t digit =
          position_ < json_.size() ? kHex.find(json_[position_]) : kHex.npos;
      if (digit == kHex.npos) return Fail("A hexadecimal digit is missing");
      *unit = *unit << 4 | (digit < 16 ? digit : digit - 6);
    }
    return true;
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
    const std::string_view digits(json_.data() + position_, end - position_);
    if (!ReadDouble(digits, &value->number)) {
      return Fail("A number is out of range");
    }
    value->kind = JsonValue::Kind::kNumber;
    position_ = end;
    return true;
  }

  const std::string& json_;
  std::size_t position_ = 0;
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
