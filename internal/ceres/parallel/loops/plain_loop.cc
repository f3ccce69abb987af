// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/loops/plain_loop.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/loop.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/loops/loop_cost.h"
#include "ceres/parallel/loops/loop_cut.h"
#include "ceres/parallel/loops/loop_run.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/pool/publication.h"

// How a plain loop runs.
//
// The caller runs the loop in a few chunks, without the clock and without
// atomic read-modify-writes. Other threads cannot see its indices, but they see
// that the loop runs (RegionSlot::FindLate). If threads that look for late
// regions have seen it for kLate, one of them stops it
// (plain_run_protocol.h), and opens the indices that the caller has not
// claimed as a quiet region. From then on the loop is like other loops that
// are late. So a plain loop that becomes long is shared in the same run.
//
// If a thread has seen the loop, but not for kLate, the caller reads the clock
// before the next one. So also loops that take less than the interval at which
// threads look are soon timed, and shared.
//
// A plain loop within a plain loop runs inline (IsPlainInside): the outer one
// can be stopped.

namespace ceres::parallel::detail {

namespace {

// Lets this number of plain loops run from `now` on, on average. The number
// varies, so that each of several loops that alternate is timed.
void GrantPlainRuns(float runs, base::Ticks now, PlainLoops& plain) {
  runs = std::min(runs, kRunsPerCheck);
  plain.untimed_runs =
      1 + static_cast<std::int32_t>(2.0f * runs * RandomFraction());
  plain.granted_runs = plain.untimed_runs;
  plain.granted = now;
}

// A plain loop that can be stopped. Members without a value are written by the
// thread that stops it.
struct StoppableLoop : PlainLoop {
  StoppableLoop(PoolState* of_pool, const LoopSite& of_site,
                const ErasedBody& of_body, std::int64_t num_indices,
                const LoopSettings& of_settings)
      : PlainLoop{&OpenRest, of_pool, current_participation},
        site(of_site),
        body(of_body),
        n(num_indices),
        settings(of_settings),
        outer_depth(loop_depth) {}
  ~StoppableLoop() {}

  static RegionHandle OpenRest(PlainLoop& loop, std::int64_t first) {
    return static_cast<StoppableLoop&>(loop).OpenFrom(first);
  }
  RegionHandle OpenFrom(std::int64_t first);
  int NumParticipants() const;

