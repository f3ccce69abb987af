// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_COORDINATE_DESCENT_H_
#define CERES_INTERNAL_MINIMIZER_COORDINATE_DESCENT_H_

#include <chrono>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/minimizer/minimizer_options.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// Inner iterations: one sweep of block coordinate descent,
//
//   for each group, in order:
//     for each of its column blocks b, in parallel:
//       x_b = argmin cost(x) over x_b, all other blocks held
//
// from Ruhe and Wedin, Algorithms for Separable Nonlinear Least Squares
// Problems, SIAM Review 22, 1980, algorithm II. The blocks of a group are
// independent (no row touches two of them), so they are minimized at the same
// time, each by a trust region method of its own on the rows that touch it, and
// the bits do not depend on the number of threads.
class CoordinateDescent {
 public:
  // groups: column blocks of the program, each in at most one group. The
  // program must outlive this. The solve began at `start`; each minimization
  // stops when max_solver_time_in_seconds have passed since then.
  CoordinateDescent(const Program& program,
                    std::vector<std::vector<int>> groups,
                    double max_solver_time_in_seconds,
                    const Execution& execution,
                    std::chrono::steady_clock::time_point start);

  // Improves x (num_state values) in place. A block whose minimization fails
  // stays as it is. Exceptions of user code pass through, and Stopped is thrown
  // if execution.stop says so. Not thread-safe.
  void Minimize(double* x) const;

 private:
  void MinimizeBlock(int column_block, double* x) const;

  const Program& program_;
  const std::vector<std::vector<int>> groups_;
  const Execution execution_;
  const std::chrono::steady_clock::time_point start_;
  MinimizerOptions options_;
  // The rows that touch a column block: rows_[first_row_[b]] and on.
  std::vector<int> first_row_;
  std::vector<int> rows_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_COORDINATE_DESCENT_H_
