// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/loop.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "ceres/parallel/clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/missed_savings.h"
#include "ceres/parallel/pool_state.h"
#include "ceres/parallel/publication.h"

// How a loop decides who helps.
//
// A site remembers what an element cost. That predicts how long the loop will
// take, and the loop is run in one of these ways:
//   plain    Predicted to be short, by a site that is trusted: as a loop
//            without ParallelFor (IsPlain), closed to others.
//   quietly  Predicted to be too short for sharing: the group is open before
//            the first index is begun, but nobody is called. The caller takes
//            one block, then at most 8 times as many each time, and looks at
//            the clock in between. When the rest is worth it, it calls for help
//            (Publication::Announce). If the caller is held up in a block, idle
//            threads find the group late, and join it (late_groups.cc).
//   shared   Predicted to be long, or not known: published at once, and
//            somebody is called.
// So a prediction that does not hold delays help by microseconds where a worker
// is awake, else by the interval at which one looks, a millisecond. Foreign
// executors have nobody who would look: there the caller alone notices, after
// its first block.
//
// From which time on sharing pays depends on whether a worker is awake (a
// microsecond) or must be woken (a tenth of a millisecond). Loops in between,
// one after the other, never justify the wake-up one by one; they add up
// (missed_savings.h).
//
// All times are nanoseconds.

namespace ceres::parallel::detail {
namespace {

// A loop about which nothing is known is cut, and shared, as one that takes
// this long, but from one block on.
constexpr float kUnknownLoopTime = 200e3f;
// A host that is not ours wakes its threads at an unknown price.
constexpr float kExecutorCost = 15e3f;
// Chunks while working alone, and blocks when published.
constexpr float kChunkTime = 2000.0f;
constexpr float kBlockTime = 1500.0f;
constexpr float kShortBlockTime = 300.0f;
constexpr int kMinBlocksPerParticipant = 8;
constexpr int kMaxBlocksPerParticipant = 64;
constexpr float kVeryShortLoop = 12e3f;
constexpr float kShortLoop = 20e3f;
// How much later than the owner a helper begins, and its end is seen, when it
// is awake.
constexpr float kHelperDelay = 450.0f;
constexpr int kMaxParticipants = kMaxSeats / kMinBlocksPerParticipant;

// Published loops to go until this thread looks at the clock after one again:
// short ones learn only now and then.
constexpr int kRunsToLearn = 8;
thread_local int runs_to_learn = 0;

// How a loop is cut, and for what: the same loop again is cut the same way,
// without the divisions that it takes to find out (25 ns of an owner's time
// before anybody can begin).
struct Cut {
  float serial_time;
  std::int64_t n;
  std::int64_t grain;
  int participants;

