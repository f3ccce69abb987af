// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/random_program.h"

// Pieces that start tasks for which nobody waits.

namespace ceres::parallel {

// Starts a task that takes the lock and for which nobody waits.
void RandomProgram::StartLocker(const std::shared_ptr<HeldLock>& lock,
                                std::uint64_t seed, int depth) {
  num_detached_.fetch_add(1);
  auto take_lock = [this, counted = Counted(&num_closures_), lock, seed,
                    depth] {
    const Operation inner("task that locks", seed);
    Check(!counted.was_moved(), "a failed call has taken a task", seed);
    const bool locked = lock->Lock();
    Check(locked, "a waiting thread ran what nobody waits for", seed);
    Nest(seed, 1, depth - 1);
    if (locked) lock->Unlock();
    num_detached_run_.fetch_add(1);
  };
  Insist([&] {
    if (seed % 2 == 0) {
      Detach(pool_, std::move(take_lock));
    } else {
      // Dropped before it is done.
      const Future<void> dropped = Async(pool_, std::move(take_lock));
    }
  });
}

// Runs n pieces in a manner that waits for all of them.
void RandomProgram::RunAndWait(Random* random, int n,
                               const std::function<void(int)>& piece) {
  switch ((*random)() % 6) {
    case 0:
      Insist([&] { ParallelFor(pool_, 0, n, piece); });
      break;
    case 1:
      Insist([&] {
        ParallelReduce(
            pool_, 0, n, 0,
            [&](int i) {
              piece(i);
              return 1;
            },
            [](int a, int b) { return a + b; });
      });
      break;
    case 2:
      Insist([&] {
        ParallelInvoke(
            pool_, [&] { piece(0); },
            [&] {
              for (int i = 1; i < n; ++i) piece(i);
            });
      });
      break;
    case 3: {
      std::optional<TaskGroup> group;
      Insist([&] { group.emplace(pool_); });
      for (int i = 0; i < n; ++i) {
        Insist([&] { group->Run([&piece, i] { piece(i); }); });
      }
      while (!group->WaitFor(Micros(20))) {
      }
      break;
    }
    case 4: {
      std::array<Future<void>, kMostWaits> futures;
      for (int i = 0; i < n; ++i) {
        Insist([&] {
          futures[static_cast<std::size_t>(i)] =
              Async(pool_, [&piece, i] { piece(i); });
        });
      }
      for (int i = 0; i < n; ++i) futures[static_cast<std::size_t>(i)].Get();
      break;
    }
    default: {
      TaskGraph graph;
      TaskGraph::Task last;
      for (int i = 0; i < n; ++i) {
        const TaskGraph::Task task =
            Insist([&] { return graph.Add([&piece, i] { piece(i); }); });
        if (last && i % 2 == 0) Insist([&] { task.Succeed(last); });
        last = task;
      }
      Insist([&] { graph.Run(pool_); });
      break;
    }
  }
}

// The calling thread holds a lock while it waits. The pieces that it waits for
// start tasks that take the lock.
void RandomProgram::LockAcrossWait(Random* random, std::uint64_t seed,
                                   int depth) {
  const Operation operation("lock across a wait", seed);
  const auto lock =
      WithoutFailures([] { return std::make_shared<HeldLock>(); });
  Check(lock->Lock(), "a new lock is held", seed);
  const int n = 1 + static_cast<int>((*random)() % kMostWaits);
  std::atomic<int> calls{0};
  const auto call_piece = [&](int i) {
    calls.fetch_add(1);
    const std::uint64_t mixed = seed * 31 + static_cast<std::uint64_t>(i);
    if (mixed % 3 != 0) StartLocker(lock, mixed, depth);
    Nest(seed, i, depth);
  };
  const auto piece = WithoutFailures(
      [&] { return std::function<void(int)>(std::cref(call_piece)); });
  RunAndWait(random, n, piece);
  lock->Unlock();
  Check(calls == n, "a piece under a lock is lost", seed);
}

void RandomProgram::DetachOne(std::uint64_t seed, int depth) {
  const Operation operation("detach", seed);
  if (forwarding_ != nullptr && seed % 4 == 2) {
    return DetachForwarded(seed, depth);
  }
  const bool bad = seed % 32 == 5;
  num_detached_.fetch_add(1);
  if (bad) num_detached_bad_.fetch_add(1);
  Insist([&] {
    Detach(pool_, [this, counted = Counted(&num_closures_), seed, depth, bad] {
      const Operation inner("detached task", seed);
      Nest(seed, 0, depth);
      num_detached_run_.fetch_add(1);
      if (bad) throw Thrown();
    });
  });
}

// Tasks that the pool accepts run before WaitForAll returns. A pool without
// workers refuses them, and they run within Detach.
void RandomProgram::DetachForwarded(std::uint64_t seed, int depth) {
  num_detached_.fetch_add(1);
  Insist([&] {
    Detach(*forwarding_, [this, seed, depth] {
      const Operation inner("forwarded task", seed);
      Nest(seed, 2, depth);
      num_detached_run_.fetch_add(1);
    });
  });
}

// Runs any task of the pool, so not within a piece.
void RandomProgram::UntilCondition(std::uint64_t seed) {
  const Operation operation("wait for a condition", seed);
  std::atomic<int> count{0};
  const int n = static_cast<int>(seed / 16 % 20);
  for (int i = 0; i < n; ++i) {
    Insist([&] {
      Detach(pool_, [this, counted = Counted(&num_closures_), &count, seed, i] {
        const Operation inner("task of a condition", seed);
        Nest(seed, i, kDepth);
        count.fetch_add(1);
      });
    });
  }
  HelpUntil(pool_, [&] { return count == n; });
}

}  // namespace ceres::parallel
