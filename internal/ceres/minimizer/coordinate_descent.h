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

// Inner iterations: one sweep of block coordinate descent.
//
//   for each group, in order:
//     for each column block b of the group, in parallel:
//       x_b = argmin cost(x) over x_b, all other blocks held
//
// The blocks of a group are independent: no row block has two of them. A trust
// region minimizer of its own minimizes over each block, on the row blocks that
// contain it. The result has the same bits for every number of threads.
//
// A. Ruhe, P. Wedin, Algorithms for Separable Nonlinear Least Squares Problems,
// SIAM Review 22, 1980, algorithm II.
class CoordinateDescent {
 public:
  // program: must outlive this. groups: column blocks of the program, each in
  // at most one group. The solve began at `start`; each minimization
  // stops when max_solver_time_in_seconds have passed since then.
  CoordinateDescent(const Program& program,
                    std::vector<std::vector<int>> groups,
                    double max_solver_time_in_seconds,
                    const Execution& execution,
                    std::chrono::steady_clock::time_point start);

  // x: num_state() values, improved in place. A block whose minimization fails
  // keeps its value. Throws what user code throws, and Stopped if
  // execution.stop is set. Not thread-safe.
  void Minimize(double* x) const;

 private:
  void MinimizeBlock(int column_block, double* x) const;

  const Program& program_;
  const std::vector<std::vector<int>> groups_;
  const Execution execution_;
  const std::chrono::steady_clock::time_point start_;
  MinimizerOptions options_;
  // The row blocks that contain column block b:
  // rows_[first_row_[b]] to rows_[first_row_[b + 1] - 1].
  std::vector<int> first_row_;
  std::vector<int> rows_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_COORDINATE_DESCENT_H_
