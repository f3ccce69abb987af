// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_REGIONS_REGION_PROTOCOL_STEPS_H_
#define CERES_INTERNAL_PARALLEL_REGIONS_REGION_PROTOCOL_STEPS_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/regions/region_protocol.h"

// The functions of region_protocol.h that are not inline in the runtime: for
// region.cc, which instantiates them, and for the model.

namespace ceres::parallel::detail {

// Reads the word and fetches its cache line for writing in one go, where a load
// and an exchange would fetch it twice: an exchange that fails. Should the word
// be `unlikely`, it is replaced by itself.
template <typename Atomics, typename Error, typename Mutation>
std::uint64_t BasicRegionSlot<Atomics, Error, Mutation>::LoadForWriting(
    std::uint64_t unlikely) {
  word_.compare_exchange_strong(unlikely, unlikely, std::memory_order_relaxed);
  return unlikely;
}

template <typename Atomics, typename Error, typename Mutation>
typename BasicRegionSlot<Atomics, Error, Mutation>::JoinResult
BasicRegionSlot<Atomics, Error, Mutation>::TryJoin(RegionSnapshot snapshot) {
  using namespace region_word;  // NOLINT
  constexpr auto kOnSuccess = Breaks(RegionRule::kJoinsWithAcquire)
                                  ? std::memory_order_relaxed
                                  : std::memory_order_acquire;
  const std::uint64_t epoch = HandleEpoch(snapshot.handle);
  std::uint64_t word =
      snapshot.word != 0 ? snapshot.word : LoadForWriting(epoch << kEpochShift);
  while (Epoch(word) == epoch && Blocks(word) > 0 &&
         FreeParticipantSlots(word) > 0) {
    const int count = ClaimSize(word, share_.load(std::memory_order_relaxed));
    const std::uint64_t joined = WithoutLast(word, count) - kOneParticipantSlot;
    if (Breaks(RegionRule::kJoinsAtomically)) {
      word_.store(joined, std::memory_order_release);
      Atomics::Fence(std::memory_order_acquire);
    } else if (!word_.compare_exchange_weak(word, joined, kOnSuccess,
                                            std::memory_order_relaxed)) {
      continue;
    }
    return {participant_slots_ - FreeParticipantSlots(word) + 1,
            {EndBlock(word) - count, EndBlock(word)},
            FreeParticipantSlots(word) - 1,
            Blocks(word) - count};
  }
  return {};
}

template <typename Atomics, typename Error, typename Mutation>
void BasicRegionSlot<Atomics, Error, Mutation>::Leave() {
  const std::uint32_t before = finished_.fetch_add(
      1, Breaks(RegionRule::kLeavesWithRelease) ? std::memory_order_relaxed
                                                : std::memory_order_release);
  if ((before & region_word::kOwnerSleeps) != 0 &&
      !Breaks(RegionRule::kWakesOwner)) {
    Rouse();
  }
}

template <typename Atomics, typename Error, typename Mutation>
BlockSpan BasicRegionSlot<Atomics, Error, Mutation>::ClaimFirst() {
  using namespace region_word;  // NOLINT
  // Read only at first: the owner of a short loop mostly finds nothing left,
  // and then the helper keeps the line that it needs to leave.
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  while (Blocks(word) > 0) {
    const int count = ClaimSize(word, share_.load(std::memory_order_relaxed));
    if (Breaks(RegionRule::kClaimsFirstAtomically)) {
      word_.store(WithoutFirst(word, count), std::memory_order_release);
    } else if (!word_.compare_exchange_weak(word, WithoutFirst(word, count),
                                            std::memory_order_relaxed)) {
      continue;
    }
    return {FirstBlock(word), FirstBlock(word) + count};
  }
  return {};
}

template <typename Atomics, typename Error, typename Mutation>
BlockSpan BasicRegionSlot<Atomics, Error, Mutation>::ClaimFirst(int count) {
  using namespace region_word;  // NOLINT
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  while (Blocks(word) > 0) {
    count = std::min(count, Blocks(word));
    if (word_.compare_exchange_weak(word, WithoutFirst(word, count),
                                    std::memory_order_relaxed)) {
      return {FirstBlock(word), FirstBlock(word) + count};
    }
  }
  return {};
}

template <typename Atomics, typename Error, typename Mutation>
BlockSpan BasicRegionSlot<Atomics, Error, Mutation>::ClaimLast(
    int* blocks_left) {
  using namespace region_word;  // NOLINT
  // Blocks never increase: no need to look.
  if (*blocks_left == 0) return {};
  std::uint64_t word = LoadForWriting(0);
  while (Blocks(word) > 0) {
    const int count = ClaimSize(word, share_.load(std::memory_order_relaxed));
    if (Breaks(RegionRule::kClaimsLastAtomically)) {
      word_.store(WithoutLast(word, count), std::memory_order_release);
    } else if (!word_.compare_exchange_weak(word, WithoutLast(word, count),
                                            std::memory_order_relaxed)) {
      continue;
    }
    *blocks_left = Blocks(word) - count;
    return {EndBlock(word) - count, EndBlock(word)};
  }
  return {};
}

template <typename Atomics, typename Error, typename Mutation>
void BasicRegionSlot<Atomics, Error, Mutation>::Cancel() {
  word_.fetch_and(~region_word::kBothBounds, std::memory_order_relaxed);
}

template <typename Atomics, typename Error, typename Mutation>
bool BasicRegionSlot<Atomics, Error, Mutation>::CloseUnlessJoined() {
  using namespace region_word;  // NOLINT
  std::uint64_t word = word_.load(std::memory_order_relaxed);
  return FreeParticipantSlots(word) == participant_slots_ &&
         word_.compare_exchange_strong(word, word & ~kBothBounds,
                                       std::memory_order_relaxed);
}

template <typename Atomics, typename Error, typename Mutation>
int BasicRegionSlot<Atomics, Error, Mutation>::NumLeft() const {
  return region_word::Blocks(word_.load(std::memory_order_relaxed));
}

template <typename Atomics, typename Error, typename Mutation>
int BasicRegionSlot<Atomics, Error, Mutation>::NumJoined() const {
  return participant_slots_ - region_word::FreeParticipantSlots(
                                  word_.load(std::memory_order_relaxed));
}

template <typename Atomics, typename Error, typename Mutation>
bool BasicRegionSlot<Atomics, Error, Mutation>::HaveLeft(int helpers) const {
  const std::uint32_t finished = finished_.load(
      Breaks(RegionRule::kLooksWithAcquire) ? std::memory_order_relaxed
                                            : std::memory_order_acquire);
  return static_cast<int>(finished & ~region_word::kOwnerSleeps) == helpers;
}

template <typename Atomics, typename Error, typename Mutation>
void BasicRegionSlot<Atomics, Error, Mutation>::SleepUntilLeft(int helpers) {
  using region_word::kOwnerSleeps;
  std::uint32_t finished =
      Breaks(RegionRule::kSetsSleepBit)
          ? finished_.load(std::memory_order_relaxed)
          : finished_.fetch_or(kOwnerSleeps, std::memory_order_relaxed) |
                kOwnerSleeps;
  if (static_cast<int>(finished & ~kOwnerSleeps) == helpers) return;
  if (Breaks(RegionRule::kSleepsOnValueRead)) {
    finished = finished_.load(std::memory_order_relaxed);
  }
  Atomics::Wait(&finished_, finished);
  TraceMoment(TraceKind::kWakeArrived, TraceId(this));
}

template <typename Atomics, typename Error, typename Mutation>
void BasicRegionSlot<Atomics, Error, Mutation>::Rouse() {
  TraceMoment(TraceKind::kWakeIssued, TraceId(this));
  Atomics::Wake(&finished_);
}

template <typename Atomics, typename Error, typename Mutation>
bool BasicRegionSlot<Atomics, Error, Mutation>::IsOpenIn(
    std::uint64_t epoch) const {
  using namespace region_word;  // NOLINT
  const std::uint64_t word = word_.load(std::memory_order_relaxed);
  return Epoch(word) == epoch && Blocks(word) > 0 &&
         FreeParticipantSlots(word) > 0;
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_REGIONS_REGION_PROTOCOL_STEPS_H_
