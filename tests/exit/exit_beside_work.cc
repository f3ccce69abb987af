// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// exit() in a thread that is in no work of the runtime, while other threads
// work. The first argument says which pool has the work, the second one where
// the process ends. The process ends with kStatus if all went well; it hangs if
// exit() waits for work, and ends otherwise if queued tasks run.
// (expect_status.cmake looks at it.)

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "ceres/parallel/future.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"

namespace {

using namespace ceres::parallel;  // NOLINT(google-build-using-namespace)

constexpr int kStatus = 7;

void Pause() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

[[noreturn]] void PauseForEver() {
  while (true) Pause();
}

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "exit_beside_work: %s\n", what);
  std::_Exit(1);
}

// --- Pools with a task that never ends, and tasks behind it. ---

void KeepBusy(ThreadPool& pool) {
  static std::atomic<int> begun{0};
  begun = 0;
  const int workers = pool.NumWorkers();
  pool.SetRunningLimit(workers + 4);
  for (int k = 0; k < workers; ++k) {
    Detach(pool, [] {
      ++begun;
      PauseForEver();
    });
  }
  while (begun < workers) Pause();
  for (int k = 0; k < 5; ++k) {
    Detach(pool, [] { Require(false, "a queued task runs"); });
  }
}

ThreadPool static_pool(2);
ThreadPool& StaticPool() { return static_pool; }

ThreadPool& FunctionStaticPool() {
  static ThreadPool pool(1);
  return pool;
}

// Owns a pool, and uses it before its own construction has ended.
struct Engine {
  Engine() {
    Async(pool, [] {}).Get();
  }
  ThreadPool pool{2};
};
ThreadPool& PoolOfAnEngine() {
  static Engine engine;
  return engine.pool;
}

std::unique_ptr<ThreadPool> heap_pool;
ThreadPool& HeapPool() {
  heap_pool = std::make_unique<ThreadPool>(2);
  return *heap_pool;
}

ThreadPool& PoolOfTheThread() {
  static thread_local ThreadPool pool(2);
  return pool;
}

ThreadPool& WithoutWorkers() {
  static ThreadPool pool(0);
  return pool;
}

// --- Ends of the process. ---

int Return(ThreadPool& pool) {
  KeepBusy(pool);
  return kStatus;
}

int ExitInMain(ThreadPool& pool) {
  KeepBusy(pool);
  std::exit(kStatus);
}

int ExitInAThread(ThreadPool& pool) {
  KeepBusy(pool);
  std::thread([] { std::exit(kStatus); }).join();
  return 1;
}

int ExitInAThreadThatUsedThePool(ThreadPool& pool) {
  std::thread([&pool] {
    Async(pool, [] {}).Get();
    KeepBusy(pool);
    std::exit(kStatus);
  }).join();
  return 1;
}

int ExitInAPredicate(ThreadPool& pool) {
  KeepBusy(pool);
  HelpUntil(pool, []() -> bool { std::exit(kStatus); });
  return 1;
}

// The other thread looks into the pool until the end.
int ExitBesideAThreadThatHelps(ThreadPool& pool) {
  std::atomic<int> looks{0};
  std::thread helper([&] {
    HelpUntil(pool, [&] {
      ++looks;
      return false;
    });
  });
  while (looks < 1000) std::this_thread::yield();
  std::exit(kStatus);
}

int ExitBesideAThreadThatWaits(ThreadPool& pool) {
  Future<void> never = Async(pool, &PauseForEver);
  std::thread waiter([&] { never.Wait(); });
  TaskGroup group(pool);
  group.Run(&PauseForEver);
  std::thread other([&] { group.Wait(); });
  for (int k = 0; k < 100; ++k) Pause();
  std::exit(kStatus);
}

struct NamedPool {
  const char* name;
  ThreadPool& (*pool)();
};
constexpr NamedPool kPools[] = {
    {"static", &StaticPool},           {"function_static", &FunctionStaticPool},
    {"engine", &PoolOfAnEngine},       {"heap", &HeapPool},
    {"thread", &PoolOfTheThread},      {"without_workers", &WithoutWorkers},
    {"default", &ThreadPool::Default},
};

struct Way {
  const char* name;
  int (*end)(ThreadPool& pool);
};
constexpr Way kWays[] = {
    {"return", &Return},
    {"main", &ExitInMain},
    {"thread", &ExitInAThread},
    {"thread_that_used_the_pool", &ExitInAThreadThatUsedThePool},
    {"predicate", &ExitInAPredicate},
    {"beside_help", &ExitBesideAThreadThatHelps},
    {"beside_waits", &ExitBesideAThreadThatWaits},
};

// --- Pools whose destructors wait for their tasks as always. ---

template <typename Destroy>
void RequireThatTasksRun(ThreadPool& pool, const Destroy& destroy) {
  std::atomic<int> ended{0};
  for (int k = 0; k < 20; ++k) {
    Detach(pool, [&ended] {
      Pause();
      ++ended;
    });
  }
  destroy();
  Require(ended == 20, "a pool was destroyed before its tasks had run");
}

std::optional<ThreadPool> optional_pool;

// Made and destroyed while exit() is at work.
struct MakesPools {
  ~MakesPools() {
    auto pool = std::make_unique<ThreadPool>(2);
    RequireThatTasksRun(*pool, [&pool] { pool.reset(); });
    optional_pool.emplace(2);
    RequireThatTasksRun(*optional_pool, [] { optional_pool.reset(); });
  }
};
MakesPools makes_pools;

struct DestroysPool {
  ~DestroysPool() {
    RequireThatTasksRun(*pool, [this] { pool.reset(); });
  }
  std::unique_ptr<ThreadPool> pool;
};

int EndOrderly() {
  // Static storage, but no exit().
  optional_pool.emplace(2);
  RequireThatTasksRun(*optional_pool, [] { optional_pool.reset(); });
  optional_pool.emplace(2);
  std::thread([] {
    RequireThatTasksRun(*optional_pool, [] { optional_pool.reset(); });
  }).join();
  // A thread that ends.
  std::thread([] {
    static thread_local DestroysPool of_thread;
    of_thread.pool = std::make_unique<ThreadPool>(2);
  }).join();
  static std::atomic<int> ended{0};
  {
    ThreadPool of_main(2);
    for (int k = 0; k < 20; ++k) {
      Detach(of_main, [] {
        Pause();
        ++ended;
      });
    }
  }
  Require(ended == 20, "the pool of a frame did not wait");
  return kStatus;
}

}  // namespace

// Asked by LeakSanitizer, if it is there: frames of tasks that were at work own
// memory.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier)
extern "C" int __lsan_is_turned_off() { return 1; }

int main(int argc, char** argv) {
#if (!defined(__GLIBC__) && !defined(__APPLE__)) || \
    defined(CERES_SYSTEM_PORTABLE)
  // exit() cannot be seen on the stack (platform::ExpectExit).
  for (const char* const name :
       {"engine", "without_workers", "thread", "beside_help"}) {
    if (argc == 3 &&
        (std::strcmp(argv[1], name) == 0 || std::strcmp(argv[2], name) == 0)) {
      std::fprintf(stderr, "exit() may wait for this pool here.\n");
      return kStatus;
    }
  }
#endif
  if (argc == 2 && std::strcmp(argv[1], "orderly") == 0) return EndOrderly();
  for (const NamedPool& pool : kPools) {
    for (const Way& way : kWays) {
      if (argc == 3 && std::strcmp(pool.name, argv[1]) == 0 &&
          std::strcmp(way.name, argv[2]) == 0) {
        return way.end(pool.pool());
      }
    }
  }
  return 1;
}
