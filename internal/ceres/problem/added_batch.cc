// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/added_batch.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "ceres/types.h"

namespace ceres::internal {

static_assert(sizeof(BatchRow) == 2 * sizeof(void*),
              "There are millions of rows.");

AddedBatch::AddedBatch(std::unique_ptr<ResidualBatch> batch, char* blocks,
                       std::size_t block_size)
    : CostFunctionSizes{batch->parameter_block_sizes(), batch->num_residuals(),
                        /*is_shared=*/true, /*owns_functor=*/true},
      batch_(std::move(batch)),
      num_rows_(batch_->num_rows()),
      rows_(PageAllocator<BatchRow>().allocate(num_rows_)),
      blocks_(blocks),
      block_size_(block_size) {
  for (std::int64_t i = 0; i < num_rows_; ++i) new (rows_ + i) BatchRow(this);
}

// A BatchRow does not own its sizes: its destructor does nothing.
AddedBatch::~AddedBatch() {
  PageAllocator<BatchRow>().deallocate(rows_, num_rows_);
}

void AddedBatch::SetActive(std::int64_t row, bool is_active) {
  if (inactive_.empty() && !is_active) inactive_.resize(num_rows_);
  if (!inactive_.empty()) inactive_[row] = !is_active;
}

void AddedBatch::MultiplyByWeight(std::int64_t row, std::int64_t size,
                                  double* values) const {
  if (weights_ == nullptr) return;
  const double weight = weights_[row];
  for (std::int64_t i = 0; i < size; ++i) {
    values[i] =
        values[i] == kImpossibleValue ? kImpossibleValue : weight * values[i];
  }
}

std::int64_t AddedBatch::FindPosition() const {
  return std::distance(all->begin(), all->find(serial));
}

std::string NameOfRow(const CostFunction& cost_function) {
  const BatchRow* const row = BatchRow::Of(cost_function);
  if (row == nullptr) return "";
  const AddedBatch& batch = row->batch();
  return " (row " + std::to_string(row->number()) + " of residual batch " +
         (batch.name.empty() ? std::to_string(batch.FindPosition())
                             : '"' + batch.name + '"') +
         ')';
}

const std::type_info* TypeOfTerm(const CostFunction& cost_function) {
  const BatchRow* const row = BatchRow::Of(cost_function);
  return row == nullptr ? TypeOf(cost_function) : TypeOf(row->batch().batch());
}

bool BatchRow::Evaluate(double const* const* parameters, double* residuals,
                        double** jacobians) const {
  const AddedBatch& added = batch();
  const std::int64_t row = number();
  const bool is_active = added.is_active(row);
  if (is_active &&
      added.batch().Evaluate({1, &row, parameters},
                             {residuals, jacobians, /*stride=*/0}) != 1) {
    return false;
  }
  const auto finish = [&](std::int64_t size, double* values) {
    if (is_active) {
      added.MultiplyByWeight(row, size, values);
    } else {
      std::fill_n(values, size, 0.0);
    }
  };
  finish(num_residuals(), residuals);
  const std::vector<std::int32_t>& sizes = parameter_block_sizes();
  for (std::size_t k = 0; jacobians != nullptr && k < sizes.size(); ++k) {
    if (jacobians[k] != nullptr) {
      finish(std::int64_t{num_residuals()} * sizes[k], jacobians[k]);
    }
  }
  return true;
}

}  // namespace ceres::internal
