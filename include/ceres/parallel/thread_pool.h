// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_THREAD_POOL_H_
#define CERES_PUBLIC_PARALLEL_THREAD_POOL_H_

#include <memory>

#include "ceres/parallel/executor.h"

namespace ceres::parallel {

namespace detail {
class PoolState;
}  // namespace detail

// When a pool's loops call for help.
enum class Sharing {
  kWhenItPays,  // When what is left to do is worth more than the help costs.
  kAlways,      // Whatever it costs: for tests of concurrency.
};

// A set of threads that help the loops of other threads.
//
// The thread that calls ParallelFor and its relatives works itself, so a pool
// of N - 1 workers serves N threads; a pool without workers is valid and runs
// everything in the caller. Loops of several threads, and loops within loops,
// may share a pool.
//
// Construction is cheap: a worker's thread is started by the first loop that is
// worth it. When a loop ends, workers stay awake for some 50 us, in case
// another follows, then sleep until they are called; an idle pool uses no cpu.
//
// Of all workers, at most AvailableConcurrency() - 1 are awake at any moment
// (see SetRunningLimit), because a thread that holds a piece of a loop and has
// no cpu holds up the loop.
//
// Thread safety: all member functions may be called from any thread at any
// time, except the destructor, which must not run before the loops that use the
// pool have ended (invitations that nobody accepted yet are no obstacle), and
// not in a worker of the pool.
//
// After fork() the child's copy of a pool has no threads; it starts new ones on
// first use. A child that was forked inside a loop's body must not wait for
// that loop: it may only use other loops, exec or exit.
class ThreadPool final : public Executor {
 public:
  // num_workers >= 0, else std::invalid_argument.
  explicit ThreadPool(int num_workers);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the process, with AvailableConcurrency() - 1 workers, made on
  // first use and never destroyed.
  static ThreadPool& Default();

  int NumWorkers() const;

  // Sets the number of workers, >= 0 (else std::invalid_argument). Returns at
  // once: new workers start when a loop wants them, superfluous ones leave when
  // they have finished what they do. Called in a worker of this pool: throws
  // std::logic_error.
  void Resize(int num_workers);

  // Resize, but only upwards; a thread-safe "at least so many". May be called
  // in a worker.
  void EnsureMinimumWorkers(int num_workers);

  // The most threads that the pool lets run at once, callers of loops included;
  // 0 means AvailableConcurrency(), which is the default. A larger number only
  // makes sense in tests of concurrency.
  void SetRunningLimit(int limit);
  int RunningLimit() const;

  // kWhenItPays is the default.
  void SetSharing(Sharing sharing);

  // Whether the calling thread is a worker of this pool.
  bool IsWorkerThread() const;

  // Executor.
  int MaxConcurrency() const override { return NumWorkers() + 1; }
  bool Invite(Invitation invitation) override;

  detail::PoolState& state() { return *state_; }

 private:
  std::unique_ptr<detail::PoolState> state_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_THREAD_POOL_H_
