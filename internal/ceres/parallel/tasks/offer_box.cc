// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/offer_box.h"

#include <algorithm>
#include <new>

#include "ceres/parallel/tasks/task_set_handle.h"

namespace ceres::parallel::detail {
namespace {

// Boxes without a pool. Never destroyed: threads may use their futures while
// the process exits.
struct BoxStore {
  SpinLock lock;
  OfferBox* first = nullptr;
};
BoxStore store;

// Where nobody looks.
OfferBits nobodys_bits;

int LowestBit(std::uint64_t word) {
#if defined(__GNUC__)
  return __builtin_ctzll(word);
#else
  int bit = 0;
  for (; (word & 1) == 0; word >>= 1) ++bit;
  return bit;
#endif
}

std::uint64_t BitOf(int index) { return std::uint64_t{1} << index; }

// Calls visit(index) for the bits of the word, beginning with `first` and going
// round, until it returns true; returns whether it did.
template <typename Visit>
bool VisitBits(std::uint64_t word, int first, const Visit& visit) {
  const std::uint64_t before = BitOf(first) - 1;
  for (std::uint64_t part : {word & ~before, word & before}) {
    for (; part != 0; part &= part - 1) {
      if (visit(LowestBit(part))) return true;
    }
  }
  return false;
}

}  // namespace

OfferBox* OfferBox::New(OfferBits* bits, int index, bool exclusive) {
  OfferBox* box = nullptr;
  {
    const SpinLock::Guard guard(store.lock);
    box = store.first;
    if (box != nullptr) store.first = box->next_stored_;
  }
  if (box == nullptr) box = new OfferBox;
  const SpinLock::Guard guard(box->lock_);
  box->bits_ = bits;
  box->index_ = index;
  box->exclusive_ = exclusive;
  box->spawned_.store(0, std::memory_order_relaxed);
  box->finished_.store(0, std::memory_order_relaxed);
  return box;
}

void OfferBox::Store(OfferBox* box) {
  const SpinLock::Guard guard(store.lock);
  box->next_stored_ = store.first;
  store.first = box;
}

void LockBoxStoreForFork() { store.lock.Lock(); }
void UnlockBoxStoreAfterFork() { store.lock.Unlock(); }

void OfferBox::HangLocked(TaskSet* set) {
  const bool high = set->is_high_;
  List& list = lists_[high ? 1 : 0];
  set->newer_ = nullptr;
  set->older_ = list.newest;
  if (list.newest != nullptr) {
    list.newest->newer_ = set;
  } else {
    list.oldest = set;
  }
  list.newest = set;
  set->hung_.store(true, std::memory_order_relaxed);
  bits_->Set(high, BitOf(index_));
}

void OfferBox::TakeDownLocked(TaskSet* set) {
  List& list = lists_[set->is_high_ ? 1 : 0];
  if (set->newer_ != nullptr) {
    set->newer_->older_ = set->older_;
  } else {
    list.newest = set->older_;
  }
  if (set->older_ != nullptr) {
    set->older_->newer_ = set->newer_;
  } else {
    list.oldest = set->newer_;
  }
  set->hung_.store(false, std::memory_order_relaxed);
}

// Takes the set down if it turns out to have no task any more.
ClaimedTask OfferBox::ClaimFromLocked(TaskSet* set, End end) {
  if (set->is_single()) {
    TakeDownLocked(set);
    return {set, nullptr};
  }
  const bool has_any = set->HasAnyLocked();
  Task* const task = has_any ? set->PopLocked(end == End::kNewest) : nullptr;
  if (task != nullptr) set->ChangeActiveLocked(1);
  set->TakeDownIfDoneLocked();
  return task != nullptr ? ClaimedTask{set, task} : ClaimedTask{};
}

ClaimedTask OfferBox::Claim(bool high, End end) {
  return bits_->Claim(lock_, high, BitOf(index_), [this, high, end] {
    const List& list = lists_[high ? 1 : 0];
    while (list.oldest != nullptr) {
      const ClaimedTask claimed =
          ClaimFromLocked(end == End::kNewest ? list.newest : list.oldest, end);
      if (claimed) return claimed;
    }
    return ClaimedTask{};
  });
}

ClaimedTask OfferBox::ClaimWithin(bool high, GroupHandle ancestor) {
  constexpr int kMaxLooks = 64;
  if (!lock_.TryLock()) return {};
  ClaimedTask claimed;
  TaskSet* set = lists_[high ? 1 : 0].oldest;
  for (int look = 0; set != nullptr && look < kMaxLooks && !claimed; ++look) {
    TaskSet* const newer = set->newer_;
    if (IsWithin(set->handle(), ancestor)) {
      claimed = ClaimFromLocked(set, End::kOldest);
    }
    set = newer;
  }
  lock_.Unlock();
  return claimed;
}

void OfferBox::Forsake() {
  new (&lock_) SpinLock;
  bits_ = &nobodys_bits;
}

OfferBoxes::~OfferBoxes() {
  for (int k = 0; k < num_boxes_; ++k) OfferBox::Store(At(k));
}

OfferBox* OfferBoxes::Borrow() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!returned_.empty()) {
    OfferBox* const box = returned_.back();
    returned_.pop_back();
    return box;
  }
  if (num_boxes_ < kMaxBoxes) {
    OfferBox* const box =
        OfferBox::New(bits_, num_boxes_, num_boxes_ < kNumExclusive);
    boxes_[num_boxes_++].store(box, std::memory_order_release);
    return box;
  }
  OfferBox* const box = At(next_shared_);
  if (++next_shared_ == kMaxBoxes) next_shared_ = kNumExclusive;
  return box;
}

