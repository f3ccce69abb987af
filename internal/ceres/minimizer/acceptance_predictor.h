// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_ACCEPTANCE_PREDICTOR_H_
#define CERES_INTERNAL_MINIMIZER_ACCEPTANCE_PREDICTOR_H_

#include <algorithm>

#include "ceres/minimizer/minimizer_tuning.h"
#include "ceres/minimizer/state_archive.h"

namespace ceres::internal {

// Predicts whether a trust region step will be accepted. If so, the minimizer
// evaluates the Jacobian at the candidate together with the cost.
//
// Let R be the time of a pass for the cost alone, and J the time of a pass for
// the cost and the Jacobian. Memory holds one Jacobian. The passes take
//
//                    cost first    cost and Jacobian
//   step accepted    R + J         J
//   step rejected    R             2 J   (the old Jacobian is overwritten)
//
// The second column is faster if more than 1 - R / (2 J) of the steps are
// accepted. The fraction is near 1, above all with numeric derivatives.
// Therefore a step is predicted to be accepted only after several accepted
// steps in a row, and each wrong prediction raises this number by a factor:
// the number of wrong predictions grows as the logarithm of the number of
// steps.
//
// The prediction depends on the steps alone, never on time: the two passes may
// compute a cost that differs in the last bit.
class AcceptancePredictor {
 public:
  // model_cost_change: the decrease that the model predicts from `cost`. A step
  // is not predicted to be accepted if its predicted decrease is below
  // function_tolerance * cost, or below the rounding error of the cost.
  bool PredictsAcceptance(double model_cost_change, double cost,
                          double function_tolerance) const {
    // The relative rounding error of a cost that is a sum of many terms.
    constexpr double kRounding = 1e-13;
    return num_accepted_in_a_row_ >= num_required_ &&
           model_cost_change > std::max(function_tolerance, kRounding) * cost;
  }

  // How the last step was judged.
  void RecordAccepted() { ++num_accepted_in_a_row_; }
  // was_predicted: whether the step was predicted to be accepted.
  void RecordRejected(bool was_predicted) {
    num_accepted_in_a_row_ = 0;
    if (was_predicted) {
      num_required_ =
          std::min(kMaxAcceptedSteps, num_required_ * kAcceptedStepsGrowth);
    }
  }

  void TransferState(StateArchive* archive) {
    archive->Value(&num_accepted_in_a_row_);
    archive->Value(&num_required_);
  }

 private:
  int num_accepted_in_a_row_ = 0;
  int num_required_ = kInitialAcceptedSteps;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_ACCEPTANCE_PREDICTOR_H_
