// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_LOOP_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_LOOP_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/loop_options.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/thread_pool.h"

// The seam between the loop templates and the machinery behind them.

namespace ceres::parallel::detail {

// What a loop in the source text remembers from one run to the next. One static
// object per instantiation, written by all threads that run the loop. Relaxed
// atomics: a lost update costs nothing, and no value decides a result, only
// whether help is called. constexpr-constructible, so that it needs no guard.
//
// What a site remembers is a prediction. A loop that the prediction calls short
// is open to idle threads all the same, before its first index is begun
// (loop.cc). Only loops that the site calls plain are not.
struct alignas(64) LoopSite {
  // Nanoseconds an element takes, filtered towards the minimum, because a loop
  // can be slowed by chance but not sped up. Infinite: not known yet.
  std::atomic<float> cost{std::numeric_limits<float>::infinity()};

  // Time that the serial loop would have taken over the time that the published
  // one took, per participant: 1 is perfect, 1 / participants is useless.
  std::atomic<float> efficiency{1.0f};

  // Runs, one after the other, that the clock has found plain: at most
  // kRunsToTrust.
  std::atomic<std::int32_t> plain_runs{0};

  // LoopOptions::name of the latest run that had one, for traces.
  std::atomic<const char*> name{nullptr};

  void SetName(const char* new_name) {
    if (name.load(std::memory_order_relaxed) != new_name) {
      name.store(new_name, std::memory_order_relaxed);
    }
  }
};

// A site is trusted, and its short loops run as plain loops, once so many runs
// in a row were plain.
inline constexpr std::int32_t kRunsToTrust = 256;

// The loops that a thread may run at a site as plain loops, without the clock
// and closed to other threads: loops of at most `longest` elements, until
// `untimed_runs` have run. The next loop is timed. No other thread writes to
// this object, because loops of a few nanoseconds notice each instruction
// before them.
struct PlainLoops {
  std::int64_t longest = 0;
  std::int64_t untimed_runs = 0;
};

// Never true for elements < 1.
inline bool IsPlain(PlainLoops& plain, std::int64_t elements) {
  return static_cast<std::uint64_t>(elements) - 1 <
             static_cast<std::uint64_t>(plain.longest) &&
         --plain.untimed_runs >= 0;
}

// Call it after a loop for which IsPlain was false.
void RenewPlainLoops(const LoopSite& site, std::int64_t elements,
                     PlainLoops& plain);

// Who may help, and how it is cut: of an adaptive loop that nothing stops.
struct LoopSettings {
  int max_threads = 0;     // 0: what the host has.
  std::int64_t grain = 1;  // The fewest indices in a piece.
  // What all indices together are worth, where an index is not an element: the
  // indices are blocks or pieces, whose length differs from run to run. 0: n.
  std::int64_t elements = 0;
};

// Runs body over [0, n), alone or with help, and returns when all of it is
// done. Rethrows the first exception of a body. n >= 1.
void RunLoop(ThreadPool& pool, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings);
void RunLoop(Executor& executor, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings);

// The same for any options: with another schedule, or with a token. `elements`:
// as in LoopSettings.
Status RunLoopWithOptions(ThreadPool& pool, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options,
                          std::int64_t elements = 0);
Status RunLoopWithOptions(Executor& executor, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options,
                          std::int64_t elements = 0);
// In the caller alone.
Status RunLoopWithOptions(LoopSite& site, const ErasedBody& body,
                          std::int64_t n, const LoopOptions& options,
                          std::int64_t elements = 0);

// Programmers' mistakes in the bounds of a loop.
[[noreturn]] void ThrowRangeTooLong();
[[noreturn]] void ThrowNegativeBegin();

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_LOOP_H_
