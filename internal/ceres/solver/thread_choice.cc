// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/thread_choice.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ceres/base/number.h"
#include "ceres/execution/context_impl.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/logging/logging.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/residual_block.h"
#include "ceres/solver/solver_tuning.h"

namespace ceres::internal {
namespace {

// A lower bound on the doubles of the row block.
std::int64_t SizeOfRowBlock(const ResidualBlock& residual_block) {
  std::int64_t num_columns = 1;
  for (int k = 0; k < residual_block.num_parameter_blocks(); ++k) {
    num_columns += residual_block.parameter_blocks()[k]->size();
  }
  return num_columns * residual_block.num_residuals();
}

ThreadChoice ThreadsOfExecutor(const Solver::Options& options) {
  ThreadChoice choice;
  choice.execution.executor = options.executor;
  choice.execution.num_threads = std::max(
      1, std::min(options.num_threads, options.executor->MaxConcurrency()));
  choice.max_threads = choice.execution.num_threads;
  return choice;
}

ThreadChoice ThreadsOfContext(const Solver::Options& options,
                              ContextImpl* context) {
  ThreadChoice choice;
  choice.execution.context = context;
  const int limit = context->thread_pool().RunningLimit();
  // Once: many small solves should not spend their time on warnings.
  static std::atomic<bool> has_warned{false};
  if (options.num_threads > limit && !has_warned.exchange(true)) {
    VESTA_LOG(kWarning)
        << "Solver::Options::num_threads = " << options.num_threads
        << " is more than the " << CountOf(limit, "cpu")
        << " that this process may use. Using " << limit
        << ", here and in later solves (Solver::Summary::num_threads_used).";
  }
  choice.execution.num_threads = std::min(options.num_threads, limit);
  if (choice.execution.num_threads > 1) {
    context->EnsureMinimumThreads(choice.execution.num_threads);
  }
  choice.max_threads = choice.execution.num_threads;
  return choice;
}

}  // namespace

bool IsWorthSharing(const Solver::Options& options,
                    const ProblemImpl& problem) {
  if (options.use_inner_iterations ||
      problem.num_parameters() > kMaxSerialParameters) {
    return true;
  }
  std::int64_t num_values = 0;
  for (const ResidualBlock* residual_block : problem.residual_blocks()) {
    num_values += SizeOfRowBlock(*residual_block);
    if (num_values > kMinRowChunkValues) return true;
  }
  return false;
}

ThreadChoice ChooseThreads(const Solver::Options& options,
                           ProblemImpl* problem) {
  if (options.executor != nullptr) return ThreadsOfExecutor(options);
  // The start of a thread pool takes longer than some solves.
  if (options.num_threads == 1) return {};
  if (problem->options().context == nullptr &&
      !IsWorthSharing(options, *problem)) {
    ThreadChoice choice;
    choice.max_threads =
        std::min(options.num_threads, parallel::detail::NumCpus());
    return choice;
  }
  return ThreadsOfContext(options, problem->context());
}

SolveExecution::SolveExecution(const ThreadChoice& choice, ProblemImpl* problem)
    : choice_(choice),
      pool_on_demand_(problem, choice.max_threads),
      execution_(choice.execution) {
  execution_.stop = &stop_;
  if (choice.max_threads > choice.execution.num_threads) {
    execution_.on_demand = &pool_on_demand_;
  }
}

Execution SolveExecution::PoolOnDemand::Make(const Execution& serial) {
  Execution threads = serial;
  threads.context = problem_.context();
  threads.num_threads =
      std::min(num_threads_, threads.context->thread_pool().RunningLimit());
  if (threads.num_threads > 1) {
    threads.context->EnsureMinimumThreads(threads.num_threads);
  }
  return threads;
}

}  // namespace ceres::internal
