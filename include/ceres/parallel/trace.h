// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TRACE_H_
#define CERES_PUBLIC_PARALLEL_TRACE_H_

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/trace_hooks.h"

namespace ceres::parallel {

namespace detail {
class TraceSession;
}  // namespace detail

// The options of a trace.
struct TraceOptions {
  // The largest number of events of a thread. Further events are counted and
  // dropped. An event takes 32 bytes. In a sequence of short tasks, the spawn
  // of a task and the task take 8 bytes each. Memory is allocated in blocks of
  // 32 KiB as events come.
  std::size_t max_events_per_thread = std::size_t{1} << 20;
};

// A recording of the work of the runtime's threads in this process:
// - loops and forks that were shared, from their opening to their end, and each
//   piece of them; a loop that its caller ran alone is not recorded;
// - tasks: the place of their spawn, the place and time of their run, their
//   names;
// - waits, and wake-ups, from the call to the arrival of the thread;
// - spans of the user (TraceSpan).
//
//   Trace trace;
//   trace.Start();
//   ... anything ...
//   trace.Stop();
//   std::ofstream file("trace.json");
//   trace.WriteJson(file);   // for https://ui.perfetto.dev
//
// Each thread writes into buffers of its own, without locks. A task of a
// TaskGroup takes 30 to 36 ns more while a trace runs
// (scripts/measure.sh runtime --bars=tracing). Without a running trace, each
// task, shared loop, piece and wait takes one relaxed load. Indices, and loops
// that are not shared, take no time.
//
// Start and Stop may be called while loops and tasks run. Work that began
// before Start or ends after Stop is not in the trace. Threads may end in
// between. In the child of a fork() no trace is running; the child may start
// one.
//
// One thread at a time may use a Trace object.
class CERES_PARALLEL_EXPORT Trace {
 public:
  // A trace without events, which does not run.
  explicit Trace(const TraceOptions& options = {});
  ~Trace();  // Stops. See WriteJson for the memory.
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Drops all earlier events and starts to record. Throws std::logic_error if a
  // trace runs in the process, because only one can run.
  void Start();
  // Ends the recording. Does nothing if the trace does not run.
  void Stop();
  // Returns whether the trace records.
  bool IsRunning() const;

  // The number of events recorded, and the number of events dropped because a
  // buffer was full.
  std::size_t NumEvents() const;
  std::size_t NumDropped() const;

  // Writes the trace event format of Chrome and Perfetto ("Trace Event Format",
  // JSON object form): threads with names, nested slices, arrows from spawn to
  // begin, times in microseconds since Start. Names are read here and must
  // still exist. While the trace runs, writes the events so far. Errors are
  // those of the stream.
  //
  // Buffers are freed when the trace is destroyed or started again. A thread
  // may keep its own until it ends or takes part in the next trace.
  void WriteJson(std::ostream& out) const;

  // For Summarize. Null if the trace was never started.
  const detail::TraceSession* session() const { return session_.get(); }

 private:
  TraceOptions options_;
  std::shared_ptr<detail::TraceSession> session_;
};

// A slice of the calling thread in the trace, from construction to destruction.
// Spans of a thread must be nested, as scopes are. Takes one load while no
// trace runs.
class TraceSpan {
 public:
  // Begins the span. The name is not copied: a string literal, or a string that
  // outlives the trace.
  explicit TraceSpan(const char* name)
      : name_(name), begin_(detail::BeginTraceSlice()) {}
  ~TraceSpan() {
    detail::EndTraceSlice(detail::TraceKind::kSpan, begin_,
                          detail::TraceId(name_));
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

 private:
  const char* name_;
  std::int64_t begin_;
};

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TRACE_H_
