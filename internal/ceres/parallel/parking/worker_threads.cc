// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parking/worker_threads.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>

#include "ceres/base/platform.h"
#include "ceres/parallel/detail/trace_hooks.h"

namespace ceres::parallel::detail {

CERES_PARALLEL_THREAD_LOCAL ThisWorker this_worker = {nullptr, -1};

Worker* WorkerThreads::StartLocked() {
  List& started = lists_->started;
  try {
    started.emplace_back();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  Worker* const worker = &started.back();
  worker->index = static_cast<int>(started.size()) - 1;
  TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
  try {
    worker->thread = std::thread(main_function_, pool_, worker);
  } catch (...) {
    // Threads that wait do without it.
    started.pop_back();
    return nullptr;
  }
  return worker;
}

Worker* WorkerThreads::RetireNewestLocked() noexcept {
  List& started = lists_->started;
  List& retired = lists_->retired;
  retired.splice(retired.end(), started, std::prev(started.end()));
  return &retired.back();
}

WorkerThreads::List WorkerThreads::TakeGoneLocked() noexcept {
  List& retired = lists_->retired;
  List gone;
  for (auto worker = retired.begin(); worker != retired.end();) {
    const auto next = std::next(worker);
    if (worker->gone.load(std::memory_order_acquire)) {
      gone.splice(gone.end(), retired, worker);
    }
    worker = next;
  }
  return gone;
}

void WorkerThreads::JoinAll() {
  for (Worker& worker : lists_->retired) worker.thread.join();
}

void WorkerThreads::DetachAll() {
  for (Worker& worker : lists_->retired) worker.thread.detach();
}

// Without memory: nobody would catch std::bad_alloc.
void WorkerThreads::NameThisThread(int index) const {
  char number[16];
  const int printed = std::snprintf(number, sizeof(number), "-%d", index);
  const auto digits = static_cast<std::size_t>(printed);
  const std::size_t letters =
      std::min(name_.size(), platform::kMaxThreadName - digits);
  char name[platform::kMaxThreadName + 1];
  std::memcpy(name, name_.data(), letters);
  std::memcpy(name + letters, number, digits + 1);
  platform::NameThisThread(name);
}

}  // namespace ceres::parallel::detail
