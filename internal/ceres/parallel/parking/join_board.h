// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_PARKING_JOIN_BOARD_H_
#define CERES_INTERNAL_PARALLEL_PARKING_JOIN_BOARD_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "ceres/parallel/parking/queue_parking_protocol.h"
#include "ceres/parallel/regions/region.h"
#include "ceres/parallel/sync/protocol_atomics.h"

namespace ceres::parallel::detail {

// The join requests of a pool: one cache line with the handles of open regions,
// which threads without work read in their own cache until an owner writes.
//
// Posting and withdrawing are plain stores: a read-modify-write would wait for
// the line. So if two owners post at the same moment, one request may overwrite
// the other. An owner looks again while it works alone (IsPosted), so a lost
// request costs speed only. A post is a release and a read at least an acquire,
// so a thread that reads a handle finds its region open.
//
// Requests of long regions are not overlooked, because their owners may be busy
// for long:
//
// clang-format off
//   owner                              worker
//   store the request                  count itself as not searching
//   fence                              look for long requests
//   look whether any worker searches   if there is one: wake another worker
//   if none does: wake a worker        or return to searching
// clang-format on
//
// All of this is sequentially consistent, so at least one of the two looks sees
// the other thread (queue_parking_protocol_test.cc). Exception: another post at
// the same moment may overwrite the request.
template <typename Atomics, typename Mutation = NoMutation>
class alignas(64) BasicJoinBoard {
 public:
  static constexpr int kSize = 8;

  // Flags of an entry. The owner is not a participant of another region of this
  // pool.
  static constexpr std::uint64_t kOuterOwner = std::uint64_t{1} << 63;

  // The region is long: a worker that begins other work wakes another worker
  // for it.
  static constexpr std::uint64_t kLong = std::uint64_t{1} << 61;

  static RegionHandle Handle(std::uint64_t entry) {
    return entry & ~(kOuterOwner | kLong);
  }

  // Returns the position of the entry, or -1 if the board is full.
  int Post(std::uint64_t entry) {
    const auto start = static_cast<int>(Handle(entry) >> kHandleEpochBits &
                                        std::uint64_t{kSize - 1});
    for (int k = 0; k < kSize; ++k) {
      const int position = (start + k) % kSize;
      if (entries_[position].load(std::memory_order_relaxed) == 0) {
        entries_[position].store(entry, std::memory_order_release);
        if ((entry & kLong) != 0 &&
            !Mutation::Breaks(ParkingRule::kFencesPost)) {
          Atomics::Fence(std::memory_order_seq_cst);
        }
        return position;
      }
    }
    return -1;
  }

  // For an owner that does not know the position.
  void WithdrawAll(RegionHandle handle) {
    for (int k = 0; k < kSize; ++k) {
      const std::uint64_t entry = At(k);
      if (Handle(entry) == handle) Withdraw(k, entry);
    }
  }

  void Withdraw(int position, std::uint64_t entry) {
    if (IsPosted(position, entry)) {
      entries_[position].store(0, std::memory_order_relaxed);
    }
  }

  bool IsPosted(int position, std::uint64_t entry) const {
    return position >= 0 && At(position) == entry;
  }

  std::uint64_t At(int position) const {
    return entries_[position].load(std::memory_order_seq_cst);
  }

  // Whether the board has an entry that is not in `seen`.
  bool HasNews(const std::array<std::uint64_t, kSize>& seen) const {
    std::uint64_t news = 0;
    for (int k = 0; k < kSize; ++k) {
      const std::uint64_t entry = entries_[k].load(std::memory_order_relaxed);
      news |= entry == seen[k] ? 0 : entry;
    }
    return news != 0;
  }

  // A long region for which is_open(handle), other than `except`; 0: none.
  template <typename IsOpen>
  RegionHandle FindLongIf(RegionHandle except, const IsOpen& is_open) const {
    for (int k = 0; k < kSize; ++k) {
      const std::uint64_t found = At(k);
      const RegionHandle handle = Handle(found);
      if ((found & kLong) != 0 && handle != except && is_open(handle)) {
        return handle;
      }
    }
    return 0;
  }

  int NumOuterOwners() const {
    int count = 0;
    for (int k = 0; k < kSize; ++k) count += At(k) >> 63;
    return count;
  }

  void Clear() {
    for (auto& entry : entries_) entry.store(0, std::memory_order_relaxed);
  }

 private:
  std::array<typename Atomics::template Atomic<std::uint64_t>, kSize>
      entries_{};
};

class JoinBoard : public BasicJoinBoard<RealAtomics> {
 public:
  // A long region that can still be joined, other than `except`; 0: none.
  RegionHandle FindLong(RegionHandle except) const {
    return FindLongIf(except, &RegionSlot::IsOpen);
  }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_PARKING_JOIN_BOARD_H_
