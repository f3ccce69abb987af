// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_REGIONS_PLAIN_RUN_PROTOCOL_H_
#define CERES_INTERNAL_PARALLEL_REGIONS_PLAIN_RUN_PROTOCOL_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/sync/protocol_atomics.h"

namespace ceres::parallel::detail {

// The rules of the protocol that the model breaks, one at a time.
enum class PlainRunRule {
  kBeginsWithRelease,
  kEndsWithAcquire,
  kAnswersWithRelease,
  kAwaitsWithAcquire,
  kOwnerFences,
  kStopperFences,
  kLooksAgain,
  kStopsAlone,
  kAwaitsAnswer,
};

// The plain loop that a thread runs, and how another thread stops it to share
// the indices that are left. There is one such object per thread: the owner.
//
// The owner runs its loop in chunks. It claims a chunk by plain stores and
// loads, without read-modify-writes and fences: a loop of 50 nanoseconds
// notices each of them. The price is paid by the thread that stops the loop: a
// heavy fence (asymmetric_fence.h; biased locking, Kawachiya, Koseki and
// Onodera, OOPSLA 2002).
//
// clang-format off
//   owner, at the end of a chunk         stopper
//   next_ = end of the next chunk        request_: kNone -> kAsked
//   LightFence()                         HeavyFence()
//   reads request_                       reads run_ and next_
// clang-format on
//
// Why it is correct
//  - Runs are numbered: run_ is even between loops, and odd in one. It never
//    has a value twice. (It has 64 bits.) The stopper reads run_ before
//    it asks and after the fence. If both values are equal and odd, the
//    fence lies in this run. Then the owner has not read request_ at the end of
//    the run, or it reads kAsked there: the owner does not leave its loop
//    before it has read the answer. So the stopper may use the Loop, which lies
//    in the stack frame of the owner.
//  - By the fences, at least one of two things holds: the stopper reads the
//    end of the owner's next chunk, or the owner reads kAsked before it begins
//    that chunk. If both hold, the chunk may be on either side of the value
//    that the stopper has read. The stopper writes this value into the Loop,
//    and the owner obeys: indices before it belong to the owner, the others are
//    shared. The first chunk needs no fence: its claim precedes the store of
//    run_.
//  - The answer (release) makes what the stopper has written visible to the
//    owner (acquire). The owner ends its loop with an acquire, too: a stopper
//    that has read the Loop, and has taken nothing, has finished before.
//  - Between question and answer the stopper takes no lock and waits for
//    nobody, so the owner may spin.
//  - A request that comes between two runs, or in a later run than the stopper
//    has looked at, is taken back. An owner that has read it waits meanwhile.
//  - One thread asks at a time, because asking is a compare-exchange of kNone
//    or kSeen.
//
// kSeen asks for nothing: the run has been seen by a thread that looks for late
// loops, and the owner should read the clock.
//
// The runtime and its model (plain_run_protocol_test.cc) compile this source.
template <typename Loop, typename Atomics, typename Mutation = NoMutation>
class BasicPlainRun {
 public:
  // --- Owner. ---

  // Begins a run, whose first chunk ends at `end`.
  void Begin(Loop* loop, std::int64_t end) {
    loop_.store(loop, std::memory_order_relaxed);
    next_.store(end, std::memory_order_relaxed);
    run_.store(run_.load(std::memory_order_relaxed) + 1,
               Breaks(PlainRunRule::kBeginsWithRelease)
                   ? std::memory_order_relaxed
                   : std::memory_order_release);
  }
  // Claims the next chunk, which ends at `end`. False: call Await first.
  bool Claim(std::int64_t end) {
    next_.store(end, std::memory_order_relaxed);
    if (!Breaks(PlainRunRule::kOwnerFences)) Atomics::LightFence();
    return request_.load(std::memory_order_relaxed) == kNone;
  }
  // Ends the run. False: call Await, and Clear if the loop has been stopped.
  bool End() {
    run_.store(run_.load(std::memory_order_relaxed) + 1,
               std::memory_order_release);
    if (!Breaks(PlainRunRule::kOwnerFences)) Atomics::LightFence();
    return request_.load(Breaks(PlainRunRule::kEndsWithAcquire)
                             ? std::memory_order_relaxed
                             : std::memory_order_acquire) == kNone;
  }
  // Returns when no thread is about to stop the loop. True: the loop has been
  // stopped in this run. Calls pause() while it waits.
  template <typename PauseOnce>
  bool Await(const PauseOnce& pause) {
    std::uint32_t seen = kSeen;
    request_.compare_exchange_strong(seen, kNone, std::memory_order_relaxed);
    constexpr auto kOrder = Breaks(PlainRunRule::kAwaitsWithAcquire)
                                ? std::memory_order_relaxed
                                : std::memory_order_acquire;
    while (true) {
      const std::uint32_t request = request_.load(kOrder);
      if (request == kStopped) return true;
      if (request == kNone || Breaks(PlainRunRule::kAwaitsAnswer)) return false;
      pause();
    }
  }
  // After the end of a run that has been stopped, before the next run begins.
  void Clear() { request_.store(kNone, std::memory_order_release); }

  // --- Other threads. ---

  // The number of the present run. 0: no loop is run.
  std::uint64_t Look() const {
    const std::uint64_t run = run_.load(std::memory_order_relaxed);
    return run % 2 != 0 ? run : 0;
  }
  // The owner should read the clock after this run.
  void NoteSeen() {
    std::uint32_t none = kNone;
    request_.compare_exchange_strong(none, kSeen, std::memory_order_relaxed);
  }
  // Stops the run. use(loop, first) -> bool gets the first index that the owner
  // has not claimed. It returns true if it has taken the indices from there,
  // and has told the owner by the Loop. Returns false if there was nothing to
  // stop. (The fence makes the relaxed loads before it acquires. The thread
  // sanitizer does not know it, so that there are acquires, too.)
  template <typename Use>
  bool Stop(std::uint64_t run, const Use& use) {
    std::uint32_t before = request_.load(std::memory_order_relaxed);
    const bool is_other = before == kAsked || before == kStopped;
    if ((is_other && !Breaks(PlainRunRule::kStopsAlone)) ||
        !request_.compare_exchange_strong(before, kAsked,
                                          std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      return false;
    }
    if (!Breaks(PlainRunRule::kStopperFences)) Atomics::HeavyFence();
    const bool is_stopped = (run_.load(std::memory_order_acquire) == run ||
                             Breaks(PlainRunRule::kLooksAgain)) &&
                            use(*loop_.load(std::memory_order_relaxed),
                                next_.load(std::memory_order_relaxed));
    request_.store(is_stopped ? kStopped : kNone,
                   Breaks(PlainRunRule::kAnswersWithRelease)
                       ? std::memory_order_relaxed
                       : std::memory_order_release);
    return is_stopped;
  }

  // In the child of a fork, where no other thread exists.
  void ForgetRequest() { request_.store(kNone, std::memory_order_relaxed); }

 private:
  static constexpr bool Breaks(PlainRunRule rule) {
    return Mutation::Breaks(rule);
  }

  enum : std::uint32_t { kNone, kSeen, kAsked, kStopped };

  template <typename T>
  using Atomic = typename Atomics::template Atomic<T>;
  Atomic<std::uint64_t> run_{0};
  Atomic<std::int64_t> next_{0};
  Atomic<Loop*> loop_{nullptr};
  Atomic<std::uint32_t> request_{kNone};
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_REGIONS_PLAIN_RUN_PROTOCOL_H_
