// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_CANCELLATION_H_
#define CERES_PUBLIC_PARALLEL_CANCELLATION_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>

#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/status.h"

namespace ceres::parallel {

namespace detail {
struct CancellationState;
}  // namespace detail

// A request to stop work that is spread over threads. Work that has a token
// checks it before each piece. A piece that has begun is not interrupted, but
// may check the token itself.
//
// A token is a pointer. A token that was not made by a source is null and never
// cancels; to copy, to test or to destroy it takes a comparison. All options
// therefore hold tokens by value. Copies share their state, which lives as long
// as one of them. Thread-safe. A cancellation does not synchronize other
// memory.
class CancellationToken {
 public:
  // The clock of deadlines.
  using Clock = std::chrono::steady_clock;

  CancellationToken() = default;
  // The copy has the state of the other token.
  CancellationToken(const CancellationToken& other) noexcept
      : state_(other.state_) {
    if (state_ != nullptr) Share();
  }
  // Takes the state of the other token, which then never cancels.
  CancellationToken(CancellationToken&& other) noexcept
      : state_(std::exchange(other.state_, nullptr)) {}
  CancellationToken& operator=(const CancellationToken& other) noexcept {
    if (state_ != other.state_) *this = CancellationToken(other);
    return *this;
  }
  CancellationToken& operator=(CancellationToken&& other) noexcept {
    if (state_ != other.state_) std::swap(state_, other.state_);
    return *this;
  }
  ~CancellationToken() {
    if (state_ != nullptr) Release();
  }

  // Returns false if the token never cancels.
  bool CanCancel() const { return state_ != nullptr; }

  // Returns whether the work should stop. Reads a clock if there is a deadline.
  bool IsCancelled() const { return Check() != Status::kCompleted; }

  // Returns kCompleted if the work should go on, and otherwise the reason to
  // stop: kCancelled or kDeadlineExceeded.
  inline Status Check() const;

  // The earliest deadline; time_point::max() if there is none.
  inline Clock::time_point Deadline() const;

 private:
  friend class CancellationSource;
  // Takes over one reference.
  explicit CancellationToken(detail::CancellationState* state)
      : state_(state) {}

  inline void Share() const noexcept;
  inline void Release() const noexcept;

  detail::CancellationState* state_ = nullptr;
};

namespace detail {

struct CancellationState {
  std::atomic<std::uint32_t> references{1};
  std::atomic<bool> cancelled{false};
  std::chrono::steady_clock::time_point deadline =
      std::chrono::steady_clock::time_point::max();
  CancellationToken parent;
};

}  // namespace detail

inline Status CancellationToken::Check() const {
  bool has_deadline = false;
  for (const auto* state = state_; state != nullptr;
       state = state->parent.state_) {
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

inline CancellationToken::Clock::time_point CancellationToken::Deadline()
    const {
  Clock::time_point earliest = Clock::time_point::max();
  for (const auto* state = state_; state != nullptr;
       state = state->parent.state_) {
    if (state->deadline < earliest) earliest = state->deadline;
  }
  return earliest;
}

inline void CancellationToken::Share() const noexcept {
  // The caller's reference keeps the state, so nothing needs to be ordered.
  state_->references.fetch_add(1, std::memory_order_relaxed);
}

inline void CancellationToken::Release() const noexcept {
  // The thread that drops the last reference deletes the state, after all
  // accesses of the other threads: release by them, acquire by it. A loop, not
  // a recursion, along the parents, of which there may be any number.
  detail::CancellationState* state = state_;
  while (state != nullptr &&
         state->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    detail::CancellationState* const parent =
        std::exchange(state->parent.state_, nullptr);
    delete state;
    state = parent;
  }
}

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
  explicit CancellationSource(CancellationToken parent)
      : CancellationSource(Clock::time_point::max(), std::move(parent)) {}

  // Cancels also at the deadline, or after the timeout: at once if the timeout
  // is not positive. Check() of the token then returns kDeadlineExceeded.
  explicit CancellationSource(Clock::time_point deadline,
                              CancellationToken parent = {})
      : token_(new detail::CancellationState) {
    token_.state_->deadline = deadline;
    token_.state_->parent = std::move(parent);
  }
  template <typename Rep, typename Period>
  explicit CancellationSource(std::chrono::duration<Rep, Period> timeout,
                              CancellationToken parent = {})
      : CancellationSource(detail::DeadlineAfter(timeout), std::move(parent)) {}

  // The token of this source.
  CancellationToken token() const { return token_; }

  // Cancels the token.
  void Cancel() {
    token_.state_->cancelled.store(true, std::memory_order_relaxed);
  }

 private:
  CancellationToken token_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_CANCELLATION_H_
