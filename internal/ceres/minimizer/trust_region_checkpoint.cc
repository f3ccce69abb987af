// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <cmath>

#include "ceres/base/format.h"
#include "ceres/minimizer/trust_region_minimizer.h"

// The state of a minimizer after an accepted step, and how a minimizer goes on
// from it. The Jacobian, the gradient and the norms are functions of the point,
// and are computed again. A strategy keeps no vectors after an accepted step.

namespace ceres::internal {

void TrustRegionMinimizer::TransferState(StateArchive* archive) {
  archive->Array(x_.data(), x_.size());
  archive->Value(&x_cost_);
  archive->Value(&best_cost_);
  bool keeps_best_apart = keeps_best_apart_;
  archive->Value(&keeps_best_apart);
  if (keeps_best_apart) {
    KeepBestApart();
    archive->Array(best_.data(), best_.size());
  }
  archive->Array(column_scale_.data(), column_scale_.size());
  archive->Array(squared_scale_.data(), squared_scale_.size());
  strategy_->TransferState(archive);
  step_evaluator_.TransferState(archive);
  acceptance_predictor_.TransferState(archive);
  active_set_.TransferState(archive);
  parallel_tangents_.TransferState(archive);
  archive->List(&result_->iterations);
  archive->Value(&result_->initial_cost);
  for (int* const count :
       {&result_->num_successful_steps, &result_->num_unsuccessful_steps,
        &result_->num_linear_solves, &result_->num_residual_evaluations,
        &result_->num_jacobian_evaluations, &result_->num_line_search_steps}) {
    archive->Value(count);
  }
}

// Reads: the archive. Writes: what Start and the iterations of the archive
// wrote.
bool TrustRegionMinimizer::Continue() {
  StateArchive* const archive = setup_.checkpoints->saved();
  StartResult();
  TransferState(archive);
  if (!collective_.All(archive->is_complete() &&
                       !result_->iterations.empty())) {
    return Finish(FAILURE,
                  "The checkpoint does not have the state of this minimizer.");
  }
  const double saved_cost = x_cost_;
  const int num_evaluations = result_->num_jacobian_evaluations;
  x_norm_ = collective_.NormOfPoint(x_.data());
  iteration_ = result_->iterations.back();
  if (!EvaluateAtState(true)) return false;
  result_->num_jacobian_evaluations = num_evaluations;
  // Another build may round differently. Other data have another cost.
  constexpr double kSameCost = 1e-8;
  if (!(std::abs(x_cost_ - saved_cost) <= kSameCost * saved_cost)) {
    return Finish(
        FAILURE,
        Format("The checkpoint is of another problem: at its parameters the "
               "cost is %.17g, and the checkpoint says %.17g. Remove it, or "
               "use another path.",
               x_cost_, saved_cost));
  }
  initial_cost_ = result_->initial_cost - setup_.fixed_cost;
  has_unscaled_columns_ = options_.jacobi_scaling;
  if (!keeps_best_apart_) KeepBest();
  result_->final_cost = best_cost_ + setup_.fixed_cost;
  return true;
}

}  // namespace ceres::internal
