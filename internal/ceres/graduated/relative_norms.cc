// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/relative_norms.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "ceres/base/format.h"
#include "ceres/graduated/chi_square.h"

namespace ceres::internal {
namespace {

// 1 / c^2 of each block.
std::vector<double> InverseBounds(const GraduatedOptions& options,
                                  const std::vector<ResidualBlock*>& blocks) {
  std::vector<double> inverse_bounds;
  inverse_bounds.reserve(blocks.size());
  std::map<int, double> by_num_residuals;
  for (const ResidualBlock* block : blocks) {
    if (options.inlier_cost_bound > 0.0) {
      inverse_bounds.push_back(0.5 / options.inlier_cost_bound);
      continue;
    }
    const int num_residuals = std::max(1, block->num_residuals());
    double& inverse_bound = by_num_residuals[num_residuals];
    if (inverse_bound == 0.0) {
      inverse_bound =
          1.0 / ChiSquareQuantile(options.inlier_probability, num_residuals);
    }
    inverse_bounds.push_back(inverse_bound);
  }
  return inverse_bounds;
}

Evaluator::Options EvaluatorOptions(const Execution& execution,
                                    const ProblemImpl& problem) {
  Evaluator::Options options;
  options.execution = execution;
  options.evaluation_callback = problem.options().evaluation_callback;
  options.apply_loss_function = false;
  return options;
}

}  // namespace

RelativeNorms::RelativeNorms(const Solver::Options& options,
                             const GraduatedOptions& graduated_options,
                             ProblemImpl* problem,
                             const std::vector<ResidualBlock*>& blocks)
    : blocks_(blocks),
      inverse_bounds_(InverseBounds(graduated_options, blocks)),
      execution_(ChooseThreads(options, problem), problem),
      program_({}, /*num_eliminated=*/0, blocks, execution_.get()),
      evaluator_(program_, EvaluatorOptions(execution_.get(), *problem)),
      residuals_(program_.num_residuals()) {}

void RelativeNorms::ScaleBounds(double factor) {
  for (double& inverse_bound : inverse_bounds_) inverse_bound /= factor;
}

bool RelativeNorms::Evaluate(std::vector<double>* z, std::string* error) {
  double cost = 0.0;
  const Evaluator::Result result = evaluator_.EvaluateCost(
      /*state=*/nullptr, /*new_evaluation_point=*/true, &cost,
      residuals_.data());
  if (!result) {
    *error = result.message;
    return false;
  }
  z->assign(blocks_.size(), 0.0);
  const double* residual = residuals_.data();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    double squared_norm = 0.0;
    for (int k = 0; k < blocks_[i]->num_residuals(); ++k, ++residual) {
      squared_norm += *residual * *residual;
    }
    (*z)[i] = squared_norm * inverse_bounds_[i];
    if (!std::isfinite((*z)[i])) {
      *error = Format(
          "ResidualBlock %d has residuals whose squared norm overflows. Scale "
          "its residuals.",
          blocks_[i]->index());
      return false;
    }
  }
  return true;
}

}  // namespace ceres::internal
