// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_FRONT_INVERSE_H_
#define CERES_INTERNAL_KERNELS_FRONT_INVERSE_H_

#include <cstdint>

#include "ceres/kernels/front_kernels.h"
#include "ceres/kernels/front_layout.h"

namespace ceres::internal::kernels {

// The dense operations of a selected inversion (sparse/selected_inverse.h).
// They run the best instruction set of the machine. Matrices lie in strips
// (front_layout.h) on cache lines. Every element is a sum in the order of the
// inner index, so results do not depend on how the work is cut. Calls may run
// concurrently if they write different strips.

// The symmetric matrix over the rows of a front is stored whole: `width` pivot
// rows in strips, then `below` rows in strips of their own, each width + below
// columns long.
constexpr int64_t FrontInverseSize(int width, int below) {
  return int64_t{NumFrontStrips<double>(width) +
                 NumFrontStrips<double>(below)} *
         kFrontStrip<double> * (width + below);
}
constexpr int64_t FrontInversePosition(int width, int below, int row,
                                       int column) {
  return row < width
             ? PivotPosition<double>(width + below, row, column)
             : int64_t{NumFrontStrips<double>(width)} * kFrontStrip<double> *
                       (width + below) +
                   PivotPosition<double>(width + below, row - width, column);
}

// Rows in strips; from one strip to the next there are `columns` columns.
template <typename T>
struct StripRows {
  T* data;
  int columns;
};

// C -= A B' for the strips [first_strip, last_strip) of A and C, the columns
// [first_column, last_column) of C, which are rows of B, and the first `depth`
// columns of A and B. first_column: a multiple of the strip's height.
void SubtractStripProduct(StripRows<const double> a, StripRows<const double> b,
                          int depth, int first_strip, int last_strip,
                          int first_column, int last_column,
                          StripRows<double> c);
// C -= A B' for the columns [0, last_column), up to the block of the diagonal.
void SubtractLowerStripProduct(StripRows<const double> a,
                               StripRows<const double> b, int depth,
                               int first_strip, int last_strip, int last_column,
                               StripRows<double> c);

// Copies from a front's inverse the rows and columns that are rows below of a
// child, for the segments [first_segment, last_segment) of the child's map, to
// their places among the child's rows. map.num_pivot_rows is not read.
void GatherFromInverse(const FrontMap& map, int first_segment, int last_segment,
                       int num_rows, int width, int below,
                       const double* inverse, StripRows<double> child);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_INVERSE_H_
