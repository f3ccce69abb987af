// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/coordinate_descent.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/loops.h"
#include "ceres/linear/dense_qr_solver.h"
#include "ceres/minimizer/trust_region_minimizer.h"

namespace ceres::internal {

CoordinateDescent::CoordinateDescent(
    const Program& program, std::vector<std::vector<int>> groups,
    double max_solver_time_in_seconds, const Execution& execution,
    std::chrono::steady_clock::time_point start)
    : program_(program),
      groups_(std::move(groups)),
      execution_(execution),
      start_(start),
      first_row_(program.num_column_blocks() + 1, 0) {
  options_.max_solver_time_in_seconds = max_solver_time_in_seconds;
  options_.logging_type = SILENT;

  const auto visit = [&](auto&& body) {
    for (int row = 0; row < program.num_row_blocks(); ++row) {
      for (int k = program.first_argument()[row];
           k < program.first_argument()[row + 1]; ++k) {
        const int column = program.arguments()[k];
        if (column >= 0) body(row, column);
      }
    }
  };
  visit([&](int, int column) { ++first_row_[column + 1]; });
  std::partial_sum(first_row_.begin(), first_row_.end(), first_row_.begin());
  rows_.resize(first_row_.back());
  std::vector<int> next(first_row_.begin(), first_row_.end() - 1);
  visit([&](int row, int column) { rows_[next[column]++] = row; });
}

void CoordinateDescent::Minimize(double* x) const {
  for (const std::vector<int>& group : groups_) {
    ParallelFor(execution_, 0, static_cast<int>(group.size()),
                [&](int i) { MinimizeBlock(group[i], x); });
  }
}

// Writes the block's own part of x and reads those of blocks outside of its
// group.
void CoordinateDescent::MinimizeBlock(int column_block, double* x) const {
  CheckStop(execution_);
  const Program program(
      program_, column_block, rows_.data() + first_row_[column_block],
      first_row_[column_block + 1] - first_row_[column_block], x);
  Evaluator::Options evaluator_options;
  evaluator_options.execution.stop = execution_.stop;
  Evaluator evaluator(program, evaluator_options);
  const std::unique_ptr<LinearSolver> linear_solver =
      CreateDenseQrSolver(EIGEN, {}, evaluator.structure());
  TrustRegionMinimizer::Setup setup;
  setup.options = &options_;
  setup.program = &program;
  setup.evaluator = &evaluator;
  setup.linear_solver = linear_solver.get();
  setup.execution.stop = execution_.stop;
  setup.start = start_;
  double* block = x + program_.state_offset()[column_block];
  std::vector<double> state(block, block + program.num_state());
  MinimizerResult result;
  TrustRegionMinimizer(setup).Minimize(state.data(), &result);
  if (result.IsSolutionUsable()) {
    std::copy(state.begin(), state.end(), block);
  }
}

}  // namespace ceres::internal
