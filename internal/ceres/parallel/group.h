// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_GROUP_H_
#define CERES_INTERNAL_PARALLEL_GROUP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>

#include "ceres/parallel/detail/body.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/group_word.h"
#include "ceres/parallel/protocol_atomics.h"

// A group: work that its owner has published, so that others may help.
//
// The group's data lies in its owner's stack frame (GroupFrame). What others
// can see of it before they take part is a slot, in a table that lives as long
// as the process:
//
//   word      epoch (28 bits) | seats free (12) | first block left (12) |
//             end (12)
//   finished  helpers that have left (31 bits) | the owner sleeps (1)
//
// and a handle (slot, epoch), which is what an Invitation carries.
//
// Why it is correct
//  - Opening writes the frame and the slot's plain fields, then stores the word
//    (release) with an epoch that the slot never had. Joining is one
//    compare-exchange (acquire) that requires the handle's epoch, a free seat
//    and a block, and takes one of each. So a thread that joins sees the fields
//    of its epoch, and a late one fails and has touched nothing but the word,
//    which never goes away. Claims are relaxed read-modify-writes: they prolong
//    the release sequence of the opening, and hand over no data of their own.
//  - Blocks never increase within an epoch, and a join takes a block. So once
//    the owner has read zero blocks, the seats it reads with them are final:
//    the helpers are the seats taken.
//  - A helper's last access to the frame comes before its increment (release)
//    of `finished`. The owner leaves its frame, and reuses the slot, only when
//    it has read (acquire) as many increments as seats were taken: helpers'
//    writes happen before the owner goes on. The word of the old epoch stays
//    behind with zero blocks, so nobody can join it.
//  - Sleep: the owner sets the sleep bit by read-modify-write and sleeps only
//    while the word is as it last read it; a helper that reads the bit in its
//    increment wakes the address. Whichever of the two comes second sees the
//    other. The wake may reach a later owner of the slot, who looks again.
//  - A seat, and with it a participant id, is taken once an epoch and never
//    given back, so no two threads ever hold one id.
//  - The owner takes the next epoch from a field of its own, not from the word,
//    whose line is with a helper then. The field goes from owner to owner with
//    the slot (Acquire, Release).
//  - A worker may watch the slot that it joined last, instead of waiting for an
//    invitation: it reads the word, then the pool (both acquire), and joins by
//    the handle that the word's epoch makes. If the pool that it read was
//    written by a later opening, the word has changed, and the join fails; so
//    it never joins a group of another pool. Whether a slot is watched is a
//    hint: an owner who trusts it wrongly invites later
//    (Publication::InviteAgain).
//  - Epochs come back after 2^28 openings of one slot. A handle that old may
//    then join the present group: as a helper like any other, since everything
//    is read after the exchange.
//
// The owner claims blocks from the front and helpers claim from the back, so
// that in loops that follow each other over the same data, each finds its part
// in its own cache. A claim takes a share of what is left (guided
// self-scheduling, Polychronopoulos and Kuck, IEEE Trans. Computers 1987),
// because every claim moves a cache line between cpus, some 150 ns.

namespace ceres::parallel::detail {

class PoolState;

// Some neighbouring blocks. Empty: there are none left.
struct BlockSpan {
  int begin = 0;
  int end = 0;
  bool empty() const { return begin == end; }
};

// Runs some of `blocks` blocks, into which n indices from `begin` on are cut.
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

// What helpers need, in the owner's stack frame.
struct GroupFrame {
  ErasedBody body;
  std::int64_t begin = 0;  // The indices of the group, cut into `blocks`.
  std::int64_t n = 0;
  int blocks = 0;
  int seats = 0;  // For helpers. Participant 0 is the owner.
  // A claim takes share / kWholeShare of the blocks left, at least one.
  int share = 1;
  // What the owner takes with the opening: 0 <= first_blocks < blocks.
  int first_blocks = 0;
  float block_cost = 0.0f;    // Predicted, nanoseconds.
  PoolState* pool = nullptr;  // Of the two hosts, at most one is given.
  Executor* executor = nullptr;

  std::atomic<bool> failed{false};
  std::exception_ptr error;  // Written by the thread that set `failed`.

