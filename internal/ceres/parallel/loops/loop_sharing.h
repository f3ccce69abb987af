// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_LOOP_SHARING_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_LOOP_SHARING_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/loops/loop_cut.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/missed_savings.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/pool/publication.h"

// All times are nanoseconds.

namespace ceres::parallel::detail {

// Decides for one run of a loop when sharing pays, and with how many threads.
struct LoopSharing {
  // Whether to share work that takes this time in one thread.
  bool IsWorthSharing(float remaining) const {
    if (always_share || std::isinf(remaining)) return true;
    if (pool == nullptr) return remaining > 2.0f * kExecutorCost;
    const int awake = NumReady();
    if (awake <= 0) return remaining > kWorthWaking;
    return SavingWith(awake, remaining) > kSharingCost;
  }

  // The time that `helpers` save, by what helpers have saved at this place
  // before: k threads of efficiency e save 1 - 1 / (k e) of the time.
  float SavingWith(int helpers, float serial_time) const {
    const int company = std::min(helpers + 1, max_participants);
    const float speedup =
        std::max(1.02f, efficiency * static_cast<float>(company));
    return serial_time * (1.0f - 1.0f / speedup);
  }

  // Workers that join without being woken. Idle workers count. Within a loop of
  // the same pool, awake workers may all be at work for that loop. A caller
  // from outside takes all awake workers to be idle, which spares it a read of
  // another counter.
  int NumReady() const { return is_outer ? pool->NumAwake() : pool->NumIdle(); }

  // The number of threads for which the work is long enough.
  int ParticipantsFor(float remaining) const {
    const int limit = pool != nullptr ? pool->RunningLimit() : max_participants;
    const int worth = static_cast<int>(std::min(
        remaining / kSharingCost, static_cast<float>(kMaxParticipants)));
    if (always_share) return std::min(max_participants, limit);
    return std::max(1, std::min(max_participants, std::min(limit, worth)));
  }

  // Raises the efficiency a little. So a place that is not shared any more is
  // tried again after some runs.
  void ForgetInefficiency(LoopMeasurements& measured) const {
    if (efficiency > 0.99f) return;
    measured.efficiency.store(efficiency + (1.0f - efficiency) / 256.0f,
                              std::memory_order_relaxed);
  }

  PoolState* pool;  // Null: the host is another executor.
  int max_participants;
  // The efficiency of helpers that the site remembered when the loop began.
  float efficiency;
  bool is_outer;  // The loop is not within a loop of this host.
  bool always_share;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_LOOP_SHARING_H_
