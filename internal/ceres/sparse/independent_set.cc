// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/independent_set.h"

#include <algorithm>
#include <numeric>

namespace ceres::internal {
namespace {

// The rows that touch each column.
struct ColumnRows {
  std::vector<int> first_row;
  std::vector<int> rows;
};

ColumnRows Transpose(const ColumnGraph& graph) {
  ColumnRows result;
  result.first_row.assign(graph.num_columns + 1, 0);
  const int num_entries = graph.first_column[graph.num_rows];
  for (int k = 0; k < num_entries; ++k) {
    ++result.first_row[graph.columns[k] + 1];
  }
  std::partial_sum(result.first_row.begin(), result.first_row.end(),
                   result.first_row.begin());
  result.rows.resize(num_entries);
  std::vector<int> next(result.first_row.begin(), result.first_row.end() - 1);
  for (int row = 0; row < graph.num_rows; ++row) {
    for (int k = graph.first_column[row]; k < graph.first_column[row + 1];
         ++k) {
      result.rows[next[graph.columns[k]]++] = row;
    }
  }
  return result;
}

// Calls visit for each neighbour of the column, once per shared row, and for
// the column itself.
template <typename Visit>
void VisitNeighbours(const ColumnGraph& graph, const ColumnRows& transpose,
                     int column, Visit&& visit) {
  for (int r = transpose.first_row[column]; r < transpose.first_row[column + 1];
       ++r) {
    const int row = transpose.rows[r];
    for (int k = graph.first_column[row]; k < graph.first_column[row + 1];
         ++k) {
      visit(graph.columns[k]);
    }
  }
}

// Number of neighbours of each column, itself included.
std::vector<int> Degrees(const ColumnGraph& graph,
                         const ColumnRows& transpose) {
  std::vector<int> degree(graph.num_columns, 0);
  std::vector<int> seen_by(graph.num_columns, -1);
  for (int column = 0; column < graph.num_columns; ++column) {
    VisitNeighbours(graph, transpose, column, [&](int neighbour) {
      if (seen_by[neighbour] != column) {
        seen_by[neighbour] = column;
        ++degree[column];
      }
    });
  }
  return degree;
}

// The columns by ascending degree, ties by index: a counting sort.
std::vector<int> SortByDegree(const std::vector<int>& degree) {
  const int max_degree =
      degree.empty() ? 0 : *std::max_element(degree.begin(), degree.end());
  std::vector<int> next(max_degree + 2, 0);
  for (const int d : degree) {
    ++next[d + 1];
  }
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<int> order(degree.size());
  for (size_t column = 0; column < degree.size(); ++column) {
    order[next[degree[column]]++] = static_cast<int>(column);
  }
  return order;
}

}  // namespace

std::vector<int> MaximalIndependentSet(const ColumnGraph& graph) {
  const ColumnRows transpose = Transpose(graph);
  std::vector<bool> excluded(graph.num_columns, false);
  std::vector<int> result;
  for (const int column : SortByDegree(Degrees(graph, transpose))) {
    if (!excluded[column]) {
      result.push_back(column);
      VisitNeighbours(graph, transpose, column,
                      [&](int neighbour) { excluded[neighbour] = true; });
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

bool IsIndependentSet(const ColumnGraph& graph, const std::vector<bool>& in_set,
                      int* conflict_row) {
  for (int row = 0; row < graph.num_rows; ++row) {
    int num_in_set = 0;
    for (int k = graph.first_column[row]; k < graph.first_column[row + 1];
         ++k) {
      num_in_set += in_set[graph.columns[k]] ? 1 : 0;
    }
    if (num_in_set > 1) {
      if (conflict_row != nullptr) {
        *conflict_row = row;
      }
      return false;
    }
  }
  return true;
}

}  // namespace ceres::internal
