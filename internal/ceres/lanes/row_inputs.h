// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LANES_ROW_INPUTS_H_
#define CERES_INTERNAL_LANES_ROW_INPUTS_H_

#include <cstdint>

#include "ceres/batch_columns.h"
#include "ceres/lanes/batch_kernels.h"
#include "ceres/residual_batch.h"

// Brings what rows of a batch are computed from into lanes. Rows are
// rows.rows[indices[0]], ..., rows.rows[indices[count - 1]], at most
// kBlockRows. Row i has number k at to[k * kNumberStride + i]. Rows of the last
// sample beyond the last row repeat it.

namespace ceres::internal::lanes {

// The samples that hold `count` rows.
inline int NumSamples(int count) { return (count + kLanes - 1) / kLanes; }

// Argument `argument` of num_arguments, which has `size` numbers.
void GatherArgument(const BatchRows& rows, const int* indices, int count,
                    int argument, int num_arguments, int size, double* to);

// All columns.
void GatherColumns(const BatchColumns& columns, const BatchRows& rows,
                   const int* indices, int count, double* to);

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_ROW_INPUTS_H_
