// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Tests of the data of a TaskGraph: closures, names, numbers, memory.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_LINUX)
#include <unistd.h>
#endif

#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

int free_calls = 0;
void FreeFunction() { ++free_calls; }

TEST(TaskGraphClosure, AnyCallableRunsAsAnLvalueManyTimes) {
  ThreadPool pool(0);
  TaskGraph graph;
  int sum = 0;
  // Move-only.
  graph.Add([&sum, value = std::make_unique<int>(5)] { sum += *value; });
  // With a state that changes.
  graph.Add([&sum, count = 0]() mutable { sum += 100 * ++count; });
  // With a result.
  graph.Add([&sum] { return sum += 10000; });
  graph.Add(FreeFunction);
  graph.Add(&FreeFunction);
  const std::function<void()> function = [&sum] { sum += 1000000; };
  graph.Add(function);
  free_calls = 0;
  graph.Run(pool);
  graph.Run(pool);
  EXPECT_EQ(sum, 2 * 5 + 100 * (1 + 2) + 2 * 10000 + 2 * 1000000);
  EXPECT_EQ(free_calls, 4);
}

template <std::size_t kAlignment>
struct alignas(kAlignment) Aligned {
  std::uintptr_t* seen;
  void operator()() { *seen = reinterpret_cast<std::uintptr_t>(this); }
};

TEST(TaskGraphClosure, ClosuresAreAligned) {
  ThreadPool pool(0);
  TaskGraph graph;
  std::array<std::uintptr_t, 40> seen;
  for (std::size_t k = 0; k < seen.size(); k += 4) {
    graph.Add(Aligned<8>{&seen[k]});
    graph.Add(Aligned<16>{&seen[k + 1]}, "sixteen");
    graph.Add(Aligned<64>{&seen[k + 2]});
    graph.Add(Aligned<4096>{&seen[k + 3]});
  }
  graph.Run(pool);
  for (std::size_t k = 0; k < seen.size(); k += 4) {
    EXPECT_EQ(seen[k] % 8, 0u);
    EXPECT_EQ(seen[k + 1] % 16, 0u);
    EXPECT_EQ(seen[k + 2] % 64, 0u);
    EXPECT_EQ(seen[k + 3] % 4096, 0u);
  }
}

TEST(TaskGraphClosure, LargeAndSmallClosuresMix) {
  ThreadPool pool(0);
  TaskGraph graph;
  std::vector<TaskGraph::Task> tasks;
  long sum = 0;
  for (int k = 0; k < 50; ++k) {
    tasks.push_back(graph.Add([&sum] { ++sum; }));
    std::array<char, 40000> large;
    large.fill(static_cast<char>(k));
    tasks.push_back(graph.Add([&sum, large] { sum += large[39999] * 100; }));
    std::array<char, 9000> medium;
    medium.fill(1);
    tasks.push_back(graph.Add([&sum, medium] { sum += medium[0] * 1000000; }));
  }
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    EXPECT_EQ(tasks[k].index(), k);
    if (k > 0) tasks[k - 1].Precede(tasks[k]);
  }
  EXPECT_TRUE(graph.FindCycle().empty());
  graph.Run(pool);
  EXPECT_EQ(sum, 50 + 100 * (49 * 50 / 2) + 50 * 1000000);
}

TEST(TaskGraphClosure, ClearAndDestructorDestroyEachClosureOnce) {
  ThreadPool pool(1);
  const auto token = std::make_shared<int>(0);
  {
    TaskGraph graph;
    for (int round = 0; round < 3; ++round) {
      for (int k = 0; k < 1000; ++k) {
        graph.Add([token] {});
        graph.Add([] {});
      }
      EXPECT_EQ(token.use_count(), 1001);
      EXPECT_EQ(graph.Run(pool), Status::kCompleted);
      EXPECT_EQ(token.use_count(), 1001);
      if (round == 2) break;
      graph.Clear();
      EXPECT_EQ(token.use_count(), 1);
      EXPECT_EQ(graph.size(), 0u);
    }
  }
  EXPECT_EQ(token.use_count(), 1);
}

struct ThrowsOnMove {
  explicit ThrowsOnMove(std::shared_ptr<int> p) : token(std::move(p)) {}
  ThrowsOnMove(const ThrowsOnMove& other) : token(other.token) {
    throw std::runtime_error("copy");
  }
  void operator()() const {}
  std::shared_ptr<int> token;
  std::array<char, 50000> large{};
};

TEST(TaskGraphClosure, ClosureThatCannotBeCopiedLeavesTheGraphAsItWas) {
  ThreadPool pool(0);
  TaskGraph graph;
  int calls = 0;
  graph.Add([&] { ++calls; });
  const auto token = std::make_shared<int>(0);
  const ThrowsOnMove closure(token);
  EXPECT_THROW(graph.Add(closure), std::runtime_error);
  EXPECT_EQ(token.use_count(), 2);
  EXPECT_EQ(graph.size(), 1u);
  for (int k = 0; k < 2000; ++k) graph.Add([&] { ++calls; });
  graph.Run(pool);
  EXPECT_EQ(calls, 2001);
}

