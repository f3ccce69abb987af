// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A wait returns when what is waited for is done, whatever else the pool does:
// here its workers are held by tasks of others, and more of them are queued.

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

thread_local bool is_waiting_here = false;

// While it exists, the calling thread is one that waits for its own tasks.
class WaitingHere {
 public:
  WaitingHere() { is_waiting_here = true; }
  ~WaitingHere() { is_waiting_here = false; }
  WaitingHere(const WaitingHere&) = delete;
  WaitingHere& operator=(const WaitingHere&) = delete;
};

// Work of every kind that nobody waits for until Finish.
class UnrelatedWork {
 public:
  explicit UnrelatedWork(ThreadPool& pool) : pool_(pool), group_(pool) {}
  ~UnrelatedWork() { Finish(); }
  UnrelatedWork(const UnrelatedWork&) = delete;
  UnrelatedWork& operator=(const UnrelatedWork&) = delete;

  // Keeps that number of workers at a task until Finish.
  void Hold(int num_workers) {
    for (int k = 0; k < num_workers; ++k) {
      Detach(pool_, [this] {
        num_held_.fetch_add(1);
        WaitForTheEnd();
      });
    }
    ASSERT_TRUE(Eventually([&] { return num_held_ == num_workers; }));
  }

  // Behind those: tasks, and a loop that waits for help.
  void Queue() {
    for (int k = 0; k < kTasks; ++k) {
      Detach(pool_, [this] { Note(); });
      Detach(pool_, TaskOptions{Priority::kHigh}, [this] { Note(); });
      futures_.push_back(Async(pool_, [this] { Note(); }));
      group_.Run([this] { Note(); });
      graph_.Add([this] { Note(); });
    }
    graph_.Submit(pool_);
    owner_of_loop_ = std::thread([this] {
      ParallelFor(pool_, 0, kTasks,
                  [this](int i) {
                    Note();
                    if (i > 0) return;
                    is_in_loop_ = true;
                    WaitForTheEnd();
                  },
                  {0, 1, Schedule::kDynamic});
    });
    ASSERT_TRUE(Eventually([this] { return is_in_loop_.load(); }));
  }

  int num_ran() const { return num_ran_; }
  bool HasRunWhereSomebodyWaits() const { return has_run_in_waiter_; }

  void Finish() {
    if (may_end_.exchange(true)) return;
    group_.Wait();
    if (owner_of_loop_.joinable()) {
      graph_.Wait();
      owner_of_loop_.join();
    }
    pool_.WaitForAll();
  }

  static constexpr int kTasks = 10;
  // All that Queue starts, the index of the loop that is held included.
  static constexpr int kNumQueued = 6 * kTasks;

 private:
  void WaitForTheEnd() const {
    while (!may_end_) std::this_thread::yield();
  }
  void Note() {
    if (is_waiting_here) has_run_in_waiter_ = true;
    num_ran_.fetch_add(1);
  }

  ThreadPool& pool_;
  TaskGroup group_;
  TaskGraph graph_;
  std::vector<Future<void>> futures_;
  std::thread owner_of_loop_;
  std::atomic<int> num_held_{0};
  std::atomic<bool> is_in_loop_{false};
  std::atomic<bool> may_end_{false};
  std::atomic<int> num_ran_{0};
  std::atomic<bool> has_run_in_waiter_{false};
};

// Runs tasks of its own in every way, and waits for them. Nobody else is free
// to run any.
void RunOwnTasks(ThreadPool& pool) {
  constexpr int kTasks = 50;
  const auto waiter = std::this_thread::get_id();
  int calls = 0;
  const auto note = [&] {
    EXPECT_EQ(std::this_thread::get_id(), waiter);
    ++calls;
  };
  const WaitingHere here;
  TaskGroup group(pool);
  for (int k = 0; k < kTasks; ++k) {
    group.Run([&] {
      TaskGroup inner(pool);
      inner.Run(note);
      EXPECT_EQ(inner.Wait(), Status::kCompleted);
    });
  }
  EXPECT_EQ(group.Wait(), Status::kCompleted);
  EXPECT_EQ(calls, kTasks);

  TaskGraph graph;
  TaskGraph::Task last = graph.Add(note);
  for (int k = 1; k < kTasks; ++k) {
    const TaskGraph::Task next = graph.Add(note);
    if (k % 5 == 0) next.Succeed(last);
    last = next;
  }
  graph.Submit(pool);
  EXPECT_EQ(graph.Wait(), Status::kCompleted);
  EXPECT_EQ(calls, 2 * kTasks);
  EXPECT_EQ(graph.Run(pool), Status::kCompleted);
  EXPECT_EQ(calls, 3 * kTasks);

  for (int k = 0; k < kTasks; ++k) Async(pool, note).Get();
  EXPECT_EQ(calls, 4 * kTasks);
}

// The loop's owner has run one index before it is held.
void ExpectNobodyHasRunAny(const UnrelatedWork& unrelated) {
  EXPECT_LE(unrelated.num_ran(), 1);
  EXPECT_FALSE(unrelated.HasRunWhereSomebodyWaits());
}

