// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_SCHEDULED_BODIES_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_SCHEDULED_BODIES_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/publication.h"

namespace ceres::parallel::detail {

// The bodies of loops with a schedule. Each is the body of an adaptive loop
// (loop.cc), around the body of the user:
//
//   StaticBody    a loop over blocks, each of which is an index
//   DynamicBody   a loop over participants; each claims blocks from a counter
//
// All times are nanoseconds.

// The time of the part of a loop that the caller ran, without waits. Only
// participant 0, which is the caller, writes it.
struct OwnTime {
  float time = 0.0f;
  std::int64_t indices = 0;

  // Moves the cost of the site downwards at once, upwards half of the way. So a
  // preemption is soon forgotten, and a body that takes longer is soon learned.
  void Teach(LoopMeasurements& measured) const {
    if (indices == 0) return;
    const float sample = std::max(1e-3f, time / static_cast<float>(indices));
    const float known = measured.cost.load(std::memory_order_relaxed);
    measured.cost.store(
        std::isinf(known) || sample < known ? sample : 0.5f * (known + sample),
        std::memory_order_relaxed);
  }
};

class StaticBody {
 public:
  StaticBody(ErasedBody body, std::int64_t n, std::int64_t blocks)
      : body_(body), quotient_(n / blocks), remainder_(n % blocks) {}

  ErasedBody Erase() { return {&Run, this}; }
  const OwnTime& own_time() const { return own_time_; }

 private:
  static void Run(void* closure, int participant, std::int64_t begin,
                  std::int64_t end) {
    auto& self = *static_cast<StaticBody*>(closure);
    const base::Ticks start = base::Now();
    for (std::int64_t block = begin; block < end; ++block) {
      self.body_(participant, self.StartOf(block), self.StartOf(block + 1));
    }
    if (participant == 0) {
      self.own_time_.time += base::Nanoseconds(base::Now() - start);
      self.own_time_.indices += self.StartOf(end) - self.StartOf(begin);
    }
  }

  std::int64_t StartOf(std::int64_t block) const {
    return block * quotient_ + std::min(block, remainder_);
  }

  const ErasedBody body_;
  const std::int64_t quotient_;
  const std::int64_t remainder_;
  OwnTime own_time_;
};

// Each index of the loop around this body is a participant, which claims blocks
// until none are left. If a participant comes late, or does not come, the
// others run its blocks.
//
// Correctness of next_: each block belongs to the one fetch_add that returned
// its number, so none runs twice. A participant leaves when the numbers are
// used up, so no block is left, even if helpers come late or do not come. After
// an exception the number jumps to the end and is never lowered below it. It
// passes the end by one for each participant.
class DynamicBody {
 public:
  DynamicBody(ErasedBody body, std::int64_t n, std::int64_t grain)
      : body_(body),
        n_(n),
        grain_(grain),
        blocks_(n / grain + (n % grain != 0 ? 1 : 0)) {}

  ErasedBody Erase() { return {&Run, this}; }
  const OwnTime& own_time() const { return own_time_; }
  std::int64_t blocks() const { return blocks_; }

  // For the caller, before the loop: works alone while the cost of the rest is
  // known and less than `time`. Returns the time of the rest. 0: the loop is
  // done. `predicted`: the time of the whole loop. Infinite: not known.
  float RunAlone(float predicted, float time) {
    float rest = predicted;
    const base::Ticks start = base::Now();
    base::Ticks now = start;
    std::int64_t done = 0;
    while (done < blocks_ && rest <= time) {
      const base::Ticks block_start = now;
      RunBlock(0, done++);
      now = base::Now();
      own_time_.time = base::Nanoseconds(now - start);
      // The last block counts if it took longer than the others: costs may be
      // rising.
      const float block_time =
          std::max(own_time_.time / static_cast<float>(done),
                   base::Nanoseconds(now - block_start));
      rest = block_time * static_cast<float>(blocks_ - done);
    }
    own_time_.indices = done == blocks_ ? n_ : done * grain_;
    next_.store(static_cast<std::uint64_t>(done), std::memory_order_relaxed);
    return done == blocks_ ? 0.0f : rest;
  }

 private:
  static void Run(void* closure, int participant, std::int64_t, std::int64_t) {
    static_cast<DynamicBody*>(closure)->RunBlocks(participant);
  }

  void RunBlocks(int participant) {
    const base::Ticks start = base::Now();
    std::int64_t done = 0;
    // Whether the loop around this body has been published. Then each block is
    // a piece of the trace.
    const RegionHandle region = RegionOfThisThread();
    const bool is_shared = region != outer_region_;
    std::int64_t begin = BeginTraceSlice();
    try {
      for (std::uint64_t block = Claim();
           block < static_cast<std::uint64_t>(blocks_); block = Claim()) {
        RunBlock(participant, static_cast<std::int64_t>(block));
        if (is_shared) begin = NextTracePiece(begin, region, 1);
        ++done;
      }
    } catch (...) {
      next_.store(static_cast<std::uint64_t>(blocks_),
                  std::memory_order_relaxed);
      throw;
    }
    if (participant == 0) {
      own_time_.time += base::Nanoseconds(base::Now() - start);
      own_time_.indices += std::min(n_, done * grain_);
    }
  }

  // A read-modify-write that hands over no data. May pass blocks_ by the number
  // of participants.
  std::uint64_t Claim() {
    return next_.fetch_add(1, std::memory_order_relaxed);
  }

  void RunBlock(int participant, std::int64_t block) {
    const std::int64_t begin = block * grain_;
    body_(participant, begin, n_ - begin < grain_ ? n_ : begin + grain_);
  }

  const ErasedBody body_;
  const std::int64_t n_;
  const std::int64_t grain_;
  const std::int64_t blocks_;
  const RegionHandle outer_region_ = RegionOfThisThread();
  OwnTime own_time_;  // The time of participant 0.
  alignas(64) std::atomic<std::uint64_t> next_{0};
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_SCHEDULED_BODIES_H_
