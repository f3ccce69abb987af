// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_CANCELLATION_H_
#define CERES_PUBLIC_PARALLEL_CANCELLATION_H_

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/status.h"

namespace ceres::parallel {

namespace detail {

struct CancellationState {
  std::atomic<bool> cancelled{false};
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
  std::shared_ptr<const CancellationState> parent;
};

}  // namespace detail

// A request to stop work that is spread over threads. Work that has a token
// checks it before each piece. A piece that has begun is not interrupted, but
// may check the token itself.
//
// A token is small and cheap to copy. A token that was not made by a source
// never cancels. Thread-safe. A cancellation does not synchronize other memory.
class CancellationToken {
 public:
  // The clock of deadlines.
  using Clock = std::chrono::steady_clock;

  CancellationToken() = default;

  // Returns false if the token never cancels.
  bool CanCancel() const { return state_ != nullptr; }

  // Returns whether the work should stop. Reads a clock if there is a deadline.
  bool IsCancelled() const { return Check() != Status::kCompleted; }

  // Returns kCompleted if the work should go on, and otherwise the reason to
  // stop: kCancelled or kDeadlineExceeded.
  Status Check() const {
    bool has_deadline = false;
    for (const auto* state = state_.get(); state != nullptr;
         state = state->parent.get()) {
      if (state->cancelled.load(std::memory_order_relaxed)) {
        return Status::kCancelled;
      }
      has_deadline |= state->deadline != Clock::time_point::max();
    }
    if (has_deadline && detail::SteadyNow() >= Deadline()) {
      return Status::kDeadlineExceeded;
    }
    return Status::kCompleted;
  }

  // The earliest deadline; time_point::max() if there is none.
  Clock::time_point Deadline() const {
    Clock::time_point earliest = Clock::time_point::max();
    for (const auto* state = state_.get(); state != nullptr;
         state = state->parent.get()) {
      if (state->deadline < earliest) earliest = state->deadline;
    }
    return earliest;
  }

 private:
  friend class CancellationSource;
  explicit CancellationToken(
      std::shared_ptr<const detail::CancellationState> state)
      : state_(std::move(state)) {}

  std::shared_ptr<const detail::CancellationState> state_;
};

// Makes a token and cancels it. The token and its copies may outlive the
// source; they keep their state. A source made with a parent is cancelled when
// the parent is. Copies of a source cancel the same token.
//
// token() and Cancel() may be called from any thread. A second Cancel() has no
// effect. A cancellation cannot be revoked: make a new source.
class CancellationSource {
 public:
  // The clock of deadlines.
  using Clock = CancellationToken::Clock;

  // Cancels only by Cancel().
  CancellationSource() : CancellationSource(Clock::time_point::max()) {}
  // Cancels by Cancel(), or when the parent cancels.
  explicit CancellationSource(const CancellationToken& parent)
      : CancellationSource(Clock::time_point::max(), parent) {}

  // Cancels also at the deadline, or after the timeout: at once if the timeout
  // is not positive. Check() of the token then returns kDeadlineExceeded.
  explicit CancellationSource(Clock::time_point deadline,
                              const CancellationToken& parent = {})
      : state_(std::make_shared<detail::CancellationState>()) {
    state_->deadline = deadline;
    state_->parent = parent.state_;
  }
  template <typename Rep, typename Period>
  explicit CancellationSource(std::chrono::duration<Rep, Period> timeout,
                              const CancellationToken& parent = {})
      : CancellationSource(detail::DeadlineAfter(timeout), parent) {}

  // The token of this source.
  CancellationToken token() const { return CancellationToken(state_); }

  // Cancels the token.
  void Cancel() { state_->cancelled.store(true, std::memory_order_relaxed); }

 private:
  std::shared_ptr<detail::CancellationState> state_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_CANCELLATION_H_
