// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_H_
#define CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/parallel/async_loops.h"
#include "ceres/parallel/async_reductions.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/parallel_reduce.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/random_program_pieces.h"
#include "ceres/parallel/testing/stress_watchdog.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// Programs made of everything that the runtime offers, nested at random. Each
// piece knows what must come of it, and counts a failure if it does not; where
// tasks may be dropped, each of them is run at most once and its closure
// destroyed exactly once. Needs no test framework: children of a fork run it.
//
// All functions may be called by several threads at once.
class RandomProgram {
 public:
  // `hosts` are used in the place of the pool now and then.
  RandomProgram(ThreadPool& pool, std::vector<Executor*> hosts,
                std::int64_t pieces)
      : pool_(pool), hosts_(std::move(hosts)), left_(pieces) {
    pool_.SetExceptionHandler([this](const std::exception_ptr&) {
      num_handled_.fetch_add(1, std::memory_order_relaxed);
    });
  }

  bool IsDone() const { return left_.load(std::memory_order_relaxed) <= 0; }
  int num_failures() const { return num_failures_; }
  std::int64_t num_thrown() const { return num_thrown_; }

  // An executor that forwards to the pool gets detached tasks, too. Set before
  // the first piece.
  void SetForwarding(ForwardingHost* forwarding) { forwarding_ = forwarding; }

  // Called by each thread that begins the last piece, or one after it, and that
  // holds no lock, in the midst of whatever that piece is nested in. Set before
  // the first piece.
  void SetAtLastPiece(std::function<void()> at_last_piece) {
    at_last_piece_ = std::move(at_last_piece);
  }

  // One random piece, which nests, in a thread that is at work for nobody.
  void RunOutermost(std::uint64_t seed) {
    if (seed % 16 == 3) {
      UntilCondition(seed);
    } else {
      Run(seed, kDepth);
    }
  }

  // When all threads have ended: waits for what nobody waited for.
  void Finish() {
    const Operation operation("WaitForAll", 0);
    pool_.WaitForAll();
    Check(num_detached_ == num_detached_run_, "a detached task is lost", 0);
    Check(num_detached_bad_ == num_handled_, "an exception is lost", 0);
    Check(num_closures_ == 0, "a closure is not destroyed, or twice", 0);
  }

 private:
  using Random = std::mt19937_64;
  using Micros = std::chrono::microseconds;
  using Brake = random_program::Brake;
  using Counted = random_program::CountedClosure;
  using Ending = random_program::Ending;
  using HeldLock = random_program::HeldLock;
  using Ledger = random_program::Ledger;
  using Thrown = random_program::Thrown;
  static constexpr int kDepth = 3;

  void Check(bool holds, const char* what, std::uint64_t seed) {
    if (holds) return;
    num_failures_.fetch_add(1);
    std::fprintf(stderr, "random program: %s, seed %llx\n", what,
                 static_cast<unsigned long long>(seed));
  }

  template <typename F>
  Ending EndingOf(const F& run) {
    try {
      return run() == Status::kCompleted ? Ending::kCompleted
                                         : Ending::kStopped;
    } catch (const Thrown&) {
      num_thrown_.fetch_add(1, std::memory_order_relaxed);
      return Ending::kThrew;
    }
  }

  void CheckEnding(Ending ending, const Ledger& ledger, const Brake& brake,
                   std::uint64_t seed) {
    const char* const wrong =
        random_program::WhatIsWrong(ending, ledger, brake);
    Check(wrong == nullptr, wrong, seed);
  }

  void Nest(std::uint64_t seed, int i, int depth) {
    const std::uint64_t mixed =
        (seed + static_cast<std::uint64_t>(i)) * 0x9E3779B97F4A7C15u;
    if (mixed >> 61 == 0) Run(mixed, depth - 1);
    if (mixed >> 58 == 9) DetachOne(mixed, 0);
    if (mixed >> 52 == 7) std::this_thread::sleep_for(Micros(100));
  }

  // On the pool, or on another host.
  template <typename F>
  auto OnSomeHost(Random* random, const F& use) {
    const std::uint64_t number = (*random)() % 4;
    if (number != 0 || hosts_.empty()) return use(pool_);
    return use(*hosts_[(*random)() % hosts_.size()]);
  }

