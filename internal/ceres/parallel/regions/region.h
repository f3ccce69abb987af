// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_REGIONS_REGION_H_
#define CERES_INTERNAL_PARALLEL_REGIONS_REGION_H_

#include <atomic>
#include <cstdint>
#include <exception>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/regions/plain_run_protocol.h"
#include "ceres/parallel/regions/region_protocol.h"
#include "ceres/parallel/regions/region_word.h"
#include "ceres/parallel/sync/protocol_atomics.h"

// A parallel region: work that its owner has published, so that helpers may
// take part of it.
//
// The data of a region lies in the stack frame of its owner (RegionFrame).
// Other threads see a slot, in a table that lives as long as the process:
//
// clang-format off
//   word      epoch (28 bits) | free participant slots (12) | first block left (12) | end (12)
//   finished  helpers that have left (31 bits) | the owner sleeps (1)
// clang-format on
//
// A handle (slot, epoch) names a region. It is what a join request carries.
//
// Why the protocol is correct
//  - Opening writes the frame and the plain fields of the slot, then stores the
//    word (release) with an epoch that the slot never had. Joining is one
//    compare-exchange (acquire) that requires the epoch of the handle, a free
//    participant slot and a block, and takes one of each. A thread that joins
//    sees the fields of its epoch. A late thread fails and has touched only the
//    word, which is never freed. Claims are relaxed read-modify-writes: they
//    prolong the release sequence of the opening, and hand over no data of
//    their own.
//  - Blocks never increase within an epoch, and a join takes a block. So when
//    the owner has read zero blocks, the participant slots that it reads in the
//    same word are final: the number of helpers is the number of slots taken.
//  - The last access of a helper to the frame comes before its increment
//    (release) of `finished`. The owner leaves its frame, and reuses the slot,
//    only when it has read (acquire) as many increments as slots were taken. So
//    the writes of helpers happen before the owner goes on. The word of the old
//    epoch keeps zero blocks, so no thread can join it.
//  - Sleep: the owner sets the sleep bit by a read-modify-write and sleeps only
//    while the word is as it last read it. A helper that reads the bit in its
//    increment wakes the address. The second of the two sees the first. The
//    wake may reach a later owner of the slot, which looks again.
//  - A participant slot, and its participant id, is taken at most once in an
//    epoch and never given back. So no two threads ever hold one id.
//  - The owner takes the next epoch from a field of its own. The cache line of
//    the word is with a helper then. The field goes from owner to owner with
//    the slot (Acquire, Release).
//  - A worker may watch the slot that it joined last, instead of waiting for a
//    join request. It reads the word, then the pool (both acquire), and joins
//    by the handle that the epoch of the word makes. If a later opening wrote
//    the pool that it read, the word has changed and the join fails. So the
//    worker never joins a region of another pool. Whether a slot is watched is
//    a hint: an owner that trusts it wrongly posts a request later
//    (Publication::InviteAgain).
//  - A quiet region is not found in these ways: its slot belongs to no pool. A
//    thread that searches all slots (FindLate) reads the word, then the pool or
//    the quiet pool, and joins by handle as above.
//  - Epochs repeat after 2^28 openings of one slot. A handle of that age may
//    join the present region. This is harmless: everything is read after the
//    exchange.
//
// region_protocol.h holds the source, a template that region_protocol_test.cc
// runs in every interleaving.
//
// The owner claims blocks from the front and helpers claim from the back. So in
// loops that follow each other over the same data, each thread finds its part
// in its own cache. A claim takes a share of the blocks left (guided
// self-scheduling, Polychronopoulos and Kuck, IEEE Trans. Computers 1987),
// because every claim moves a cache line between CPUs, which takes some 150 ns.

