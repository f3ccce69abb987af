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
struct alignas(64) LoopSite {
  // Nanoseconds an index takes, filtered towards the minimum, because a loop
  // can be slowed by chance but not sped up. Infinite: not known yet.
  std::atomic<float> cost{std::numeric_limits<float>::infinity()};

  // Time that the serial loop would have taken over the time that the published
  // one took, per participant: 1 is perfect, 1 / participants is useless.
  std::atomic<float> efficiency{1.0f};

  // Runs of fewer than kClockFreeLength indices, one after the other, that the
  // clock has found short: at most kRunsToTrust.
  std::atomic<std::int32_t> short_runs{0};

  // The latest sample was more than twice the cost: there are likely to be more
  // such, so that the next loop is timed, too.
  std::atomic<bool> is_growing{false};

  // LoopOptions::name of the latest run that had one, for traces.
  std::atomic<const char*> name{nullptr};

  void SetName(const char* new_name) {
    if (name.load(std::memory_order_relaxed) != new_name) {
      name.store(new_name, std::memory_order_relaxed);
    }
  }
};

// Loops that are predicted to end within this time (nanoseconds) run without
// looking at a clock, except for a sample now and then. It hardly pays to share
// less: with a helper that is awake two threads take 0.9 of the time of one for
// a loop of this length on quiet cores, and more than that of one on busy ones.
inline constexpr float kClockFreeCost = 1400.0f;

// Below this length the prediction is not trusted without a clock: a few
// indices may differ in cost by any factor. Only a place where so many runs in
// a row were short is trusted, until the clock finds one that is not.
inline constexpr std::int64_t kClockFreeLength = 64;
inline constexpr std::int32_t kRunsToTrust = 256;

// What a thread may run at a place without asking whether loops are short
// there: loops of at least `fewest` indices, until `left` indices are used up.
// Loops of some nanoseconds notice each instruction before them. The first
// comparison stands for the one that a serial loop has before it, too, so that
// a subtraction and a branch are added; nothing is looked at that another
// thread writes to.
//
// That a loop is longer than short ones is not looked at: `left` is an
// instalment. It is of two short loops where long ones come between, and twice
// the last one as long as none do: what is asked between two instalments is 30
// ns.
struct Allowance {
  std::int64_t fewest = kClockFreeLength;  // At least 1.
  std::int64_t left = 0;
  // What is left for further instalments, and how large the next one is.
  std::int64_t reserve = 0;
  std::int64_t instalment = 0;
  // The indices of the longest short loop: 0 where none are known to be short.
  std::int64_t longest = 0;
  // When RenewAllowance did so, by the runtime's clock.
  std::int64_t renewed_at = 0;
};

// True when a loop of n indices can run in the caller without any ceremony;
// never for n < 1. Where it was `left` that did not suffice, that is negative
// until ExtendAllowance is called, as it is then.
inline bool IsTooSmallToTime(Allowance& allowance, std::int64_t n) {
  if (n < allowance.fewest) return false;
  allowance.left -= n;
  return allowance.left >= 0;
}

// For a loop of n indices that was not too small to time: true if it can run in
// the caller nevertheless, because there is another instalment, or because all
// that ran here since the last renewal took no longer than what lies between
// two samples anyway. The latter takes a look at the clock, a tenth of what it
// costs to time a loop.
bool ExtendAllowance(const LoopSite& site, std::int64_t n,
                     Allowance& allowance);

// To be called after a loop of n indices that neither of these let run.
void RenewAllowance(const LoopSite& site, std::int64_t n, Allowance& allowance);

// Who may help, and how it is cut: of an adaptive loop that nothing stops.
struct LoopSettings {
  int max_threads = 0;     // 0: what the host has.
  std::int64_t grain = 1;  // The fewest indices in a piece.
};

// Runs body over [0, n), alone or with help, and returns when all of it is
// done. Rethrows the first exception of a body. n >= 1.
void RunLoop(ThreadPool& pool, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings);
void RunLoop(Executor& executor, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings);

// The same for any options: with another schedule, or with a token.
Status RunLoopWithOptions(ThreadPool& pool, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options);
Status RunLoopWithOptions(Executor& executor, LoopSite& site,
                          const ErasedBody& body, std::int64_t n,
                          const LoopOptions& options);
// In the caller alone.
Status RunLoopWithOptions(LoopSite& site, const ErasedBody& body,
                          std::int64_t n, const LoopOptions& options);

// Programmers' mistakes in the bounds of a loop.
[[noreturn]] void ThrowRangeTooLong();
[[noreturn]] void ThrowNegativeBegin();

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_LOOP_H_
