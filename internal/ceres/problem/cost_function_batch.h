// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_COST_FUNCTION_BATCH_H_
#define CERES_INTERNAL_PROBLEM_COST_FUNCTION_BATCH_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/residual_batch.h"

namespace ceres::internal {

// For tests: a batch whose row i is evaluated by cost function i. All have the
// same sizes, those of the batch.
class CostFunctionBatch final : public ResidualBatch {
 public:
  using Functions = std::vector<std::unique_ptr<CostFunction>>;

  CostFunctionBatch(int num_residuals, std::vector<std::int32_t> sizes,
                    Functions functions)
      : ResidualBatch(static_cast<std::int64_t>(functions.size()),
                      num_residuals, std::move(sizes)),
        functions_(std::move(functions)) {}

  int Evaluate(const BatchRows& rows,
               const BatchOutput& output) const override {
    num_calls.fetch_add(1, std::memory_order_relaxed);
    num_rows_evaluated.fetch_add(rows.count, std::memory_order_relaxed);
    const auto num_arguments = static_cast<int>(parameter_block_sizes().size());
    std::vector<double*> jacobians(num_arguments);
    for (int i = 0; i < rows.count; ++i) {
      const std::int64_t offset = i * output.stride;
      for (int k = 0; output.jacobians != nullptr && k < num_arguments; ++k) {
        jacobians[k] = output.jacobians[k] == nullptr
                           ? nullptr
                           : output.jacobians[k] + offset;
      }
      if (!functions_[rows.rows[i]]->Evaluate(
              rows.parameters + i * num_arguments, output.residuals + offset,
              output.jacobians == nullptr ? nullptr : jacobians.data())) {
        return i;
      }
    }
    return rows.count;
  }

  mutable std::atomic<std::int64_t> num_calls{0};
  mutable std::atomic<std::int64_t> num_rows_evaluated{0};

 private:
  const Functions functions_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_COST_FUNCTION_BATCH_H_
