// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_LOOPS_STOPPABLE_BODY_H_
#define CERES_INTERNAL_PARALLEL_LOOPS_STOPPABLE_BODY_H_

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <exception>

#include "ceres/base/clock.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/loops/loop_tuning.h"

namespace ceres::parallel::detail {

// The number of indices of this cost that fit into the time, at least 1.
inline std::int64_t LengthOf(float time, float cost, std::int64_t at_most) {
  const float length = time / std::max(cost, 1e-3f);
  if (length >= static_cast<float>(at_most)) return at_most;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(length));
}

// The body of a loop with a token. Keeps the first exception itself, so that it
// is not taken for the exception that stops the loop.
//
// Correctness of failed_: only the thread that sets it first writes error_,
// which the caller reads after the wait of the loop. status_ likewise.
class StoppableBody {
 public:
  StoppableBody(ErasedBody body, const CancellationToken& token, float cost,
                std::int64_t grain)
      : body_(body), token_(token), cost_(cost), grain_(grain) {}

  ErasedBody Erase() { return {&Run, this}; }

  // Call it in the handler of the exception that ended the loop.
  Status RethrowOrStatus() const {
    if (error_) std::rethrow_exception(error_);
    const Status status = status_.load(std::memory_order_relaxed);
    if (status == Status::kCompleted) throw;
    return status;
  }

 private:
  static void Run(void* closure, int participant, std::int64_t begin,
                  std::int64_t end) {
    static_cast<StoppableBody*>(closure)->RunPieces(participant, begin, end);
  }

  void RunPieces(int participant, std::int64_t begin, std::int64_t end) {
    // The first piece of each span is a short one: the cost that the loop
    // remembers is the least of what it has seen.
    std::int64_t piece = grain_;
    if (std::isfinite(cost_)) {
      piece =
          std::max(piece, LengthOf(kTokenLookInterval / 8, cost_, end - begin));
    }
    while (true) {
      StopIfTold();
      const std::int64_t rest = end - begin;
      // A rest of less than a grain joins the last piece.
      if (rest <= piece || rest - piece < grain_) {
        RunPiece(participant, begin, end);
        return;
      }
      const base::Ticks start = base::Now();
      RunPiece(participant, begin, begin + piece);
      begin += piece;
      piece =
          NextPiece(piece, base::Nanoseconds(base::Now() - start), end - begin);
    }
  }

  std::int64_t NextPiece(std::int64_t piece, float time,
                         std::int64_t rest) const {
    const float cost = time / static_cast<float>(piece);
    const std::int64_t fitting = LengthOf(kTokenLookInterval, cost, rest);
    // Eight times at most: the clock's own time counts in short pieces.
    return std::max(grain_, fitting / 8 > piece ? 8 * piece : fitting);
  }

  void StopIfTold() {
    if (failed_.load(std::memory_order_relaxed)) {
      throw StoppedByToken(Status::kCancelled);
    }
    const Status status = token_.Check();
    if (status == Status::kCompleted) return;
    Status none = Status::kCompleted;
    status_.compare_exchange_strong(none, status, std::memory_order_relaxed);
    throw StoppedByToken(status);
  }

  void RunPiece(int participant, std::int64_t begin, std::int64_t end) {
    try {
      body_(participant, begin, end);
    } catch (...) {
      if (!failed_.exchange(true, std::memory_order_relaxed)) {
        error_ = std::current_exception();
      }
      throw;
    }
  }

  const ErasedBody body_;
  const CancellationToken& token_;
  const float cost_;
  const std::int64_t grain_;
  std::atomic<Status> status_{Status::kCompleted};
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // Written by the thread that set failed_.
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_LOOPS_STOPPABLE_BODY_H_
