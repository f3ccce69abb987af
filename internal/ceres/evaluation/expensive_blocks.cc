// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/expensive_blocks.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"

// All times are in nanoseconds.

namespace ceres::internal {
namespace {

constexpr float kUnknown = -1.0f;

}  // namespace

bool ExpensiveBlocks::Possible(const BlockJacobianStructure& structure,
                               const Execution& execution) {
  return structure.num_row_blocks() > 1 &&
         (!execution.IsSerial() || execution.on_demand != nullptr);
}

ExpensiveBlocks::ExpensiveBlocks(const BlockJacobianStructure& structure,
                                 const Execution& execution)
    : structure_(structure),
      execution_(execution),
      threads_(execution),
      num_threads_(MostThreads(execution)),
      row_chunks_(structure.num_row_chunks(),
                  {{kUnknown, kUnknown}, kUnknown, /*first_deferred=*/0}) {}

void ExpensiveBlocks::BeginWatching(const Evaluation& evaluation) {
  kind_ = evaluation.jacobian != nullptr ? Kind::kJacobian : Kind::kCost;
  plain_evaluations_ = 0;
  for (int row_chunk = 0; row_chunk < structure_.num_row_chunks();
       ++row_chunk) {
    row_chunks_[row_chunk].time = kUnknown;
    row_chunks_[row_chunk].first_deferred =
        structure_.row_chunk_first_row[row_chunk + 1];
  }
  deferred_.clear();
}

bool ExpensiveBlocks::IsExpensive(float time, int num_rows,
                                  bool is_large_share) const {
  const float row_time = time / static_cast<float>(num_rows);
  return num_rows > 1 && time >= kMinExpensiveTime &&
         (row_time >= kLongRowTime ||
          (row_time >= kMinExpensiveRowTime && is_large_share));
}

// Reads the last evaluation of this kind. If there is none, the other kind.
float ExpensiveBlocks::LastTime(int row_chunk) const {
  const int kind = static_cast<int>(kind_);
  const std::array<float, 2>& times = row_chunks_[row_chunk].times;
  return times[kind] >= 0.0f ? times[kind] : times[1 - kind];
}

bool ExpensiveBlocks::IsKnownToBeExpensive(int row_chunk) const {
  const float time = LastTime(row_chunk);
  if (time < kMinExpensiveTime) return false;
  float total = 0.0f;
  for (int k = 0; k < structure_.num_row_chunks(); ++k) total += LastTime(k);
  const int num_rows = structure_.row_chunk_first_row[row_chunk + 1] -
                       structure_.row_chunk_first_row[row_chunk];
  // Row chunks that take a small part of a thread's time are shared well as a
  // whole.
  return IsExpensive(time, num_rows,
                     time * static_cast<float>(2 * num_threads_) > total);
}

bool ExpensiveBlocks::TurnsOutToBeExpensive(int row_chunk, int num_done,
                                            float time) const {
  const int num_left = structure_.row_chunk_first_row[row_chunk + 1] -
                       structure_.row_chunk_first_row[row_chunk] - num_done;
  const float left =
      time / static_cast<float>(num_done) * static_cast<float>(num_left);
  // The time that was seen must be long too: first calls are slow.
  return std::min(time, left) >= 0.5f * kMinExpensiveTime &&
         IsExpensive(time + left, num_done + num_left,
                     structure_.num_row_chunks() < 2 * num_threads_);
}

int ExpensiveBlocks::RowChunkWatch::NextRows(int row) {
  const int num_done =
      row - blocks_->structure_.row_chunk_first_row[row_chunk_];
  if (num_done == 0) {
    start_ = base::Now();
    if (blocks_->IsKnownToBeExpensive(row_chunk_)) return 0;
    batch_ = 1;
  } else {
    const float time = base::Nanoseconds(base::Now() - start_);
    if (blocks_->TurnsOutToBeExpensive(row_chunk_, num_done, time)) return 0;
    batch_ = std::min(2 * batch_, kMaxClaimedRows);
  }
  return batch_;
}

void ExpensiveBlocks::RowChunkWatch::Stop() {
  if (!is_on()) return;
  blocks_->row_chunks_[row_chunk_].time =
      base::Nanoseconds(base::Now() - start_);
}

EvaluationStrategy::Outcome ExpensiveBlocks::Evaluate(
    const Evaluation& /*evaluation*/, const RowBatch& batch,
    const Worker& /*worker*/, double* /*cost*/) {
  row_chunks_[batch.row_chunk].first_deferred = batch.begin;
  return Outcome::kDeferred;
}

bool ExpensiveBlocks::HasDeferredRows() {
  for (int row_chunk = 0; row_chunk < structure_.num_row_chunks();
       ++row_chunk) {
    if (row_chunks_[row_chunk].first_deferred <
        structure_.row_chunk_first_row[row_chunk + 1]) {
      return true;
    }
  }
  Learn();
  return false;
}

const Execution& ExpensiveBlocks::Threads() {
  if (threads_.IsSerial() && threads_.on_demand != nullptr) {
    threads_ = execution_.on_demand->Make(execution_);
  }
  return threads_;
}

void ExpensiveBlocks::ListDeferredRows() {
  int num_rows = 0;
  for (int row_chunk = 0; row_chunk < structure_.num_row_chunks();
       ++row_chunk) {
    const DeferredRows rows = {row_chunk, row_chunks_[row_chunk].first_deferred,
                               structure_.row_chunk_first_row[row_chunk + 1],
                               num_rows};
    if (rows.begin == rows.end) continue;
    deferred_.push_back(rows);
    num_rows += rows.end - rows.begin;
  }
  notes_.assign(num_rows, Note());
  for (const int row : long_rows_) {
    const DeferredRows* const rows = FindDeferredRow(row);
    if (rows != nullptr) notes_[IndexOf(*rows, row)].is_long = true;
  }
}

// Null: the row is not deferred.
const ExpensiveBlocks::DeferredRows* ExpensiveBlocks::FindDeferredRow(
    int row) const {
  const auto rows = std::upper_bound(
      deferred_.begin(), deferred_.end(), row,
      [](int value, const DeferredRows& rows) { return value < rows.end; });
  return rows == deferred_.end() || row < rows->begin ? nullptr : &*rows;
}

// From the rows of the row chunks that were evaluated, or from the last
// evaluation.
float ExpensiveBlocks::PredictTime() const {
  float time = 0.0f;
  for (const DeferredRows& rows : deferred_) {
    const int num_done =
        rows.begin - structure_.row_chunk_first_row[rows.row_chunk];
    time += num_done == 0 ? LastTime(rows.row_chunk)
                          : row_chunks_[rows.row_chunk].time *
                                static_cast<float>(rows.end - rows.begin) /
                                static_cast<float>(num_done);
  }
  return time;
}

// Indices: first the long rows, then all deferred rows. A long row that has
// been evaluated by its first index is skipped at its second one.
void ExpensiveBlocks::EvaluateIndex(const EvaluateRow& evaluate, int thread_id,
                                    int index) {
  const int num_long = static_cast<int>(long_rows_.size());
  const DeferredRows* rows;
  int row;
  if (index < num_long) {
    row = long_rows_[index];
    rows = FindDeferredRow(row);
    if (rows == nullptr) return;
  } else {
    index -= num_long;
    rows = &*std::upper_bound(deferred_.begin(), deferred_.end(), index,
                              [](int value, const DeferredRows& rows) {
                                return value < rows.first_index;
                              }) -
           1;
    row = rows->begin + index - rows->first_index;
    if (notes_[index].is_long) return;
  }
  Note& note = notes_[IndexOf(*rows, row)];
  const base::Ticks start = base::Now();
  evaluate(thread_id, rows->row_chunk, row, &note.cost);
  note.time = base::Nanoseconds(base::Now() - start);
}

void ExpensiveBlocks::EvaluateDeferredRows(const EvaluateRow& evaluate) {
  ListDeferredRows();
  const Execution& threads = Threads();
  const int num_long = static_cast<int>(long_rows_.size());
  const int num_rows = static_cast<int>(notes_.size());
  const float row_time = PredictTime() / static_cast<float>(num_rows);
  // A claim with two long rows would take longest.
  const int grain =
      num_long > 0
          ? 1
          : static_cast<int>(std::clamp(kClaimTime / row_time, 1.0f,
                                        static_cast<float>(kMaxClaimedRows)));
  ParallelForInOrder(threads, 0, num_long + num_rows, grain, row_time,
                     [&](int thread_id, IndexRange range) {
                       StopPoller poller(threads.stop);
                       for (int index = range.begin; index < range.end;
                            ++index) {
                         poller.Poll();
                         EvaluateIndex(evaluate, thread_id, index);
                       }
                     });
  Learn();
}

void ExpensiveBlocks::Learn() {
  double total_time = 0.0;
  for (const DeferredRows& rows : deferred_) {
    double time = 0.0;
    for (int row = rows.begin; row < rows.end; ++row) {
      time += notes_[IndexOf(rows, row)].time;
    }
    row_chunks_[rows.row_chunk].time += static_cast<float>(time);
    total_time += time;
  }
  for (RowChunk& row_chunk : row_chunks_)
    row_chunk.times[static_cast<int>(kind_)] = row_chunk.time;
  if (deferred_.empty()) {
    plain_evaluations_ = kWatchDistance - 1;
  } else {
    FindLongRows(total_time);
  }
}

void ExpensiveBlocks::FindLongRows(double total_time) {
  const auto limit = static_cast<float>(total_time / (4 * num_threads_));
  std::vector<std::pair<float, int>> long_rows;  // time, row
  for (const DeferredRows& rows : deferred_) {
    for (int row = rows.begin; row < rows.end; ++row) {
      const float time = notes_[IndexOf(rows, row)].time;
      if (time >= limit) long_rows.emplace_back(time, row);
    }
  }
  std::sort(long_rows.begin(), long_rows.end(), std::greater<>());
  long_rows_.clear();
  for (const auto& [time, row] : long_rows) long_rows_.push_back(row);
}

}  // namespace ceres::internal
