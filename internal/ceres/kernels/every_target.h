// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_EVERY_TARGET_H_
#define CERES_INTERNAL_KERNELS_EVERY_TARGET_H_

#include "ceres/kernels/highway_targets.h"
#include "gtest/gtest.h"
#if !defined(HWY_COMPILE_ONLY_STATIC)
#include "hwy/targets.h"
#endif

namespace ceres::internal::kernels {

// For tests: calls f() once for every instruction set that kernels are compiled
// for and that this machine has. During a call the kernels use that instruction
// set. Not thread-safe: the choice is global. Without CUSTOM_BLAS there is one
// instruction set, and Highway's library, which has the choice, is not needed.
template <typename F>
void ForEachTarget(const F& f) {
#if defined(HWY_COMPILE_ONLY_STATIC)
  f();
#else
  const int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  ASSERT_NE(supported, 0);
  for (int64_t rest = supported; rest != 0; rest &= rest - 1) {
    const int64_t target = rest & -rest;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    f();
  }
  hwy::SetSupportedTargetsForTest(0);
#endif
}

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_EVERY_TARGET_H_
