// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_ADDED_BATCH_H_
#define CERES_INTERNAL_PROBLEM_ADDED_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <typeinfo>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/base/type_of.h"
#include "ceres/cost_function.h"
#include "ceres/internal/cost_function_sizes.h"
#include "ceres/problem/residual_block.h"
#include "ceres/residual_batch.h"

namespace ceres::internal {

class AddedBatch;

// The batches of a problem, by the order in which they were added. Those that
// are left keep their serial numbers when one is removed.
using AddedBatches = std::map<std::int64_t, std::unique_ptr<AddedBatch>>;

// The cost function of a row of a batch. Problems have millions of rows: a row
// has no members of its own. Its batch is that of its sizes, and its number is
// its place in the batch's array.
class BatchRow final : public CostFunction {
 public:
  explicit BatchRow(const CostFunctionSizes* sizes) : CostFunction(sizes) {}

  // Null: the cost function is not a row of a batch.
  static const BatchRow* Of(const CostFunction& cost_function) {
    return HasType<BatchRow>(cost_function)
               ? static_cast<const BatchRow*>(&cost_function)
               : nullptr;
  }

  inline const AddedBatch& batch() const;
  inline std::int64_t number() const;

  // Evaluates one row. The residuals and Jacobians that the batch gives are
  // multiplied by the row's weight.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;
};

// A residual batch of a problem, and its rows. A row is a residual block whose
// cost function is a BatchRow. The residual blocks and the cost functions of
// all rows are two arrays, so that a row with two arguments and no loss
// function takes 16 + 32 bytes. ResidualBatchId points to it.
// Thread-compatible: evaluations read it, and only the functions of Problem
// change it.
class AddedBatch : public CostFunctionSizes {
 public:
  // blocks: the array of the residual blocks, which are not constructed yet.
  AddedBatch(std::unique_ptr<ResidualBatch> batch, char* blocks,
             std::size_t block_size);
  AddedBatch(const AddedBatch&) = delete;
  AddedBatch& operator=(const AddedBatch&) = delete;
  ~AddedBatch();

  const ResidualBatch& batch() const { return *batch_; }
  std::int64_t num_rows() const { return num_rows_; }
  const BatchRow* rows() const { return rows_; }
  // Whether a cost function is one of the rows.
  bool Contains(const CostFunction* cost_function) const {
    const auto place = reinterpret_cast<std::uintptr_t>(cost_function);
    return place >= reinterpret_cast<std::uintptr_t>(rows_) &&
           place < reinterpret_cast<std::uintptr_t>(rows_ + num_rows_);
  }
  // The residual block of a row. It has a negative index if it was removed.
  ResidualBlock* block(std::int64_t row) const {
    return reinterpret_cast<ResidualBlock*>(blocks_ + row * block_size_);
  }

  bool is_active(std::int64_t row) const {
    return inactive_.empty() || !inactive_[row];
  }
  void SetActive(std::int64_t row, bool is_active);
  bool all_are_active() const { return inactive_.empty(); }

  // Null: all weights are 1.
  const double* weights() const { return weights_; }
  void set_weights(const double* weights) { weights_ = weights; }
  // values[i] *= the weight of the row. Entries that were not written stay
  // kImpossibleValue.
  void MultiplyByWeight(std::int64_t row, std::int64_t size,
                        double* values) const;

  // The position among the problem's batches; takes the time of a search.
  std::int64_t FindPosition() const;

  // The user's name of the batch.
  std::string name;
  // The batches of the problem, and the key of this one.
  const AddedBatches* all = nullptr;
  std::int64_t serial = 0;

 private:
  const std::unique_ptr<const ResidualBatch> batch_;
  const std::int64_t num_rows_;
  BatchRow* const rows_;
  char* const blocks_;
  const std::size_t block_size_;
  const double* weights_ = nullptr;
  std::vector<bool> inactive_;  // by row; empty: all rows are active
};

// What messages call a residual block, behind its index: its row and batch.
// Empty: it is no row of a batch.
std::string NameOfRow(const CostFunction& cost_function);

// The type of a cost function that messages name: for a row, that of its
// batch. Null: see TypeOf.
const std::type_info* TypeOfTerm(const CostFunction& cost_function);

inline const AddedBatch& BatchRow::batch() const {
  return *static_cast<const AddedBatch*>(cost_function_sizes());
}

inline std::int64_t BatchRow::number() const { return this - batch().rows(); }

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_ADDED_BATCH_H_
