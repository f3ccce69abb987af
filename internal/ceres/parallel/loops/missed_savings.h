// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_MISSED_SAVINGS_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_MISSED_SAVINGS_H_

#include "ceres/base/clock.h"
#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {

// The ski-rental rule, for work that follows closely upon other work of the
// calling thread, where no single piece is long enough to justify a wake-up.
// The thread adds up what one more thread would have saved. When the sum
// exceeds the cost of a wake-up, the thread wakes a worker of the pool for the
// work to come. In the worst case it pays twice the optimum for a known future.
// Work that begins longer after the last piece than a worker stays awake starts
// from zero.
//
// saving: nanoseconds, over a piece of work in [start, end).
void NoteMissedSaving(PoolState& pool, float saving, base::Ticks start,
                      base::Ticks end);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_MISSED_SAVINGS_H_