  // For the owner: runs some blocks without a look at the slot, whose cache
  // line is on its way to a helper by then.
  void Run(BlockSpan span) const;
  void KeepError(std::exception_ptr exception) noexcept;
};

class alignas(128) GroupSlot {
 public:
  // A slot for the caller alone; null when all are in use. Lock-free; each
  // thread keeps the one that it released last, so that a loop needs no atomic
  // read-modify-write to get it and to give it back.
  static GroupSlot* Acquire();
  static void Release(GroupSlot* slot);
  // Prepares for Acquire and Open.
  static void FetchForWriting();
  static GroupSlot* TakeFreeSlot();
  static void PutFreeSlot(GroupSlot* slot);
  static GroupSlot* Of(GroupHandle handle) {
    return &slots_[(handle >> kHandleEpochBits) % kNumSlots];
  }

  // Owner: publishes, and takes the first blocks. `parent` is the group within
  // which the owner works, or 0.
  GroupHandle Open(GroupFrame* frame, GroupHandle parent);

  // Joins the group of the handle, if it is still open, with some first blocks.
  struct Ticket {
    int participant = 0;  // 0: did not join.
    BlockSpan blocks;
    int seats_left = 0;
    int blocks_left = 0;
  };
  // With a word of this epoch, if the thread has just read one, else 0.
  struct Sighting {
    GroupHandle handle = 0;
    std::uint64_t word = 0;
  };
  Ticket TryJoin(Sighting sighting);
  // The group of this pool that is open here now; handle 0: none.
  Sighting Look(const PoolState* pool) const;
  // Helper: has left the frame for good.
  void Leave();

  // For helpers.
  void Run(int participant, BlockSpan span) const;
  GroupFrame& frame() const { return *frame_; }
  PoolState* pool() const { return pool_.load(std::memory_order_acquire); }
  // What helpers have to fetch from the owner before they can run, or null.
  const void* remote_closure() const {
    return body_.closure == closure_copy_ ? nullptr : body_.closure;
  }

  // Some of the blocks left: the first for the owner, the last for helpers.
  BlockSpan ClaimFirst();
  // *blocks_left is how many the last claim left, and is updated.
  BlockSpan ClaimLast(int* blocks_left);
  // Owner and helpers: drops the blocks that nobody has claimed.
  void Cancel();

  // Owner: blocks that nobody has claimed yet.
  int NumLeft() const;
  // Owner: helpers that have joined so far; final once no blocks are left.
  int NumJoined() const;
  // Owner: whether so many helpers have left.
  bool HaveLeft(int helpers) const;
  // Owner: sleeps until a helper leaves, or somebody calls Rouse, or for no
  // reason. Does not sleep if `helpers` have left.
  void SleepUntilLeft(int helpers);
  // Anybody, also with an old handle.
  void Rouse();

  // A slot has one watcher at most, which looks at it again and again.
  bool BeginWatch() {
    return !watched_.load(std::memory_order_relaxed) &&
           !watched_.exchange(true, std::memory_order_relaxed);
  }
  void EndWatch() { watched_.store(false, std::memory_order_relaxed); }
  bool IsWatched() const { return watched_.load(std::memory_order_relaxed); }
  // In the child of a fork.
  static void EndAllWatches();

  // Whether the group can still be joined, and is `ancestor` or was opened
  // within it. The answer may be outdated; TryJoin decides.
  static bool IsOpen(GroupHandle handle);
  static bool IsWithin(GroupHandle handle, GroupHandle ancestor);
  // Of a group that is kept from ending: within which it was opened, or 0.
  static GroupHandle ParentOf(GroupHandle handle) {
    return Of(handle)->parent_.load(std::memory_order_relaxed);
  }

 private:
  // Slot 0 is never used, so that index 0 and handle 0 mean none. Untouched
  // pages of the table cost no memory.
  static constexpr std::uint32_t kNumSlots = 8192;
  static GroupSlot slots_[kNumSlots];

  int Index() const { return static_cast<int>(this - slots_); }
  GroupHandle HandleOf(std::uint64_t epoch) const {
    return (static_cast<std::uint64_t>(Index()) << kHandleEpochBits) | epoch;
  }
  std::uint64_t LoadForWriting(std::uint64_t unlikely);

