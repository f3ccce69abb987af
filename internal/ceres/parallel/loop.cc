// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/detail/loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ceres/parallel/clock.h"
#include "ceres/parallel/detail/participation.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/missed_savings.h"
#include "ceres/parallel/pool_state.h"
#include "ceres/parallel/publication.h"

// How a loop decides who helps.
//
// The caller first works alone, in chunks, and looks at the clock between them.
// As soon as the predicted rest is worth it, the rest is published, and not
// before: what costs nanoseconds never pays for threads. From which time on it
// pays depends on whether a worker is awake (a microsecond) or must be woken (a
// tenth of a millisecond).
//
// Loops in between, one after the other, never justify the wake-up one by one;
// they add up (missed_savings.h).
//
// All times are nanoseconds.

namespace ceres::parallel::detail {
namespace {

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

// A clock-free loop that is timed takes so much longer. Samples may take half a
// hundredth of the time.
constexpr float kSampleCost = 150.0f;
constexpr float kMaxSampleShare = 0.005f;
constexpr float kTimeBetweenSamples = kSampleCost / kMaxSampleShare;

// While all workers sleep, loops that are predicted to end within this time
// will not be shared, whatever a clock says. Of those that are not clock-free
// only one in so many, or one more, is timed: two looks at the clock are 3 % of
// a microsecond.
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

// Towards the minimum at once, upwards by at most a factor of two a sample: a
// preemption must not make a small loop look large.
void LearnCost(LoopSite& site, float sample) {
  const float known = site.cost.load(std::memory_order_relaxed);
  const float most = 2.0f * known;
  const float updated = std::min(sample, most);
  // Most samples change little; then the line stays shared.
  if (std::isinf(known) || std::fabs(updated - known) > 0.03f * known) {
    site.cost.store(std::max(updated, 1e-3f), std::memory_order_relaxed);
  }
  const bool grows = sample > most;
  if (site.is_growing.load(std::memory_order_relaxed) != grows) {
    site.is_growing.store(grows, std::memory_order_relaxed);
  }
}

// Whether a run of few indices was short.
void LearnShortRun(LoopSite& site, bool is_short) {
  const std::int32_t known = site.short_runs.load(std::memory_order_relaxed);
  const std::int32_t updated = is_short ? std::min(known + 1, kRunsToTrust) : 0;
  if (updated != known) {
    site.short_runs.store(updated, std::memory_order_relaxed);
  }
}

// Of one index each, mostly: without a division then. (Compilers take n / grain
// for an equal of `grain == 1 ? n : n / grain`, and divide.)
std::int64_t NumGrains(std::int64_t n, std::int64_t grain) {
  return grain > 1 ? n / grain : n;
}

bool TrustsFew(const LoopSite& site) {
  return site.short_runs.load(std::memory_order_relaxed) >= kRunsToTrust;
}

class LoopRun {
 public:
  LoopRun(PoolState* pool, Executor* executor, LoopSite& site,
          const ErasedBody& body, std::int64_t n, const LoopSettings& settings);

  void Run();

 private:
  bool IsSeldomTimed() const;
  bool RunAlone();
  std::int64_t NextChunk(std::int64_t last_chunk) const;
  bool IsWorthSharing(float remaining) const;
  float SavingWith(int helpers, float serial_time) const;
  int NumReady() const;
  int ParticipantsFor(float remaining) const;
  void CutIntoBlocks(float serial_time, int participants,
                     GroupFrame* frame) const;
  void RunPublished();
  void RunBlocks(Publication& publication);
  void LearnFromOwnBlocks(const Publication& publication, Ticks elapsed);
  void LearnFromCompany(const Publication& publication, float serial_time,
                        Ticks published);
  void NoteMissed(float saving, Ticks now);
  void ForgetInefficiency();

