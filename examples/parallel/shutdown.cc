// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The end of a pool: its destructor runs what is left and waits for what is
// running, so nothing that was asked for is lost. It may be called at any
// moment, also while threads wait for futures.
//
// Prints: tasks done: 101 of 101
// Prints: a waiting thread got 42, one that came later 43
// Prints: images saved: 10
// Prints: in a hurry: 100 dropped, 1 ended

#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"

namespace parallel = ceres::parallel;

namespace {

void Work() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

// One task is running and 100 are queued when the end comes.
void EndWithWorkLeft() {
  std::atomic<int> done{0};
  {
    parallel::ThreadPool pool(1);
    std::promise<void> begun;
    parallel::Detach(pool, [&] {
      begun.set_value();
      Work();
      ++done;
    });
    begun.get_future().wait();
    for (int i = 0; i < 100; ++i) parallel::Detach(pool, [&done] { ++done; });
  }
  std::cout << "tasks done: " << done << " of 101\n";
}

// Futures do not need the pool any more once it has ended: their tasks have.
void EndWhileAThreadWaits() {
  auto pool = std::make_unique<parallel::ThreadPool>(1);
  parallel::Future<int> first = parallel::Async(*pool, [] {
    Work();
    return 42;
  });
  parallel::Future<int> second = parallel::Async(*pool, [] { return 43; });
  int got = 0;
  std::thread waiter([&] { got = first.Get(); });
  pool.reset();
  waiter.join();
  std::cout << "a waiting thread got " << got << ", one that came later "
            << second.Get() << "\n";
}

// Groups end before their pool: declare them after it. They wait for their
// tasks, too.
void EndWithAGroup() {
  std::atomic<int> saved{0};
  {
    parallel::ThreadPool pool(2);
    parallel::TaskGroup group(pool);
    for (int i = 0; i < 10; ++i) {
      group.Run([&saved] {
        Work();
        ++saved;
      });
    }
  }
  std::cout << "images saved: " << saved << "\n";
}

// In a hurry: what has not begun is dropped first, and the destructor waits for
// what has.
void EndSoon() {
  int dropped = 0;
  std::atomic<int> ended{0};
  {
    parallel::ThreadPool pool(1);
    std::promise<void> begun;
    std::promise<void> may_end;
    parallel::Detach(pool, [&] {
      begun.set_value();
      may_end.get_future().wait();
      ++ended;
    });
    begun.get_future().wait();
    std::vector<parallel::Future<void>> futures;
    futures.reserve(100);
    for (int i = 0; i < 100; ++i) {
      futures.push_back(parallel::Async(pool, [&ended] { ++ended; }));
    }
    for (parallel::Future<void>& future : futures) {
      if (future.Cancel()) ++dropped;
    }
    may_end.set_value();
  }
  std::cout << "in a hurry: " << dropped << " dropped, " << ended << " ended\n";
}

}  // namespace

int main() {
  EndWithWorkLeft();
  EndWhileAThreadWaits();
  EndWithAGroup();
  EndSoon();
}