void OfferBoxes::Return(OfferBox* box) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (box->exclusive()) returned_.push_back(box);
}

ClaimedTask OfferBoxes::ClaimOf(bool high, OfferBox* own, BoxSeeker* seeker) {
  std::uint64_t bits = bits_->Of(high);
  if (bits == 0) return {};
  ClaimedTask claimed;
  // Now and then everything is the other way round: neither the thread's own
  // tasks, nor those of one box, nor of one group in it, keep others waiting.
  const bool fair = seeker->claims % 8 == 4;
  const std::uint64_t own_bit = BitOf(own->index());
  if (!fair && (bits & own_bit) != 0) {
    claimed = own->Claim(high, End::kNewest);
    if (claimed) return claimed;
    bits &= ~own_bit;
  }
  if (fair) seeker->last_box = (seeker->last_box + 1) % kMaxBoxes;
  VisitBits(bits, seeker->last_box, [&](int index) {
    claimed = At(index)->Claim(high, fair ? End::kNewest : End::kOldest);
    if (claimed) seeker->last_box = index;
    return static_cast<bool>(claimed);
  });
  return claimed;
}

ClaimedTask OfferBoxes::Claim(OfferBox* own, BoxSeeker* seeker) {
  const bool high_first = ++seeker->claims % 8 != 0;
  const ClaimedTask claimed = ClaimOf(high_first, own, seeker);
  return claimed ? claimed : ClaimOf(!high_first, own, seeker);
}

ClaimedTask OfferBoxes::ClaimWithin(GroupHandle ancestor, BoxSeeker* seeker) {
  ClaimedTask claimed;
  for (const bool high : {true, false}) {
    VisitBits(bits_->Of(high), seeker->last_box, [&](int index) {
      claimed = At(index)->ClaimWithin(high, ancestor);
      if (claimed) seeker->last_box = index;
      return static_cast<bool>(claimed);
    });
    if (claimed) break;
  }
  return claimed;
}

// Counting termination (Mattern, Distributed Computing 1987): the ends are
// counted before the beginnings. Every end that is seen has its beginning seen;
// if the sums agree, nothing was under way between the two rounds.
bool OfferBoxes::AllFinished() const {
  std::uint64_t finished = 0;
  std::uint64_t spawned = 0;
  for (int k = 0; k < kMaxBoxes && At(k) != nullptr; ++k) {
    finished += At(k)->NumFinished();
  }
  for (int k = 0; k < kMaxBoxes && At(k) != nullptr; ++k) {
    spawned += At(k)->NumSpawned();
  }
  return finished == spawned;
}

void OfferBoxes::ForsakeAll() {
  for (int k = 0; k < kMaxBoxes && At(k) != nullptr; ++k) At(k)->Forsake();
}

}  // namespace ceres::parallel::detail
