// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/column_order.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/execution/loops.h"
#include "ceres/solver/ordering/eliminated_columns.h"
#include "ceres/solver/solver_tuning.h"
#include "ceres/sparse/independent_set.h"

namespace ceres::internal {
namespace {

// The elimination groups of a reduced problem's columns.
struct Groups {
  std::vector<int> group_of;  // by column
  int lowest = 0;
};

constexpr int kNoGroup = -1;

// Finds the group of each parameter block, by its index in the problem, or
// kNoGroup. Returns false if the ordering has other elements.
bool FindGroups(const Execution& execution, const ProblemImpl& problem,
                const ParameterBlockOrdering& ordering,
                std::vector<int>* group_by_index) {
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
      std::plus<int>(), kProblemBlocksPerPiece);
  return num_found == ordering.NumElements();
}

std::optional<Groups> ReadGroups(const Execution& execution,
                                 const ProblemImpl& problem,
                                 const ReducedProblem& reduced,
                                 const ParameterBlockOrdering& ordering,
                                 std::string* error) {
  std::vector<int> group_by_index;
  if (!FindGroups(execution, problem, ordering, &group_by_index)) {
    for (const auto& [values, group] : ordering.element_to_group()) {
      if (problem.FindParameterBlock(values) != nullptr) continue;
      *error = Format(
          "Solver::Options::linear_solver_ordering has %p in group %d, which "
          "is no parameter block of the problem.",
          static_cast<void*>(values), group);
      return std::nullopt;
    }
  }
  Groups groups;
  groups.group_of.reserve(reduced.parameter_blocks.size());
  for (const ParameterBlock* block : reduced.parameter_blocks) {
    const int group = group_by_index[block->index()];
    if (group < 0) {
      *error = Format(
          "ParameterBlock %d (at %p) varies and is used, but "
          "Solver::Options::linear_solver_ordering leaves it out. Give it a "
          "group, or no ordering at all.",
          block->index(), static_cast<void*>(block->user_state()));
      return std::nullopt;
    }
    groups.group_of.push_back(group);
  }
  groups.lowest = ordering.MinNonZeroGroup();
  return groups;
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

// Group 0 is a maximal independent set of columns, group 1 has the others.
Groups FindIndependentSet(const ColumnsOfRows& pattern, int num_columns) {
  Groups groups;
  groups.group_of.assign(num_columns, 1);
  for (const int column :
       MaximalIndependentSet({num_columns, pattern.first, pattern.columns})) {
    groups.group_of[column] = 0;
  }
  groups.lowest = 0;
  return groups;
}

IsEliminated EliminateLowest(const Groups& groups) {
  IsEliminated is_eliminated(groups.group_of.size(), 0);
  for (size_t column = 0; column < is_eliminated.size(); ++column) {
    is_eliminated[column] = groups.group_of[column] == groups.lowest ? 1 : 0;
  }
  return is_eliminated;
}

// The columns that are not eliminated, by group, then in the problem's order.
std::vector<int> SortRemaining(const std::vector<int>& group_of,
                               const IsEliminated& is_eliminated) {
  std::vector<int> remaining;
  for (size_t column = 0; column < group_of.size(); ++column) {
    if (is_eliminated[column] == 0) {
      remaining.push_back(static_cast<int>(column));
    }
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

// The columns as they stand.
ColumnOrder KeepOrder(const ReducedProblem& reduced) {
  ColumnOrder order;
  order.parameter_blocks = reduced.parameter_blocks;
  if (!reduced.parameter_blocks.empty()) {
    order.group_sizes = {static_cast<int>(reduced.parameter_blocks.size())};
  }
  return order;
}

void AppendBlocks(const ReducedProblem& reduced,
                  const std::vector<int>& columns, ColumnOrder* order) {
  for (const int column : columns) {
    order->parameter_blocks.push_back(reduced.parameter_blocks[column]);
  }
}

std::string DescribeConflict(const ResidualBlock& residual_block,
                             LinearSolverType linear_solver_type) {
  return Format(
      "The lowest group of Solver::Options::linear_solver_ordering is not "
      "independent: residual block %d uses two of its parameter blocks. %s "
      "eliminates that group block by block.",
      residual_block.index(), LinearSolverTypeToString(linear_solver_type));
}

}  // namespace

std::optional<ColumnOrder> OrderColumns(
    const Execution& execution, const ProblemImpl& problem,
    const ReducedProblem& reduced, LinearSolverType linear_solver_type,
    const ParameterBlockOrdering* user_ordering, std::string* error) {
  const int num_columns = static_cast<int>(reduced.parameter_blocks.size());
  const bool is_ordered =
      user_ordering != nullptr && user_ordering->NumElements() > 0;
  const bool is_schur = IsSchurType(linear_solver_type);
  if (!is_ordered && !is_schur) return KeepOrder(reduced);

  Groups groups;
  if (is_ordered) {
    std::optional<Groups> read =
        ReadGroups(execution, problem, reduced, *user_ordering, error);
    if (!read) return std::nullopt;
    groups = std::move(*read);
  }
  const bool user_chose = is_ordered && user_ordering->NumGroups() > 1;
  IsEliminated is_eliminated(num_columns, 0);
  EliminatedOfRows eliminated_of_rows;
  if (is_schur) {
    const ColumnsOfRows& pattern = reduced.columns_of_rows;
    if (!user_chose) groups = FindIndependentSet(pattern, num_columns);
    is_eliminated = EliminateLowest(groups);
    eliminated_of_rows =
        FindEliminatedOfRows(execution, pattern, is_eliminated);
    const int conflict = eliminated_of_rows.first_conflict;
    if (conflict < static_cast<int>(eliminated_of_rows.column.size())) {
      *error = DescribeConflict(*reduced.ResidualBlocks()[conflict],
                                linear_solver_type);
      return std::nullopt;
    }
  }

  const std::vector<int> remaining =
      SortRemaining(groups.group_of, is_eliminated);
  EliminatedColumns eliminated;
  if (static_cast<int>(remaining.size()) < num_columns) {
    eliminated =
        OrderEliminated(execution, reduced.columns_of_rows, is_eliminated,
                        remaining, std::move(eliminated_of_rows));
  }
  ColumnOrder order;
  order.row_order = std::move(eliminated.row_order);
  order.num_eliminated = static_cast<int>(eliminated.columns.size());
  order.parameter_blocks.reserve(num_columns);
  AppendBlocks(reduced, eliminated.columns, &order);
  AppendBlocks(reduced, remaining, &order);
  order.remaining_groups = RemainingGroups(groups.group_of, remaining);
  order.group_sizes = GroupSizes(groups.group_of);
  order.lowest_group_is_empty =
      is_schur && user_chose && order.num_eliminated == 0;
  return order;
}

}  // namespace ceres::internal
