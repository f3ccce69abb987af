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

// A parameter block of a problem: where its values are and what is known of
// them. It owns neither the values nor the manifold. One cache line, as there
// can be millions. Thread-compatible.
class ParameterBlock {
 public:
  // index: the block's place in its problem.
  ParameterBlock(double* user_state, int size, int index)
      : user_state_(user_state),
        size_(size),
        tangent_size_(size),
        index_(index) {}
  ParameterBlock(const ParameterBlock&) = delete;
  ParameterBlock& operator=(const ParameterBlock&) = delete;

  // The user's memory, size() doubles.
  double* user_state() const { return user_state_; }

  // Number of ambient and of tangent coordinates.
  int size() const { return size_; }
  int tangent_size() const { return tangent_size_; }

  // Place in Problem::GetParameterBlocks.
  int index() const { return index_; }
  void set_index(int index) { index_ = index; }

  // Set constant by the user, or without freedom.
  bool IsConstant() const { return set_constant_ || tangent_size_ == 0; }
  void SetConstant() { set_constant_ = true; }
  void SetVarying() { set_constant_ = false; }

  // Null: Euclidean. Setting CHECKs sizes and that the manifold can be
  // evaluated at the user's values.
  const Manifold* manifold() const { return manifold_; }
  void SetManifold(const Manifold* manifold);

  // Bounds of a coordinate; index must be in [0, size): CHECK.
  bool has_bounds() const { return bounds_ != nullptr; }
  double LowerBound(int index) const;
  double UpperBound(int index) const;
  void SetLowerBound(int index, double value);
  void SetUpperBound(int index, double value);

  // Moves each coordinate of values, size() doubles, to its nearest bound if it
  // is outside.
  void ProjectOnBounds(double* values) const;

  // The residual blocks that use this block, one entry per use; kept only by
  // problems with fast removal.
  const std::vector<ResidualBlock*>& dependents() const { return dependents_; }
  std::vector<ResidualBlock*>* mutable_dependents() { return &dependents_; }

 private:
  struct Bounds {
    std::vector<double> lower;
    std::vector<double> upper;
  };

  void CheckCoordinate(int index) const;
  Bounds& MutableBounds();

  double* user_state_;
  const Manifold* manifold_ = nullptr;
  int size_;
  int tangent_size_;
  int index_;
  bool set_constant_ = false;
  std::unique_ptr<Bounds> bounds_;
  std::vector<ResidualBlock*> dependents_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PARAMETER_BLOCK_H_
