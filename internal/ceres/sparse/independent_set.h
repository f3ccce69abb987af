// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INDEPENDENT_SET_H_
#define CERES_INTERNAL_SPARSE_INDEPENDENT_SET_H_

#include <vector>

namespace ceres::internal {

// The block structure of a Jacobian as a hypergraph: row i is a hyperedge of
// the columns columns[first_column[i] .. first_column[i + 1]), each once. Two
// columns are neighbours if a row has both.
struct ColumnGraph {
  // Vector: any vector of int. The vectors must outlive the graph.
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

// A maximal independent set of columns, ascending: a Schur complement can
// eliminate it block by block. Greedy, by ascending number of neighbours, then
// by index (the order of Li and Saad, MIQR, SIAM J. Matrix Anal. Appl. 28,
// 2006, section 3.2). In bundle adjustment the set is the points. Time is
// linear in the sum of squared row lengths.
std::vector<int> MaximalIndependentSet(const ColumnGraph& graph);

// Whether no row has two columns c with in_set[c]. If a row has, conflict_row
// (may be null) is the first of them.
bool IsIndependentSet(const ColumnGraph& graph, const std::vector<bool>& in_set,
                      int* conflict_row);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INDEPENDENT_SET_H_
