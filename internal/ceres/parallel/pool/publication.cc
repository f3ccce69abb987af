// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/publication.h"

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/pool/invite_executor.h"
#include "ceres/parallel/regions/region_handle.h"
#include "ceres/parallel/sync/before_blocking.h"
#include "ceres/parallel/sync/thread_phase.h"

namespace ceres::parallel {
namespace detail {
namespace {

// Called by the owner of a quiet region, or by the first helper that has joined
// it. From then on other threads find the region on the board, and the owner
// counts as a caller of the pool.
void AnnounceQuiet(RegionFrame& frame, RegionHandle handle) {
  if (frame.is_announced.exchange(true, std::memory_order_relaxed)) return;
  if (frame.is_outer) frame.pool->CountOuterCaller(1);
  frame.pool->board().Post(handle | JoinBoard::kLong);
}

// A thread that joins calls the next one, if enough work is left. A quiet
// region that a thread has joined is late, and late regions have enough work.
// If no worker is parked, the threads that could look for late regions sleep
// until a region around this one ends.
void PassInvitationOn(const RegionSlot& slot, RegionHandle handle,
                      const RegionSlot::JoinResult& joined) {
  if (joined.slots_left == 0 || joined.blocks_left == 0) return;
  const RegionFrame& frame = slot.frame();
  if (frame.executor != nullptr) {
    InviteExecutor(frame.executor, handle);
    return;
  }
  if (frame.pool == nullptr) return;
  if (slot.pool() == nullptr || frame.pool->AlwaysShares() ||
      static_cast<float>(joined.blocks_left) * frame.block_cost >
          kWorthWaking ||
      slot.IsLate(handle)) {
    frame.pool->WakeSomeone(handle);
  } else {
    frame.pool->KeepWatch();
  }
}

// Exists while the thread works for the region.
struct Helping {
  Helping(const RegionSlot& slot, RegionHandle handle,
          const RegionSlot::JoinResult& joined, std::int64_t* begin)
      : participation(PoolOf(slot, handle), handle),
        at_depth(slot.loop_depth()) {
    PassInvitationOn(slot, handle, joined);
    *begin = BeginTraceSlice();
  }
  // The first helper of a quiet region announces it.
  static PoolState* PoolOf(const RegionSlot& slot, RegionHandle handle) {
    if (slot.pool() != nullptr) return slot.pool();
    RegionFrame& frame = slot.frame();
    if (frame.pool != nullptr) AnnounceQuiet(frame, handle);
    return frame.pool;
  }

  Participation participation;
  AtLoopDepth at_depth;
};

}  // namespace

void RunAsHelper(RegionSlot& slot, RegionHandle handle,
                 const RegionSlot::JoinResult& joined) noexcept {
  std::int64_t begin = 0;
  const auto enter = [&] { return Helping(slot, handle, joined, &begin); };
  slot.Help(joined, enter, [&](BlockSpan span, int /*blocks_left*/) {
    try {
      slot.Run(joined.participant, span);
    } catch (...) {
      slot.frame().KeepError(std::current_exception());
      return false;
    }
    begin = NextTracePiece(begin, handle, span.end - span.begin);
    return true;
  });
}

void Publication::Invite() {
  if (frame.pool != nullptr) {
    frame.pool->WakeSomeone(handle_);
  } else {
    InviteExecutor(frame.executor, handle_);
  }
}

void Publication::Announce() {
  AnnounceQuiet(frame, handle_);
  frame.pool->WakeUnlessSearching(handle_);
}

// Helpers have left, and what they did for the announcement has been done.
void Publication::TakeBack() {
  frame.pool->board().WithdrawAll(handle_);
  if (frame.is_outer) frame.pool->CountOuterCaller(-1);
}

void Publication::InviteUnlessSearching() {
  frame.pool->WakeUnlessSearching(handle_);
}

void Publication::InviteAgain(float remaining) {
  if (frame.pool == nullptr) return;
  JoinBoard& board = frame.pool->board();
  if (entry_ != 0 && !board.IsPosted(position_, entry_)) {
    position_ = board.Post(entry_);
  }
  if (remaining >= kWorthWaking) frame.pool->WakeSomeone(handle_);
}

void Publication::Wait() {
  slot_->WaitForHelpers([this](int helpers) { return SpinUntilLeft(helpers); },
                        [this](int helpers) { SleepUntilLeft(helpers); });
}

bool Publication::SpinUntilLeft(int helpers) {
  PoolState* const pool = frame.pool;
  const float spin_time = pool != nullptr ? pool->SpinTime() : kSpinTime;
  bool left = slot_->HaveLeft(helpers);
  for (int look = 0; !left && look < kFirstLooks && spin_time > 0.0f; ++look) {
    left = slot_->HaveLeft(helpers);
  }
  if (left) return true;
  // A helper may wait for one of these tasks.
  BeforeBlocking::RunAll();
  Searcher searcher;
  searcher.ancestor = handle_;
  base::Ticks start = base::Now();
  while (!left) {
    const float waited = base::Nanoseconds(base::Now() - start);
    if (pool != nullptr &&
        (pool->HelpOnce(&searcher) || pool->HelpLate(&searcher))) {
      start = base::Now();
    } else if (waited >= spin_time) {
      break;
    } else {
      if (pool != nullptr && waited > kWaitBeforeSearch)
        pool->BeginSearch(&searcher);
      base::Pause();
    }
    left = slot_->HaveLeft(helpers);
  }
  if (pool != nullptr) pool->EndSearch(&searcher);
  return left;
}

void Publication::SleepUntilLeft(int helpers) {
  PoolState* const pool = frame.pool;
  if (pool == nullptr) {
    slot_->SleepUntilLeft(helpers);
    return;
  }
  // From now on, owners of regions within this one may wake this thread.
  PoolState::SleepingOwner self;
  self.handle = handle_;
  pool->BeginOwnerSleep(&self);
  Searcher searcher;
  searcher.ancestor = handle_;
  if (!pool->HelpOnce(&searcher)) {
    pool->BecomeInactive(&self);
    slot_->SleepUntilLeft(helpers);
  }
  pool->EndOwnerSleep(&self);
}

}  // namespace detail

bool Invitation::Accept() const noexcept {
  detail::NoteThisThread();
  if (detail::IsTaskSetHandle(handle_)) {
    return detail::AcceptTaskSetInvitation(handle_);
  }
  detail::RegionSlot& slot = *detail::RegionSlot::Of(handle_);
  const detail::RegionSlot::JoinResult joined = slot.TryJoin({handle_});
  if (joined.participant == 0) return false;
  detail::RunAsHelper(slot, handle_, joined);
  return true;
}

}  // namespace ceres::parallel