  // Written when it changes only: a loop that is run again leaves a line of
  // such fields where it is, in its helpers' caches.
  template <typename T>
  static void Update(T* field, T value) {
    if (*field != value) *field = value;
  }
  template <typename T>
  static void Update(std::atomic<T>* field, T value) {
    if (field->load(std::memory_order_relaxed) != value) {
      field->store(value, std::memory_order_release);
    }
  }
  void* PublishClosure(const ErasedBody& body);

  // Fields that are not atomic are read by those who take part only.

  // One cache line that moves from the owner to the helpers and back.
  std::atomic<std::uint64_t> word_{0};
  std::atomic<std::uint32_t> finished_{0};
  alignas(16) std::byte closure_copy_[kCopiedClosureSize] = {};

  // A second one that helpers need.
  alignas(64) ErasedBody body_;
  std::int64_t begin_ = 0;
  std::int64_t n_ = 0;
  std::atomic<PoolState*> pool_{nullptr};
  std::int32_t blocks_ = 0;
  std::int32_t seats_ = 0;
  // GroupFrame::share. Read before joining, too.
  std::atomic<std::int32_t> share_{1};

  // And a third one that they seldom do.
  alignas(64) GroupFrame* frame_ = nullptr;
  // Of the word. The owner would have to wait for that.
  std::uint64_t epoch_ = 0;
  std::atomic<GroupHandle> parent_{0};
  std::atomic<std::uint32_t> next_free_{0};
  std::atomic<bool> watched_{false};
};

inline GroupHandle GroupSlot::Open(GroupFrame* frame, GroupHandle parent) {
  using namespace group_word;  // NOLINT
  const std::uint64_t epoch = (epoch_ + 1) & kEpochMask;
  epoch_ = epoch;
  frame_ = frame;
  Update(&body_.function, ReadAlone(frame->body.function));
  Update(&body_.closure, PublishClosure(frame->body));
  Update(&begin_, ReadAlone(frame->begin));
  Update(&n_, ReadAlone(frame->n));
  Update(&blocks_, ReadAlone(frame->blocks));
  Update(&seats_, ReadAlone(frame->seats));
  Update(&pool_, ReadAlone(frame->pool));
  Update(&share_, ReadAlone(frame->share));
  parent_.store(parent, std::memory_order_relaxed);
  finished_.store(0, std::memory_order_relaxed);
  word_.store(
      (epoch << kEpochShift) |
          (static_cast<std::uint64_t>(frame->seats) << kSeatShift) |
          (static_cast<std::uint64_t>(frame->first_blocks) << kBlockBits) |
          static_cast<std::uint64_t>(frame->blocks),
      std::memory_order_release);
  return HandleOf(epoch);
}

// Returns where helpers find the closure.
inline void* GroupSlot::PublishClosure(const ErasedBody& body) {
  if (!ReadAlone(body.may_be_copied)) return ReadAlone(body.closure);
  std::memcpy(closure_copy_, ReadAlone(body.closure), kCopiedClosureSize);
  return closure_copy_;
}

inline GroupSlot::Sighting GroupSlot::Look(const PoolState* pool) const {
  using namespace group_word;  // NOLINT
  const std::uint64_t word = word_.load(std::memory_order_acquire);
  if (Blocks(word) == 0 || Seats(word) == 0 || this->pool() != pool) return {};
  return {HandleOf(Epoch(word)), word};
}

inline void GroupSlot::Run(int participant, BlockSpan span) const {
  RunBlocks(body_, begin_, n_, blocks_, participant, span);
}

inline void GroupFrame::Run(BlockSpan span) const {
  RunBlocks({ReadAlone(body.function), ReadAlone(body.closure)},
            ReadAlone(begin), ReadAlone(n), ReadAlone(blocks), 0, span);
}

// Runs blocks of the group until there are no more, and leaves it.
void RunAsHelper(GroupSlot& slot, GroupHandle handle,
                 const GroupSlot::Ticket& ticket) noexcept;

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_GROUP_H_
