// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// How processes that use the runtime end. The argument says how this one does;
// it returns 0 if all went well. (A program of its own, because this is about
// static objects before and after main.)

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#endif

namespace {

using ceres::parallel::Async;
using ceres::parallel::Detach;
using ceres::parallel::Future;
using ceres::parallel::ParallelFor;
using ceres::parallel::TaskGraph;
using ceres::parallel::TaskGroup;
using ceres::parallel::ThreadPool;

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
constexpr bool kThreadSanitizer = __has_feature(thread_sanitizer);
#else
constexpr bool kThreadSanitizer = false;
#endif

std::atomic<bool> is_forked_child{false};

// Static objects are destroyed after main's result is known.
void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "process_end: %s\n", what);
  std::_Exit(1);
}

void Pause() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

// Everything once, nested.
void UseAll(ThreadPool& pool) {
  std::atomic<int> sum{0};
  ParallelFor(pool, 0, 20, [&](int) {
    ParallelFor(pool, 0, 5, [&](int i) {
      Pause();
      sum.fetch_add(i);
    });
  });
  Require(sum == 200, "a loop is wrong");
  Require(Async(pool, [] { return 7; }).Get() == 7, "a future is wrong");
  TaskGroup group(pool);
  for (int i = 0; i < 10; ++i) group.Run([&] { sum.fetch_add(1); });
  group.Wait();
  TaskGraph graph;
  const TaskGraph::Task first = graph.Add([&] { sum.fetch_add(1); });
  const TaskGraph::Task second = graph.Add([&] { sum.fetch_add(1); });
  second.Succeed(first);
  graph.Run(pool);
  Require(sum == 212, "a group or graph is wrong");
}

// Uses the default pool, and another one that is static itself, before and
// after main.
struct UsesPools {
  explicit UsesPools(ThreadPool* other) : other_(other) { Use(); }
  ~UsesPools() {
    Use();
    Require(future_.Get() == 3, "a future of before main is wrong");
  }
  void Wait() { future_.Wait(); }
  void Use() const {
    UseAll(ThreadPool::Default());
    if (other_ != nullptr) UseAll(*other_);
  }
  ThreadPool* other_;
  Future<int> future_ = Async(ThreadPool::Default(), [] { return 3; });
};

// In this order: the first is destroyed after the pool.
UsesPools uses_default(nullptr);
ThreadPool static_pool(2);
UsesPools uses_both(&static_pool);

struct BusyPool {
  // The destructor has tasks that run, that are queued, and threads that wait.
  ~BusyPool() {
    std::atomic<int> ended{0};
    std::thread waiter;
    {
      ThreadPool pool(2);
      auto future = std::make_shared<Future<int>>(Async(pool, [&] {
        for (int k = 0; k < 100; ++k) Pause();
        return 1;
      }));
      for (int i = 0; i < 200; ++i) {
        Detach(pool, [&] {
          Pause();
          ended.fetch_add(1);
        });
      }
      waiter = std::thread(
          [future] { Require(future->Get() == 1, "a waiter is wrong"); });
    }
    Require(ended == 200, "a pool was destroyed before its tasks had run");
    waiter.join();
  }
};

std::atomic<std::int64_t> num_detached{0};

void DetachForEver() {
  Detach(ThreadPool::Default(), [] {
    num_detached.fetch_add(1);
    DetachForEver();
  });
}

#if defined(__unix__)

// A child leaves by exit(), which destroys the pools that it has inherited: one
// whose workers were asleep, one whose workers were at work with tasks queued
// behind, and static_pool, which is used again after main, as the default one.
void ForkAndExit() {
  constexpr int kStatus = 5;
  static ThreadPool asleep(2);
  UseAll(asleep);
  static ThreadPool at_work(2);
  const pid_t parent = getpid();
  std::atomic<int> ended{0};
  std::atomic<bool> has_begun{false};
  std::atomic<bool> may_end{false};
  for (int i = 0; i < 100; ++i) {
    Detach(at_work, [&] {
      has_begun = true;
      while (!may_end) Pause();
      Require(getpid() == parent, "a task of the parent runs in the child");
      ended.fetch_add(1);
    });
  }
  while (!has_begun) Pause();
  // The child must not wait for what was begun before.
  uses_default.Wait();
  uses_both.Wait();

  const pid_t child = fork();
  Require(child >= 0, "no child");
  if (child == 0) {
    is_forked_child = true;
    std::exit(kStatus);
  }
  int status = 0;
  pid_t waited = 0;
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while ((waited = waitpid(child, &status, WNOHANG)) == 0 &&
         std::chrono::steady_clock::now() < deadline) {
    Pause();
  }
  if (waited == 0) kill(child, SIGKILL);
  Require(waited == child, "a child does not end");
  Require(WIFEXITED(status) && WEXITSTATUS(status) == kStatus,
          "a child has not ended as it wanted");
  may_end = true;
  at_work.WaitForAll();
  Require(ended == 100, "a task of the parent is lost");
}

#endif

}  // namespace

// Asked by LeakSanitizer, if it is there. In a child, what belonged to threads
// that only the parent has is lost.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier)
extern "C" int __lsan_is_turned_off() { return is_forked_child ? 1 : 0; }

int main(int argc, char** argv) {
  const char* const manner = argc > 1 ? argv[1] : "static";
  UseAll(ThreadPool::Default());
  UseAll(static_pool);
  Detach(static_pool, [] { Pause(); });
  if (std::strcmp(manner, "busy") == 0) {
    static BusyPool busy;
  } else if (std::strcmp(manner, "detached") == 0) {
    // exit() while tasks of the default pool, which is never destroyed, run.
    for (int k = 0; k < 4; ++k) DetachForEver();
    while (num_detached < 1000) Pause();
    std::exit(0);
  } else if (std::strcmp(manner, "exit_in_task") == 0) {
    Detach(ThreadPool::Default(), [] { std::exit(0); });
    while (true) Pause();
  } else if (std::strcmp(manner, "forked") == 0) {
#if defined(__unix__)
    // ThreadSanitizer ends a process that starts threads after a fork.
    if (!kThreadSanitizer) ForkAndExit();
#endif
  }
  return 0;
}
