// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/eliminated_columns.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/solver/solver_tuning.h"

namespace ceres::internal {
namespace {

// The rows of each eliminated column c, in the problem's order: rows[first[c]]
// to rows[first[c + 1] - 1]. The rows of column num_columns have no
// eliminated column.
struct RowsByColumn {
  std::vector<int> first;  // num_columns + 2 values
  PagedVector<int> rows;
};

// A stable counting sort. Threads count and place parts of the rows.
RowsByColumn SortRows(const Execution& execution,
                      const PagedVector<int>& eliminated_of_row,
                      int num_columns) {
  const auto num_rows = static_cast<int>(eliminated_of_row.size());
  const int num_parts =
      execution.IsSerial()
          ? 1
          : std::clamp(num_rows / std::max(kMinRowsOfSortPart, num_columns), 1,
                       std::min(execution.num_threads, kMaxSortParts));
  const auto part_begin = [&](int part) {
    return static_cast<int>(int64_t{num_rows} * part / num_parts);
  };
  // By part and column: first the number of rows, then the next row's place.
  const size_t num_keys = size_t(num_columns) + 1;
  std::vector<int> places(num_keys * num_parts, 0);
  ParallelFor(execution, 0, num_parts, [&](int part) {
    int* const count = places.data() + num_keys * part;
    for (int row = part_begin(part); row < part_begin(part + 1); ++row) {
      ++count[eliminated_of_row[row]];
    }
  });
  RowsByColumn result;
  result.first.resize(num_keys + 1);
  int num_placed = 0;
  for (size_t key = 0; key < num_keys; ++key) {
    result.first[key] = num_placed;
    for (int part = 0; part < num_parts; ++part) {
      num_placed += std::exchange(places[num_keys * part + key], num_placed);
    }
  }
  result.first[num_keys] = num_placed;
  result.rows.resize(num_rows);
  ParallelFor(execution, 0, num_parts, [&](int part) {
    int* const next = places.data() + num_keys * part;
    for (int row = part_begin(part); row < part_begin(part + 1); ++row) {
      result.rows[next[eliminated_of_row[row]]++] = row;
    }
  });
  return result;
}

// Finds the median of a set of numbers, the upper one of an even number.
class MedianFinder {
 public:
  void Clear() { size_ = 0; }
  void Add(int value) {
    if (size_ == static_cast<int>(values_.size())) {
      values_.resize(2 * values_.size() + kMedianLanes);
    }
    values_[size_++] = value;
  }
  // The set must not be empty.
  int Find() {
    const int middle = size_ / 2;
    if (size_ > kMaxValuesToCompare) {
      std::nth_element(values_.begin(), values_.begin() + middle,
                       values_.begin() + size_);
      return values_[middle];
    }
    // Compares each pair, a vector register at a time. The median is the
    // largest value that at most `middle` values are smaller than.
    constexpr int kLeast = std::numeric_limits<int>::min();
    int best[kMedianLanes];
    std::fill_n(best, kMedianLanes, kLeast);
    for (int begin = 0; begin < size_; begin += kMedianLanes) {
      int values[kMedianLanes], num_smaller[kMedianLanes] = {};
      for (int i = 0; i < kMedianLanes; ++i) {
        values[i] = begin + i < size_ ? values_[begin + i] : kLeast;
      }
      for (int other = 0; other < size_; ++other) {
        const int value = values_[other];
        for (int i = 0; i < kMedianLanes; ++i)
          num_smaller[i] += value < values[i];
      }
      for (int i = 0; i < kMedianLanes; ++i) {
        const int candidate = num_smaller[i] <= middle ? values[i] : kLeast;
        best[i] = std::max(best[i], candidate);
      }
    }
    return *std::max_element(best, best + kMedianLanes);
  }

