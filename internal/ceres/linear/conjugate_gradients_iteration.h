// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_ITERATION_H_
#define CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_ITERATION_H_

#include "ceres/linear/conjugate_gradients.h"

namespace ceres::internal {

// The vectors of one run of conjugate gradients for A x = b with a
// preconditioner M, and the passes over them, named after what they compute.
// ConjugateGradients has the vectors of one process; a distributed solve has
// vectors of which each process has a part, and sums that all processes form.
class ConjugateGradientsIteration {
 public:
  struct TwoSums {
    double first = 0.0;
    double second = 0.0;
  };

  virtual ~ConjugateGradientsIteration() = default;

  // |b|^2 and |x|^2
  virtual TwoSums SquaredNorms() = 0;
  // x = 0
  virtual void SetToZero() = 0;
  // r = b
  virtual void TakeRightHandSideAsResidual() = 0;
  // r = b - A x
  virtual void ComputeResidual() = 0;
  // x'(b + r) and |r|^2; Q(x) = 1/2 x'Ax - b'x is minus half the first.
  virtual TwoSums Progress() = 0;
  // z = M^-1 r; returns r'z.
  virtual double Precondition() = 0;
  // p = z + beta p; p = z if beta = 0.
  virtual void UpdateDirection(double beta) = 0;
  // q = A p; returns p'q. A may be rounded if rounds().
  virtual double Curvature() = 0;
  // x += alpha p
  virtual void Step(double alpha) = 0;
  // x += alpha p, r -= alpha q; returns Progress().
  virtual TwoSums StepAndProgress(double alpha) = 0;
  virtual bool rounds() const { return false; }
};

// The loop of ConjugateGradients. execution: for the stop signal.
[[nodiscard]] LinearSolverSummary RunConjugateGradients(
    const ConjugateGradientsOptions& options, const Execution& execution,
    ConjugateGradientsIteration* iteration);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_ITERATION_H_
