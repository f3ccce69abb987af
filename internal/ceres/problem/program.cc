// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/program.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "ceres/execution/loops.h"
#include "glog/logging.h"

namespace ceres::internal {
namespace {

// Of an argument: constant, its number is not known yet.
constexpr int kConstant = -1;
// How many row blocks ahead a residual block is fetched into the cache.
constexpr int kPrefetchDistance = 16;
constexpr int kRowsPerPiece = 256;
constexpr int kMinColumnsToShare = 1024;

// The column block of a parameter block; column_of is indexed by
// ParameterBlock::index() and may end before a block that is constant.
int ColumnOf(const ParameterBlock& block, const std::vector<int>& column_of) {
  return block.index() < static_cast<int>(column_of.size())
             ? column_of[block.index()]
             : kConstant;
}

// Or kConstant, which may be there as often as it likes.
int ColumnGivenTwice(const int* begin, const int* end) {
  // Quadratic where that is faster than sorting.
  constexpr int kMaxNumForPairs = 12;
  if (end - begin <= kMaxNumForPairs) {
    for (const int* a = begin; a < end; ++a) {
      if (*a != kConstant && std::find(begin, a, *a) != a) return *a;
    }
    return kConstant;
  }
  std::vector<int> columns;
  std::copy_if(begin, end, std::back_inserter(columns),
               [](int column) { return column != kConstant; });
  std::sort(columns.begin(), columns.end());
  const auto it = std::adjacent_find(columns.begin(), columns.end());
  return it == columns.end() ? kConstant : *it;
}

}  // namespace

Program::Program(const std::vector<ParameterBlock*>& parameter_blocks,
                 int num_eliminated,
                 const std::vector<ResidualBlock*>& residual_blocks,
                 const Execution& execution, RowOrder row_order)
    : parameter_blocks(parameter_blocks),
      state_offset(parameter_blocks.size() + 1),
      delta_offset(parameter_blocks.size() + 1),
      num_eliminated(num_eliminated) {
  CHECK_GE(num_eliminated, 0);
  CHECK_LE(num_eliminated, num_column_blocks());
  std::vector<int> column_of;
  AddColumns(&column_of);

  const std::vector<ResidualBlock*>* blocks = &residual_blocks;
  std::vector<ResidualBlock*> with_residuals;
  RowSizeBounds size_bounds = row_order.size_bounds;
  if (size_bounds.min_residuals == 0) {
    size_bounds = FindSizeBounds(residual_blocks, execution);
  }
  if (size_bounds.min_residuals == 0) {
    std::copy_if(
        residual_blocks.begin(), residual_blocks.end(),
        std::back_inserter(with_residuals),
        [](const ResidualBlock* block) { return block->num_residuals() > 0; });
    blocks = &with_residuals;
    size_bounds = FindSizeBounds(with_residuals, execution);
    row_order = RowOrder();
  }
  if (num_eliminated > 0 && row_order.eliminated_first_row.empty()) {
    row_order = OrderRows(*blocks, column_of, execution);
  }
  const Blocks by_place = {*blocks,
                           num_eliminated > 0 ? row_order.row.data() : nullptr};
  if (num_eliminated > 0) {
    eliminated_first_row = std::move(row_order.eliminated_first_row);
  }
  MeasureRows(by_place, size_bounds);
  const ArgumentSizeBounds arguments = FillRows(by_place, column_of, execution);
  max_parameters_per_block = arguments.max_parameters;
  if (arguments.any_constant) NumberConstants(by_place);
}

// Sizes and offsets of the columns. column_of: by index in the problem.
void Program::AddColumns(std::vector<int>* column_of) {
  manifolds.reserve(parameter_blocks.size());
  for (int column = 0; column < num_column_blocks(); ++column) {
    if (column + kPrefetchDistance < num_column_blocks()) {
      __builtin_prefetch(parameter_blocks[column + kPrefetchDistance]);
    }
    const ParameterBlock& block = *parameter_blocks[column];
    if (block.index() >= static_cast<int>(column_of->size())) {
      column_of->resize(
          std::max<std::size_t>(block.index() + 1, parameter_blocks.size()),
          kConstant);
    }
    int& column_of_block = (*column_of)[block.index()];
    CHECK_EQ(column_of_block, kConstant)
        << "The parameter block at " << block.user_state()
        << " stands twice among those to vary.";
    column_of_block = column;
    state_offset[column + 1] = state_offset[column] + block.size();
    delta_offset[column + 1] = delta_offset[column] + block.tangent_size();
    manifolds.push_back(block.manifold());
    has_bounds_ = has_bounds_ || block.has_bounds();
  }
}

Program::Program(const Program& whole, int column_block, const int* rows,
                 int num_rows, const double* state)
    : parameter_blocks(1, whole.parameter_blocks[column_block]),
      manifolds(1, whole.manifolds[column_block]),
      has_bounds_(parameter_blocks.front()->has_bounds()) {
  state_offset.push_back(parameter_blocks.front()->size());
  delta_offset.push_back(parameter_blocks.front()->tangent_size());
  max_residuals_per_block = whole.max_residuals_per_block;
  max_arguments_per_block = whole.max_arguments_per_block;
  max_parameters_per_block = whole.max_parameters_per_block;
  for (int i = 0; i < num_rows; ++i) {
    const int row = rows[i];
    residual_block_index.push_back(whole.residual_block_index[row]);
    cost_functions.push_back(whole.cost_functions[row]);
    if (!whole.loss_functions.empty()) {
      loss_functions.push_back(whole.loss_functions[row]);
    }
    row_offset.PushBack(row_offset.back() + whole.row_offset[row + 1] -
                        whole.row_offset[row]);
    for (int k = whole.first_argument[row]; k < whole.first_argument[row + 1];
         ++k) {
      if (whole.arguments[k] == column_block) {
        arguments.push_back(0);
      } else {
        arguments.push_back(~static_cast<int>(constants.size()));
        constants.push_back(whole.Values(k, state));
      }
    }
    first_argument.PushBack(static_cast<int>(arguments.size()));
  }
}

// The eliminated block that a row touches, or num_eliminated.
int Program::EliminatedOf(const ResidualBlock& block,
                          const std::vector<int>& column_of) const {
  int eliminated = num_eliminated;
  for (int k = 0; k < block.num_parameter_blocks(); ++k) {
    const int column = ColumnOf(*block.parameter_blocks()[k], column_of);
    if (column == kConstant || column >= num_eliminated) continue;
    CHECK_EQ(eliminated, num_eliminated)
        << "Residual block " << block.index()
        << " touches two parameter blocks that are to be eliminated.";
    eliminated = column;
  }
  return eliminated;
}

// A counting sort by eliminated block; rows without one come last.
RowOrder Program::OrderRows(const std::vector<ResidualBlock*>& blocks,
                            const std::vector<int>& column_of,
                            const Execution& execution) const {
  std::vector<int> eliminated_of(blocks.size());
  ParallelFor(
      execution, 0, static_cast<int>(blocks.size()),
      [&](int i) { eliminated_of[i] = EliminatedOf(*blocks[i], column_of); },
      kRowsPerPiece);
  std::vector<int> first_row(num_eliminated + 2, 0);
  for (const int eliminated : eliminated_of) ++first_row[eliminated + 1];
  for (int e = 0; e <= num_eliminated; ++e) first_row[e + 1] += first_row[e];
  RowOrder order;
  order.eliminated_first_row.assign(first_row.begin(), first_row.end() - 1);
  order.row.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    order.row[i] = first_row[eliminated_of[i]]++;
  }
  return order;
}

