// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A program that is compiled with -fno-rtti, while the runtime is not. It has
// an executor of its own, and catches what the runtime throws.

#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ceres/parallel/parallel.h"

#if defined(__GXX_RTTI)
#error "Compile this program with -fno-rtti."
#endif

namespace {

using namespace ceres::parallel;  // NOLINT

// One thread per invitation.
class ThreadPerInvitation : public Executor {
 public:
  ~ThreadPerInvitation() override {
    for (std::thread& thread : threads_) thread.join();
  }
  int MaxConcurrency() const override { return 2; }
  bool Invite(Invitation invitation) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    threads_.emplace_back([invitation]() mutable { invitation.Accept(); });
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

int num_failures = 0;

void Check(bool holds, const char* what) {
  if (holds) return;
  ++num_failures;
  std::fprintf(stderr, "wrong: %s\n", what);
}

template <typename Host>
void UseTasks(Host& host, const char* name) {
  Check(Async(host, [] { return 7; }).Get() == 7, name);
  std::atomic<int> count{0};
  TaskGroup group(host);
  for (int k = 0; k < 10; ++k) group.Run([&count] { ++count; });
  Check(group.Wait() == Status::kCompleted && count == 10, name);
  bool caught = false;
  try {
    Async(host, []() -> int { throw std::runtime_error("task"); }).Get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  Check(caught, name);
}

}  // namespace

int main() {
  ThreadPool pool(2);
  UseTasks(pool, "tasks of a pool");
  Executor& pool_as_executor = pool;
  UseTasks(pool_as_executor, "tasks of a pool that is named as an executor");
  {
    ThreadPerInvitation executor;
    UseTasks(executor, "tasks of an executor");
  }
  std::vector<int> visits(1000, 0);
  ParallelFor(pool, 0, 1000, [&](int i) { ++visits[i]; });
  Check(ParallelSum(pool, visits) == 1000, "a loop");
  return num_failures;
}
