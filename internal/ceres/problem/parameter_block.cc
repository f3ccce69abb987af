// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/parameter_block.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();

// A block whose bounds are all infinite has none: a solve with bounds takes
// other steps. The loop ends soon: the last bound that is removed is likely at
// the end.
void DropInfiniteBounds(std::vector<double>* lower,
                        std::vector<double>* upper) {
  for (std::size_t i = lower->size(); i-- > 0;) {
    if (!((*lower)[i] <= -kUnbounded && (*upper)[i] >= kUnbounded)) return;
  }
  lower->clear();
  upper->clear();
}

}  // namespace

void ParameterBlock::SetManifold(const Manifold* manifold) {
  if (manifold == nullptr) {
    manifold_ = nullptr;
    has_no_freedom_ = size_ == 0 ? 1 : 0;
    return;
  }
  VESTA_CHECK_EQ(manifold->AmbientSize(), size_)
      << "The manifold's ambient size is not the size of the parameter block "
      << "at " << user_state_ << ".";
  const int tangent_size = manifold->TangentSize();
  VESTA_CHECK_GE(tangent_size, 0)
      << "The manifold of the parameter block at " << user_state_
      << " has a negative tangent size.";
  if (manifold != manifold_) {
    std::vector<double> plus_jacobian(static_cast<std::size_t>(size_) *
                                      tangent_size);
    VESTA_CHECK(plus_jacobian.empty() ||
                manifold->PlusJacobian(user_state_, plus_jacobian.data()))
        << "The manifold's PlusJacobian failed at the current values of the "
        << "parameter block at " << user_state_ << ".";
  }
  manifold_ = manifold;
  has_no_freedom_ = tangent_size == 0 ? 1 : 0;
}

void ParameterBlock::CheckCoordinate(int index) const {
  VESTA_CHECK(index >= 0 && index < size_)
      << "Coordinate " << index << " of a parameter block of size " << size_
      << " has no bounds.";
}

ParameterBlock::Extras& ParameterBlock::MutableBounds() {
  Extras& extras = MutableExtras();
  if (extras.lower.empty()) {
    // Both or, if there is no memory, neither.
    std::vector<double> upper(size_, kUnbounded);
    extras.lower.assign(size_, -kUnbounded);
    extras.upper = std::move(upper);
  }
  return extras;
}

double ParameterBlock::LowerBound(int index) const {
  CheckCoordinate(index);
  return has_bounds() ? extras_->lower[index] : -kUnbounded;
}

double ParameterBlock::UpperBound(int index) const {
  CheckCoordinate(index);
  return has_bounds() ? extras_->upper[index] : kUnbounded;
}

void ParameterBlock::SetLowerBound(int index, double value) {
  CheckCoordinate(index);
  Extras& extras = MutableBounds();
  extras.lower[index] = value;
  if (value <= -kUnbounded) DropInfiniteBounds(&extras.lower, &extras.upper);
}

void ParameterBlock::SetUpperBound(int index, double value) {
  CheckCoordinate(index);
  Extras& extras = MutableBounds();
  extras.upper[index] = value;
  if (value >= kUnbounded) DropInfiniteBounds(&extras.lower, &extras.upper);
}

std::vector<int> ParameterBlock::PinnedCoordinates() const {
  std::vector<int> pinned;
  for (int i = 0; has_bounds() && i < size_; ++i) {
    if (extras_->lower[i] == extras_->upper[i] &&
        std::isfinite(extras_->lower[i])) {
      pinned.push_back(i);
    }
  }
  return pinned;
}

void ParameterBlock::ProjectOnBounds(double* values) const {
  if (!has_bounds()) return;
  for (int i = 0; i < size_; ++i) {
    values[i] =
        std::min(std::max(values[i], extras_->lower[i]), extras_->upper[i]);
  }
}

void ParameterBlock::SetLinearizationPoint(const double* point) {
  if (point == nullptr) {
    if (extras_ != nullptr) extras_->linearization_point.clear();
    return;
  }
  MutableExtras().linearization_point.assign(point, point + size_);
}

const std::vector<ResidualBlock*>& ParameterBlock::dependents() const {
  static const std::vector<ResidualBlock*> none;
  return extras_ == nullptr ? none : extras_->dependents;
}

}  // namespace ceres::internal
