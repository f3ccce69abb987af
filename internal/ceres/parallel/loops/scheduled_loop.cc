// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Loops with a schedule of their own, or with a token: bodies around the body
// of the user, on the adaptive loop of loop.cc.
//
//   kStatic   a loop over blocks, each of which is an index
//   kDynamic  a loop over participants, who claim blocks from a counter
//   a token   a body that cuts its range, and checks the token in between
//
// Why it is correct. What bodies read was written before the loop around them
// was published, and what they write is seen after its wait (publication.h). So
// shared data of the threads orders nothing here, and all accesses are relaxed:
//  - DynamicBody::next_: each block belongs to the one fetch_add that returned
//    its number, so none runs twice. A participant leaves when the numbers are
//    used up, so none is left, even if helpers come late or never. After an
//    exception the number jumps to the end and is never lowered below it. It
//    passes the end by one for each participant.
//  - StoppableBody::failed_: only the thread that sets it first writes error_,
//    which the caller reads after the wait. status_ likewise.
//  - OwnTime: only participant 0, which is the caller, writes it.
//
// All times are nanoseconds.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>
#include <stdexcept>

#include "ceres/base/clock.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/publication.h"
#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {
namespace {

// The number of indices of this cost that fit into the time, at least 1.
std::int64_t LengthOf(float time, float cost, std::int64_t at_most) {
  const float length = time / std::max(cost, 1e-3f);
  if (length >= static_cast<float>(at_most)) return at_most;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(length));
}

// The body of a loop with a token. Keeps the first exception itself, so that it
// is not taken for the exception that stops the loop.
class StoppableBody {
 public:
  StoppableBody(ErasedBody body, const CancellationToken& token, float cost,
                std::int64_t grain)
      : body_(body), token_(token), cost_(cost), grain_(grain) {}

  ErasedBody Erase() { return {&Run, this}; }

  // Call it in the handler of the exception that ended the loop.
  Status RethrowOrStatus() const {
    if (error_) std::rethrow_exception(error_);
    const Status status = status_.load(std::memory_order_relaxed);
    if (status == Status::kCompleted) throw;
    return status;
  }

 private:
  static void Run(void* closure, int participant, std::int64_t begin,
                  std::int64_t end) {
    static_cast<StoppableBody*>(closure)->RunPieces(participant, begin, end);
  }

  void RunPieces(int participant, std::int64_t begin, std::int64_t end) {
    // The first piece of each span is a short one: the cost that the loop
    // remembers is the least of what it has seen.
    std::int64_t piece = grain_;
    if (std::isfinite(cost_)) {
      piece =
          std::max(piece, LengthOf(kTokenLookInterval / 8, cost_, end - begin));
    }
    while (true) {
      StopIfTold();
      const std::int64_t rest = end - begin;
      // A rest of less than a grain joins the last piece.
      if (rest <= piece || rest - piece < grain_) {
        RunPiece(participant, begin, end);
        return;
      }
      const Ticks start = Now();
      RunPiece(participant, begin, begin + piece);
      begin += piece;
      piece = NextPiece(piece, Nanoseconds(Now() - start), end - begin);
    }
  }

  std::int64_t NextPiece(std::int64_t piece, float time,
                         std::int64_t rest) const {
    const float cost = time / static_cast<float>(piece);
    const std::int64_t fitting = LengthOf(kTokenLookInterval, cost, rest);
    // Eight times at most: the clock's own time counts in short pieces.
    return std::max(grain_, fitting / 8 > piece ? 8 * piece : fitting);
  }

  void StopIfTold() {
    if (failed_.load(std::memory_order_relaxed)) {
      throw StoppedByToken(Status::kCancelled);
    }
    const Status status = token_.Check();
    if (status == Status::kCompleted) return;
    Status none = Status::kCompleted;
    status_.compare_exchange_strong(none, status, std::memory_order_relaxed);
    throw StoppedByToken(status);
  }

  void RunPiece(int participant, std::int64_t begin, std::int64_t end) {
    try {
      body_(participant, begin, end);
    } catch (...) {
      if (!failed_.exchange(true, std::memory_order_relaxed)) {
        error_ = std::current_exception();
      }
      throw;
    }
  }

  const ErasedBody body_;
  const CancellationToken& token_;
  const float cost_;
  const std::int64_t grain_;
  std::atomic<Status> status_{Status::kCompleted};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // Written by the thread that set failed_.
};

// The time of the part of a loop that the caller ran, without waits.
struct OwnTime {
  float time = 0.0f;
  std::int64_t indices = 0;

