// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A user's program that uses the parallel runtime and nothing else: each public
// header once. Compiled with more warnings than we set ourselves.

#include <ceres/parallel/available_concurrency.h>
#include <ceres/parallel/cancellation.h>
#include <ceres/parallel/executor.h>
#include <ceres/parallel/future.h>
#include <ceres/parallel/index_range.h>
#include <ceres/parallel/iterator_range.h>
#include <ceres/parallel/loop_options.h>
#include <ceres/parallel/parallel.h>
#include <ceres/parallel/parallel_for.h>
#include <ceres/parallel/parallel_for_by_cost.h>
#include <ceres/parallel/parallel_invoke.h>
#include <ceres/parallel/parallel_reduce.h>
#include <ceres/parallel/parallel_scan.h>
#include <ceres/parallel/parallel_sum.h>
#include <ceres/parallel/participant.h>
#include <ceres/parallel/promise.h>
#include <ceres/parallel/range_2d.h>
#include <ceres/parallel/status.h>
#include <ceres/parallel/strided_range.h>
#include <ceres/parallel/task_graph.h>
#include <ceres/parallel/task_group.h>
#include <ceres/parallel/task_options.h>
#include <ceres/parallel/this_thread.h>
#include <ceres/parallel/thread_pool.h>
#include <ceres/parallel/trace.h>
#include <ceres/parallel/trace_summary.h>
#include <ceres/parallel/when.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <sstream>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace ceres::parallel;  // NOLINT

int num_failures = 0;

void Check(bool holds, const char* what) {
  if (holds) return;
  ++num_failures;
  std::cerr << "wrong: " << what << "\n";
}

template <typename Index>
bool VisitsEachOnce(ThreadPool& pool, Index begin, Index end) {
  std::vector<int> visits(static_cast<std::size_t>(end - begin), 0);
  ParallelFor(pool, begin, end,
              [&](Index i) { ++visits[static_cast<std::size_t>(i - begin)]; });
  return ParallelSum(pool, visits) == static_cast<int>(visits.size()) &&
         ParallelMax(pool, visits) == 1;
}

void UseLoops(ThreadPool& pool) {
  Check(VisitsEachOnce<short>(pool, -100, 100), "short indices");
  Check(VisitsEachOnce<int>(pool, 0, 10000), "int indices");
  Check(VisitsEachOnce<std::size_t>(pool, 5, 10000), "size_t indices");

  std::vector<int> pieces(static_cast<std::size_t>(pool.MaxConcurrency()), 0);
  ParallelFor(pool, 0, 100, [&](Participant participant, int) {
    ++pieces[static_cast<std::size_t>(participant.index())];
  });
  Check(ParallelSum(pool, pieces) == 100, "Participant");

  std::vector<double> values(1000, 1.0);
  ParallelFor(pool, values, [](double& value) { value += 1.0; });
  ParallelFor(pool, values.begin(), values.end(),
              [](IteratorRange<std::vector<double>::iterator> range) {
                for (double& value : range) value *= 2.0;
              });
  const std::vector<int> starts = {0, 1, 10, 11, 50};
  ParallelForByCost(pool, 0, 4, starts,
                    [&](int i) { values[static_cast<std::size_t>(i)] = 0.0; });
  Check(ParallelSum(pool, values) == 996 * 4.0, "loops over elements");

  LoopOptions options;
  options.schedule = Schedule::kDynamic;
  options.grain = 10;
  options.max_threads = 2;
  std::atomic<std::int64_t> visited{0};
  Future<Status> later = Async(pool, [&] {
    return ParallelFor(
        pool, 0, 1000, [&](IndexRange range) { visited += range.size(); },
        options);
  });
  Check(later.Get() == Status::kCompleted && visited == 1000,
        "a loop in a task");

  ParallelFor(pool, StridedRange(std::size_t{0}, std::size_t{1000}, 2),
              [&](std::size_t i) { values[i] = 0.0; });
  ParallelFor(pool, Range2d(500, 2), [&](int row, int column) {
    if (column == 1) values[static_cast<std::size_t>(2 * row + column)] = 1.0;
  });
  ParallelFor(pool, Range2d(20, 50).Tiled(8, 8),
              [&](IndexRange rows, IndexRange columns) {
                visited += rows.size() * columns.size();
              });
  Check(ParallelSum(pool, values) == 500.0 && visited == 2000, "ranges");
}

