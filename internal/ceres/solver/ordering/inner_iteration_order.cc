// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/inner_iteration_order.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/logging/logging.h"
#include "ceres/solver/solver_tuning.h"
#include "ceres/sparse/independent_set.h"

namespace ceres::internal {
namespace {

// The column blocks that each row uses, as a graph of chosen columns.
struct Columns {
  std::vector<int> first_column = {0};
  std::vector<int> columns;
};

// number[c]: the new number of column block c, or negative to leave it out.
Columns ListColumns(const Program& program, const std::vector<int>& number) {
  Columns list;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    for (int k = program.first_argument()[row];
         k < program.first_argument()[row + 1]; ++k) {
      const int column = program.arguments()[k];
      if (column >= 0 && number[column] >= 0) {
        list.columns.push_back(number[column]);
      }
    }
    list.first_column.push_back(static_cast<int>(list.columns.size()));
  }
  return list;
}

std::vector<std::vector<int>> IndependentSets(const Program& program) {
  std::vector<int> remaining(program.num_column_blocks());
  for (size_t c = 0; c < remaining.size(); ++c) {
    remaining[c] = static_cast<int>(c);
  }
  std::vector<std::vector<int>> sets;
  while (!remaining.empty() && sets.size() < kMaxInnerIterationSets) {
    std::vector<int> number(program.num_column_blocks(), -1);
    for (size_t i = 0; i < remaining.size(); ++i) {
      number[remaining[i]] = static_cast<int>(i);
    }
    const Columns list = ListColumns(program, number);
    std::vector<int> set = MaximalIndependentSet(
        {static_cast<int>(remaining.size()), list.first_column, list.columns});
    for (int& column : set) {
      column = remaining[column];
      number[column] = -1;
    }
    remaining.erase(std::remove_if(remaining.begin(), remaining.end(),
                                   [&](int c) { return number[c] < 0; }),
                    remaining.end());
    sets.push_back(std::move(set));
  }
  std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) {
    return a.size() < b.size();
  });
  return sets;
}

bool CheckIndependent(const Program& program, int group_id,
                      const std::vector<int>& group, std::string* error) {
  std::vector<int> number(program.num_column_blocks(), -1);
  for (const int column : group) {
    number[column] = column;
  }
  const Columns list = ListColumns(program, number);
  int row = 0;
  if (IsIndependentSet(
          {program.num_column_blocks(), list.first_column, list.columns},
          std::vector<bool>(program.num_column_blocks(), true), &row)) {
    return true;
  }
  *error = Format(
      "Group %d of Solver::Options::inner_iteration_ordering is not "
      "independent: residual block %d uses two of its parameter blocks. Put "
      "them into different groups.",
      group_id, program.residual_block_index()[row]);
  return false;
}

}  // namespace

std::optional<InnerIterationOrder> OrderInnerIterations(
    const Solver::Options& options, const ProblemImpl& problem,
    const Program& program, std::string* error) {
  if (!options.use_inner_iterations) return InnerIterationOrder();
  if (problem.options().evaluation_callback != nullptr) {
    *error =
        "Solver::Options::use_inner_iterations evaluates residual blocks at "
        "many points at the same time, for which an EvaluationCallback cannot "
        "prepare: set use_inner_iterations = false, or remove the callback.";
    return std::nullopt;
  }
  if (program.num_column_blocks() < 2) {
    VESTA_LOG(kWarning)
        << "Solver::Options::use_inner_iterations has no effect on a "
           "problem with a single parameter block.";
    return InnerIterationOrder();
  }
  std::optional<std::vector<std::vector<int>>> groups = OrderIndependentSets(
      problem, program, options.inner_iteration_ordering.get(), error);
  if (!groups) return std::nullopt;
  return InnerIterationOrder{true, std::move(*groups)};
}

std::optional<std::vector<std::vector<int>>> OrderIndependentSets(
    const ProblemImpl& problem, const Program& program,
    const ParameterBlockOrdering* user_ordering, std::string* error) {
  if (user_ordering == nullptr || user_ordering->NumElements() == 0) {
    return IndependentSets(program);
  }
  std::unordered_map<const double*, int> column_of;
  for (int c = 0; c < program.num_column_blocks(); ++c) {
    column_of[program.parameter_blocks()[c]->user_state()] = c;
  }
  std::vector<std::vector<int>> groups;
  for (const auto& [group_id, elements] : user_ordering->group_to_elements()) {
    std::vector<int> group;
    for (double* element : elements) {
      if (problem.FindParameterBlock(element) == nullptr) {
        *error = Format(
            "Solver::Options::inner_iteration_ordering has %p in group %d, "
            "which is no parameter block of the problem.",
            static_cast<void*>(element), group_id);
        return std::nullopt;
      }
      const auto found = column_of.find(element);
      if (found != column_of.end()) group.push_back(found->second);
    }
    // Not in the order of addresses, which differs from run to run.
    std::sort(group.begin(), group.end());
    if (!CheckIndependent(program, group_id, group, error)) {
      return std::nullopt;
    }
    if (!group.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace ceres::internal
