// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/residual_checks.h"

#include <algorithm>
#include <new>
#include <utility>

#include "ceres/diagnosis/redundancy.h"

namespace ceres::internal {
namespace {

// Makes the rows of constraints so large that what they determine is not left
// to residuals. R then has errors of 1 / weight^2.
void WeightConstraints(const DiagnosedProblem& problem,
                       ScaledJacobian* scaled) {
  constexpr double kWeight = 1e5;
  const BlockJacobianStructure& s = *scaled->jacobian.structure;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (problem.constraint(row) == nullptr) continue;
    double* const begin = scaled->jacobian.row_block(row);
    std::for_each(begin,
                  scaled->jacobian.values.data() + s.row_block_offset[row + 1],
                  [](double& value) { value *= kWeight; });
    // What a constraint is violated by is no error of a measurement.
    std::fill_n(begin, s.row_size(row), 0.0);
  }
}

}  // namespace

void CheckResiduals(const Execution& execution, const DiagnosisOptions& options,
                    const DiagnosedProblem& problem,
                    const std::vector<NullSpace>& spaces,
                    ScaledJacobian* scaled, Diagnosis* result) {
  RedundancyOptions redundancy_options;
  redundancy_options.variance_factor = options.variance_factor;
  for (const NullSpace& space : spaces) {
    redundancy_options.held_columns.insert(
        redundancy_options.held_columns.end(), space.pivots.begin(),
        space.pivots.end());
  }
  std::sort(redundancy_options.held_columns.begin(),
            redundancy_options.held_columns.end());
  if (problem.has_constraints()) WeightConstraints(problem, scaled);
  Redundancy redundancy;
  try {
    if (!ComputeRedundancy(execution, scaled->jacobian, redundancy_options,
                           &redundancy, &result->message)) {
      return;
    }
  } catch (const std::bad_alloc&) {
    result->message = "The redundancy cannot be computed: memory is lacking.";
    return;
  }
  result->variance_factor = redundancy.variance_factor;
  for (std::size_t row = 0; row < redundancy.row_blocks.size(); ++row) {
    const RowBlockCheck& own = redundancy.row_blocks[row];
    ResidualBlock* const block = problem.residual_block(static_cast<int>(row));
    if (block == nullptr) continue;
    ResidualCheck check;
    check.residual_block = block;
    check.residual_block_index = block->index();
    if (options.residual_block_tag) {
      check.tag = options.residual_block_tag(block);
    }
    check.redundancy = own.redundancy;
    check.smallest_redundancy = own.smallest_eigenvalue;
    check.is_unchecked = own.IsUnchecked();
    check.largest_standardized_residual = own.largest_standardized_residual;
    check.smallest_detectable_error = own.smallest_detectable_error;
    result->residual_blocks.push_back(std::move(check));
  }
  std::sort(result->residual_blocks.begin(), result->residual_blocks.end(),
            [](const ResidualCheck& a, const ResidualCheck& b) {
              return a.residual_block_index < b.residual_block_index;
            });
}

}  // namespace ceres::internal
