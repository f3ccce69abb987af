// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_EVALUATION_CALLBACK_H_
#define CERES_PUBLIC_EVALUATION_CALLBACK_H_

#include "ceres/internal/export.h"

namespace ceres {

// Tells the user's code that residuals are about to be evaluated, so that it
// can compute once what several cost functions share.
//
// Before each evaluation of residuals or Jacobians the solver writes the
// evaluation point to the user's parameter blocks and calls
// PrepareForEvaluation, from one thread, while no cost function runs. The
// parameter blocks keep these values until the next call. The values given to
// cost functions are the same ones.
//
// Set in Problem::Options, which does not own it; it must outlive the problem.
// Cannot be combined with inner iterations.
class CERES_EXPORT EvaluationCallback {
 public:
  virtual ~EvaluationCallback();

  // evaluate_jacobians: Jacobians (or the gradient) will be computed as well as
  //   residuals.
  // new_evaluation_point: false if the point is that of the previous call, so
  //   that cached results are still valid.
  virtual void PrepareForEvaluation(bool evaluate_jacobians,
                                    bool new_evaluation_point) = 0;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_EVALUATION_CALLBACK_H_
