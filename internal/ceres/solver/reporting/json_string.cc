// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reporting/json_string.h"

#include <cstddef>

#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

// Bytes of the UTF-8 sequence at text[i]; 0 if there is none.
std::size_t SequenceLength(const std::string& text, std::size_t i) {
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

std::string Escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      return static_cast<unsigned char>(c) < 0x20
                 ? Format("\\u%04x", static_cast<unsigned char>(c))
                 : std::string(1, c);
  }
}

}  // namespace

std::string JsonString(const std::string& text) {
  std::string json = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = SequenceLength(text, i);
    if (length == 0) {
      json += "\\ufffd";
      ++i;
    } else if (length == 1) {
      json += Escaped(text[i++]);
    } else {
      json.append(text, i, length);
      i += length;
    }
  }
  return json + "\"";
}

}  // namespace ceres::internal
