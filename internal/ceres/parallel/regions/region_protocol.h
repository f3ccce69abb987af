// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_REGIONS_REGION_PROTOCOL_H_
#define CERES_INTERNAL_PARALLEL_REGIONS_REGION_PROTOCOL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/regions/region_word.h"
#include "ceres/parallel/sync/protocol_atomics.h"

// The steps by which the owner of a parallel region and its helpers meet.
// region.h describes the protocol and argues why it is correct. The runtime
// compiles this source (region.cc), and so does its model
// (region_protocol_test.cc).

namespace ceres::parallel::detail {

class PoolState;

// A range of blocks. Empty: no blocks are left.
struct BlockSpan {
  int begin = 0;
  int end = 0;
  bool empty() const { return begin == end; }
};

// Runs the blocks of `span`. The indices [begin, begin + n) are cut into
// `blocks` blocks.
inline void RunBlocks(ErasedBody body, std::int64_t begin, std::int64_t n,
                      std::int32_t blocks, int participant, BlockSpan span) {
  if (blocks == n) {  // Spares the divisions, some 15 ns.
    body(participant, begin + span.begin, begin + span.end);
    return;
  }
  const std::int64_t quotient = n / blocks;
  const auto remainder = static_cast<std::int32_t>(n % blocks);
  // Neither product overflows.
  const auto start_of = [&](std::int32_t block) {
    return begin + block * quotient + block * remainder / blocks;
  };
  body(participant, start_of(span.begin), start_of(span.end));
}

// The rules of the protocol that the model breaks, one at a time.
enum class RegionRule {
  kOpensWithRelease,
  kResetsBeforeOpening,
  kChangesEpoch,
  kJoinsAtomically,
  kJoinsWithAcquire,
  kClaimsFirstAtomically,
  kClaimsLastAtomically,
  kLeavesAfterLastRun,
  kLeavesWithRelease,
  kWakesOwner,
  kOwnerWaits,
  kLooksWithAcquire,
  kSetsSleepBit,
  kSleepsOnValueRead,
};

// The data of a region, in the stack frame of its owner.
template <typename Atomics, typename Error>
struct BasicRegionFrame {
  template <typename T>
  using Plain = typename Atomics::template Plain<T>;

  // Written by the owner, which copies them into the slot.
  ErasedBody body;
  std::int64_t begin = 0;  // The indices of the region, cut into `blocks`.
  std::int64_t n = 0;
  int blocks = 0;
  int participant_slots = 0;  // For helpers. Participant 0 is the owner.
  // A claim takes share / kWholeShare of the blocks left, at least one.
  int share = 1;
  // Blocks that the owner takes at the opening: 0 <= first_blocks < blocks.
  int first_blocks = 0;
  std::int32_t loop_depth = 0;  // Of the body (detail/loop.h).

  // Read by helpers, too.
  Plain<float> block_cost{0.0f};    // Predicted, nanoseconds.
  Plain<PoolState*> pool{nullptr};  // Of the two hosts, at most one is given.
  Plain<Executor*> executor{nullptr};
  // For a quiet region: whether its owner is not within another region of the
  // pool, and whether a thread has announced the region (publication.h).
  Plain<bool> is_outer{false};
  typename Atomics::template Atomic<bool> is_announced{false};

  typename Atomics::template Atomic<bool> failed{false};
  Plain<Error> error{};  // Written by the thread that set `failed`.

  // For the owner: runs some blocks without reading the slot, because a helper
  // may have fetched its cache line.
  void Run(BlockSpan span) const {
    RunBlocks({ReadAlone(body.function), ReadAlone(body.closure)},
              ReadAlone(begin), ReadAlone(n), ReadAlone(blocks), 0, span);
  }
  void KeepError(Error exception) noexcept {
    // Relaxed: the owner reads `error` after it has seen this thread leave.
    if (!failed.exchange(true, std::memory_order_relaxed)) {
      error = std::move(exception);
    }
  }
};

// A slot, in which one region after another is opened. See region.h for the
// meaning of its words and the order of accesses.
template <typename Atomics, typename Error, typename Mutation = NoMutation>
class alignas(128) BasicRegionSlot {
 public:
  template <typename T>
  using Atomic = typename Atomics::template Atomic<T>;
  template <typename T>
  using Plain = typename Atomics::template Plain<T>;
  using Frame = BasicRegionFrame<Atomics, Error>;

  static constexpr bool Breaks(RegionRule rule) {
    return Mutation::Breaks(rule);
  }

  // The id and the first blocks of a thread that joins a region.
  struct JoinResult {
    int participant = 0;  // 0: did not join.
    BlockSpan blocks;
    int slots_left = 0;
    int blocks_left = 0;
  };
  // A handle, and a word of its epoch if the thread has just read one, else 0.
  struct RegionSnapshot {
    RegionHandle handle = 0;
    std::uint64_t word = 0;
  };
  // Joins the region of the handle if it is still open, and claims some blocks.
  JoinResult TryJoin(RegionSnapshot snapshot);
  // Helper: has accessed the frame for the last time.
  void Leave();