  void Run(std::uint64_t seed, int depth);
  void Loop(Random* random, std::uint64_t seed, int depth);
  void Reduction(Random* random, std::uint64_t seed, int depth);
  void Forks(std::uint64_t seed, int depth);
  void Futures(Random* random, std::uint64_t seed, int depth);
  void AsyncLoop(Random* random, std::uint64_t seed, int depth);
  void Group(Random* random, std::uint64_t seed, int depth);
  void Graph(Random* random, std::uint64_t seed, int depth);
  template <typename Host>
  Ending RunGraph(TaskGraph* graph, Host& host, const CancellationToken& token,
                  Random* random);
  void LockAcrossWait(Random* random, std::uint64_t seed, int depth);
  void StartLocker(const std::shared_ptr<HeldLock>& lock, std::uint64_t seed,
                   int depth);
  void DetachOne(std::uint64_t seed, int depth);
  void DetachForwarded(std::uint64_t seed, int depth);
  void UntilCondition(std::uint64_t seed);

  ThreadPool& pool_;
  const std::vector<Executor*> hosts_;
  ForwardingHost* forwarding_ = nullptr;
  std::function<void()> at_last_piece_;
  std::atomic<std::int64_t> left_;
  std::atomic<int> num_failures_{0};
  std::atomic<std::int64_t> num_thrown_{0};
  std::atomic<std::int64_t> num_detached_{0};
  std::atomic<std::int64_t> num_detached_run_{0};
  std::atomic<std::int64_t> num_detached_bad_{0};
  std::atomic<std::int64_t> num_handled_{0};
  std::atomic<std::int64_t> num_closures_{0};
};

inline void RandomProgram::Run(std::uint64_t seed, int depth) {
  if (depth <= 0) return;
  const std::int64_t left = left_.fetch_sub(1, std::memory_order_relaxed);
  if (left <= 1 && at_last_piece_ && HeldLock::NumHeldByThisThread() == 0) {
    at_last_piece_();
  }
  if (left <= 0) return;
  Random random(seed);
  switch (random() % 12) {
    case 0:
    case 1:
      return Loop(&random, seed, depth);
    case 2:
      return Reduction(&random, seed, depth);
    case 3:
      return Forks(seed, depth);
    case 4:
      return AsyncLoop(&random, seed, depth);
    case 5:
      return DetachOne(seed, depth);
    case 6:
      return Graph(&random, seed, depth);
    case 7:
      return Futures(&random, seed, depth);
    case 8:
    case 9:
      return LockAcrossWait(&random, seed, depth);
    default:
      return Group(&random, seed, depth);
  }
}

inline void RandomProgram::Loop(Random* random, std::uint64_t seed, int depth) {
  const Operation operation("loop", seed);
  const int n = static_cast<int>((*random)() % 40);
  Brake brake(random);
  Ledger ledger(n);
  const CancellationToken token = brake.source.token();
  LoopOptions options;
  options.max_threads = static_cast<int>((*random)() % 9);
  options.grain = 1 + static_cast<std::int64_t>((*random)() % 3);
  options.schedule = static_cast<Schedule>((*random)() % 3);
  if (brake.can_stop) options.token = &token;
  const Ending ending = EndingOf([&] {
    return OnSomeHost(random, [&](auto& host) {
      return ParallelFor(
          host, 0, n,
          [&](int i) {
            brake.At(i);
            ledger.Visit(i);
            Nest(seed, i, depth);
          },
          options);
    });
  });
  CheckEnding(ending, ledger, brake, seed);
}

inline void RandomProgram::Reduction(Random* random, std::uint64_t seed,
                                     int depth) {
  const Operation operation("reduction", seed);
  const int n = 1 + static_cast<int>((*random)() % 100);
  const std::int64_t sum = OnSomeHost(random, [&](auto& host) {
    return ParallelReduce(
        host, 0, n, std::int64_t{0},
        [&](BasicIndexRange<int> range) {
          Nest(seed, range.begin, depth);
          std::int64_t partial = 0;
          for (int i = range.begin; i < range.end; ++i) partial += i;
          return partial;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; });
  });
  Check(sum == std::int64_t{n} * (n - 1) / 2, "a sum is wrong", seed);
}

