// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_EIGEN_H_
#define CERES_PUBLIC_INTERNAL_EIGEN_H_

// Short names for the Eigen types of the public API. Matrices are row-major
// unless the name says otherwise.

#include "Eigen/Core"
#include "ceres/parallel/detail/language.h"

namespace ceres {

using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1>;
using Matrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using VectorRef = Eigen::Map<Vector>;
using MatrixRef = Eigen::Map<Matrix>;
using ConstVectorRef = Eigen::Map<const Vector>;
using ConstMatrixRef = Eigen::Map<const Matrix>;

// Column-major matrices; the maps take the distance between two columns.
using ColMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using ColMajorMatrixRef =
    Eigen::Map<ColMajorMatrix, 0, Eigen::Stride<Eigen::Dynamic, 1>>;
using ConstColMajorMatrixRef =
    Eigen::Map<const ColMajorMatrix, 0, Eigen::Stride<Eigen::Dynamic, 1>>;

// The same with sizes known at compile time. Eigen insists on column-major
// order for a matrix of one column.
template <int num_rows = Eigen::Dynamic, int num_cols = Eigen::Dynamic>
struct EigenTypes {
  using Matrix =
      Eigen::Matrix<double, num_rows, num_cols,
                    num_cols == 1 ? Eigen::ColMajor : Eigen::RowMajor>;
  using MatrixRef = Eigen::Map<Matrix>;
  using ConstMatrixRef = Eigen::Map<const Matrix>;
  using Vector = Eigen::Matrix<double, num_rows, 1>;
  using VectorRef = Eigen::Map<Eigen::Matrix<double, num_rows, 1>>;
  using ConstVectorRef = Eigen::Map<const Eigen::Matrix<double, num_rows, 1>>;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_INTERNAL_EIGEN_H_
