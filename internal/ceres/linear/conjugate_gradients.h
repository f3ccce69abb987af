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
  // The same for a symmetric matrix so close to A that x'Ax is the same to a
  // hundredth, for every x, where that takes less time.
  virtual void ApplyRounded(const double* x, double* y) const { Apply(x, y); }
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
//
// A search that may end at a tolerance of kLeastRoundedTolerance or more finds
// its way by A rounded (ApplyRounded): directions, and how far to go along
// each. Where it has come to is measured by A itself: the residual is computed
// afresh every residual_reset_period iterations, and before a search ends
// because it is small. (Residual replacement: van der Vorst and Ye, SIAM J.
// Sci. Comput. 22, 2000.)
inline constexpr double kLeastRoundedTolerance = 1e-4;
struct ConjugateGradientsScratch {
  AlignedBuffer buffer;
};
[[nodiscard]] LinearSolverSummary ConjugateGradients(
    const ConjugateGradientsOptions& options, const Execution& execution,
    const LinearOperator& a, const LinearOperator* preconditioner,
    const double* b, double* x, ConjugateGradientsScratch* scratch);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_CONJUGATE_GRADIENTS_H_
