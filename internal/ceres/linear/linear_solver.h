// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_LINEAR_SOLVER_H_
#define CERES_INTERNAL_LINEAR_LINEAR_SOLVER_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/types.h"

namespace ceres::internal {

// The result of a linear solve.
enum class LinearSolverTermination {
  kSuccess,        // the step is exact, or as accurate as the options ask for
  kNoConvergence,  // the limit of iterations is reached; the step is usable
  kFailure,        // numerical failure (for example not positive definite): a
                   // smaller trust region may help
  kFatalError,     // no trust region helps (out of memory, an unusable
                   // structure): the minimizer stops
};

struct LinearSolverSummary {
  LinearSolverTermination termination = LinearSolverTermination::kFailure;
  int num_iterations = 0;  // of an iterative solver; 1 for a direct one
  // 1/2 |r|^2 - 1/2 |J step + r|^2, see ModelCostChange.
  double model_cost_change = 0.0;
  std::string message;  // of a failure, whole sentences; else empty
};

// Finds the Levenberg-Marquardt step
//
//     step = argmin  1/2 |J step + r|^2 + 1/2 |D step|^2,
//
// for J and r in the row blocks of a BlockJacobian, and a diagonal D >= 0. The
// structure is fixed at construction: orderings, destinations and patterns of
// factors are computed once and used by every Solve. A Solve uses at most
// execution.num_threads threads, BLAS included; its bits do not depend on their
// number. Not thread-safe.
class LinearSolver {
 public:
  struct SolveOptions {
    const double* damping = nullptr;  // D, num_columns values, or null
    // Jacobi scaling s > 0, num_columns values, or null: ones. An exact step
    // does not depend on it. An iterative solver without preconditioner
    // (IDENTITY) works in the scaled variables x / s.
    const double* column_scale = nullptr;
    // Iterative solvers stop in iteration i if the relative progress of the
    // quadratic model, i (Q_i - Q_{i-1}) / Q_i, is below q_tolerance (Nash and
    // Sofer, Operations Research Letters 9, 1990), or if
    // |residual| <= r_tolerance |rhs| (negative: never).
    double q_tolerance = 0.0;
    double r_tolerance = -1.0;
    // Checked by iterative solvers and long factorizations. max(): none.
    std::chrono::steady_clock::time_point deadline =
        std::chrono::steady_clock::time_point::max();
  };

  virtual ~LinearSolver() = default;
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;

  // jacobian.structure: that of the construction. step: num_columns values,
  // unspecified after a failure. Throws std::bad_alloc, and Stopped if
  // execution.stop asks for it.
  [[nodiscard]] virtual LinearSolverSummary Solve(const BlockJacobian& jacobian,
                                                  const SolveOptions& options,
                                                  double* step) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_LINEAR_SOLVER_H_
