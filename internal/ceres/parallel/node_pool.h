// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_NODE_POOL_H_
#define CERES_INTERNAL_PARALLEL_NODE_POOL_H_

#include <utility>

#include "ceres/parallel/detail/spin_lock.h"

namespace ceres::parallel::detail {

// Free nodes of one kind, in two magazines per thread (Bonwick and Adams,
// USENIX 2001): taking and giving back is a few plain instructions. Every
// kBatch times a whole magazine goes to a list of the process, or comes from
// it, under a lock; nodes may be given back by another thread than took them.
//
// Memory is type-stable: a node is constructed once, keeps its members while it
// is free except the two links, and never goes back to the system.
//
// Traits has
//   Node: the type of a node,
//   static Node* NewBatch(int count): constructs nodes, linked by Next, the
//     last one's null; called under the lock of the list; throws
//     std::bad_alloc, and nothing has happened,
//   static Node* Next(Node*), static void SetNext(Node*, Node*), and the same
//     for NextBatch: the links.
template <typename Traits>
class NodePool : private Traits {
 public:
  using Node = typename Traits::Node;
  static constexpr int kBatch = 64;

  struct Magazine {
    Node* top = nullptr;
    int count = 0;
  };

  // What a thread has; constant-initialized, thread_local, in the .cc file of
  // the node.
  struct Cache {
    Magazine current;
    Magazine spare;
    bool closed = false;  // The thread ends.
  };

  Node* Take(Cache* cache) {
    if (cache->current.top == nullptr) Refill(cache);
    Node* const node = cache->current.top;
    cache->current.top = Next(node);
    --cache->current.count;
    return node;
  }

  void Give(Cache* cache, Node* node) {
    if (cache->current.count >= kBatch) MakeRoom(cache);
    SetNext(node, cache->current.top);
    cache->current.top = node;
    ++cache->current.count;
  }

  // The thread ends: its nodes go to the list; what it gives back afterwards
  // goes there by and by.
  void Close(Cache* cache) {
    PutBatch(&cache->current);
    PutBatch(&cache->spare);
    cache->closed = true;
  }

  // Held across fork(), so that the child finds the list in order.
  SpinLock& lock() { return lock_; }

 private:
  using Traits::Next;
  using Traits::NextBatch;
  using Traits::SetNext;
  using Traits::SetNextBatch;

  void Refill(Cache* cache) {
    std::swap(cache->current, cache->spare);
    if (cache->current.top != nullptr) return;
    const SpinLock::Guard guard(lock_);
    if (batches_ == nullptr) {
      cache->current.top = Traits::NewBatch(kBatch);
      cache->current.count = kBatch;
      return;
    }
    Node* const batch = batches_;
    batches_ = NextBatch(batch);
    int count = 0;
    for (Node* node = batch; node != nullptr; node = Next(node)) ++count;
    cache->current = {batch, count};
  }

  void MakeRoom(Cache* cache) {
    if (cache->closed || cache->spare.top != nullptr) PutBatch(&cache->spare);
    std::swap(cache->current, cache->spare);
    if (cache->closed) PutBatch(&cache->spare);
  }

  void PutBatch(Magazine* magazine) {
    if (magazine->top == nullptr) return;
    const SpinLock::Guard guard(lock_);
    SetNextBatch(magazine->top, batches_);
    batches_ = magazine->top;
    *magazine = {};
  }

  SpinLock lock_;
  Node* batches_ = nullptr;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_NODE_POOL_H_
