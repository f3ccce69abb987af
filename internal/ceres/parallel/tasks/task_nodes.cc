// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/tasks/task_nodes.h"

#include <atomic>
#include <new>

#include "ceres/base/platform.h"
#include "ceres/parallel/detail/task_node.h"
#include "ceres/parallel/parking/join_board.h"
#include "ceres/parallel/pool/pool_registry.h"
#include "ceres/parallel/regions/region_handle.h"
#include "ceres/parallel/regions/region_word.h"
#include "ceres/parallel/tasks/node_pool.h"

// A set's handle: kTaskSetBit | index (25 bits) | epoch (36). The index leads
// through a directory of chunks to the address. The bits above belong to the
// entries of a join board. So 2^25 sets can exist at once; one more is
// std::bad_alloc.
//
// Of() takes any handle, also one that was kept for years, and takes no lock. A
// set is constructed, and its chunk entered, before num_known passes its index
// (release). A thread that reads a number above the index (acquire) may read
// both. Sets and chunks are never freed, so the address stays valid. The epoch
// tells whether the set is still the one that the handle names (task_set.cc).
// NewBatch runs under the lock of the depot.

namespace ceres::parallel::detail {
namespace {

constexpr int kIndexBits = 25;
constexpr int kEpochBits = 36;
constexpr std::uint64_t kEpochMask = (std::uint64_t{1} << kEpochBits) - 1;
constexpr std::uint64_t kHandleBits =
    kTaskSetBit | ((std::uint64_t{1} << (kIndexBits + kEpochBits)) - 1);
static_assert((kHandleBits & (JoinBoard::kOuterOwner | JoinBoard::kLong)) == 0,
              "an entry of a join board is a handle and two flags");
constexpr int kChunkBits = 12;
constexpr std::uint32_t kChunkSize = std::uint32_t{1} << kChunkBits;
constexpr std::uint32_t kNumChunks = std::uint32_t{1}
                                     << (kIndexBits - kChunkBits);

std::atomic<TaskSet*> chunks[kNumChunks];

constexpr TaskSetFunctions kTaskSetFunctions = {
    &TaskSet::ParentOf, &TaskSet::IsOfPool,
    [](RegionHandle handle) {
      if (TaskSet* const set = TaskSet::Of(handle)) set->Rouse();
    },
    [](RegionHandle handle) { return TaskSet::AcceptInvitation(handle); }};

}  // namespace

struct TaskSetNodes {
  using Node = TaskSet;
  static void NewBatch(TaskSet** nodes, int count) {
    static std::uint32_t num_used = 0;
    const std::uint32_t chunk = num_used >> kChunkBits;
    if (chunk == kNumChunks) throw std::bad_alloc();
    if (num_used % kChunkSize == 0) {
      void* const memory = ::operator new (kChunkSize * sizeof(TaskSet),
                                           std::align_val_t{alignof(TaskSet)});
      chunks[chunk].store(static_cast<TaskSet*>(memory),
                          std::memory_order_release);
    }
    TaskSet* const begin =
        chunks[chunk].load(std::memory_order_relaxed) + num_used % kChunkSize;
    for (int k = 0; k < count; ++k) {
      TaskSet* const set = new (begin + k) TaskSet;
      set->handle_.store(
          kTaskSetBit | (std::uint64_t{num_used + static_cast<std::uint32_t>(k)}
                         << kEpochBits),
          std::memory_order_release);
      nodes[k] = set;
    }
    num_used += static_cast<std::uint32_t>(count);
    // Before any thread can know a handle.
    task_set_functions.store(&kTaskSetFunctions, std::memory_order_release);
    num_known.store(num_used, std::memory_order_release);
  }

  static void FreeLocksInChild() {
    const std::uint32_t known = num_known.load(std::memory_order_relaxed);
    for (std::uint32_t k = 0; k < known; ++k) {
      TaskSet* const chunk =
          chunks[k >> kChunkBits].load(std::memory_order_relaxed);
      chunk[k % kChunkSize].own_lock_.FreeInChild();
    }
  }

