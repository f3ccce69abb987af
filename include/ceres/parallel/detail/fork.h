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

#include "ceres/parallel/detail/compiler.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/participation.h"

// Forking two closures, by heartbeat scheduling (Acar, Chargueraud, Guatto,
// Rainey, Sieczkowski, PLDI 2018). A fork is an entry in a private list of its
// thread. The thread publishes the oldest entry as a parallel region of one
// block when another thread searches for work, or when enough time has passed.
//
// An entry takes some ten nanoseconds, which is too much for the leaves of a
// recursion. So there is a sequential cutoff: forks that take longer than a
// microsecond or two are entered, and deeper forks just call both closures. The
// cutoff is learned. The depth of a fork is the address of its stack frame. An
// entered fork that is short moves the cutoff up to its own frame. An entered
// fork that is long, with no fork entered within it, moves the cutoff down.
// Depth is only a rough measure of size, so while a thread searches for work,
// some forks below the cutoff are entered, too. No result depends on the
// cutoff.

namespace ceres::parallel::detail {

// The measurements of the outermost ParallelInvoke at a place in the source.
struct alignas(64) ForkSite {
  // Nanoseconds for both closures, in the caller. Infinite: not known yet.
  std::atomic<float> cost{std::numeric_limits<float>::infinity()};
  // How far below the frame of the outermost fork the cutoff was, in bytes.
  std::atomic<std::ptrdiff_t> entered_bytes{0};
};

// Enters the fork in the list, reads the clock and the state of the pool, and
// publishes the oldest private fork if a thread may take it.
CERES_PARALLEL_EXPORT void EnterFork(Participation& participation,
                                     ForkFrame& frame);

// Call it when both closures have returned. Adjusts the cutoff. `depth`: of the
// fork.
CERES_PARALLEL_EXPORT void LearnFromFork(Participation& participation,
                                         const ForkFrame& frame,
                                         std::uintptr_t depth,
                                         std::uint32_t entered_before);

// Call it when the first closure of a published fork has returned. Runs the
// second closure if no thread has taken it, else waits for its end. Rethrows
// what it threw.
CERES_PARALLEL_EXPORT void FinishPublishedFork(Participation& participation,
                                               ForkFrame& frame);

// Call it when the first closure has thrown. Takes the fork off the list, and
// waits if another thread works on it.
CERES_PARALLEL_EXPORT void AbandonFork(Participation& participation,
                                       ForkFrame& frame) noexcept;

// A fork above the cutoff, or a fork below it while a thread searches for work.
// Called from functions that are not inlined (parallel_invoke.h), so that the
// frames of forks below the cutoff stay small. F and G are references, or types
// that are copied.
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

// The depth of the recursion: the address of the stack frame into which this is
// compiled. Stacks grow downwards on all our platforms. On other platforms, and
// on stacks that a program switches itself, forks would only be slower.
CERES_PARALLEL_ALWAYS_INLINE std::uintptr_t StackDepth() {
  return reinterpret_cast<std::uintptr_t>(CERES_PARALLEL_FRAME_ADDRESS());
}

// Returns true if a fork at this depth only calls both closures.
CERES_PARALLEL_ALWAYS_INLINE bool IsBelowCutoff(std::uintptr_t depth) {
  return depth < sequential_cutoff.below &&
         sequential_cutoff.searching->load(std::memory_order_relaxed) == 0;
}

// A ParallelInvoke that is not within another one on the same pool. Decides
// whether to publish its first fork at once, and measures the time of both
// closures.
class CERES_PARALLEL_EXPORT RootFork {
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
