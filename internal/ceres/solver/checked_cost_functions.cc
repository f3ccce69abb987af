// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/checked_cost_functions.h"

#include <cstdint>

#include "ceres/gradient_checker.h"
#include "ceres/problem/added_batch.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {
namespace {

std::vector<const Manifold*> ManifoldsOf(const ResidualBlock& residual_block) {
  std::vector<const Manifold*> manifolds;
  manifolds.reserve(residual_block.num_parameter_blocks());
  for (int i = 0; i < residual_block.num_parameter_blocks(); ++i) {
    manifolds.push_back(residual_block.parameter_blocks()[i]->manifold());
  }
  return manifolds;
}

class CheckedCostFunction final : public CostFunction {
 public:
  // row: of the residual block in the program. All arguments must outlive it.
  CheckedCostFunction(const ResidualBlock& residual_block, int row,
                      double relative_precision,
                      const NumericDiffOptions& options, FirstFailure* error)
      : function_(*residual_block.cost_function()),
        manifolds_(ManifoldsOf(residual_block)),
        checker_(&function_, &manifolds_, options),
        relative_precision_(relative_precision),
        residual_block_index_(residual_block.index()),
        row_(row),
        error_(*error) {
    *mutable_parameter_block_sizes() = function_.parameter_block_sizes();
    set_num_residuals(function_.num_residuals());
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    // The Jacobian may be right although the function fails at this point.
    if (!function_.Evaluate(parameters, residuals, jacobians)) return false;
    if (jacobians == nullptr) return true;
    GradientChecker::ProbeResults results;
    if (checker_.Probe(parameters, relative_precision_, &results)) return true;
    error_.Report(row_, "Gradient error in residual block " +
                            std::to_string(residual_block_index_) +
                            " of the problem" + NameOfRow(function_) +
                            " (residuals: " + std::to_string(num_residuals()) +
                            "). " + results.error_log);
    return false;
  }

 private:
  const CostFunction& function_;
  const std::vector<const Manifold*> manifolds_;
  const GradientChecker checker_;
  const double relative_precision_;
  const int residual_block_index_;
  const int row_;
  FirstFailure& error_;
};

}  // namespace

CheckedCostFunctions::CheckedCostFunctions(
    const Solver::Options& options,
    const std::vector<ResidualBlock*>& residual_blocks,
    const Program& program) {
  NumericDiffOptions numeric_diff_options;
  numeric_diff_options.relative_step_size =
      options.gradient_check_numeric_derivative_relative_step_size;
  cost_functions_.reserve(program.cost_functions().size());
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    cost_functions_.push_back(std::make_unique<CheckedCostFunction>(
        *residual_blocks[program.residual_block_index()[row]], row,
        options.gradient_check_relative_precision, numeric_diff_options,
        &error_));
  }
}

CheckedCostFunctions::~CheckedCostFunctions() = default;

PagedVector<const CostFunction*> CheckedCostFunctions::cost_functions() const {
  PagedVector<const CostFunction*> result;
  for (const auto& cost_function : cost_functions_) {
    result.push_back(cost_function.get());
  }
  return result;
}

}  // namespace ceres::internal
