// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/plus_jacobians.h"

#include <limits>

#include "ceres/parallel/loops.h"

namespace ceres::internal {

PlusJacobians::PlusJacobians(const Program& program) : program_(program) {
  int size = 0;
  for (int column = 0; column < program.num_column_blocks(); ++column) {
    if (program.manifolds[column] == nullptr) continue;
    const int ambient =
        program.state_offset[column + 1] - program.state_offset[column];
    const int tangent =
        program.delta_offset[column + 1] - program.delta_offset[column];
    if (!Keeps(ambient, tangent)) continue;
    place_.resize(program.num_column_blocks(), kNone);
    place_[column] = size;
    size += ambient * tangent;
    columns_.push_back(column);
  }
  values_.resize(size);
}

void PlusJacobians::Evaluate(const Execution& execution, const double* state) {
  if (columns_.empty()) return;
  constexpr int kMinPiece = 64;
  angles_are_identity_.store(true, std::memory_order_relaxed);
  ParallelFor(
      execution, 0, static_cast<int>(columns_.size()),
      [&](int k) {
        const int column = columns_[k];
        double* const values = values_.data() + place_[column];
        if (!program_.manifolds[column]->PlusJacobian(
                state + program_.state_offset[column], values)) {
          values[0] = std::numeric_limits<double>::quiet_NaN();
        }
        if (program_.ambient_size(column) == 1 && values[0] != 1.0) {
          angles_are_identity_.store(false, std::memory_order_relaxed);
        }
      },
      kMinPiece);
}

}  // namespace ceres::internal
