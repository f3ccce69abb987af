// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TRACE_TRACE_LOG_H_
#define CERES_INTERNAL_PARALLEL_TRACE_TRACE_LOG_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ceres/base/clock.h"
#include "ceres/base/prefetch.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/trace/trace_record.h"

// Where a trace is recorded: a log for each thread, written by that thread
// alone.
//
// A record is published by a release store of the log's size, so anybody may
// read the first `size` records at any time (acquire). A thread finds its log
// through a thread-local pointer that is valid while the number beside it is
// that of the running trace; otherwise it takes the mutex once and gets a log
// of the running session. It shares the ownership of the session whose log it
// writes, so a record that comes late, while the trace stops or is destroyed,
// still has memory to go to.

namespace ceres::parallel::detail {

// Four cache lines, that no other log shares (neighbouring lines are fetched in
// pairs). What each record needs lies in the first two.
class alignas(128) TraceLog {
 public:
  TraceLog(std::size_t capacity, Ticks start) noexcept
      : start_(start), capacity_(capacity) {}
  ~TraceLog();
  TraceLog(const TraceLog&) = delete;
  TraceLog& operator=(const TraceLog&) = delete;

  // For its thread.
  void Append(const TraceRecord& record) noexcept {
    // Began before the trace.
    if (record.begin < start_) return;
    if (next_ < end_ || MakeRoom()) {
      Publish(coder_.Encode(record, next_));
    } else {
      dropped_.store(dropped_.load(std::memory_order_relaxed) + 1,
                     std::memory_order_relaxed);
    }
  }
  // The same for what comes most often, if it has the short form; else returns
  // false, and nothing has happened. (What follows a record did not begin
  // before the trace.)
  bool AppendShortTask(Ticks begin, Ticks end, std::uint64_t id,
                       std::uint64_t set) noexcept {
    return next_ < end_ &&
           AppendWord(coder_.ShortTask(
               begin, static_cast<std::uint64_t>(end - begin), id, set));
  }
  bool AppendShortSpawn(Ticks at, std::uint64_t id, std::uint64_t set,
                        std::uint64_t name) noexcept {
    return next_ < end_ && AppendWord(coder_.ShortSpawn(at, id, set, name));
  }

  // For anybody.
  std::size_t size() const { return size_.load(std::memory_order_acquire); }
  std::size_t dropped() const {
    return dropped_.load(std::memory_order_relaxed);
  }
  template <typename Function>
  void ForEach(const Function& function) const {
    const std::size_t n = size();
    const Chunk* chunk = nullptr;
    const std::uint64_t* words = &TraceRecordCoder::kNoRecord;
    TraceRecordCoder coder;
    TraceRecord record = {};
    for (std::size_t k = 0; k < n; ++k) {
      if (*words == TraceRecordCoder::kNoRecord) {
        chunk = chunk == nullptr ? first_ : chunk->next;
        words = chunk->words.data();
      }
      words = coder.Decode(words, &record);
      function(record);
    }
  }

 private:
  // Records do not straddle chunks; behind the last one is kNoRecord.
  static constexpr std::size_t kChunkWords = 4095;
  struct Chunk {
    std::array<std::uint64_t, kChunkWords> words;
    Chunk* next;
  };

  bool MakeRoom() noexcept;
  bool AppendWord(std::uint64_t word) noexcept {
    if (word == TraceRecordCoder::kNoRecord) return false;
    *next_ = word;
    Publish(next_ + 1);
    return true;
  }
  void Publish(std::uint64_t* next) noexcept {
    next_ = next;
    size_.store(size_.load(std::memory_order_relaxed) + 1,
                std::memory_order_release);
    // The line that comes next but one: a read-modify-write soon after this,
    // as there is one in each claim, would wait until it has come. (At the end
    // of a chunk it is some other line, which does no harm.)
    PrefetchForWriting(next + 16);
  }

  // In the last chunk. Before end_, there is room for a record.
  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  TraceRecordCoder coder_;
  const Ticks start_;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::size_t> dropped_{0};
  const std::size_t capacity_;
  // Links are written before the size that makes them needed.
  Chunk* first_ = nullptr;
  Chunk* last_ = nullptr;

 public:
  std::string thread_name;
  std::uint64_t thread_id = 0;
};

// One run of a trace.
class TraceSession {
 public:
  using Clock = std::chrono::steady_clock;

  // Makes it the running one; throws std::logic_error if there is one.
  static std::shared_ptr<TraceSession> Start(std::size_t max_events_per_thread);
  // Ends it, if it is still running.
  void Stop();
  bool IsRunning() const;

  struct Span {
    Ticks start = 0;
    Ticks stop = 0;  // Now, while it is running.
    double nanoseconds_per_tick = 0.0;
  };
  Span span() const;

  // The first is the log of the thread that started it. Logs stay where they
  // are as long as the session exists.
  std::vector<const TraceLog*> Logs() const;

 private:
  friend TraceLog* AttachToTrace(std::uint32_t running) noexcept;

  TraceSession(std::uint32_t number, std::size_t max_events_per_thread);
  TraceLog* AddLog();

  const std::uint32_t number_;
  const std::size_t max_events_per_thread_;
  const Ticks start_ = Now();
  const Clock::time_point start_time_ = Clock::now();
  // Guarded by the mutex of all traces.
  Ticks stop_ = 0;
  Clock::time_point stop_time_;
  std::vector<std::unique_ptr<TraceLog>> logs_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TRACE_TRACE_LOG_H_
