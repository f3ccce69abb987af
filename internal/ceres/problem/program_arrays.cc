// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/program_arrays.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "ceres/base/intrinsics.h"
#include "ceres/execution/loops.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

// An argument that is held constant and has no number yet.
constexpr int kConstant = -1;
// How many residual blocks ahead a block is fetched into the cache.
constexpr int kPrefetchDistance = 16;
// Rows that are worth a piece of a parallel loop.
constexpr int kRowsPerPiece = 256;

// The column block of a parameter block, or kConstant. column_of is indexed by
// ParameterBlock::index(); it may end before a block that is constant.
int ColumnOf(const ParameterBlock& block, const std::vector<int>& column_of) {
  return block.index() < static_cast<int>(column_of.size())
             ? column_of[block.index()]
             : kConstant;
}

// A column block that occurs twice in [begin, end), or kConstant. kConstant
// itself may occur any number of times.
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

// Fills the arrays of a program: columns first, then rows.
class ProgramBuilder : private ProgramArrays {
 public:
  ProgramBuilder(const std::vector<ParameterBlock*>& blocks,
                 int num_eliminated);

  void AddRows(const std::vector<ResidualBlock*>& residual_blocks,
               const Execution& execution, RowOrder row_order);
  ProgramArrays Take() { return std::move(*this); }

 private:
  // Residual blocks, in the order of their memory, and the row of each.
  struct Blocks {
    const std::vector<ResidualBlock*>& blocks;
    const int* rows;  // null: row i is blocks[i]

    int size() const { return static_cast<int>(blocks.size()); }
    const ResidualBlock& operator[](int i) const { return *blocks[i]; }
    int row(int i) const { return rows == nullptr ? i : rows[i]; }
  };
  // About a set of rows.
  struct RowFacts {
    int max_parameters = 0;     // ambient size of the arguments of a row
    bool any_constant = false;  // whether an argument is constant
    bool in_order = true;       // whether row i is residual block i
  };

  int EliminatedOf(const ResidualBlock& block) const;
  RowOrder OrderRows(const std::vector<ResidualBlock*>& blocks,
                     const Execution& execution) const;
  void MeasureRows(const Blocks& blocks, const RowSizeBounds& size_bounds);
  void ListOffsets(const Blocks& blocks);
  RowFacts FillRows(const Blocks& blocks, const Execution& execution);
  RowFacts FillRow(const ResidualBlock& block, int row);
  void NumberConstants(const Blocks& blocks);

  std::vector<int> column_of_;  // by index in the problem; may be too short
};

ProgramBuilder::ProgramBuilder(const std::vector<ParameterBlock*>& blocks,
                               int num_eliminated_columns) {
  parameter_blocks = blocks;
  num_eliminated = num_eliminated_columns;
  VESTA_CHECK_GE(num_eliminated, 0);
  VESTA_CHECK_LE(num_eliminated, num_column_blocks());
  state_offset.resize(num_column_blocks() + 1);
  delta_offset.resize(num_column_blocks() + 1);
  manifolds.reserve(parameter_blocks.size());
  for (int column = 0; column < num_column_blocks(); ++column) {
    if (column + kPrefetchDistance < num_column_blocks()) {
      CERES_PREFETCH(parameter_blocks[column + kPrefetchDistance]);
    }
    const ParameterBlock& block = *parameter_blocks[column];
    if (block.index() >= static_cast<int>(column_of_.size())) {
      column_of_.resize(
          std::max<std::size_t>(block.index() + 1, parameter_blocks.size()),
          kConstant);
    }
    int& column_of_block = column_of_[block.index()];
    VESTA_CHECK_EQ(column_of_block, kConstant)
        << "The parameter block at " << block.user_state()
        << " stands twice among those to vary.";
    column_of_block = column;
    state_offset[column + 1] = state_offset[column] + block.size();
    delta_offset[column + 1] = delta_offset[column] + block.tangent_size();
    manifolds.push_back(block.manifold());
    has_bounds = has_bounds || block.has_bounds();
  }
}

// Residual blocks without residuals are left out.
void ProgramBuilder::AddRows(const std::vector<ResidualBlock*>& residual_blocks,
                             const Execution& execution, RowOrder row_order) {
  const std::vector<ResidualBlock*>* blocks = &residual_blocks;
  std::vector<ResidualBlock*> with_residuals;
  RowSizeBounds size_bounds = row_order.size_bounds;
  if (size_bounds.min_residuals == 0) {
    size_bounds = RowSizeBounds::OfAll(residual_blocks, execution);
  }
  if (size_bounds.min_residuals == 0) {
    std::copy_if(
        residual_blocks.begin(), residual_blocks.end(),
        std::back_inserter(with_residuals),
        [](const ResidualBlock* block) { return block->num_residuals() > 0; });
    blocks = &with_residuals;
    size_bounds = RowSizeBounds::OfAll(with_residuals, execution);
    row_order = RowOrder();
  }
  if (num_eliminated > 0 && row_order.eliminated_first_row.empty()) {
    row_order = OrderRows(*blocks, execution);
  }
  const Blocks by_place = {*blocks,
                           num_eliminated > 0 ? row_order.row.data() : nullptr};
  if (num_eliminated > 0) {
    eliminated_first_row = std::move(row_order.eliminated_first_row);
  }
  MeasureRows(by_place, size_bounds);
  const RowFacts facts = FillRows(by_place, execution);
  max_parameters_per_block = facts.max_parameters;
  if (facts.in_order) residual_block_index.MakeLinear(by_place.size(), 1);
  if (facts.any_constant) NumberConstants(by_place);
}

