// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_REGION_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_REGION_H_

#include <atomic>
#include <cstdint>
#include <exception>

#include "ceres/base/clock.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/region_protocol.h"
#include "ceres/parallel/loops/region_word.h"
#include "ceres/parallel/pool/protocol_atomics.h"

// A region: work that its owner has published, so that others may help.
//
// The region's data lies in its owner's stack frame (RegionFrame). What others
// can see of it before they take part is a slot, in a table that lives as long
// as the process:
//
//   word      epoch (28 bits) | participant_slots free (12) | first block left
//   (12) |
//             end (12)
//   finished  helpers that have left (31 bits) | the owner sleeps (1)
//
// and a handle (slot, epoch), which is what an Invitation carries.
//
// Why it is correct
//  - Opening writes the frame and the slot's plain fields, then stores the word
//    (release) with an epoch that the slot never had. Joining is one
//    compare-exchange (acquire) that requires the handle's epoch, a free
//    participant slot and a block, and takes one of each. So a thread that
//    joins sees the fields of its epoch, and a late one fails and has touched
//    nothing but the word, which never goes away. Claims are relaxed
//    read-modify-writes: they prolong the release sequence of the opening, and
//    hand over no data of their own.
//  - Blocks never increase within an epoch, and a join takes a block. So once
//    the owner has read zero blocks, the participant_slots it reads with them
//    are final: the helpers are the participant_slots taken.
//  - A helper's last access to the frame comes before its increment (release)
//    of `finished`. The owner leaves its frame, and reuses the slot, only when
//    it has read (acquire) as many increments as participant_slots were taken:
//    helpers' writes happen before the owner goes on. The word of the old epoch
//    stays behind with zero blocks, so nobody can join it.
//  - Sleep: the owner sets the sleep bit by read-modify-write and sleeps only
//    while the word is as it last read it; a helper that reads the bit in its
//    increment wakes the address. Whichever of the two comes second sees the
//    other. The wake may reach a later owner of the slot, who looks again.
//  - A participant slot, and with it a participant id, is taken once an epoch
//  and never
//    given back, so no two threads ever hold one id.
//  - The owner takes the next epoch from a field of its own, not from the word,
//    whose line is with a helper then. The field goes from owner to owner with
//    the slot (Acquire, Release).
//  - A worker may watch the slot that it joined last, instead of waiting for an
//    invitation: it reads the word, then the pool (both acquire), and joins by
//    the handle that the word's epoch makes. If the pool that it read was
//    written by a later opening, the word has changed, and the join fails; so
//    it never joins a region of another pool. Whether a slot is watched is a
//    hint: an owner who trusts it wrongly invites later
//    (Publication::InviteAgain).
//  - A quiet region is found by none of these: its slot says that it is of no
//    pool. A thread that looks through the slots (FindLate) reads the word,
//    then the pool or the quiet pool, and joins by handle as above.
//  - Epochs come back after 2^28 openings of one slot. A handle that old may
//    then join the present region: as a helper like any other, since everything
//    is read after the exchange.
//
// The source is in region_protocol.h, a template that region_protocol_test.cc
// runs in every interleaving.
//
// The owner claims blocks from the front and helpers claim from the back, so
// that in loops that follow each other over the same data, each finds its part
// in its own cache. A claim takes a share of what is left (guided
// self-scheduling, Polychronopoulos and Kuck, IEEE Trans. Computers 1987),
// because every claim moves a cache line between cpus, some 150 ns.

namespace ceres::parallel::detail {

using RegionFrame = BasicRegionFrame<RealAtomics, std::exception_ptr>;

extern template class BasicRegionSlot<RealAtomics, std::exception_ptr>;

class alignas(128) RegionSlot
    : public BasicRegionSlot<RealAtomics, std::exception_ptr> {
 public:
  // A slot for the caller alone; null when all are in use. Lock-free; each
  // thread keeps the one that it released last, so that a loop needs no atomic
  // read-modify-write to get it and to give it back.
  static RegionSlot* Acquire();
  static void Release(RegionSlot* slot);
  // Prepares for Acquire and Open.
  static void FetchForWriting();
  static RegionSlot* TakeFreeSlot();
  static void PutFreeSlot(RegionSlot* slot);
  static RegionSlot* Of(RegionHandle handle) {
    return &slots_[(handle >> kHandleEpochBits) % kNumSlots];
  }

  static RegionSlot* At(int index) { return &slots_[index]; }

  // Owner: publishes, and takes the first blocks. `parent` is the region within
  // which the owner works, or 0. Quiet: only FindLate finds the region.
  RegionHandle Open(RegionFrame* frame, RegionHandle parent,
                    bool quiet = false) {
    return HandleOf(OpenEpoch(frame, parent, quiet));
  }

  // A region of the pool that can be joined and has been so for kLate, as far
  // as calls of this function have seen. 0: there is none in this slot.
  RegionHandle FindLate(const PoolState* pool, Ticks now);
  // Whether calls of FindLate have seen that the region of the handle is late.
  bool IsLate(RegionHandle handle) const;
  // Slots from 1 to this number, exclusively, have been used.
  static int NumUsed();

  // The region of this pool that is open here now; handle 0: none.
  RegionSnapshot Look(const PoolState* pool) const {
    const std::uint64_t word = LookForOpen(pool);
    if (word == 0) return {};
    return {HandleOf(region_word::Epoch(word)), word};
  }

  // In the child of a fork: nobody there may find the regions of the parent.
  static void ForgetAll();

  // Whether the region can still be joined, and is `ancestor` or was opened
  // within it. The answer may be outdated; TryJoin decides.
  static bool IsOpen(RegionHandle handle);
  static bool IsWithin(RegionHandle handle, RegionHandle ancestor);
  // Of a region that is kept from ending: within which it was opened, or 0.
  static RegionHandle ParentOf(RegionHandle handle) {
    return Of(handle)->parent().load(std::memory_order_relaxed);
  }

 private:
  // Slot 0 is never used, so that index 0 and handle 0 mean none. Untouched
  // pages of the table cost no memory.
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
  static std::uint64_t SeenTime(Ticks now) {
    return static_cast<std::uint64_t>(now) >> kSeenTicksShift & kSeenTimeMask;
  }
  // Of an epoch that was seen.
  static bool IsLateAt(std::uint64_t time, std::uint64_t seen) {
    const std::uint64_t since = (time - seen) & kSeenTimeMask;
    return Nanoseconds(static_cast<Ticks>(since << kSeenTicksShift)) >= kLate;
  }
  std::atomic<std::uint64_t> seen_{0};
};

// Runs blocks of the region until there are no more, and leaves it.
void RunAsHelper(RegionSlot& slot, RegionHandle handle,
                 const RegionSlot::JoinResult& joined) noexcept;

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_REGION_H_
