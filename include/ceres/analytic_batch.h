// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_ANALYTIC_BATCH_H_
#define CERES_PUBLIC_ANALYTIC_BATCH_H_

// Many residual blocks of one kind whose derivatives the user computes. An
// extension: see docs/modelling/batches.md.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ceres/batch_columns.h"
#include "ceres/residual_batch.h"

namespace ceres {

// A residual block for each row of a table of data. All have kNumResiduals
// residuals, and parameter blocks of sizes Ns.... The kernel computes one row:
//
//   bool kernel(const double* const* parameters, const double* data,
//               double* residuals, double* const* jacobians)
//
// parameters has a pointer per block, data the numbers of the row. jacobians is
// null if no Jacobians are wanted. Otherwise it has a pointer per block, to a
// row-major matrix of kNumResiduals rows and as many columns as the block has
// parameters, or null if that one is not wanted. The kernel writes all numbers
// that are wanted, and returns false if it cannot compute them. A row fails,
// too, if a number is not finite.
//
// Thread safety: the kernel is called by several threads at once.
template <typename Kernel, int kNumResiduals, int... Ns>
class AnalyticBatch final : public ResidualBatch {
  static_assert(kNumResiduals > 0 && sizeof...(Ns) > 0 && (... && (Ns > 0)),
                "AnalyticBatch needs residuals, and blocks of fixed sizes.");

 public:
  // A batch with a row for each row of `data`.
  AnalyticBatch(Kernel kernel, BatchColumns data)
      : ResidualBatch(data.num_rows(), kNumResiduals, {Ns...}),
        kernel_(std::move(kernel)),
        data_(std::move(data)) {}

  int Evaluate(const BatchRows& rows,
               const BatchOutput& output) const override {
    std::vector<double> copy(data_.num_columns());
    for (int i = 0; i < rows.count; ++i) {
      const double* const data = data_.Row(rows.rows[i], copy.data());
      if (!EvaluateRow(i, data, rows, output)) return i;
    }
    return rows.count;
  }

 private:
  static constexpr int kNumBlocks = sizeof...(Ns);
  static constexpr int kSizes[] = {Ns...};

  static bool AreFinite(const double* values, int size) {
    for (int i = 0; i < size; ++i) {
      if (!std::isfinite(values[i])) return false;
    }
    return true;
  }

  bool EvaluateRow(std::int64_t i, const double* data, const BatchRows& rows,
                   const BatchOutput& output) const {
    double* const residuals = output.residuals + i * output.stride;
    double* jacobians[kNumBlocks] = {};
    if (output.jacobians != nullptr) {
      for (int k = 0; k < kNumBlocks; ++k) {
        if (output.jacobians[k] == nullptr) continue;
        jacobians[k] = output.jacobians[k] + i * output.stride;
      }
    }
    if (!kernel_(rows.parameters + i * kNumBlocks, data, residuals,
                 output.jacobians == nullptr ? nullptr : jacobians)) {
      return false;
    }
    bool is_finite = AreFinite(residuals, kNumResiduals);
    for (int k = 0; k < kNumBlocks; ++k) {
      is_finite =
          is_finite && (jacobians[k] == nullptr ||
                        AreFinite(jacobians[k], kNumResiduals * kSizes[k]));
    }
    return is_finite;
  }

  const Kernel kernel_;
  const BatchColumns data_;
};

// MakeAnalyticBatch<kNumResiduals, Ns...>(kernel, data), for lambdas.
template <int kNumResiduals, int... Ns, typename Kernel>
std::unique_ptr<ResidualBatch> MakeAnalyticBatch(Kernel kernel,
                                                 BatchColumns data) {
  return std::make_unique<AnalyticBatch<Kernel, kNumResiduals, Ns...>>(
      std::move(kernel), std::move(data));
}

}  // namespace ceres

#endif  // CERES_PUBLIC_ANALYTIC_BATCH_H_
