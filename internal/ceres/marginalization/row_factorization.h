// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_ROW_FACTORIZATION_H_
#define CERES_INTERNAL_MARGINALIZATION_ROW_FACTORIZATION_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/internal/eigen.h"

namespace ceres::internal {

// The orthogonal factorization of some columns of a dense matrix, by blocks of
// Householder reflections with column pivoting:
//
// clang-format off
//
//     Q' [A B] = [ R  S  U ]  rank rows       [R S] P' = the first rows of Q'A
//                [ 0  T  V ]                  |t| <= tolerance for columns of T
//
// clang-format on
//
// A pivot is at least a tenth of the norm of every column that is left, and so
// reveals the rank about as well as the largest one does. The choice leaves
// room for blocks: most arithmetic is in products of matrices. The first
// columns whose norms are large enough form a block; a column that turns out to
// depend on the block waits for a later one (Bischof and Quintana-Orti,
// "Computing Rank-Revealing QR Factorizations of Dense Matrices", ACM
// Transactions on Mathematical Software 24, 1998). Rows are left out as long as
// they are zero in all columns of the blocks: put columns with few rows first.
//
// Products are cut by columns, at places that do not depend on the number of
// threads. Each piece writes its own columns and reads those of the block. So
// results have the same bits for every number of threads.
struct RowFactorization {
  int rank = 0;
  // By column of [R S]: the column of A. The matrix has its columns in this
  // order, then those of B. Rows may be exchanged.
  std::vector<int> order;
  // The least and the largest diagonal element of R, by magnitude. 0: no rank.
  double least_pivot = 0.0;
  double largest_pivot = 0.0;
};

// Overwrites the matrix [A B], whose first num_candidates columns are A, by
// Q'[A B]. BLAS must be single-threaded (linear/single_threaded_blas.h).
RowFactorization FactorizeRows(const Execution& execution, int num_candidates,
                               double tolerance, ColMajorMatrix* rows);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_ROW_FACTORIZATION_H_
