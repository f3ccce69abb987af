// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_SMALL_SINGULAR_VALUES_H_
#define CERES_INTERNAL_DIAGNOSIS_SMALL_SINGULAR_VALUES_H_

#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/diagnosis/tall_matrices.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// A direction of one column block: one entry for each of its columns.
struct LocalDirection {
  int column_block;
  Eigen::VectorXd vector;
};

// The directions of single column blocks that a matrix does not notice.
struct LocalDirections {
  // The columns that are zero.
  std::vector<LocalDirection> zero_columns;
  // The others, orthonormal. There may be many.
  std::vector<LocalDirection> others;
};
LocalDirections FindLocalDirections(const Execution& execution,
                                    const BlockJacobian& jacobian,
                                    const CellsByColumn& cells);

// The singular values of a matrix below a bound, and an orthonormal basis of
// the right singular vectors that belong to them.
struct SmallSingularValues {
  // Ascending. The largest one is above the bound, unless all singular values
  // of the matrix are listed or `is_complete` is false: it shows the gap.
  std::vector<double> values;
  // One column for each of the values.
  Eigen::MatrixXd vectors;
  // The largest singular value: a lower bound that is close to it.
  double largest = 0.0;
  // False: there are more singular values below the bound than were looked for.
  bool is_complete = true;
};

// Matrices with at most this number of columns are treated as dense.
inline constexpr int kMaxDenseColumns = 200;

// Computes the singular values of J that are at most bound * largest, by a QR
// factorization, some rows at a time, and one-sided Jacobi iteration on R. The
// columns of J have norm 1, or are zero. Zero columns are left out: vectors are
// zero there. The residuals in the row blocks are ignored. Throws Stopped.
SmallSingularValues FindSmallDense(const Execution& execution,
                                   const BlockJacobian& jacobian, double bound);

// Orthonormal vectors, and what J maps them to.
struct KnownVectors {
  RowMajorMatrix vectors;
  RowMajorMatrix products;
};

// The same for large matrices, of vectors that are orthogonal to `local` and to
// `known`, which J maps to zero or nearly so. Ritz values of `known` are in the
// result.
//
// Method: subspace iteration with the inverse of A = J'J + s I, in the form
//
//     V <- orthonormal basis of V - A^-1 J'(J V)
//
// which equals s A^-1 V. The residual J V is computed from J. So the error of a
// vector along singular vectors of large singular values is of the order of eps
// although J'J has squared the condition number, and |J v| tells singular
// values down to some eps apart. Ritz values are the singular values of J V.
// Local directions are held by one more row each. The number of vectors doubles
// until a Ritz value is above the bound.
//
// Sources: Golub and Van Loan, Matrix Computations, 8.2 and 8.6; Bjorck,
// Numerical Methods for Least Squares Problems, 2.9 (corrected seminormal
// equations).
//
// Throws Stopped if execution.stop says so. The bits do not depend on the
// number of threads. Returns false, with a message, if the factorization of A
// fails for lack of memory.
[[nodiscard]] bool FindSmallSparse(const Execution& execution,
                                   const BlockJacobian& jacobian,
                                   const CellsByColumn& cells, double bound,
                                   const LocalDirections& local,
                                   const KnownVectors& known,
                                   SmallSingularValues* result,
                                   std::string* message);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SMALL_SINGULAR_VALUES_H_