  PoolState* const pool_;
  Executor* const executor_;
  LoopSite& site_;
  const ErasedBody& body_;
  const std::int64_t n_;
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
      grain_(std::max<std::int64_t>(1, settings.grain)),
      cost_(site.cost.load(std::memory_order_relaxed)),
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
  if (!RunAlone()) RunPublished();
}

// Where all workers of the pool sleep. A few indices may differ in cost by any
// factor, see kClockFreeLength.
bool LoopRun::IsSeldomTimed() const {
  if (pool_ == nullptr || always_share_) return false;
  const float predicted = cost_ * static_cast<float>(n_);
  // What is shorter is here to be timed.
  const bool is_between =
      predicted >= kClockFreeCost && predicted < kSeldomTimedCost;
  if (!is_between) return false;
  if (n_ < kClockFreeLength && !TrustsFew(site_)) return false;
  return !site_.is_growing.load(std::memory_order_relaxed);
}

// Returns true when that was all, false when the rest is worth sharing.
bool LoopRun::RunAlone() {
  std::int64_t chunk = 0;
  while (true) {
    if (IsWorthSharing(cost_ * static_cast<float>(n_ - done_))) return false;
    chunk = NextChunk(chunk);
    const Ticks chunk_start = chunk == n_ ? start_ : Now();
    body_(0, done_, done_ + chunk);
    done_ += chunk;
    const Ticks now = Now();
    cost_ = Nanoseconds(now - chunk_start) / static_cast<float>(chunk);
    if (done_ == n_) {
      LearnCost(site_, cost_);
      const float elapsed = Nanoseconds(now - start_);
      if (n_ < kClockFreeLength) {
        LearnShortRun(site_, elapsed < kClockFreeCost);
      }
      ForgetInefficiency();
      NoteMissed(runs_like_this_ * (SavingWith(1, elapsed) - kSharingCost),
                 now);
      return true;
    }
  }
}

std::int64_t LoopRun::NextChunk(std::int64_t last_chunk) const {
  const std::int64_t rest = n_ - done_;
  std::int64_t chunk = 1;
  if (std::isfinite(cost_)) {
    const float fitting = kChunkTime / std::max(cost_, 1e-3f);
    chunk =
        static_cast<std::int64_t>(std::min(fitting, static_cast<float>(rest)));
    // The first chunks of a loop that is not known are short: the clock's own
    // time would count.
    if (last_chunk > 0) chunk = std::min(chunk, 8 * last_chunk);
  }
  constexpr std::int64_t kAlignment = 64;
  chunk = std::max(chunk, grain_);
  if (chunk > kAlignment) chunk -= chunk % kAlignment;
  return rest - chunk < chunk / 2 ? rest : std::min(chunk, rest);
}

bool LoopRun::IsWorthSharing(float remaining) const {
  if (n_ - done_ < 2 * grain_) return false;
  if (always_share_) return true;
  if (std::isinf(remaining)) return false;
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
  const std::int64_t rest = n_ - done_;
  const float serial_time = cost_ * static_cast<float>(rest);
  const int participants = ParticipantsFor(serial_time);
  Publication publication;
  GroupFrame& frame = publication.frame;
  frame.body = {ReadAlone(body_.function), ReadAlone(body_.closure),
                ReadAlone(body_.may_be_copied)};
  frame.begin = done_;
  frame.n = rest;
  frame.pool = ReadAlone(pool_);
  frame.executor = ReadAlone(executor_);
  if (participants > 1) CutIntoBlocks(serial_time, participants, &frame);
  const std::int64_t loop_begin = BeginTraceSlice();
  const GroupHandle parent =
      current_participation != nullptr ? current_participation->group : 0;
  if (participants == 1 || !publication.Open(parent, is_outer_)) {
    body_(0, done_, n_);
    return;
  }
  if (done_ > 0) LearnCost(site_, cost_);
  if (n_ < kClockFreeLength) LearnShortRun(site_, /*is_short=*/false);
  const Ticks published = done_ > 0 ? Now() : start_;
  RunBlocks(publication);
  const bool learns = --runs_to_learn <= 0 || serial_time > kShortLoop ||
                      publication.NumJoined() < frame.seats;
  if (learns) LearnFromOwnBlocks(publication, Now() - published);
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
      if (publication.NumJoined() == 0) {
        publication.InviteAgain(frame.block_cost *
                                static_cast<float>(publication.NumLeft()));
      }
    }
  } catch (...) {
    frame.KeepError(std::current_exception());
    publication.Cancel();
  }
}

