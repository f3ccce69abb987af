// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/future.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/tasks/thread_queues.h"
#include "ceres/parallel/this_thread.h"

namespace ceres::parallel {
namespace {

void CheckNumWorkers(const char* function, int num_workers) {
  if (num_workers < 0) {
    throw std::invalid_argument(
        std::string("ThreadPool::") + function + ": num_workers is " +
        std::to_string(num_workers) + ", must not be negative");
  }
}

std::unique_ptr<detail::WorkSource> MakeQueues(detail::PoolState& pool) {
  return std::make_unique<detail::ThreadQueues>(pool);
}

}  // namespace

ThreadPool::ThreadPool() : ThreadPool(ThreadPoolOptions()) {}

ThreadPool::ThreadPool(int num_workers) {
  CheckNumWorkers("ThreadPool", num_workers);
  ThreadPoolOptions options;
  options.num_workers = num_workers;
  state_ = new detail::PoolState(this, options, &MakeQueues);
  num_workers_ = &state_->num_workers();
}

ThreadPool::ThreadPool(const ThreadPoolOptions& options) {
  ThreadPoolOptions checked = options;
  if (options.num_workers == -1) {
    checked.num_workers = std::max(1, detail::NumCpus() - 1);
  }
  CheckNumWorkers("ThreadPool", checked.num_workers);
  state_ = new detail::PoolState(this, checked, &MakeQueues);
  num_workers_ = &state_->num_workers();
}

ThreadPool::~ThreadPool() {
  switch (state_->EndHere()) {
    case detail::PoolState::End::kOrderly:
      state_->WaitForAll();
      delete state_;
      break;
    case detail::PoolState::End::kOfProcess:
      state_->Abandon();
      break;
    case detail::PoolState::End::kForbidden:
      std::cerr << "A ThreadPool is destroyed inside one of its own tasks, "
                   "loops or workers; destroy it in another thread"
                << std::endl;
      std::terminate();
  }
}

ThreadPool& ThreadPool::Default() {
  // Without a guard: see detail::NumCpus.
  static std::atomic<ThreadPool*> pool{nullptr};
  ThreadPool* known = pool.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<ThreadPool>(ThreadPoolOptions());
  if (pool.compare_exchange_strong(known, made.get())) known = made.release();
  return *known;
}

int ThreadPool::MaxConcurrency() const { return state_->MaxConcurrency(); }

void ThreadPool::Resize(int num_workers) {
  CheckNumWorkers("Resize", num_workers);
  if (IsWorkerThread()) {
    throw std::logic_error("ThreadPool::Resize called in a worker of the pool");
  }
  state_->Resize(num_workers);
}

void ThreadPool::EnsureMinimumWorkers(int num_workers) {
  state_->EnsureMinimumWorkers(num_workers);
}

void ThreadPool::SetRunningLimit(int limit) { state_->SetRunningLimit(limit); }
int ThreadPool::RunningLimit() const { return state_->RunningLimit(); }

void ThreadPool::SetSharing(Sharing sharing) {
  state_->SetAlwaysShares(sharing == Sharing::kAlways);
}

void ThreadPool::WaitForAll() { state_->WaitForAll(); }

void ThreadPool::SetExceptionHandler(
    std::function<void(std::exception_ptr)> handler) {
  state_->SetExceptionHandler(std::move(handler));
}

bool ThreadPool::IsWorkerThread() const { return state_->IsWorkerThread(); }

bool ThreadPool::Invite(Invitation invitation) {
  if (NumWorkers() == 0) return false;
  Detach(*this, invitation);
  return true;
}

ThreadPool* this_thread::Pool() {
  const detail::Participation* const current = detail::current_participation;
  if (current != nullptr && current->pool != nullptr) {
    return current->pool->owner();
  }
  const detail::PoolState* const pool = detail::this_worker.pool;
  return pool != nullptr ? pool->owner() : nullptr;
}

int this_thread::WorkerIndex() { return detail::this_worker.index; }

}  // namespace ceres::parallel
