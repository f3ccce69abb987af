// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_ORDERING_H_
#define CERES_INTERNAL_SPARSE_ORDERING_H_

#include <vector>

namespace ceres::internal {

// The block structure of a Jacobian as a hypergraph: row i touches the columns
// columns[first_column[i] .. first_column[i + 1]), each once. Two columns are
// neighbours when a row touches both.
struct ColumnGraph {
  // Any vectors of int, which must outlive it.
  template <typename Vector>
  ColumnGraph(int num_columns, const Vector& first_column,
              const Vector& columns)
      : num_columns(num_columns),
        num_rows(static_cast<int>(first_column.size()) - 1),
        first_column(first_column.data()),
        columns(columns.data()) {}

  int num_columns;
  int num_rows;
  const int* first_column;
  const int* columns;
};

// A maximal set of columns of which no two are neighbours, in ascending order:
// what a Schur complement can eliminate block by block. Greedy by ascending
// number of neighbours, ties by index, which on bundle adjustment takes the
// points (Li and Saad, MIQR, SIAM J. Matrix Anal. Appl. 28, 2006, section 3.2,
// use the same order). Time linear in the sum of squares of row lengths.
std::vector<int> MaximalIndependentSet(const ColumnGraph& graph);

// Whether no row touches two of the columns c with in_set[c]. If not,
// `conflict_row` (may be null) is the first row that does.
bool IsIndependentSet(const ColumnGraph& graph, const std::vector<bool>& in_set,
                      int* conflict_row);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_ORDERING_H_
