// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/subset_rows.h"

#include <cstddef>

#include "ceres/base/format.h"
#include "glog/logging.h"

namespace ceres::internal {

std::optional<std::vector<int>> FindSubsetRows(const Solver::Options& options,
                                               const ProblemImpl& problem,
                                               const Program& program,
                                               std::string* error) {
  const auto& named = options.residual_blocks_for_subset_preconditioner;
  std::vector<int> rows;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    ResidualBlock* block =
        problem.residual_blocks()[program.residual_block_index()[row]];
    if (named.count(block) > 0) rows.push_back(row);
  }
  if (rows.size() == named.size()) return rows;

  size_t num_in_problem = 0;
  for (ResidualBlock* block : problem.residual_blocks()) {
    num_in_problem += named.count(block);
  }
  const size_t num_absent = named.size() - num_in_problem;
  if (rows.empty()) {
    *error = Format(
        "Of the %zu residual blocks in Solver::Options::"
        "residual_blocks_for_subset_preconditioner, %zu are not in the problem "
        "and %zu depend on constant parameter blocks only. Name some that "
        "depend on a variable one.",
        named.size(), num_absent, num_in_problem);
    return std::nullopt;
  }
  LOG_IF(WARNING, num_absent > 0)
      << "Of the " << named.size()
      << " residual blocks in Solver::Options::"
         "residual_blocks_for_subset_preconditioner, "
      << num_absent << " are not in the problem. They are ignored.";
  return rows;
}

}  // namespace ceres::internal
