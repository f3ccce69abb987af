// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_FORK_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_FORK_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "ceres/parallel/detail/participation.h"

// Forking two closures. Following heartbeat scheduling (Acar, Chargueraud,
// Guatto, Rainey, Sieczkowski, PLDI 2018), a fork is an entry in a private list
// of its thread; only now and then, when somebody is hungry or enough time has
// passed, does the thread publish the oldest entry as a group of one block.

namespace ceres::parallel::detail {

// What the outermost ParallelInvoke at a place in the source took last time.
struct alignas(64) ForkSite {
  // Nanoseconds for both closures, in the caller. Infinite: not known yet.
  std::atomic<float> cost{std::numeric_limits<float>::infinity()};
};

// Looks at the clock and at the pool, and publishes the oldest private fork if
// there is somebody to take it.
void PollForks(Participation& participation);

// The first closure has returned, and the fork was published meanwhile: runs
// the second one if nobody has taken it, else waits for its end. Rethrows what
// it threw.
void FinishPublishedFork(Participation& participation, ForkFrame& frame);

// The first closure has thrown: takes the fork off the list, and waits if
// somebody is at work on it.
void AbandonFork(Participation& participation, ForkFrame& frame) noexcept;

template <typename F, typename G>
inline void Fork(Participation& participation, F& f, G& g) {
  ForkFrame frame;
  frame.older = participation.newest;
  frame.function = [](void* closure) { (*static_cast<G*>(closure))(); };
  frame.closure =
      const_cast<void*>(static_cast<const void*>(std::addressof(g)));
  participation.newest->newer = &frame;
  participation.newest = &frame;
  if (--participation.forks_to_poll <= 0) PollForks(participation);
  try {
    f();
  } catch (...) {
    AbandonFork(participation, frame);
    throw;
  }
  if (participation.newest_published == &frame) {
    FinishPublishedFork(participation, frame);
    return;
  }
  participation.newest = frame.older;
  g();
}

// A ParallelInvoke that is not within another one on the same pool: decides
// whether to call somebody at once, and measures.
class RootFork {
 public:
  RootFork(PoolState& pool, ForkSite& site);
  ~RootFork();
  RootFork(const RootFork&) = delete;
  RootFork& operator=(const RootFork&) = delete;

  Participation& participation() { return participation_; }

 private:
  ForkSite& site_;
  const std::int64_t start_;
  Participation participation_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_FORK_H_
