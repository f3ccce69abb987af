// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Walks through every allocation of small programs: in run n the n-th one
// fails, in whatever thread, and then also all that follow. A call that needs
// memory throws std::bad_alloc and changes nothing. Destructors, waits, cancels
// and the ends of threads need none: otherwise std::terminate ends the test, or
// it hangs.

#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/base/testing/failing_allocations.h"
#include "ceres/parallel/parallel.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

using testing_internal::FailingAllocation;

// What tasks hold. Each must be destroyed.
std::atomic<int> num_tokens{0};
struct Token {
  Token() { ++num_tokens; }
  Token(const Token&) { ++num_tokens; }
  Token& operator=(const Token&) = default;
  ~Token() { --num_tokens; }
};
// Too large for a node.
struct LargeToken : Token {
  char bytes[200] = {};
};

struct EagerPool {
  explicit EagerPool(int workers) : pool(workers) {
    pool.SetSharing(Sharing::kAlways);
    pool.SetRunningLimit(8);
  }
  ThreadPool pool;
};

// --- The programs. What they return must hold. ---

bool MakePools(int workers) {
  const EagerPool first(workers);
  EagerPool second(0);
  second.pool.Resize(workers);
  second.pool.Resize(workers / 2);
  second.pool.EnsureMinimumWorkers(workers);
  return true;
}

bool UseFutures(int workers) {
  EagerPool eager(workers);
  std::atomic<int> runs{0};
  Future<int> a =
      Async(eager.pool, [token = Token(), &runs] { return ++runs; });
  Future<int> b =
      Async(eager.pool, [token = LargeToken(), &runs] { return ++runs; });
  const Future<void> dropped = Async(eager.pool, [token = Token()] {});
  Future<int> sum =
      std::move(a).Then([token = LargeToken()](int x) { return 10 * x; });
  const int total = sum.Get() + b.Get();
  return runs == 2 && (total == 12 || total == 21);
}

bool UsePromises(int workers) {
  EagerPool eager(workers);
  Promise<Token> promise(eager.pool);
  Future<int> next = promise.GetFuture().Then(
      [token = LargeToken()](const Token&) { return 1; });
  Promise<LargeToken> large(eager.pool);
  Future<LargeToken> result = large.GetFuture();
  Future<Token> ready = MakeReadyFuture(eager.pool, Token());
  { Promise<Token> broken(eager.pool); }
  promise.SetValue();
  large.SetValue();
  result.Wait();
  ready.Get();
  return next.Get() == 1;
}

bool UseWhenAllAndAny(int workers) {
  EagerPool eager(workers);
  const auto make = [&eager](int n) {
    std::vector<Future<Token>> futures;
    futures.reserve(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k) {
      futures.push_back(Async(eager.pool, [] { return Token(); }));
    }
    return futures;
  };
  std::vector<Future<Token>> kept = make(3);
  try {
    const auto all = WhenAll(std::move(kept));
  } catch (const std::bad_alloc&) {
    for (const Future<Token>& future : kept) {
      if (!future.IsValid()) return false;
    }
    throw;
  }
  auto any = WhenAny(make(3));
  auto both = WhenAll(WhenAll(make(2)),
                      Async(eager.pool, [token = Token()] { return 1; }));
  auto cancelled = WhenAll(make(2));
  cancelled.Cancel();
  both.Wait();
  return any.WaitFor(std::chrono::hours(1));
}

// Cancels, waits and ends in threads that have not used the pool.
bool UseFuturesInThreads(int workers) {
  EagerPool eager(workers);
  std::atomic<int> runs{0};
  std::vector<Future<int>> futures;
  futures.reserve(6);
  for (int k = 0; k < 6; ++k) {
    futures.push_back(
        Async(eager.pool, [token = Token(), &runs] { return ++runs; }));
  }
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  threads.reserve(6);
  try {
    for (int k = 0; k < 6; ++k) {
      threads.emplace_back(
          [&ended, k, future = std::move(futures[k])]() mutable {
            bool cancelled = k % 2 == 0 && future.Cancel();
            if (!cancelled) future.Wait();
            future = {};
            ++ended;
          });
    }
  } catch (...) {
    for (std::thread& thread : threads) thread.join();
    throw;
  }
  for (std::thread& thread : threads) thread.join();
  return ended == 6;
}

// More than ever before, so that the store of nodes has to grow.
bool UseMoreNodes(int workers) {
  static int num_futures = 0;
  num_futures += 150;
  EagerPool eager(workers);
  std::atomic<int> runs{0};
  std::vector<Future<void>> futures;
  futures.reserve(static_cast<std::size_t>(num_futures));
  TaskGroup group(eager.pool);
  for (int k = 0; k < num_futures; ++k) {
    futures.push_back(Async(eager.pool, [token = Token(), &runs] { ++runs; }));
    group.Run([token = Token(), &runs] { ++runs; });
  }
  for (const Future<void>& future : futures) future.Wait();
  return group.Wait() == Status::kCompleted && runs == 2 * num_futures;
}

bool UseGroups(int workers) {
  EagerPool eager(workers);
  std::atomic<int> runs{0};
  {
    TaskGroup group(eager.pool);
    for (int k = 0; k < 4; ++k) {
      group.Run([token = Token(), &runs] { ++runs; });
      group.Run([token = LargeToken(), &runs] { ++runs; });
    }
    if (group.Wait() != Status::kCompleted) return false;
    for (int k = 0; k < 4; ++k) group.Run([token = Token()] {});
    group.Cancel();
  }
  return runs == 8;
}