  int blocks;
  int first_blocks;
  int share;
  float block_cost;
};
thread_local Cut last_cut = {};

// Loops that take less than so many calls of functions may be plain, about a
// microsecond. It hardly pays to share less: with a helper that is awake two
// threads take 0.9 of the time of one for a loop of this length on quiet cores,
// and more than that of one on busy ones.
constexpr float kPlainCalls = 1000.0f;
// A plain loop that is timed takes so much longer. Samples may take half a
// hundredth of the time.
constexpr float kSampleCost = 150.0f;
constexpr float kMaxSampleShare = 0.005f;
constexpr float kTimeBetweenSamples = kSampleCost / kMaxSampleShare;
// Without a look at the clock.
constexpr std::int64_t kMostPlainCalls = 512;
// What a call of the body and a look at the clock add to a block, in calls of
// functions.
constexpr float kCallsPerBlock = 16.0f;
// An index that takes less than this part of a call of a function calls none.
constexpr float kPlainShare = 0.7f;
// A loop that takes less than so many of them is plain, whatever it calls.
constexpr std::int64_t kPlainElements = 32;
// Of the rest of a quiet loop, at most so many times as before are taken at
// once.
constexpr int kBlockGrowth = 8;
// A rest of a quiet loop that takes less than so many calls of functions is
// taken at once: it may be one of a plain loop, which is to be timed as a
// whole.
constexpr float kRestAtOnce = 128.0f;

// While all workers sleep, loops of a trusted site that are predicted to end
// within this time will not be shared, whatever a clock says. Only one in so
// many, or one more, is timed: two looks at the clock are 3 % of a microsecond.
constexpr float kSeldomTimedCost = 4000.0f;
constexpr float kRunsPerTimed = 4.0f;
thread_local std::int64_t runs_to_timed = 0;

// Between base and 1.5 base, so that loops that alternate all get their turn.
std::int64_t Vary(float base) {
  thread_local std::uint32_t state = 0;
  state = state * 1664525u + 1013904223u;
  constexpr float kHalf = 0x1p-33f;
  return static_cast<std::int64_t>(base +
                                   base * kHalf * static_cast<float>(state));
}

// Out of line, so that compilers do not see what it calls.
[[gnu::noinline]] void CallEach(const std::function<void(int)>& function,
                                int calls) {
  for (int i = 0; i < calls; ++i) function(i);
}

// What it takes to call a function that is known only when the program runs,
// nanoseconds, the least of some measurements. By this, and not by a number, it
// is told what calls functions: also on a slow machine, or under an emulator.
float MeasureCallTime() {
  constexpr int kCalls = 64;
  int stored[kCalls];
  const std::function<void(int)> store = [&stored](int i) { stored[i] = i; };
  float least = std::numeric_limits<float>::infinity();
  for (int attempt = 0; attempt < 32; ++attempt) {
    const Ticks start = Now();
    CallEach(store, kCalls);
    least = std::min(least, Nanoseconds(Now() - start));
  }
  return std::max(least / kCalls, 0.1f);
}

// Two threads may both measure it; either result will do.
float CallTime() {
  static std::atomic<float> known{0.0f};
  float call_time = known.load(std::memory_order_relaxed);
  if (call_time == 0.0f) {
    call_time = MeasureCallTime();
    known.store(call_time, std::memory_order_relaxed);
  }
  return call_time;
}

// Towards the minimum at once, upwards by at most a factor of two a sample: a
// preemption must not make a small loop look large. The sample is of an
// element.
void LearnCost(LoopSite& site, float sample) {
  const float known = site.cost.load(std::memory_order_relaxed);
  const float updated = std::min(sample, 2.0f * known);
  // Most samples change little; then the line stays shared.
  if (std::isinf(known) || std::fabs(updated - known) > 0.03f * known) {
    site.cost.store(std::max(updated, 1e-3f), std::memory_order_relaxed);
  }
}

// Whether a loop that takes this time for so many elements is plain.
bool IsPlainTime(float time, std::int64_t elements, float call_time) {
  return time <
         call_time * std::min(kPlainCalls,
                              kPlainShare * static_cast<float>(std::max(
                                                elements, kPlainElements)));
}

// The most elements of loops that take less than `time` and are plain by what
// an element costs; 0: none are.
std::int64_t LongestPlain(float cost, float time) {
  const float plain_cost = kPlainShare * CallTime();
  if (cost >= plain_cost) time = plain_cost * kPlainElements;
  return static_cast<std::int64_t>(time / cost);
}

// `runs` runs like one that took this time for so many elements. One that took
// somewhat longer than plain ones do was disturbed; one that took much longer
// is of another kind.
void LearnPlainRuns(LoopSite& site, std::int64_t elements, float time,
                    int runs) {
  constexpr float kMuchLonger = 4.0f;
  const float bound = kPlainShare * CallTime() *
                      static_cast<float>(std::max(elements, kPlainElements));
  const std::int32_t known = site.plain_runs.load(std::memory_order_relaxed);
  std::int32_t updated = known;
  if (time > kMuchLonger * bound) {
    updated = 0;
  } else if (time < bound) {
    updated = std::min(known + runs, kRunsToTrust);
  }
  if (updated != known) {
    site.plain_runs.store(updated, std::memory_order_relaxed);
  }
}

bool IsTrusted(const LoopSite& site) {
  return site.plain_runs.load(std::memory_order_relaxed) >= kRunsToTrust;
}

// Of one index each, mostly: without a division then. (Compilers take n / grain
// for an equal of `grain == 1 ? n : n / grain`, and divide.)
std::int64_t NumGrains(std::int64_t n, std::int64_t grain) {
  return grain > 1 ? n / grain : n;
}

class LoopRun {
 public:
  LoopRun(PoolState* pool, Executor* executor, LoopSite& site,
          const ErasedBody& body, std::int64_t n, const LoopSettings& settings);

