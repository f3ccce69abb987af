// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_SPARSE_BASIS_H_
#define CERES_INTERNAL_DIAGNOSIS_SPARSE_BASIS_H_

#include <vector>

#include "Eigen/Core"

namespace ceres::internal {

// A basis of the column space of a matrix whose vectors have few entries.
struct SparseBasis {
  // One column for each vector; its largest entry is 1. Entries below
  // kNegligibleEntry times the largest are zero.
  Eigen::MatrixXd vectors;
  // The row in which vector k is 1 and the others are 0.
  std::vector<int> pivot;
};

inline constexpr double kNegligibleEntry = 1e-7;

// Column echelon form by Gauss-Jordan elimination with complete pivoting.
// `space` has full column rank. A vector of the column space is the combination
// of the basis whose coefficients are its entries in the pivot rows.
//
// A part of the space that is supported on few rows gets vectors on those rows
// only, if no other vector needs them: rows that fewer vectors touch are
// eliminated first.
SparseBasis MakeSparseBasis(const Eigen::MatrixXd& space);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SPARSE_BASIS_H_
