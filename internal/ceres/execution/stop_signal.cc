// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/execution/stop_signal.h"

#include <algorithm>

#include "ceres/base/clock.h"

namespace ceres::internal {

StopSignal::Reason StopSignal::Look(Clock::time_point now) const {
  Reason reason = this->reason();
  if (reason != Reason::kNone) return reason;
  switch (token_.Check()) {
    case parallel::Status::kCancelled:
      reason = Reason::kCancelled;
      break;
    case parallel::Status::kDeadlineExceeded:
      reason = Reason::kTokenDeadline;
      break;
    case parallel::Status::kCompleted:
      if (deadline_counts_.load(std::memory_order_relaxed) &&
          now >= deadline_) {
        reason = Reason::kSolverTime;
      }
      break;
  }
  if (reason == Reason::kNone) return reason;
  // One answer for all threads.
  Reason first = Reason::kNone;
  return reason_.compare_exchange_strong(first, reason,
                                         std::memory_order_relaxed)
             ? reason
             : first;
}

void StopPoller::Look() {
  // A disabled signal after very many steps.
  if (signal_ == nullptr || !signal_->is_enabled()) {
    steps_left_ = std::numeric_limits<int>::max();
    return;
  }
  constexpr std::chrono::microseconds kPeriod(20);
  constexpr int kLongestStride = 64;
  const StopSignal::Clock::time_point now = parallel::detail::SteadyNow();
  signal_->CheckAt(now);
  stride_ = now - last_look_ < kPeriod ? std::min(2 * stride_, kLongestStride)
                                       : std::max(stride_ / 4, 1);
  last_look_ = now;
  steps_left_ = stride_;
}

}  // namespace ceres::internal
