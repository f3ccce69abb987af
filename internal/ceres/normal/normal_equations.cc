// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations.h"

#include <algorithm>
#include <numeric>

#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {

bool NormalEquations::AreWorthGathering(
    const BlockJacobianStructure& structure) {
  // The work must suffice for so many threads.
  constexpr int64_t kMinThreads = 8;
  if (structure.num_eliminated > 0) return false;
  if (structure.num_row_chunks() <= 1) return true;
  std::vector<int64_t> cost(structure.num_column_blocks(), 0);
  for (int row = 0; row < structure.num_row_blocks(); ++row) {
    const int begin = structure.first_cell[row];
    const int end = structure.first_cell[row + 1];
    for (int c = begin; c < end; ++c) {
      cost[structure.cell_column[c]] += end - begin;
    }
  }
  if (cost.empty()) return false;
  const int64_t total = std::accumulate(cost.begin(), cost.end(), int64_t{0});
  return *std::max_element(cost.begin(), cost.end()) * kMinThreads <= total;
}

NormalEquations::NormalEquations(const Execution& execution,
                                 const BlockJacobianStructure& structure)
    : execution_(execution), structure_(structure) {
  VESTA_CHECK_EQ(structure.num_eliminated, 0);
  const CellsByColumn cells(structure);
  FindTerms(cells);
  FindProducts(cells);
  int max_width = 0;
  for (int b = 0; b < structure.num_column_blocks(); ++b) {
    max_width = std::max(max_width, structure.column_size(b));
  }
  thread_scratch_size_ = kernels::NormalScratchSize(max_width, max_sums_);
  scratch_.Resize(thread_scratch_size_ * std::max(1, execution.num_threads));
}

// The rows that touch each block row, in order.
void NormalEquations::FindTerms(const CellsByColumn& cells) {
  const BlockJacobianStructure& s = structure_;
  first_term_.assign(cells.first.begin(), cells.first.end());
  terms_.resize(cells.cells.size() + 1);
  for (size_t t = 0; t < cells.cells.size(); ++t) {
    const auto [row, cell] = cells.cells[t];
    terms_[t].row_block = s.row_block_offset[row];
    terms_[t].num_residuals = s.row_size(row);
    terms_[t].cell = s.cell_position[cell];
  }
}

void NormalEquations::FindProducts(const CellsByColumn& cells) {
  const BlockJacobianStructure& s = structure_;
  const int num_blocks = s.num_column_blocks();
  pattern_.block_offset = s.column_offset;
  cost_.push_back(0);
  std::vector<int64_t> destination(num_blocks, -1);
  std::vector<int> columns;  // of one block row
  for (int i = 0; i < num_blocks; ++i) {
    const auto visit_products = [&](int64_t t, const auto& f) {
      const int row = cells.cells[t].row;
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        if (s.cell_column[c] > i) f(s.cell_column[c], s.cell_position[c]);
      }
    };
    columns = {i};
    const size_t first_product = products_.size();
    for (int64_t t = first_term_[i]; t < first_term_[i + 1]; ++t) {
      terms_[t].first_product = static_cast<int64_t>(products_.size());
      visit_products(t, [&](int column, int cell) {
        const bool is_first = destination[column] < 0;
        if (is_first) {
          destination[column] = 0;
          columns.push_back(column);
        }
        products_.push_back(
            {/*destination=*/column, cell, s.column_size(column), is_first});
      });
    }
    terms_[first_term_[i + 1]].first_product =
        static_cast<int64_t>(products_.size());
    std::sort(columns.begin() + 1, columns.end());
    AppendBlockRow(i, columns, &destination);
    for (size_t k = first_product; k < products_.size(); ++k) {
      products_[k].destination = destination[products_[k].destination];
    }
    for (const int column : columns) destination[column] = -1;
    cost_.push_back(1 + 2 * first_term_[i + 1] +
                    static_cast<int64_t>(products_.size()) + i);
  }
  first_block_.push_back(static_cast<int64_t>(blocks_.size()));
}

// Appends the blocks of a row to the pattern, and sets the destinations of
// products with these columns.
void NormalEquations::AppendBlockRow(int i, const std::vector<int>& columns,
                                     std::vector<int64_t>* destination) {
  const BlockJacobianStructure& s = structure_;
  diagonal_.push_back(pattern_.num_values());
  for (const int column : columns) {
    (*destination)[column] = pattern_.num_values();
    pattern_.entry_column.push_back(column);
    pattern_.value_offset.push_back(pattern_.num_values() +
                                    int64_t{s.column_size(i)} *
                                        s.column_size(column));
  }
  pattern_.first_entry.push_back(
      static_cast<int>(pattern_.entry_column.size()));
  first_block_.push_back(static_cast<int64_t>(blocks_.size()));
  shape_.push_back(ShapeOf(i));
  if (shape_.back() != kernels::NormalShape::kAny) return;
  int64_t sum = 0;
  for (const int column : columns) {
    blocks_.push_back({(*destination)[column], sum, s.column_size(column)});
    (*destination)[column] = sum;
    sum += kernels::NormalSumSize(s.column_size(i), s.column_size(column));
  }
  max_sums_ = std::max(max_sums_, sum);
}

kernels::NormalShape NormalEquations::ShapeOf(int block_row) const {
  const int size = structure_.column_size(block_row);
  if (size != 3 && size != 6) return kernels::NormalShape::kAny;
  for (int64_t t = first_term_[block_row]; t < first_term_[block_row + 1];
       ++t) {
    if (terms_[t].num_residuals != size) return kernels::NormalShape::kAny;
    for (int64_t k = terms_[t].first_product; k < terms_[t + 1].first_product;
         ++k) {
      if (products_[k].width != size) return kernels::NormalShape::kAny;
    }
  }
  return size == 3 ? kernels::NormalShape::k3 : kernels::NormalShape::k6;
}

kernels::NormalView NormalEquations::View(const BlockJacobian& jacobian) const {
  kernels::NormalView view;
  view.values = jacobian.values.data();
  view.offset = pattern_.block_offset.data();
  view.first_term = first_term_.data();
  view.terms = terms_.data();
  view.products = products_.data();
  view.diagonal = diagonal_.data();
  view.shape = shape_.data();
  view.first_block = first_block_.data();
  view.blocks = blocks_.data();
  return view;
}

void NormalEquations::Assemble(const BlockJacobian& jacobian,
                               const double* damping, double* values,
                               double* negative_gradient) {
  const kernels::NormalView view = View(jacobian);
  ParallelForByCost(execution_, 0, pattern_.num_blocks(), cost_.data(),
                    [&](int thread_id, IndexRange rows) {
                      CheckStop(execution_);
                      kernels::GatherNormalRows(
                          view, damping, rows.begin, rows.end,
                          scratch_.data() + thread_id * thread_scratch_size_,
                          values, negative_gradient);
                    });
}

}  // namespace ceres::internal