inline void RandomProgram::Forks(std::uint64_t seed, int depth) {
  const Operation operation("forks", seed);
  const bool bad = seed % 16 == 1;
  int calls[4] = {0, 0, 0, 0};
  const auto branch = [&](int k) {
    ++calls[k];
    Nest(seed, k, depth);
  };
  bool threw = false;
  try {
    ParallelInvoke(
        pool_, [&] { branch(0); },
        [&] {
          branch(1);
          if (bad) throw Thrown();
        },
        [&] { branch(2); }, [&] { branch(3); });
  } catch (const Thrown&) {
    threw = true;
  }
  Check(threw == bad, "a fork's exception is wrong", seed);
  Check(calls[0] == 1 && calls[1] == 1 && calls[2] <= 1 && calls[3] <= 1 &&
            (bad || (calls[2] == 1 && calls[3] == 1)),
        "a branch did not run once", seed);
}

inline void RandomProgram::Futures(Random* random, std::uint64_t seed,
                                   int depth) {
  const Operation operation("futures", seed);
  struct Started {
    Future<int> future;
    bool bad;
    bool on_pool;
  };
  std::vector<Started> started;
  const int n = 1 + static_cast<int>((*random)() % 8);
  const TaskOptions options{(*random)() % 4 == 0 ? Priority::kHigh
                                                 : Priority::kNormal};
  for (int i = 0; i < n; ++i) {
    const bool bad = (*random)() % 16 == 0;
    auto task = [this, counted = Counted(&num_closures_), seed, i, depth, bad] {
      const Operation inner("task of a future", seed);
      Nest(seed, i, depth);
      if (bad) throw Thrown();
      return i;
    };
    started.push_back(OnSomeHost(random, [&](auto& host) {
      constexpr bool kOnPool = std::is_same_v<decltype(host), ThreadPool&>;
      return Started{Async(host, options, std::move(task)), bad, kOnPool};
    }));
  }
  std::shuffle(started.begin(), started.end(), *random);
  for (Started& one : started) {
    const std::uint64_t use = (*random)() % 8;
    // Still runs: other hosts may forget it.
    if (use == 2 && one.on_pool) continue;
    bool cancelled = false;
    if (use == 0) {
      cancelled = one.future.Cancel();
    } else if (use == 1) {
      while (one.future.wait_for(Micros((*random)() % 100)) !=
             std::future_status::ready) {
      }
    }
    int value = -1;
    bool threw = false;
    bool was_cancelled = false;
    try {
      value = one.future.get();
    } catch (const Thrown&) {
      threw = true;
    } catch (const TaskCancelled&) {
      was_cancelled = true;
    }
    Check(was_cancelled == cancelled, "a future's cancellation is wrong", seed);
    Check(was_cancelled || threw == one.bad, "a future's end is wrong", seed);
    Check(was_cancelled || threw || (value >= 0 && value < n),
          "a future's value is wrong", seed);
  }
}

inline void RandomProgram::AsyncLoop(Random* random, std::uint64_t seed,
                                     int depth) {
  const Operation operation("asynchronous loop", seed);
  Ledger ledger(20);
  Future<Status> loop =
      AsyncFor(pool_, 0, 20, [this, &ledger, seed, depth](int i) {
        ledger.Visit(i);
        Nest(seed, i, depth);
      });
  const int n = static_cast<int>((*random)() % 1000);
  Future<std::int64_t> sum = AsyncReduce(
      pool_, 0, n, std::int64_t{0},
      [](BasicIndexRange<int> range) {
        std::int64_t partial = 0;
        for (int i = range.begin; i < range.end; ++i) partial += i;
        return partial;
      },
      [](std::int64_t a, std::int64_t b) { return a + b; });
  Nest(seed, 20, depth);
  Check(sum.get() == std::int64_t{n} * (n - 1) / 2, "a sum is wrong", seed);
  Check(loop.get() == Status::kCompleted && ledger.AllOnce(),
        "an asynchronous loop is not complete", seed);
}

