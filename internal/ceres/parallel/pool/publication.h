// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_POOL_PUBLICATION_H_
#define CERES_INTERNAL_PARALLEL_POOL_PUBLICATION_H_

#include <algorithm>
#include <cstdint>

#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/parking/pool_tuning.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/regions/region.h"

namespace ceres::parallel::detail {

// While it exists, the calling thread is at this depth (loop_depth).
class AtLoopDepth {
 public:
  explicit AtLoopDepth(std::int32_t depth) : before_(loop_depth) {
    loop_depth = depth;
  }
  ~AtLoopDepth() { loop_depth = before_; }
  AtLoopDepth(const AtLoopDepth&) = delete;
  AtLoopDepth& operator=(const AtLoopDepth&) = delete;

 private:
  const std::int32_t before_;
};

// Runs blocks of the region until none are left, and leaves it.
void RunAsHelper(RegionSlot& slot, RegionHandle handle,
                 const RegionSlot::JoinResult& joined) noexcept;

// The owner's side of a parallel region: opens it, requests help, waits for the
// helpers, and closes it. Fill in `frame` first. Only the owner calls these
// functions.
class Publication {
 public:
  Publication() = default;
  ~Publication();
  Publication(const Publication&) = delete;
  Publication& operator=(const Publication&) = delete;

  RegionFrame frame;

  // Makes the region known to its host. Returns false, without any effect, if
  // the process has no free slot. `parent`: the region within which the caller
  // works. `outer`: the caller does not work for this host yet.
  bool Open(RegionHandle parent, bool outer);
  // Opens a region of a pool that is predicted to be short. No thread is woken
  // for a quiet region, and idle threads find it only when it is late.
  bool OpenQuietly(RegionHandle parent, bool outer);
  // The prediction does not hold: makes a quiet region like others.
  void Announce();
  // Whether the predicted work is worth waking a thread.
  bool IsLong() const {
    return static_cast<float>(frame.blocks) * frame.block_cost >= kWorthWaking;
  }

  // Calls a sleeping thread of the host. Threads that are awake find the region
  // by themselves.
  void Invite();
  // Calls a sleeping thread of the pool, if no worker searches for work. For
  // long regions.
  void InviteUnlessSearching();

  // For the owner between two blocks, while no thread has joined: posts the
  // join request again if it was lost. `remaining` is the work left,
  // nanoseconds.
  void InviteAgain(float remaining);

  // Removes all blocks left from a quiet region. Returns false, without any
  // effect, if a helper has joined.
  bool CloseUnlessJoined() { return slot_->CloseUnlessJoined(); }

  // Runs some of the first blocks left. False: no blocks are left.
  bool RunSome();
  // Runs at most `count` of the first blocks left. Returns their number.
  int RunFirst(int count);
  void Cancel() { slot_->Cancel(); }
  int NumJoined() const { return slot_->NumJoined(); }
  // The blocks that the owner has claimed.
  int num_run() const { return num_run_; }
  // The blocks that no thread has claimed.
  int NumLeft() const { return slot_->NumLeft(); }
  RegionHandle handle() const { return handle_; }

  // When no blocks are left: waits until all helpers have left. Meanwhile runs
  // blocks of regions that were opened within this one.
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
    // A thread that watches the slot needs no join request. It may not join,
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

#endif  // CERES_INTERNAL_PARALLEL_POOL_PUBLICATION_H_
