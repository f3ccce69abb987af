// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_PUBLICATION_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_PUBLICATION_H_

#include <algorithm>
#include <cstdint>

#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/region.h"
#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {

// The owner's side of a region: opens it, invites, waits for the helpers, and
// closes it. Fill in `frame` first. All functions are for the owner.
class Publication {
 public:
  Publication() = default;
  ~Publication();
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  RegionFrame frame;

  // Makes the region known to its host. False, and nothing has happened, when
  // the process has no free slot. `parent`: the region within which the caller
  // works. `outer`: the caller is not at work for this host yet.
  bool Open(RegionHandle parent, bool outer);
  // Like Open, for a region of a pool that is predicted to be short: no thread
  // is woken for it, and idle threads find it only when it is late.
  bool OpenQuietly(RegionHandle parent, bool outer);
  // The prediction does not hold: from here on a quiet region is like others.
  void Announce();
  // Its work, as predicted, is worth waking somebody.
  bool IsLong() const {
    return static_cast<float>(frame.blocks) * frame.block_cost >= kWorthWaking;
  }

  // Calls a sleeping thread of the host. Threads that are awake come by
  // themselves.
  void Invite();
  // The same, for a long region of a pool, if nobody there looks for work.
  void InviteIfNobodySeeks();

  // For the owner between two blocks, while nobody has joined: an invitation
  // may have been lost. `remaining` is the work left, nanoseconds.
  void InviteAgain(float remaining);

  // Removes all blocks that are left from a quiet region. Returns false,
  // without any effect, if a helper has joined.
  bool CloseUnlessJoined() { return slot_->CloseUnlessJoined(); }

  // Runs the first blocks of those left, in the owner. False: there are none.
  bool RunSome();
  // The same, at most `count` of them; returns how many.
  int RunFirst(int count);
  void Cancel() { slot_->Cancel(); }
  int NumJoined() const { return slot_->NumJoined(); }
  // Blocks that the owner has claimed.
  int num_run() const { return num_run_; }
  // Blocks that nobody has claimed yet.
  int NumLeft() const { return slot_->NumLeft(); }
  RegionHandle handle() const { return handle_; }

  // No blocks are left: waits until all helpers have left. Meanwhile helps
  // regions that were opened within this one.
  void Wait();

 private:
  void TakeBack();
  bool SpinUntilLeft(int helpers);
  void SleepUntilLeft(int helpers);

  RegionSlot* slot_ = nullptr;
  RegionHandle handle_ = 0;
  std::uint64_t entry_ = 0;
  int position_ = -1;
  int num_run_ = 0;
};

inline Publication::~Publication() {
  if (slot_ == nullptr) return;
  if (frame.pool != nullptr && position_ >= 0) {
    frame.pool->board().Withdraw(position_, entry_);
  }
  if (frame.is_announced.load(std::memory_order_relaxed)) TakeBack();
  RegionSlot::Release(slot_);
}

inline bool Publication::Open(RegionHandle parent, bool outer) {
  slot_ = RegionSlot::Acquire();
  if (slot_ == nullptr) return false;
  handle_ = slot_->Open(&frame, parent);
  if (frame.pool != nullptr) {
    entry_ = handle_ | (outer ? JoinBoard::kOuterOwner : 0) |
             (IsLong() ? JoinBoard::kLong : 0);
    // A thread that watches the slot needs no invitation. It may fail to come,
    // because it has just stopped watching or has other work. The owner then
    // calls InviteAgain after its first blocks, which must be short.
    const bool expected = outer && frame.participant_slots == 1 &&
                          slot_->IsWatched() &&
                          static_cast<float>(std::max(1, frame.first_blocks)) *
                                  frame.block_cost <=
                              kLongestWithoutRequest;
    if (!expected) position_ = frame.pool->board().Post(entry_);
  }
  return true;
}

inline bool Publication::OpenQuietly(RegionHandle parent, bool outer) {
  slot_ = RegionSlot::Acquire();
  if (slot_ == nullptr) return false;
  frame.is_outer = outer;
  handle_ = slot_->Open(&frame, parent, /*quiet=*/true);
  return true;
}

inline int Publication::RunFirst(int count) {
  const BlockSpan span = num_run_ < frame.first_blocks
                             ? BlockSpan{0, frame.first_blocks}
                             : slot_->ClaimFirst(count);
  const int run = span.end - span.begin;
  if (run == 0) return 0;
  num_run_ += run;
  frame.Run(span);
  return run;
}

inline bool Publication::RunSome() {
  const std::int64_t begin = BeginTraceSlice();
  const BlockSpan span = num_run_ < frame.first_blocks
                             ? BlockSpan{0, frame.first_blocks}
                             : slot_->ClaimFirst();
  if (span.empty()) return false;
  num_run_ += span.end - span.begin;
  frame.Run(span);
  EndTraceSlice(TraceKind::kPiece, begin, handle_,
                static_cast<std::uint64_t>(span.end - span.begin));
  return true;
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_PUBLICATION_H_
