// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_
#define CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_

#include <atomic>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The PlusJacobians of small parameter blocks on manifolds, angles and
// quaternions, computed once for an evaluation instead of once for each row
// that the block is an argument of. Of cameras and poses, a quaternion and
// other coordinates behind it, the PlusJacobian is
//
//     [ Q  0 ]      Q: 4 x 3
//     [ 0  I ]
//
// and Q is kept, if that is what the manifold returns: it is looked at each
// time. (For others the manifold's own RightMultiplyByPlusJacobian may know
// better than a product.)
//
// Find may be called by several threads, between calls of Evaluate.
class PlusJacobians {
 public:
  // What a manifold of these sizes may be.
  enum class Kind { kAngle, kQuaternion, kQuaternionFirst, kOther };
  static constexpr Kind KindOf(int ambient_size, int tangent_size) {
    if (ambient_size == 1 && tangent_size == 1) return Kind::kAngle;
    if (ambient_size != tangent_size + 1 || tangent_size < 3 ||
        ambient_size > kMaxAmbientSize) {
      return Kind::kOther;
    }
    return tangent_size == 3 ? Kind::kQuaternion : Kind::kQuaternionFirst;
  }

  // program must outlive this.
  explicit PlusJacobians(const Program& program);

  void Evaluate(const Execution& execution, const double* state);

  // Whether every angle's is 1, as those of wrapped angles are.
  bool AnglesAreIdentity() const {
    return angles_are_identity_.load(std::memory_order_relaxed);
  }

  // Of a column block, row-major, ambient x tangent size, or Q. Null: not kept,
  // of another form, or the manifold failed.
  const double* Find(int column_block) const {
    if (place_.empty() || place_[column_block] == kNone) return nullptr;
    const double* const values = values_.data() + place_[column_block];
    return values[0] == values[0] ? values : nullptr;
  }

 private:
  static constexpr int kNone = -1;
  static constexpr int kMaxAmbientSize = 16;

  bool EvaluateQuaternion(int column, const double* x, double* values) const;

  const Program& program_;
  struct Kept {
    int column;
    Kind kind;
  };
  std::vector<Kept> columns_;  // column blocks that are kept
  std::vector<int> place_;     // in values_, by column block
  std::vector<double> values_;
  std::atomic<bool> angles_are_identity_{true};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_
