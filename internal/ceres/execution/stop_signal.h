// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_STOP_SIGNAL_H_
#define CERES_INTERNAL_EXECUTION_STOP_SIGNAL_H_

#include <atomic>
#include <chrono>
#include <limits>

#include "ceres/parallel/cancellation.h"

namespace ceres::internal {

// Thrown by a thread of a solve that notices the request to stop. The minimizer
// catches it; users never see it. What was being computed is unspecified.
struct Stopped {};

// Tells all threads of a solve to stop: because its time is over or because its
// token says so. Looked at between the pieces of everything that may take long.
//
// Set() happens before the solve and synchronizes nothing; all else may be
// called from any thread.
class StopSignal {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Reason { kNone, kSolverTime, kCancelled, kTokenDeadline };

  StopSignal() = default;

  // Begins anew. time_point::max(): no limit of time.
  void Set(parallel::CancellationToken token, Clock::time_point deadline) {
    token_ = std::move(token);
    deadline_ = deadline;
    is_enabled_ = token_.CanCancel() || deadline != Clock::time_point::max();
    deadline_counts_.store(false, std::memory_order_relaxed);
    reason_.store(Reason::kNone, std::memory_order_relaxed);
  }

  // The deadline, not the token, waits until a solve has evaluated its start:
  // before, it would have nothing to return.
  void LetDeadlineCount() {
    deadline_counts_.store(true, std::memory_order_relaxed);
  }

  // Whether it can ever say stop.
  bool is_enabled() const { return is_enabled_; }

  // Throws Stopped if the solve is to stop. May read a clock.
  void Check() const {
    if (is_enabled_) CheckAt(parallel::detail::SteadyNow());
  }
  void CheckAt(Clock::time_point now) const {
    if (Look(now) != Reason::kNone) throw Stopped{};
  }

  // What it said first.
  Reason reason() const { return reason_.load(std::memory_order_relaxed); }

 private:
  Reason Look(Clock::time_point now) const;

  parallel::CancellationToken token_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool is_enabled_ = false;
  std::atomic<bool> deadline_counts_{false};
  mutable std::atomic<Reason> reason_{Reason::kNone};
};

// Looks at a signal between steps whose cost is not known: about every 20 us
// where they are short, before each step where they are long. For one thread.
class StopPoller {
 public:
  // Null, or a signal that outlives the poller.
  explicit StopPoller(const StopSignal* signal)
      : signal_(signal),
        steps_left_(signal != nullptr && signal->is_enabled()
                        ? 1
                        : std::numeric_limits<int>::max()) {}

  // Before a step. Throws Stopped.
  void Poll() {
    if (--steps_left_ == 0) Look();
  }

 private:
  void Look();

  const StopSignal* signal_;
  int steps_left_;
  int stride_ = 1;
  StopSignal::Clock::time_point last_look_{};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EXECUTION_STOP_SIGNAL_H_
