// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tokens that stop a group, a reduction and a graph, as they do loops (see
// cancellation.cc): whoever has the source can stop all that has its token.
//
// Prints: group cancelled by a task: true
// Prints: reduction: ceres::parallel: the deadline passed
// Prints: graph cancelled with its job: true, second task begun: false

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <thread>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

// A walk in a tree without end: it ends because the tasks that are left are
// dropped, and new ones are not taken.
void Walk(parallel::TaskGroup& group, parallel::CancellationSource& source,
          std::uint64_t n) {
  if (n > 100'000) source.Cancel();
  group.Run(&Walk, std::ref(group), std::ref(source), 2 * n);
  group.Run(&Walk, std::ref(group), std::ref(source), 2 * n + 1);
}

void StopGroup(parallel::ThreadPool& pool) {
  parallel::CancellationSource source;
  parallel::TaskGroupOptions options;
  options.token = source.token();
  parallel::TaskGroup group(pool, options);
  Walk(group, source, 1);
  const parallel::Status status = group.Wait();
  std::cout << "group cancelled by a task: "
            << (status == parallel::Status::kCancelled) << "\n";
}

// A reduction looks before each of its blocks, of which it has at most 64. One
// that is stopped has no value to return: it throws.
void StopReduction(parallel::ThreadPool& pool) {
  const parallel::CancellationSource source(std::chrono::milliseconds(20));
  parallel::LoopOptions options;
  options.token = source.token();
  const auto slow_square = [](int i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return i * i;
  };
  try {
    parallel::ParallelReduce(pool, 0, 64, 0, slow_square, std::plus<>(),
                             options);
  } catch (const parallel::StoppedByToken& stopped) {
    std::cout << "reduction: " << stopped.what() << "\n";
  }
}

// The token of a step also says stop when that of the whole job does. A task
// that has begun is not interrupted, but may ask.
void StopGraph(parallel::ThreadPool& pool) {
  parallel::CancellationSource job;
  const parallel::CancellationSource step(std::chrono::hours(1), job.token());
  parallel::TaskGraphOptions options;
  options.token = step.token();
  bool has_begun = false;
  parallel::TaskGraph graph;
  double value = 2.0;
  const auto endless = graph.Add([&value, token = step.token()] {
    while (!token.IsCancelled()) value = std::sqrt(value + 1.0);
  });
  endless.Precede(graph.Add([&has_begun] { has_begun = true; }));
  graph.Submit(pool, options);
  job.Cancel();  // Somebody has pressed a button.
  const parallel::Status status = graph.Wait();
  std::cout << "graph cancelled with its job: "
            << (status == parallel::Status::kCancelled)
            << ", second task begun: " << has_begun << "\n";
}

}  // namespace

int main() {
  parallel::ThreadPool pool(3);
  std::cout << std::boolalpha;
  StopGroup(pool);
  StopReduction(pool);
  StopGraph(pool);
}
