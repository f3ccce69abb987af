// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_THREAD_POOL_H_
#define CERES_PUBLIC_PARALLEL_THREAD_POOL_H_

#include <atomic>
#include <exception>
#include <functional>
#include <string>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/executor.h"

namespace ceres::parallel {

namespace detail {
class PoolState;
}  // namespace detail

// The condition under which the loops of a pool ask other threads for help.
enum class Sharing {
  kWhenItPays,  // When what is left to do is worth more than the help costs.
  kAlways,      // Whatever it costs: for tests of concurrency.
};

// The options of a pool.
struct ThreadPoolOptions {
  // The number of worker threads. -1: AvailableConcurrency() - 1, but at least
  // 1, so that detached tasks make progress. Other negative values:
  // std::invalid_argument.
  int num_workers = -1;

  // Worker k has the name name-k if the system can name threads (Linux keeps 15
  // characters).
  std::string name = "ceres";

  // Pins each worker to a CPU if the system can do so. The CPUs are those on
  // which the thread that makes the pool may run. Worker k gets number k + 1 of
  // them, counted from 0, and modulo their number.
  bool pin = false;

  // Set this option if tasks block: if they sleep, read files or sockets, or
  // wait for anything except work of the runtime. The number of threads that
  // run at once is then the number of workers instead of the number of CPUs of
  // the process, so that other tasks run while one blocks. Loops are slower on
  // such a pool: use a separate pool for tasks that block.
  bool tasks_block = false;

  // Called with the exceptions of detached tasks, and of task groups that are
  // destroyed without a wait, in the thread of the task. Must not throw. Empty:
  // writes a message to standard error and calls std::terminate.
  std::function<void(std::exception_ptr)> exception_handler;
};

// A set of threads that help the loops of other threads, and run tasks.
//
// The thread that calls ParallelFor or another loop works itself, so a pool of
// N - 1 workers serves N threads. A pool without workers is valid and runs
// everything in the threads that wait. Several threads, and nested loops and
// tasks, may share a pool.
//
// Construction takes little time: a worker's thread is started by the first
// task, or by the first loop that is worth it. Workers without work stay awake
// for some 50 us, in case more work follows, then sleep until they are woken.
// An idle pool uses no CPU.
//
// The number of workers is not the number of threads that run. ThreadPool(8) on
// a machine with two CPUs runs two threads at once: the thread that waits, and
// one of the eight workers. Call SetRunningLimit(9) to let all of them run, for
// example to test concurrency; use ThreadPoolOptions::tasks_block if tasks
// block. (The limit is AvailableConcurrency() by default, because a thread that
// holds a piece of a loop and has no CPU delays the loop. One worker may always
// run tasks.)
//
// Thread safety: all member functions may be called from any thread at any
// time, except the destructor. The destructor runs the remaining tasks, waits
// for their end, and stops the workers. Loops and task groups that use the pool
// outside of its tasks must have ended before; invitations that no thread has
// accepted do no harm. In a task or worker of the pool the destructor prints a
// message and calls std::terminate. Futures stay valid after it, and threads
// may wait for them meanwhile.
//
// exit() may be called anywhere. A destructor that exit() runs waits for
// nothing: tasks that other threads run continue until the process ends, and
// workers begin no further task. (A pool that was made while exit() was at work
// is destroyed as always. docs/parallel/guarantees.md has a table.)
//
// After fork() the child's copy of a pool has no threads; it starts new ones on
// first use. Tasks given to the pool before fork() run in the parent only. The
// child must not wait for a loop, group or future that began before the fork;
// it may only use new ones, exec or exit. In the child the forking thread is
// neither a worker nor inside a task, even if it is one in the parent.
class CERES_PARALLEL_EXPORT ThreadPool final : public Executor {
 public:
  // With AvailableConcurrency() - 1 workers, but at least one.
  ThreadPool();
  // With this number of workers, of which AvailableConcurrency() - 1 run at
  // once (at least one; see SetRunningLimit). Throws std::invalid_argument if
  // num_workers < 0.
  explicit ThreadPool(int num_workers);
  // With these options. Throws std::invalid_argument; see
  // ThreadPoolOptions::num_workers.
  explicit ThreadPool(const ThreadPoolOptions& options);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // The pool of the process, with AvailableConcurrency() - 1 workers, but at
  // least one. Made on first use and never destroyed.
  static ThreadPool& Default();

  // The number of workers, whether their threads have started or not.
  int NumWorkers() const {
    return num_workers_->load(std::memory_order_relaxed);
  }

  // Sets the number of workers; throws std::invalid_argument if it is negative.
  // Returns at once: new workers start when they are needed, superfluous
  // workers leave when they have finished their work, and queued work stays.
  // Throws std::logic_error in a worker of this pool.
  void Resize(int num_workers);

  // Resize, but only to a larger number. May be called in a worker.
  void EnsureMinimumWorkers(int num_workers);

  // The largest number of threads that the pool lets run at once, callers of
  // loops included. 0, the default: AvailableConcurrency(), or no limit with
  // ThreadPoolOptions::tasks_block (RunningLimit() is then a number that no
  // pool reaches). Set a larger number if tasks block, or to test concurrency.
  // While a caller sleeps in a wait, another thread may run in its place. The
  // caller continues at once when its wait ends, so the limit may be exceeded
  // by one thread for a moment.
  void SetRunningLimit(int limit);
  int RunningLimit() const;

  // Sets the condition under which loops ask for help. The default is
  // kWhenItPays.
  void SetSharing(Sharing sharing);

  // Returns when all tasks of the pool have ended, including detached tasks and
  // tasks that these tasks start. Meanwhile runs such tasks, pieces of loops
  // that they wait for, and task sets that another executor has passed on to
  // the pool. Does not run loops of threads outside. Hold no lock across the
  // call that such work takes. Inside a task of this pool, or a piece of a loop
  // that is shared, throws std::logic_error. (A loop that its caller runs alone
  // does not count as a loop here.)
  void WaitForAll();

  // Replaces ThreadPoolOptions::exception_handler. An empty function restores
  // the message and std::terminate.
  void SetExceptionHandler(std::function<void(std::exception_ptr)> handler);

  // Returns whether the calling thread is a worker of this pool.
  bool IsWorkerThread() const;

  // The functions of Executor. An executor may pass its invitations on to a
  // pool. Invite queues the invitation as a detached task, so any number is
  // possible, and each is accepted before the pool's destructor returns. Invite
  // returns false if the pool has no workers, and may throw std::bad_alloc; in
  // both cases it has queued nothing.
  int MaxConcurrency() const override;
  bool Invite(Invitation invitation) override;
  ThreadPool* AsThreadPool() override { return this; }

  // For the headers of the runtime.
  detail::PoolState& state() { return *state_; }

 private:
  // Not a smart pointer: if a task calls exit(), other threads may use the
  // state after the pool has been destroyed.
  detail::PoolState* state_;
  const std::atomic<int>* num_workers_;  // In the state.
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_THREAD_POOL_H_