 private:
  int size_ = 0;
  std::vector<int> values_;
};

// For each eliminated column the median position, in `remaining`, of the
// columns that it shares a row with; -1 if there is no such column.
std::vector<int> FindMedians(const Execution& execution,
                             const ColumnsOfRows& pattern, int num_columns,
                             const RowsByColumn& rows_by_column,
                             const std::vector<int>& remaining) {
  std::vector<int> position(num_columns, -1);
  for (size_t i = 0; i < remaining.size(); ++i) {
    position[remaining[i]] = static_cast<int>(i);
  }
  std::vector<int> median(num_columns, -1);
  ParallelFor(
      execution, 0, num_columns,
      [&](IndexRange columns) {
        MedianFinder finder;
        for (int column = columns.begin; column < columns.end; ++column) {
          finder.Clear();
          bool any = false;
          for (int i = rows_by_column.first[column];
               i < rows_by_column.first[column + 1]; ++i) {
            const int row = rows_by_column.rows[i];
            for (int k = pattern.first[row]; k < pattern.first[row + 1]; ++k) {
              if (pattern.columns[k] == column) continue;
              finder.Add(position[pattern.columns[k]]);
              any = true;
            }
          }
          if (any) median[column] = finder.Find();
        }
      },
      kMediansPerPiece);
  return median;
}

// The eliminated columns by median, then by number. A counting sort.
std::vector<int> SortByMedian(const IsEliminated& is_eliminated,
                              const std::vector<int>& median,
                              size_t num_remaining) {
  const int num_columns = static_cast<int>(is_eliminated.size());
  std::vector<int> first_of_median(num_remaining + 2, 0);
  for (int column = 0; column < num_columns; ++column) {
    if (is_eliminated[column] != 0) ++first_of_median[median[column] + 2];
  }
  std::partial_sum(first_of_median.begin(), first_of_median.end(),
                   first_of_median.begin());
  std::vector<int> sorted(first_of_median.back());
  for (int column = 0; column < num_columns; ++column) {
    if (is_eliminated[column] != 0) {
      sorted[first_of_median[median[column] + 1]++] = column;
    }
  }
  return sorted;
}

// The rows in the order of their columns. row: overwritten; as many as rows.
RowOrder OrderRows(const Execution& execution,
                   const RowsByColumn& rows_by_column,
                   const std::vector<int>& columns, PagedVector<int> row) {
  const std::vector<int>& first = rows_by_column.first;
  const int num_columns = static_cast<int>(columns.size());
  RowOrder order;
  order.eliminated_first_row.resize(num_columns + 1);
  for (int i = 0; i < num_columns; ++i) {
    order.eliminated_first_row[i + 1] = order.eliminated_first_row[i] +
                                        first[columns[i] + 1] -
                                        first[columns[i]];
  }
  ParallelFor(
      execution, 0, num_columns,
      [&](int i) {
        int next = order.eliminated_first_row[i];
        for (int k = first[columns[i]]; k < first[columns[i] + 1]; ++k) {
          row[rows_by_column.rows[k]] = next++;
        }
      },
      kNumberedColumnsPerPiece);
  // The rows without eliminated column are in their places already.
  for (size_t k = order.eliminated_first_row.back();
       k < rows_by_column.rows.size(); ++k) {
    row[rows_by_column.rows[k]] = static_cast<int>(k);
  }
  order.row = std::move(row);
  return order;
}

}  // namespace

EliminatedOfRows FindEliminatedOfRows(const Execution& execution,
                                      const ColumnsOfRows& pattern,
                                      const IsEliminated& is_eliminated) {
  const int num_rows = static_cast<int>(pattern.first.size()) - 1;
  const int none = static_cast<int>(is_eliminated.size());
  EliminatedOfRows result;
  result.column.resize(num_rows);
  result.first_conflict = ParallelReduce(
      execution, 0, num_rows, num_rows,
      [&](IndexRange rows) {
        int first_conflict = num_rows;
        for (int row = rows.begin; row < rows.end; ++row) {
          int eliminated = none;
          for (int k = pattern.first[row]; k < pattern.first[row + 1]; ++k) {
            const int column = pattern.columns[k];
            if (is_eliminated[column] == 0) continue;
            if (eliminated != none) {
              first_conflict = std::min(first_conflict, row);
            }
            eliminated = column;
          }
          result.column[row] = eliminated;
        }
        return first_conflict;
      },
      [](int a, int b) { return std::min(a, b); }, kRowsPerPiece);
  return result;
}

EliminatedColumns OrderEliminated(const Execution& execution,
                                  const ColumnsOfRows& pattern,
                                  const IsEliminated& is_eliminated,
                                  const std::vector<int>& remaining,
                                  EliminatedOfRows eliminated_of_rows) {
  const int num_columns = static_cast<int>(is_eliminated.size());
  const RowsByColumn rows =
      SortRows(execution, eliminated_of_rows.column, num_columns);
  EliminatedColumns order;
  order.columns = SortByMedian(
      is_eliminated,
      FindMedians(execution, pattern, num_columns, rows, remaining),
      remaining.size());
  order.row_order = OrderRows(execution, rows, order.columns,
                              std::move(eliminated_of_rows.column));
  return order;
}

}  // namespace ceres::internal
