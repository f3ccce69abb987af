// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_AVAILABLE_CONCURRENCY_H_
#define CERES_PUBLIC_PARALLEL_AVAILABLE_CONCURRENCY_H_

#include "ceres/parallel/detail/export.h"

namespace ceres::parallel {

// The number of threads of this process that can run at once, at least 1: the
// smallest of
//  - the CPUs of the machine that are online,
//  - the CPUs in the affinity mask of the calling thread,
//  - the CPU quota of the process's control group and of every group above it
//    (cgroup v1 and v2), rounded up: a container with 1.5 CPUs gets 2.
//
// Reads files of the system at every call (some 50 us); keep the result.
// Thread-safe. Never fails: a file that cannot be read does not limit.
CERES_PARALLEL_EXPORT int AvailableConcurrency();

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_AVAILABLE_CONCURRENCY_H_
