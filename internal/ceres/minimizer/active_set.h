// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_ACTIVE_SET_H_
#define CERES_INTERNAL_MINIMIZER_ACTIVE_SET_H_

#include <vector>

#include "ceres/linear/linear_solver.h"
#include "ceres/minimizer/collective.h"
#include "ceres/minimizer/state_archive.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The ambient coordinate that a tangent coordinate moves, if it is the only
// one.
struct TangentMotion {
  int coordinate = -1;  // -1: none or several
  double rate = 0.0;    // its derivative by the tangent coordinate
};

// The motions of all tangent coordinates of a column block, whose values are x.
// All are of no single coordinate if the manifold cannot be evaluated.
std::vector<TangentMotion> TangentMotions(const Program& program,
                                          int column_block, const double* x);

// Computes the active set of a problem with bounds, and holds its coordinates
// while a linear solver computes a step.
//
// Let x be the state and g the gradient. A coordinate j is active if x_j is at
// a bound and -g_j points out of the bounds. The step is projected onto the
// bounds, so that an active coordinate does not move. The other coordinates of
// an unconstrained step assume that it moves. Therefore the active coordinates
// are held during the solve: their damping is larger than their columns by
// orders of magnitude.
//
// On a manifold, a tangent coordinate can be held if it moves a single ambient
// coordinate, as the tangent coordinates of SubsetManifold do.
//
// Far from the minimum, the active set at x differs from the active set at the
// minimum, and a step that holds no coordinate can leave bounds that are not
// active at the minimum. The caller can defer holding as long as such steps
// decrease the cost well. Not thread-safe.
//
// D. Bertsekas, Projected Newton Methods for Optimization Problems with Simple
// Constraints, SIAM J. Control Optim. 20, 1982.
class ActiveSet {
 public:
  // `program` and `collective` must outlive this. Each process of `collective`
  // has an ActiveSet of its columns. Hold and IsDescent are collective.
  ActiveSet(const Program& program, Collective* collective)
      : program_(program), collective_(collective) {}

  // After DeferHolding, Hold computes the active set and holds no coordinate.
  void DeferHolding() { is_holding_ = false; }
  void StartHolding() { is_holding_ = true; }

  // x: num_state() values. gradient, squared_column_norms: num_delta() values,
  // evaluated at x. If a coordinate is held, replaces the arrays `damping` and
  // `column_scale` of `options`, which must not be null, by arrays that are
  // valid until the next call.
  void Hold(const double* x, const double* gradient,
            const double* squared_column_norms,
            LinearSolver::SolveOptions* options);

  // The columns that the last call of Hold held, in ascending order.
  const std::vector<int>& held() const { return held_; }

  // Whether the last call of Hold found active coordinates and held none.
  bool is_deferred() const { return !is_holding_ && has_active_; }

  // Whether the cost decreases along the projected path Project(Plus(x, a
  // step)) for small a > 0. The active coordinates of the last call of Hold do
  // not move if the step takes them out of the bounds.
  bool IsDescent(const double* gradient, const double* step) const;

  // The active set itself is found again by Hold.
  void TransferState(StateArchive* archive) { archive->Value(&is_holding_); }

 private:
  void FindActive(const double* x, const double* gradient,
                  const double* squared_column_norms);

  const Program& program_;
  Collective* const collective_;
  bool is_holding_ = true;
  bool has_active_ = false;  // on any process
  std::vector<int> active_;
  std::vector<int> held_;
  std::vector<double> damping_;
  std::vector<double> column_scale_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_ACTIVE_SET_H_
