// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINEAR_SYSTEM_DUMP_H_
#define CERES_INTERNAL_MINIMIZER_LINEAR_SYSTEM_DUMP_H_

#include <string>
#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/minimizer_options.h"

namespace ceres::internal {

// A linear solver that lets another one solve, and dumps the systems of the
// iterations in MinimizerOptions::trust_region_minimizer_iterations_to_dump:
//
//     x = argmin |A x - b|^2 + |D x|^2
//
// with A = J and b = -r after loss functions and manifolds, columns in the
// order in which they are eliminated, D diagonal (0: no damping), and x the
// step as it was solved for, NaN where the solve failed. An iteration that
// solves again (DOGLEG, more damping) keeps its last system; one that reuses a
// factorization dumps nothing.
//
// TEXTFILE: directory/ceres_solver_iteration_III_{A,D,b,x}.txt. A: a line "row
// column value" for each entry of a cell, counted from 0; the vectors: a value
// a line; every value with 17 digits, which give back the same double. Beside
// them ceres_solver_iteration_III.m, a function for Octave and MATLAB that
// loads them. CONSOLE: the same as dense matrices, to stderr.
//
// What cannot be written whole is not left behind, and the solve ends with
// kFatalError and a message that names the path and the reason.
class LinearSystemDump final : public LinearSolver {
 public:
  // Nothing is owned; everything outlives the dump.
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
