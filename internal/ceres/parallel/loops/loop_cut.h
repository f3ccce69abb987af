// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_LOOP_CUT_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_LOOP_CUT_H_

#include <cstdint>

#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/regions/region.h"

// How a loop is cut: into blocks if others may help, and into chunks while the
// caller runs it alone.
//
// All times are nanoseconds.

namespace ceres::parallel::detail {

inline constexpr int kMaxParticipants =
    kMaxParticipantSlots / kMinBlocksPerParticipant;

// n / grain, without a division if the grain is 1. (Compilers would divide in
// `grain == 1 ? n : n / grain`.)
inline std::int64_t NumGrains(std::int64_t n, std::int64_t grain) {
  return grain > 1 ? n / grain : n;
}

// A loop and its cut. The first four members are the arguments of MakeCut, the
// others its result: the number of blocks, how many the owner takes with the
// opening, the share of a claim (kWholeShare), and the predicted time of a
// block.
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
// Requires at least two participants and two grains.
Cut MakeCut(float serial_time, std::int64_t n, std::int64_t grain,
            int participants);

// Sets the blocks of the frame. Keeps the last cut of the thread, because all
// participants would wait for the divisions of MakeCut.
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

// For a loop that the caller runs alone: the number of indices to run next.
// `rest` indices of this cost are left, and the last chunk had `last_chunk`
// indices, or 0 if there was none.
std::int64_t NextChunk(std::int64_t rest, std::int64_t last_chunk, float cost,
                       std::int64_t grain);

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_LOOP_CUT_H_
