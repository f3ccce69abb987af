// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/base/clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/loops/loop_cost.h"
#include "ceres/parallel/loops/loop_cut.h"
#include "ceres/parallel/loops/loop_run.h"
#include "ceres/parallel/loops/loop_sharing.h"
#include "ceres/parallel/loops/loop_tuning.h"
#include "ceres/parallel/loops/missed_savings.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/pool/publication.h"

// How a loop decides who helps.
//
// A site remembers the cost of an element. This predicts how long a loop will
// take, and the loop is run in one of these ways:
//  - plain: predicted to be short, by a site that is trusted. The caller runs
//    it without the clock (plain_loop.cc). Threads that find it late stop it.
//    Whether such loops have stayed short is checked between them
//    (ArePlainLoopsShort).
//  - quietly: predicted to be too short for sharing. The region is open before
//    the first index is begun, but no thread is called. The caller takes one
//    block, then at most 8 times as many blocks each time, and reads the clock
//    in between. When the rest is worth it, the caller calls for help
//    (Publication::Announce). If the caller is delayed in a block, idle threads
//    find the region late, and join it (work_finder.h).
//  - shared: predicted to be long, or not known. It is published at once, and a
//    thread is called.
//
// So a wrong prediction delays help by microseconds if a worker is awake, else
// by the interval at which the worker that keeps watch looks, a millisecond.
// Foreign executors have no such worker: there only the caller notices, after
// its first block.
//
// The time from which sharing pays depends on whether a worker is awake (a
// microsecond) or must be woken (a tenth of a millisecond). Loops in between,
// one after the other, never justify the wake-up one by one. Their missed
// savings are added up (missed_savings.h).
//
// loop_sharing.h decides when sharing pays, loop_cost.h learns the cost of an
// element, loop_cut.h cuts the loop, and loop_tuning.h holds the constants. All
// times are nanoseconds.

namespace ceres::parallel::detail {
namespace {

class LoopRun {
 public:
  LoopRun(PoolState* pool, Executor* executor, LoopMeasurements& measured,
          const std::atomic<const char*>& name, const ErasedBody& body,
          std::int64_t n, const LoopSettings& settings);

  void Run();

 private:
  bool IsRarelyTimed() const;
  bool RunQuietly();
  // The outcome of a quiet loop. kShareRest: another region is to share the
  // rest. kAnnounced: other threads have joined or been called, and blocks may
  // be left.
  enum class Outcome { kDone, kShareRest, kAnnounced };
  Outcome RunQuietBlocks(Publication& publication, float* time);
  void LearnFromQuietRun(float time);
  bool RunAlone();
  void FillFrame(RegionFrame* frame) const;
  bool IsWorthSharing(float remaining) const {
    return n_ - done_ >= 2 * grain_ && sharing_.IsWorthSharing(remaining);
  }
  void RunPublished();
  void RunBlocks(Publication& publication);
  void Learn(float index_cost) {
    LearnCost(measured_, index_cost / elements_per_index_);
  }
  void LearnFromOwnBlocks(const Publication& publication, base::Ticks elapsed,
                          bool was_late);
  void LearnFromCompany(const Publication& publication, float serial_time,
                        base::Ticks published);
  void NoteMissed(float saving, base::Ticks now);

