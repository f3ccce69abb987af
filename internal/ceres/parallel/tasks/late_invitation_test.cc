// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Invitations that are accepted when their work has ended, while the process
// forks.

#include "ceres/base/platform.h"

#if defined(CERES_SYSTEM_POSIX)

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "ceres/parallel/executor.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_for.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/parallel/task_group.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/parallel/testing/test_hosts.h"
#include "gtest/gtest.h"

namespace ceres::parallel {
namespace {

// One piece of work of each kind; returns whether its results are right.
bool UseHost(Executor& host) {
  std::atomic<int> sum{0};
  Future<int> future = Async(host, [] { return 3; });
  Future<int> next =
      Async(host, [] { return 4; }).Then([](int x) { return x + 1; });
  Future<int> cancelled = Async(host, [] { return 5; });
  const bool was_cancelled = cancelled.Cancel();
  TaskGroup group(host);
  for (int k = 0; k < 3; ++k) group.Run([&sum] { ++sum; });
  TaskGraph graph;
  graph.Add([&sum] { ++sum; }).Precede(graph.Add([&sum] { ++sum; }));
  graph.Run(host);
  ParallelFor(host, 0, 100, [&sum](int) { ++sum; });
  group.Wait();
  return future.Get() == 3 && next.Get() == 5 && was_cancelled && sum == 105;
}

// Several threads accept old invitations all the time.
class LateGuests {
 public:
  explicit LateGuests(std::vector<Invitation> invitations) {
    for (int k = 0; k < 3; ++k) {
      threads_.emplace_back([this, invitations] {
        while (!stop_) {
          for (const Invitation& invitation : invitations) invitation.Accept();
        }
      });
    }
  }
  ~LateGuests() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  LateGuests(const LateGuests&) = delete;
  LateGuests& operator=(const LateGuests&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

TEST(LateInvitation, DoesNotKeepTheChildOfAForkFromReusingItsWork) {
  if (kThreadSanitizer) {
    GTEST_SKIP()
        << "ThreadSanitizer ends a process that starts threads after a fork.";
  }
  KeepingHost host;
  // The memory of this work is used again by the next.
  for (int k = 0; k < 20; ++k) ASSERT_TRUE(UseHost(host));
  const LateGuests guests(host.TakeAll());
  for (int run = 0; run < 150; ++run) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(30);
      SerialExecutor serial;
      bool works = true;
      for (int k = 0; k < 40 && works; ++k) works = UseHost(serial);
      _exit(works ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "child " << run << " ended with " << status;
  }
}

}  // namespace
}  // namespace ceres::parallel

#endif