  // Helper: runs the blocks.
  void Run(int participant, BlockSpan span) const {
    RunBlocks({function_, closure_}, begin_, n_, blocks_, participant, span);
  }
  Frame& frame() const { return *frame_; }
  PoolState* pool() const { return pool_.load(std::memory_order_acquire); }
  std::int32_t loop_depth() const { return loop_depth_; }
  // The closure if helpers must fetch it from the owner before they can run,
  // else null.
  const void* remote_closure() const {
    return closure_ == closure_copy_ ? nullptr : closure_;
  }

  // Claims some of the blocks left: ClaimFirst the first, for the owner;
  // ClaimLast the last, for helpers.
  BlockSpan ClaimFirst();
  // Claims at most `count` blocks.
  BlockSpan ClaimFirst(int count);
  // *blocks_left is the number that the last claim left, and is updated.
  BlockSpan ClaimLast(int* blocks_left);
  // Owner and helpers: drops the blocks that no thread has claimed.
  void Cancel();
  // Owner: drops the blocks unless a helper has joined. Returns whether it
  // dropped them.
  bool CloseUnlessJoined();

  // Helper that has joined: runs blocks until none are left, and leaves.
  // `enter` returns an object that exists meanwhile. run(span, blocks_left)
  // returns false if the blocks failed, after it has kept the error in the
  // frame.
  template <typename Enter, typename RunSpan>
  void Help(const JoinResult& joined, const Enter& enter, const RunSpan& run);

  // Owner: the blocks that no thread has claimed.
  int NumLeft() const;
  // Owner: the helpers that have joined so far. Final once no blocks are left.
  int NumJoined() const;
  // Owner: whether this many helpers have left.
  bool HaveLeft(int helpers) const;
  // Owner: sleeps until a helper leaves or a thread calls Rouse. May return
  // without a reason. Does not sleep if `helpers` have left.
  void SleepUntilLeft(int helpers);
  // Owner, when no blocks are left: waits for all helpers. spin(helpers) and
  // sleep(helpers) wait for a while. spin returns HaveLeft(helpers).
  template <typename Spin, typename Sleep>
  void WaitForHelpers(const Spin& spin, const Sleep& sleep);
  // Any thread, also with an old handle: wakes the owner.
  void Rouse();

  // A slot has at most one watcher, a thread that looks at it again and again.
  bool BeginWatch() {
    return !watched_.load(std::memory_order_relaxed) &&
           !watched_.exchange(true, std::memory_order_relaxed);
  }
  void EndWatch() { watched_.store(false, std::memory_order_relaxed); }
  bool IsWatched() const { return watched_.load(std::memory_order_relaxed); }

 protected:
  // Owner: publishes the region and takes its first blocks. Returns the epoch.
  // If `quiet`, the pool of the slot is null, and only LookForOpenOrQuiet finds
  // the region.
  std::uint64_t OpenEpoch(Frame* frame, RegionHandle parent,
                          bool quiet = false);
  // The word of a region of this pool that can be joined. 0: there is none.
  std::uint64_t LookForOpen(const PoolState* pool) const {
    using namespace region_word;  // NOLINT
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    const bool is_open = Blocks(word) != 0 && FreeParticipantSlots(word) != 0;
    return is_open && this->pool() == pool ? word : 0;
  }
  // The word of a region of this pool that can be joined, quiet or not. 0:
  // there is none.
  std::uint64_t LookForOpenOrQuiet(const PoolState* pool) const {
    using namespace region_word;  // NOLINT
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    const bool is_open = Blocks(word) != 0 && FreeParticipantSlots(word) != 0;
    const bool is_of_pool = this->pool() == pool ||
                            quiet_pool_.load(std::memory_order_relaxed) == pool;
    return is_open && is_of_pool ? word : 0;
  }
  void ForgetPools() {
    pool_.store(nullptr, std::memory_order_relaxed);
    quiet_pool_.store(nullptr, std::memory_order_relaxed);
  }
  bool IsOpenIn(std::uint64_t epoch) const;

  std::uint64_t EpochNow() const {
    return region_word::Epoch(word_.load(std::memory_order_acquire));
  }
  Atomic<RegionHandle>& parent() { return parent_; }
  const Atomic<RegionHandle>& parent() const { return parent_; }
  Atomic<std::uint32_t>& next_free() { return next_free_; }

 private:
  std::uint64_t LoadForWriting(std::uint64_t unlikely);

  // Writes only if the value changes. So when a loop is run again, a cache line
  // of unchanged fields stays in the caches of its helpers.
  template <typename Field, typename T>
  static void Update(Field* field, T value) {
    if (*field != value) *field = value;
  }
  template <typename Field, typename T>
  static void UpdateAtomic(Field* field, T value) {
    if (field->load(std::memory_order_relaxed) != value) {
      field->store(value, std::memory_order_release);
    }
  }
  void* PublishClosure(const ErasedBody& body);

