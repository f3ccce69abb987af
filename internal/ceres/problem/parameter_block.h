// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PARAMETER_BLOCK_H_
#define CERES_INTERNAL_PROBLEM_PARAMETER_BLOCK_H_

#include <limits>
#include <memory>
#include <vector>

#include "ceres/manifold.h"

namespace ceres::internal {

class ResidualBlock;

// A parameter block of a problem: the address of its values, its size, manifold
// and bounds. It owns neither the values nor the manifold. Problems have
// millions of parameter blocks, so its size is half a cache line, and what few
// blocks have is stored elsewhere. Thread-compatible.
class ParameterBlock {
 public:
  // index: the position of the block in its problem.
  ParameterBlock(double* user_state, int size, int index)
      : user_state_(user_state),
        size_(size),
        index_(static_cast<unsigned>(index)),
        set_constant_(0),
        has_no_freedom_(size == 0 ? 1 : 0) {}
  ParameterBlock(const ParameterBlock&) = delete;
  ParameterBlock& operator=(const ParameterBlock&) = delete;

  // The user's memory, size() doubles.
  double* user_state() const { return user_state_; }

  // Number of ambient and of tangent coordinates.
  int size() const { return size_; }
  int tangent_size() const {
    return manifold_ == nullptr ? size_ : manifold_->TangentSize();
  }

  // The position in Problem::GetParameterBlocks.
  int index() const { return static_cast<int>(index_); }
  void set_index(int index) { index_ = static_cast<unsigned>(index); }

  // Set constant by the user, or without freedom.
  bool IsConstant() const { return (set_constant_ | has_no_freedom_) != 0; }
  void SetConstant() { set_constant_ = 1; }
  void SetVarying() { set_constant_ = 0; }

  // Null: Euclidean. SetManifold CHECKs the sizes of the manifold, and that it
  // can be evaluated at the user's values.
  const Manifold* manifold() const { return manifold_; }
  void SetManifold(const Manifold* manifold);

  // Bounds of a coordinate; index must be in [0, size): CHECK.
  bool has_bounds() const {
    return extras_ != nullptr && !extras_->lower.empty();
  }
  double LowerBound(int index) const;
  double UpperBound(int index) const;
  void SetLowerBound(int index, double value);
  void SetUpperBound(int index, double value);

  // The coordinates whose bounds are equal and finite, in ascending order. They
  // have one value. A block is pinned if all its coordinates are.
  std::vector<int> PinnedCoordinates() const;
  bool IsPinned() const {
    return has_bounds() &&
           static_cast<int>(PinnedCoordinates().size()) == size_;
  }

  // Moves each coordinate of values, size() doubles, that violates a bound to
  // this bound.
  void ProjectOnBounds(double* values) const;

  // The point at which Jacobians are evaluated, size() doubles. Null: the
  // current values.
  const double* linearization_point() const {
    return extras_ == nullptr || extras_->linearization_point.empty()
               ? nullptr
               : extras_->linearization_point.data();
  }
  void SetLinearizationPoint(const double* point);

  // The residual blocks that use this block, one entry per use. Only problems
  // with fast removal fill the list.
  const std::vector<ResidualBlock*>& dependents() const;
  std::vector<ResidualBlock*>* mutable_dependents() {
    return &MutableExtras().dependents;
  }

 private:
  struct Extras {
    // Bounds of all coordinates, or empty.
    std::vector<double> lower;
    std::vector<double> upper;
    std::vector<double> linearization_point;  // or empty
    std::vector<ResidualBlock*> dependents;
  };

  void CheckCoordinate(int index) const;
  Extras& MutableExtras() {
    if (extras_ == nullptr) extras_ = std::make_unique<Extras>();
    return *extras_;
  }
  Extras& MutableBounds();

  double* user_state_;
  const Manifold* manifold_ = nullptr;
  std::unique_ptr<Extras> extras_;
  int size_;
  unsigned index_ : 30;
  unsigned set_constant_ : 1;
  unsigned has_no_freedom_ : 1;
};

static_assert(sizeof(ParameterBlock) <= 3 * sizeof(void*) + 2 * sizeof(int));

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PARAMETER_BLOCK_H_
