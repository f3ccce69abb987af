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

namespace {

using ceres::parallel::Async;
using ceres::parallel::Detach;
using ceres::parallel::Future;
using ceres::parallel::ParallelFor;
using ceres::parallel::TaskGraph;
using ceres::parallel::TaskGroup;
using ceres::parallel::ThreadPool;

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
  Require(Async(pool, [] { return 7; }).get() == 7, "a future is wrong");
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
    Require(future_.get() == 3, "a future of before main is wrong");
  }
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
          [future] { Require(future->get() == 1, "a waiter is wrong"); });
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

}  // namespace

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
  }
  return 0;
}
