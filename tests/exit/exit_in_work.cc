// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// exit() inside work of the runtime, in a process with pools of static
// lifetime. The argument says inside what; the process ends with kStatus if all
// went well. (expect_status.cmake looks at it.)

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "ceres/parallel/executor.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/parallel_invoke.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/thread_pool.h"

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using namespace ceres::parallel;  // NOLINT(google-build-using-namespace)

constexpr int kStatus = 7;

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "exit_in_work: %s\n", what);
  std::_Exit(1);
}

void Pause() { std::this_thread::sleep_for(std::chrono::microseconds(20)); }

[[noreturn]] void PauseForEver() {
  while (true) Pause();
}

// Loops and forks of these are shared whatever they cost.
struct EagerPool {
  explicit EagerPool(int workers) : pool(workers) {
    pool.SetSharing(Sharing::kAlways);
    pool.SetRunningLimit(8);
  }
  ThreadPool pool;
};

// The first is destroyed last.
EagerPool other(2);
EagerPool alone(0);
EagerPool eager(2);

// Work of both pools that uses both, and goes on until the process ends.
void UseForEver(ThreadPool& host, ThreadPool& used) {
  Detach(host, [&host, &used] {
    ParallelFor(used, 0, 4, [](int) { Pause(); });
    Async(used, [] { Pause(); }).Get();
    UseForEver(host, used);
  });
}

void KeepBusy() {
  for (int k = 0; k < 3; ++k) {
    UseForEver(eager.pool, other.pool);
    UseForEver(other.pool, eager.pool);
  }
}

[[noreturn]] void Exit() { std::exit(kStatus); }

void InTask() {
  Detach(eager.pool, &Exit);
  PauseForEver();
}

void InTaskOfBusyPool() {
  KeepBusy();
  Detach(eager.pool, &Exit);
  PauseForEver();
}

// Another pool has work that waits for the one which ends the process.
void InTaskThatOthersWaitFor() {
  auto ends = Async(eager.pool, [] {
    for (int k = 0; k < 1000; ++k) Pause();
    Exit();
  });
  Detach(other.pool, [&ends] { ends.Wait(); });
  PauseForEver();
}

void InTaskThatThisThreadRuns() { Async(alone.pool, &Exit).Get(); }

// A host whose threads the runtime does not know.
class ThreadHost final : public Executor {
 public:
  int MaxConcurrency() const override { return 2; }
  bool Invite(Invitation invitation) override {
    std::thread(invitation).detach();
    return true;
  }
};

void InTaskOfAnExecutor() {
  KeepBusy();
  static ThreadHost host;
  Detach(host, &Exit);
  PauseForEver();
}

void InTaskOfAGroup() {
  TaskGroup group(eager.pool);
  for (int k = 0; k < 10; ++k) group.Run([] { Pause(); });
  group.Run(&Exit);
  group.Wait();
}

void InTaskOfAGraph() {
  TaskGraph graph;
  graph.Add([] { Pause(); }).Precede(graph.Add(&Exit));
  graph.Run(eager.pool);
}

// The caller of the loop ends the process when a helper is in the body, or a
// helper does while the caller is.
void InLoop(bool in_caller) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> threads{0};
  ParallelFor(eager.pool, 0, 2, [&](int) {
    ++threads;
    while (threads < 2) Pause();
    if ((std::this_thread::get_id() == caller) == in_caller) Exit();
    PauseForEver();
  });
}

void InLoopOfCaller() { InLoop(true); }
void InLoopOfHelper() { InLoop(false); }

void InFork() {
  std::atomic<bool> is_taken{false};
  ParallelInvoke(
      eager.pool,
      [&] {
        while (!is_taken) Pause();
        PauseForEver();
      },
      [&] {
        is_taken = true;
        Exit();
      });
}

void InLoopOfATaskOfBusyPool() {
  KeepBusy();
  Detach(ThreadPool::Default(), [] { InLoop(true); });
  PauseForEver();
}

#if defined(__unix__)

// The child uses the pool, in which it has no threads yet, and leaves by
// exit(). The parent goes on.
void InForkedChildOfATask(ThreadPool& host) {
  std::atomic<int> status{-1};
  Detach(host, [&host, &status] {
    const pid_t child = fork();
    Require(child >= 0, "no child");
    if (child == 0) {
      Require(Async(host, [] { return 3; }).Get() == 3, "a future is wrong");
      host.WaitForAll();
      Exit();
    }
    int child_status = 0;
    Require(waitpid(child, &child_status, 0) == child, "no child to wait for");
    status = child_status;
  });
  host.WaitForAll();
  Require(WIFEXITED(status) && WEXITSTATUS(status) == kStatus,
          "a child has not ended as it wanted");
  Exit();
}

void InChildForkedInAWorker() { InForkedChildOfATask(eager.pool); }
void InChildForkedInAWait() { InForkedChildOfATask(alone.pool); }

#endif

struct Place {
  const char* name;
  void (*exit_there)();
};
constexpr Place kPlaces[] = {
    {"task", &InTask},
    {"task_of_busy_pool", &InTaskOfBusyPool},
    {"task_that_others_wait_for", &InTaskThatOthersWaitFor},
    {"task_that_this_thread_runs", &InTaskThatThisThreadRuns},
    {"task_of_an_executor", &InTaskOfAnExecutor},
    {"task_of_a_group", &InTaskOfAGroup},
    {"task_of_a_graph", &InTaskOfAGraph},
    {"loop_of_caller", &InLoopOfCaller},
    {"loop_of_helper", &InLoopOfHelper},
    {"fork", &InFork},
    {"loop_of_a_task_of_busy_pool", &InLoopOfATaskOfBusyPool},
#if defined(__unix__)
    {"child_forked_in_a_worker", &InChildForkedInAWorker},
    {"child_forked_in_a_wait", &InChildForkedInAWait},
#endif
};

}  // namespace

// Asked by LeakSanitizer, if it is there: frames of tasks that were at work own
// memory.
extern "C" int __lsan_is_turned_off();  // NOLINT(bugprone-reserved-identifier)
extern "C" int __lsan_is_turned_off() { return 1; }

int main(int argc, char** argv) {
  for (const Place& place : kPlaces) {
    if (argc > 1 && std::strcmp(place.name, argv[1]) == 0) place.exit_there();
  }
  return 1;
}
