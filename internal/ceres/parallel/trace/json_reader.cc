// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/trace/json_reader.h"

#include <cctype>
#include <charconv>
#include <cstring>
#include <system_error>

namespace ceres::parallel::detail {
namespace {

constexpr int kMaxDepth = 100;

void AppendUtf8(unsigned code, std::string* string) {
  if (code < 0x80) {
    string->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    string->push_back(static_cast<char>(0xc0 | code >> 6));
    string->push_back(static_cast<char>(0x80 | (code & 63)));
  } else {
    string->push_back(static_cast<char>(0xe0 | code >> 12));
    string->push_back(static_cast<char>(0x80 | (code >> 6 & 63)));
    string->push_back(static_cast<char>(0x80 | (code & 63)));
  }
}

}  // namespace

char JsonReader::Peek() {
  while (position_ < text_.size() &&
         std::strchr(" \t\r\n", text_[position_]) != nullptr &&
         text_[position_] != '\0') {
    ++position_;
  }
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool JsonReader::Accept(char c) {
  if (Peek() != c) return false;
  ++position_;
  return true;
}

void JsonReader::Expect(char c) {
  if (!Accept(c)) Fail(std::string("'") + c + "'");
}

void JsonReader::ExpectEnd() {
  if (Peek() != '\0' || position_ != text_.size()) Fail("the end");
}

void JsonReader::ExpectWord(std::string_view word) {
  if (text_.substr(position_, word.size()) != word) Fail("a value");
  position_ += word.size();
}

std::string JsonReader::ReadString() {
  Expect('"');
  std::string string;
  while (position_ < text_.size() && text_[position_] != '"') {
    const char c = text_[position_];
    if (static_cast<unsigned char>(c) < 0x20) Fail("no control character");
    ++position_;
    if (c == '\\') {
      AppendEscaped(&string);
    } else {
      string.push_back(c);
    }
  }
  Expect('"');
  return string;
}

// Surrogates stay what they are: names of threads and tasks need none.
void JsonReader::AppendEscaped(std::string* string) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char c = position_ < text_.size() ? text_[position_] : '\0';
  if (c == 'u') {
    unsigned code = 0;
    for (int digit = 0; digit < 4; ++digit) {
      ++position_;
      const char h = position_ < text_.size() ? text_[position_] : '\0';
      if (std::isxdigit(static_cast<unsigned char>(h)) == 0) {
        Fail("a hexadecimal digit");
      }
      const int value = h <= '9' ? h - '0' : (h | 32) - 'a' + 10;
      code = 16 * code + static_cast<unsigned>(value);
    }
    AppendUtf8(code, string);
  } else {
    const std::size_t k = c == '\0' ? kEscapes.npos : kEscapes.find(c);
    if (k == kEscapes.npos) Fail("an escaped character");
    string->push_back(kMeanings[k]);
  }
  ++position_;
}

double JsonReader::ReadNumber() {
  const char first = Peek();
  double value = 0.0;
  const char* const begin = text_.data() + position_;
  const auto [end, error] =
      std::from_chars(begin, text_.data() + text_.size(), value);
  // from_chars takes "inf" and ".5", JSON does not.
  if (error != std::errc() ||
      (first != '-' && std::isdigit(static_cast<unsigned char>(first)) == 0)) {
    Fail("a number");
  }
  position_ += static_cast<std::size_t>(end - begin);
  return value;
}

void JsonReader::Skip(int depth) {
  if (depth > kMaxDepth) Fail("less nesting");
  switch (Peek()) {
    case '{':
      return ReadObject([&](const std::string&) { Skip(depth + 1); });
    case '[':
      return ReadArray([&] { Skip(depth + 1); });
    case '"':
      ReadString();
      return;
    case 't':
      return ExpectWord("true");
    case 'f':
      return ExpectWord("false");
    case 'n':
      return ExpectWord("null");
    default:
      ReadNumber();
  }
}

}  // namespace ceres::parallel::detail
