// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reduced_problem.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "ceres/base/format.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/loops.h"
#include "ceres/problem/program.h"

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

bool CheckBounds(const ParameterBlock& block, std::string* error) {
  if (!block.has_bounds()) {
    return true;
  }
  for (int i = 0; i < block.size(); ++i) {
    const double lower = block.LowerBound(i);
    const double upper = block.UpperBound(i);
    const double value = block.user_state()[i];
    if (block.IsConstant()) {
      if (value < lower || value > upper) {
        *error = Format(
            "ParameterBlock %d (at %p, size %d) is constant, but coordinate "
            "%d = %g is outside of its bounds [%g, %g].",
            block.index(), static_cast<void*>(block.user_state()), block.size(),
            i, value, lower, upper);
        return false;
      }
    } else if (lower >= upper) {
      *error = Format(
          "ParameterBlock %d (at %p, size %d) has infeasible bounds: "
          "coordinate %d has lower bound %g >= upper bound %g. To hold a "
          "coordinate constant, use a SubsetManifold.",
          block.index(), static_cast<void*>(block.user_state()), block.size(),
          i, lower, upper);
      return false;
    }
  }
  return true;
}

constexpr int kUnused = -1;
constexpr int kUsed = -2;
constexpr int kBlocksPerPiece = 512;
// How many blocks ahead they are fetched, and then what they point to.
constexpr int kFetchBlock = 24;
constexpr int kFetchArguments = 12;

// Which parameter blocks vary and are used, by index in the problem: set by
// several threads.
using UsedBlocks = std::vector<std::atomic<char>>;

// Fetches residual blocks that come next into the cache, and then their
// parameter blocks.
inline void FetchAhead(const std::vector<ResidualBlock*>& blocks, int i) {
  if (i + kFetchBlock >= static_cast<int>(blocks.size())) return;
  __builtin_prefetch(blocks[i + kFetchBlock]);
  const ResidualBlock& next = *blocks[i + kFetchArguments];
  for (int a = 0; a < next.num_parameter_blocks(); ++a) {
    __builtin_prefetch(next.parameter_blocks()[a]);
  }
}