// The eliminated block that a row touches, or num_eliminated.
int ProgramBuilder::EliminatedOf(const ResidualBlock& block) const {
  int eliminated = num_eliminated;
  for (int k = 0; k < block.num_parameter_blocks(); ++k) {
    const int column = ColumnOf(*block.parameter_blocks()[k], column_of_);
    if (column == kConstant || column >= num_eliminated) continue;
    VESTA_CHECK_EQ(eliminated, num_eliminated)
        << "Residual block " << block.index()
        << " touches two parameter blocks that are to be eliminated.";
    eliminated = column;
  }
  return eliminated;
}

// A counting sort by eliminated block; rows without one come last.
RowOrder ProgramBuilder::OrderRows(const std::vector<ResidualBlock*>& blocks,
                                   const Execution& execution) const {
  std::vector<int> eliminated_of(blocks.size());
  ParallelFor(
      execution, 0, static_cast<int>(blocks.size()),
      [&](int i) { eliminated_of[i] = EliminatedOf(*blocks[i]); },
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

// Sizes and offsets of all rows.
void ProgramBuilder::MeasureRows(const Blocks& blocks,
                                 const RowSizeBounds& size_bounds) {
  residual_block_index.Resize(blocks.size());
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
  has_batch_rows = size_bounds.any_batch_row();
  if (size_bounds.any_loss_function()) loss_functions.resize(num_row_blocks());
  arguments.resize(first_argument.back());
}

void ProgramBuilder::ListOffsets(const Blocks& blocks) {
  row_offset.Resize(num_row_blocks() + 1);
  first_argument.Resize(num_row_blocks() + 1);
  int* const residuals = row_offset.list();
  int* const arguments = first_argument.list();
  residuals[0] = arguments[0] = 0;
  for (int i = 0; i < blocks.size(); ++i) {
    if (i + kPrefetchDistance < blocks.size()) {
      CERES_PREFETCH(&blocks[i + kPrefetchDistance]);
    }
    residuals[blocks.row(i) + 1] = blocks[i].num_residuals();
    arguments[blocks.row(i) + 1] = blocks[i].num_parameter_blocks();
  }
  std::partial_sum(residuals, residuals + num_row_blocks() + 1, residuals);
  std::partial_sum(arguments, arguments + num_row_blocks() + 1, arguments);
}

// Visits residual blocks in the order of their memory, which costs less than
// visiting rows in their order.
ProgramBuilder::RowFacts ProgramBuilder::FillRows(const Blocks& blocks,
                                                  const Execution& execution) {
  const auto combine = [](const RowFacts& a, const RowFacts& b) {
    return RowFacts{std::max(a.max_parameters, b.max_parameters),
                    a.any_constant || b.any_constant, a.in_order && b.in_order};
  };
  return ParallelReduce(
      execution, 0, blocks.size(), RowFacts(),
      [&](IndexRange range) {
        RowFacts facts;
        for (int i = range.begin; i < range.end; ++i) {
          if (i + kPrefetchDistance < blocks.size()) {
            CERES_PREFETCH(&blocks[i + kPrefetchDistance]);
          }
          facts = combine(facts, FillRow(blocks[i], blocks.row(i)));
        }
        return facts;
      },
      combine, kRowsPerPiece);
}

ProgramBuilder::RowFacts ProgramBuilder::FillRow(const ResidualBlock& block,
                                                 int row) {
  residual_block_index.list()[row] = block.index();
  cost_functions[row] = block.cost_function();
  if (!loss_functions.empty()) loss_functions[row] = block.loss_function();
  int* const begin = arguments.data() + first_argument[row];
  int* argument = begin;
  RowFacts facts;
  facts.in_order = block.index() == row;
  for (int k = 0; k < block.num_parameter_blocks(); ++k, ++argument) {
    const ParameterBlock& parameter_block = *block.parameter_blocks()[k];
    *argument = ColumnOf(parameter_block, column_of_);
    facts.max_parameters += parameter_block.size();
    facts.any_constant |= *argument == kConstant;
  }
  const int twice = ColumnGivenTwice(begin, argument);
  VESTA_CHECK_EQ(twice, kConstant)
      << "Residual block " << block.index() << " has the parameter block "
      << "at " << parameter_blocks[twice]->user_state() << " twice.";
  return facts;
}

// Numbers constant parameter blocks by their first row.
void ProgramBuilder::NumberConstants(const Blocks& blocks) {
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

}  // namespace

ProgramArrays MakeProgramArrays(
    const std::vector<ParameterBlock*>& parameter_blocks, int num_eliminated,
    const std::vector<ResidualBlock*>& residual_blocks,
    const Execution& execution, RowOrder row_order) {
  ProgramBuilder builder(parameter_blocks, num_eliminated);
  builder.AddRows(residual_blocks, execution, std::move(row_order));
  return builder.Take();
}

}  // namespace ceres::internal