  // Only the owner and helpers that have joined read fields that are not
  // atomic.

  // One cache line that moves from the owner to the helpers and back.
  Atomic<std::uint64_t> word_{0};
  Atomic<std::uint32_t> finished_{0};
  alignas(16) std::byte closure_copy_[kCopiedClosureSize] = {};

  // A second one that helpers need.
  alignas(64) Plain<ErasedBody::Function> function_{nullptr};
  Plain<void*> closure_{nullptr};
  Plain<std::int64_t> begin_{0};
  Plain<std::int64_t> n_{0};
  Atomic<PoolState*> pool_{nullptr};
  Plain<std::int32_t> blocks_{0};
  Plain<std::int32_t> participant_slots_{0};
  // RegionFrame::share. Read before joining, too.
  Atomic<std::int32_t> share_{1};
  Plain<std::int32_t> loop_depth_{0};

  // A third cache line, which helpers seldom need.
  alignas(64) Plain<Frame*> frame_{nullptr};
  // The epoch of the word, whose cache line may be with a helper.
  Plain<std::uint64_t> epoch_{0};
  Atomic<RegionHandle> parent_{0};
  Atomic<std::uint32_t> next_free_{0};
  Atomic<bool> watched_{false};
  // The pool of a quiet region.
  Atomic<PoolState*> quiet_pool_{nullptr};
};

template <typename Atomics, typename Error, typename Mutation>
inline std::uint64_t BasicRegionSlot<Atomics, Error, Mutation>::OpenEpoch(
    Frame* frame, RegionHandle parent, bool quiet) {
  using namespace region_word;  // NOLINT
  const std::uint64_t epoch =
      Breaks(RegionRule::kChangesEpoch) ? 1 : (epoch_ + 1) & kEpochMask;
  epoch_ = epoch;
  frame_ = frame;
  Update(&function_, ReadAlone(frame->body.function));
  Update(&closure_, PublishClosure(frame->body));
  Update(&begin_, ReadAlone(frame->begin));
  Update(&n_, ReadAlone(frame->n));
  Update(&blocks_, ReadAlone(frame->blocks));
  Update(&participant_slots_, ReadAlone(frame->participant_slots));
  Update(&loop_depth_, ReadAlone(frame->loop_depth));
  PoolState* const pool = Atomics::ReadAlone(frame->pool);
  UpdateAtomic(&pool_, quiet ? nullptr : pool);
  UpdateAtomic(&quiet_pool_, quiet ? pool : nullptr);
  UpdateAtomic(&share_, ReadAlone(frame->share));
  parent_.store(parent, std::memory_order_relaxed);
  if (!Breaks(RegionRule::kResetsBeforeOpening)) {
    finished_.store(0, std::memory_order_relaxed);
  }
  word_.store(
      (epoch << kEpochShift) |
          (static_cast<std::uint64_t>(frame->participant_slots)
           << kParticipantSlotShift) |
          (static_cast<std::uint64_t>(frame->first_blocks) << kBlockBits) |
          static_cast<std::uint64_t>(frame->blocks),
      Breaks(RegionRule::kOpensWithRelease) ? std::memory_order_relaxed
                                            : std::memory_order_release);
  if (Breaks(RegionRule::kResetsBeforeOpening)) {
    finished_.store(0, std::memory_order_relaxed);
  }
  return epoch;
}

// Returns where helpers find the closure.
template <typename Atomics, typename Error, typename Mutation>
inline void* BasicRegionSlot<Atomics, Error, Mutation>::PublishClosure(
    const ErasedBody& body) {
  if (!ReadAlone(body.may_be_copied)) return ReadAlone(body.closure);
  std::memcpy(closure_copy_, ReadAlone(body.closure), kCopiedClosureSize);
  return closure_copy_;
}

template <typename Atomics, typename Error, typename Mutation>
template <typename Enter, typename RunSpan>
inline void BasicRegionSlot<Atomics, Error, Mutation>::Help(
    const JoinResult& joined, const Enter& enter, const RunSpan& run) {
  if (Breaks(RegionRule::kLeavesAfterLastRun)) Leave();
  {
    [[maybe_unused]] const auto inside = enter();
    int blocks_left = joined.blocks_left;
    for (BlockSpan span = joined.blocks; !span.empty();
         span = ClaimLast(&blocks_left)) {
      if (!run(span, blocks_left)) {
        Cancel();
        break;
      }
    }
  }
  if (!Breaks(RegionRule::kLeavesAfterLastRun)) Leave();
}

template <typename Atomics, typename Error, typename Mutation>
template <typename Spin, typename Sleep>
inline void BasicRegionSlot<Atomics, Error, Mutation>::WaitForHelpers(
    const Spin& spin, const Sleep& sleep) {
  const int helpers = Breaks(RegionRule::kOwnerWaits) ? 0 : NumJoined();
  while (!HaveLeft(helpers)) {
    if (spin(helpers)) return;
    sleep(helpers);
  }
}

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_REGIONS_REGION_PROTOCOL_H_
