// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "ceres/base/number.h"

namespace ceres::internal {
namespace {

// Bytes of the UTF-8 sequence at text[i]; 0 if there is none.
std::size_t SequenceLength(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) -> unsigned {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0;
  };
  const unsigned first = byte(i);
  if (first < 0x80) return 1;
  // The shortest form of what is not a surrogate and at most U+10FFFF: see the
  // table of RFC 3629, section 4.
  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (byte(i + 1) < low || byte(i + 1) > high) return 0;
  for (std::size_t k = 2; k < length; ++k) {
    if (byte(i + k) < 0x80 || byte(i + k) > 0xBF) return 0;
  }
  return length;
}

void AppendEscaped(char c, std::string* json) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  switch (c) {
    case '"':
    case '\\':
      *json += '\\';
      *json += c;
      return;
    case '\n':
      *json += "\\n";
      return;
    case '\t':
      *json += "\\t";
      return;
    default:
      *json += "\\u00";
      *json += kHex[code >> 4];
      *json += kHex[code & 15];
  }
}

// By character: whether a JSON string has it as it is.
constexpr std::array<bool, 256> kIsPlain = [] {
  std::array<bool, 256> is_plain = {};
  for (int c = 0x20; c < 0x80; ++c) is_plain[c] = c != '"' && c != '\\';
  return is_plain;
}();

// The first character at or after text[i] that is not plain.
std::size_t SkipPlain(std::string_view text, std::size_t i) {
  while (i < text.size() && kIsPlain[static_cast<unsigned char>(text[i])]) ++i;
  return i;
}

// A JSON string (RFC 8259, section 7) with quotes.
void AppendString(std::string_view text, std::string* json) {
  *json += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    i = SkipPlain(text, i);
    json->append(text, begin, i - begin);
    if (i == text.size()) break;
    const std::size_t length = SequenceLength(text, i);
    if (length == 0) {
      *json += "\\ufffd";
      ++i;
    } else if (length == 1) {
      AppendEscaped(text[i++], json);
    } else {
      json->append(text, i, length);
      i += length;
    }
  }
  *json += '"';
}

void AppendSixDigits(double value, std::string* json) {
  char digits[32];
  const std::to_chars_result end =
      std::to_chars(std::begin(digits), std::end(digits), value,
                    std::chars_format::general, /*precision=*/6);
  json->append(digits, end.ptr);
}

}  // namespace

JsonWriter& JsonWriter::Begin(char bracket) {
  Separate();
  text_ += bracket;
  ++depth_;
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::End(char bracket) {
  --depth_;
  if (needs_comma_ && depth_ < style_.num_levels_on_lines) BreakLine();
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view name) {
  Separate();
  text_ += '"';
  text_ += name;
  text_ += depth_ <= style_.num_levels_on_lines ? "\": " : "\":";
  is_after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view text) {
  Separate();
  AppendString(text, &text_);
  return *this;
}

JsonWriter& JsonWriter::Value(bool value) {
  return Json(value ? "true" : "false");
}

JsonWriter& JsonWriter::Value(std::int64_t value) {
  char digits[24];
  const std::to_chars_result end =
      std::to_chars(std::begin(digits), std::end(digits), value);
  return Json({digits, static_cast<std::size_t>(end.ptr - digits)});
}

JsonWriter& JsonWriter::Value(double value) {
  if (!std::isfinite(value)) {
    if (!style_.is_exact) return Json("null");
    if (std::isnan(value)) return Json("\"NaN\"");
    return Json(value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
  }
  Separate();
  (style_.is_exact ? AppendExact : AppendSixDigits)(value, &text_);
  return *this;
}

JsonWriter& JsonWriter::Json(std::string_view json) {
  Separate();
  text_ += json;
  return *this;
}

void JsonWriter::FlushTo(std::ostream* out) {
  out->write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

void JsonWriter::Separate() {
  if (!is_after_key_) {
    if (needs_comma_) text_ += ',';
    if (depth_ > 0 && depth_ <= style_.num_levels_on_lines) BreakLine();
  }
  is_after_key_ = false;
  needs_comma_ = true;
}

void JsonWriter::BreakLine() {
  text_ += '\n';
  text_.append(static_cast<std::size_t>(depth_) * style_.indent, ' ');
}

}  // namespace ceres::internal