namespace ceres::parallel::detail {

// A region that can be joined for longer, in nanoseconds, is late: the
// prediction of its time does not hold.
inline constexpr float kLate = 20e3f;

using RegionFrame = BasicRegionFrame<RealAtomics, std::exception_ptr>;

extern template class BasicRegionSlot<RealAtomics, std::exception_ptr>;

// A plain loop (loops/plain_loop.cc), in the stack frame of its owner.
struct PlainLoop {
  // Opens the indices from `first` on as a quiet region. Returns its handle, or
  // 0 if they cannot be shared.
  RegionHandle (*open_rest)(PlainLoop& loop, std::int64_t first);
  PoolState* pool;
  const Participation* participation;  // Of the owner.
};
using PlainRun = BasicPlainRun<PlainLoop, RealAtomics>;

class alignas(128) RegionSlot
    : public BasicRegionSlot<RealAtomics, std::exception_ptr> {
 public:
  // Gives a slot to the caller alone. Null: all slots are in use. Lock-free.
  // Each thread keeps the slot that it released last, so that a loop gets and
  // releases a slot without an atomic read-modify-write.
  static RegionSlot* Acquire();
  static void Release(RegionSlot* slot);
  // Fetches the cache line of the slot that Acquire will return.
  static void FetchForWriting();
  static RegionSlot* TakeFreeSlot();
  static void PutFreeSlot(RegionSlot* slot);
  static RegionSlot* Of(RegionHandle handle) {
    return &slots_[(handle >> kHandleEpochBits) % kNumSlots];
  }

  static RegionSlot* At(int index) { return &slots_[index]; }

  // Owner: publishes the region and takes its first blocks. `parent` is the
  // region within which the owner works, or 0. If `quiet`, only FindLate finds
  // the region.
  RegionHandle Open(RegionFrame* frame, RegionHandle parent,
                    bool quiet = false) {
    return HandleOf(OpenEpoch(frame, parent, quiet));
  }

  // The region of the pool in this slot, if calls of this function have seen it
  // open for kLate. 0: there is no such region. If calls have seen a plain loop
  // for kLate, opens what is left of it as a quiet region. `ancestor`: if not
  // 0, the region within which a plain loop must lie.
  RegionHandle FindLate(const PoolState* pool, base::Ticks now,
                        RegionHandle ancestor = 0);
  // The slot for the plain loops of the calling thread. Null: all slots are in
  // use, or the thread ends.
  static RegionSlot* OfPlainLoops() {
    RegionSlot* const slot = slot_of_plain_loops;
    return slot != nullptr ? slot : TakeSlotOfPlainLoops();
  }
  // Owner: begins a plain loop of the pool, whose first chunk ends at `end`.
  void BeginPlain(PlainLoop* loop, PoolState* pool, std::int64_t end) {
    if (plain_pool_.load(std::memory_order_relaxed) != pool) {
      plain_pool_.store(pool, std::memory_order_relaxed);
    }
    plain_run_.Begin(loop, end);
  }
  PlainRun& plain_run() { return plain_run_; }
  // Whether calls of FindLate have seen the region of the handle open for
  // kLate.
  bool IsLate(RegionHandle handle) const;
  // Slots 1 <= k < NumUsed() have been used.
  static int NumUsed();

  // The region of this pool that is open in this slot now. Handle 0: none.
  RegionSnapshot Look(const PoolState* pool) const {
    const std::uint64_t word = LookForOpen(pool);
    if (word == 0) return {};
    return {HandleOf(region_word::Epoch(word)), word};
  }

  // In the child of a fork: no thread there may find the regions of the parent.
  static void ForgetAll();

  // IsOpen: whether the region can still be joined. IsCurrent: whether its slot
  // has not been opened again. Both may be outdated; TryJoin decides.
  static bool IsOpen(RegionHandle handle);
  static bool IsCurrent(RegionHandle handle) {
    return Of(handle)->EpochNow() == region_word::HandleEpoch(handle);
  }
  // The region within which this one was opened, or 0. The caller keeps the
  // region from ending.
  static RegionHandle ParentOf(RegionHandle handle) {
    return Of(handle)->parent().load(std::memory_order_relaxed);
  }

 private:
  // Slot 0 is never used, so that index 0 and handle 0 mean none. Pages of the
  // table that were never written take no memory.
  static constexpr std::uint32_t kNumSlots = 8192;
  static RegionSlot slots_[kNumSlots];

  int Index() const { return static_cast<int>(this - slots_); }
  RegionHandle HandleOf(std::uint64_t epoch) const {
    return (static_cast<std::uint64_t>(Index()) << kHandleEpochBits) | epoch;
  }

  // The epoch that FindLate has seen open, and when first: epoch (28 bits) |
  // ticks / 16 (36).
  static constexpr int kSeenTimeBits = 64 - kHandleEpochBits;
  static constexpr std::uint64_t kSeenTimeMask =
      (std::uint64_t{1} << kSeenTimeBits) - 1;
  static constexpr int kSeenTicksShift = 4;
  static std::uint64_t SeenTime(base::Ticks now) {
    return static_cast<std::uint64_t>(now) >> kSeenTicksShift & kSeenTimeMask;
  }
  // Whether an epoch first seen at `seen` is late at `time`.
  static bool IsLateAt(std::uint64_t time, std::uint64_t seen) {
    const std::uint64_t since = (time - seen) & kSeenTimeMask;
    return base::Nanoseconds(
               static_cast<base::Ticks>(since << kSeenTicksShift)) >= kLate;
  }
  std::atomic<std::uint64_t> seen_{0};
  // Takes over when the region was seen first from seen_ of another slot.
  void NoteSeen(RegionHandle handle, std::uint64_t seen) {
    seen_.store(region_word::HandleEpoch(handle) << kSeenTimeBits |
                    (seen & kSeenTimeMask),
                std::memory_order_relaxed);
  }
  // Whether the epoch, or number of a run, has been seen for kLate. Otherwise
  // notes that it is seen now, for the first time if *is_new.
  bool IsSeenLate(std::uint64_t epoch, base::Ticks now, bool* is_new);

  // Only in a slot for plain loops.
  RegionHandle FindLatePlain(const PoolState* pool, base::Ticks now,
                             RegionHandle ancestor);
  static RegionSlot* TakeSlotOfPlainLoops();
  static CERES_PARALLEL_THREAD_LOCAL RegionSlot* slot_of_plain_loops;
  PlainRun plain_run_;
  std::atomic<PoolState*> plain_pool_{nullptr};

  friend struct KeptSlotCloser;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_REGIONS_REGION_H_