// In company an index may take longer than alone, but not less.
void LoopRun::LearnFromOwnBlocks(const Publication& publication,
                                 Ticks elapsed) {
  const GroupFrame& frame = publication.frame;
  const int own_blocks = publication.num_run();
  // The last of them may have been left by an exception.
  if (own_blocks == 0 || frame.failed.load(std::memory_order_relaxed)) return;
  const float indices = static_cast<float>(own_blocks) *
                        static_cast<float>(frame.n) /
                        static_cast<float>(frame.blocks);
  const float sample = Nanoseconds(elapsed) / indices;
  if (sample < cost_ || own_blocks == frame.blocks) LearnCost(site_, sample);
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
void RunWithoutWorkers(LoopSite& site, const ErasedBody& body, std::int64_t n) {
  constexpr float kCallsToSample = 48.0f;
  thread_local std::int64_t calls_to_sample = 0;
  const bool is_known =
      std::isfinite(site.cost.load(std::memory_order_relaxed));
  if (is_known && --calls_to_sample >= 0) {
    body(0, 0, n);
    return;
  }
  calls_to_sample = Vary(kCallsToSample);
  const Ticks start = Now();
  body(0, 0, n);
  const float elapsed = Nanoseconds(Now() - start);
  LearnCost(site, elapsed / static_cast<float>(n));
  if (n < kClockFreeLength) LearnShortRun(site, elapsed < kClockFreeCost);
}

// The indices of loops that would take kTimeBetweenSamples, and a half more at
// most; fewer where they take some nanoseconds: those of so many loops like
// this one.
std::int64_t IndicesUntilClock(const LoopSite& site, std::int64_t n) {
  constexpr std::int64_t kMostCalls = 1024;
  const float cost = site.cost.load(std::memory_order_relaxed);
  return std::min(Vary(kTimeBetweenSamples / cost), kMostCalls * n);
}

void TakeInstalment(Allowance& allowance) {
  allowance.instalment = std::max(allowance.instalment, 2 * allowance.longest);
  allowance.left = std::min(allowance.reserve, allowance.instalment);
  allowance.reserve -= allowance.left;
  if (allowance.reserve > 0) allowance.instalment *= 2;
}

}  // namespace

bool ExtendAllowance(const LoopSite& site, std::int64_t n,
                     Allowance& allowance) {
  allowance.left = std::max<std::int64_t>(allowance.left, 0);
  if (n < allowance.fewest || n > allowance.longest) return false;
  if (site.is_growing.load(std::memory_order_relaxed)) return false;
  if (allowance.fewest < kClockFreeLength && !TrustsFew(site)) return false;
  if (allowance.reserve <= 0) {
    // Less than nothing: a virtual machine has been moved, or a thread to a cpu
    // whose counter is behind.
    const Ticks since = Now() - allowance.renewed_at;
    if (since < 0 || Nanoseconds(since) > kTimeBetweenSamples) return false;
    allowance.reserve = IndicesUntilClock(site, n);
  }
  TakeInstalment(allowance);
  allowance.left = std::max<std::int64_t>(allowance.left - n, 0);
  return true;
}

void RenewAllowance(const LoopSite& site, std::int64_t n,
                    Allowance& allowance) {
  const std::int64_t fewest = TrustsFew(site) ? 1 : kClockFreeLength;
  if (fewest > allowance.fewest) allowance = {};
  const float cost = site.cost.load(std::memory_order_relaxed);
  const bool is_short = static_cast<float>(n) * cost < kClockFreeCost;
  if (!is_short) allowance.instalment = 0;
  if (n < fewest || !is_short) return;
  allowance.fewest = fewest;
  allowance.longest = static_cast<std::int64_t>(kClockFreeCost / cost);
  const bool is_growing = site.is_growing.load(std::memory_order_relaxed);
  allowance.reserve = is_growing ? 0 : IndicesUntilClock(site, n);
  TakeInstalment(allowance);
  allowance.renewed_at = Now();
}

void RunLoop(ThreadPool& pool, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings) {
  if (pool.state().NumWorkers() == 0) {
    RunWithoutWorkers(site, body, n);
    return;
  }
  LoopRun(&pool.state(), nullptr, site, body, n, settings).Run();
}

void RunLoop(Executor& executor, LoopSite& site, const ErasedBody& body,
             std::int64_t n, LoopSettings settings) {
  LoopRun(nullptr, &executor, site, body, n, settings).Run();
}

}  // namespace ceres::parallel::detail