class UnrelatedWorkOnEveryPool : public ForEachPool {
 protected:
  void TearDown() override {
    unrelated_.Finish();
    EXPECT_EQ(unrelated_.num_ran(), UnrelatedWork::kNumQueued);
  }
  UnrelatedWork unrelated_{pool()};
};

// Only an eager pool lets more workers run than there are cpus.
INSTANTIATE_TEST_SUITE_P(
    Pools, UnrelatedWorkOnEveryPool,
    ::testing::Values(PoolKind{0, true}, PoolKind{0, false}, PoolKind{1, true},
                      PoolKind{1, false}, PoolKind{2, true}, PoolKind{4, true},
                      PoolKind{8, true}),
    PoolName);

TEST_P(UnrelatedWorkOnEveryPool, IsNotRunByAThreadThatWaits) {
  unrelated_.Hold(num_workers());
  unrelated_.Queue();
  RunOwnTasks(pool());
  ExpectNobodyHasRunAny(unrelated_);
}

TEST_P(UnrelatedWorkOnEveryPool, IsNotRunByATaskThatWaitsInAThreadThatWaits) {
  unrelated_.Hold(num_workers());
  unrelated_.Queue();
  Async(pool(), [this] { RunOwnTasks(pool()); }).Get();
  TaskGroup group(pool());
  group.Run([this] { RunOwnTasks(pool()); });
  group.Wait();
  ExpectNobodyHasRunAny(unrelated_);
}

class UnrelatedWorkBesideWorkers : public UnrelatedWorkOnEveryPool {};
INSTANTIATE_TEST_SUITE_P(Pools, UnrelatedWorkBesideWorkers,
                         ::testing::Values(PoolKind{1, true},
                                           PoolKind{1, false},
                                           PoolKind{2, true}, PoolKind{4, true},
                                           PoolKind{8, true}),
                         PoolName);

TEST_P(UnrelatedWorkBesideWorkers, IsNotRunByAWorkersTaskThatWaits) {
  unrelated_.Hold(num_workers() - 1);
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_go_on{false};
  std::atomic<bool> has_ended{false};
  std::atomic<int> num_ran_before_end{-1};
  Detach(pool(), [&] {
    has_begun = true;
    EXPECT_TRUE(Eventually([&] { return may_go_on.load(); }));
    RunOwnTasks(pool());
    num_ran_before_end = unrelated_.num_ran();
    has_ended = true;
  });
  ASSERT_TRUE(Eventually([&] { return has_begun.load(); }));
  unrelated_.Queue();
  may_go_on = true;
  ASSERT_TRUE(Eventually([&] { return has_ended.load(); }));
  EXPECT_LE(num_ran_before_end, 1);
  EXPECT_FALSE(unrelated_.HasRunWhereSomebodyWaits());
}

// The task that is waited for is at work in the last worker, so that the thread
// that waits has nothing to do and falls asleep.
class SleepBesideUnrelatedWork : public UnrelatedWorkOnEveryPool {
 protected:
  // `start_and_wait` starts the task that it is given, calls the function that
  // it is given second, and waits for the task.
  void ExpectSleep(
      const std::function<void(const std::function<void()>& task,
                               const std::function<void()>& queue_others)>&
          start_and_wait) {
    unrelated_.Hold(num_workers() - 1);
    std::atomic<bool> has_begun{false};
    std::atomic<bool> may_end{false};
    std::atomic<bool> has_slept{false};
    std::thread observer;
    const WaitingHere here;
    start_and_wait(
        [&] {
          has_begun = true;
          EXPECT_TRUE(Eventually([&] { return may_end.load(); }));
        },
        [&] {
          EXPECT_TRUE(Eventually([&] { return has_begun.load(); }));
          unrelated_.Queue();
          observer = std::thread([&] {
            has_slept = Eventually([&] {
              const std::string state = pool().state().DebugString();
              return state.find("sleeping owners 1") != std::string::npos;
            });
            may_end = true;
          });
        });
    EXPECT_FALSE(unrelated_.HasRunWhereSomebodyWaits());
    observer.join();
    EXPECT_TRUE(has_slept);
  }
};
INSTANTIATE_TEST_SUITE_P(Pools, SleepBesideUnrelatedWork,
                         ::testing::Values(PoolKind{1, true},
                                           PoolKind{1, false},
                                           PoolKind{2, true}, PoolKind{4, true},
                                           PoolKind{8, true}),
                         PoolName);

TEST_P(SleepBesideUnrelatedWork, EndsWithTheGroup) {
  ExpectSleep([this](const auto& task, const auto& queue_others) {
    TaskGroup group(pool());
    group.Run(task);
    queue_others();
    EXPECT_EQ(group.Wait(), Status::kCompleted);
  });
}

TEST_P(SleepBesideUnrelatedWork, EndsWithTheGraph) {
  ExpectSleep([this](const auto& task, const auto& queue_others) {
    TaskGraph graph;
    graph.Add(task);
    graph.Submit(pool());
    queue_others();
    EXPECT_EQ(graph.Wait(), Status::kCompleted);
  });
}

TEST_P(SleepBesideUnrelatedWork, EndsWithTheFuture) {
  ExpectSleep([this](const auto& task, const auto& queue_others) {
    Future<void> future = Async(pool(), task);
    queue_others();
    future.Get();
  });
}

}  // namespace
}  // namespace ceres::parallel
