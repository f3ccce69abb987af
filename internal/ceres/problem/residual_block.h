// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_RESIDUAL_BLOCK_H_
#define CERES_INTERNAL_PROBLEM_RESIDUAL_BLOCK_H_

#include <algorithm>
#include <cstddef>

#include "ceres/cost_function.h"
#include "ceres/loss_function.h"

namespace ceres::internal {

class ParameterBlock;

// A residual block of a problem: a cost function, a loss function, and the
// parameter blocks that they are applied to (the arguments). It owns none of
// them. A ResidualBlockId points to it, so it never moves. Thread-compatible.
//
// The problem allocates MemorySize() bytes for the block and its n arguments,
// and fills them:
//
// clang-format off
//
//   | ResidualBlock | ParameterBlock* x n | LossFunction*, if any | int x n, with fast removal |
//
// clang-format on
//
// Integer k is the position of this block in the list of dependents of argument
// k. Problems have millions of residual blocks: a block with two arguments and
// no loss function has 32 bytes.
class ResidualBlock {
 public:
  static std::size_t MemorySize(int num_parameter_blocks,
                                const LossFunction* loss_function,
                                bool fast_removal) {
    constexpr std::size_t kPointer = sizeof(void*);
    const std::size_t per_argument =
        kPointer + (fast_removal ? sizeof(int) : 0);
    return sizeof(ResidualBlock) + (loss_function != nullptr ? kPointer : 0) +
           num_parameter_blocks * per_argument;
  }

  // Must be constructed in memory of MemorySize(). index: the position of the
  // block in its problem. loss_function: null for rho(s) = s.
  ResidualBlock(const CostFunction* cost_function,
                const LossFunction* loss_function, int num_parameter_blocks,
                int index)
      : cost_function_(cost_function),
        index_(index),
        num_residuals_(
            std::min<unsigned>(cost_function->num_residuals(), kManyResiduals)),
        num_parameter_blocks_(
            std::min<unsigned>(num_parameter_blocks, kManyParameterBlocks)),
        flags_(loss_function != nullptr ? kHasLossFunction : 0) {
    if (has_loss_function()) *PlaceOfLossFunction() = loss_function;
  }
  ResidualBlock(const ResidualBlock&) = delete;
  ResidualBlock& operator=(const ResidualBlock&) = delete;

  const CostFunction* cost_function() const { return cost_function_; }
  const LossFunction* loss_function() const {
    return has_loss_function()
               ? *const_cast<ResidualBlock*>(this)->PlaceOfLossFunction()
               : nullptr;
  }
  bool has_loss_function() const { return (flags_ & kHasLossFunction) != 0; }
  // Whether the cost function is a BatchRow. False at first.
  bool is_batch_row() const { return (flags_ & kIsBatchRow) != 0; }
  void set_is_batch_row() { flags_ |= kIsBatchRow; }
  // All flags, to be united over many blocks.
  static constexpr unsigned kIsBatchRow = 1;
  static constexpr unsigned kHasLossFunction = 2;
  unsigned flags() const { return flags_; }
  int num_residuals() const {
    return num_residuals_ < kManyResiduals ? static_cast<int>(num_residuals_)
                                           : cost_function_->num_residuals();
  }
  int num_parameter_blocks() const {
    return static_cast<int>(
        num_parameter_blocks_ < kManyParameterBlocks
            ? num_parameter_blocks_
            : cost_function_->parameter_block_sizes().size());
  }
  std::size_t MemorySize(bool fast_removal) const {
    return MemorySize(num_parameter_blocks(), loss_function(), fast_removal);
  }

  // The arguments of the cost function, num_parameter_blocks() pointers.
  ParameterBlock* const* parameter_blocks() const {
    return reinterpret_cast<ParameterBlock* const*>(this + 1);
  }
  ParameterBlock** mutable_parameter_blocks() {
    return reinterpret_cast<ParameterBlock**>(this + 1);
  }
  int* mutable_dependent_places() {
    return reinterpret_cast<int*>(PlaceOfLossFunction() +
                                  (has_loss_function() ? 1 : 0));
  }

  // The position in Problem::GetResidualBlocks. Negative: the block is removed.
  int index() const { return index_; }
  void set_index(int index) { index_ = index; }

 private:
  // A ParameterBlock* and a LossFunction* are of one size and alignment.
  const LossFunction** PlaceOfLossFunction() {
    return reinterpret_cast<const LossFunction**>(this + 1) +
           num_parameter_blocks();
  }

  const CostFunction* cost_function_;
  int index_;
  // Numbers that do not fit are asked of the cost function.
  static constexpr unsigned kManyResiduals = (1u << 16) - 1;
  static constexpr unsigned kManyParameterBlocks = (1u << 14) - 1;
  unsigned num_residuals_ : 16;
  unsigned num_parameter_blocks_ : 14;
  unsigned flags_ : 2;
};

static_assert(sizeof(ResidualBlock) % alignof(void*) == 0,
              "The arguments behind a ResidualBlock must be aligned.");

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_RESIDUAL_BLOCK_H_
