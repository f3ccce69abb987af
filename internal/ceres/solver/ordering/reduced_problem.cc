// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/reduced_problem.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ceres/base/format.h"
#include "ceres/base/intrinsics.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/loops.h"
#include "ceres/problem/program.h"
#include "ceres/solver/solver_tuning.h"

namespace ceres::internal {
namespace {

bool CheckFinite(const ParameterBlock& block, std::string* error) {
  for (int i = 0; i < block.size(); ++i) {
    const double value = block.user_state()[i];
    if (!std::isfinite(value) || value == kImpossibleValue) {
      *error = Format(
          "ParameterBlock %d (at %p, size %d) has an initial value that is not "
          "finite: coordinate %d is %g. Give every parameter a value before "
          "Solve.",
          block.index(), static_cast<void*>(block.user_state()), block.size(),
          i, value);
      return false;
    }
  }
  return true;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool CheckBounds(const ParameterBlock& block, std::string* error) {
  if (!block.has_bounds()) {
    return true;
  }
  for (int i = 0; i < block.size(); ++i) {
    const double lower = block.LowerBound(i);
    const double upper = block.UpperBound(i);
    const double value = block.user_state()[i];
    if (std::isnan(lower) || std::isnan(upper)) {
      *error = Format(
          "ParameterBlock %d (at %p, size %d) has a bound that is not a "
          "number: coordinate %d has lower bound %g and upper bound %g.",
          block.index(), static_cast<void*>(block.user_state()), block.size(),
          i, lower, upper);
      return false;
    }
    if (block.IsConstant()) {
      if (value < lower || value > upper) {
        *error = Format(
            "ParameterBlock %d (at %p, size %d) is constant, but coordinate "
            "%d = %g is outside of its bounds [%g, %g].",
            block.index(), static_cast<void*>(block.user_state()), block.size(),
            i, value, lower, upper);
        return false;
      }
    } else if (lower > upper || lower == kInfinity || upper == -kInfinity) {
      *error = Format(
          "ParameterBlock %d (at %p, size %d) has infeasible bounds: "
          "coordinate %d has lower bound %g and upper bound %g, and no finite "
          "value between them.",
          block.index(), static_cast<void*>(block.user_state()), block.size(),
          i, lower, upper);
      return false;
    }
  }
  return true;
}

constexpr int kUnused = -1;
constexpr int kUsed = -2;

// Which parameter blocks vary and are used, by index in the problem. Several
// threads set the elements.
using UsedBlocks = std::vector<std::atomic<char>>;

// Prefetches a residual block, and the parameter blocks of a nearer one.
inline void PrefetchAfter(const std::vector<ResidualBlock*>& blocks, int i) {
  if (i + kPrefetchBlock >= static_cast<int>(blocks.size())) return;
  CERES_PREFETCH(blocks[i + kPrefetchBlock]);
  const ResidualBlock& next = *blocks[i + kPrefetchArguments];
  for (int a = 0; a < next.num_parameter_blocks(); ++a) {
    CERES_PREFETCH(next.parameter_blocks()[a]);
  }
}

// Writes, for each argument, the parameter block's index in the problem, or
// kUnused if the parameter block is constant. Returns true if there is an
// argument, all arguments vary, and no two are the same. Pinned blocks are
// constant: their values are those of the bounds (pinned_coordinates.h).
inline bool ListArgumentsOf(const ResidualBlock& residual_block, int* columns,
                            UsedBlocks* used) {
  const int num_arguments = residual_block.num_parameter_blocks();
  bool is_plain = num_arguments > 0;
  for (int a = 0; a < num_arguments; ++a) {
    const ParameterBlock& block = *residual_block.parameter_blocks()[a];
    if (block.IsConstant() || block.IsPinned()) {
      columns[a] = kUnused;
      is_plain = false;
      continue;
    }
    const int index = block.index();
    is_plain =
        is_plain && std::find(columns, columns + a, index) == columns + a;
    columns[a] = index;
    (*used)[index].store(1, std::memory_order_relaxed);
  }
  return is_plain;
}

// Lists the arguments in one pass if all residual blocks have the same number
// of arguments, all arguments vary, and no residual block has one twice.
// Otherwise returns false, and some elements of `used` are set.
bool ListAlikeBlocks(const std::vector<ResidualBlock*>& blocks,
                     const Execution& execution, ReducedProblem* reduced,
                     UsedBlocks* used) {
  if (blocks.empty()) return false;
  const int num_blocks = static_cast<int>(blocks.size());
  const int num_arguments = blocks.front()->num_parameter_blocks();
  ColumnsOfRows& rows = reduced->columns_of_rows;
  rows.first.resize(blocks.size() + 1);
  rows.first[0] = 0;
  rows.columns.resize(blocks.size() * num_arguments);
  std::atomic<bool> are_plain{true};
  const auto list = [&](int i) {
    PrefetchAfter(blocks, i);
    rows.first[i + 1] = (i + 1) * num_arguments;
    return blocks[i]->num_parameter_blocks() == num_arguments &&
           ListArgumentsOf(*blocks[i],
                           rows.columns.data() + int64_t{i} * num_arguments,
                           used);
  };
  reduced->size_bounds = ParallelReduce(
      execution, 0, num_blocks, RowSizeBounds::OfNone(),
      [&](IndexRange range) {
        RowSizeBounds size_bounds = RowSizeBounds::OfNone();
        for (int i = range.begin; i < range.end; ++i) {
          if (!list(i)) are_plain.store(false, std::memory_order_relaxed);
          if (!are_plain.load(std::memory_order_relaxed)) break;
          size_bounds = RowSizeBounds::Combine(size_bounds,
                                               RowSizeBounds::Of(*blocks[i]));
        }
        return size_bounds;
      },
      RowSizeBounds::Combine, kProblemBlocksPerPiece);
  if (!are_plain) reduced->size_bounds = {};
  return are_plain;
}

// Lists the arguments of any residual blocks.
void ListArguments(const std::vector<ResidualBlock*>& blocks,
                   const Execution& execution, ReducedProblem* reduced,
                   UsedBlocks* used) {
  const int num_blocks = static_cast<int>(blocks.size());
  PagedVector<int>& first = reduced->columns_of_rows.first;
  PagedVector<int>& columns = reduced->columns_of_rows.columns;
  first.assign(blocks.size() + 1, 0);
  for (int i = 0; i < num_blocks; ++i) {
    first[i + 1] = first[i] + blocks[i]->num_parameter_blocks();
  }
  columns.resize(first.back());
  ParallelFor(
      execution, 0, num_blocks,
      [&](int i) {
        PrefetchAfter(blocks, i);
        ListArgumentsOf(*blocks[i], columns.data() + first[i], used);
      },
      kProblemBlocksPerPiece);
}

// Keeps the arguments that vary, each once, and the residual blocks that have
// such an argument. (A residual block can have an argument twice if the
// problem's safety checks are disabled.)
void SplitResidualBlocks(const std::vector<ResidualBlock*>& blocks,
                         int num_parameter_blocks, ReducedProblem* reduced) {
  auto& [first, columns] = reduced->columns_of_rows;
  // By parameter block: kUsed minus the last residual block that has it.
  std::vector<int> last_user(num_parameter_blocks, kUnused);
  reduced->residual_blocks.reserve(blocks.size());
  int num_kept = 0;
  int k = 0;
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    const int begin = num_kept;
    for (const int end = first[i + 1]; k < end; ++k) {
      const int index = columns[k];
      if (index == kUnused || last_user[index] == kUsed - i) continue;
      last_user[index] = kUsed - i;
      columns[num_kept++] = index;
    }
    if (num_kept > begin) {
      reduced->residual_blocks.push_back(blocks[i]);
      first[reduced->residual_blocks.size()] = num_kept;
    } else {
      reduced->fixed_residual_blocks.push_back(blocks[i]);
    }
  }
  columns.resize(num_kept);
  first.resize(reduced->residual_blocks.size() + 1);
}

// Numbers the used, varying parameter blocks in the problem's order.
void NumberParameterBlocks(const ProblemImpl& problem,
                           const Execution& execution, const UsedBlocks& used,
                           ReducedProblem* reduced) {
  std::vector<int> number(used.size(), kUnused);  // by index in the problem
  reduced->parameter_blocks.reserve(problem.parameter_blocks().size());
  for (ParameterBlock* block : problem.parameter_blocks()) {
    if (used[block->index()].load(std::memory_order_relaxed) == 0) continue;
    number[block->index()] = static_cast<int>(reduced->parameter_blocks.size());
    reduced->parameter_blocks.push_back(block);
  }
  // If all blocks are used, indices and numbers are the same.
  if (reduced->parameter_blocks.size() == used.size()) return;
  PagedVector<int>& columns = reduced->columns_of_rows.columns;
  ParallelFor(
      execution, 0, static_cast<int>(columns.size()),
      [&](int k) { columns[k] = number[columns[k]]; }, kColumnNumbersPerPiece);
}

}  // namespace

bool CheckStart(const ProblemImpl& problem, const Execution& execution,
                std::string* error) {
  const std::vector<ParameterBlock*>& blocks = problem.parameter_blocks();
  const int num_blocks = static_cast<int>(blocks.size());
  const auto first_bad_of = [&](IndexRange range) {
    std::string unused;
    for (int i = range.begin; i < range.end; ++i) {
      if (i + kPrefetchBlock < num_blocks) {
        CERES_PREFETCH(blocks[i + kPrefetchBlock]);
        CERES_PREFETCH(blocks[i + kPrefetchArguments]->user_state());
      }
      if (!CheckFinite(*blocks[i], &unused) ||
          !CheckBounds(*blocks[i], &unused)) {
        return i;
      }
    }
    return num_blocks;
  };
  const int first_bad =
      num_blocks <= kProblemBlocksPerPiece
          ? first_bad_of({0, num_blocks})
          : ParallelReduce(
                execution, 0, num_blocks, num_blocks, first_bad_of,
                [](int a, int b) { return std::min(a, b); },
                kProblemBlocksPerPiece);
  if (first_bad == num_blocks) return true;
  const ParameterBlock& block = *blocks[first_bad];
  return CheckFinite(block, error) && CheckBounds(block, error);
}

ReducedProblem ReduceProblem(const ProblemImpl& problem,
                             const Execution& execution,
                             const std::vector<ResidualBlock*>& constraints) {
  std::vector<ResidualBlock*> with_constraints;
  if (!constraints.empty()) {
    with_constraints = problem.residual_blocks();
    with_constraints.insert(with_constraints.end(), constraints.begin(),
                            constraints.end());
  }
  const std::vector<ResidualBlock*>& blocks =
      constraints.empty() ? problem.residual_blocks() : with_constraints;
  UsedBlocks used(problem.parameter_blocks().size());
  ReducedProblem reduced;
  if (constraints.empty() &&
      ListAlikeBlocks(blocks, execution, &reduced, &used)) {
    reduced.all_residual_blocks = &blocks;
  } else {
    ListArguments(blocks, execution, &reduced, &used);
    SplitResidualBlocks(blocks, static_cast<int>(used.size()), &reduced);
  }
  NumberParameterBlocks(problem, execution, used, &reduced);
  reduced.num_residuals = problem.num_residuals();
  for (const ResidualBlock* block : reduced.fixed_residual_blocks) {
    reduced.num_residuals -= block->num_residuals();
  }
  return reduced;
}

std::optional<double> EvaluateFixedCost(
    const ProblemImpl& problem, const Execution& execution,
    const std::vector<ResidualBlock*>& fixed_residual_blocks,
    std::string* error) {
  if (fixed_residual_blocks.empty()) return 0.0;
  const Program program({}, 0, fixed_residual_blocks);
  Evaluator::Options options;
  options.execution = execution;
  options.evaluation_callback = problem.options().evaluation_callback;
  double cost = 0.0;
  const Evaluator::Result result =
      Evaluator(program, options).EvaluateCost(nullptr, true, &cost, nullptr);
  if (!result) {
    *error =
        "Evaluation of the residual blocks whose parameter blocks are all "
        "constant failed. " +
        result.message;
    return std::nullopt;
  }
  return cost;
}

}  // namespace ceres::internal
