// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_SPLIT_PANELS_H_
#define CERES_INTERNAL_KERNELS_SPLIT_PANELS_H_

#include <cstdint>

namespace ceres::internal::kernels {

// A symmetric positive semidefinite matrix S in two parts of 32 bits each:
//
// clang-format off
//     s_ij = d_i (q_ij + t_ij) d_j
//
//     d_i    a power of two, 2^15 d_i in (1, 2] times the root of s_ii
//     q_ij   a whole number, |q_ij| <= 2^30, as |s_ij| <= sqrt(s_ii s_jj)
//     t_ij   |t_ij| <= 1/2, in single precision
// clang-format on
//
// q alone approximates S to 2^-29 sqrt(s_ii s_jj); q + t to 2^-54
// sqrt(s_ii s_jj). A product that reads S from memory takes half the time if it
// reads q alone.

// Returns 1 / d_i for a diagonal element s_ii; 1 if s_ii is not positive and
// finite.
double SplitScale(double diagonal);

// Splits a block (rows x columns) in panel layout, padding included, which must
// be zero. `block` is 64-byte aligned, the parts are 32-byte aligned. row_scale
// and column_scale: 1 / d of the rows and columns, 64-byte aligned, padded with
// finite values. Returns false if an element is not finite, or is more than a
// few units above 2^30; then q is cut off and t holds the rest.
[[nodiscard]] bool SplitPanelBlock(int rows, int columns, const double* block,
                                   const double* row_scale,
                                   const double* column_scale, int32_t* whole,
                                   float* rest);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_SPLIT_PANELS_H_
