// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A thread that waits runs a task only if it waits for that task, directly or
// through other waits. So it may hold a lock across the wait that is also taken
// by tasks for which no thread waits, whichever thread started them.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

// A mutex that reports what would hang: the thread that holds it locks it
// again, or nobody unlocks it.
class CheckedLock {
 public:
  template <typename F>
  void Hold(const F& f) {
    const std::thread::id me = std::this_thread::get_id();
    if (owner_ == me) {
      ADD_FAILURE() << "the thread that holds the lock takes it again";
      return;
    }
    if (!Eventually([&] {
          std::thread::id nobody;
          return owner_.compare_exchange_strong(nobody, me);
        })) {
      ADD_FAILURE() << "nobody gives the lock back";
      return;
    }
    f();
    owner_ = std::thread::id();
  }

 private:
  std::atomic<std::thread::id> owner_{std::thread::id()};
};

// Gives other threads the time to run what they must not.
void Linger() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

using Work = std::function<void()>;
constexpr auto kShort = std::chrono::microseconds(50);

template <typename WaitForEnd>
void RunGroup(ThreadPool& pool, const Work& work, const Work& before_wait,
              const WaitForEnd& wait) {
  TaskGroup group(pool);
  for (int k = 0; k < 3; ++k) group.Run(work);
  before_wait();
  wait(group);
}

void AddWork(TaskGraph* graph, const Work& work) {
  TaskGraph::Task first = graph->Add(work);
  graph->Add(work).Succeed(first);
  graph->Add(work);
}

struct Wait {
  const char* name;
  // Starts work, several times at once if the kind of wait allows it, and waits
  // for its end. Calls before_wait when it has given tasks to the pool.
  void (*run)(ThreadPool& pool, const Work& work, const Work& before_wait);
};
const Wait kAllWaits[] = {
    {"Loop",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       before_wait();
       ParallelFor(pool, 0, 3, [&](int) { work(); },
                   {0, 1, Schedule::kDynamic});
     }},
    {"Reduction",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       const auto run = [&](int) {
         work();
         return 1;
       };
       before_wait();
       EXPECT_EQ(ParallelReduce(pool, 0, 3, 0, run, std::plus<int>(), {0, 1}),
                 3);
     }},
    {"Fork",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       before_wait();
       ParallelInvoke(pool, work, work, work);
     }},
    {"Group",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       RunGroup(pool, work, before_wait, [](auto& group) { group.Wait(); });
     }},
    {"GroupWithDeadlines",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       RunGroup(pool, work, before_wait, [](auto& group) {
         while (!group.WaitFor(kShort)) {
         }
       });
     }},
    {"GroupsDestructor",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       RunGroup(pool, work, before_wait, [](auto&) {});
     }},
    {"Future",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       Future<void> future = Async(pool, work);
       before_wait();
       future.Get();
     }},
    {"FutureWithDeadlines",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       Future<void> future = Async(pool, work);
       before_wait();
       while (!future.WaitFor(kShort)) {
       }
     }},
    {"GraphRun",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       TaskGraph graph;
       AddWork(&graph, work);
       before_wait();
       graph.Run(pool);
     }},
    {"GraphWait",
     [](ThreadPool& pool, const Work& work, const Work& before_wait) {
       TaskGraph graph;
       AddWork(&graph, work);
       graph.Submit(pool);
       before_wait();
       graph.Wait();
     }},
};

void RunAndWait(
    ThreadPool& pool, const Wait& wait, const Work& work,
    const Work& before_wait = [] {}) {
  wait.run(pool, work, before_wait);
}

// Work of every kind that nobody waits for until Finish.
class WorkNobodyAwaits {
 public:
  explicit WorkNobodyAwaits(ThreadPool& pool) : pool_(pool), group_(pool) {}
  ~WorkNobodyAwaits() { Finish(); }
  WorkNobodyAwaits(const WorkNobodyAwaits&) = delete;
  WorkNobodyAwaits& operator=(const WorkNobodyAwaits&) = delete;

