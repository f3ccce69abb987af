// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Bundle adjustment problems as BAL text (ceres/io/bal.h) and as PLY clouds.

#ifndef VESTA_EXAMPLES_BAL_FILE_H_
#define VESTA_EXAMPLES_BAL_FILE_H_

#include <string>

#include "bal_problem.h"
#include "ceres/io/bal.h"

namespace ceres::examples {

using io::ParseBal;
using io::ReadBal;
using io::WriteBal;

// Writes an ASCII PLY cloud: camera centres in green, points in white. Returns
// false on failure and then says why in *error.
[[nodiscard]] bool WritePly(const BalProblem& problem, const std::string& path,
                            std::string* error);

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_BAL_FILE_H_