void UseReductions(ThreadPool& pool) {
  std::vector<int> numbers(1000);
  ParallelFor(pool, 0, 1000,
              [&](int i) { numbers[static_cast<std::size_t>(i)] = i; });
  LoopOptions options;
  options.grain = 64;
  Check(ParallelReduce(pool, numbers, 0, std::plus<>(), options) == 499500,
        "ParallelReduce");
  Check(ParallelReduce(
            pool, 0, 10, 1.0, [](int i) { return i + 1.0; },
            std::multiplies<>()) == 3628800.0,
        "ParallelReduce with a map");
  Check(
      ParallelMin(pool, numbers, [](int i) { return (i - 7) * (i - 7); }) == 0,
      "ParallelMin");
  std::vector<std::int64_t> sums(1000);
  Check(ParallelInclusiveScan(pool, numbers.begin(), numbers.end(),
                              sums.begin()) == Status::kCompleted &&
            sums.back() == 499500,
        "ParallelInclusiveScan");
}

void UseTasks(ThreadPool& pool) {
  int left = 0;
  int right = 0;
  ParallelInvoke(
      pool, [&] { left = 1; }, [&] { right = 2; });
  Check(left + right == 3, "ParallelInvoke");

  const TaskOptions high{Priority::kHigh, "task"};
  Future<bool> in_pool =
      Async(pool, high, [&pool] { return this_thread::Pool() == &pool; });
  Check(in_pool.Get(), "Async and this_thread");

  Check(Async(pool, [] { return 3; }).Then([](int n) { return n + 1; }).Get() ==
            4,
        "Future::Then");
  Promise<int> promise(pool);
  Future<int> promised = promise.GetFuture();
  promise.SetValue(5);
  Check(promised.Get() == 5 && MakeReadyFuture(pool, 6).Get() == 6, "Promise");
  auto both = WhenAll(Async(pool, [] { return 1; }), Async(pool, [] {})).Get();
  Check(std::get<0>(both).Get() == 1, "WhenAll");
  std::vector<Future<int>> futures;
  futures.push_back(Async(pool, [] { return 2; }));
  Check(WhenAny(std::move(futures)).Get().index == 0, "WhenAny");
  Check(HelpUntil(
            pool, [] { return true; }, std::chrono::seconds(1)),
        "HelpUntil");

  std::atomic<int> count{0};
  TaskGroup group(pool);
  for (int i = 0; i < 10; ++i) group.Run([&count] { ++count; });
  Check(group.Wait() == Status::kCompleted && count == 10, "TaskGroup");

  TaskGraph graph;
  Check(graph.Add([&count] { count = 100; }).Cancel(), "TaskGraph::Task");
  auto first = graph.Add([&count] { count = 0; });
  graph.Add([&count] { count += 5; }).Succeed(first);
  Check(graph.Run(pool) == Status::kCancelled && count == 5, "TaskGraph");

  SerialExecutor serial;
  Check(Async(serial, [] { return 7; }).Get() == 7, "an executor");
}

void UseTokens(ThreadPool& pool) {
  CancellationSource source(std::chrono::hours(1));
  LoopOptions options;
  options.token = source.token();
  source.Cancel();
  Check(ParallelFor(
            pool, 0, 10, [](int) {}, options) == Status::kCancelled,
        "CancellationToken");
}

}  // namespace

int main() {
  Check(AvailableConcurrency() >= 1, "AvailableConcurrency");
  ThreadPoolOptions options;
  options.num_workers = 2;
  options.tasks_block = true;
  ThreadPool pool(options);
  Check(ThreadPool().NumWorkers() >= 1, "ThreadPool");
  Trace trace;
  trace.Start();
  UseLoops(pool);
  UseReductions(pool);
  UseTasks(pool);
  UseTokens(pool);
  trace.Stop();
  std::stringstream json;
  trace.WriteJson(json);
  Check(json.str().size() > 0 && Summarize(trace).tasks > 0, "Trace");
  return num_failures == 0 ? 0 : 1;
}
