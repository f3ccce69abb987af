// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reduced_problem.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/evaluator.h"
#include "ceres/minimizer/format.h"
#include "ceres/parallel/loops.h"
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

// By argument of the residual blocks, all of them: the parameter block's index
// in the problem, or kUnused where it is constant.
void ListArguments(const std::vector<ResidualBlock*>& blocks,
                   const Execution& execution, ReducedProblem* reduced) {
  constexpr int kBlocksPerPiece = 512;
  // How many residual blocks ahead they, and then their parameter blocks, are
  // fetched into the cache.
  constexpr int kFetchBlock = 24;
  constexpr int kFetchArguments = 12;
  const int num_blocks = static_cast<int>(blocks.size());
  reduced->first_column.resize(blocks.size() + 1);
  for (int i = 0; i < num_blocks; ++i) {
    reduced->first_column[i + 1] =
        reduced->first_column[i] + blocks[i]->num_parameter_blocks();
  }
  reduced->columns.resize(reduced->first_column.back());
  ParallelFor(
      execution, 0, num_blocks,
      [&](int i) {
        if (i + kFetchBlock < num_blocks) {
          __builtin_prefetch(blocks[i + kFetchBlock]);
          const ResidualBlock& next = *blocks[i + kFetchArguments];
          for (int a = 0; a < next.num_parameter_blocks(); ++a) {
            __builtin_prefetch(next.parameter_blocks()[a]);
          }
        }
        int* column = reduced->columns.data() + reduced->first_column[i];
        for (int a = 0; a < blocks[i]->num_parameter_blocks(); ++a, ++column) {
          const ParameterBlock& block = *blocks[i]->parameter_blocks()[a];
          *column = block.IsConstant() ? kUnused : block.index();
        }
      },
      kBlocksPerPiece);
}

// Keeps the arguments that vary, each once (a block may be given twice where
// safety checks are disabled), and the residual blocks that have any. The
// number of a parameter block becomes kUsed minus the last residual block.
void SplitResidualBlocks(const std::vector<ResidualBlock*>& blocks,
                         ReducedProblem* reduced, std::vector<int>* number) {
  std::vector<int>& first = reduced->first_column;
  int num_kept = 0;
  int k = 0;
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    const int begin = num_kept;
    for (const int end = first[i + 1]; k < end; ++k) {
      const int index = reduced->columns[k];
      if (index == kUnused || (*number)[index] == kUsed - i) continue;
      (*number)[index] = kUsed - i;
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
void NumberParameterBlocks(const ProblemImpl& problem, ReducedProblem* reduced,
                           std::vector<int>* number) {
  reduced->parameter_blocks.reserve(problem.parameter_blocks().size());
  for (ParameterBlock* block : problem.parameter_blocks()) {
    if ((*number)[block->index()] != kUnused) {
      (*number)[block->index()] =
          static_cast<int>(reduced->parameter_blocks.size());
      reduced->parameter_blocks.push_back(block);
    }
  }
}

}  // namespace

bool CheckStart(const ProblemImpl& problem, std::string* error) {
  for (const ParameterBlock* block : problem.parameter_blocks()) {
    if (!CheckFinite(*block, error) || !CheckBounds(*block, error)) {
      return false;
    }
  }
  return true;
}

bool ReduceProblem(const ProblemImpl& problem, const Execution& execution,
                   ReducedProblem* reduced, std::string* error) {
  reduced->residual_blocks.reserve(problem.residual_blocks().size());
  ListArguments(problem.residual_blocks(), execution, reduced);
  // By index in the problem.
  std::vector<int> number(problem.parameter_blocks().size(), kUnused);
  SplitResidualBlocks(problem.residual_blocks(), reduced, &number);
  NumberParameterBlocks(problem, reduced, &number);
  for (int& column : reduced->columns) column = number[column];
  reduced->num_residual_blocks =
      static_cast<int>(reduced->residual_blocks.size());
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