TEST(TaskGraphClosure, TasksKnowNameAndIndex) {
  TaskGraph graph;
  EXPECT_EQ(graph.Add([] {}).name(), nullptr);
  EXPECT_STREQ(graph.Add([] {}, "second").name(), "second");
  EXPECT_EQ(graph.Add([] {}, nullptr).name(), nullptr);
  std::vector<TaskGraph::Task> tasks;
  for (std::size_t k = 3; k < 3000; ++k) {
    const auto task = k % 3 == 0 ? graph.Add([] {}, "third") : graph.Add([] {});
    EXPECT_EQ(task.index(), k);
    tasks.push_back(task);
  }
  EXPECT_EQ(tasks.front().index(), 3u);
  EXPECT_STREQ(tasks.front().name(), "third");
  EXPECT_TRUE(tasks[0] == tasks[0]);
  EXPECT_TRUE(tasks[0] != tasks[1]);
  EXPECT_FALSE(TaskGraph::Task());
  EXPECT_TRUE(tasks[0]);
}

TEST(TaskGraphClosure, LinksToNothingOrToOtherGraphsAreErrors) {
  TaskGraph graph;
  TaskGraph other;
  const auto task = graph.Add([] {});
  EXPECT_THROW(task.Precede(TaskGraph::Task()), std::invalid_argument);
  EXPECT_THROW(TaskGraph::Task().Precede(task), std::invalid_argument);
  EXPECT_THROW(task.Succeed(other.Add([] {})), std::invalid_argument);
  ThreadPool pool(0);
  EXPECT_EQ(graph.Run(pool), Status::kCompleted);
}

// The promise: at most 64 bytes a node beyond its closure, and 8 bytes for
// edges beyond the second.
static_assert(sizeof(detail::GraphNode) <= 64);
static_assert(detail::GraphClosure<void (*)(), false>::kSize == 64 ||
              sizeof(void*) != 8);

#if defined(CERES_SYSTEM_LINUX) && defined(NDEBUG) && \
    !defined(__SANITIZE_ADDRESS__)
double ResidentBytes() {
  long pages = 0;
  long resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  const int fields = std::fscanf(file, "%ld %ld", &pages, &resident);
  std::fclose(file);
  return fields == 2 ? static_cast<double>(resident) * sysconf(_SC_PAGESIZE)
                     : 0.0;
}

class TaskGraphMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kThreadSanitizer) return;
    GTEST_SKIP() << "ThreadSanitizer's shadow memory counts as resident.";
  }
  // The bytes of each of n parts that the test has made so far.
  double BytesOfEach(int n) const {
    const double bytes = (ResidentBytes() - before_) / n;
    RecordProperty("bytes", std::to_string(bytes));
    return bytes;
  }

 private:
  const double before_ = ResidentBytes();
};

TEST_F(TaskGraphMemory, TenMillionNodesTakeTheMemoryPromised) {
  constexpr int kNodes = 10'000'000;
  ThreadPool pool(1);
  TaskGraph graph;
  long calls = 0;
  // Two chains from one node, so that all but three nodes have one predecessor;
  // a second edge for each node leads to the node after the next in its chain.
  std::array<TaskGraph::Task, 4> last;
  for (int k = 0; k < kNodes; ++k) {
    const auto task = graph.Add([&calls] { ++calls; });
    if (k > 0) last[(k + 3) % 4].Precede(task);
    if (k > 1) last[(k + 2) % 4].Precede(task);
    last[k % 4] = task;
  }
  EXPECT_EQ(graph.size(), static_cast<std::size_t>(kNodes));
  EXPECT_EQ(graph.Run(pool), Status::kCompleted);
  EXPECT_EQ(calls, kNodes);
  EXPECT_LE(BytesOfEach(kNodes), 64 + sizeof(void*));
}

TEST_F(TaskGraphMemory, FourSuccessorsTakeTheMemoryPromised) {
  constexpr int kNodes = 500'000;
  TaskGraph graph;
  std::array<TaskGraph::Task, 4> last;
  for (int k = 0; k < kNodes; ++k) {
    const auto task = graph.Add([] {});
    for (int j = 0; j < std::min(k, 4); ++j) last[j].Precede(task);
    last[k % 4] = task;
  }
  // The closure has no members, and takes 8 bytes.
  EXPECT_LE(BytesOfEach(kNodes), 1.05 * (56 + 8 + 96));
}

TEST_F(TaskGraphMemory, EachOfManyEdgesTakesAtMostTenBytes) {
  constexpr int kSide = 2000;
  TaskGraph graph;
  std::vector<TaskGraph::Task> tasks;
  for (int k = 0; k < 2 * kSide; ++k) tasks.push_back(graph.Add([] {}));
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) tasks[i].Precede(tasks[kSide + j]);
  }
  EXPECT_LE(BytesOfEach(kSide * kSide), 10.0);
}
#endif

}  // namespace
}  // namespace ceres::parallel
