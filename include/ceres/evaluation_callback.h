// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_EVALUATION_CALLBACK_H_
#define CERES_PUBLIC_EVALUATION_CALLBACK_H_

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres {

// User code that the solver calls before residuals are evaluated. It can
// compute once what several cost functions share.
//
// Before each evaluation of residuals or Jacobians the solver writes the
// evaluation point to the user's parameter blocks. It then calls
// PrepareForEvaluation, from one thread, while no cost function runs. The
// parameter blocks keep these values until the next call. Cost functions get
// equal values.
//
// Problem::Options refers to the callback and does not own it; the callback
// must outlive the problem. Cannot be combined with inner iterations.
class CERES_EXPORT EvaluationCallback {
 public:
  virtual ~EvaluationCallback();

  // Called before each evaluation.
  //
  // - evaluate_jacobians: Jacobians, or the gradient, will be computed as well
  //   as residuals.
  // - new_evaluation_point: false if the point is that of the previous call, so
  //   that results of this point are still valid.
  virtual void PrepareForEvaluation(bool evaluate_jacobians,
                                    bool new_evaluation_point) = 0;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_EVALUATION_CALLBACK_H_