  void Start(const Work& f) {
    const Work counted = [this, f] {
      f();
      num_ran_.fetch_add(1);
    };
    Detach(pool_, counted);
    Detach(pool_, [this, counted] {
      ParallelFor(pool_, 0, 2, [&](int) { counted(); },
                  {0, 1, Schedule::kDynamic});
    });
    Detach(pool_, [this, counted] { Async(pool_, counted).Get(); });
    { const Future<void> dropped = Async(pool_, counted); }
    group_.Run(counted);
    auto graph = std::make_unique<TaskGraph>();
    graph->Add(counted);
    graph->Submit(pool_);
    num_started_.fetch_add(8);
    const std::lock_guard<std::mutex> lock(mutex_);
    graphs_.push_back(std::move(graph));
    futures_.push_back(Async(pool_, counted));
  }

  void Finish() {
    for (Future<void>& future : futures_) future.Get();
    futures_.clear();
    for (const auto& graph : graphs_) graph->Wait();
    graphs_.clear();
    group_.Wait();
    pool_.WaitForAll();
    EXPECT_EQ(num_ran_, num_started_);
  }

 private:
  ThreadPool& pool_;
  TaskGroup group_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TaskGraph>> graphs_;
  std::vector<Future<void>> futures_;
  std::atomic<int> num_ran_{0};
  std::atomic<int> num_started_{0};
};

using WaitsAndWorkers = std::tuple<Wait, Wait, int>;

class NestedWaits : public ::testing::TestWithParam<WaitsAndWorkers> {
 protected:
  const Wait& outer() const { return std::get<0>(GetParam()); }
  const Wait& inner() const { return std::get<1>(GetParam()); }
  int num_workers() const { return std::get<2>(GetParam()); }
};

std::string NestedWaitsName(
    const ::testing::TestParamInfo<WaitsAndWorkers>& info) {
  const auto& [outer, inner, num_workers] = info.param;
  return std::string(inner.name) + "In" + outer.name +
         std::to_string(num_workers) + "Workers";
}

INSTANTIATE_TEST_SUITE_P(Kinds, NestedWaits,
                         ::testing::Combine(::testing::ValuesIn(kAllWaits),
                                            ::testing::ValuesIn(kAllWaits),
                                            ::testing::Values(0, 1, 3)),
                         NestedWaitsName);

TEST_P(NestedWaits, MayHoldLocksThatWorkNobodyAwaitsTakes) {
  const auto pool = MakeEagerPool(num_workers());
  WorkNobodyAwaits others(*pool);
  CheckedLock outer_lock;
  CheckedLock inner_lock;
  std::atomic<int> num_ended{0};
  outer_lock.Hold([&] {
    RunAndWait(*pool, outer(), [&] {
      others.Start([&] { outer_lock.Hold(Linger); });
      inner_lock.Hold([&] {
        RunAndWait(*pool, inner(), [&] {
          others.Start([&] {
            outer_lock.Hold([] {});
            inner_lock.Hold([] {});
          });
          Linger();
        });
      });
      num_ended.fetch_add(1);
    });
  });
  EXPECT_GE(num_ended, 1);
  others.Finish();
}

// The wait is not for tasks that the pool got before it, either.
TEST_P(NestedWaits, MayHoldLocksThatWorkNobodyAwaitsYetTakes) {
  const auto pool = MakeEagerPool(num_workers());
  WorkNobodyAwaits others(*pool);
  CheckedLock lock;
  std::atomic<int> num_ended{0};
  RunAndWait(*pool, outer(), [&] {
    lock.Hold([&] {
      RunAndWait(
          *pool, inner(), [&] { Linger(); },
          [&] { others.Start([&] { lock.Hold([] {}); }); });
    });
    num_ended.fetch_add(1);
  });
  EXPECT_GE(num_ended, 1);
  others.Finish();
}

