// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/column_order.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/execution/loops.h"
#include "ceres/sparse/ordering.h"

namespace ceres::internal {
namespace {

// By number in the reduced problem.
struct Groups {
  std::vector<int> group_of;
  int lowest = 0;
};

constexpr int kNoGroup = -1;

// The group of each block of the problem, by its index; false if the ordering
// has other elements.
bool FindGroups(const Execution& execution, const ProblemImpl& problem,
                const ParameterBlockOrdering& ordering,
                std::vector<int>* group_by_index) {
  constexpr int kBlocksPerPiece = 512;
  const std::vector<ParameterBlock*>& blocks = problem.parameter_blocks();
  group_by_index->assign(blocks.size(), kNoGroup);
  const int num_found = ParallelReduce(
      execution, 0, static_cast<int>(blocks.size()), 0,
      [&](IndexRange range) {
        int found = 0;
        for (int i = range.begin; i < range.end; ++i) {
          const auto it =
              ordering.element_to_group().find(blocks[i]->user_state());
          if (it == ordering.element_to_group().end()) continue;
          (*group_by_index)[i] = it->second;
          ++found;
        }
        return found;
      },
      std::plus<int>(), kBlocksPerPiece);
  return num_found == ordering.NumElements();
}

bool ReadGroups(const Execution& execution, const ProblemImpl& problem,
                const ReducedProblem& reduced,
                const ParameterBlockOrdering& ordering, Groups* groups,
                std::string* error) {
  std::vector<int> group_by_index;
  if (!FindGroups(execution, problem, ordering, &group_by_index)) {
    for (const auto& [values, group] : ordering.element_to_group()) {
      if (problem.FindParameterBlock(values) != nullptr) continue;
      *error = Format(
          "Solver::Options::linear_solver_ordering has %p in group %d, which "
          "is no parameter block of the problem.",
          static_cast<void*>(values), group);
      return false;
    }
  }
  groups->group_of.reserve(reduced.parameter_blocks.size());
  for (const ParameterBlock* block : reduced.parameter_blocks) {
    const int group = group_by_index[block->index()];
    if (group < 0) {
      *error = Format(
          "ParameterBlock %d (at %p) varies and is used, but "
          "Solver::Options::linear_solver_ordering leaves it out. Give it a "
          "group, or no ordering at all.",
          block->index(), static_cast<void*>(block->user_state()));
      return false;
    }
    groups->group_of.push_back(group);
  }
  groups->lowest = ordering.MinNonZeroGroup();
  return true;
}

std::vector<int> GroupSizes(const std::vector<int>& group_of) {
  std::map<int, int> size_of;
  for (const int group : group_of) {
    ++size_of[group];
  }
  std::vector<int> sizes;
  sizes.reserve(size_of.size());
  for (const auto& [group, size] : size_of) {
    sizes.push_back(size);
  }
  return sizes;
}

// By number in the reduced problem, which columns are eliminated: chars, which
// several threads may read faster than bits.
using IsEliminated = std::vector<char>;

// Decides which columns are eliminated, by the user's lowest group or as a
// maximal independent set, which then becomes group 0.
IsEliminated ChooseEliminated(const ReducedProblem& reduced, bool user_chose,
                              Groups* groups) {
  const int num_columns = static_cast<int>(groups->group_of.size());
  IsEliminated is_eliminated(num_columns, 0);
  if (!user_chose) {
    const ColumnGraph graph = {num_columns, reduced.first_column,
                               reduced.columns};
    for (const int column : MaximalIndependentSet(graph)) {
      is_eliminated[column] = 1;
    }
    for (int column = 0; column < num_columns; ++column) {
      groups->group_of[column] = is_eliminated[column] != 0 ? 0 : 1;
    }
    return is_eliminated;
  }
  for (int column = 0; column < num_columns; ++column) {
    is_eliminated[column] = groups->group_of[column] == groups->lowest ? 1 : 0;
  }
  return is_eliminated;
}

// Rows by the eliminated column that they touch, those that touch none behind
// all others (at column num_columns); each in the problem's order.
struct RowsByColumn {
  std::vector<int> first;  // + 1
  PagedVector<int> rows;
};

// of_row: the eliminated column of each row, or num_columns. Returns the first
// row that touches two, or the number of rows.
int FindEliminatedOfRows(const Execution& execution,
                         const ReducedProblem& reduced,
                         const IsEliminated& is_eliminated,
                         PagedVector<int>* of_row) {
  constexpr int kRowsPerPiece = 1024;
  const int num_rows = static_cast<int>(reduced.first_column.size()) - 1;
  const int none = static_cast<int>(is_eliminated.size());
  of_row->resize(num_rows);
  return ParallelReduce(
      execution, 0, num_rows, num_rows,
      [&](IndexRange rows) {
        int first_conflict = num_rows;
        for (int row = rows.begin; row < rows.end; ++row) {
          int eliminated = none;
          for (int k = reduced.first_column[row];
               k < reduced.first_column[row + 1]; ++k) {
            const int column = reduced.columns[k];
            if (is_eliminated[column] == 0) continue;
            if (eliminated != none) {
              first_conflict = std::min(first_conflict, row);
            }
            eliminated = column;
          }
          (*of_row)[row] = eliminated;
        }
        return first_conflict;
      },
      [](int a, int b) { return std::min(a, b); }, kRowsPerPiece);
}

// A counting sort, stable, by parts of the rows at once.
RowsByColumn SortRows(const Execution& execution,
                      const PagedVector<int>& eliminated_of_row,
                      int num_columns) {
  constexpr int kMinRowsOfPart = 1 << 13;
  constexpr int kMaxParts = 8;
  const auto num_rows = static_cast<int>(eliminated_of_row.size());
  const int num_parts =
      execution.IsSerial()
          ? 1
          : std::clamp(num_rows / std::max(kMinRowsOfPart, num_columns), 1,
                       std::min(execution.num_threads, kMaxParts));
  const auto part_begin = [&](int part) {
    return static_cast<int>(int64_t{num_rows} * part / num_parts);
  };
  // By part and column: how many rows, then where the next one goes.
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

// Of a few numbers, the one in the middle (behind it, of an even number).
class MedianFinder {
 public:
  void Clear() { size_ = 0; }
  void Add(int value) {
    if (size_ == static_cast<int>(values_.size())) {
      values_.resize(2 * values_.size() + kVector);
    }
    values_[size_++] = value;
  }
  // There must be one.
  int Find() {
    const int middle = size_ / 2;
    if (size_ > kMaxNumToCompare) {
      std::nth_element(values_.begin(), values_.begin() + middle,
                       values_.begin() + size_);
      return values_[middle];
    }
    // Each with each, by whole vectors: the largest number that no more than
    // `middle` are smaller than.
    constexpr int kLeast = std::numeric_limits<int>::min();
    int best[kVector];
    std::fill_n(best, kVector, kLeast);
    for (int begin = 0; begin < size_; begin += kVector) {
      int values[kVector], num_smaller[kVector] = {};
      for (int i = 0; i < kVector; ++i) {
        values[i] = begin + i < size_ ? values_[begin + i] : kLeast;
      }
      for (int other = 0; other < size_; ++other) {
        const int value = values_[other];
        for (int i = 0; i < kVector; ++i) num_smaller[i] += value < values[i];
      }
      for (int i = 0; i < kVector; ++i) {
        const int candidate = num_smaller[i] <= middle ? values[i] : kLeast;
        best[i] = std::max(best[i], candidate);
      }
    }
    return *std::max_element(best, best + kVector);
  }

 private:
  static constexpr int kVector = 8;
  static constexpr int kMaxNumToCompare = 4 * kVector;

  int size_ = 0;
  std::vector<int> values_;
};

// By eliminated column the median position among the remaining columns of those
// that it shares a row with; -1 where there are none.
std::vector<int> FindMedians(const Execution& execution,
                             const ReducedProblem& reduced,
                             const RowsByColumn& rows_by_column,
                             const std::vector<int>& remaining) {
  constexpr int kColumnsPerPiece = 256;
  const int num_columns = static_cast<int>(reduced.parameter_blocks.size());
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
            for (int k = reduced.first_column[row];
                 k < reduced.first_column[row + 1]; ++k) {
              if (reduced.columns[k] == column) continue;
              finder.Add(position[reduced.columns[k]]);
              any = true;
            }
          }
          if (any) median[column] = finder.Find();
        }
      },
      kColumnsPerPiece);
  return median;
}

