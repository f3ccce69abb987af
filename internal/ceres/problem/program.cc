// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/program.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "ceres/base/intrinsics.h"
#include "ceres/execution/loops.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// Column blocks that are worth a piece of a parallel loop.
constexpr int kMinColumnsToShare = 1024;

ProgramArrays RestrictToColumn(const Program& whole, int column_block,
                               const int* rows, int num_rows,
                               const double* state) {
  ProgramArrays part;
  part.parameter_blocks = {whole.parameter_blocks()[column_block]};
  part.manifolds = {whole.manifolds()[column_block]};
  part.own_manifolds = whole.own_manifolds();
  part.has_bounds = part.parameter_blocks.front()->has_bounds();
  part.state_offset.push_back(part.parameter_blocks.front()->size());
  part.delta_offset.push_back(whole.tangent_size(column_block));
  part.max_residuals_per_block = whole.max_residuals_per_block();
  part.max_arguments_per_block = whole.max_arguments_per_block();
  part.max_parameters_per_block = whole.max_parameters_per_block();
  part.has_batch_rows = whole.has_batch_rows();
  for (int i = 0; i < num_rows; ++i) {
    const int row = rows[i];
    part.residual_block_index.PushBack(whole.residual_block_index()[row]);
    part.cost_functions.push_back(whole.cost_functions()[row]);
    if (whole.has_loss_functions()) {
      part.loss_functions.push_back(whole.loss_function(row));
    }
    part.row_offset.PushBack(part.row_offset.back() +
                             whole.row_offset()[row + 1] -
                             whole.row_offset()[row]);
    for (int k = whole.first_argument()[row];
         k < whole.first_argument()[row + 1]; ++k) {
      if (whole.arguments()[k] == column_block) {
        part.arguments.push_back(0);
      } else {
        part.arguments.push_back(~static_cast<int>(part.constants.size()));
        part.constants.push_back(whole.Values(k, state));
      }
    }
    part.first_argument.PushBack(static_cast<int>(part.arguments.size()));
  }
  return part;
}

ProgramArrays ReplaceCostFunctions(
    ProgramArrays arrays, PagedVector<const CostFunction*> cost_functions) {
  VESTA_CHECK_EQ(arrays.cost_functions.size(), cost_functions.size());
  arrays.cost_functions = std::move(cost_functions);
  return arrays;
}

}  // namespace

Program::Program(const std::vector<ParameterBlock*>& parameter_blocks,
                 int num_eliminated,
                 const std::vector<ResidualBlock*>& residual_blocks,
                 const Execution& execution, RowOrder row_order)
    : arrays_(MakeProgramArrays(parameter_blocks, num_eliminated,
                                residual_blocks, execution,
                                std::move(row_order))) {}

Program::Program(const Program& whole, int column_block, const int* rows,
                 int num_rows, const double* state)
    : arrays_(RestrictToColumn(whole, column_block, rows, num_rows, state)) {}

Program::Program(const Program& program,
                 PagedVector<const CostFunction*> cost_functions)
    : arrays_(
          ReplaceCostFunctions(program.arrays_, std::move(cost_functions))) {}

Program::Program(ProgramArrays arrays) : arrays_(std::move(arrays)) {}

Program Program::WithoutManifolds() const {
  ProgramArrays arrays = arrays_;
  arrays.delta_offset = arrays.state_offset;
  std::fill(arrays.manifolds.begin(), arrays.manifolds.end(), nullptr);
  return Program(std::move(arrays));
}

std::optional<Program> Program::WithPinnedCoordinates() const {
  std::vector<int> columns;
  auto held = std::make_shared<std::vector<SubsetManifold>>();
  for (int column = 0; has_bounds() && column < num_column_blocks(); ++column) {
    if (arrays_.manifolds[column] != nullptr) continue;
    const ParameterBlock& block = *arrays_.parameter_blocks[column];
    const std::vector<int> pinned = block.PinnedCoordinates();
    if (pinned.empty()) continue;
    columns.push_back(column);
    held->emplace_back(block.size(), pinned);
  }
  if (columns.empty()) return std::nullopt;
  ProgramArrays arrays = arrays_;
  std::vector<int> sizes(num_column_blocks());
  for (int column = 0; column < num_column_blocks(); ++column) {
    sizes[column] = tangent_size(column);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    arrays.manifolds[columns[i]] = &(*held)[i];
    sizes[columns[i]] = (*held)[i].TangentSize();
  }
  for (int column = 0; column < num_column_blocks(); ++column) {
    arrays.delta_offset[column + 1] =
        arrays.delta_offset[column] + sizes[column];
  }
  arrays.own_manifolds = std::move(held);
  return Program(std::move(arrays));
}

