// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_THREAD_POOL_H_
#define CERES_PUBLIC_PARALLEL_THREAD_POOL_H_

#include <exception>
#include <functional>
#include <string>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/executor.h"

namespace ceres::parallel {

namespace detail {
class PoolState;
}  // namespace detail

// When the loops of a pool ask other threads for help.
enum class Sharing {
  kWhenItPays,  // When what is left to do is worth more than the help costs.
  kAlways,      // Whatever it costs: for tests of concurrency.
};

struct ThreadPoolOptions {
  // -1: AvailableConcurrency() - 1, but at least 1, so that tasks that nobody
  // waits for make progress. Other negative values: std::invalid_argument.
  int num_workers = -1;

  // Worker k is called name-k, where the system can name threads (Linux keeps
  // 15 characters).
  std::string name = "ceres";

  // Worker k runs on cpu k + 1, counted from 0 and round, of those on which the
  // thread that makes the pool may run, where the system can do that.
  bool pin = false;

  // Set this if tasks block: if they sleep, read files or sockets, or wait for
  // anything but work of the runtime. As many threads then run at once as the
  // pool has workers, instead of as many as the process has CPUs, so that other
  // tasks run while one blocks. Loops are slower on such a pool: use a separate
  // pool for tasks that block.
  bool tasks_block = false;

  // Called with the exceptions of detached tasks, and of task groups that are
  // destroyed without a wait, in the thread of the task. Must not throw. Empty:
  // writes a message to standard error and calls std::terminate.
  std::function<void(std::exception_ptr)> exception_handler;
};

// A set of threads that help the loops of other threads, and run tasks.
//
// The thread that calls ParallelFor and its relatives works itself, so a pool
// of N - 1 workers serves N threads; a pool without workers is valid and runs
// everything in the threads that wait for it. Loops and tasks of several
// threads, and loops and tasks within each other, may share a pool.
//
// Construction is cheap: a worker's thread is started by the first task, or the
// first loop that is worth it. When there is nothing left to do, workers stay
// awake for some 50 us, in case more work follows, then sleep until they are
// woken. An idle pool uses no CPU.
//
// Of all workers, at most AvailableConcurrency() - 1 are awake at any moment
// (see SetRunningLimit), because a thread that holds a piece of a loop and has
// no CPU delays the loop. One worker may always run tasks.
//
// Thread safety: all member functions may be called from any thread at any
// time, except the destructor. The destructor runs what tasks are left, waits
// for their end, and stops the workers. It must not run before the loops and
// task groups that use the pool outside of its tasks have ended (invitations
// that nobody accepted yet are no obstacle), nor in a task or worker of the
// pool (a message, then std::terminate). Futures stay valid after it, and
// threads may be waiting for them.
//
// exit() may be called inside a task or a loop. The destructor of a pool of
// static lifetime then waits for nothing: tasks that other threads run continue
// until the process ends, and no further task is begun.
//
// After fork() the child's copy of a pool has no threads; it starts new ones on
// first use. Tasks given to the pool before run in the parent only. The child
// must not wait for a loop, group or future that was begun before the fork: it
// may only use others, exec or exit. The thread that has forked is neither a
// worker there nor inside a task, whatever it is in the parent.
class CERES_PARALLEL_EXPORT ThreadPool final : public Executor {
 public:
  // With AvailableConcurrency() - 1 workers, but at least one.
  ThreadPool();
  // num_workers >= 0, else std::invalid_argument.
  explicit ThreadPool(int num_workers);
  explicit ThreadPool(const ThreadPoolOptions& options);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the process, with AvailableConcurrency() - 1 workers, but at
  // least one; made on first use and never destroyed.
  static ThreadPool& Default();

  int NumWorkers() const;

  // Sets the number of workers, >= 0 (else std::invalid_argument). Returns at
  // once: new workers start when they are wanted, superfluous ones leave when
  // they have finished what they do, and what is queued stays. Called in a
  // worker of this pool: throws std::logic_error.
  void Resize(int num_workers);

  // Resize, but only upwards; a thread-safe "at least so many". May be called
  // in a worker.
  void EnsureMinimumWorkers(int num_workers);

  // The most threads that the pool lets run at once, callers of loops included;
  // 0, the default, means AvailableConcurrency(), or no limit with
  // ThreadPoolOptions::tasks_block (RunningLimit() is then a number that no
  // pool reaches). Set a larger number if tasks block, or to test concurrency.
  // While a caller sleeps in a wait, another thread may run in its place. The
  // caller continues at once when its wait ends, so the limit may be exceeded
  // by one thread for a moment.
  void SetRunningLimit(int limit);
  int RunningLimit() const;

  // kWhenItPays is the default.
  void SetSharing(Sharing sharing);

  // Returns when all tasks that were given to the pool have ended, detached
  // ones and those that they gave to it included. Runs such tasks meanwhile,
  // pieces of loops for which they wait, and task sets that another executor
  // has passed on to the pool; not the loops of threads outside. Hold no lock
  // across it that one of these takes. Inside a task of this pool, or a piece
  // of a loop that is shared: std::logic_error. (In a loop that its caller runs
  // alone it waits as outside of it.)
  void WaitForAll();

  // Replaces ThreadPoolOptions::exception_handler; an empty one brings back the
  // message and std::terminate.
  void SetExceptionHandler(std::function<void(std::exception_ptr)> handler);

  // Whether the calling thread is a worker of this pool.
  bool IsWorkerThread() const;

  // Executor. An executor may pass its invitations on to a pool. Invite queues
  // the invitation as a detached task, so the pool has room for any number, and
  // accepts each before its destructor returns. Returns false, and has taken
  // nothing, if the pool has no workers; throws std::bad_alloc likewise.
  int MaxConcurrency() const override;
  bool Invite(Invitation invitation) override;

  // For the headers of the runtime.
  detail::PoolState& state() { return *state_; }

 private:
  // Not a smart pointer: where exit() was called in a task, other threads may
  // still use the pool after it has been destroyed.
  detail::PoolState* state_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_THREAD_POOL_H_
