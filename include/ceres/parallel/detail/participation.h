// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_PARTICIPATION_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_PARTICIPATION_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/detail/export.h"

// The state of a thread that works for a region: the region, and the thread's
// private list of forked closures. Only the thread itself accesses them.

namespace ceres::parallel {

class ThreadPool;

namespace detail {

class PoolState;
class Publication;

// The second closure of a ParallelInvoke, in the stack frame of the caller,
// while the first one runs.
struct ForkFrame {
  ForkFrame* older;
  ForkFrame* newer;          // Valid unless this is the newest.
  Publication* publication;  // Valid if published.
  void (*function)(void* closure);
  void* closure;
  std::int64_t start;  // When it was entered.
};

// The sequential cutoff of forks (fork.h): forks in stack frames below this
// address are too short to be entered in the list, unless a thread searches for
// work. A variable of its own, because a fork of two nanoseconds has no time to
// follow current_participation.
struct SequentialCutoff {
  std::uintptr_t below = 0;  // 0 outside of all regions.
  // Valid if below > 0: the pool of the forks, and its count of threads that
  // search.
  const std::atomic<int>* searching = nullptr;
  const ThreadPool* pool = nullptr;
};
extern CERES_PARALLEL_THREAD_LOCAL SequentialCutoff sequential_cutoff;

// That a thread works for a region. Lies in a stack frame of the thread; nested
// work is a list of participations, linked by `outer`.
//
// The forks form a stack. The oldest forks hold the largest pieces of a
// recursion and are published first, so the published forks are the lower part:
//
//   bottom ... newest_published | private ... newest
//
// Invariant: the newest fork is published only if all are.
struct Participation {
  explicit Participation(PoolState* pool_state, std::uint64_t region_handle);
  ~Participation();
  Participation(const Participation&) = delete;
  Participation& operator=(const Participation&) = delete;

  ForkFrame* newest;
  ForkFrame* newest_published;
  PoolState* pool;       // Null when the host is not a pool.
  std::uint64_t region;  // Handle of the region, 0 if none.
  std::int64_t last_heartbeat = 0;
  Participation* outer;

  const SequentialCutoff outer_cutoff;  // Restored at the end.
  int forks_until_check = 0;  // Until the next look, while a thread searches.
  std::uint32_t num_entered = 0;  // Forks entered in the list so far.
  ForkFrame bottom;  // Has a newer one and no publication, nothing else.
};

// The number of loops around the code that the calling thread runs, at most
// kNumLoopDepths - 1. Plain loops do not count. A helper of a loop counts the
// loops around its owner.
// Within a plain loop, kInPlainLoop is added.
extern CERES_PARALLEL_THREAD_LOCAL std::int32_t loop_depth;
inline constexpr std::int32_t kNumLoopDepths = 16;
inline constexpr std::int32_t kInPlainLoop = kNumLoopDepths;
// loop_depth without kInPlainLoop.
inline std::int32_t LoopDepth() { return loop_depth & (kInPlainLoop - 1); }

// The innermost participation of this thread; null outside of all regions.
extern CERES_PARALLEL_THREAD_LOCAL Participation* current_participation;

// The handle of the region for which this thread works; 0: none.
inline std::uint64_t RegionOfThisThread() {
  const Participation* const current = current_participation;
  return current != nullptr ? current->region : 0;
}

// Runs once a loop, so members without a value get one only when it is needed.
// NOLINTBEGIN(clang-analyzer-optin.cplusplus.UninitializedObject)
inline Participation::Participation(PoolState* pool_state,
                                    std::uint64_t region_handle)
    : newest(&bottom),
      newest_published(&bottom),
      pool(pool_state),
      region(region_handle),
      outer(current_participation),
      outer_cutoff(sequential_cutoff) {
  bottom.publication = nullptr;
  current_participation = this;
  sequential_cutoff.below = 0;
}
// NOLINTEND(clang-analyzer-optin.cplusplus.UninitializedObject)

inline Participation::~Participation() {
  current_participation = outer;
  sequential_cutoff = outer_cutoff;
}

}  // namespace detail
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_PARTICIPATION_H_