TEST(Waits, InsideHelpUntilAndWaitForAllMayHoldLocks) {
  const auto run = [](int num_workers, const Wait& wait, bool helps) {
    const auto pool = MakeEagerPool(num_workers);
    WorkNobodyAwaits others(*pool);
    CheckedLock lock;
    std::atomic<int> num_ended{0};
    for (int k = 0; k < 3; ++k) {
      Detach(*pool, [&] {
        lock.Hold([&] {
          RunAndWait(*pool, wait, [&] {
            others.Start([&] { lock.Hold([] {}); });
            Linger();
          });
        });
        num_ended.fetch_add(1);
      });
    }
    if (helps) HelpUntil(*pool, [&] { return num_ended == 3; });
    if (!helps) pool->WaitForAll();
    EXPECT_EQ(num_ended, 3);
    others.Finish();
  };
  for (const int num_workers : {0, 1, 3}) {
    for (const Wait& wait : kAllWaits) {
      SCOPED_TRACE(wait.name);
      run(num_workers, wait, /*helps=*/true);
      run(num_workers, wait, /*helps=*/false);
    }
  }
}

// WaitForAll waits for tasks, not for the loop of a thread outside.
TEST(WaitForAll, MayHoldALockThatTheLoopOfAnotherThreadTakes) {
  const auto pool = MakeEagerPool(1);
  CheckedLock lock;
  std::atomic<bool> may_begin{false};
  std::atomic<bool> may_end{false};
  Detach(*pool,
         [&] { EXPECT_TRUE(Eventually([&] { return may_end.load(); })); });
  std::thread other([&] {
    EXPECT_TRUE(Eventually([&] { return may_begin.load(); }));
    ParallelFor(*pool, 0, 8,
                [&](int i) {
                  if (i > 0) lock.Hold([] {});
                  if (i > 0) return;
                  Linger();
                  may_end = true;
                },
                {0, 1, Schedule::kDynamic});
  });
  lock.Hold([&] {
    may_begin = true;
    pool->WaitForAll();
  });
  other.join();
}

// A task of the group waits for a subtask, which detaches a task that calls
// `wait` and then logs. A wait for the subtask is no wait for the detached
// task.
void ExpectDetachedTaskCanWait(ThreadPool& pool, TaskGroup& group,
                               const Work& wait) {
  std::atomic<bool> has_begun{false};
  std::atomic<bool> has_logged{false};
  group.Run([&] {
    TaskGroup nested(pool);
    nested.Run([&] {
      Detach(pool, [&] {
        EXPECT_NO_THROW(wait());
        has_logged = true;
      });
      has_begun = true;
      Linger();
    });
    // So that the subtask runs elsewhere, if another thread is free.
    for (int k = 0; k < 5 && !has_begun; ++k) Linger();
    nested.Wait();
  });
  group.Wait();
  pool.WaitForAll();
  EXPECT_TRUE(has_logged);
}

TEST(DetachedTask, MayWaitForTheGroupWithinWhichItWasDetached) {
  for (int round = 0; round < 10; ++round) {
    const auto pool = MakeEagerPool(1);
    TaskGroup group(*pool);
    ExpectDetachedTaskCanWait(*pool, group, [&] { group.Wait(); });
  }
}

// It waits for a group of another thread, a task of which waits for the group.
TEST(DetachedTask, MayWaitForThatGroupThroughOneOfAnotherThread) {
  for (int round = 0; round < 10; ++round) {
    const auto pool = MakeEagerPool(1);
    TaskGroup group(*pool);
    ThreadPool no_workers(0);
    TaskGroup other_group(no_workers);
    std::atomic<bool> is_given{false};
    std::thread other([&] {
      other_group.Run([&] {
        EXPECT_TRUE(Eventually([&] { return is_given.load(); }));
        EXPECT_NO_THROW(group.Wait());
      });
      other_group.Wait();
    });
    group.Run([&] { is_given = true; });
    ExpectDetachedTaskCanWait(*pool, group, [&] { other_group.Wait(); });
    other.join();
  }
}

}  // namespace
}  // namespace ceres::parallel
