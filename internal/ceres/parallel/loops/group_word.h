// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_GROUP_WORD_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_GROUP_WORD_H_

#include <algorithm>
#include <cstdint>

// The 64 bits in which a group's owner and helpers meet (group.h):
//   epoch (28 bits) | seats free (12) | first block left (12) | end (12)
// and a group's handle: slot | epoch (28).

namespace ceres::parallel::detail {

// A slot and one of its epochs: slot (13 bits) | epoch (28). 0 is no group.
using GroupHandle = std::uint64_t;
inline constexpr int kHandleEpochBits = 28;

// Set in the handles of task sets (detail/task_set.h), which are of another
// kind: this bit | index | epoch. (Bit 63 belongs to the invitation board.)
inline constexpr GroupHandle kTaskSetBit = GroupHandle{1} << 62;
inline bool IsTaskSetHandle(GroupHandle handle) {
  return (handle & kTaskSetBit) != 0;
}

// The most blocks of a group, and the most seats.
inline constexpr int kMaxBlocks = 4095;
inline constexpr int kMaxSeats = 4095;

// A claim takes share / kWholeShare of the blocks left, at least one.
inline constexpr int kWholeShare = 64;

namespace group_word {

inline constexpr int kBlockBits = 12;
inline constexpr int kSeatShift = 2 * kBlockBits;
inline constexpr int kEpochShift = 64 - kHandleEpochBits;
inline constexpr std::uint64_t kField = (std::uint64_t{1} << 12) - 1;
inline constexpr std::uint64_t kOneSeat = std::uint64_t{1} << kSeatShift;
inline constexpr std::uint64_t kBothBounds = kOneSeat - 1;
inline constexpr std::uint64_t kEpochMask =
    (std::uint64_t{1} << kHandleEpochBits) - 1;
inline constexpr std::uint32_t kOwnerSleeps = std::uint32_t{1} << 31;
static_assert(kMaxBlocks == static_cast<int>(kField) &&
              kMaxSeats == static_cast<int>(kField));

inline int FirstBlock(std::uint64_t word) {
  return static_cast<int>((word >> kBlockBits) & kField);
}
inline int EndBlock(std::uint64_t word) {
  return static_cast<int>(word & kField);
}
inline int Blocks(std::uint64_t word) {
  return EndBlock(word) - FirstBlock(word);
}
inline int Seats(std::uint64_t word) {
  return static_cast<int>((word >> kSeatShift) & kField);
}
inline std::uint64_t Epoch(std::uint64_t word) { return word >> kEpochShift; }
inline std::uint64_t HandleEpoch(GroupHandle handle) {
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

}  // namespace group_word
}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_GROUP_WORD_H_
