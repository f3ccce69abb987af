// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/loops/group.h"

#include <algorithm>
#include <utility>

#include "ceres/base/prefetch.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/loops/region_protocol_steps.h"
#include "ceres/parallel/pool/free_slots_protocol.h"

namespace ceres::parallel::detail {

using namespace group_word;  // NOLINT

template class BasicGroupSlot<RealAtomics, std::exception_ptr>;

namespace {

// Slots never used yet are counted off instead.
BasicFreeSlots<RealAtomics> free_slots;
std::atomic<std::uint32_t> num_used_slots{1};

// The slot that this thread released last. Without constructor and destructor:
// destructors of static objects may still run loops.
struct KeptSlot {
  GroupSlot* slot;
  bool closed;  // The thread ends, and keeps none any more.
};
thread_local KeptSlot kept_slot = {nullptr, false};

// Made when the thread takes its first slot.
struct KeptSlotCloser {
  ~KeptSlotCloser() {
    kept_slot.closed = true;
    GroupSlot* const slot = std::exchange(kept_slot.slot, nullptr);
    if (slot != nullptr) GroupSlot::PutFreeSlot(slot);
  }
  void Touch() {}
};
thread_local KeptSlotCloser kept_slot_closer;

}  // namespace

GroupSlot GroupSlot::slots_[kNumSlots];

GroupSlot* GroupSlot::Acquire() {
  GroupSlot* const kept = std::exchange(kept_slot.slot, nullptr);
  if (kept != nullptr) return kept;
  kept_slot_closer.Touch();
  return TakeFreeSlot();
}

void GroupSlot::Release(GroupSlot* slot) {
  if (kept_slot.slot == nullptr && !kept_slot.closed) {
    kept_slot.slot = slot;
  } else {
    PutFreeSlot(slot);
  }
}

GroupSlot* GroupSlot::TakeFreeSlot() {
  const auto next_of = [](std::uint32_t k) -> auto& {
    return slots_[k].next_free();
  };
  const std::uint32_t free = free_slots.Take(next_of);
  if (free != 0) return &slots_[free];
  if (num_used_slots.load(std::memory_order_relaxed) >= kNumSlots) {
    return nullptr;
  }
  const std::uint32_t index =
      num_used_slots.fetch_add(1, std::memory_order_relaxed);
  if (index < kNumSlots) return &slots_[index];
  num_used_slots.store(kNumSlots, std::memory_order_relaxed);
  return nullptr;
}

void GroupSlot::PutFreeSlot(GroupSlot* slot) {
  free_slots.Put(
      static_cast<std::uint32_t>(slot->Index()),
      [](std::uint32_t k) -> auto& { return slots_[k].next_free(); });
}

void GroupSlot::FetchForWriting() {
  if (kept_slot.slot != nullptr) PrefetchForWriting(kept_slot.slot);
}

int GroupSlot::NumUsed() {
  return static_cast<int>(
      std::min(kNumSlots, num_used_slots.load(std::memory_order_relaxed)));
}

void GroupSlot::ForgetAll() {
  for (int k = 0; k < NumUsed(); ++k) {
    slots_[k].EndWatch();
    slots_[k].ForgetPools();
  }
}

GroupHandle GroupSlot::FindLate(const PoolState* pool, Ticks now) {
  const std::uint64_t word = LookForOpenOrQuiet(pool);
  if (word == 0) return 0;
  const std::uint64_t epoch = group_word::Epoch(word);
  const std::uint64_t time = SeenTime(now);
  const std::uint64_t seen = seen_.load(std::memory_order_relaxed);
  if (seen >> kSeenTimeBits != epoch) {
    seen_.store(epoch << kSeenTimeBits | time, std::memory_order_relaxed);
    return 0;
  }
  return IsLateAt(time, seen) ? HandleOf(epoch) : 0;
}

bool GroupSlot::IsLate(GroupHandle handle) const {
  const std::uint64_t seen = seen_.load(std::memory_order_relaxed);
  return seen >> kSeenTimeBits == HandleEpoch(handle) &&
         IsLateAt(SeenTime(Now()), seen);
}

bool GroupSlot::IsOpen(GroupHandle handle) {
  return Of(handle)->IsOpenIn(HandleEpoch(handle));
}

bool GroupSlot::IsWithin(GroupHandle handle, GroupHandle ancestor) {
  // If the group is open while we look, so are all groups around it, because
  // their owners wait for a block that has not ended; the links are then
  // stable. If it is not, we may read anything, but joining will fail. The
  // bound is for that case; nesting deeper than that only means less help.
  constexpr int kMaxDepth = 64;
  for (int depth = 0; handle != 0 && depth < kMaxDepth; ++depth) {
    if (handle == ancestor) return true;
    if (IsTaskSetHandle(handle)) {
      handle = TaskSet::ParentOf(handle);
      continue;
    }
    const GroupSlot* slot = Of(handle);
    if (slot->EpochNow() != HandleEpoch(handle)) return false;
    handle = slot->parent().load(std::memory_order_relaxed);
  }
  return false;
}

}  // namespace ceres::parallel::detail