inline void RandomProgram::Group(Random* random, std::uint64_t seed,
                                 int depth) {
  const Operation operation("group", seed);
  const int n = static_cast<int>((*random)() % 30);
  Brake brake(random);
  TaskGroupOptions options;
  options.max_threads = static_cast<int>((*random)() % 4);
  options.priority = (*random)() % 4 == 0 ? Priority::kHigh : Priority::kNormal;
  if (brake.can_stop) options.token = brake.source.token();
  // The status of a token's deadline looks like that of the wait.
  const bool asks_often =
      (*random)() % 4 == 0 && (!brake.can_stop || brake.cancel_at >= 0);
  OnSomeHost(random, [&](auto& host) {
    TaskGroup group(host, options);
    Ledger ledger(n);
    std::atomic<int> active{0};
    const auto run_piece = [&, max = options.max_threads](int i) {
      const Operation inner("task of a group", seed);
      Check(active.fetch_add(1) < max || max == 0,
            "too many threads in a group", seed);
      ledger.Visit(i);
      active.fetch_sub(1);
      brake.At(i);
      Nest(seed, i, depth);
    };
    // Tasks give the group others, two and two.
    for (int i = 0; i < n; i += 2) {
      group.Run([&, counted = Counted(&num_closures_), i] {
        if (i + 1 < n) {
          group.Run([&run_piece, more = Counted(&num_closures_), i] {
            run_piece(i + 1);
          });
        }
        run_piece(i);
      });
    }
    const Ending ending = EndingOf([&] {
      if (!asks_often) return group.Wait();
      Status status = group.WaitFor(Micros(20));
      for (int k = 0; k < 20 && status == Status::kDeadlineExceeded; ++k) {
        status = group.WaitFor(Micros(20));
      }
      return status == Status::kDeadlineExceeded ? group.Wait() : status;
    });
    CheckEnding(ending, ledger, brake, seed);
    // As new, unless its token stops it.
    int calls = 0;
    group.Run([&] { ++calls; });
    const Status status = group.Wait();
    Check(brake.can_stop || (calls == 1 && status == Status::kCompleted),
          "a group is not as new", seed);
    return 0;
  });
}

template <typename Host>
RandomProgram::Ending RandomProgram::RunGraph(TaskGraph* graph, Host& host,
                                              const CancellationToken& token,
                                              Random* random) {
  TaskGraphOptions options;
  options.token = token;
  options.max_threads = static_cast<int>((*random)() % 4);
  return EndingOf([&] {
    graph->Submit(host, options);
    const std::uint64_t manner = (*random)() % 6;
    if (manner == 0) graph->Cancel();
    if (manner == 1) {
      while (!graph->WaitFor(Micros(50))) {
      }
    }
    return graph->Wait();
  });
}

inline void RandomProgram::Graph(Random* random, std::uint64_t seed,
                                 int depth) {
  const Operation operation("graph", seed);
  const int n = 1 + static_cast<int>((*random)() % 60);
  Brake brake(random);
  std::vector<int> runs(static_cast<std::size_t>(n));
  std::vector<std::vector<int>> before(static_cast<std::size_t>(n));
  std::atomic<bool> in_order{true};
  TaskGraph graph;
  std::vector<TaskGraph::Task> tasks;
  for (int i = 0; i < n; ++i) {
    tasks.push_back(graph.Add([&, counted = Counted(&num_closures_), i] {
      const Operation inner("task of a graph", seed);
      const int run = ++runs[static_cast<std::size_t>(i)];
      for (const int other : before[static_cast<std::size_t>(i)]) {
        if (runs[static_cast<std::size_t>(other)] != run) in_order = false;
      }
      brake.At(i);
      Nest(seed, i, depth);
    }));
    for (std::uint64_t k = (*random)() % 4; i > 0 && k > 0; --k) {
      const int other =
          static_cast<int>((*random)() % static_cast<unsigned>(i));
      before[static_cast<std::size_t>(i)].push_back(other);
      tasks[static_cast<std::size_t>(i)].Succeed(
          tasks[static_cast<std::size_t>(other)]);
    }
  }
  const bool bad = brake.throw_at >= 0 && brake.throw_at < n;
  const CancellationToken token =
      brake.can_stop ? brake.source.token() : CancellationToken();
  for (int run = 1; run <= 3; ++run) {
    const Ending ending = OnSomeHost(random, [&](auto& host) {
      return RunGraph(&graph, host, token, random);
    });
    Check(in_order, "a task of a graph ran too early", seed);
    const bool all = std::all_of(runs.begin(), runs.end(),
                                 [run](int r) { return r == run; });
    Check(ending != Ending::kCompleted || all, "a task of a graph is lost",
          seed);
    Check(ending != Ending::kThrew || bad, "an exception from nowhere", seed);
    if (ending != Ending::kCompleted) break;
  }
}

// Starts a task that nobody waits for and that takes the lock.
inline void RandomProgram::StartLocker(const std::shared_ptr<HeldLock>& lock,
                                       std::uint64_t seed, int depth) {
  num_detached_.fetch_add(1);
  auto take_lock = [this, counted = Counted(&num_closures_), lock, seed,
                    depth] {
    const Operation inner("task that locks", seed);
    const bool locked = lock->Lock();
    Check(locked, "a waiting thread ran what nobody waits for", seed);
    Nest(seed, 1, depth - 1);
    if (locked) lock->Unlock();
    num_detached_run_.fetch_add(1);
  };
  if (seed % 2 == 0) {
    Detach(pool_, std::move(take_lock));
  } else {
    // Dropped before it is done.
    const Future<void> dropped = Async(pool_, std::move(take_lock));
  }
}

