// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/participation.h"

namespace ceres::parallel::detail {

CERES_PARALLEL_THREAD_LOCAL SequentialCutoff sequential_cutoff;
CERES_PARALLEL_THREAD_LOCAL std::int32_t loop_depth = 0;
CERES_PARALLEL_THREAD_LOCAL Participation* current_participation = nullptr;

}  // namespace ceres::parallel::detail
