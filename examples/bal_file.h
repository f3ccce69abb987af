// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Reads and writes bundle adjustment problems as BAL text and as PLY clouds.
//
// BAL text is whitespace-separated tokens:
//
//   <cameras> <points> <observations>
//   <camera> <point> <x> <y>              once per observation, indices from 0
//   9 numbers per camera, then 3 numbers per point (see bal_problem.h)
//
// Every function returns false on failure and then says in *error which file,
// which token (counted from 1), what was expected and what was found. Outputs
// are written beside their destination and renamed into place when complete:
// whoever reads the destination never sees half a file.

#ifndef VESTA_EXAMPLES_BAL_FILE_H_
#define VESTA_EXAMPLES_BAL_FILE_H_

#include <string>
#include <string_view>

#include "bal_problem.h"

namespace ceres::examples {

// Reads a file. *problem is unchanged on failure.
[[nodiscard]] bool ReadBal(const std::string& path, BalProblem* problem,
                           std::string* error);

// Reads text that came from `name`, which appears in error messages only.
[[nodiscard]] bool ParseBal(std::string_view text, const std::string& name,
                            BalProblem* problem, std::string* error);

// Writes angle-axis cameras, whatever the problem stores, with the digits it
// takes to read the same doubles back.
[[nodiscard]] bool WriteBal(const BalProblem& problem, const std::string& path,
                            std::string* error);

// Writes an ASCII PLY cloud: camera centres in green, points in white.
[[nodiscard]] bool WritePly(const BalProblem& problem, const std::string& path,
                            std::string* error);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_BAL_FILE_H_
