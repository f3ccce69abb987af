// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_METIS_MUTEX_H_
#define CERES_INTERNAL_SPARSE_METIS_MUTEX_H_

#include <mutex>

namespace ceres::internal {

// Held while METIS runs, also inside CHOLMOD. METIS calls srand and rand, whose
// state is one for the process: two orderings at the same time would not be the
// same in every run. A program that calls rand at the same time still changes
// the ordering, and METIS changes its sequence.
inline std::mutex metis_mutex;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_METIS_MUTEX_H_
