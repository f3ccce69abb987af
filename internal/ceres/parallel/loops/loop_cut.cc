// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/loops/loop_cut.h"

#include <algorithm>
#include <cmath>

namespace ceres::parallel::detail {
Cut MakeCut(float serial_time, std::int64_t n, std::int64_t grain,
            int participants) {
  Cut cut{serial_time, n, grain, participants, 0, 0, 0, 0.0f};
  const auto p = static_cast<float>(participants);
  // A block takes long enough to be worth a claim. A short loop is divided at
  // once, without further claims, so its blocks may be short.
  const float block_time =
      serial_time < kShortLoop ? kShortBlockTime : kBlockTime;
  const int blocks =
      serial_time < kVeryShortLoop
          ? kMaxBlocksPerParticipant * participants
          : static_cast<int>(std::clamp(serial_time / block_time,
                                        p * kMinBlocksPerParticipant,
                                        p * kMaxBlocksPerParticipant));
  const std::int64_t grains = NumGrains(n, grain);
  cut.blocks = static_cast<int>(
      std::min(std::int64_t{std::min(blocks, kMaxBlocks)}, grains));
  cut.block_cost = serial_time / static_cast<float>(cut.blocks);

  // How many blocks a claim takes. A short loop is divided at once, so that the
  // owner ends together with the helpers, who begin later. A long loop is
  // divided step by step.
  const float owner_time = (serial_time + (p - 1.0f) * kHelperDelay) / p;
  const int helpers = participants - 1;
  float first_time = owner_time;
  if (serial_time < kVeryShortLoop) {
    cut.share = kWholeShare / helpers;
  } else if (serial_time < kShortLoop) {
    cut.share = 7 * kWholeShare / (8 * helpers);
  } else {
    cut.share = kWholeShare / (2 * participants);
    first_time = 0.5f * owner_time;
  }
  cut.share = std::max(1, cut.share);
  cut.first_blocks = static_cast<int>(std::lround(first_time / cut.block_cost));
  cut.first_blocks = std::clamp(cut.first_blocks, 1, cut.blocks - 1);
  return cut;
}

std::int64_t NextChunk(std::int64_t rest, std::int64_t last_chunk, float cost,
                       std::int64_t grain) {
  // The first chunk confirms the prediction, or not.
  std::int64_t chunk = 1;
  if (last_chunk > 0) {
    const float fitting = kChunkTime / std::max(cost, 1e-3f);
    chunk =
        static_cast<std::int64_t>(std::min(fitting, static_cast<float>(rest)));
    chunk = std::min(chunk, kBlockGrowth * last_chunk);
  }
  constexpr std::int64_t kAlignment = 64;
  chunk = std::max(chunk, grain);
  if (chunk > kAlignment) chunk -= chunk % kAlignment;
  return rest - chunk < chunk / 2 ? rest : std::min(chunk, rest);
}

}  // namespace ceres::parallel::detail
