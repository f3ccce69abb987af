// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_DETACHED_RESIDUAL_BLOCKS_H_
#define CERES_INTERNAL_PROBLEM_DETACHED_RESIDUAL_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// Residual blocks without loss function that are not in a problem: rows that a
// computation adds to those of the problem. Not thread-safe.
class DetachedResidualBlocks {
 public:
  // The indices of the blocks begin with first_index.
  explicit DetachedResidualBlocks(int first_index)
      : first_index_(first_index) {}

  // cost_function and blocks must outlive this.
  void Add(const CostFunction* cost_function,
           const std::vector<ParameterBlock*>& blocks) {
    const int num_blocks = static_cast<int>(blocks.size());
    const std::size_t size =
        ResidualBlock::MemorySize(num_blocks, nullptr, /*fast_removal=*/false);
    memory_.push_back(std::make_unique<std::max_align_t[]>(
        (size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)));
    auto* const rows = new (memory_.back().get())
        ResidualBlock(cost_function, nullptr, num_blocks,
                      first_index_ + static_cast<int>(list_.size()));
    std::copy(blocks.begin(), blocks.end(), rows->mutable_parameter_blocks());
    list_.push_back(rows);
  }

  // In the order in which they were added.
  const std::vector<ResidualBlock*>& list() const { return list_; }
  int first_index() const { return first_index_; }

 private:
  const int first_index_;
  std::vector<std::unique_ptr<std::max_align_t[]>> memory_;
  std::vector<ResidualBlock*> list_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_DETACHED_RESIDUAL_BLOCKS_H_
