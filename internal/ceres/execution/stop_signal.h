// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EXECUTION_STOP_SIGNAL_H_
#define CERES_INTERNAL_EXECUTION_STOP_SIGNAL_H_

#include <atomic>
#include <chrono>
#include <limits>

#include "ceres/parallel/cancellation.h"

namespace ceres::internal {

// The exception by which a computation stops. The minimizer catches it; users
// never see it. Results of the computation are unspecified.
struct Stopped {};

// Tells all threads of a solve to stop, because its time is over or because its
// cancellation token is cancelled. Long computations check it between their
// parts.
//
// Set() is called before the solve and does not synchronize. Other functions
// are thread-safe.
class StopSignal {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Reason { kNone, kSolverTime, kCancelled, kTokenDeadline };

  StopSignal() = default;

  // Starts a solve. deadline: time_point::max() if there is none.
  void Set(parallel::CancellationToken token, Clock::time_point deadline) {
    token_ = std::move(token);
    deadline_ = deadline;
    is_enabled_ = token_.CanCancel() || deadline != Clock::time_point::max();
    deadline_counts_.store(false, std::memory_order_relaxed);
    reason_.store(Reason::kNone, std::memory_order_relaxed);
  }

  // Enables the deadline. The minimizer calls it after it has evaluated the
  // start: before, a solve has no result. The token is always enabled.
  void LetDeadlineCount() {
    deadline_counts_.store(true, std::memory_order_relaxed);
  }

  // Whether the solve has a deadline or a token.
  bool is_enabled() const { return is_enabled_; }

  // Throws Stopped if the solve must stop. May read a clock.
  void Check() const {
    if (is_enabled_) CheckAt(parallel::detail::SteadyNow());
  }
  void CheckAt(Clock::time_point now) const {
    if (Look(now) != Reason::kNone) throw Stopped{};
  }

  // The first reason to stop.
  Reason reason() const { return reason_.load(std::memory_order_relaxed); }

 private:
  Reason Look(Clock::time_point now) const;

  parallel::CancellationToken token_;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool is_enabled_ = false;
  std::atomic<bool> deadline_counts_{false};
  mutable std::atomic<Reason> reason_{Reason::kNone};
};

// Checks a signal between steps of unknown cost: about every 20 us if steps are
// short, before each step if they are long. For one thread.
class StopPoller {
 public:
  // signal: null, or outlives the poller.
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
