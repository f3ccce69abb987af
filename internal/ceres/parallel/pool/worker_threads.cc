// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/pool/worker_threads.h"

#include <algorithm>
#include <iterator>
#include <new>

#include "ceres/base/platform.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/pool_state.h"

namespace ceres::parallel::detail {

CERES_PARALLEL_THREAD_LOCAL ThisWorker this_worker = {nullptr, -1};

Worker* WorkerThreads::StartLocked() {
  List& started = lists_->started;
  try {
    started.push_back(std::make_unique<Worker>());
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  Worker* const worker = started.back().get();
  worker->index = static_cast<int>(started.size()) - 1;
  TraceMoment(TraceKind::kWakeIssued, TraceId(worker));
  try {
    worker->thread =
        std::thread([pool = pool_, worker] { pool->RunWorker(worker); });
  } catch (...) {
    // Threads that wait do without it.
    started.pop_back();
    return nullptr;
  }
  return worker;
}

Worker* WorkerThreads::RetireNewestLocked() {
  List& started = lists_->started;
  Worker* const worker = started.back().get();
  lists_->retired.push_back(std::move(started.back()));
  started.pop_back();
  return worker;
}

WorkerThreads::List WorkerThreads::TakeGoneLocked() {
  List& retired = lists_->retired;
  const auto first_gone =
      std::partition(retired.begin(), retired.end(), [](const auto& worker) {
        return !worker->gone.load(std::memory_order_acquire);
      });
  List gone(std::make_move_iterator(first_gone),
            std::make_move_iterator(retired.end()));
  retired.erase(first_gone, retired.end());
  return gone;
}

void WorkerThreads::JoinAll() {
  for (const auto& worker : lists_->retired) worker->thread.join();
}

void WorkerThreads::DetachAll() {
  for (const auto& worker : lists_->retired) worker->thread.detach();
}

void WorkerThreads::NameThisThread(int index) const {
  constexpr std::size_t kMaxLength = platform::kMaxThreadName;
  const std::string number = "-" + std::to_string(index);
  const std::string name =
      name_.substr(0, kMaxLength - std::min(kMaxLength, number.size())) +
      number;
  platform::NameThisThread(name.c_str());
}

}  // namespace ceres::parallel::detail
