// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_SPLIT_PANELS_H_
#define CERES_INTERNAL_KERNELS_SPLIT_PANELS_H_

#include <cstdint>

namespace ceres::internal::kernels {

// A symmetric positive semidefinite matrix S in two parts of 32 bits each:
//
//     s_ij = d_i (q_ij + t_ij) d_j
//
//     d_i    a power of two, 2^15 d_i in (1, 2] times the root of s_ii
//     q_ij   a whole number, |q_ij| <= 2^30, as |s_ij| <= sqrt(s_ii s_jj)
//     t_ij   |t_ij| <= 1/2, in single precision
//
// q alone is S to 2^-29 sqrt(s_ii s_jj), 32 to 128 times closer than single
// precision is at the diagonal; with t it is S to 2^-54 sqrt(s_ii s_jj). Where
// reading a matrix takes most of the time of a product, one that need not be
// exact takes half of it, and one that must be exact needs no second copy.

// 1 / d_i for a diagonal element; 1 where that is not positive and finite.
double SplitScale(double diagonal);

// Splits a block (rows x columns) in panel layout, padding included, which must
// be zero: `block` and the parts are 64-byte (32-byte) aligned. row_scale and
// column_scale: 1 / d of its rows and columns, 64-byte aligned and padded with
// anything finite. False if elements are not finite, or more than a few units
// above 2^30, where q is cut off and t is what is left.
[[nodiscard]] bool SplitPanelBlock(int rows, int columns, const double* block,
                                   const double* row_scale,
                                   const double* column_scale, int32_t* whole,
                                   float* rest);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_SPLIT_PANELS_H_
