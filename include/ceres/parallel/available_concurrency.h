// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_AVAILABLE_CONCURRENCY_H_
#define CERES_PUBLIC_PARALLEL_AVAILABLE_CONCURRENCY_H_

namespace ceres::parallel {

// The number of threads that can really run at once in this process, at least
// 1: the smallest of
//  - the cpus of the machine that are online,
//  - the cpus in the affinity mask of the calling thread,
//  - the cpu quota of the process's control group and of every group above it
//    (cgroup v1 and v2), rounded up: a container with 1.5 cpus gets 2.
//
// Reads the system's files at every call (some 50 us); keep the result. Safe to
// call from any thread. Never fails: what cannot be read does not limit.
int AvailableConcurrency();

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_AVAILABLE_CONCURRENCY_H_
