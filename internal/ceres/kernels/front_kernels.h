// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_FRONT_KERNELS_H_
#define CERES_INTERNAL_KERNELS_FRONT_KERNELS_H_

#include <cstdint>
#include <vector>

#include "ceres/kernels/front_layout.h"

namespace ceres::internal::kernels {

// The dense operations of a multifrontal Cholesky factorization (Duff and Reid,
// ACM Transactions on Mathematical Software 9, 1983), for double and float.
// They run the best instruction set of the machine. Fronts lie in strips
// (front_layout.h) on cache lines. Every element is a sum in the order of the
// eliminated columns, so results do not depend on how the work is cut. Calls
// may run concurrently if they write different strips.
//
// A factored pivot is stored as its INVERSE.

// The result of FactorizePivots if all pivots are positive.
inline constexpr int kAllPivotsPositive = -1;

// Sets the columns of a front to zero. Faster than memset, which is `rep stosb`
// for the few KiB of most fronts.
void ClearColumns(int width, int below, double* front);
void ClearColumns(int width, int below, float* front);

// Factors the pivot rows [first, last) of a front whose columns [0, first) are
// eliminated. `first` is a multiple of the strip's height; so is `last`, unless
// it is the width. Returns kAllPivotsPositive, or the first pivot that is not a
// positive number.
int FactorizePivots(int width, int first, int last, double* front);
int FactorizePivots(int width, int first, int last, float* front);

// Eliminates the columns [first, last), whose pivots are factored, from the
// strips [first_strip, last_strip) of further rows, whose columns [0, first)
// are eliminated.
void EliminateFromStrips(int width, int first, int last, int first_strip,
                         int last_strip, double* front);
void EliminateFromStrips(int width, int first, int last, int first_strip,
                         int last_strip, float* front);

// Overwrites the strips [first_strip, last_strip) of the update matrix with
// - B B', B being the rows below, after all columns are eliminated.
void FormUpdate(int width, int first_strip, int last_strip, const double* front,
                double* update);
void FormUpdate(int width, int first_strip, int last_strip, const float* front,
                float* update);

// A segment: consecutive rows of a child's update matrix, within one strip,
// that go to ascending rows of one strip of the parent's front. One permutation
// of lanes moves a column of a segment.
struct FrontSegment {
  int first_row;  // of the child's update matrix
  int16_t length;
  uint16_t lanes;  // bit mask of the lanes of the parent's strip
  // By lane of the parent's strip that is in the mask: the lane of the child's
  // strip. Arbitrary for other lanes.
  uint8_t source[16];
};

// Appends the segments of n rows. position: as in FrontMap.
template <typename T>
void AppendFrontSegments(const int* position, int n, int parent_width,
                         std::vector<FrontSegment>* segments) {
  constexpr int h = kFrontStrip<T>;
  int last_strip = -1;
  for (int i = 0; i < n; ++i) {
    const int p = position[i];
    const bool is_pivot = p < parent_width;
    const int row = is_pivot ? p : p - parent_width;
    const int strip =
        row / h + (is_pivot ? 0 : NumFrontStrips<T>(parent_width));
    if (i % h == 0 || strip != last_strip) {
      FrontSegment& next = segments->emplace_back();
      next = {};
      next.first_row = i;
    }
    last_strip = strip;
    FrontSegment& s = segments->back();
    ++s.length;
    s.lanes = static_cast<uint16_t>(s.lanes | 1u << row % h);
    s.source[row % h] = static_cast<uint8_t>(i % h);
  }
}

// The places of the rows of a child's update matrix in the parent's front.
struct FrontMap {
  const int* position;  // by row: ascending; < width: a pivot row
  int num_pivot_rows;   // rows with position < width
  const FrontSegment* segments;
  int num_segments;
};

// Adds the columns of a child's update matrix that are pivots of the parent to
// the parent's columns. The undefined values above the child's diagonal are
// added above the parent's diagonal.
void AddToColumns(const FrontMap& map, const double* child, int width,
                  double* front);
void AddToColumns(const FrontMap& map, const float* child, int width,
                  float* front);
// Adds the other columns of a child's update matrix to the parent's update
// matrix.
void AddToUpdate(const FrontMap& map, const double* child, int width,
                 double* update);
void AddToUpdate(const FrontMap& map, const float* child, int width,
                 float* update);

// x := L^-1 x for the pivot rows of a factored front, then y := B x. x and y
// have the length of whole strips. Overwrites the padding of x.
void SolveForward(int width, int below, const double* front, double* x,
                  double* y);
void SolveForward(int width, int below, const float* front, float* x, float* y);
// x := L^-T (x - B'y). The padding of y is zero.
void SolveBackward(int width, int below, const double* front, const double* y,
                   double* x);
void SolveBackward(int width, int below, const float* front, const float* y,
                   float* x);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_KERNELS_H_
