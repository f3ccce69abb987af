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

// How one linear solve ended.
enum class LinearSolverTermination {
  kSuccess,        // the step is exact, or as accurate as was asked for
  kNoConvergence,  // an iterative solver ran out of iterations; the step is
                   // usable
  kFailure,     // numerical failure (for example not positive definite): try a
                // smaller trust region
  kFatalError,  // no trust region will help (out of memory, an unusable
                // structure): stop the minimizer
};

struct LinearSolverSummary {
  LinearSolverTermination termination = LinearSolverTermination::kFailure;
  int num_iterations = 0;  // of an iterative solver; 1 for a direct one
  double model_cost_change =
      0.0;  // 1/2 |r|^2 - 1/2 |J step + r|^2, see ModelCostChange
  std::string
      message;  // why it failed; empty on success (nothing is formatted then)
};

// Finds the Levenberg-Marquardt step
//
//     step = argmin  1/2 |J step + r|^2 + 1/2 |D step|^2,
//
// J and r being the row blocks of a BlockJacobian and D a non-negative diagonal
// (null: none). The structure is fixed at construction: symbolic work
// (orderings, destinations, factor patterns) is done once and reused by every
// Solve. Not thread-safe; a Solve uses at most execution.num_threads threads,
// BLAS included, and its bits do not depend on them.
class LinearSolver {
 public:
  struct SolveOptions {
    const double* damping = nullptr;  // D, num_columns values, or null
    // Jacobi scaling s > 0 (num_columns values, or null: ones). The step does
    // not depend on it when the solve is exact. An iterative solver without
    // preconditioner (IDENTITY) works in the scaled variables x / s, as its
    // users expect.
    const double* column_scale = nullptr;
    // Iterative solvers stop when the quadratic model's relative progress i
    // (Q_i - Q_{i-1}) / Q_i drops below q_tolerance (Nash and Sofer, 1990), or
    // when |residual| <= r_tolerance |rhs| (negative: never).
    double q_tolerance = 0.0;
    double r_tolerance = -1.0;
    // Iterative solvers and long factorizations look at it now and then; max()
    // means never.
    std::chrono::steady_clock::time_point deadline =
        std::chrono::steady_clock::time_point::max();
  };

  virtual ~LinearSolver() = default;
  LinearSolver() = default;
  LinearSolver(const LinearSolver&) = delete;
  LinearSolver& operator=(const LinearSolver&) = delete;

  // `jacobian.structure` is the one given at construction. `step` has
  // num_columns values; what it holds after a failure is unspecified.
  // Exceptions: std::bad_alloc, and Stopped if execution.stop says so.
  [[nodiscard]] virtual LinearSolverSummary Solve(const BlockJacobian& jacobian,
                                                  const SolveOptions& options,
                                                  double* step) = 0;

  // Memory that holds nothing between one Solve and the next, for others to use
  // in that time: `size` doubles on a cache line, from construction on.
  struct IdleMemory {
    double* data = nullptr;
    int64_t size = 0;
  };
  virtual IdleMemory MemoryBetweenSolves() { return {}; }
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_LINEAR_SOLVER_H_
