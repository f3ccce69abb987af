// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_CGNR_SOLVER_H_
#define CERES_INTERNAL_NORMAL_CGNR_SOLVER_H_

#include <memory>
#include <string>

#include "ceres/linear/conjugate_gradients.h"
#include "ceres/linear/linear_solver.h"
#include "ceres/types.h"

namespace ceres::internal {

// An approximation of (J'J + D'D)^-1, symmetric and positive definite. Apply is
// not thread-safe. NormalDiagonal (normal_operator.h) computes the diagonal
// blocks of J'J + D'D; NormalEquations (normal_equations.h) forms J'J.
class NormalPreconditioner : public LinearOperator {
 public:
  // Reads J and D (or null). On failure, `message` names the block and the
  // reason.
  [[nodiscard]] virtual LinearSolverTermination Update(
      const BlockJacobian& jacobian, const double* damping,
      std::string* message) = 0;
};

struct CgnrOptions {
  // IDENTITY or JACOBI (block diagonal of J'J + D'D).
  PreconditionerType preconditioner = JACOBI;
  int min_iterations = 0;
  int max_iterations = 500;
};
// Creates CGNR: preconditioned conjugate gradients on (J'J + D'D) x = -J'r,
// where J'J is not formed (Saad, Iterative Methods for Sparse Linear Systems,
// 2nd edition, 8.3). preconditioner: replaces options.preconditioner unless
// null. `structure` must outlive the solver.
std::unique_ptr<LinearSolver> CreateCgnrSolver(
    const CgnrOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure,
    std::unique_ptr<NormalPreconditioner> preconditioner = nullptr);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_CGNR_SOLVER_H_
