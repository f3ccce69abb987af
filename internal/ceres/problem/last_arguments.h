// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_LAST_ARGUMENTS_H_
#define CERES_INTERNAL_PROBLEM_LAST_ARGUMENTS_H_

#include "ceres/problem/parameter_block.h"

namespace ceres::internal {

// The parameter blocks of the residual block that was added last. The next one
// often has some of them at the same place (the point that many cameras see),
// where they need not be looked up.
class LastArguments {
 public:
  // The block that stands at place k, if it is the one at `values`, of the
  // size; else null.
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
  // Before a parameter block is destroyed.
  void Forget() { *this = LastArguments(); }

 private:
  static constexpr int kNumKept = 4;
  ParameterBlock* blocks_[kNumKept] = {};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_LAST_ARGUMENTS_H_
