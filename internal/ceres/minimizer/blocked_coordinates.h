// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_BLOCKED_COORDINATES_H_
#define CERES_INTERNAL_MINIMIZER_BLOCKED_COORDINATES_H_

#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// A coordinate at a bound that the gradient pushes against cannot move. Left in
// the step it would spoil it for the others, because the projection cuts off
// what the model promises: steps are refused, and the search may end at a point
// that is no minimum. So such coordinates are held while the step is computed
// (D. Bertsekas, Projected Newton Methods for Optimization Problems with Simple
// Constraints, SIAM J. Control Optim. 20, 1982), by a damping that dwarfs their
// columns. On a manifold this goes for tangent coordinates that move a single
// ambient one, as those of SubsetManifold do.
class BlockedCoordinates {
 public:
  // `program` must outlive this.
  explicit BlockedCoordinates(const Program& program) : program_(program) {}

  // x: the state; gradient and squared_column_norms at x, num_delta() values
  // each. Replaces damping and column_scale of `options`, both given, by
  // arrays that are valid until the next call.
  void Hold(const double* x, const double* gradient,
            const double* squared_column_norms,
            LinearSolver::SolveOptions* options);

  // The columns that the last call of Hold held, ascending.
  const std::vector<int>& held() const { return held_; }

 private:
  const Program& program_;
  std::vector<int> held_;
  std::vector<double> damping_;
  std::vector<double> column_scale_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_BLOCKED_COORDINATES_H_
