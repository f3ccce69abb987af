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

// Asks work that is spread over threads to stop. Work that was given a token
// looks at it before each piece. A piece that has begun is not interrupted, but
// may look itself.
//
// A token is a small value: copy it freely. A token that was not made by a
// source never cancels. Thread-safe. Seeing a cancellation does not synchronize
// other memory.
class CancellationToken {
 public:
  using Clock = std::chrono::steady_clock;

  CancellationToken() = default;

  // Whether the token can ever cancel.
  bool CanCancel() const { return state_ != nullptr; }

  // Whether the work should stop. Reads a clock if there is a deadline.
  bool IsCancelled() const { return Check() != Status::kCompleted; }

  // Why the work should stop; kCompleted: it should not.
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

// Makes a token and cancels it. The token, and its copies, outlive the source
// and keep their state. A source made with a parent is cancelled when the
// parent is. Copies of a source cancel the same token.
//
// token() and Cancel() may be called from any thread. Cancelling twice is like
// cancelling once. A cancellation cannot be taken back: make a new source.
class CancellationSource {
 public:
  using Clock = CancellationToken::Clock;

  CancellationSource() : CancellationSource(Clock::time_point::max()) {}
  explicit CancellationSource(const CancellationToken& parent)
      : CancellationSource(Clock::time_point::max(), parent) {}

  // Cancels by itself at the deadline, or after the timeout: at once if that is
  // not positive. The token then says kDeadlineExceeded.
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

  CancellationToken token() const { return CancellationToken(state_); }

  void Cancel() { state_->cancelled.store(true, std::memory_order_relaxed); }

 private:
  std::shared_ptr<detail::CancellationState> state_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_CANCELLATION_H_
