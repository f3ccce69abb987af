// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_BUSY_WORK_H_
#define VESTA_BENCHMARKS_RUNTIME_BUSY_WORK_H_

// Work of a known length.

namespace vesta_benchmarks {

// Computes until `nanoseconds` have passed by the clock. For at most as many
// threads as cpus.
void WorkByClock(double nanoseconds);

// Computes as many steps as take `nanoseconds` on a cpu of its own, also if
// other threads use the cpu meanwhile. For more threads than cpus. Calibrated
// on first use.
void WorkBySteps(double nanoseconds);

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_BUSY_WORK_H_
