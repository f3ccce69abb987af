// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Bring your own threads: an application that has threads of its own lends them
// to loops and tasks, instead of a second set of threads beside them.
//
// Prints: sum of squares below 1000: 332833500
// Prints: from a task: 42
// Prints: on a host that never comes: 4950

#include "ceres/parallel/executor.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/parallel/future.h"
#include "ceres/parallel/parallel_reduce.h"

namespace parallel = ceres::parallel;

namespace {

// An application's own threads and queue.
class Application {
 public:
  explicit Application(int num_threads) {
    for (int i = 0; i < num_threads; ++i) {
      threads_.emplace_back([this] { Work(); });
    }
  }
  ~Application() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void Enqueue(std::function<void()> job) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    changed_.notify_one();
  }
  int NumThreads() const { return static_cast<int>(threads_.size()); }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// All that it takes. An invitation is a callable of eight bytes; it may be
// called late, twice or never.
class ApplicationExecutor final : public parallel::Executor {
 public:
  explicit ApplicationExecutor(Application& application)
      : application_(application) {}
  int MaxConcurrency() const override { return application_.NumThreads() + 1; }
  bool Invite(parallel::Invitation invitation) override {
    application_.Enqueue(invitation);
    return true;
  }

 private:
  Application& application_;
};

// Says yes, and forgets.
class ForgetfulExecutor final : public parallel::Executor {
 public:
  int MaxConcurrency() const override { return 8; }
  bool Invite(parallel::Invitation) override { return true; }
};

}  // namespace

int main() {
  Application application(3);
  ApplicationExecutor host(application);
  const std::int64_t sum = parallel::ParallelReduce(
      host, 0, 1000, std::int64_t{0}, [](int i) { return std::int64_t{i} * i; },
      std::plus<>());
  std::cout << "sum of squares below 1000: " << sum << "\n";
  std::cout << "from a task: "
            << parallel::Async(host, [] { return 6 * 7; }).Get() << "\n";

  // A waiting thread runs the work itself: progress never depends on a host.
  ForgetfulExecutor forgetful;
  std::cout << "on a host that never comes: "
            << parallel::ParallelReduce(
                   forgetful, 0, 100, 0, [](int i) { return i; }, std::plus<>())
            << "\n";
}
