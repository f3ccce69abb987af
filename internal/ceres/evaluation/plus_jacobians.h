// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_
#define CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The PlusJacobians of small parameter blocks on manifolds, computed once for
// each evaluation, not once for each row that has the block as an argument.
// Kept are
//
//   kAngle        1 x 1
//   kQuaternion   Q, 4 x 3, of a PlusJacobian [ Q 0 ]
//                                             [ 0 I ]
//
// The second form is that of quaternions, and of cameras and poses that are a
// quaternion and other coordinates behind it. Each evaluation checks that the
// manifold returns this form. Of other manifolds nothing is kept: their own
// RightMultiplyByPlusJacobian may be faster than a product.
//
// Find may be called concurrently, but not during Evaluate.
class PlusJacobians {
 public:
  // The form that the PlusJacobian of a manifold of these sizes may have.
  enum class Kind { kAngle, kQuaternion, kOther };
  static constexpr Kind KindOf(int ambient_size, int tangent_size) {
    if (ambient_size == 1 && tangent_size == 1) return Kind::kAngle;
    return ambient_size == tangent_size + 1 && tangent_size >= 3 &&
                   ambient_size <= kMaxAmbientSize
               ? Kind::kQuaternion
               : Kind::kOther;
  }

  // `program` must outlive this.
  explicit PlusJacobians(const Program& program);

  void Evaluate(const Execution& execution, const double* state);

  // The matrix that is kept of a column block, row-major. Null: nothing is
  // kept, or the manifold has another form or failed.
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
  std::vector<Kept> columns_;
  std::vector<int> place_;      // in values_, by column block; kNone: not kept
  std::vector<double> values_;  // NaN first: another form, or failed
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_PLUS_JACOBIANS_H_
