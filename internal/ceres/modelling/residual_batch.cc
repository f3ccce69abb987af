// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/residual_batch.h"

#include <cstddef>
#include <utility>

#include "ceres/logging/logging.h"

namespace ceres {

ResidualBatch::ResidualBatch(std::int64_t num_rows, int num_residuals,
                             std::vector<std::int32_t> parameter_block_sizes)
    : num_rows_(num_rows),
      num_residuals_(num_residuals),
      parameter_block_sizes_(std::move(parameter_block_sizes)) {
  VESTA_CHECK_GE(num_rows_, 0)
      << "A residual batch has a negative number of rows.";
  VESTA_CHECK_GE(num_residuals_, 0)
      << "A residual batch has a negative number of residuals.";
  for (std::size_t k = 0; k < parameter_block_sizes_.size(); ++k) {
    VESTA_CHECK_GE(parameter_block_sizes_[k], 0)
        << "Argument " << k << " of a residual batch has a negative size.";
  }
}

ResidualBatch::~ResidualBatch() = default;

}  // namespace ceres
