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
#include "ceres/base/intrinsics.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/trace/trace_record.h"

// The logs of a trace: one for each thread, written by that thread alone.
//
// A release store of the size of the log publishes a record. Any thread may
// read the first `size` records at any time (acquire). A thread finds its log
// through a thread-local pointer, which is valid while the number beside it is
// the number of the running trace. Else the thread takes the mutex once and
// gets a log of the running session. It shares the ownership of the session
// whose log it writes, so a record that comes late, while the trace stops or is
// destroyed, still has memory.

namespace ceres::parallel::detail {

// The log of one thread. It takes four cache lines that no other log shares,
// because CPUs fetch neighbouring lines in pairs. The first two hold what each
// record needs.
class alignas(128) TraceLog {
 public:
  TraceLog(std::size_t capacity, base::Ticks start) noexcept
      : start_(start), capacity_(capacity) {}
  ~TraceLog();
  TraceLog(const TraceLog&) = delete;
  TraceLog& operator=(const TraceLog&) = delete;

  // Only the thread of the log calls these.
  void Append(const TraceRecord& record) noexcept {
    // The slice began before the trace.
    if (record.begin < start_) return;
    if (next_ < end_ || MakeRoom()) {
      Publish(coder_.Encode(record, next_));
    } else {
      dropped_.store(dropped_.load(std::memory_order_relaxed) + 1,
                     std::memory_order_relaxed);
    }
  }
  // Adds an event in the short form (trace_record.h). Returns false, without
  // any effect, if the event does not have it. (An event that follows a record
  // did not begin before the trace.)
  bool AppendShortTask(base::Ticks begin, base::Ticks end, std::uint64_t id,
                       std::uint64_t set) noexcept {
    return next_ < end_ &&
           AppendWord(coder_.ShortTask(
               begin, static_cast<std::uint64_t>(end - begin), id, set));
  }
  bool AppendShortSpawn(base::Ticks at, std::uint64_t id, std::uint64_t set,
                        std::uint64_t name) noexcept {
    return next_ < end_ && AppendWord(coder_.ShortSpawn(at, id, set, name));
  }

  // Any thread may call these.
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
  // No record lies in two chunks. kNoRecord follows the last one of a chunk.
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
    // Fetches the next cache line but one. Else the read-modify-write of the
    // next claim would wait until that line has come. (At the end of a chunk it
    // is another line, which does no harm.)
    base::PrefetchForWriting(next + 16);
  }

  // The next record, in the last chunk. Before end_, a record fits.
  std::uint64_t* next_ = nullptr;
  std::uint64_t* end_ = nullptr;
  TraceRecordCoder coder_;
  const base::Ticks start_;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::size_t> dropped_{0};
  const std::size_t capacity_;
  // Links are written before the size of which readers need them.
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

  // Makes this the running session. Throws std::logic_error if one runs.
  static std::shared_ptr<TraceSession> Start(std::size_t max_events_per_thread);
  // Ends the session if it is still running.
  void Stop();
  bool IsRunning() const;

  struct Span {
    base::Ticks start = 0;
    base::Ticks stop = 0;  // Now, while it is running.
    double nanoseconds_per_tick = 0.0;
  };
  Span span() const;

  // The first log is that of the thread that started the session. Logs keep
  // their addresses as long as the session exists.
  std::vector<const TraceLog*> Logs() const;

 private:
  friend TraceLog* AttachToTrace(std::uint32_t running) noexcept;

  TraceSession(std::uint32_t number, std::size_t max_events_per_thread);
  TraceLog* AddLog();

  const std::uint32_t number_;
  const std::size_t max_events_per_thread_;
  const base::Ticks start_ = base::Now();
  const Clock::time_point start_time_ = Clock::now();
  // Guarded by the mutex of all traces.
  base::Ticks stop_ = 0;
  Clock::time_point stop_time_;
  std::vector<std::unique_ptr<TraceLog>> logs_;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TRACE_TRACE_LOG_H_
