// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_LAST_ARGUMENTS_H_
#define CERES_INTERNAL_PROBLEM_LAST_ARGUMENTS_H_

#include "ceres/problem/parameter_block.h"

namespace ceres::internal {

// The parameter blocks of the residual block that was added last. The next
// residual block often has some of them at the same positions (a point that
// many cameras see). Such blocks need no look-up.
class LastArguments {
 public:
  // The last block at position k, if it has these values and this size. Else
  // null.
  ParameterBlock* Find(int k, const double* values, int size) const {
    return k < kNumKept && blocks_[k] != nullptr &&
                   blocks_[k]->user_state() == values &&
                   blocks_[k]->size() == size
               ? blocks_[k]
               : nullptr;
  }
  void Set(int k, ParameterBlock* block) {
    if (k < kNumKept) blocks_[k] = block;
  }
  // Must be called before a parameter block is destroyed.
  void Forget() { *this = LastArguments(); }

 private:
  static constexpr int kNumKept = 4;
  ParameterBlock* blocks_[kNumKept] = {};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_LAST_ARGUMENTS_H_