RowSizeBounds RowSizeBounds::OfNone() {
  constexpr int kMost = std::numeric_limits<int>::max();
  return {kMost, 0, kMost, 0, false};
}

RowSizeBounds RowSizeBounds::Of(const ResidualBlock& block) {
  const int residuals = block.num_residuals();
  const int arguments = block.num_parameter_blocks();
  return {residuals, residuals, arguments, arguments,
          block.has_loss_function()};
}

RowSizeBounds RowSizeBounds::Combine(const RowSizeBounds& a,
                                     const RowSizeBounds& b) {
  return {std::min(a.min_residuals, b.min_residuals),
          std::max(a.max_residuals, b.max_residuals),
          std::min(a.min_arguments, b.min_arguments),
          std::max(a.max_arguments, b.max_arguments),
          a.any_loss_function || b.any_loss_function};
}

RowSizeBounds Program::FindSizeBounds(const std::vector<ResidualBlock*>& blocks,
                                      const Execution& execution) {
  return ParallelReduce(
      execution, 0, static_cast<int>(blocks.size()), RowSizeBounds::OfNone(),
      [&](IndexRange range) {
        RowSizeBounds size_bounds = RowSizeBounds::OfNone();
        for (int i = range.begin; i < range.end; ++i) {
          size_bounds = RowSizeBounds::Combine(size_bounds,
                                               RowSizeBounds::Of(*blocks[i]));
        }
        return size_bounds;
      },
      RowSizeBounds::Combine, kRowsPerPiece);
}

