// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_HIGHWAY_TARGETS_H_
#define CERES_INTERNAL_KERNELS_HIGHWAY_TARGETS_H_

// Include before any header of Highway. Disables instruction sets that do not
// speed up dense double-precision kernels over the next lower one. On x86,
// SSE2, AVX2 and AVX-512 remain. On ARM, NEON remains: kernels keep vectors in
// structs, and SVE vectors, whose length the compiler does not know, cannot be
// members.
#define HWY_DISABLED_TARGETS                                               \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | \
   HWY_SVE2_128)

#endif  // CERES_INTERNAL_KERNELS_HIGHWAY_TARGETS_H_
