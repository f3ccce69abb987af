// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reduced_problem.h"

#include <cmath>

#include "ceres/evaluation/evaluator.h"
#include "ceres/minimizer/format.h"
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

// Whether a residual block has a varying parameter block; marks these as used.
bool MarkVarying(const ResidualBlock& residual_block,
                 std::vector<int>* number) {
  bool is_varying = false;
  for (int a = 0; a < residual_block.num_parameter_blocks(); ++a) {
    const ParameterBlock* block = residual_block.parameter_blocks()[a];
    if (!block->IsConstant()) {
      (*number)[block->index()] = kUsed;
      is_varying = true;
    }
  }
  return is_varying;
}

// Numbers the used, varying blocks in the problem's order.
void NumberParameterBlocks(const ProblemImpl& problem, ReducedProblem* reduced,
                           std::vector<int>* number) {
  for (ParameterBlock* block : problem.parameter_blocks()) {
    if ((*number)[block->index()] == kUsed) {
      (*number)[block->index()] =
          static_cast<int>(reduced->parameter_blocks.size());
      reduced->parameter_blocks.push_back(block);
    }
  }
}

void ListColumns(const std::vector<int>& number, ReducedProblem* reduced) {
  std::vector<int> last_row(reduced->parameter_blocks.size(), -1);
  reduced->first_column.assign(1, 0);
  reduced->first_column.reserve(reduced->residual_blocks.size() + 1);
  for (size_t row = 0; row < reduced->residual_blocks.size(); ++row) {
    const ResidualBlock* residual_block = reduced->residual_blocks[row];
    for (int a = 0; a < residual_block->num_parameter_blocks(); ++a) {
      const int column = number[residual_block->parameter_blocks()[a]->index()];
      // A block may be given twice where safety checks are disabled.
      if (column >= 0 && last_row[column] != static_cast<int>(row)) {
        last_row[column] = static_cast<int>(row);
        reduced->columns.push_back(column);
      }
    }
    reduced->first_column.push_back(static_cast<int>(reduced->columns.size()));
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
  // By index in the problem.
  std::vector<int> number(problem.parameter_blocks().size(), kUnused);
  for (ResidualBlock* residual_block : problem.residual_blocks()) {
    (MarkVarying(*residual_block, &number) ? reduced->residual_blocks
                                           : reduced->fixed_residual_blocks)
        .push_back(residual_block);
  }
  NumberParameterBlocks(problem, reduced, &number);
  ListColumns(number, reduced);
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
