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
  // `negligible` are zero.
  Eigen::MatrixXd vectors;
  // The row in which vector k has its pivot and the others are 0.
  std::vector<int> pivot;
};

// Column echelon form by Gauss-Jordan elimination with complete pivoting.
// `space` has full column rank. Every vector is elementary: no vector of the
// space has its entries in fewer of the same rows (Rockafellar, Convex
// Analysis, section 22). So directions that have no row in common do not mix.
//
// The coefficients of a vector of the space are its entries in the pivot rows,
// divided by those of the basis.
SparseBasis MakeSparseBasis(const Eigen::MatrixXd& space,
                            double negligible = 1e-7);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SPARSE_BASIS_H_