  // Moves the cost of the site downwards at once, upwards half of the way. So a
  // preemption is soon forgotten, and a body that takes longer is soon learned.
  void Teach(LoopSite& site) const {
    if (indices == 0) return;
    const float sample = std::max(1e-3f, time / static_cast<float>(indices));
    const float known = site.cost.load(std::memory_order_relaxed);
    site.cost.store(
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
    const Ticks start = Now();
    for (std::int64_t block = begin; block < end; ++block) {
      self.body_(participant, self.StartOf(block), self.StartOf(block + 1));
    }
    if (participant == 0) {
      self.own_time_.time += Nanoseconds(Now() - start);
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
// until none are left. A participant that comes late or never leaves its blocks
// to the others.
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
    const Ticks start = Now();
    Ticks now = start;
    std::int64_t done = 0;
    while (done < blocks_ && rest <= time) {
      const Ticks block_start = now;
      RunBlock(0, done++);
      now = Now();
      own_time_.time = Nanoseconds(now - start);
      // The last block counts if it took longer than the others: costs may be
      // rising.
      const float block_time =
          std::max(own_time_.time / static_cast<float>(done),
                   Nanoseconds(now - block_start));
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
    const Ticks start = Now();
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
      own_time_.time += Nanoseconds(Now() - start);
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

// Runs blocks in the caller until others may join. Returns the time of the
// rest. Idle threads of a pool join a loop that is late. On a foreign executor
// only the caller sees that its blocks take longer than predicted.
float RunFirstBlocks(ThreadPool&, DynamicBody&, float predicted) {
  return predicted;
}
float RunFirstBlocks(Executor&, DynamicBody& body, float predicted) {
  return body.RunAlone(predicted, kDynamicWorthInviting);
}

// Runs a loop of n indices of this cost around the body of the user.
template <typename Host>
void RunInnerLoop(Host& host, LoopSite& site, float cost,
                  const ErasedBody& body, std::int64_t n, int max_threads) {
  LoopSite inner;
  inner.cost.store(cost, std::memory_order_relaxed);
  inner.name.store(site.name.load(std::memory_order_relaxed),
                   std::memory_order_relaxed);
  RunLoop(host, inner, body, n, {max_threads, 1});
}

template <typename Host>
void RunStatic(Host& host, LoopSite& site, const ErasedBody& body,
               std::int64_t n, const LoopOptions& options, std::int64_t grain) {
  const int threads =
      options.max_threads > 0 ? options.max_threads : host.MaxConcurrency();
  const std::int64_t blocks =
      std::clamp<std::int64_t>(n / grain, 1, std::max(1, threads));
  StaticBody static_body(body, n, blocks);
  const float cost = site.cost.load(std::memory_order_relaxed);
  const float time = cost * static_cast<float>(n);
  RunInnerLoop(host, site, time / static_cast<float>(blocks),
               static_body.Erase(), blocks, threads);
  static_body.own_time().Teach(site);
}

template <typename Host>
void RunDynamic(Host& host, LoopSite& site, const ErasedBody& body,
                std::int64_t n, const LoopOptions& options,
                std::int64_t grain) {
  DynamicBody dynamic_body(body, n, grain);
  std::int64_t threads =
      std::min(host.MaxConcurrency(), kMaxDynamicParticipants);
  if (options.max_threads > 0) {
    threads = std::min<std::int64_t>(threads, options.max_threads);
  }
  threads = std::min(threads, dynamic_body.blocks());
  const float time =
      site.cost.load(std::memory_order_relaxed) * static_cast<float>(n);
  const float rest =
      threads > 1 ? RunFirstBlocks(host, dynamic_body, time) : time;
  if (rest > 0.0f) {
    RunInnerLoop(host, site, rest / static_cast<float>(threads),
                 dynamic_body.Erase(), threads, static_cast<int>(threads));
  }
  dynamic_body.own_time().Teach(site);
}

template <typename Host>
void RunSchedule(Host& host, LoopSite& site, const ErasedBody& body,
                 std::int64_t n, const LoopOptions& options,
                 std::int64_t elements) {
  const std::int64_t grain = std::clamp<std::int64_t>(options.grain, 1, n);
  switch (options.schedule) {
    case Schedule::kAdaptive:
      RunLoop(host, site, body, n, {options.max_threads, grain, elements});
      return;
    case Schedule::kStatic:
      RunStatic(host, site, body, n, options, grain);
      return;
    case Schedule::kDynamic:
      RunDynamic(host, site, body, n, options, grain);
      return;
  }
}

template <typename Host>
Status RunWithToken(Host& host, LoopSite& site, const ErasedBody& body,
                    std::int64_t n, const LoopOptions& options,
                    std::int64_t elements) {
  if (options.token == nullptr) {
    RunSchedule(host, site, body, n, options, elements);
    return Status::kCompleted;
  }
  const float cost = site.cost.load(std::memory_order_relaxed);
  const float index_cost =
      elements > 0 ? cost * static_cast<float>(elements) / static_cast<float>(n)
                   : cost;
  StoppableBody stoppable(body, *options.token, index_cost,
                          std::clamp<std::int64_t>(options.grain, 1, n));
  try {
    RunSchedule(host, site, stoppable.Erase(), n, options, elements);
  } catch (...) {
    // The time of a loop that was stopped is no measure of the cost.
    site.cost.store(cost, std::memory_order_relaxed);
    return stoppable.RethrowOrStatus();
  }
  return Status::kCompleted;
}

}  // namespace

Status RunLoopWithOptions(ThreadPool& pool, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options, std::int64_t elements) {
  return RunWithToken(pool, site, body, n, options, elements);
}

Status RunLoopWithOptions(Executor& executor, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options, std::int64_t elements) {
  return RunWithToken(executor, site, body, n, options, elements);
}

Status RunLoopWithOptions(LoopSite& site, const ErasedBody& body,
                          std::int64_t n, const LoopOptions& options,
                          std::int64_t elements) {
  SerialExecutor caller;
  return RunWithToken(caller, site, body, n, options, elements);
}

void ThrowRangeTooLong() {
  throw std::length_error(
      "ceres::parallel: a loop of more than 2^63 - 1 indices; cut it into two");
}

void ThrowNegativeBegin() {
  throw std::invalid_argument(
      "ceres::parallel: a loop begins at a negative index, but its index has "
      "an unsigned type, because the other bound has; give both the same type");
}

}  // namespace ceres::parallel::detail