  PoolState* const pool_;
  Executor* const executor_;
  LoopMeasurements& measured_;
  const std::atomic<const char*>& name_;
  const ErasedBody& body_;
  const std::int64_t n_;
  const std::int64_t elements_;
  const float elements_per_index_;
  const std::int64_t grain_;
  std::int64_t done_ = 0;
  float cost_;  // Of an index. Infinite: not known.
  LoopSharing sharing_;
  float runs_like_this_ = 1.0f;  // For each timed run, itself included.
  base::Ticks start_;
};

LoopRun::LoopRun(PoolState* pool, Executor* executor,
                 LoopMeasurements& measured,
                 const std::atomic<const char*>& name, const ErasedBody& body,
                 std::int64_t n, const LoopSettings& settings)
    : pool_(pool),
      executor_(executor),
      measured_(measured),
      name_(name),
      body_(body),
      n_(n),
      elements_(settings.elements > 0 ? settings.elements : n),
      elements_per_index_(settings.elements > 0
                              ? static_cast<float>(settings.elements) /
                                    static_cast<float>(n)
                              : 1.0f),
      grain_(std::max<std::int64_t>(1, settings.grain)),
      cost_(measured.cost.load(std::memory_order_relaxed) *
            elements_per_index_),
      sharing_{pool, 0, measured.efficiency.load(std::memory_order_relaxed),
               current_participation == nullptr ||
                   current_participation->pool != pool,
               pool != nullptr && pool->AlwaysShares()},
      start_(0) {
  std::int64_t threads = 1;
  if (pool != nullptr) {
    threads = std::min(pool->MaxConcurrency(), pool->RunningLimit());
  }
  if (executor != nullptr) threads = executor->MaxConcurrency();
  const std::int64_t wanted =
      settings.max_threads > 0 ? settings.max_threads : threads;
  const std::int64_t grains = NumGrains(n, grain_);
  // (Not std::min of a list, which is stored and loaded again as a vector: see
  // ReadAlone.)
  sharing_.max_participants = static_cast<int>(
      std::min(std::min(threads, wanted),
               std::min(grains, std::int64_t{kMaxParticipants})));
}

void LoopRun::Run() {
  if (sharing_.max_participants <= 1) {
    RunUnshared(measured_, body_, n_, elements_);
    return;
  }
  if (pool_ != nullptr && pool_->NumAwake() > 0) {
    RegionSlot::FetchForWriting();
  } else if (IsRarelyTimed()) {
    if (!IsSampled(kRunsPerSampleAsleep)) {
      body_(0, 0, n_);
      return;
    }
    runs_like_this_ = kRunsPerSampleAsleep;
  }
  start_ = base::Now();
  const float predicted = cost_ * static_cast<float>(n_);
  const bool shares = IsWorthSharing(predicted);
  if (pool_ != nullptr && !sharing_.always_share &&
      (!shares || predicted < kShortLoop)) {
    if (RunQuietly()) return;
  } else if (!shares && RunAlone()) {
    return;
  }
  RunPublished();
}

// Call it while all workers of the pool sleep: whether the site is trusted, and
// the loop is too long to be plain and too short to wake a worker.
bool LoopRun::IsRarelyTimed() const {
  if (pool_ == nullptr || sharing_.always_share) return false;
  const float call_time = CallTime();
  if (!IsTrusted(measured_) ||
      !IsLight(cost_ / elements_per_index_, call_time)) {
    return false;
  }
  const float predicted = cost_ * static_cast<float>(n_);
  // A shorter loop is plain. It is always timed here.
  return predicted >= kPlainCalls * call_time && predicted < kRarelyTimedLoop;
}

void LoopRun::FillFrame(RegionFrame* frame) const {
  frame->body = {ReadAlone(body_.function), ReadAlone(body_.closure),
                 ReadAlone(body_.may_be_copied)};
  frame->begin = done_;
  frame->n = n_ - done_;
  frame->pool = ReadAlone(pool_);
  frame->executor = ReadAlone(executor_);
  frame->loop_depth = loop_depth;
}

// Returns true when the loop is done, false when the rest is worth sharing.
bool LoopRun::RunQuietly() {
  Publication publication;
  RegionFrame& frame = publication.frame;
  FillFrame(&frame);
  frame.participant_slots = sharing_.max_participants - 1;
  frame.blocks = static_cast<int>(
      std::min(NumGrains(n_, grain_), std::int64_t{kMaxBlocks}));
  frame.first_blocks = 1;
  frame.share = std::max(1, kWholeShare / (2 * sharing_.max_participants));
  const std::int64_t loop_begin = BeginTraceSlice();
  if (!publication.OpenQuietly(RegionOfThisThread(), sharing_.is_outer))
    return RunAlone();
  pool_->KeepWatch();
  float time = 0.0f;
  Outcome outcome = Outcome::kDone;
  try {
    outcome = RunQuietBlocks(publication, &time);
  } catch (...) {
    frame.KeepError(std::current_exception());
    publication.Cancel();
  }
  // The indices took long, whether or not helpers ran some of them.
  if (outcome != Outcome::kDone) {
    const float whole = frame.block_cost * static_cast<float>(frame.blocks);
    LearnPlainRuns(measured_, elements_, std::max(time, whole), 1);
  }
  if (outcome == Outcome::kShareRest) return false;
  if (outcome == Outcome::kAnnounced) RunBlocks(publication);
  if (publication.NumJoined() > 0) {
    const base::Ticks elapsed = base::Now() - start_;
    publication.Wait();
    EndTraceSlice(TraceKind::kLoop, loop_begin, publication.handle(),
                  TraceId(name_.load(std::memory_order_relaxed)));
    LearnFromOwnBlocks(publication, elapsed, /*was_late=*/true);
  } else if (outcome == Outcome::kDone && !frame.error) {
    LearnFromQuietRun(time);
  }
  if (frame.error) std::rethrow_exception(std::move(frame.error));
  return true;
}

// Adds the time of the blocks to *time.
LoopRun::Outcome LoopRun::RunQuietBlocks(Publication& publication,
                                         float* time) {
  RegionFrame& frame = publication.frame;
  const float call_time = CallTime();
  const float overhead = BlockOverhead(call_time);
  const float predicted =
      cost_ * static_cast<float>(n_) / static_cast<float>(frame.blocks);
  int count = 1;
  base::Ticks before = base::Now();
  while (const int run = publication.RunFirst(count)) {
    const base::Ticks now = base::Now();
    const float block_time =
        std::max(0.0f, base::Nanoseconds(now - before) - overhead);
    *time += block_time;
    before = now;
    const int left = publication.NumLeft();
    if (left == 0) break;
    frame.block_cost =
        std::max(predicted, block_time / static_cast<float>(run));
    const float rest = frame.block_cost * static_cast<float>(left);
    if (rest < call_time * std::max(kRestAtOnce,
                                    std::min(kPlainCalls,
                                             kPlainShare * static_cast<float>(
                                                               elements_)))) {
      count = left;
      continue;
    }
    if (publication.NumJoined() > 0 || (left > 1 && IsWorthSharing(rest))) {
      if (publication.num_run() == 1 && rest < kShortLoop &&
          publication.CloseUnlessJoined()) {
        // The prediction holds, and there is a better way to cut the rest.
        done_ = n_ / frame.blocks;
        cost_ = rest / static_cast<float>(n_ - done_);
        return Outcome::kShareRest;
      }
      publication.Announce();
      return Outcome::kAnnounced;
    }
    const float fitting =
        std::min(static_cast<float>(left),
                 kChunkTime / std::max(frame.block_cost, 1e-3f));
    count = std::clamp(static_cast<int>(fitting), 1, kBlockGrowth * run);
  }
  return Outcome::kDone;
}

void LoopRun::LearnFromQuietRun(float time) {
  LearnCost(measured_, time / static_cast<float>(elements_));
  LearnPlainRuns(measured_, elements_, time, 1);
  sharing_.ForgetInefficiency(measured_);
  const base::Ticks now = base::Now();
  const float elapsed = base::Nanoseconds(now - start_);
  NoteMissed(runs_like_this_ * (sharing_.SavingWith(1, elapsed) - kSharingCost),
             now);
}

// For a foreign executor, or without a free slot. Returns true when the loop is
// done, false when the rest is worth sharing.
bool LoopRun::RunAlone() {
  const float predicted = cost_;
  const float overhead = BlockOverhead(CallTime());
  std::int64_t chunk = 0;
  while (true) {
    chunk = NextChunk(n_ - done_, chunk, cost_, grain_);
    const base::Ticks chunk_start = base::Now();
    body_(0, done_, done_ + chunk);
    done_ += chunk;
    const float time =
        std::max(0.0f, base::Nanoseconds(base::Now() - chunk_start) - overhead);
    const float sample = time / static_cast<float>(chunk);
    cost_ = std::isinf(predicted) ? sample : std::max(sample, predicted);
    if (done_ == n_) {
      Learn(sample);
      LearnPlainRuns(measured_, elements_, cost_ * static_cast<float>(n_), 1);
      sharing_.ForgetInefficiency(measured_);
      return true;
    }
    if (IsWorthSharing(cost_ * static_cast<float>(n_ - done_))) {
      Learn(cost_);
      LearnPlainRuns(measured_, elements_, cost_ * static_cast<float>(n_), 1);
      return false;
    }
  }
}

void LoopRun::RunPublished() {
  const bool is_known = std::isfinite(cost_);
  const float serial_time =
      is_known ? cost_ * static_cast<float>(n_ - done_) : kUnknownLoop;
  const int participants = sharing_.ParticipantsFor(serial_time);
  Publication publication;
  RegionFrame& frame = publication.frame;
  FillFrame(&frame);
  if (participants > 1)
    CutIntoBlocks(serial_time, grain_, participants, &frame);
  if (!is_known) {
    frame.first_blocks = 1;
    frame.block_cost = std::numeric_limits<float>::infinity();
  }
  const std::int64_t loop_begin = BeginTraceSlice();
  if (participants == 1 ||
      !publication.Open(RegionOfThisThread(), sharing_.is_outer)) {
    body_(0, done_, n_);
    return;
  }
  if (pool_ != nullptr) pool_->KeepWatch();
  const base::Ticks published = done_ > 0 ? base::Now() : start_;
  RunBlocks(publication);
  const bool learns = IsSampled(kRunsPerSampleShared) ||
                      serial_time > kShortLoop ||
                      publication.NumJoined() < frame.participant_slots;
  if (learns) {
    LearnFromOwnBlocks(publication, base::Now() - published,
                       /*was_late=*/false);
  }
  const std::int64_t wait_begin = BeginTraceSlice();
  publication.Wait();
  EndTraceSlice(TraceKind::kWait, wait_begin, publication.handle());
  EndTraceSlice(TraceKind::kLoop, loop_begin, publication.handle(),
                TraceId(name_.load(std::memory_order_relaxed)));
  if (frame.error) std::rethrow_exception(std::move(frame.error));
  if (learns) LearnFromCompany(publication, serial_time, published);
}

void LoopRun::RunBlocks(Publication& publication) {
  RegionFrame& frame = publication.frame;
  Participation participation(pool_, publication.handle());
  try {
    if (pool_ == nullptr || sharing_.always_share) {
      publication.Invite();
    } else if (publication.IsLong()) {
      publication.InviteUnlessSearching();
    }
    while (publication.RunSome()) {
      if (publication.NumJoined() > 0) continue;
      const float left =
          frame.block_cost * static_cast<float>(publication.NumLeft());
      // For a loop that is not known, one call is enough.
      publication.InviteAgain(std::isfinite(left) ? left : 0.0f);
    }
  } catch (...) {
    frame.KeepError(std::current_exception());
    publication.Cancel();
  }
}

// With helpers, an index may take longer than alone, but not less. A late loop
// was longer than predicted.
void LoopRun::LearnFromOwnBlocks(const Publication& publication,
                                 base::Ticks elapsed, bool was_late) {
  const RegionFrame& frame = publication.frame;
  const int own_blocks = publication.num_run();
  // An exception may have ended the last block.
  if (own_blocks == 0 || frame.failed.load(std::memory_order_relaxed)) return;
  const float indices = static_cast<float>(own_blocks) *
                        static_cast<float>(frame.n) /
                        static_cast<float>(frame.blocks);
  const float sample = base::Nanoseconds(elapsed) / indices;
  if (sample < cost_ || own_blocks == frame.blocks || was_late) Learn(sample);
}

void LoopRun::LearnFromCompany(const Publication& publication,
                               float serial_time, base::Ticks published) {
  const int participants = publication.NumJoined() + 1;
  if (participants == 1) return;
  const base::Ticks now = base::Now();
  const float elapsed = base::Nanoseconds(now - published);
  // A loop that had to wake its helpers says nothing about their efficiency.
  if (serial_time < kWorthWaking) {
    const float sample = std::min(
        1.0f, serial_time / (elapsed * static_cast<float>(participants)));
    measured_.efficiency.store(
        sharing_.efficiency + (sample - sharing_.efficiency) / 8.0f,
        std::memory_order_relaxed);
  }
  if (participants < publication.frame.participant_slots + 1) {
    NoteMissed(elapsed / static_cast<float>(participants + 1) - kSharingCost,
               now);
  }
}

void LoopRun::NoteMissed(float saving, base::Ticks now) {
  if (pool_ != nullptr) NoteMissedSaving(*pool_, saving, start_, now);
}

}  // namespace

void RunMeasuredLoop(ThreadPool& pool, LoopMeasurements& measured,
                     const std::atomic<const char*>& name,
                     const ErasedBody& body, std::int64_t n,
                     const LoopSettings& settings) {
  const AtLoopDepth deeper(DepthInLoop());
  if (pool.state().NumWorkers() == 0) {
    RunUnshared(measured, body, n,
                settings.elements > 0 ? settings.elements : n);
    return;
  }
  LoopRun(&pool.state(), nullptr, measured, name, body, n, settings).Run();
}

void RunMeasuredLoop(Executor& executor, LoopMeasurements& measured,
                     const std::atomic<const char*>& name,
                     const ErasedBody& body, std::int64_t n,
                     const LoopSettings& settings) {
  // Pools share work sooner than what is known of other hosts allows.
  if (ThreadPool* const pool = executor.AsThreadPool()) {
    RunMeasuredLoop(*pool, measured, name, body, n, settings);
    return;
  }
  const AtLoopDepth deeper(DepthInLoop());
  LoopRun(nullptr, &executor, measured, name, body, n, settings).Run();
}

}  // namespace ceres::parallel::detail
