// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/parameter_block.h"

#include <algorithm>
#include <cstddef>

#include "glog/logging.h"

namespace ceres::internal {

void ParameterBlock::SetManifold(const Manifold* manifold) {
  if (manifold == nullptr) {
    manifold_ = nullptr;
    tangent_size_ = size_;
    return;
  }
  CHECK_EQ(manifold->AmbientSize(), size_)
      << "The manifold's ambient size is not the size of the parameter block "
      << "at " << user_state_ << ".";
  const int tangent_size = manifold->TangentSize();
  CHECK_GE(tangent_size, 0) << "The manifold of the parameter block at "
                            << user_state_ << " has a negative tangent size.";
  if (manifold != manifold_) {
    std::vector<double> plus_jacobian(static_cast<std::size_t>(size_) *
                                      tangent_size);
    CHECK(plus_jacobian.empty() ||
          manifold->PlusJacobian(user_state_, plus_jacobian.data()))
        << "The manifold's PlusJacobian failed at the current values of the "
        << "parameter block at " << user_state_ << ".";
  }
  manifold_ = manifold;
  tangent_size_ = tangent_size;
}

void ParameterBlock::CheckCoordinate(int index) const {
  CHECK(index >= 0 && index < size_)
      << "Coordinate " << index << " of a parameter block of size " << size_
      << " has no bounds.";
}

ParameterBlock::Bounds& ParameterBlock::MutableBounds() {
  if (bounds_ == nullptr) {
    constexpr double kUnbounded = std::numeric_limits<double>::max();
    bounds_ = std::make_unique<Bounds>();
    bounds_->lower.assign(size_, -kUnbounded);
    bounds_->upper.assign(size_, kUnbounded);
  }
  return *bounds_;
}

double ParameterBlock::LowerBound(int index) const {
  CheckCoordinate(index);
  return bounds_ == nullptr ? -std::numeric_limits<double>::max()
                            : bounds_->lower[index];
}

double ParameterBlock::UpperBound(int index) const {
  CheckCoordinate(index);
  return bounds_ == nullptr ? std::numeric_limits<double>::max()
                            : bounds_->upper[index];
}

void ParameterBlock::SetLowerBound(int index, double value) {
  CheckCoordinate(index);
  MutableBounds().lower[index] = value;
}

void ParameterBlock::SetUpperBound(int index, double value) {
  CheckCoordinate(index);
  MutableBounds().upper[index] = value;
}

void ParameterBlock::ProjectOnBounds(double* values) const {
  if (bounds_ == nullptr) return;
  for (int i = 0; i < size_; ++i) {
    values[i] =
        std::min(std::max(values[i], bounds_->lower[i]), bounds_->upper[i]);
  }
}

}  // namespace ceres::internal