void Program::MeasureRows(const Blocks& blocks,
                          const RowSizeBounds& size_bounds) {
  residual_block_index.resize(blocks.size());
  max_residuals_per_block = size_bounds.max_residuals;
  max_arguments_per_block = size_bounds.max_arguments;
  if (size_bounds.min_residuals >= size_bounds.max_residuals &&
      size_bounds.min_arguments >= size_bounds.max_arguments) {
    row_offset.MakeLinear(num_row_blocks() + 1, max_residuals_per_block);
    first_argument.MakeLinear(num_row_blocks() + 1, max_arguments_per_block);
  } else {
    ListOffsets(blocks);
  }
  cost_functions.resize(num_row_blocks());
  if (size_bounds.any_loss_function) loss_functions.resize(num_row_blocks());
  arguments.resize(first_argument.back());
}

void Program::ListOffsets(const Blocks& blocks) {
  row_offset.Resize(num_row_blocks() + 1);
  first_argument.Resize(num_row_blocks() + 1);
  int* const residuals = row_offset.list();
  int* const arguments = first_argument.list();
  residuals[0] = arguments[0] = 0;
  for (int i = 0; i < blocks.size(); ++i) {
    if (i + kPrefetchDistance < blocks.size()) {
      __builtin_prefetch(&blocks[i + kPrefetchDistance]);
    }
    residuals[blocks.row(i) + 1] = blocks[i].num_residuals();
    arguments[blocks.row(i) + 1] = blocks[i].num_parameter_blocks();
  }
  std::partial_sum(residuals, residuals + num_row_blocks() + 1, residuals);
  std::partial_sum(arguments, arguments + num_row_blocks() + 1, arguments);
}

// In the order of blocks: their rows lie nearer to each other than they do.
Program::ArgumentSizeBounds Program::FillRows(const Blocks& blocks,
                                              const std::vector<int>& column_of,
                                              const Execution& execution) {
  const ArgumentSizeBounds none = {0, false};
  const auto combine = [](const ArgumentSizeBounds& a,
                          const ArgumentSizeBounds& b) {
    return ArgumentSizeBounds{std::max(a.max_parameters, b.max_parameters),
                              a.any_constant || b.any_constant};
  };
  return ParallelReduce(
      execution, 0, blocks.size(), none,
      [&](IndexRange range) {
        ArgumentSizeBounds size_bounds = none;
        for (int i = range.begin; i < range.end; ++i) {
          if (i + kPrefetchDistance < blocks.size()) {
            __builtin_prefetch(&blocks[i + kPrefetchDistance]);
          }
          size_bounds = combine(size_bounds,
                                FillRow(blocks[i], blocks.row(i), column_of));
        }
        return size_bounds;
      },
      combine, kRowsPerPiece);
}

