// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/program.h"

#include <algorithm>

#include "glog/logging.h"

namespace ceres::internal {
namespace {

constexpr int kConstant = -1;

// The column block of a parameter block; column_of is indexed by
// ParameterBlock::index() and may end before a block that is constant.
int ColumnOf(const ParameterBlock& block, const std::vector<int>& column_of) {
  return block.index() < static_cast<int>(column_of.size())
             ? column_of[block.index()]
             : kConstant;
}

}  // namespace

Program::Program(const std::vector<ParameterBlock*>& parameter_blocks,
                 int num_eliminated,
                 const std::vector<ResidualBlock*>& residual_blocks)
    : parameter_blocks(parameter_blocks), num_eliminated(num_eliminated) {
  CHECK_GE(num_eliminated, 0);
  CHECK_LE(num_eliminated, num_column_blocks());
  state_offset.reserve(parameter_blocks.size() + 1);
  delta_offset.reserve(parameter_blocks.size() + 1);
  manifolds.reserve(parameter_blocks.size());
  std::vector<int> column_of;
  for (int column = 0; column < num_column_blocks(); ++column) {
    const ParameterBlock& block = *parameter_blocks[column];
    if (block.index() >= static_cast<int>(column_of.size())) {
      column_of.resize(
          std::max<std::size_t>(block.index() + 1, parameter_blocks.size()),
          kConstant);
    }
    CHECK_EQ(column_of[block.index()], kConstant)
        << "The parameter block at " << block.user_state()
        << " stands twice among those to vary.";
    column_of[block.index()] = column;
    state_offset.push_back(state_offset.back() + block.size());
    delta_offset.push_back(delta_offset.back() + block.tangent_size());
    manifolds.push_back(block.manifold());
    has_bounds_ = has_bounds_ || block.has_bounds();
  }

  std::vector<ResidualBlock*> blocks;
  blocks.reserve(residual_blocks.size());
  for (ResidualBlock* block : residual_blocks) {
    if (block->num_residuals() > 0) blocks.push_back(block);
  }
  OrderRows(blocks, column_of);
  std::size_t num_arguments = 0;
  for (const ResidualBlock* block : this->residual_blocks) {
    num_arguments += block->num_parameter_blocks();
  }
  arguments.reserve(num_arguments);
  cost_functions.reserve(residual_blocks.size());
  loss_functions.reserve(residual_blocks.size());
  row_offset.reserve(residual_blocks.size() + 1);
  first_argument.reserve(residual_blocks.size() + 1);
  std::vector<int> last_row(parameter_blocks.size(), -1);
  for (ResidualBlock* block : this->residual_blocks) {
    AppendRow(block, column_of, &last_row);
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
    residual_blocks.push_back(whole.residual_blocks[row]);
    cost_functions.push_back(whole.cost_functions[row]);
    loss_functions.push_back(whole.loss_functions[row]);
    row_offset.push_back(row_offset.back() + whole.row_offset[row + 1] -
                         whole.row_offset[row]);
    for (int k = whole.first_argument[row]; k < whole.first_argument[row + 1];
         ++k) {
      Argument argument = whole.arguments[k];
      if (argument.column_block == column_block) {
        argument.column_block = 0;
        argument.state_offset = 0;
      } else if (argument.column_block != kConstant) {
        argument.column_block = kConstant;
        argument.constant = state + argument.state_offset;
        argument.state_offset = 0;
      }
      arguments.push_back(argument);
    }
    first_argument.push_back(static_cast<int>(arguments.size()));
  }
}

// A counting sort by eliminated block.
void Program::OrderRows(const std::vector<ResidualBlock*>& blocks,
                        const std::vector<int>& column_of) {
  if (num_eliminated == 0) {
    residual_blocks = blocks;
    return;
  }
  // Rows without an eliminated block come last, under this number.
  const int none = num_eliminated;
  std::vector<int> eliminated_of(blocks.size(), none);
  std::vector<int> first_row(num_eliminated + 2, 0);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (int k = 0; k < blocks[i]->num_parameter_blocks(); ++k) {
      const int column = ColumnOf(*blocks[i]->parameter_blocks()[k], column_of);
      if (column == kConstant || column >= num_eliminated) continue;
      CHECK_EQ(eliminated_of[i], none)
          << "Residual block " << blocks[i]->index()
          << " touches two parameter blocks that are to be eliminated.";
      eliminated_of[i] = column;
    }
    ++first_row[eliminated_of[i] + 1];
  }
  for (int e = 0; e <= num_eliminated; ++e) first_row[e + 1] += first_row[e];
  eliminated_first_row.assign(first_row.begin(), first_row.end() - 1);

  residual_blocks.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    residual_blocks[first_row[eliminated_of[i]]++] = blocks[i];
  }
}

void Program::AppendRow(ResidualBlock* block, const std::vector<int>& column_of,
                        std::vector<int>* last_row) {
  const int row = static_cast<int>(cost_functions.size());
  cost_functions.push_back(block->cost_function());
  loss_functions.push_back(block->loss_function());
  row_offset.push_back(row_offset.back() + block->num_residuals());
  int num_parameters = 0;
  for (int k = 0; k < block->num_parameter_blocks(); ++k) {
    const ParameterBlock& parameter_block = *block->parameter_blocks()[k];
    const int column = ColumnOf(parameter_block, column_of);
    if (column != kConstant) {
      CHECK_NE((*last_row)[column], row)
          << "Residual block " << block->index() << " has the parameter block "
          << "at " << parameter_block.user_state() << " twice.";
      (*last_row)[column] = row;
    }
    Argument argument;
    argument.column_block = column;
    argument.state_offset = column == kConstant ? 0 : state_offset[column];
    argument.constant =
        column == kConstant ? parameter_block.user_state() : nullptr;
    argument.size = parameter_block.size();
    argument.tangent_size = parameter_block.tangent_size();
    arguments.push_back(argument);
    num_parameters += parameter_block.size();
  }
  first_argument.push_back(static_cast<int>(arguments.size()));
  max_residuals_per_block =
      std::max(max_residuals_per_block, block->num_residuals());
  max_arguments_per_block =
      std::max(max_arguments_per_block, block->num_parameter_blocks());
  max_parameters_per_block = std::max(max_parameters_per_block, num_parameters);
}

void Program::GetState(double* state) const {
  for (int column = 0; column < num_column_blocks(); ++column) {
    const ParameterBlock& block = *parameter_blocks[column];
    std::copy_n(block.user_state(), block.size(), state + state_offset[column]);
  }
}

void Program::SetUserState(const double* state) const {
  for (int column = 0; column < num_column_blocks(); ++column) {
    const ParameterBlock& block = *parameter_blocks[column];
    std::copy_n(state + state_offset[column], block.size(), block.user_state());
  }
}

bool Program::Plus(const double* x, const double* delta,
                   double* x_plus_delta) const {
  for (int column = 0; column < num_column_blocks(); ++column) {
    const int begin = state_offset[column];
    const int end = state_offset[column + 1];
    const double* block_delta = delta + delta_offset[column];
    if (manifolds[column] != nullptr) {
      if (!manifolds[column]->Plus(x + begin, block_delta,
                                   x_plus_delta + begin)) {
        return false;
      }
    } else {
      for (int i = begin; i < end; ++i) {
        x_plus_delta[i] = x[i] + block_delta[i - begin];
      }
    }
    if (has_bounds_) {
      parameter_blocks[column]->ProjectOnBounds(x_plus_delta + begin);
    }
  }
  return true;
}

}  // namespace ceres::internal
