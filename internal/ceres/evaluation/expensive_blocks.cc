// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/expensive_blocks.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"

// All times are nanoseconds.

namespace ceres::internal {
namespace {

using parallel::detail::Nanoseconds;
using parallel::detail::Now;
using parallel::detail::Ticks;

// Less is not worth the threads that may have to be woken for it.
constexpr float kMinTime = 50e3f;
// Shorter rows are the row chunks' business: what is added up from their row
// blocks should be so while these are in the cache.
constexpr float kMinRowTime = 250.0f;
// Of rows that take longer, calls are all that counts.
constexpr float kLongRowTime = 10e3f;
// Of cheap evaluations one in so many is watched.
constexpr int kWatchDistance = 16;
// Rows of this time together are worth a claim.
constexpr float kClaimTime = 2000.0f;
constexpr int kMaxBatch = 16;

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
                  {{kUnknown, kUnknown}, kUnknown, /*first_left=*/0}) {}

void ExpensiveBlocks::Begin(Kind kind) {
  kind_ = kind;
  plain_evaluations_ = 0;
  for (int row_chunk = 0; row_chunk < structure_.num_row_chunks();
       ++row_chunk) {
    row_chunks_[row_chunk].time = kUnknown;
    row_chunks_[row_chunk].first_left =
        structure_.row_chunk_first_row[row_chunk + 1];
  }
  rest_.clear();
}

bool ExpensiveBlocks::IsExpensive(float time, int num_rows,
                                  bool is_large_share) const {
  const float row_time = time / static_cast<float>(num_rows);
  return num_rows > 1 && time >= kMinTime &&
         (row_time >= kLongRowTime ||
          (row_time >= kMinRowTime && is_large_share));
}

// Of this kind or, if there was none, of the other.
float ExpensiveBlocks::LastTime(int row_chunk) const {
  const int kind = static_cast<int>(kind_);
  const std::array<float, 2>& times = row_chunks_[row_chunk].times;
  return times[kind] >= 0.0f ? times[kind] : times[1 - kind];
}

bool ExpensiveBlocks::IsKnownToBeExpensive(int row_chunk) const {
  const float time = LastTime(row_chunk);
  if (time < kMinTime) return false;
  float total = 0.0f;
  for (int k = 0; k < structure_.num_row_chunks(); ++k) total += LastTime(k);
  const int num_rows = structure_.row_chunk_first_row[row_chunk + 1] -
                       structure_.row_chunk_first_row[row_chunk];
  // Row chunks that are short, compared with what a thread has to do, share
  // well.
  return IsExpensive(time, num_rows,
                     time * static_cast<float>(2 * num_threads_) > total);
}

bool ExpensiveBlocks::TurnsOutToBeExpensive(int row_chunk, int num_done,
                                            float time) const {
  const int num_left = structure_.row_chunk_first_row[row_chunk + 1] -
                       structure_.row_chunk_first_row[row_chunk] - num_done;
  const float left =
      time / static_cast<float>(num_done) * static_cast<float>(num_left);
  // What was seen counts as much as what is expected: first calls are slow.
  return std::min(time, left) >= 0.5f * kMinTime &&
         IsExpensive(time + left, num_done + num_left,
                     structure_.num_row_chunks() < 2 * num_threads_);
}

int ExpensiveBlocks::RowChunkWatch::NextRows(int row) {
  const int num_done = row - rows_->structure_.row_chunk_first_row[row_chunk_];
  if (num_done == 0) {
    start_ = Now();
    if (rows_->IsKnownToBeExpensive(row_chunk_)) return 0;
    batch_ = 1;
  } else {
    const float time = Nanoseconds(Now() - start_);
    if (rows_->TurnsOutToBeExpensive(row_chunk_, num_done, time)) return 0;
    batch_ = std::min(2 * batch_, kMaxBatch);
  }
  return batch_;
}

void ExpensiveBlocks::RowChunkWatch::Stop(int row) {
  if (!is_on()) return;
  rows_->row_chunks_[row_chunk_].time = Nanoseconds(Now() - start_);
  rows_->row_chunks_[row_chunk_].first_left = row;
}

bool ExpensiveBlocks::HasRest() {
  for (int row_chunk = 0; row_chunk < structure_.num_row_chunks();
       ++row_chunk) {
    if (row_chunks_[row_chunk].first_left <
        structure_.row_chunk_first_row[row_chunk + 1]) {
      return true;
    }
  }
  Learn();
  return false;
}

const Execution& ExpensiveBlocks::ThreadsForRest() {
  if (threads_.IsSerial() && threads_.on_demand != nullptr) {
    threads_ = execution_.on_demand->Make(execution_);
  }
  return threads_;
}

void ExpensiveBlocks::ListRest() {
  int num_rows = 0;
  for (int row_chunk = 0; row_chunk < structure_.num_row_chunks();
       ++row_chunk) {
    const Rest rest = {row_chunk, row_chunks_[row_chunk].first_left,
                       structure_.row_chunk_first_row[row_chunk + 1], num_rows};
    if (rest.begin == rest.end) continue;
    rest_.push_back(rest);
    num_rows += rest.end - rest.begin;
  }
  notes_.assign(num_rows, Note());
  for (const int row : long_rows_) {
    const Rest* const rest = FindRest(row);
    if (rest != nullptr) notes_[IndexOf(*rest, row)].is_long = true;
  }
}

// Null: the row is not left.
const ExpensiveBlocks::Rest* ExpensiveBlocks::FindRest(int row) const {
  const auto rest = std::upper_bound(
      rest_.begin(), rest_.end(), row,
      [](int value, const Rest& rest) { return value < rest.end; });
  return rest == rest_.end() || row < rest->begin ? nullptr : &*rest;
}

// By what was done of its row chunks, or by the last time.
float ExpensiveBlocks::PredictRest() const {
  float time = 0.0f;
  for (const Rest& rest : rest_) {
    const int num_done =
        rest.begin - structure_.row_chunk_first_row[rest.row_chunk];
    time += num_done == 0 ? LastTime(rest.row_chunk)
                          : row_chunks_[rest.row_chunk].time *
                                static_cast<float>(rest.end - rest.begin) /
                                static_cast<float>(num_done);
  }
  return time;
}

// One of the rows to begin with or, behind these, one of all that are left.
void ExpensiveBlocks::EvaluateIndex(const EvaluateRow& evaluate, int thread_id,
                                    int index) {
  const int num_long = static_cast<int>(long_rows_.size());
  const Rest* rest;
  int row;
  if (index < num_long) {
    row = long_rows_[index];
    rest = FindRest(row);
    if (rest == nullptr) return;
  } else {
    index -= num_long;
    rest = &*std::upper_bound(rest_.begin(), rest_.end(), index,
                              [](int value, const Rest& rest) {
                                return value < rest.first_index;
                              }) -
           1;
    row = rest->begin + index - rest->first_index;
    if (notes_[index].is_long) return;
  }
  Note& note = notes_[IndexOf(*rest, row)];
  const Ticks start = Now();
  evaluate(thread_id, rest->row_chunk, row, &note.cost);
  note.time = Nanoseconds(Now() - start);
}

void ExpensiveBlocks::EvaluateRest(const EvaluateRow& evaluate) {
  ListRest();
  const Execution& threads = ThreadsForRest();
  const int num_long = static_cast<int>(long_rows_.size());
  const int num_rows = static_cast<int>(notes_.size());
  const float row_time = PredictRest() / static_cast<float>(num_rows);
  // A block with two of the long ones would be the longest.
  const int grain =
      num_long > 0
          ? 1
          : static_cast<int>(std::clamp(kClaimTime / row_time, 1.0f,
                                        static_cast<float>(kMaxBatch)));
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
  for (const Rest& rest : rest_) {
    double time = 0.0;
    for (int row = rest.begin; row < rest.end; ++row) {
      time += notes_[IndexOf(rest, row)].time;
    }
    row_chunks_[rest.row_chunk].time += static_cast<float>(time);
    total_time += time;
  }
  for (RowChunk& row_chunk : row_chunks_)
    row_chunk.times[static_cast<int>(kind_)] = row_chunk.time;
  if (rest_.empty()) {
    plain_evaluations_ = kWatchDistance - 1;
  } else {
    FindLongRows(total_time);
  }
}

void ExpensiveBlocks::FindLongRows(double total_time) {
  const auto limit = static_cast<float>(total_time / (4 * num_threads_));
  std::vector<std::pair<float, int>> long_rows;  // time, row
  for (const Rest& rest : rest_) {
    for (int row = rest.begin; row < rest.end; ++row) {
      const float time = notes_[IndexOf(rest, row)].time;
      if (time >= limit) long_rows.emplace_back(time, row);
    }
  }
  std::sort(long_rows.begin(), long_rows.end(), std::greater<>());
  long_rows_.clear();
  for (const auto& [time, row] : long_rows) long_rows_.push_back(row);
}

}  // namespace ceres::internal
