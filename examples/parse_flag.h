// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_EXAMPLES_PARSE_FLAG_H_
#define VESTA_EXAMPLES_PARSE_FLAG_H_

#include <iostream>
#include <string>

namespace ceres::examples {

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

#endif  // VESTA_EXAMPLES_PARSE_FLAG_H_
