// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_RUNTIME_BUSY_WORK_H_
#define VESTA_BENCHMARKS_RUNTIME_BUSY_WORK_H_

// Work of a known length.

namespace vesta_benchmarks {

// Computes until so many nanoseconds have passed by the clock: right wherever
// no thread lacks a cpu.
void WorkByClock(double nanoseconds);

// Computes for as long as the calling thread needs for so much, whoever else
// wants its cpu: for more threads than cpus, where a clock would count the time
// of a thread that does not run. Calibrated on first use.
void WorkBySteps(double nanoseconds);

}  // namespace vesta_benchmarks

#endif  // VESTA_BENCHMARKS_RUNTIME_BUSY_WORK_H_