// By argument the parameter block's index in the problem, or kUnused where it
// is constant. Returns whether there are arguments, which all vary, each once.
inline bool ListArgumentsOf(const ResidualBlock& residual_block, int* columns,
                            UsedBlocks* used) {
  const int num_arguments = residual_block.num_parameter_blocks();
  bool is_plain = num_arguments > 0;
  for (int a = 0; a < num_arguments; ++a) {
    const ParameterBlock& block = *residual_block.parameter_blocks()[a];
    if (block.IsConstant()) {
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

// Lists the arguments in one pass if all residual blocks have as many, which
// all vary, each once. Else returns false, with some of the used blocks marked.
bool ListAlikeBlocks(const std::vector<ResidualBlock*>& blocks,
                     const Execution& execution, ReducedProblem* reduced,
                     UsedBlocks* used) {
  if (blocks.empty()) return false;
  const int num_blocks = static_cast<int>(blocks.size());
  const int num_arguments = blocks.front()->num_parameter_blocks();
  reduced->first_column.resize(blocks.size() + 1);
  reduced->first_column[0] = 0;
  reduced->columns.resize(blocks.size() * num_arguments);
  std::atomic<bool> are_plain{true};
  const auto list = [&](int i) {
    FetchAhead(blocks, i);
    reduced->first_column[i + 1] = (i + 1) * num_arguments;
    return blocks[i]->num_parameter_blocks() == num_arguments &&
           ListArgumentsOf(*blocks[i],
                           reduced->columns.data() + int64_t{i} * num_arguments,
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
      RowSizeBounds::Combine, kBlocksPerPiece);
  if (!are_plain) reduced->size_bounds = {};
  return are_plain;
}

// Lists the arguments of any residual blocks.
void ListArguments(const std::vector<ResidualBlock*>& blocks,
                   const Execution& execution, ReducedProblem* reduced,
                   UsedBlocks* used) {
  const int num_blocks = static_cast<int>(blocks.size());
  PagedVector<int>& first = reduced->first_column;
  first.assign(blocks.size() + 1, 0);
  for (int i = 0; i < num_blocks; ++i) {
    first[i + 1] = first[i] + blocks[i]->num_parameter_blocks();
  }
  reduced->columns.resize(first.back());
  ParallelFor(
      execution, 0, num_blocks,
      [&](int i) {
        FetchAhead(blocks, i);
        ListArgumentsOf(*blocks[i], reduced->columns.data() + first[i], used);
      },
      kBlocksPerPiece);
}

// Keeps the arguments that vary, each once (a block may be given twice where
// safety checks are disabled), and the residual blocks that have any.
void SplitResidualBlocks(const std::vector<ResidualBlock*>& blocks,
                         int num_parameter_blocks, ReducedProblem* reduced) {
  PagedVector<int>& first = reduced->first_column;
  // By parameter block: kUsed minus the last residual block that has it.
  std::vector<int> last_user(num_parameter_blocks, kUnused);
  reduced->residual_blocks.reserve(blocks.size());
  int num_kept = 0;
  int k = 0;
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    const int begin = num_kept;
    for (const int end = first[i + 1]; k < end; ++k) {
      const int index = reduced->columns[k];
      if (index == kUnused || last_user[index] == kUsed - i) continue;
      last_user[index] = kUsed - i;
      reduced->columns[num_kept++] = index;
    }
    if (num_kept > begin) {
      reduced->residual_blocks.push_back(blocks[i]);
      first[reduced->residual_blocks.size()] = num_kept;
    } else {
      reduced->fixed_residual_blocks.push_back(blocks[i]);
    }
  }
  reduced->columns.resize(num_kept);
  first.resize(reduced->residual_blocks.size() + 1);
}

// Numbers the used, varying blocks in the problem's order.
void NumberParameterBlocks(const ProblemImpl& problem,
                           const Execution& execution, const UsedBlocks& used,
                           ReducedProblem* reduced) {
  constexpr int kColumnsPerPiece = 4096;
  std::vector<int> number(used.size(), kUnused);  // by index in the problem
  reduced->parameter_blocks.reserve(problem.parameter_blocks().size());
  for (ParameterBlock* block : problem.parameter_blocks()) {
    if (used[block->index()].load(std::memory_order_relaxed) == 0) continue;
    number[block->index()] = static_cast<int>(reduced->parameter_blocks.size());
    reduced->parameter_blocks.push_back(block);
  }
  // Else each has its index for its number.
  if (reduced->parameter_blocks.size() == used.size()) return;
  PagedVector<int>& columns = reduced->columns;
  ParallelFor(
      execution, 0, static_cast<int>(columns.size()),
      [&](int k) { columns[k] = number[columns[k]]; }, kColumnsPerPiece);
}

}  // namespace

bool CheckStart(const ProblemImpl& problem, const Execution& execution,
                std::string* error) {
  const std::vector<ParameterBlock*>& blocks = problem.parameter_blocks();
  const int num_blocks = static_cast<int>(blocks.size());
  const auto first_bad_of = [&](IndexRange range) {
    std::string unused;
    for (int i = range.begin; i < range.end; ++i) {
      if (i + kFetchBlock < num_blocks) {
        __builtin_prefetch(blocks[i + kFetchBlock]);
        __builtin_prefetch(blocks[i + kFetchArguments]->user_state());
      }
      if (!CheckFinite(*blocks[i], &unused) ||
          !CheckBounds(*blocks[i], &unused)) {
        return i;
      }
    }
    return num_blocks;
  };
  const int first_bad =
      num_blocks <= kBlocksPerPiece
          ? first_bad_of({0, num_blocks})
          : ParallelReduce(
                execution, 0, num_blocks, num_blocks, first_bad_of,
                [](int a, int b) { return std::min(a, b); }, kBlocksPerPiece);
  if (first_bad == num_blocks) return true;
  const ParameterBlock& block = *blocks[first_bad];
  return CheckFinite(block, error) && CheckBounds(block, error);
}

bool ReduceProblem(const ProblemImpl& problem, const Execution& execution,
                   ReducedProblem* reduced, std::string* error) {
  const std::vector<ResidualBlock*>& blocks = problem.residual_blocks();
  UsedBlocks used(problem.parameter_blocks().size());
  if (ListAlikeBlocks(blocks, execution, reduced, &used)) {
    reduced->all_residual_blocks = &blocks;
  } else {
    ListArguments(blocks, execution, reduced, &used);
    SplitResidualBlocks(blocks, static_cast<int>(used.size()), reduced);
  }
  NumberParameterBlocks(problem, execution, used, reduced);
  reduced->num_residual_blocks =
      static_cast<int>(reduced->ResidualBlocks().size());
  reduced->num_residuals = problem.num_residuals();
  for (const ResidualBlock* block : reduced->fixed_residual_blocks) {
    reduced->num_residuals -= block->num_residuals();
  }
  return EvaluateFixedCost(problem, execution, reduced, error);
}

bool EvaluateFixedCost(const ProblemImpl& problem, const Execution& execution,
                       ReducedProblem* reduced, std::string* error) {
  if (!reduced->fixed_residual_blocks.empty()) {
    const Program program({}, 0, reduced->fixed_residual_blocks);
    Evaluator::Options options;
    options.execution = execution;
    options.evaluation_callback = problem.options().evaluation_callback;
    const Evaluator::Result result =
        Evaluator(program, options)
            .EvaluateCost(nullptr, true, &reduced->fixed_cost, nullptr);
    if (!result) {
      *error =
          "Evaluation of the residual blocks whose parameter blocks are "
          "all constant failed. " +
          result.message;
      return false;
    }
  }
  return true;
}

}  // namespace ceres::internal
