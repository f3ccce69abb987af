// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_ACTIVE_SET_H_
#define CERES_INTERNAL_MINIMIZER_ACTIVE_SET_H_

#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The active set of a problem with bounds, as the linear solver sees it.
//
// A coordinate j is active at x if it is at a bound and -g_j points out of the
// bounds, g being the gradient. The step is projected on the bounds, so that a
// active coordinate does not move, while the other coordinates of the step
// rely on its motion. Therefore active set are held while the step is
// computed (D. Bertsekas, Projected Newton Methods for Optimization Problems
// with Simple Constraints, SIAM J. Control Optim. 20, 1982): their damping is
// far larger than their columns. On a manifold only tangent coordinates that
// move a single ambient coordinate are held, as those of SubsetManifold do.
//
// Far from the minimum the active set are a poor guess of the active
// set there, and a step that holds nothing may lead them away from their
// bounds. The caller can defer the holding for as long as such steps decrease
// the cost well.
class ActiveSet {
 public:
  // `program` must outlive this.
  explicit ActiveSet(const Program& program) : program_(program) {}

  // From here on Hold finds the active set, but holds none.
  void DeferHolding() { is_holding_ = false; }
  void StartHolding() { is_holding_ = true; }

  // x: the state; gradient and squared_column_norms at x, num_delta() values
  // each. If a coordinate is to be held, replaces damping and column_scale of
  // `options`, both given, by arrays that are valid until the next call.
  void Hold(const double* x, const double* gradient,
            const double* squared_column_norms,
            LinearSolver::SolveOptions* options);

  // The columns that the last call of Hold held, ascending.
  const std::vector<int>& held() const { return held_; }

  // Whether the last call of Hold found active set that it did not
  // hold.
  bool is_deferred() const { return !is_holding_ && !active_.empty(); }

  // Whether the cost decreases along the projected path Project(Plus(x, a
  // step)), a > 0 small. The coordinates that the last call of Hold found
  // active are those that may stay behind.
  bool IsDescent(const double* gradient, const double* step) const;

 private:
  void FindActive(const double* x, const double* gradient,
                  const double* squared_column_norms);

  const Program& program_;
  bool is_holding_ = true;
  std::vector<int> active_;
  std::vector<int> held_;
  std::vector<double> damping_;
  std::vector<double> column_scale_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_ACTIVE_SET_H_
