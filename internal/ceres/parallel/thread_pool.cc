// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace ceres::parallel {

namespace detail {

class PoolState {
 public:
  explicit PoolState(int workers) : num_workers(workers) {}
  std::atomic<int> num_workers;
};

}  // namespace detail

ThreadPool::ThreadPool(int num_workers) {
  if (num_workers < 0) {
    throw std::invalid_argument("ThreadPool: num_workers must not be negative");
  }
  state_ = std::make_unique<detail::PoolState>(num_workers);
}

ThreadPool::~ThreadPool() = default;

ThreadPool& ThreadPool::Default() {
  static ThreadPool* const pool = new ThreadPool(0);
  return *pool;
}

int ThreadPool::NumWorkers() const { return state_->num_workers; }
void ThreadPool::Resize(int num_workers) { state_->num_workers = num_workers; }
void ThreadPool::EnsureMinimumWorkers(int num_workers) {
  state_->num_workers = std::max(NumWorkers(), num_workers);
}
void ThreadPool::SetRunningLimit(int limit) { static_cast<void>(limit); }
bool ThreadPool::IsWorkerThread() const { return false; }
bool ThreadPool::Invite(Invitation invitation) {
  static_cast<void>(invitation);
  return false;
}

}  // namespace ceres::parallel