// The calling thread holds a lock while it waits. What it waits for starts
// tasks that take the lock.
inline void RandomProgram::LockAcrossWait(Random* random, std::uint64_t seed,
                                          int depth) {
  const Operation operation("lock across a wait", seed);
  const auto lock = std::make_shared<HeldLock>();
  Check(lock->Lock(), "a new lock is held", seed);
  const int n = 1 + static_cast<int>((*random)() % 6);
  std::atomic<int> calls{0};
  const auto piece = [&](int i) {
    calls.fetch_add(1);
    const std::uint64_t mixed = seed * 31 + static_cast<std::uint64_t>(i);
    if (mixed % 3 != 0) StartLocker(lock, mixed, depth);
    Nest(seed, i, depth);
  };
  switch ((*random)() % 6) {
    case 0:
      ParallelFor(pool_, 0, n, piece);
      break;
    case 1:
      ParallelReduce(
          pool_, 0, n, 0,
          [&](BasicIndexRange<int> range) {
            for (int i = range.begin; i < range.end; ++i) piece(i);
            return range.size();
          },
          [](int a, int b) { return a + b; });
      break;
    case 2:
      ParallelInvoke(
          pool_, [&] { piece(0); },
          [&] {
            for (int i = 1; i < n; ++i) piece(i);
          });
      break;
    case 3: {
      TaskGroup group(pool_);
      for (int i = 0; i < n; ++i) group.Run([&piece, i] { piece(i); });
      while (group.WaitFor(Micros(20)) != Status::kCompleted) {
      }
      break;
    }
    case 4: {
      std::vector<Future<void>> futures;
      for (int i = 0; i < n; ++i) {
        futures.push_back(Async(pool_, [&piece, i] { piece(i); }));
      }
      for (Future<void>& future : futures) future.get();
      break;
    }
    default: {
      TaskGraph graph;
      TaskGraph::Task last;
      for (int i = 0; i < n; ++i) {
        const TaskGraph::Task task = graph.Add([&piece, i] { piece(i); });
        if (last && i % 2 == 0) task.Succeed(last);
        last = task;
      }
      graph.Run(pool_);
      break;
    }
  }
  lock->Unlock();
  Check(calls == n, "a piece under a lock is lost", seed);
}

inline void RandomProgram::DetachOne(std::uint64_t seed, int depth) {
  const Operation operation("detach", seed);
  if (forwarding_ != nullptr && seed % 4 == 2) {
    return DetachForwarded(seed, depth);
  }
  const bool bad = seed % 32 == 5;
  num_detached_.fetch_add(1);
  if (bad) num_detached_bad_.fetch_add(1);
  Detach(pool_, [this, counted = Counted(&num_closures_), seed, depth, bad] {
    const Operation inner("detached task", seed);
    Nest(seed, 0, depth);
    num_detached_run_.fetch_add(1);
    if (bad) throw Thrown();
  });
}

// What the pool has taken runs before WaitForAll returns. What it has refused,
// having no workers, never runs.
inline void RandomProgram::DetachForwarded(std::uint64_t seed, int depth) {
  num_detached_.fetch_add(1);
  Detach(*forwarding_, [this, seed, depth] {
    const Operation inner("forwarded task", seed);
    Nest(seed, 2, depth);
    num_detached_run_.fetch_add(1);
  });
  if (!ForwardingHost::last_was_taken) num_detached_.fetch_sub(1);
}

// Runs foreign work, so not within anything.
inline void RandomProgram::UntilCondition(std::uint64_t seed) {
  const Operation operation("wait for a condition", seed);
  std::atomic<int> count{0};
  const int n = static_cast<int>(seed / 16 % 20);
  for (int i = 0; i < n; ++i) {
    Detach(pool_, [this, counted = Counted(&num_closures_), &count, seed, i] {
      const Operation inner("task of a condition", seed);
      Nest(seed, i, kDepth);
      count.fetch_add(1);
    });
  }
  HelpUntil(pool_, [&] { return count == n; });
}

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_RANDOM_PROGRAM_H_
