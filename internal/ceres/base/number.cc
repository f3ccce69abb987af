// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/number.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <locale>
#include <sstream>

namespace ceres::internal {
namespace {

// Whether a text is [-] digits [. digits] [e [+-] digits].
bool IsDecimal(std::string_view text) {
  std::size_t i = 0;
  const auto skip_digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    return i - begin;
  };
  const auto skip = [&](char a, char b) {
    const bool found = i < text.size() && (text[i] == a || text[i] == b);
    i += found ? 1 : 0;
    return found;
  };
  skip('-', '-');
  std::size_t num_digits = skip_digits();
  if (skip('.', '.')) num_digits += skip_digits();
  if (num_digits == 0) return false;
  if (skip('e', 'E')) {
    skip('+', '-');
    if (skip_digits() == 0) return false;
  }
  return i == text.size();
}

// Fails for numbers that are too large; one too small becomes less than 1.
bool ReadByStream(std::string_view decimal, double* value) {
  std::istringstream stream{std::string(decimal)};
  stream.imbue(std::locale::classic());
  stream >> *value;
  return std::isfinite(*value) && (!stream.fail() || std::abs(*value) < 1.0);
}

}  // namespace

void AppendExact(double value, std::string* output) {
  char digits[32];
  const std::to_chars_result result =
      std::to_chars(std::begin(digits), std::end(digits), value);
  output->append(digits, result.ptr);
}

std::string CountOf(std::int64_t count, const char* noun, const char* plural) {
  const std::string number = std::to_string(count) + ' ';
  if (count == 1) return number + noun;
  return plural != nullptr ? number + plural : number + noun + 's';
}

std::size_t ReadLeadingDouble([[maybe_unused]] std::string_view text,
                              [[maybe_unused]] double* value) {
#if defined(__cpp_lib_to_chars)
  const auto [stop, code] =
      std::from_chars(text.data(), text.data() + text.size(), *value);
  if (code == std::errc() && std::isfinite(*value)) {
    return static_cast<std::size_t>(stop - text.data());
  }
#endif
  return 0;
}

bool ReadDouble(std::string_view text, double* value) {
  const std::size_t length = ReadLeadingDouble(text, value);
  if (length > 0) return length == text.size();
  return IsDecimal(text) && ReadByStream(text, value);
}

}  // namespace ceres::internal
