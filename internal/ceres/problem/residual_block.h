// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_RESIDUAL_BLOCK_H_
#define CERES_INTERNAL_PROBLEM_RESIDUAL_BLOCK_H_

#include <cstddef>

#include "ceres/cost_function.h"
#include "ceres/loss_function.h"

namespace ceres::internal {

class ParameterBlock;

// A residual block of a problem: a cost function, a loss function and the
// parameter blocks it is applied to. It owns none of them. What a
// ResidualBlockId points at, so it never moves. Thread-compatible.
//
// Its arguments stand behind it in the same piece of memory, which the problem
// allocates with MemorySize() and fills:
//
//   | ResidualBlock | ParameterBlock* x n | int x n, with fast removal |
//
// The integers are the places of this block in the lists of dependents of its
// parameter blocks.
class ResidualBlock {
 public:
  static std::size_t MemorySize(int num_parameter_blocks, bool fast_removal) {
    // The pointers are what is stored, not the blocks they point at.
    const std::size_t per_argument =
        sizeof(ParameterBlock*) +  // NOLINT(bugprone-sizeof-expression)
        (fast_removal ? sizeof(int) : 0);
    return sizeof(ResidualBlock) + num_parameter_blocks * per_argument;
  }

  // index: the block's place in its problem. loss_function: null, rho(s) = s.
  ResidualBlock(const CostFunction* cost_function,
                const LossFunction* loss_function, int num_parameter_blocks,
                int index)
      : cost_function_(cost_function),
        loss_function_(loss_function),
        num_residuals_(cost_function->num_residuals()),
        num_parameter_blocks_(num_parameter_blocks),
        index_(index) {}
  ResidualBlock(const ResidualBlock&) = delete;
  ResidualBlock& operator=(const ResidualBlock&) = delete;

  const CostFunction* cost_function() const { return cost_function_; }
  const LossFunction* loss_function() const { return loss_function_; }
  int num_residuals() const { return num_residuals_; }
  int num_parameter_blocks() const { return num_parameter_blocks_; }

  // The arguments of the cost function, num_parameter_blocks() pointers.
  ParameterBlock* const* parameter_blocks() const {
    return reinterpret_cast<ParameterBlock* const*>(this + 1);
  }
  ParameterBlock** mutable_parameter_blocks() {
    return reinterpret_cast<ParameterBlock**>(this + 1);
  }
  int* mutable_dependent_places() {
    return reinterpret_cast<int*>(mutable_parameter_blocks() +
                                  num_parameter_blocks_);
  }

  // Place in Problem::GetResidualBlocks; negative once the block is removed.
  int index() const { return index_; }
  void set_index(int index) { index_ = index; }

 private:
  const CostFunction* cost_function_;
  const LossFunction* loss_function_;
  int num_residuals_;
  int num_parameter_blocks_;
  int index_;
};

static_assert(sizeof(ResidualBlock) % alignof(void*) == 0,
              "The arguments behind a ResidualBlock must be aligned.");

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_RESIDUAL_BLOCK_H_