  void Run();

 private:
  bool IsSeldomTimed() const;
  bool RunQuietly();
  // Of a quiet loop: its rest is to be shared by another group; or others have
  // joined it or been called, and there may be blocks left.
  enum class Outcome { kDone, kShareRest, kAnnounced };
  Outcome RunQuietBlocks(Publication& publication, float* time);
  void LearnFromQuietRun(float time);
  bool RunAlone();
  std::int64_t NextChunk(std::int64_t last_chunk) const;
  void FillFrame(GroupFrame* frame) const;
  bool IsWorthSharing(float remaining) const;
  float SavingWith(int helpers, float serial_time) const;
  int NumReady() const;
  int ParticipantsFor(float remaining) const;
  void CutIntoBlocks(float serial_time, int participants,
                     GroupFrame* frame) const;
  void RunPublished();
  void RunBlocks(Publication& publication);
  void Learn(float index_cost) {
    LearnCost(site_, index_cost / elements_per_index_);
  }
  void LearnFromOwnBlocks(const Publication& publication, Ticks elapsed,
                          bool was_late);
  void LearnFromCompany(const Publication& publication, float serial_time,
                        Ticks published);
  void NoteMissed(float saving, Ticks now);
  void ForgetInefficiency();

  PoolState* const pool_;
  Executor* const executor_;
  LoopSite& site_;
  const ErasedBody& body_;
  const std::int64_t n_;
  const std::int64_t elements_;
  const float elements_per_index_;
  const std::int64_t grain_;
  int max_participants_;
  std::int64_t done_ = 0;
  float cost_;  // Of an index; infinite: not known.
  float efficiency_;
  const bool is_outer_;  // Not within a loop of this host.
  const bool always_share_;
  float runs_like_this_ = 1.0f;  // That have not been timed, this one included.
  Ticks start_;
};

LoopRun::LoopRun(PoolState* pool, Executor* executor, LoopSite& site,
                 const ErasedBody& body, std::int64_t n,
                 const LoopSettings& settings)
    : pool_(pool),
      executor_(executor),
      site_(site),
      body_(body),
      n_(n),
      elements_(settings.elements > 0 ? settings.elements : n),
      elements_per_index_(settings.elements > 0
                              ? static_cast<float>(settings.elements) /
                                    static_cast<float>(n)
                              : 1.0f),
      grain_(std::max<std::int64_t>(1, settings.grain)),
      cost_(site.cost.load(std::memory_order_relaxed) * elements_per_index_),
      efficiency_(site.efficiency.load(std::memory_order_relaxed)),
      is_outer_(current_participation == nullptr ||
                current_participation->pool != pool),
      always_share_(pool != nullptr && pool->AlwaysShares()),
      start_(0) {
  std::int64_t threads = 1;
  if (pool != nullptr) {
    threads = std::min(pool->MaxConcurrency(), pool->RunningLimit());
  }
  if (executor != nullptr) threads = executor->MaxConcurrency();
  const std::int64_t wanted =
      settings.max_threads > 0 ? settings.max_threads : threads;
  const std::int64_t grains = NumGrains(n, grain_);
  // (Not std::min of a list: stored and loaded again as a vector, see
  // ReadAlone.)
  max_participants_ = static_cast<int>(
      std::min(std::min(threads, wanted),
               std::min(grains, std::int64_t{kMaxParticipants})));
}

void LoopRun::Run() {
  if (max_participants_ <= 1) {
    body_(0, 0, n_);
    return;
  }
  if (pool_ != nullptr && pool_->NumAwake() > 0) {
    GroupSlot::FetchForWriting();
  } else if (IsSeldomTimed()) {
    if (--runs_to_timed > 0) {
      body_(0, 0, n_);
      return;
    }
    runs_to_timed = Vary(kRunsPerTimed);
    runs_like_this_ = kRunsPerTimed;
  }
  start_ = Now();
  const float predicted = cost_ * static_cast<float>(n_);
  const bool shares = IsWorthSharing(predicted);
  if (pool_ != nullptr && !always_share_ &&
      (!shares || predicted < kShortLoop)) {
    if (RunQuietly()) return;
  } else if (!shares && RunAlone()) {
    return;
  }
  RunPublished();
}

// Where all workers of the pool sleep.
bool LoopRun::IsSeldomTimed() const {
  if (pool_ == nullptr || always_share_ || !IsTrusted(site_)) return false;
  const float predicted = cost_ * static_cast<float>(n_);
  // What is shorter is here to be timed.
  if (predicted < kPlainCalls * CallTime() || predicted >= kSeldomTimedCost) {
    return false;
  }
  return elements_ <=
         LongestPlain(cost_ / elements_per_index_, kSeldomTimedCost);
}

void LoopRun::FillFrame(GroupFrame* frame) const {
  frame->body = {ReadAlone(body_.function), ReadAlone(body_.closure),
                 ReadAlone(body_.may_be_copied)};
  frame->begin = done_;
  frame->n = n_ - done_;
  frame->pool = ReadAlone(pool_);
  frame->executor = ReadAlone(executor_);
}

// Returns true when that was all, false when the rest is worth sharing.
bool LoopRun::RunQuietly() {
  Publication publication;
  GroupFrame& frame = publication.frame;
  FillFrame(&frame);
  frame.seats = max_participants_ - 1;
  frame.blocks = static_cast<int>(
      std::min(NumGrains(n_, grain_), std::int64_t{kMaxBlocks}));
  frame.first_blocks = 1;
  frame.share = std::max(1, kWholeShare / (2 * max_participants_));
  const std::int64_t loop_begin = BeginTraceSlice();
  const GroupHandle parent =
      current_participation != nullptr ? current_participation->group : 0;
  if (!publication.OpenQuietly(parent, is_outer_)) return RunAlone();
  pool_->KeepWatch();
  float time = 0.0f;
  Outcome outcome = Outcome::kDone;
  try {
    outcome = RunQuietBlocks(publication, &time);
  } catch (...) {
    frame.KeepError(std::current_exception());
    publication.Cancel();
  }
  // Its indices took long, whoever else ran some of them.
  if (outcome != Outcome::kDone) LearnPlainRuns(site_, elements_, time, 1);
  if (outcome == Outcome::kShareRest) return false;
  if (outcome == Outcome::kAnnounced) RunBlocks(publication);
  if (publication.NumJoined() > 0) {
    const Ticks elapsed = Now() - start_;
    publication.Wait();
    EndTraceSlice(TraceKind::kLoop, loop_begin, publication.handle(),
                  TraceId(site_.name.load(std::memory_order_relaxed)));
    LearnFromOwnBlocks(publication, elapsed, /*was_late=*/true);
  } else if (outcome == Outcome::kDone && !frame.error) {
    LearnFromQuietRun(time);
  }
  if (frame.error) std::rethrow_exception(std::move(frame.error));
  return true;
}

// Adds to *time what the blocks have taken.
LoopRun::Outcome LoopRun::RunQuietBlocks(Publication& publication,
                                         float* time) {
  GroupFrame& frame = publication.frame;
  const float call_time = CallTime();
  const float overhead = kCallsPerBlock * call_time;
  const float predicted =
      cost_ * static_cast<float>(n_) / static_cast<float>(frame.blocks);
  int count = 1;
  Ticks before = Now();
  while (const int run = publication.RunFirst(count)) {
    const Ticks now = Now();
    const float block_time =
        std::max(0.0f, Nanoseconds(now - before) - overhead);
    *time += block_time;
    before = now;
    const int left = publication.NumLeft();
    if (left == 0) break;
    frame.block_cost =
        std::max(predicted, block_time / static_cast<float>(run));
    const float rest = frame.block_cost * static_cast<float>(left);
    if (rest < kRestAtOnce * call_time ||
        IsPlainTime(rest, elements_, call_time)) {
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
  LearnCost(site_, time / static_cast<float>(elements_));
  LearnPlainRuns(site_, elements_, time, 1);
  ForgetInefficiency();
  const Ticks now = Now();
  const float elapsed = Nanoseconds(now - start_);
  NoteMissed(runs_like_this_ * (SavingWith(1, elapsed) - kSharingCost), now);
}

// On a foreign executor, or without a slot. Returns true when that was all,
// false when the rest is worth sharing.
bool LoopRun::RunAlone() {
  const float predicted = cost_;
  const float overhead = kCallsPerBlock * CallTime();
  std::int64_t chunk = 0;
  while (true) {
    chunk = NextChunk(chunk);
    const Ticks chunk_start = Now();
    body_(0, done_, done_ + chunk);
    done_ += chunk;
    const float time =
        std::max(0.0f, Nanoseconds(Now() - chunk_start) - overhead);
    const float sample = time / static_cast<float>(chunk);
    cost_ = std::isinf(predicted) ? sample : std::max(sample, predicted);
    if (done_ == n_) {
      Learn(sample);
      ForgetInefficiency();
      return true;
    }
    if (IsWorthSharing(cost_ * static_cast<float>(n_ - done_))) {
      Learn(cost_);
      return false;
    }
  }
}

std::int64_t LoopRun::NextChunk(std::int64_t last_chunk) const {
  const std::int64_t rest = n_ - done_;
  // The first chunk confirms the prediction, or not.
  std::int64_t chunk = 1;
  if (last_chunk > 0) {
    const float fitting = kChunkTime / std::max(cost_, 1e-3f);
    chunk =
        static_cast<std::int64_t>(std::min(fitting, static_cast<float>(rest)));
    chunk = std::min(chunk, kBlockGrowth * last_chunk);
  }
  constexpr std::int64_t kAlignment = 64;
  chunk = std::max(chunk, grain_);
  if (chunk > kAlignment) chunk -= chunk % kAlignment;
  return rest - chunk < chunk / 2 ? rest : std::min(chunk, rest);
}

bool LoopRun::IsWorthSharing(float remaining) const {
  if (n_ - done_ < 2 * grain_) return false;
  if (always_share_ || std::isinf(remaining)) return true;
  if (pool_ == nullptr) return remaining > 2.0f * kExecutorCost;
  const int awake = NumReady();
  if (awake <= 0) return remaining > kWorthWaking;
  return SavingWith(awake, remaining) > kSharingCost;
}

// What helpers have saved at this place before: with k threads of efficiency e,
// 1 - 1 / (k e) of the time.
float LoopRun::SavingWith(int helpers, float serial_time) const {
  const int company = std::min(helpers + 1, max_participants_);
  const float speedup =
      std::max(1.02f, efficiency_ * static_cast<float>(company));
  return serial_time * (1.0f - 1.0f / speedup);
}

// Workers that will come without being woken. Within a loop of the same pool
// they may well be at work for that; a caller from outside takes them to be
// free, and is spared a look at their counter.
int LoopRun::NumReady() const {
  return is_outer_ ? pool_->NumAwake() : pool_->NumIdle();
}

// As many as have something to do that is worth coming for.
int LoopRun::ParticipantsFor(float remaining) const {
  const int limit =
      pool_ != nullptr ? pool_->RunningLimit() : max_participants_;
  const int worth = static_cast<int>(
      std::min(remaining / kSharingCost, static_cast<float>(kMaxParticipants)));
  if (always_share_) return std::min(max_participants_, limit);
  return std::max(1, std::min(max_participants_, std::min(limit, worth)));
}

// For at least two participants and two grains.
Cut MakeCut(float serial_time, std::int64_t n, std::int64_t grain,
            int participants) {
  Cut cut{serial_time, n, grain, participants, 0, 0, 0, 0.0f};
  const auto p = static_cast<float>(participants);
  // Blocks long enough to be worth a claim. What is divided at once, without
  // more claims, may be divided as finely as one likes.
  const float block_time =
      serial_time < kShortLoop ? kShortBlockTime : kBlockTime;
  const int blocks =
      serial_time < kVeryShortLoop
          ? kMaxBlocksPerParticipant * participants
          : static_cast<int>(std::clamp(serial_time / block_time,
                                        p * kMinBlocksPerParticipant,
                                        p * kMaxBlocksPerParticipant));
  const std::int64_t grains = NumGrains(n, grain);
  cut.blocks = static_cast<int>(
      std::min(std::int64_t{std::min(blocks, kMaxBlocks)}, grains));
  cut.block_cost = serial_time / static_cast<float>(cut.blocks);

  // How much a claim takes. A short loop is divided at once, so that owner and
  // helpers, who come later, end together; a long one by and by.
  const float owner_time = (serial_time + (p - 1.0f) * kHelperDelay) / p;
  const int helpers = participants - 1;
  float first_time = owner_time;
  if (serial_time < kVeryShortLoop) {
    cut.share = kWholeShare / helpers;
  } else if (serial_time < kShortLoop) {
    cut.share = 7 * kWholeShare / (8 * helpers);
  } else {
    cut.share = kWholeShare / (2 * participants);
    first_time = 0.5f * owner_time;
  }
  cut.share = std::max(1, cut.share);
  cut.first_blocks = static_cast<int>(std::lround(first_time / cut.block_cost));
  cut.first_blocks = std::clamp(cut.first_blocks, 1, cut.blocks - 1);
  return cut;
}

void LoopRun::CutIntoBlocks(float serial_time, int participants,
                            GroupFrame* frame) const {
  Cut& cut = last_cut;
  if (cut.serial_time != serial_time || cut.n != frame->n ||
      cut.grain != grain_ || cut.participants != participants) {
    cut = MakeCut(serial_time, frame->n, grain_, participants);
  }
  frame->seats = participants - 1;
  frame->blocks = cut.blocks;
  frame->first_blocks = cut.first_blocks;
  frame->share = cut.share;
  frame->block_cost = cut.block_cost;
}

void LoopRun::RunPublished() {
  const bool is_known = std::isfinite(cost_);
  const float serial_time =
      is_known ? cost_ * static_cast<float>(n_ - done_) : kUnknownLoopTime;
  const int participants = ParticipantsFor(serial_time);
  Publication publication;
  GroupFrame& frame = publication.frame;
  FillFrame(&frame);
  if (participants > 1) CutIntoBlocks(serial_time, participants, &frame);
  if (!is_known) {
    frame.first_blocks = 1;
    frame.block_cost = std::numeric_limits<float>::infinity();
  }
  const std::int64_t loop_begin = BeginTraceSlice();
  const GroupHandle parent =
      current_participation != nullptr ? current_participation->group : 0;
  if (participants == 1 || !publication.Open(parent, is_outer_)) {
    body_(0, done_, n_);
    return;
  }
  if (pool_ != nullptr) pool_->KeepWatch();
  const Ticks published = done_ > 0 ? Now() : start_;
  RunBlocks(publication);
  const bool learns = --runs_to_learn <= 0 || serial_time > kShortLoop ||
                      publication.NumJoined() < frame.seats;
  if (learns) {
    LearnFromOwnBlocks(publication, Now() - published, /*was_late=*/false);
  }
  const std::int64_t wait_begin = BeginTraceSlice();
  publication.Wait();
  EndTraceSlice(TraceKind::kWait, wait_begin, publication.handle());
  EndTraceSlice(TraceKind::kLoop, loop_begin, publication.handle(),
                TraceId(site_.name.load(std::memory_order_relaxed)));
  if (frame.error) std::rethrow_exception(std::move(frame.error));
  if (learns) LearnFromCompany(publication, serial_time, published);
}

void LoopRun::RunBlocks(Publication& publication) {
  GroupFrame& frame = publication.frame;
  Participation participation(pool_, publication.handle());
  try {
    if (pool_ == nullptr || always_share_) {
      publication.Invite();
    } else if (publication.IsLong()) {
      publication.InviteIfNobodySeeks();
    }
    while (publication.RunSome()) {
      if (publication.NumJoined() > 0) continue;
      const float left =
          frame.block_cost * static_cast<float>(publication.NumLeft());
      // Of a loop that is not known it is enough to have called once.
      publication.InviteAgain(std::isfinite(left) ? left : 0.0f);
    }
  } catch (...) {
    frame.KeepError(std::current_exception());
    publication.Cancel();
  }
}

// In company an index may take longer than alone, but not less. What has been
// late was longer than known.
void LoopRun::LearnFromOwnBlocks(const Publication& publication, Ticks elapsed,
                                 bool was_late) {
  const GroupFrame& frame = publication.frame;
  const int own_blocks = publication.num_run();
  // The last of them may have been left by an exception.
  if (own_blocks == 0 || frame.failed.load(std::memory_order_relaxed)) return;
  const float indices = static_cast<float>(own_blocks) *
                        static_cast<float>(frame.n) /
                        static_cast<float>(frame.blocks);
  const float sample = Nanoseconds(elapsed) / indices;
  if (sample < cost_ || own_blocks == frame.blocks || was_late) Learn(sample);
}

void LoopRun::LearnFromCompany(const Publication& publication,
                               float serial_time, Ticks published) {
  runs_to_learn = kRunsToLearn;
  const int participants = publication.NumJoined() + 1;
  if (participants == 1) return;
  const Ticks now = Now();
  const float elapsed = Nanoseconds(now - published);
  // A loop that had to wake its helpers says nothing about their efficiency.
  if (serial_time < kWorthWaking) {
    const float sample = std::min(
        1.0f, serial_time / (elapsed * static_cast<float>(participants)));
    site_.efficiency.store(efficiency_ + (sample - efficiency_) / 8.0f,
                           std::memory_order_relaxed);
  }
  if (participants < publication.frame.seats + 1) {
    NoteMissed(elapsed / static_cast<float>(participants + 1) - kSharingCost,
               now);
  }
}

// A place that is not shared any more gets another chance after some time.
void LoopRun::ForgetInefficiency() {
  if (efficiency_ > 0.99f) return;
  site_.efficiency.store(efficiency_ + (1.0f - efficiency_) / 256.0f,
                         std::memory_order_relaxed);
}

void LoopRun::NoteMissed(float saving, Ticks now) {
  if (pool_ != nullptr) NoteMissedSaving(*pool_, saving, start_, now);
}

// Learns as other loops do, so that the next run does not even come here, but
// has no use for the clock otherwise.
void RunWithoutWorkers(LoopSite& site, const ErasedBody& body, std::int64_t n,
                       std::int64_t elements) {
  constexpr int kCallsToSample = 48;
  thread_local std::int64_t calls_to_sample = 0;
  const bool is_known =
      std::isfinite(site.cost.load(std::memory_order_relaxed));
  if (is_known && --calls_to_sample >= 0) {
    body(0, 0, n);
    return;
  }
  calls_to_sample = Vary(kCallsToSample);
  const float overhead = kCallsPerBlock * CallTime();
  const Ticks start = Now();
  body(0, 0, n);
  const float time = std::max(0.0f, Nanoseconds(Now() - start) - overhead);
  LearnCost(site, time / static_cast<float>(elements));
  LearnPlainRuns(site, elements, time, kCallsToSample);
}

}  // namespace

bool ExtendPlainLoops(std::int64_t elements, PlainLoops& plain) {
  if (elements > plain.longest || plain.calls >= 0) return false;
  // Less than nothing: a virtual machine has been moved, or a thread to a cpu
  // whose counter is behind.
  const Ticks since = Now() - plain.timed_at;
  if (since < 0 || Nanoseconds(since) > kTimeBetweenSamples) return false;
  plain.calls = kMostPlainCalls;
  return true;
}

void RenewPlainLoops(const LoopSite& site, std::int64_t elements,
                     PlainLoops& plain) {
  if (!IsTrusted(site)) {
    plain = {};
    return;
  }
  const float cost = site.cost.load(std::memory_order_relaxed);
  plain.longest = LongestPlain(cost, kPlainCalls * CallTime());
  // Longer loops leave the calls to shorter ones.
  if (elements > plain.longest) return;
  plain.calls = std::min(
      kMostPlainCalls,
      Vary(kTimeBetweenSamples / (cost * static_cast<float>(elements))));
  plain.timed_at = Now();
}

void RunLoop(ThreadPool& pool, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings) {
  if (pool.state().NumWorkers() == 0) {
    RunWithoutWorkers(site, body, n,
                      settings.elements > 0 ? settings.elements : n);
    return;
  }
  LoopRun(&pool.state(), nullptr, site, body, n, settings).Run();
}

void RunLoop(Executor& executor, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings) {
  LoopRun(nullptr, &executor, site, body, n, settings).Run();
}

}  // namespace ceres::parallel::detail