Program::ArgumentSizeBounds Program::FillRow(
    const ResidualBlock& block, int row, const std::vector<int>& column_of) {
  residual_block_index[row] = block.index();
  cost_functions[row] = block.cost_function();
  if (!loss_functions.empty()) loss_functions[row] = block.loss_function();
  int* const begin = arguments.data() + first_argument[row];
  int* argument = begin;
  ArgumentSizeBounds size_bounds = {0, false};
  for (int k = 0; k < block.num_parameter_blocks(); ++k, ++argument) {
    const ParameterBlock& parameter_block = *block.parameter_blocks()[k];
    *argument = ColumnOf(parameter_block, column_of);
    size_bounds.max_parameters += parameter_block.size();
    size_bounds.any_constant |= *argument == kConstant;
  }
  const int twice = ColumnGivenTwice(begin, argument);
  CHECK_EQ(twice, kConstant)
      << "Residual block " << block.index() << " has the parameter block "
      << "at " << parameter_blocks[twice]->user_state() << " twice.";
  return size_bounds;
}

// In the order of rows.
void Program::NumberConstants(const Blocks& blocks) {
  std::vector<int> place(num_row_blocks());  // by row
  for (int i = 0; i < blocks.size(); ++i) place[blocks.row(i)] = i;
  std::vector<int> number;  // by index in the problem
  for (int row = 0; row < num_row_blocks(); ++row) {
    for (int k = first_argument[row]; k < first_argument[row + 1]; ++k) {
      if (arguments[k] != kConstant) continue;
      const ParameterBlock& block =
          *blocks[place[row]].parameter_blocks()[k - first_argument[row]];
      if (block.index() >= static_cast<int>(number.size())) {
        number.resize(2 * block.index() + 1, kConstant);
      }
      int& number_of_block = number[block.index()];
      if (number_of_block == kConstant) {
        number_of_block = static_cast<int>(constants.size());
        constants.push_back(block.user_state());
      }
      arguments[k] = ~number_of_block;
    }
  }
}

// Calls f(column) for all column blocks, in pieces, each when its parameter
// block and the user's values have been fetched.
template <typename F>
void Program::VisitStates(const Execution& execution, const F& f) const {
  constexpr int kFetchBlock = 24;
  constexpr int kFetchState = 12;
  const auto visit = [&](IndexRange columns) {
    for (int column = columns.begin; column < columns.end; ++column) {
      if (column + kFetchBlock < num_column_blocks()) {
        __builtin_prefetch(parameter_blocks[column + kFetchBlock]);
        __builtin_prefetch(
            parameter_blocks[column + kFetchState]->user_state());
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

void Program::GetState(const Execution& execution, double* state) const {
  VisitStates(execution, [this, state](int column) {
    const ParameterBlock& block = *parameter_blocks[column];
    std::copy_n(block.user_state(), block.size(), state + state_offset[column]);
  });
}

void Program::SetUserState(const Execution& execution,
                           const double* state) const {
  VisitStates(execution, [this, state](int column) {
    const ParameterBlock& block = *parameter_blocks[column];
    std::copy_n(state + state_offset[column], block.size(), block.user_state());
  });
}

void Program::GetState(double* state) const { GetState(Execution(), state); }
void Program::SetUserState(const double* state) const {
  SetUserState(Execution(), state);
}

// Of column blocks [begin, end).
bool Program::PlusOfColumns(int begin_column, int end_column, const double* x,
                            const double* delta, double* x_plus_delta) const {
  for (int column = begin_column; column < end_column;) {
    int first = column;
    const int begin = state_offset[column];
    const double* first_delta = delta + delta_offset[column];
    if (manifolds[column] != nullptr) {
      if (!manifolds[column]->Plus(x + begin, first_delta,
                                   x_plus_delta + begin)) {
        return false;
      }
      ++column;
    } else {
      // All Euclidean blocks in a row at once: mostly they are small.
      while (column < end_column && manifolds[column] == nullptr) ++column;
      const int size = state_offset[column] - begin;
      double* const sum = x_plus_delta + begin;
      if (size == 2) {  // points in the plane, too few for a vector loop
        sum[0] = x[begin] + first_delta[0];
        sum[1] = x[begin + 1] + first_delta[1];
      } else {
        for (int i = 0; i < size; ++i) sum[i] = x[begin + i] + first_delta[i];
      }
    }
    for (; has_bounds_ && first < column; ++first) {
      parameter_blocks[first]->ProjectOnBounds(x_plus_delta +
                                               state_offset[first]);
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
