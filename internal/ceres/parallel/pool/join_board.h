// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_JOIN_BOARD_H_
#define CERES_INTERNAL_PARALLEL_POOL_JOIN_BOARD_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "ceres/parallel/loops/region.h"
#include "ceres/parallel/pool/protocol_atomics.h"
#include "ceres/parallel/tasks/queue_parking_protocol.h"
#include "ceres/parallel/tasks/task_queue.h"

namespace ceres::parallel::detail {

// Where a pool's open groups hang for idle workers to see: one cache line,
// which workers that spin read in their own cache until somebody writes to it.
//
// Posting and withdrawing are plain stores, without a read-modify-write that
// would wait for the line. Two threads that post at once may overwrite each
// other: an invitation may be lost. Owners look again while they work alone
// (IsPosted), so that costs speed only. A post is a release and a read at
// least an acquire, so that who reads a handle finds its group open.
//
// An invitation to a long group is not to be overlooked, because its owner may
// be away for long: it is followed by a fence, after which the owner looks
// whether anybody seeks work (PoolState::WakeUnlessSearching). A worker that
// stops seeking says so first, by a read-modify-write, then looks for such
// invitations, and calls another worker or comes back. All of this is
// sequentially consistent, so that one of the two sees the other
// (queue_parking_protocol_test.cc). What is left is that a post at the same
// moment overwrites this one.
template <typename Atomics, typename Mutation = NoMutation>
class alignas(64) BasicJoinBoard {
 public:
  static constexpr int kSize = 8;

  // In an entry: the owner is not a participant of another group of this pool.
  static constexpr std::uint64_t kOuterOwner = std::uint64_t{1} << 63;

  // Nor is the group short: a worker that turns to something else calls
  // another one for it.
  static constexpr std::uint64_t kLong = std::uint64_t{1} << 61;

  static RegionHandle Handle(std::uint64_t entry) {
    return entry & ~(kOuterOwner | kLong);
  }

  // Returns the position, or -1 when the board is full.
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

  // For an owner who does not know the position.
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

  // Whether an entry is there that is not in `seen`.
  bool HasNews(const std::array<std::uint64_t, kSize>& seen) const {
    std::uint64_t news = 0;
    for (int k = 0; k < kSize; ++k) {
      const std::uint64_t entry = entries_[k].load(std::memory_order_relaxed);
      news |= entry == seen[k] ? 0 : entry;
    }
    return news != 0;
  }

  // A long group for which is_open(handle), other than `except`; 0: none.
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
  // A long group that can still be joined, other than `except`; 0: none.
  RegionHandle FindLong(RegionHandle except) const {
    return FindLongIf(except, &RegionSlot::IsOpen);
  }
};

// A thread that looks for work on a board.
struct Searcher {
  // Entries found to be of no use. No entry ever comes back with another
  // meaning, so their groups need no second look.
  std::array<std::uint64_t, JoinBoard::kSize> seen{};
  // Only groups within this one will do; 0: any.
  RegionHandle ancestor = 0;
  // Only loops within tasks of this pool will do; null: any.
  const PoolState* tasks_of = nullptr;
  // The closure of the group joined last. A loop that is run again has it at
  // the same place of its owner's stack, so that it can be fetched early.
  const void* last_closure = nullptr;
  // The group joined last: there is nothing left in it.
  RegionHandle last_handle = 0;
  // The slot of that group, if this thread watches it: an owner whose loops
  // follow each other keeps its slot, so its next group is seen there sooner
  // than on the board.
  RegionSlot* watched = nullptr;
  // The pool knows of it: see PoolState::BeginSearch.
  bool is_searching = false;
  // A worker takes whatever there is, and is expected to when tasks are queued.
  bool is_worker = false;
  unsigned turn = 0;
  // When PoolState::HelpLate looked last; 0: not yet.
  Ticks last_look = 0;
  QueueSearch queues;

  // Watches this slot instead of another, unless somebody else does. Null:
  // none.
  void Watch(RegionSlot* slot) {
    if (slot == watched) return;
    if (watched != nullptr) watched->EndWatch();
    watched = slot != nullptr && slot->BeginWatch() ? slot : nullptr;
  }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_POOL_JOIN_BOARD_H_
