// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_METIS_MUTEX_H_
#define CERES_INTERNAL_SPARSE_METIS_MUTEX_H_

#include <mutex>

namespace ceres::internal {

// To be held while METIS runs, also within CHOLMOD. It draws numbers by srand
// and rand, which all threads share: of two orderings at the same time, neither
// would be the same in every run. (A program that calls rand meanwhile still
// has this effect, and its own sequence begins anew.)
inline std::mutex metis_mutex;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_METIS_MUTEX_H_
