// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/regions/region.h"

#include <algorithm>
#include <utility>

#include "ceres/base/intrinsics.h"
#include "ceres/base/platform.h"
#include "ceres/parallel/regions/free_slots_protocol.h"
#include "ceres/parallel/regions/region_handle.h"
#include "ceres/parallel/regions/region_protocol_steps.h"

namespace ceres::parallel::detail {

using namespace region_word;  // NOLINT

template class BasicRegionSlot<RealAtomics, std::exception_ptr>;

// Constant-initialized, and used only by functions of the runtime.
CERES_PARALLEL_THREAD_LOCAL RegionSlot* RegionSlot::slot_of_plain_loops =
    nullptr;

namespace {

// Slots never used yet are counted off instead.
BasicFreeSlots<RealAtomics> free_slots;
std::atomic<std::uint32_t> num_used_slots{1};

// The slot that this thread released last. Without constructor and destructor:
// destructors of static objects may still run loops.
struct KeptSlot {
  RegionSlot* slot;
  bool closed;  // The thread ends, and keeps none any more.
};
thread_local KeptSlot kept_slot = {nullptr, false};

}  // namespace

// Made when the thread takes its first slot.
struct KeptSlotCloser {
  ~KeptSlotCloser() {
    kept_slot.closed = true;
    for (RegionSlot** kept :
         {&kept_slot.slot, &RegionSlot::slot_of_plain_loops}) {
      RegionSlot* const slot = std::exchange(*kept, nullptr);
      if (slot != nullptr) RegionSlot::PutFreeSlot(slot);
    }
  }
  void Touch() {}
};

RegionSlot RegionSlot::slots_[kNumSlots];

RegionSlot* RegionSlot::Acquire() {
  RegionSlot* const kept = std::exchange(kept_slot.slot, nullptr);
  if (kept != nullptr) return kept;
  platform::ObjectOfThisThread<KeptSlotCloser>().Touch();
  return TakeFreeSlot();
}

void RegionSlot::Release(RegionSlot* slot) {
  if (kept_slot.slot == nullptr && !kept_slot.closed) {
    kept_slot.slot = slot;
  } else {
    PutFreeSlot(slot);
  }
}

RegionSlot* RegionSlot::TakeFreeSlot() {
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

void RegionSlot::PutFreeSlot(RegionSlot* slot) {
  free_slots.Put(
      static_cast<std::uint32_t>(slot->Index()),
      [](std::uint32_t k) -> auto& { return slots_[k].next_free(); });
}

void RegionSlot::FetchForWriting() {
  if (kept_slot.slot != nullptr) base::PrefetchForWriting(kept_slot.slot);
}

int RegionSlot::NumUsed() {
  return static_cast<int>(
      std::min(kNumSlots, num_used_slots.load(std::memory_order_relaxed)));
}

void RegionSlot::ForgetAll() {
  for (int k = 0; k < NumUsed(); ++k) {
    slots_[k].EndWatch();
    slots_[k].ForgetPools();
    slots_[k].plain_run_.ForgetRequest();
    slots_[k].plain_pool_.store(nullptr, std::memory_order_relaxed);
  }
}

RegionHandle RegionSlot::FindLate(const PoolState* pool, base::Ticks now,
                                  RegionHandle ancestor) {
  const std::uint64_t word = LookForOpenOrQuiet(pool);
  if (word == 0) return FindLatePlain(pool, now, ancestor);
  const std::uint64_t epoch = region_word::Epoch(word);
  bool is_new = false;
  return IsSeenLate(epoch, now, &is_new) ? HandleOf(epoch) : 0;
}

bool RegionSlot::IsSeenLate(std::uint64_t epoch, base::Ticks now,
                            bool* is_new) {
  const std::uint64_t time = SeenTime(now);
  const std::uint64_t seen = seen_.load(std::memory_order_relaxed);
  if (seen >> kSeenTimeBits != epoch) {
    seen_.store(epoch << kSeenTimeBits | time, std::memory_order_relaxed);
    *is_new = true;
    return false;
  }
  return IsLateAt(time, seen);
}

RegionHandle RegionSlot::FindLatePlain(const PoolState* pool, base::Ticks now,
                                       RegionHandle ancestor) {
  const std::uint64_t run = plain_run_.Look();
  if (run == 0 || plain_pool_.load(std::memory_order_relaxed) != pool) return 0;
  bool is_new = false;
  if (!IsSeenLate(run & region_word::kEpochMask, now, &is_new)) {
    if (is_new) plain_run_.NoteSeen();
    return 0;
  }
  RegionHandle handle = 0;
  plain_run_.Stop(run, [&](PlainLoop& loop, std::int64_t first) {
    if (loop.pool != pool) return false;
    if (ancestor != 0) {
      const Participation* const within = loop.participation;
      if (within == nullptr || !IsWithin(within->region, ancestor))
        return false;
    }
    handle = loop.open_rest(loop, first);
    return handle != 0;
  });
  // What is left is as late as the loop.
  if (handle != 0) Of(handle)->NoteSeen(handle, seen_);
  return handle;
}

RegionSlot* RegionSlot::TakeSlotOfPlainLoops() {
  if (kept_slot.closed) return nullptr;
  platform::ObjectOfThisThread<KeptSlotCloser>().Touch();
  return slot_of_plain_loops = TakeFreeSlot();
}

bool RegionSlot::IsLate(RegionHandle handle) const {
  const std::uint64_t seen = seen_.load(std::memory_order_relaxed);
  return seen >> kSeenTimeBits == HandleEpoch(handle) &&
         IsLateAt(SeenTime(base::Now()), seen);
}

bool RegionSlot::IsOpen(RegionHandle handle) {
  return Of(handle)->IsOpenIn(HandleEpoch(handle));
}

}  // namespace ceres::parallel::detail
