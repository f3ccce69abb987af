// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/column_order.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "ceres/linear/ordering.h"
#include "ceres/minimizer/format.h"

namespace ceres::internal {
namespace {

// By number in the reduced problem.
struct Groups {
  std::vector<int> group_of;
  int lowest = 0;
};

bool ReadGroups(const ProblemImpl& problem, const ReducedProblem& reduced,
                const ParameterBlockOrdering& ordering, Groups* groups,
                std::string* error) {
  constexpr int kNone = -1;
  // By index in the problem: one look-up for each block.
  std::vector<int> group_by_index(problem.parameter_blocks().size(), kNone);
  for (const auto& [values, group] : ordering.element_to_group()) {
    const ParameterBlock* block = problem.FindParameterBlock(values);
    if (block == nullptr) {
      *error = Format(
          "Solver::Options::linear_solver_ordering has %p in group %d, which "
          "is no parameter block of the problem.",
          static_cast<void*>(values), group);
      return false;
    }
    group_by_index[block->index()] = group;
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

// Of the columns with is_eliminated[c], sorts by the median position of the
// remaining columns that c shares a row with, then by c.
std::vector<int> SortByMedianNeighbour(const ReducedProblem& reduced,
                                       const std::vector<bool>& is_eliminated,
                                       const std::vector<int>& remaining) {
  const int num_columns = static_cast<int>(is_eliminated.size());
  std::vector<int> position(num_columns, -1);
  for (size_t i = 0; i < remaining.size(); ++i) {
    position[remaining[i]] = static_cast<int>(i);
  }
  // The positions seen by each eliminated column, grouped by column.
  std::vector<int> first(num_columns + 1, 0);
  const auto visit = [&](auto&& body) {
    const int num_rows = static_cast<int>(reduced.first_column.size()) - 1;
    for (int row = 0; row < num_rows; ++row) {
      const int* begin = reduced.columns.data() + reduced.first_column[row];
      const int* end = reduced.columns.data() + reduced.first_column[row + 1];
      const int* eliminated = std::find_if(
          begin, end, [&](int column) { return is_eliminated[column]; });
      if (eliminated == end) continue;
      for (const int* column = begin; column != end; ++column) {
        if (column != eliminated) body(*eliminated, *column);
      }
    }
  };
  visit([&](int eliminated, int) { ++first[eliminated + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<int> seen(first.back());
  std::vector<int> next(first.begin(), first.end() - 1);
  visit([&](int eliminated, int column) {
    seen[next[eliminated]++] = position[column];
  });

  // A counting sort by median, those that see nothing first.
  std::vector<int> median(num_columns, -1);
  std::vector<int> first_of_median(remaining.size() + 2, 0);
  for (int column = 0; column < num_columns; ++column) {
    if (!is_eliminated[column]) continue;
    const auto begin = seen.begin() + first[column];
    const auto end = seen.begin() + first[column + 1];
    if (begin != end) {
      const auto middle = begin + (end - begin) / 2;
      std::nth_element(begin, middle, end);
      median[column] = *middle;
    }
    ++first_of_median[median[column] + 2];
  }
  std::partial_sum(first_of_median.begin(), first_of_median.end(),
                   first_of_median.begin());
  std::vector<int> sorted(first_of_median.back());
  for (int column = 0; column < num_columns; ++column) {
    if (is_eliminated[column]) {
      sorted[first_of_median[median[column] + 1]++] = column;
    }
  }
  return sorted;
}

// Decides which columns are eliminated, by the user's lowest group or as a
// maximal independent set, which then becomes group 0.
bool ChooseEliminated(const ReducedProblem& reduced,
                      LinearSolverType linear_solver_type, bool user_chose,
                      Groups* groups, std::vector<bool>* is_eliminated,
                      std::string* error) {
  const int num_columns = static_cast<int>(groups->group_of.size());
  const ColumnGraph graph = {num_columns, reduced.first_column,
                             reduced.columns};
  is_eliminated->assign(num_columns, false);
  if (!user_chose) {
    for (const int column : MaximalIndependentSet(graph)) {
      (*is_eliminated)[column] = true;
    }
    for (int column = 0; column < num_columns; ++column) {
      groups->group_of[column] = (*is_eliminated)[column] ? 0 : 1;
    }
    return true;
  }
  for (int column = 0; column < num_columns; ++column) {
    (*is_eliminated)[column] = groups->group_of[column] == groups->lowest;
  }
  int row = 0;
  if (!IsIndependentSet(graph, *is_eliminated, &row)) {
    *error = Format(
        "The lowest group of Solver::Options::linear_solver_ordering is not "
        "independent: residual block %d uses two of its parameter blocks. %s "
        "eliminates that group block by block.",
        reduced.residual_blocks[row]->index(),
        LinearSolverTypeToString(linear_solver_type));
    return false;
  }
  return true;
}

// The columns that are not eliminated, by group, then in the problem's order.
std::vector<int> SortRemaining(const std::vector<int>& group_of,
                               const std::vector<bool>& is_eliminated) {
  std::vector<int> remaining;
  for (size_t column = 0; column < group_of.size(); ++column) {
    if (!is_eliminated[column]) remaining.push_back(static_cast<int>(column));
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

bool OrderColumns(const ProblemImpl& problem, const ReducedProblem& reduced,
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
    if (!ReadGroups(problem, reduced, *user_ordering, &groups, error)) {
      return false;
    }
  } else {
    groups.group_of.assign(num_columns, 0);
  }
  const bool user_chose =
      user_ordering != nullptr && user_ordering->NumGroups() > 1;
  std::vector<bool> is_eliminated(num_columns, false);
  if (is_schur && !ChooseEliminated(reduced, linear_solver_type, user_chose,
                                    &groups, &is_eliminated, error)) {
    return false;
  }

  const std::vector<int> remaining =
      SortRemaining(groups.group_of, is_eliminated);
  std::vector<int> columns;
  if (remaining.size() < num_columns) {
    columns = SortByMedianNeighbour(reduced, is_eliminated, remaining);
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
