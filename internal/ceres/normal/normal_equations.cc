// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/logging/logging.h"
#include "ceres/sparse/normal_pattern.h"

namespace ceres::internal {

bool NormalEquations::AreWorthGathering(
    const BlockJacobianStructure& structure) {
  // The number of threads for which there must be enough work.
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
  pattern_ = NormalPattern(structure, cells);
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
  cost_.push_back(0);
  std::vector<int> seen_by(num_blocks, -1);
  std::vector<int64_t> destination(num_blocks);
  for (int i = 0; i < num_blocks; ++i) {
    const size_t first_product = products_.size();
    for (int64_t t = first_term_[i]; t < first_term_[i + 1]; ++t) {
      terms_[t].first_product = static_cast<int64_t>(products_.size());
      const int row = cells.cells[t].row;
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int column = s.cell_column[c];
        if (column <= i) continue;
        const bool is_first = std::exchange(seen_by[column], i) != i;
        products_.push_back({/*destination=*/column, s.cell_position[c],
                             s.column_size(column), is_first});
      }
    }
    terms_[first_term_[i + 1]].first_product =
        static_cast<int64_t>(products_.size());
    SetDestinations(i, &destination);
    for (size_t k = first_product; k < products_.size(); ++k) {
      products_[k].destination = destination[products_[k].destination];
    }
    cost_.push_back(1 + 2 * first_term_[i + 1] +
                    static_cast<int64_t>(products_.size()) + i);
  }
  first_block_.push_back(static_cast<int64_t>(blocks_.size()));
}

// Sets the destinations, by column, of the products of a block row.
void NormalEquations::SetDestinations(int i,
                                      std::vector<int64_t>* destination) {
  const int begin = pattern_.first_entry[i];
  const int end = pattern_.first_entry[i + 1];
  diagonal_.push_back(pattern_.value_offset[begin]);
  first_block_.push_back(static_cast<int64_t>(blocks_.size()));
  shape_.push_back(ShapeOf(i));
  if (shape_.back() != kernels::NormalShape::kAny) {
    for (int e = begin; e < end; ++e) {
      (*destination)[pattern_.entry_column[e]] = pattern_.value_offset[e];
    }
    return;
  }
  int64_t sum = 0;
  for (int e = begin; e < end; ++e) {
    const int column = pattern_.entry_column[e];
    const int width = structure_.column_size(column);
    blocks_.push_back({pattern_.value_offset[e], sum, width});
    (*destination)[column] = sum;
    sum += kernels::NormalSumSize(structure_.column_size(i), width);
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
