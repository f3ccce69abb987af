// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_
#define CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_

#include <atomic>
#include <vector>

#include "ceres/parallel/execution.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The PlusJacobians of small parameter blocks on manifolds, angles and
// quaternions, computed once for an evaluation instead of once for each row
// that the block is an argument of. (For larger ones the manifold's own
// RightMultiplyByPlusJacobian may know better than a product.)
//
// Find may be called by several threads, between calls of Evaluate.
class PlusJacobians {
 public:
  static constexpr bool Keeps(int ambient_size, int tangent_size) {
    return (ambient_size == 1 && tangent_size == 1) ||
           (ambient_size == 4 && tangent_size == 3);
  }

  // program must outlive this.
  explicit PlusJacobians(const Program& program);

  void Evaluate(const Execution& execution, const double* state);

  // Whether every angle's is 1, as those of wrapped angles are.
  bool AnglesAreIdentity() const {
    return angles_are_identity_.load(std::memory_order_relaxed);
  }

  // Of a column block, row-major, ambient x tangent size. Null: not kept, or
  // the manifold failed.
  const double* Find(int column_block) const {
    if (place_.empty() || place_[column_block] == kNone) return nullptr;
    const double* const values = values_.data() + place_[column_block];
    return values[0] == values[0] ? values : nullptr;
  }

 private:
  static constexpr int kNone = -1;

  const Program& program_;
  std::vector<int> columns_;  // column blocks that are kept
  std::vector<int> place_;    // in values_, by column block
  std::vector<double> values_;
  std::atomic<bool> angles_are_identity_{true};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_
