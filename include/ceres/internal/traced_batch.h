// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_TRACED_BATCH_H_
#define CERES_PUBLIC_INTERNAL_TRACED_BATCH_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "ceres/batch_columns.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/residual_batch.h"
#include "ceres/traced.h"

namespace ceres::internal {

namespace lanes {

class BatchEvaluator;

}  // namespace lanes

// What AutoDiffBatch is for all functors. See there.
class CERES_EXPORT TracedBatch : public ResidualBatch {
 public:
  ~TracedBatch() override;
  int Evaluate(const BatchRows& rows, const BatchOutput& output) const override;

 protected:
  TracedBatch(int num_residuals, std::vector<std::int32_t> sizes,
              BatchColumns data);

 private:
  friend class lanes::BatchEvaluator;

  // Calls the functor for the parameters of all blocks, one block after the
  // other. Sets num_residuals residuals, and their derivatives by all
  // parameters, row by row. Returns what the functor returns. A residual that
  // the functor does not set keeps its value.
  virtual bool Record(const Traced* parameters, const Traced* data,
                      Traced* residuals, Traced* derivatives) const = 0;

  const std::unique_ptr<lanes::BatchEvaluator> evaluator_;
};

}  // namespace ceres::internal

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_INTERNAL_TRACED_BATCH_H_
