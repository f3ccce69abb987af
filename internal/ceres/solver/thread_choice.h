// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_THREAD_CHOICE_H_
#define CERES_INTERNAL_SOLVER_THREAD_CHOICE_H_

#include "ceres/execution/execution.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"

namespace ceres::internal {

// Returns false if several threads cannot make a solve faster, unless its cost
// functions are expensive: the Jacobian is a single row chunk
// (linear/block_jacobian.h), and the linear systems are small. Visits at most
// as many residual blocks as fit into a row chunk.
bool IsWorthSharing(const Solver::Options& options, const ProblemImpl& problem);

// The threads of one solve.
struct ThreadChoice {
  // The host and the number of threads. Without stop signal and threads on
  // demand: SolveExecution adds these.
  Execution execution;
  // The largest number of threads that can run: Summary::num_threads_used. If
  // it is larger than execution.num_threads, the solve starts serially, and the
  // thread pool is created when a cost function turns out to be expensive.
  int max_threads = 1;

  // Whether a solve with one choice runs as a solve with the other choice.
  friend bool operator==(const ThreadChoice& a, const ThreadChoice& b) {
    return a.execution.context == b.execution.context &&
           a.execution.executor == b.execution.executor &&
           a.execution.num_threads == b.execution.num_threads &&
           a.max_threads == b.max_threads;
  }
};

// Chooses the threads of a solve. The table is read from top to bottom:
//
// clang-format off
//
//   condition                           host               threads
//   ----------------------------------  -----------------  -------------------
//   options.executor is set             the executor       num_threads, at most
//                                                          MaxConcurrency()
//   options.num_threads == 1            the caller         1
//   the problem owns its context, and   the caller         1
//   IsWorthSharing() is false             on demand: the     num_threads, at
//                                         problem's context  most all CPUs
//   else                                the context        num_threads, at most
//                                                          the pool's limit
//
// clang-format on
//
// Starts the threads of the context in the last case, and logs a warning, once
// per process, if options.num_threads is larger than the limit.
ThreadChoice ChooseThreads(const Solver::Options& options,
                           ProblemImpl* problem);

// The Execution of one solve together with the objects that it points at. Does
// not move. The problem must outlive it.
class SolveExecution final {
 public:
  SolveExecution(const ThreadChoice& choice, ProblemImpl* problem);
  SolveExecution(const SolveExecution&) = delete;
  SolveExecution& operator=(const SolveExecution&) = delete;

  const ThreadChoice& choice() const { return choice_; }
  const Execution& get() const { return execution_; }
  StopSignal& stop() { return stop_; }

 private:
  // Creates the thread pool of the problem's context on first use.
  class PoolOnDemand final : public ThreadsOnDemand {
   public:
    PoolOnDemand(ProblemImpl* problem, int num_threads)
        : problem_(*problem), num_threads_(num_threads) {}

    int num_threads() const override { return num_threads_; }
    Execution Make(const Execution& serial) override;

   private:
    ProblemImpl& problem_;
    const int num_threads_;
  };

  const ThreadChoice choice_;
  StopSignal stop_;
  PoolOnDemand pool_on_demand_;
  Execution execution_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_THREAD_CHOICE_H_
