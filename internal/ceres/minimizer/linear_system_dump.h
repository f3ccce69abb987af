// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINEAR_SYSTEM_DUMP_H_
#define CERES_INTERNAL_MINIMIZER_LINEAR_SYSTEM_DUMP_H_

#include <string>
#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// A linear solver that delegates to another solver, and dumps the linear
// systems of the iterations in trust_region_minimizer_iterations_to_dump:
//
//     x = argmin |A x - b|^2 + |D x|^2
//
//   A   the Jacobian, after loss functions and manifolds, with its columns in
//       elimination order
//   b   minus the residuals
//   D   the diagonal damping; 0 without damping
//   x   the computed step; NaN if the solve failed
//
// If an iteration solves several systems (DOGLEG with growing damping), the
// dump holds the last system. An iteration that reuses a factorization has no
// dump.
//
// TEXTFILE: directory/ceres_solver_iteration_III_{A,D,b,x}.txt. A line of A is
// "row column value" for an entry of a cell, counted from 0. A line of a vector
// is a value. Numbers have as many digits as identify the double. The function
// ceres_solver_iteration_III.m loads the files in Octave and MATLAB.
// CONSOLE: dense matrices, to stderr.
//
// If a file cannot be written, no file of the dump remains, and Solve returns
// kFatalError with a message that names the path and the reason. Not
// thread-safe.
class LinearSystemDump final : public LinearSolver {
 public:
  // Owns nothing. The arguments must outlive the dump.
  LinearSystemDump(const MinimizerOptions& options, LinearSolver* solver);

  void set_iteration(int iteration) { iteration_ = iteration; }

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options, double* step) override;

 private:
  bool IsWanted() const;

  const MinimizerOptions& options_;
  LinearSolver* solver_;
  int iteration_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINEAR_SYSTEM_DUMP_H_
