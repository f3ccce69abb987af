// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_DENSE_ELIMINATION_H_
#define CERES_INTERNAL_MARGINALIZATION_DENSE_ELIMINATION_H_

#include "ceres/execution/execution.h"
#include "ceres/internal/eigen.h"

namespace ceres::internal {

// Elimination of the first columns of a dense least-squares problem
// 1/2 |J_M x_M + J_N x_N + r|^2. The problem is given by its rows
// [J_M J_N r], or by H = [J_M J_N r]'[J_M J_N r]. Columns have norms of about
// one, so that pivots are compared with `tolerance` itself.
//
// Let J_M have rank k. Orthogonal transformations give
//
// clang-format off
//
//          [ R  S  U | d ]   k rows
//     Q' = [ 0  0  T | e ]                 [R S] P' = Q' J_M
//
// clang-format on
//
// The first rows can be made zero by the choice of x_M, for every x_N. So the
// minimum over x_M is 1/2 |T x_N + e|^2. In terms of H it is the Schur
// complement H_NN - H_NM H_MM^+ H_MN, with the pseudo-inverse of H_MM, whose
// eigenvalues are the squares of singular values.

// What remains: rows [T e], at most twice as many as columns, or a symmetric
// matrix. And the rank k.
struct Remainder {
  ColMajorMatrix values;
  int rank = 0;
};
Remainder EliminateFromRows(const Execution& execution, ColMajorMatrix rows,
                            int num_pivots, double tolerance);
// The same rows in two parts: the first at most num_pivots ones, and as
// `remainder` the others, which are zero in the first columns.
struct SplitRows {
  ColMajorMatrix first;
  Remainder remainder;
};
SplitRows SplitByPivots(const Execution& execution, ColMajorMatrix rows,
                        int num_pivots);
Remainder EliminateFromNormal(const ColMajorMatrix& h, int num_pivots,
                              double tolerance);

// [A b] with as many rows as A has rank, |A x + b|^2 + 2 least_cost = |J x +
// r|^2 for all x, and the ratio of the largest to the smallest pivot (0: no
// rank).
struct SquareRoot {
  ColMajorMatrix a;
  Vector b;
  double least_cost = 0.0;
  double condition_number = 0.0;
  int rank() const { return static_cast<int>(b.size()); }
};
SquareRoot RootOfRows(const Execution& execution, ColMajorMatrix rows,
                      double tolerance);
SquareRoot RootOfNormal(const ColMajorMatrix& h, double tolerance);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_DENSE_ELIMINATION_H_