// Calls f(column) for all column blocks, by several threads if there are many.
// Fetches parameter blocks and the user's values into the cache before.
template <typename F>
void Program::VisitStates(const Execution& execution, const F& f) const {
  constexpr int kFetchBlock = 24;
  constexpr int kFetchState = 12;
  const auto visit = [&](IndexRange columns) {
    for (int column = columns.begin; column < columns.end; ++column) {
      if (column + kFetchBlock < num_column_blocks()) {
        CERES_PREFETCH(arrays_.parameter_blocks[column + kFetchBlock]);
        CERES_PREFETCH(
            arrays_.parameter_blocks[column + kFetchState]->user_state());
      }
      f(column);
    }
  };
  if (num_column_blocks() <= kMinColumnsToShare) {
    visit({0, num_column_blocks()});
  } else {
    ParallelFor(execution, 0, num_column_blocks(), visit, kMinColumnsToShare);
  }
}

void Program::ReadUserMemory(const Execution& execution, double* state) const {
  VisitStates(execution, [this, state](int column) {
    const ParameterBlock& block = *arrays_.parameter_blocks[column];
    std::copy_n(block.user_state(), block.size(),
                state + arrays_.state_offset[column]);
  });
}

void Program::WriteUserMemory(const Execution& execution,
                              const double* state) const {
  VisitStates(execution, [this, state](int column) {
    const ParameterBlock& block = *arrays_.parameter_blocks[column];
    std::copy_n(state + arrays_.state_offset[column], block.size(),
                block.user_state());
  });
}

void Program::ReadUserMemory(double* state) const {
  ReadUserMemory(Execution(), state);
}
void Program::WriteUserMemory(const double* state) const {
  WriteUserMemory(Execution(), state);
}

// Plus of the column blocks [begin_column, end_column).
bool Program::PlusOfColumns(int begin_column, int end_column, const double* x,
                            const double* delta, double* x_plus_delta) const {
  for (int column = begin_column; column < end_column;) {
    int first = column;
    const int begin = arrays_.state_offset[column];
    const double* first_delta = delta + arrays_.delta_offset[column];
    if (arrays_.manifolds[column] != nullptr) {
      if (!arrays_.manifolds[column]->Plus(x + begin, first_delta,
                                           x_plus_delta + begin)) {
        return false;
      }
      ++column;
    } else {
      // Consecutive Euclidean blocks at once: most are small.
      while (column < end_column && arrays_.manifolds[column] == nullptr)
        ++column;
      const int size = arrays_.state_offset[column] - begin;
      double* const sum = x_plus_delta + begin;
      if (size == 2) {  // points in the plane, too few for a vector loop
        sum[0] = x[begin] + first_delta[0];
        sum[1] = x[begin + 1] + first_delta[1];
      } else {
        for (int i = 0; i < size; ++i) sum[i] = x[begin + i] + first_delta[i];
      }
    }
    for (; has_bounds() && first < column; ++first) {
      arrays_.parameter_blocks[first]->ProjectOnBounds(
          x_plus_delta + arrays_.state_offset[first]);
    }
  }
  return true;
}

bool Program::Plus(const double* x, const double* delta,
                   double* x_plus_delta) const {
  return PlusOfColumns(0, num_column_blocks(), x, delta, x_plus_delta);
}

bool Program::Plus(const Execution& execution, const double* x,
                   const double* delta, double* x_plus_delta) const {
  if (num_column_blocks() <= kMinColumnsToShare) {
    return Plus(x, delta, x_plus_delta);
  }
  std::atomic<bool> succeeded{true};
  ParallelFor(
      execution, 0, num_column_blocks(),
      [&](IndexRange columns) {
        if (!PlusOfColumns(columns.begin, columns.end, x, delta,
                           x_plus_delta)) {
          succeeded = false;
        }
      },
      kMinColumnsToShare);
  return succeeded;
}

}  // namespace ceres::internal
