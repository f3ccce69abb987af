// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_FORK_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_FORK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "ceres/parallel/detail/participation.h"

// Forking two closures. Following heartbeat scheduling (Acar, Chargueraud,
// Guatto, Rainey, Sieczkowski, PLDI 2018), a fork is an entry in a private list
// of its thread; only now and then, when somebody is hungry or enough time has
// passed, does the thread publish the oldest entry as a region of one block.
//
// Even a private entry costs some ten nanoseconds, which the leaves of a
// recursion cannot afford. So forks are only entered as long as they take a
// microsecond or two; deeper ones just call both closures. How deep that is
// is learned: the depth of a fork is the address of its stack frame, and an
// entered fork that turns out short moves the limit up to its own frame, one
// that turns out long, with none entered within it, moves it down. Depth stands
// for size only roughly: when somebody is hungry, deeper forks are looked at,
// too. No result depends on any of this.

namespace ceres::parallel::detail {

// What the outermost ParallelInvoke at a place in the source remembers.
struct alignas(64) ForkSite {
  // Nanoseconds for both closures, in the caller. Infinite: not known yet.
  std::atomic<float> cost{std::numeric_limits<float>::infinity()};
  // How far below the frame of the outermost fork the bare ones began.
  std::atomic<std::ptrdiff_t> entered_bytes{0};
};

// Enters the fork in the list, looks at the clock and at the pool, and
// publishes the oldest private fork if there is somebody to take it.
void EnterFork(Participation& participation, ForkFrame& frame);

// Both closures have returned. `depth`: of the fork.
void LearnFromFork(Participation& participation, const ForkFrame& frame,
                   std::uintptr_t depth, std::uint32_t entered_before);

// The first closure has returned, and the fork was published meanwhile: runs
// the second one if nobody has taken it, else waits for its end. Rethrows what
// it threw.
void FinishPublishedFork(Participation& participation, ForkFrame& frame);

// The first closure has thrown: takes the fork off the list, and waits if
// somebody is at work on it.
void AbandonFork(Participation& participation, ForkFrame& frame) noexcept;

// A fork that is not bare, or is one whose turn it is to be looked at. Called
// from functions that are not inlined (parallel_invoke.h), so that the frames
// of bare forks stay small. F and G are references, or types that are copied.
template <typename F, typename G>
void EnteredFork(Participation& participation, std::uintptr_t depth, F f, G g) {
  if (depth < sequential_cutoff.below &&
      --participation.forks_until_check > 0) {
    f();
    g();
    return;
  }
  using Second = std::remove_reference_t<G>;
  ForkFrame frame;
  frame.function = [](void* closure) { (*static_cast<Second*>(closure))(); };
  frame.closure =
      const_cast<void*>(static_cast<const void*>(std::addressof(g)));
  EnterFork(participation, frame);
  const std::uint32_t entered = participation.num_entered;
  try {
    f();
  } catch (...) {
    AbandonFork(participation, frame);
    throw;
  }
  if (participation.newest_published == &frame) {
    FinishPublishedFork(participation, frame);
  } else {
    participation.newest = frame.older;
    g();
  }
  LearnFromFork(participation, frame, depth, entered);
}

// A closure that loses nothing when it is copied.
template <typename F>
using CopiedClosure =
    std::conditional_t<std::is_trivially_copyable_v<F> &&
                           std::is_invocable_v<const F&> && sizeof(F) <= 64,
                       F, F&>;

// How a copied closure is passed on: in registers if it fits two.
template <typename F, typename Copied = CopiedClosure<F>>
using PassedClosure =
    std::conditional_t<std::is_reference_v<Copied> ||
                           sizeof(Copied) <= 2 * sizeof(void*),
                       Copied, Copied&>;

// The address of the stack frame that this is compiled into: the depth of the
// recursion. Stacks grow downwards wherever we run; elsewhere, and on stacks
// that a program switches itself, only speed would suffer.
[[gnu::always_inline]] inline std::uintptr_t StackDepth() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

// Whether a fork at this depth is just to call both closures.
[[gnu::always_inline]] inline bool IsBelowCutoff(std::uintptr_t depth) {
  return depth < sequential_cutoff.below &&
         sequential_cutoff.searching->load(std::memory_order_relaxed) == 0;
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
  const std::uintptr_t depth_;
  const std::int64_t start_;
  Participation participation_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_FORK_H_