  // Sets that have been constructed.
  static std::atomic<std::uint32_t> num_known;
};

std::atomic<std::uint32_t> TaskSetNodes::num_known{0};

namespace {

struct TaskNodes {
  using Node = TaskNode;
  static void NewBatch(TaskNode** nodes, int count) {
    constexpr int kNodesPerChunk = 2048;
    // The rest of the last chunk. All chunks stay reachable from a list through
    // their first node.
    static TaskNode* rest = nullptr;
    static int num_left = 0;
    static TaskNode* last_chunk = nullptr;
    if (num_left < count + 1) {
      void* const memory = ::operator new (kNodesPerChunk * sizeof(TaskNode),
                                           std::align_val_t{alignof(TaskNode)});
      rest = static_cast<TaskNode*>(memory);
      num_left = kNodesPerChunk;
      TaskNode* const first = new (rest) TaskNode;
      first->group = last_chunk;
      last_chunk = first;
      ++rest;
      --num_left;
    }
    for (int k = 0; k < count; ++k, ++rest, --num_left) {
      nodes[k] = new (rest) TaskNode;
    }
  }
};

NodePool<TaskSetNodes> task_sets;
NodePool<TaskNodes> task_nodes;

thread_local NodePool<TaskSetNodes>::Cache set_cache;
thread_local NodePool<TaskNodes>::Cache node_cache;

// Gives the nodes of the thread back when the thread ends. Constructed when the
// thread takes or gives back its first node.
struct CacheCloser {
  ~CacheCloser() {
    task_sets.Close(&set_cache);
    task_nodes.Close(&node_cache);
  }
  void Touch() {}
};
void CloseAtThreadExit() {
  platform::ObjectOfThisThread<CacheCloser>().Touch();
}

}  // namespace

TaskSet* TakeTaskSet() {
  if (set_cache.count == 0) CloseAtThreadExit();
  return task_sets.Take(&set_cache);
}

void GiveTaskSet(TaskSet* set) {
  if (set_cache.count == 0) CloseAtThreadExit();
  task_sets.Give(&set_cache, set);
}

TaskNode* TakeTaskNode() {
  if (node_cache.count == 0) CloseAtThreadExit();
  return task_nodes.Take(&node_cache);
}

void GiveTaskNode(TaskNode* node) {
  if (node_cache.count == 0) CloseAtThreadExit();
  task_nodes.Give(&node_cache, node);
}

std::uint64_t NextHandle(std::uint64_t handle) {
  return (handle & ~kEpochMask) | ((handle + 1) & kEpochMask);
}

TaskSet* TaskSet::Of(std::uint64_t handle) {
  const auto index =
      static_cast<std::uint32_t>((handle & ~kTaskSetBit) >> kEpochBits) &
      ((std::uint32_t{1} << kIndexBits) - 1);
  if (index >= TaskSetNodes::num_known.load(std::memory_order_acquire)) {
    return nullptr;
  }
  return chunks[index >> kChunkBits].load(std::memory_order_relaxed) +
         index % kChunkSize;
}

namespace {

// The lists of free nodes are consistent in the child of a fork. There, the
// locks of task sets are freed: a thread that accepts an old invitation takes
// the lock of a set, whether or not it is in use, and does not exist in the
// child. Such a thread changes no data of a set that is free, and no child
// waits for a set that was in use before the fork.
ForkSteps fork_steps = {
    [] {
      task_sets.lock().Lock();
      task_nodes.lock().Lock();
    },
    [] {
      task_nodes.lock().Unlock();
      task_sets.lock().Unlock();
    },
    [] {
      TaskSetNodes::FreeLocksInChild();
      task_nodes.lock().Unlock();
      task_sets.lock().Unlock();
    },
};
[[maybe_unused]] const bool are_steps_added = (AddForkSteps(&fork_steps), true);

}  // namespace

}  // namespace ceres::parallel::detail
