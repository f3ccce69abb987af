// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/base/format.h"

#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <iterator>

namespace ceres::internal {
namespace {

void AppendFormatV(std::string* output, const char* format,
                   std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  if (length > 0) {
    const size_t old_size = output->size();
    // One more for the terminating zero that vsnprintf writes.
    output->resize(old_size + length + 1);
    std::vsnprintf(output->data() + old_size, length + 1, format, again);
    output->resize(old_size + length);
  }
  va_end(again);
}

}  // namespace

std::string Format(const char* format, ...) {
  std::string result;
  std::va_list arguments;
  va_start(arguments, format);
  AppendFormatV(&result, format, arguments);
  va_end(arguments);
  return result;
}

void AppendFormat(std::string* output, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  AppendFormatV(output, format, arguments);
  va_end(arguments);
}

void AppendScientific(double value, std::string* output) {
  char digits[32];
  const std::to_chars_result result =
      std::to_chars(std::begin(digits), std::end(digits), value,
                    std::chars_format::scientific, /*precision=*/6);
  output->append(digits, result.ptr);
}

}  // namespace ceres::internal
