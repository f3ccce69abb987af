// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_REGIONS_REGION_WORD_H_
#define CERES_INTERNAL_PARALLEL_REGIONS_REGION_WORD_H_

#include <algorithm>
#include <cstdint>

// clang-format off
// The 64 bits that the owner of a region and its helpers change (region.h),
//   epoch (28 bits) | free participant slots (12) | first block left (12) | end (12)
// and the handle of a region:
//   slot (13 bits) | epoch (28)
// clang-format on

namespace ceres::parallel::detail {

// Names a parallel region, which is an epoch of a slot, or a task set. 0: none.
using RegionHandle = std::uint64_t;
inline constexpr int kHandleEpochBits = 28;

// Set in the handles of task sets: this bit | index | epoch
// (detail/task_set.h). Bit 63 belongs to the join board.
inline constexpr RegionHandle kTaskSetBit = RegionHandle{1} << 62;
inline bool IsTaskSetHandle(RegionHandle handle) {
  return (handle & kTaskSetBit) != 0;
}

// The most blocks of a region, and the most participant slots for helpers.
inline constexpr int kMaxBlocks = 4095;
inline constexpr int kMaxParticipantSlots = 4095;

// A claim takes share / kWholeShare of the blocks left, and at least one.
inline constexpr int kWholeShare = 64;

namespace region_word {

inline constexpr int kBlockBits = 12;
inline constexpr int kParticipantSlotShift = 2 * kBlockBits;
inline constexpr int kEpochShift = 64 - kHandleEpochBits;
inline constexpr std::uint64_t kField = (std::uint64_t{1} << 12) - 1;
inline constexpr std::uint64_t kOneParticipantSlot = std::uint64_t{1}
                                                     << kParticipantSlotShift;
inline constexpr std::uint64_t kBothBounds = kOneParticipantSlot - 1;
inline constexpr std::uint64_t kEpochMask =
    (std::uint64_t{1} << kHandleEpochBits) - 1;
inline constexpr std::uint32_t kOwnerSleeps = std::uint32_t{1} << 31;
static_assert(kMaxBlocks == static_cast<int>(kField) &&
              kMaxParticipantSlots == static_cast<int>(kField));

inline int FirstBlock(std::uint64_t word) {
  return static_cast<int>((word >> kBlockBits) & kField);
}
inline int EndBlock(std::uint64_t word) {
  return static_cast<int>(word & kField);
}
inline int Blocks(std::uint64_t word) {
  return EndBlock(word) - FirstBlock(word);
}
inline int FreeParticipantSlots(std::uint64_t word) {
  return static_cast<int>((word >> kParticipantSlotShift) & kField);
}
inline std::uint64_t Epoch(std::uint64_t word) { return word >> kEpochShift; }
inline std::uint64_t HandleEpoch(RegionHandle handle) {
  return handle & kEpochMask;
}

inline std::uint64_t WithoutFirst(std::uint64_t word, int blocks) {
  return word + (static_cast<std::uint64_t>(blocks) << kBlockBits);
}
inline std::uint64_t WithoutLast(std::uint64_t word, int blocks) {
  return word - static_cast<std::uint64_t>(blocks);
}

inline int ClaimSize(std::uint64_t word, int share) {
  return std::max(1, Blocks(word) * share / kWholeShare);
}

}  // namespace region_word
}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_REGIONS_REGION_WORD_H_
