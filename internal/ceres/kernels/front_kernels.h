// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_FRONT_KERNELS_H_
#define CERES_INTERNAL_KERNELS_FRONT_KERNELS_H_

#include "ceres/kernels/front_layout.h"
#include "ceres/kernels/front_segments.h"

namespace ceres::internal::kernels {

// The dense work of a multifrontal Cholesky factorization, for T = double and
// float, in the widest vectors that the CPU has. Fronts lie as front_layout.h
// says, on cache lines. Every element is a sum in the order of the eliminated
// columns, however the work is cut, so the bits do not depend on the cut.
//
// A factored pivot is stored as its INVERSE.

inline constexpr int kAllPivotsPositive = -1;

// Sets the columns of a front to zero. (memset of the few KB that most have is
// `rep stosb`, which takes 1.6 times as long on Zen 3.)
void ClearColumns(int width, int below, double* front);
void ClearColumns(int width, int below, float* front);

// Factors the pivot rows [first, last) of a front whose columns [0, first) are
// eliminated. first: a multiple of the panel's height; last too, or the width.
// Returns kAllPivotsPositive, or the first pivot that is not a positive number.
int FactorizePivots(int width, int first, int last, double* front);
int FactorizePivots(int width, int first, int last, float* front);

// Eliminates the columns [first, last), whose pivots are factored, from the
// panels [first_panel, last_panel) of further rows, whose columns [0, first)
// are eliminated.
void EliminateFromPanels(int width, int first, int last, int first_panel,
                         int last_panel, double* front);
void EliminateFromPanels(int width, int first, int last, int first_panel,
                         int last_panel, float* front);

// The panels [first_panel, last_panel) of the update matrix, - B B' with B the
// rows below, all columns of which are eliminated. Overwrites.
void FormUpdate(int width, int first_panel, int last_panel, const double* front,
                double* update);
void FormUpdate(int width, int first_panel, int last_panel, const float* front,
                float* update);

// Where a child's update matrix goes in its parent's front.
struct FrontMap {
  const int* position;  // by row: ascending; < width: a pivot row
  int num_pivot_rows;   // rows with position < width
  const FrontSegment* segments;
  int num_segments;
};

// Adds the columns of a child's update matrix that are pivots of the parent.
// What stands above the child's diagonal is added above the parent's.
void AddToColumns(const FrontMap& map, const double* child, int width,
                  double* front);
void AddToColumns(const FrontMap& map, const float* child, int width,
                  float* front);
// Adds the others, to the parent's update matrix.
void AddToUpdate(const FrontMap& map, const double* child, int width,
                 double* update);
void AddToUpdate(const FrontMap& map, const float* child, int width,
                 float* update);

// x := L^-1 x for the pivot rows of a factored front, then y := B x. x and y
// are as long as whole panels; x's padding is overwritten.
void SolveForward(int width, int below, const double* front, double* x,
                  double* y);
void SolveForward(int width, int below, const float* front, float* x, float* y);
// x := L^-T (x - B'y). y's padding is zero.
void SolveBackward(int width, int below, const double* front, const double* y,
                   double* x);
void SolveBackward(int width, int below, const float* front, const float* y,
                   float* x);

// The plain twin of FactorizePivots, EliminateFromPanels and FormUpdate over
// all columns and rows of a front.
int FactorizeFrontPlain(int width, int below, double* front, double* update);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_KERNELS_H_
