// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Flags whose values are the enumerators of ceres/types.h in lower case.

#ifndef VESTA_EXAMPLES_PARSE_FLAG_H_
#define VESTA_EXAMPLES_PARSE_FLAG_H_

#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>
#include <vector>

#include "ceres/types.h"
#include "gflags/gflags.h"

namespace ceres::examples {

// How the enumerator is written as the value of a flag.
template <typename Enum>
std::string FlagValue(const char* (*to_string)(Enum), Enum enumerator) {
  std::string value = to_string(enumerator);
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return value;
}

// All enumerators. The ...ToString functions of types.h know the names of those
// that exist, which have the numbers 0, 1, 2, ...
template <typename Enum>
std::vector<std::string> FlagValues(const char* (*to_string)(Enum)) {
  std::vector<std::string> values;
  for (int i = 0; values.empty() || values.back() != "unknown"; ++i) {
    values.push_back(FlagValue(to_string, static_cast<Enum>(i)));
  }
  values.pop_back();
  return values;
}

// "a, b or c", for the help of the flag.
template <auto kToString>
const char* AllFlagValues() {
  static const std::string text = [] {
    const std::vector<std::string> values = FlagValues(kToString);
    std::string list = values.front();
    for (size_t i = 1; i < values.size(); ++i) {
      list += (i + 1 < values.size() ? ", " : " or ") + values[i];
    }
    return list + ".";
  }();
  return text.c_str();
}

// Reads the flag `name` with one of the StringTo... functions of types.h. If
// its text is none of their values, says so on stderr and returns false.
template <typename Enum>
[[nodiscard]] bool ParseFlag(const char* name, const std::string& text,
                             bool (*parse)(std::string, Enum*), Enum* value) {
  if (parse(text, value)) return true;
  std::cerr << "--" << name << "=" << text
            << " is none of its values; see --help.\n";
  return false;
}

}  // namespace ceres::examples

// DEFINE_string of a flag with these values. `initial` is an enumerator; names
// are fully qualified, as gflags uses them in a namespace of its own.
#define VESTA_DEFINE_ENUM_FLAG(name, Type, initial)                         \
  DEFINE_string(                                                            \
      name, ::ceres::examples::FlagValue(::ceres::Type##ToString, initial), \
      ::ceres::examples::AllFlagValues<::ceres::Type##ToString>())

#endif  // VESTA_EXAMPLES_PARSE_FLAG_H_
