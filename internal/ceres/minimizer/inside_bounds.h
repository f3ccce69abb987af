// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_INSIDE_BOUNDS_H_
#define CERES_INTERNAL_MINIMIZER_INSIDE_BOUNDS_H_

#include "ceres/problem/program.h"

namespace ceres::internal {

// Steps that bounds stop, and points within the bounds for functions that
// cannot be evaluated, or have no derivative, at a bound. States have
// program.num_state() coordinates.

// Shortens the tangent coordinates of `step` that a bound has stopped to the
// way to the bound. `reached` is Plus(x, step), projected onto the bounds. On a
// manifold, shortens a tangent coordinate if it moves one coordinate alone.
// Returns whether one was shortened.
bool ClipToBounds(const Program& program, const double* x,
                  const double* reached, double* step);

// Moves the coordinates of `candidate` that are at a bound, and that differ
// from those of x, towards x: `part` of the way from x remains. Returns whether
// a coordinate has moved.
//
// If each step keeps `part` of its way to a bound, the distance to the bound
// shrinks by the factor 1 - part in each iteration. T. Coleman and Y. Li, An
// Interior Trust Region Approach for Nonlinear Minimization Subject to Bounds,
// SIAM J. Optim. 6, 1996, keep all points strictly within the bounds in this
// way.
bool StayNearBounds(const Program& program, double part, const double* x,
                    double* candidate);

// Moves the coordinates of `state` that are at a bound off the bound, by
// `fraction` of the smallest of: the distance of the two bounds; the absolute
// value of the bound, or 1 if the bound is 0. On a manifold, moves a coordinate
// if a tangent coordinate moves it alone. Returns whether a coordinate has
// moved: bounds may be so near to each other that none can.
bool MoveInsideBounds(const Program& program, double fraction, double* state);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_INSIDE_BOUNDS_H_
