// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "ceres/parallel/trace_output/trace_timeline.h"

// Work and span of a trace, in one sweep through its moments in the order of
// time.
//
// A strand is a task, a piece of a loop, or the part of a thread outside of
// both. The depth of a strand is the length of the longest chain of work that
// ends at the present moment of the strand. Depth grows while the strand works.
// A strand begins with the depth of the place where it was spawned. A wait, the
// end of a loop, and the end of a fork in the thread that forked raise the
// depth of the strand that continues to the depth of the work that has ended.
// The largest depth is the span. (Work and span: Blumofe and Leiserson, J. ACM
// 1999, section 2.)

namespace ceres::parallel::detail {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

class Sweep {
 public:
  explicit Sweep(const TraceTimeline& timeline) : timeline_(timeline) {
    threads_.resize(timeline.threads.size());
    for (std::size_t k = 0; k < timeline.events.size(); ++k) {
      Thread& thread = threads_[timeline.events[k].thread];
      if (thread.next == thread.end) thread.next = k;
      thread.end = k + 1;
    }
    for (Thread& thread : threads_) FindRootWork(&thread);
    if (!threads_.empty()) {
      threads_[0].root_begin = 0;
      threads_[0].root_end = timeline.duration;
    }
    summary_.threads.resize(threads_.size());
  }

  TraceSummary Run() {
    while (Step()) continue;
    for (std::size_t k = 0; k < threads_.size(); ++k) {
      Advance(&threads_[k], std::max(threads_[k].now, timeline_.duration));
      span_ = std::max(span_, threads_[k].root_depth);
    }
    Finish();
    return std::move(summary_);
  }

 private:
  // A slice that has begun and not ended.
  struct Open {
    const TraceEvent* event;
    std::int64_t end;
    std::int64_t begin_depth;  // Of a strand.
    std::int64_t depth;
  };
  struct Thread {
    std::size_t next = 0;  // Into the events.
    std::size_t end = 0;
    std::int64_t now = 0;
    std::int64_t root_depth = 0;
    // While the thread's own doings outside of tasks and pieces are work.
    std::int64_t root_begin = kNever;
    std::int64_t root_end = -1;
    std::vector<Open> open;
    std::int64_t busy = 0;
    std::int64_t waiting = 0;
    std::int64_t waking = 0;
  };
  struct Region {
    std::int64_t open_depth = 0;  // Where the loop was published.
    std::int64_t end_depth = 0;   // Of the deepest of its parts that has ended.
    int forked_by = -1;           // If it is a fork: the thread.
  };
  struct Ended {
    std::int64_t time;
    std::int64_t depth;
  };

  static bool IsStrand(EventKind kind) {
    return kind == EventKind::kTask || kind == EventKind::kPiece;
  }

  // A thread that starts work, outside of any, is at work itself in between.
  void FindRootWork(Thread* thread) const {
    std::int64_t covered = -1;  // The end of the last strand seen.
    for (std::size_t k = thread->next; k < thread->end; ++k) {
      const TraceEvent& event = timeline_.events[k];
      const bool is_inside = event.kind == EventKind::kSpawn
                                 ? event.begin <= covered
                                 : event.begin < covered;
      if (is_inside || event.kind == EventKind::kWaking) continue;
      if (IsStrand(event.kind)) {
        covered = event.end;
      } else {
        thread->root_begin = std::min(thread->root_begin, event.begin);
        thread->root_end = std::max(thread->root_end, event.end);
      }
    }
  }

  // Takes the earliest moment of all threads: an end or a begin.
  bool Step() {
    Thread* best = nullptr;
    std::int64_t best_time = kNever;
    int best_rank = 0;
    for (Thread& thread : threads_) {
      int rank = 0;
      const std::int64_t time = NextMoment(thread, &rank);
      if (time != kNever && (best == nullptr || time < best_time ||
                             (time == best_time && rank < best_rank))) {
        best = &thread;
        best_time = time;
        best_rank = rank;
      }
    }
    if (best == nullptr) return false;
    Advance(best, best_time);
    if (EndsNext(*best)) {
      End(best);
    } else {
      Begin(best, timeline_.events[best->next++]);
    }
    return true;
  }

  // Whether the innermost open slice ends before the next event begins.
  bool EndsNext(const Thread& thread) const {
    if (thread.open.empty()) return false;
    if (thread.next == thread.end) return true;
    const TraceEvent& next = timeline_.events[thread.next];
    const std::int64_t end = thread.open.back().end;
    // A spawn at the very end of a task is the task's.
    return next.kind == EventKind::kSpawn ? next.begin > end
                                          : next.begin >= end;
  }

  // Moments of one time are ordered by rank: first events that others may have
  // waited for, then ends of waits, then events that others may have caused.
  std::int64_t NextMoment(const Thread& thread, int* rank) const {
    if (EndsNext(thread)) {
      *rank = IsStrand(thread.open.back().event->kind) ? 0 : 1;
      return thread.open.back().end;
    }
    if (thread.next == thread.end) return kNever;
    const TraceEvent& next = timeline_.events[thread.next];
    *rank = IsStrand(next.kind) ? 2 : 0;
    // Never back in time, should stamps of one thread be out of order.
    return std::max(next.begin, thread.now);
  }

  // The time from the thread's last moment to this one belongs to the
  // innermost open slice.
  void Advance(Thread* thread, std::int64_t time) {
    const std::int64_t begin = thread->now;
    thread->now = std::max(begin, time);
    if (thread->open.empty()) {
      const std::int64_t from = std::max(begin, thread->root_begin);
      const std::int64_t work = std::min(thread->now, thread->root_end) - from;
      if (work > 0) Work(thread, &thread->root_depth, work);
      return;
    }
    const Open& open = thread->open.back();
    const std::int64_t elapsed = thread->now - begin;
    if (open.event->kind == EventKind::kWait) {
      thread->waiting += elapsed;
    } else if (open.event->kind == EventKind::kWaking) {
      thread->waking += elapsed;
    } else {
      Work(thread, DepthOf(thread), elapsed);
    }
  }

