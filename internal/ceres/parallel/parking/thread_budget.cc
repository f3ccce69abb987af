// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/parking/thread_budget.h"

#include "ceres/parallel/available_concurrency.h"

namespace ceres::parallel::detail {

int NumCpus() {
  // Without a compiler's guard. A child that is forked while another thread is
  // inside the guard would wait for ever.
  static std::atomic<int> num_cpus{0};
  int known = num_cpus.load(std::memory_order_relaxed);
  if (known > 0) return known;
  const int first = AvailableConcurrency();
  return num_cpus.compare_exchange_strong(known, first) ? first : known;
}

namespace {

// Sums with numbers of threads do not overflow.
constexpr int kUnlimited = 1 << 30;

}  // namespace

ThreadBudget::ThreadBudget(PoolWords& words, bool tasks_block)
    : words_(words),
      num_cpus_(NumCpus()),
      default_limit_(tasks_block ? kUnlimited : num_cpus_) {}

int ThreadBudget::MaxAwake() const {
  const int absent = words_.inactive.load(std::memory_order_seq_cst);
  return std::min(NumWorkers(), RunningLimit() - NumCallers() + absent);
}

bool ThreadBudget::CouldJoinForTask() const {
  const int busy = words_.busy.load(std::memory_order_relaxed);
  const int callers =
      NumCallers() - words_.inactive.load(std::memory_order_relaxed);
  return busy == 0 || busy + 1 + callers <= RunningLimit();
}

}  // namespace ceres::parallel::detail
