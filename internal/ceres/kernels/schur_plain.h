// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_SCHUR_PLAIN_H_
#define CERES_INTERNAL_KERNELS_SCHUR_PLAIN_H_

#include "ceres/kernels/schur_kernels.h"

namespace ceres::internal::kernels {

// The plain twins of schur_kernels.h: the formulas, element by element, for any
// shape. Tests compare the fast kernels with them. EliminatePointsPlain is the
// twin of EliminateBatches as well.
int EliminatePointsPlain(const SchurView& view, const SchurTarget& target,
                         int begin, int end);
int FormPointsPlain(const SchurView& view, const SchurTarget& target, int begin,
                    int end);
void GatherBlockRowsPlain(const SchurView& view, const SchurTarget& target,
                          const SchurGather& gather, int begin, int end);
void AddRowsPlain(const SchurView& view, const SchurTarget& target, int begin,
                  int end);
double BackSubstitutePointsPlain(const SchurView& view, const double* factor,
                                 int begin, int end, double* step);
double RowsModelCostChangePlain(const SchurView& view, int begin, int end,
                                const double* step);
void SubtractPointProductsPlain(const SchurView& view, const double* u,
                                int begin, int end, const int* camera_x,
                                const int* camera_y, const double* x,
                                double* y);
void AddSymmetricProductPlain(const PanelMatrixView& matrix, int begin, int end,
                              const double* x, double* y);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_SCHUR_PLAIN_H_