// The eliminated columns by median, then by number; those that see nothing
// first. A counting sort.
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

// Rows in the order of their columns. row: memory for as many.
RowOrder OrderRows(const Execution& execution,
                   const RowsByColumn& rows_by_column,
                   const std::vector<int>& columns, PagedVector<int> row) {
  constexpr int kColumnsPerPiece = 512;
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
      kColumnsPerPiece);
  // Those without eliminated column are behind the others already.
  for (size_t k = order.eliminated_first_row.back();
       k < rows_by_column.rows.size(); ++k) {
    row[rows_by_column.rows[k]] = static_cast<int>(k);
  }
  order.row = std::move(row);
  return order;
}

// The columns that are not eliminated, by group, then in the problem's order.
std::vector<int> SortRemaining(const std::vector<int>& group_of,
                               const IsEliminated& is_eliminated) {
  std::vector<int> remaining;
  for (size_t column = 0; column < group_of.size(); ++column) {
    if (is_eliminated[column] == 0)
      remaining.push_back(static_cast<int>(column));
  }
  std::stable_sort(remaining.begin(), remaining.end(),
                   [&](int a, int b) { return group_of[a] < group_of[b]; });
  return remaining;
}

// The group of each remaining column, or nothing if all are in one.
std::vector<int> RemainingGroups(const std::vector<int>& group_of,
                                 const std::vector<int>& remaining) {
  std::vector<int> groups;
  if (!remaining.empty() &&
      group_of[remaining.front()] != group_of[remaining.back()]) {
    for (const int column : remaining) {
      groups.push_back(group_of[column]);
    }
  }
  return groups;
}

}  // namespace

