// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_
#define CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_

#include <chrono>

#include "ceres/linear/linear_solver.h"

namespace ceres::internal {

// A symmetric positive (semi)definite linear operator: y = A x, overwriting y.
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual void Apply(const double* x, double* y) const = 0;
  virtual int size() const = 0;
};

struct ConjugateGradientsOptions {
  int min_iterations = 0;
  int max_iterations = 500;
  double q_tolerance = 0.0;  // see LinearSolver::SolveOptions
  double r_tolerance = -1.0;
  int residual_reset_period =
      10;  // recompute r = b - A x every so many iterations
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
};

// Preconditioned conjugate gradients for A x = b, from the x given (in and
// out). `preconditioner` applies an approximation of A^-1 (null: identity).
// `scratch` is resized on first use and then reused.
struct ConjugateGradientsScratch {
  AlignedBuffer buffer;
};
[[nodiscard]] LinearSolverSummary ConjugateGradients(
    const ConjugateGradientsOptions& options, const Execution& execution,
    const LinearOperator& a, const LinearOperator* preconditioner,
    const double* b, double* x, ConjugateGradientsScratch* scratch);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_