  void Work(Thread* thread, std::int64_t* depth, std::int64_t time) {
    *depth += time;
    thread->busy += time;
  }

  // The depth of the strand that the thread is in.
  static std::int64_t* DepthOf(Thread* thread) {
    for (auto open = thread->open.rbegin(); open != thread->open.rend();
         ++open) {
      if (IsStrand(open->event->kind)) return &open->depth;
    }
    return &thread->root_depth;
  }

  void Begin(Thread* thread, const TraceEvent& event) {
    const std::int64_t depth = *DepthOf(thread);
    if (event.kind == EventKind::kSpawn) {
      Spawn(event, depth);
      return;
    }
    Open open = {&event, event.end, 0, 0};
    // An inner slice ends with the outer one at the latest.
    if (!thread->open.empty()) {
      open.end = std::min(open.end, thread->open.back().end);
    }
    switch (event.kind) {
      case EventKind::kTask:
        ++summary_.tasks;
        // A task whose spawn is not known follows what its thread has done.
        open.begin_depth = thread->open.empty() ? 0 : depth;
        if (const auto found = spawned_.find(event.id);
            found != spawned_.end()) {
          open.begin_depth = found->second;
          spawned_.erase(found);
        }
        break;
      case EventKind::kPiece:
        ++summary_.pieces;
        open.begin_depth = regions_[event.region].open_depth;
        break;
      case EventKind::kLoop:
        ++summary_.loops;
        regions_[event.region] = {depth, depth, -1};
        break;
      case EventKind::kWaking:
        ++summary_.wakes;
        break;
      default:
        break;
    }
    open.depth = open.begin_depth;
    thread->open.push_back(open);
  }

  void Spawn(const TraceEvent& event, std::int64_t depth) {
    if (event.id == 0) {
      ++summary_.loops;
      regions_[event.region] = {depth, depth, event.thread};
    } else {
      std::int64_t& spawned = spawned_[event.id];
      spawned = std::max(spawned, depth);
    }
  }

  void End(Thread* thread) {
    const Open open = thread->open.back();
    thread->open.pop_back();
    const TraceEvent& event = *open.event;
    switch (event.kind) {
      case EventKind::kTask:
        EndPart(event.region, open.depth, open.end);
        break;
      case EventKind::kPiece: {
        const std::int64_t blocks = std::max<std::int64_t>(1, event.blocks);
        EndPart(event.region,
                open.begin_depth + (open.depth - open.begin_depth) / blocks,
                open.end);
        // No other thread took the fork: its own thread goes on without a wait.
        const Region& region = regions_[event.region];
        if (region.forked_by == event.thread) {
          RaiseDepth(thread, region.end_depth);
        }
        break;
      }
      case EventKind::kLoop:
        RaiseDepth(thread, regions_[event.region].end_depth);
        break;
      case EventKind::kWait:
        RaiseDepth(thread, event.region != 0 ? regions_[event.region].end_depth
                                             : DeepestEndSince(event.begin));
        break;
      default:
        break;
    }
  }

  static void RaiseDepth(Thread* thread, std::int64_t depth) {
    std::int64_t& own = *DepthOf(thread);
    own = std::max(own, depth);
  }

  void EndPart(std::uint64_t region, std::int64_t depth, std::int64_t time) {
    std::int64_t& end_depth = regions_[region].end_depth;
    end_depth = std::max(end_depth, depth);
    span_ = std::max(span_, depth);
    ended_.push_back({time, depth});
  }

  // A thread that waited for a condition may have waited for anything that has
  // ended meanwhile.
  std::int64_t DeepestEndSince(std::int64_t time) const {
    std::int64_t depth = 0;
    for (auto ended = ended_.rbegin();
         ended != ended_.rend() && ended->time >= time; ++ended) {
      depth = std::max(depth, ended->depth);
    }
    return depth;
  }

  void Finish() {
    constexpr double kSecond = 1e9;
    summary_.duration = static_cast<double>(timeline_.duration) / kSecond;
    summary_.span = static_cast<double>(span_) / kSecond;
    summary_.dropped = timeline_.dropped;
    for (std::size_t k = 0; k < threads_.size(); ++k) {
      const Thread& thread = threads_[k];
      TraceThreadSummary& result = summary_.threads[k];
      result.name = timeline_.threads[k];
      result.busy = static_cast<double>(thread.busy) / kSecond;
      result.waiting = static_cast<double>(thread.waiting) / kSecond;
      result.waking = static_cast<double>(thread.waking) / kSecond;
      result.idle = std::max(0.0, summary_.duration - result.busy -
                                      result.waiting - result.waking);
      summary_.work += result.busy;
      summary_.waiting += result.waiting;
      summary_.waking += result.waking;
    }
  }

  const TraceTimeline& timeline_;
  std::vector<Thread> threads_;
  std::unordered_map<std::uint64_t, std::int64_t> spawned_;  // Depth, by task.
  std::unordered_map<std::uint64_t, Region> regions_;
  std::vector<Ended> ended_;
  std::int64_t span_ = 0;
  TraceSummary summary_;
};

}  // namespace

TraceSummary SummarizeTimeline(const TraceTimeline& timeline) {
  return Sweep(timeline).Run();
}

}  // namespace ceres::parallel::detail
