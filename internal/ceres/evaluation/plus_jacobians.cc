// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/plus_jacobians.h"

#include <algorithm>
#include <limits>

#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

constexpr int kQuaternionSize = 4;
constexpr int kRotationSize = 3;

// Whether a PlusJacobian is [Q 0; 0 I].
bool BeginsWithQuaternion(const double* jacobian, int ambient, int tangent) {
  for (int i = 0; i < ambient; ++i, jacobian += tangent) {
    const bool is_rotation = i < kQuaternionSize;
    for (int j = is_rotation ? kRotationSize : 0; j < tangent; ++j) {
      const bool is_one = !is_rotation && j == i - 1;
      if (jacobian[j] != (is_one ? 1.0 : 0.0)) return false;
    }
  }
  return true;
}

}  // namespace

PlusJacobians::PlusJacobians(const Program& program) : program_(program) {
  int size = 0;
  for (int column = 0; column < program.num_column_blocks(); ++column) {
    if (program.manifolds()[column] == nullptr) continue;
    const int ambient =
        program.state_offset()[column + 1] - program.state_offset()[column];
    const int tangent =
        program.delta_offset()[column + 1] - program.delta_offset()[column];
    const Kind kind = KindOf(ambient, tangent);
    if (kind == Kind::kOther) continue;
    place_.resize(program.num_column_blocks(), kNone);
    place_[column] = size;
    size += kind == Kind::kAngle ? 1 : kQuaternionSize * kRotationSize;
    columns_.push_back({column, kind});
  }
  values_.resize(size);
}

void PlusJacobians::Evaluate(const Execution& execution, const double* state) {
  if (columns_.empty()) return;
  ParallelFor(
      execution, 0, static_cast<int>(columns_.size()),
      [&](int k) {
        const auto [column, kind] = columns_[k];
        const double* const x = state + program_.state_offset()[column];
        double* const values = values_.data() + place_[column];
        const bool is_valid =
            kind == Kind::kAngle
                ? program_.manifolds()[column]->PlusJacobian(x, values)
                : EvaluateQuaternion(column, x, values);
        if (!is_valid) values[0] = std::numeric_limits<double>::quiet_NaN();
      },
      kMinPlusJacobiansPerPiece);
}

// Computes Q. False: the manifold has another form, or failed.
bool PlusJacobians::EvaluateQuaternion(int column, const double* x,
                                       double* values) const {
  const Manifold& manifold = *program_.manifolds()[column];
  const int ambient = program_.ambient_size(column);
  const int tangent = program_.tangent_size(column);
  double jacobian[kMaxAmbientSize * (kMaxAmbientSize - 1)];
  if (!manifold.PlusJacobian(x, jacobian) ||
      !BeginsWithQuaternion(jacobian, ambient, tangent)) {
    return false;
  }
  for (int i = 0; i < kQuaternionSize; ++i) {
    std::copy_n(jacobian + i * tangent, kRotationSize,
                values + i * kRotationSize);
  }
  return true;
}

}  // namespace ceres::internal