  const LoopSite& site;
  const ErasedBody& body;
  const std::int64_t n;
  const LoopSettings& settings;
  const std::int32_t outer_depth;
  union {
    Publication publication;  // Exists if the loop has been stopped.
  };
};

int StoppableLoop::NumParticipants() const {
  std::int64_t most = std::min(pool->MaxConcurrency(), pool->RunningLimit());
  if (settings.max_threads > 0) {
    most = std::min<std::int64_t>(most, settings.max_threads);
  }
  return static_cast<int>(std::min<std::int64_t>(
      {most, NumGrains(n, settings.grain), kMaxParticipants}));
}

// In the thread that stops the loop.
RegionHandle StoppableLoop::OpenFrom(std::int64_t first) {
  const int participants = NumParticipants();
  const std::int64_t blocks = NumGrains(n - first, settings.grain);
  if (participants <= 1 || blocks < 1) return 0;
  RegionFrame& frame = (new (&publication) Publication)->frame;
  frame.body = body;
  frame.begin = first;
  frame.n = n - first;
  frame.pool = pool;
  frame.loop_depth = DepthWithin(outer_depth);
  frame.participant_slots = participants - 1;
  frame.blocks = static_cast<int>(std::min<std::int64_t>(blocks, kMaxBlocks));
  frame.share = std::max(1, kWholeShare / (2 * participants));
  const bool is_outer = participation == nullptr || participation->pool != pool;
  const RegionHandle parent =
      participation != nullptr ? participation->region : 0;
  if (!publication.OpenQuietly(parent, is_outer)) {
    publication.~Publication();
    return 0;
  }
  return publication.handle();
}

void Yield() { std::this_thread::yield(); }

// Works on the indices that are left of a loop that has been stopped: those
// from `done` on that do not belong to the region, and the region.
void RunStopped(StoppableLoop& loop, std::int64_t done) {
  Publication& publication = loop.publication;
  RegionFrame& frame = publication.frame;
  const AtLoopDepth deeper(DepthWithin(loop.outer_depth));
  const Participation participation(loop.pool, publication.handle());
  if (done < frame.begin) loop.body(0, done, frame.begin);
  while (publication.RunSome()) {
  }
}

// The loop was not closed to other threads when its run has ended: one may be
// about to stop it, or has done so. `error`: what the body has thrown.
CERES_PARALLEL_NOINLINE void FinishRequested(PlainRun& run, StoppableLoop& loop,
                                             std::int64_t done,
                                             std::exception_ptr error) {
  if (!run.Await(&Yield)) {
    if (error) std::rethrow_exception(std::move(error));
    return;
  }
  // From now on, bodies may run plain loops.
  run.Clear();
  Publication& publication = loop.publication;
  RegionFrame& frame = publication.frame;
  const std::int64_t loop_begin = BeginTraceSlice();
  try {
    if (error) std::rethrow_exception(std::move(error));
    RunStopped(loop, done);
  } catch (...) {
    frame.KeepError(std::current_exception());
    publication.Cancel();
  }
  publication.Wait();
  EndTraceSlice(TraceKind::kLoop, loop_begin, publication.handle(),
                TraceId(loop.site.name.load(std::memory_order_relaxed)));
  const std::exception_ptr first_error = std::move(frame.error);
  publication.~Publication();
  if (first_error) std::rethrow_exception(first_error);
}

// A thread that looks for late loops has seen this one. Reads the clock before
// the next one.
void CheckSoon(PlainLoops& plain) {
  plain.untimed_runs = std::min(plain.untimed_runs, 0);
}

void RunPlain(RegionSlot& slot, PoolState& pool, const LoopSite& site,
              PlainLoops& plain, const ErasedBody& body, std::int64_t n,
              const LoopSettings& settings) {
  StoppableLoop loop(&pool, site, body, n, settings);
  PlainRun& run = slot.plain_run();
  std::int64_t done = 0;
  const std::int64_t grain = std::max<std::int64_t>(1, settings.grain);
  std::int64_t end = std::min(n, grain);
  const AtLoopDepth inside(loop_depth | kInPlainLoop);
  slot.BeginPlain(&loop, &pool, end);
  pool.KeepWatch();
  try {
    while (true) {
      body(0, done, end);
      done = end;
      if (done == n) break;
      end = n - end < (kPlainChunkGrowth - 1) * end + grain
                ? n
                : kPlainChunkGrowth * end;
      if (!run.Claim(end)) {
        CheckSoon(plain);
        if (run.Await(&Yield)) break;
      }
    }
  } catch (...) {
    run.End();
    FinishRequested(run, loop, done, std::current_exception());
  }
  if (run.End()) return;
  CheckSoon(plain);
  FinishRequested(run, loop, done, nullptr);
}

// Foreign executors do not look for late loops. So the caller reads the clock
// after each one.
void RunPlainAlone(PlainLoops& plain, const ErasedBody& body, std::int64_t n) {
  body(0, 0, n);
  const float time = base::Nanoseconds(base::Now() - plain.granted);
  if (time > kMostCallsPerCheck * CallTime()) CheckSoon(plain);
}

}  // namespace

bool ArePlainLoopsShort(std::int64_t elements, PlainLoops& plain) {
  if (plain.untimed_runs >= 0 || elements > plain.longest ||
      plain.depth != PlainDepth()) {
    return false;
  }
  const base::Ticks now = base::Now();
  const float time = base::Nanoseconds(now - plain.granted);
  const float call_time = CallTime();
  if (time > kMostCallsPerCheck * call_time) return false;
  GrantPlainRuns(static_cast<float>(plain.granted_runs) * kCallsPerCheck *
                     call_time / std::max(time, 1.0f),
                 now, plain);
  return true;
}

void RenewPlainLoops(const LoopSite& site, std::int64_t elements,
                     PlainLoops& plain) {
  const LoopMeasurements& measured = site.measurements();
  const bool is_of_depth = plain.depth == PlainDepth();
  if (!IsTrusted(measured)) {
    if (is_of_depth) plain.longest = 0;
    return;
  }
  const float cost = measured.cost.load(std::memory_order_relaxed);
  const float call_time = CallTime();
  const auto longest =
      static_cast<std::int64_t>(kPlainCalls * call_time / cost);
  if (elements <= longest) {
    plain.longest = longest;
    plain.depth = PlainDepth();
    GrantPlainRuns(
        kCallsPerCheck * call_time / (cost * static_cast<float>(elements)),
        base::Now(), plain);
  } else if (is_of_depth) {
    // The untimed runs are for the shorter loops at this place.
    plain.longest = longest;
  }
}

void RunLoop(ThreadPool& pool, LoopSite& site, PlainLoops& plain,
             const ErasedBody& body, std::int64_t n,
             const LoopSettings& settings) {
  const std::int64_t elements = settings.elements > 0 ? settings.elements : n;
  if (IsPlain(plain, elements) || ArePlainLoopsShort(elements, plain)) {
    const bool is_whole = NumGrains(n, settings.grain) < 2;
    if (is_whole || (loop_depth & kInPlainLoop) != 0) {
      body(0, 0, n);
      return;
    }
    RegionSlot* const slot = RegionSlot::OfPlainLoops();
    // A timed loop lies between this loop and a plain one.
    const bool is_nested = slot != nullptr && slot->plain_run().Look() != 0;
    if (slot != nullptr && !is_nested) {
      RunPlain(*slot, pool.state(), site, plain, body, n, settings);
      return;
    }
  }
  RunMeasuredLoop(pool, site.measurements(), site.name, body, n, settings);
  RenewPlainLoops(site, elements, plain);
}

void RunLoop(Executor& executor, LoopSite& site, PlainLoops& plain,
             const ErasedBody& body, std::int64_t n,
             const LoopSettings& settings) {
  if (ThreadPool* const pool = executor.AsThreadPool()) {
    RunLoop(*pool, site, plain, body, n, settings);
    return;
  }
  const std::int64_t elements = settings.elements > 0 ? settings.elements : n;
  if (IsPlain(plain, elements) || ArePlainLoopsShort(elements, plain)) {
    RunPlainAlone(plain, body, n);
    return;
  }
  RunMeasuredLoop(executor, site.measurements(), site.name, body, n, settings);
  RenewPlainLoops(site, elements, plain);
}

}  // namespace ceres::parallel::detail
