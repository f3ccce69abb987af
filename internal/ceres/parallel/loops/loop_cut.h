// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_LOOP_CUT_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_LOOP_CUT_H_

#include <cstdint>

#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/region.h"

// How a loop is cut: into blocks, when others may help, and into chunks while
// the caller runs it alone.
//
// All times are nanoseconds.

namespace ceres::parallel::detail {

inline constexpr int kMaxParticipants =
    kMaxParticipantSlots / kMinBlocksPerParticipant;

// Of one index each, mostly: without a division then. (Compilers take n / grain
// for an equal of `grain == 1 ? n : n / grain`, and divide.)
inline std::int64_t NumGrains(std::int64_t n, std::int64_t grain) {
  return grain > 1 ? n / grain : n;
}

// How a loop is cut, and for what.
struct Cut {
  float serial_time;
  std::int64_t n;
  std::int64_t grain;
  int participants;

  int blocks;
  int first_blocks;
  int share;
  float block_cost;
};
// For at least two participants and two grains.
Cut MakeCut(float serial_time, std::int64_t n, std::int64_t grain,
            int participants);

// The same loop again is cut the same way, without the divisions of MakeCut,
// for which all participants would wait.
inline void CutIntoBlocks(float serial_time, std::int64_t grain,
                          int participants, RegionFrame* frame) {
  thread_local Cut cut = {};
  if (cut.serial_time != serial_time || cut.n != frame->n ||
      cut.grain != grain || cut.participants != participants) {
    cut = MakeCut(serial_time, frame->n, grain, participants);
  }
  frame->participant_slots = participants - 1;
  frame->blocks = cut.blocks;
  frame->first_blocks = cut.first_blocks;
  frame->share = cut.share;
  frame->block_cost = cut.block_cost;
}

// Of a loop that the caller runs alone, with `rest` indices left of this cost:
// how many it runs at once after `last_chunk`, or (0) first.
std::int64_t NextChunk(std::int64_t rest, std::int64_t last_chunk, float cost,
                       std::int64_t grain);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_LOOP_CUT_H_
