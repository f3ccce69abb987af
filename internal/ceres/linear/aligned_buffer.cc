// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/aligned_buffer.h"

#include "ceres/parallel/loops.h"

namespace ceres::internal {

void AlignedBuffer::Resize(const Execution& execution, std::size_t size) {
  if (size == size_) return;
  Resize(size);
  const std::size_t bytes = size * sizeof(double);
  ParallelFor(execution, 0, static_cast<int>(NumHugePages(bytes)),
              [&](int page) { TouchPage(memory_.get(), bytes, page); });
}

}  // namespace ceres::internal
