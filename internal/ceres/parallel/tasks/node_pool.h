// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_TASKS_NODE_POOL_H_
#define CERES_INTERNAL_PARALLEL_TASKS_NODE_POOL_H_

#include <algorithm>
#include <array>
#include <cstddef>

#include "ceres/base/intrinsics.h"
#include "ceres/parallel/detail/spin_lock.h"

namespace ceres::parallel::detail {

// A pool of nodes of one type: magazines and a depot (Bonwick and Adams, USENIX
// 2001). Each thread has a cache of free nodes: taking and giving back takes a
// few plain instructions. One in kBatch operations moves a magazine of nodes to
// or from the depot of the process, under a lock. A node may be given back by
// another thread than the one that took it.
//
// Free nodes are not linked through themselves: memory that another thread has
// used is not touched before it is taken, and is prefetched.
//
// Memory is type-stable: a node is constructed once, keeps its members while it
// is free, and never returns to the system.
//
// Thread-safe; a Cache belongs to one thread.
//
// Traits has
//   Node: the type of a node,
//   void NewBatch(Node** nodes, int count): constructs nodes; called
//     under the lock of the depot; throws std::bad_alloc, and nothing has
//     happened.
template <typename Traits>
class NodePool : private Traits {
 public:
  using Node = typename Traits::Node;
  static constexpr int kBatch = 64;

  // The free nodes of a thread: a constant-initialized thread_local variable in
  // the .cc file of the node.
  struct Cache {
    std::array<Node*, 2 * kBatch> nodes{};
    int count = 0;
    bool closed = false;  // The thread ends.
  };

  Node* Take(Cache* cache) {
    if (cache->count == 0) Refill(cache);
    // The lines of the node arrive before it is taken.
    constexpr int kAhead = 4;
    if (cache->count > kAhead) {
      PrefetchNode(cache->nodes[cache->count - 1 - kAhead]);
    }
    return cache->nodes[--cache->count];
  }

  void Give(Cache* cache, Node* node) {
    if (cache->count == 2 * kBatch) PutBatch(cache);
    cache->nodes[cache->count++] = node;
    if (cache->closed) Empty(cache);
  }

  // The thread ends: its nodes go to the depot, and so do nodes that it gives
  // back afterwards.
  void Close(Cache* cache) {
    Empty(cache);
    cache->closed = true;
  }

  // Held across fork(), so that the depot is consistent in the child.
  SpinLock& lock() { return lock_; }

 protected:
  Traits& traits() { return *this; }

 private:
  struct Magazine {
    std::array<Node*, kBatch> nodes{};
    Magazine* next = nullptr;
  };

  static void PrefetchNode(const Node* node) {
    constexpr std::size_t kLine = 64;
    for (std::size_t at = 0; at < sizeof(Node); at += kLine) {
      base::PrefetchForWriting(reinterpret_cast<const char*>(node) + at);
    }
  }

  void Refill(Cache* cache) {
    const SpinLock::Guard guard(lock_);
    if (full_ != nullptr) {
      Magazine* const magazine = full_;
      full_ = magazine->next;
      std::copy_n(magazine->nodes.begin(), kBatch, cache->nodes.begin());
      cache->count = kBatch;
      magazine->next = empty_;
      empty_ = magazine;
    } else if (num_single_ > 0) {
      std::copy_n(single_.begin(), num_single_, cache->nodes.begin());
      cache->count = num_single_;
      num_single_ = 0;
    } else {
      auto* const magazine = new Magazine;
      magazine->next = empty_;
      empty_ = magazine;
      Traits::NewBatch(cache->nodes.data(), kBatch);
      cache->count = kBatch;
    }
  }

  // Moves the nodes that were given back first to the depot.
  void PutBatch(Cache* cache) {
    const SpinLock::Guard guard(lock_);
    PutMagazineLocked(cache->nodes.data());
    std::copy_n(cache->nodes.begin() + kBatch, cache->count - kBatch,
                cache->nodes.begin());
    cache->count -= kBatch;
  }

  void Empty(Cache* cache) {
    const SpinLock::Guard guard(lock_);
    while (cache->count > 0) {
      single_[num_single_++] = cache->nodes[--cache->count];
      if (num_single_ == kBatch) {
        PutMagazineLocked(single_.data());
        num_single_ = 0;
      }
    }
  }

  // There is an empty magazine: one is made with every kBatch nodes, and these
  // nodes are in no full magazine.
  void PutMagazineLocked(Node* const* nodes) {
    Magazine* const magazine = empty_;
    empty_ = magazine->next;
    std::copy_n(nodes, kBatch, magazine->nodes.begin());
    magazine->next = full_;
    full_ = magazine;
  }

  SpinLock lock_;
  Magazine* full_ = nullptr;
  Magazine* empty_ = nullptr;
  std::array<Node*, kBatch> single_{};  // Of threads that have ended.
  int num_single_ = 0;
};

}  // namespace ceres::parallel::detail

#endif  // CERES_INTERNAL_PARALLEL_TASKS_NODE_POOL_H_
