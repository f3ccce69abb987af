// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solve_many.h"

#include <algorithm>
#include <functional>

#include "ceres/logging/logging.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres {
namespace {

void CheckProblems(std::vector<Problem*> problems) {
  std::sort(problems.begin(), problems.end(), std::less<Problem*>());
  VESTA_CHECK(problems.empty() || problems.front() != nullptr)
      << "SolveMany was given a null problem.";
  VESTA_CHECK(std::adjacent_find(problems.begin(), problems.end()) ==
              problems.end())
      << "SolveMany was given one problem twice.";
}

}  // namespace

void SolveMany(const Solver::Options& options,
               const std::vector<Problem*>& problems,
               std::vector<Solver::Summary>* summaries) {
  VESTA_CHECK(summaries != nullptr)
      << "SolveMany needs summaries; null was given.";
  CheckProblems(problems);
  summaries->assign(problems.size(), Solver::Summary());

  // Each problem is solved by one thread. Without this executor, Solve would
  // start the thread pools of the problems' contexts, which would stay idle.
  parallel::SerialExecutor serial;
  Solver::Options each = options;
  each.executor = &serial;
  // Zero and negative values stay, so that Solve refuses them.
  each.num_threads = std::min(options.num_threads, 1);
  const auto solve = [&](int i) { Solve(each, problems[i], &(*summaries)[i]); };
  parallel::LoopOptions loop;
  loop.max_threads = std::max(1, options.num_threads);
  loop.name = "SolveMany";
  const int num_problems = static_cast<int>(problems.size());
  if (options.executor != nullptr) {
    parallel::ParallelFor(*options.executor, 0, num_problems, solve, loop);
  } else {
    parallel::ParallelFor(parallel::ThreadPool::Default(), 0, num_problems,
                          solve, loop);
  }
}

}  // namespace ceres
