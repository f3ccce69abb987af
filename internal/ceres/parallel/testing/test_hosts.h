// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TESTING_TEST_HOSTS_H_
#define CERES_INTERNAL_PARALLEL_TESTING_TEST_HOSTS_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/base/testing/injected_failures.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/thread_pool.h"

// Executors for tests, as applications may implement them.

namespace ceres::parallel {

class RefusingHost final : public Executor {
 public:
  int MaxConcurrency() const override { return 8; }
  bool Invite(Invitation) override {
    num_asked.fetch_add(1);
    return false;
  }
  std::atomic<int> num_asked{0};
};

// Accepts an invitation within Invite, in the thread that invites.
class InlineHost final : public Executor {
 public:
  int MaxConcurrency() const override { return 3; }
  bool Invite(Invitation invitation) override {
    if (!invitation.Accept()) return false;
    num_accepted.fetch_add(1);
    return true;
  }
  std::atomic<int> num_accepted{0};
};

// Keeps all invitations. The test accepts them.
class KeepingHost final : public Executor {
 public:
  int MaxConcurrency() const override { return 8; }
  bool Invite(Invitation invitation) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(invitation);
    return true;
  }
  std::vector<Invitation> TakeAll() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(kept_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Invitation> kept_;
};

// A queue and two threads, which wait before they accept an invitation. The end
// of the host drops the invitations left.
class QueueHost : public Executor {
 public:
  explicit QueueHost(std::chrono::microseconds delay) : delay_(delay) {
    for (int k = 0; k < 2; ++k) threads_.emplace_back([this] { Main(); });
  }
  ~QueueHost() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    condition_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  int MaxConcurrency() const override { return 3; }
  bool Invite(Invitation invitation) override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      queue_.push_back(invitation);
    }
    condition_.notify_one();
    return true;
  }
  std::atomic<int> num_accepted{0};

 private:
  void Main() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      condition_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      const Invitation invitation = queue_.front();
      queue_.pop_front();
      lock.unlock();
      if (delay_.count() > 0) std::this_thread::sleep_for(delay_);
      if (invitation.Accept()) num_accepted.fetch_add(1);
      lock.lock();
    }
  }

  const std::chrono::microseconds delay_;
  std::mutex mutex_;
  std::condition_variable condition_;
  std::deque<Invitation> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

// Refuses some invitations, accepts some twice, and accepts some again after a
// hundred others.
class UnreliableHost final : public QueueHost {
 public:
  UnreliableHost() : QueueHost(std::chrono::microseconds(0)) {}
  bool Invite(Invitation invitation) override {
    int times = 1;
    Invitation late;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (random_() % 8 == 0) return false;
      if (random_() % 8 == 0) times = 2;
      if (random_() % 8 == 0) {
        testing_internal::WithoutFailures([&] { late_.push_back(invitation); });
      }
      if (late_.size() > 100) {
        late = late_.front();
        late_.pop_front();
      }
    }
    // May throw: then the executor has not taken the invitation.
    QueueHost::Invite(invitation);
    const testing_internal::NoFailures none;
    if (times == 2) QueueHost::Invite(invitation);
    if (late.handle() != 0) QueueHost::Invite(late);
    return true;
  }

 private:
  std::mutex mutex_;
  std::mt19937 random_;
  std::deque<Invitation> late_;
};

// Passes its invitations to a pool.
class ForwardingHost final : public Executor {
 public:
  explicit ForwardingHost(ThreadPool& pool) : pool_(pool) {}
  int MaxConcurrency() const override { return pool_.MaxConcurrency(); }
  bool Invite(Invitation invitation) override {
    const bool taken = pool_.Invite(invitation);
    if (taken) num_taken.fetch_add(1);
    return taken;
  }
  std::atomic<int> num_taken{0};

 private:
  ThreadPool& pool_;
};

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_TESTING_TEST_HOSTS_H_
