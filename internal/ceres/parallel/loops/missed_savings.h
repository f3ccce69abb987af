// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_MISSED_SAVINGS_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_MISSED_SAVINGS_H_

#include "ceres/base/clock.h"
#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {

// The ski-rental rule for work that follows closely upon other work of the same
// thread, each piece too short to justify a wake-up: the calling thread adds up
// what one more thread would have saved it, and when that exceeds what a
// wake-up costs, makes one, for the work to come. At worst it pays twice what
// it would have, had it known the future. Work that begins longer after the
// last than a worker stays awake starts from zero.
//
// saving: nanoseconds, over a piece of work in [start, end).
void NoteMissedSaving(PoolState& pool, float saving, Ticks start, Ticks end);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_MISSED_SAVINGS_H_