bool UseGraphs(int workers) {
  EagerPool eager(workers);
  std::atomic<int> runs{0};
  TaskGraph graph;
  std::vector<TaskGraph::Task> tasks;
  for (int k = 0; k < 12; ++k) {
    tasks.push_back(graph.Add([token = LargeToken(), &runs] { ++runs; }));
    for (int j = k % 3; j < k; j += 2) tasks[j].Precede(tasks[k]);
  }
  const Status first = graph.Run(eager.pool);
  const Status second = graph.Run(eager.pool);
  return first == Status::kCompleted && second == Status::kCompleted &&
         runs == 24;
}

bool UseLoops(int workers) {
  EagerPool eager(workers);
  ThreadPool& pool = eager.pool;
  std::atomic<int> runs{0};
  ParallelFor(pool, 0, 8, [&](int) {
    ParallelFor(pool, 0, 4, [&](int) { ++runs; });
    ParallelInvoke(
        pool, [&] { ++runs; }, [&] { ++runs; });
  });
  const std::vector<int> values(1000, 1);
  const long sum = ParallelSum(pool, values);
  const auto vectors = ParallelReduce(
      pool, 0, 1000, std::vector<int>(),
      [](int) { return std::vector<int>(1, 1); },
      [](std::vector<int> a, const std::vector<int>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
      });
  return runs == 48 && sum == 1000 && vectors.size() == 1000;
}

bool UseLoopsInTasks(int workers) {
  EagerPool eager(workers);
  std::atomic<int> runs{0};
  Future<Status> loop = Async(eager.pool, [&eager, token = Token(), &runs] {
    return ParallelFor(eager.pool, 0, 100, [&](int) { ++runs; });
  });
  return loop.Get() == Status::kCompleted && runs == 100;
}

bool DetachTasks(int workers) {
  EagerPool eager(workers);
  std::atomic<int> runs{0};
  int started = 0;
  const auto detach = [&] {
    Detach(eager.pool, [token = LargeToken(), &runs] { ++runs; });
    ++started;
  };
  detach();
  detach();
  HelpUntil(eager.pool, [&] { return runs == 2; });
  detach();
  eager.pool.WaitForAll();
  detach();
  return runs >= 3 && runs <= started;
}

// Made before an allocation fails.
QueueHost& TestHost() {
  static QueueHost host(std::chrono::microseconds(0));
  return host;
}

bool UseAnExecutor(int) {
  QueueHost& host = TestHost();
  std::atomic<int> runs{0};
  TaskGroup group(host);
  group.Run([token = Token(), &runs] { ++runs; });
  Future<int> future =
      Async(host, [token = LargeToken(), &runs] { return ++runs; });
  Future<int> next = std::move(future).Then([](int x) { return x; });
  ParallelFor(host, 0, 10, [&runs](int) { ++runs; });
  SerialExecutor serial;
  Detach(serial, [token = Token(), &runs] { ++runs; });
  {
    const Future<int> dropped = Async(serial, [&runs] { return ++runs; });
  }
  next.Wait();
  return group.Wait() == Status::kCompleted && runs == 14;
}

struct Program {
  const char* name;
  bool (*run)(int workers);
};
constexpr Program kPrograms[] = {
    {"MakePools", &MakePools},
    {"UseFutures", &UseFutures},
    {"UsePromises", &UsePromises},
    {"UseWhenAllAndAny", &UseWhenAllAndAny},
    {"UseFuturesInThreads", &UseFuturesInThreads},
    {"UseMoreNodes", &UseMoreNodes},
    {"UseGroups", &UseGroups},
    {"UseGraphs", &UseGraphs},
    {"UseLoops", &UseLoops},
    {"UseLoopsInTasks", &UseLoopsInTasks},
    {"DetachTasks", &DetachTasks},
    {"UseAnExecutor", &UseAnExecutor},
};

class LittleMemory : public ::testing::TestWithParam<Program> {};
INSTANTIATE_TEST_SUITE_P(Programs, LittleMemory, ::testing::ValuesIn(kPrograms),
                         [](const ::testing::TestParamInfo<Program>& info)
                             -> std::string { return info.param.name; });

TEST_P(LittleMemory, EachFailingAllocationIsAnExceptionOrChangesNothing) {
  constexpr int kMostAllocations = 2000;
  TestHost();
  for (const bool and_later : {false, true}) {
    for (const int workers : {0, 2}) {
      int n = 0;
      bool has_failed = true;
      while (has_failed && ++n < kMostAllocations) {
        bool holds = true;
        {
          const FailingAllocation failing(n, and_later);
          try {
            holds = GetParam().run(workers);
          } catch (const std::bad_alloc&) {
          } catch (const std::system_error&) {
            // std::thread.
          }
          has_failed = failing.HasFailed();
        }
        ASSERT_TRUE(holds) << "allocation " << n << ", workers " << workers;
        ASSERT_EQ(num_tokens, 0) << "allocation " << n;
      }
      ASSERT_LT(n, kMostAllocations);
    }
  }
}

TEST_P(LittleMemory, ProgramsLeaveNothing) {
  if (GetParam().run == &UseMoreNodes) {
    GTEST_SKIP() << "The store of nodes keeps what this program makes.";
  }
  const auto live_after_run = [this] {
    EXPECT_TRUE(GetParam().run(2));
    return testing_internal::num_live_allocations.load();
  };
  // Nodes, queues and workers' stacks are kept for the next run.
  for (int k = 0; k < 5; ++k) live_after_run();
  const std::int64_t before = live_after_run();
  for (int k = 0; k < 50; ++k) live_after_run();
  EXPECT_LT(live_after_run(), before + 50);
}

}  // namespace
}  // namespace ceres::parallel
