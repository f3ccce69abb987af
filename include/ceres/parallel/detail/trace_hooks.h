// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_TRACE_HOOKS_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_TRACE_HOOKS_H_

#include <atomic>
#include <cstdint>

#include "ceres/parallel/detail/export.h"

// The functions by which the runtime records a trace (trace.h). While no trace
// is running, each is one relaxed load of a cache line that is not written to.

namespace ceres::parallel::detail {

struct alignas(64) TraceSwitch {
  // The number of the trace that is running; 0: none.
  std::atomic<std::uint32_t> running{0};
};
extern CERES_PARALLEL_EXPORT TraceSwitch trace_switch;

inline bool IsTracing() {
  return trace_switch.running.load(std::memory_order_relaxed) != 0;
}

enum class TraceKind : std::uint8_t {
  // Slices of a thread's time.
  kTask,   // id: the task's address; other: handle of its set.
  kPiece,  // id: handle of the loop or fork; other: blocks in the piece.
  kLoop,   // From the opening of a region to its end. id: handle;
           // other: name.
  kWait,   // id: handle of the region that is awaited; 0: any work.
  kSpan,   // A span of the user. id: name.
  // Moments.
  kSpawn,        // id: the task's address; other: handle of its set.
  kEdge,         // A predecessor of a task has ended; as kSpawn.
  kFork,         // A fork is published. other: its handle.
  kWakeIssued,   // id: address of the thread that is woken.
  kWakeArrived,  // The same id.
};

// Ticks of the fastest clock. Never 0.
CERES_PARALLEL_EXPORT std::int64_t TraceTicks();
// Records a slice that ends now. Returns the stamp of its end.
CERES_PARALLEL_EXPORT std::int64_t RecordTraceSlice(
    TraceKind kind, std::int64_t begin, std::uint64_t id,
    std::uint64_t other) noexcept;
CERES_PARALLEL_EXPORT void RecordTraceMoment(TraceKind kind, std::uint64_t id,
                                             std::uint64_t other,
                                             const char* name,
                                             std::int64_t at) noexcept;
// Record kTask and kSpawn, which come most often.
CERES_PARALLEL_EXPORT std::int64_t RecordTraceTask(std::int64_t begin,
                                                   std::uint64_t id,
                                                   std::uint64_t set) noexcept;
CERES_PARALLEL_EXPORT void RecordTraceSpawn(std::uint64_t id, std::uint64_t set,
                                            const char* name,
                                            std::int64_t at) noexcept;

// Records a slice:
//
//   const std::int64_t begin = BeginTraceSlice();
//   ...
//   EndTraceSlice(TraceKind::kWait, begin, handle);
// Slices of a thread must be nested. Record an end before any thread learns
// that the work has ended, and a spawn before any thread can begin the task.
// Then stamps are in the order of events, and a thread that has waited for the
// work finds it in the trace. Hold no lock that a fork handler takes: the first
// record of a thread takes a mutex.
inline std::int64_t BeginTraceSlice() { return IsTracing() ? TraceTicks() : 0; }
inline void EndTraceSlice(TraceKind kind, std::int64_t begin, std::uint64_t id,
                          std::uint64_t other = 0) noexcept {
  if (begin != 0) RecordTraceSlice(kind, begin, id, other);
}

// Ends a slice, and begins the next one at the same stamp. A claim in between
// then overlaps with the work that follows, as it does without a trace. A stamp
// after the claim would wait for the cache line of the claim.
inline std::int64_t NextTraceTask(std::int64_t begin, std::uint64_t id,
                                  std::uint64_t set) noexcept {
  return begin != 0 ? RecordTraceTask(begin, id, set) : BeginTraceSlice();
}
inline std::int64_t NextTracePiece(std::int64_t begin, std::uint64_t region,
                                   int blocks) noexcept {
  return begin != 0 ? RecordTraceSlice(TraceKind::kPiece, begin, region,
                                       static_cast<std::uint64_t>(blocks))
                    : BeginTraceSlice();
}

inline void TraceMoment(TraceKind kind, std::uint64_t id,
                        std::uint64_t other = 0, const char* name = nullptr) {
  if (IsTracing()) RecordTraceMoment(kind, id, other, name, TraceTicks());
}

inline std::uint64_t TraceId(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_TRACE_HOOKS_H_
