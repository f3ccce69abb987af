// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_CRS_MATRIX_H_
#define CERES_PUBLIC_CRS_MATRIX_H_

#include <vector>

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres {

// A sparse matrix in compressed row storage: row i holds the entries
// rows[i] <= k < rows[i + 1], with column cols[k] and value values[k].
//
//   [0  10  0]        rows   = {0, 1, 3}
//   [5   0  7]        cols   = {1, 0, 2}
//                     values = {10, 5, 7}
struct CERES_EXPORT CRSMatrix {
  CRSMatrix() = default;

  // The size of the matrix.
  int num_rows = 0;
  int num_cols = 0;

  // The column of each entry, from 0.
  std::vector<int> cols;

  // num_rows + 1 offsets into cols and values.
  std::vector<int> rows;

  // The value of each entry.
  std::vector<double> values;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_CRS_MATRIX_H_