bool OrderColumns(const Execution& execution, const ProblemImpl& problem,
                  const ReducedProblem& reduced,
                  LinearSolverType linear_solver_type,
                  const ParameterBlockOrdering* user_ordering,
                  ColumnOrder* order, std::string* error) {
  const size_t num_columns = reduced.parameter_blocks.size();
  const bool is_ordered =
      user_ordering != nullptr && user_ordering->NumElements() > 0;
  const bool is_schur = IsSchurType(linear_solver_type);
  if (!is_ordered && !is_schur) {  // as it stands
    *order = ColumnOrder();
    order->parameter_blocks = reduced.parameter_blocks;
    if (num_columns > 0) {
      order->group_sizes.push_back(static_cast<int>(num_columns));
    }
    return true;
  }
  Groups groups;
  if (is_ordered) {
    if (!ReadGroups(execution, problem, reduced, *user_ordering, &groups,
                    error)) {
      return false;
    }
  } else {
    groups.group_of.assign(num_columns, 0);
  }
  const bool user_chose =
      user_ordering != nullptr && user_ordering->NumGroups() > 1;
  IsEliminated is_eliminated(num_columns, 0);
  PagedVector<int> eliminated_of_row;
  if (is_schur) {
    is_eliminated = ChooseEliminated(reduced, user_chose, &groups);
    const int conflict = FindEliminatedOfRows(execution, reduced, is_eliminated,
                                              &eliminated_of_row);
    if (conflict < static_cast<int>(eliminated_of_row.size())) {
      *error = Format(
          "The lowest group of Solver::Options::linear_solver_ordering is not "
          "independent: residual block %d uses two of its parameter blocks. %s "
          "eliminates that group block by block.",
          reduced.ResidualBlocks()[conflict]->index(),
          LinearSolverTypeToString(linear_solver_type));
      return false;
    }
  }

  const std::vector<int> remaining =
      SortRemaining(groups.group_of, is_eliminated);
  std::vector<int> columns;
  order->row_order = RowOrder();
  if (remaining.size() < num_columns) {
    const RowsByColumn rows =
        SortRows(execution, eliminated_of_row, static_cast<int>(num_columns));
    columns = SortByMedian(is_eliminated,
                           FindMedians(execution, reduced, rows, remaining),
                           remaining.size());
    order->row_order =
        OrderRows(execution, rows, columns, std::move(eliminated_of_row));
  }
  order->num_eliminated = static_cast<int>(columns.size());
  columns.insert(columns.end(), remaining.begin(), remaining.end());
  order->parameter_blocks.clear();
  order->parameter_blocks.reserve(num_columns);
  for (const int column : columns) {
    order->parameter_blocks.push_back(reduced.parameter_blocks[column]);
  }
  order->remaining_groups = RemainingGroups(groups.group_of, remaining);
  order->group_sizes = GroupSizes(groups.group_of);
  order->lowest_group_is_empty =
      is_schur && user_chose && order->num_eliminated == 0;
  return true;
}

}  // namespace ceres::internal
