// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_GRAPH_NODE_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_GRAPH_NODE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "ceres/parallel/detail/task_set.h"

// The nodes and edges of a TaskGraph, as they lie in its arena.

namespace ceres::parallel::detail {

struct GraphNode;

// The properties of all nodes with the same type of closure.
struct GraphNodeType {
  void (*invoke)(GraphNode* node);
  void (*destroy)(GraphNode* node);  // Null: nothing to do.
  std::size_t size;  // Of the node with what lies behind it, in bytes.
  bool has_name;
};

// Edges for which a node itself has no space.
//
// The first block of a node holds 2 edges. Each further block holds twice as
// many plus two, up to 62: 32, 64, 128, 256 and 512 bytes.
struct GraphEdges {
  GraphEdges* older;
  std::uint32_t size;
  std::uint32_t capacity;
  // GraphNode* targets[capacity];

  static constexpr std::uint32_t kMinCapacity = 2;
  static constexpr std::uint32_t kMaxCapacity = 62;

  GraphNode** targets() { return reinterpret_cast<GraphNode**>(this + 1); }
  GraphNode* const* targets() const {
    return reinterpret_cast<GraphNode* const*>(this + 1);
  }
};

// A task of a graph: 56 bytes, of which 24 are the Task. The closure lies
// behind the node, aligned, and behind it the name (const char*) if there is
// one.
//
// `degree` and the edges are constant while the graph runs, except the flag in
// `degree`. graph_runner.cc says which thread may access what.
struct GraphNode : Task {
  explicit GraphNode(const GraphNodeType* node_type) : type(node_type) {}

  // In `degree`, beside the number of edges that lead here. Set from
  // Task::Cancel to TaskGraph::Reset, if Cancel was called for this task or for
  // a task that precedes it.
  static constexpr std::uint32_t kCancelled = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kMaxDegree = kCancelled - 1;

  const GraphNodeType* type;
  // In `arrived`, beside the number of predecessors that have ended in this
  // run: the parity of the last run that has reached this task. Each run
  // reaches all tasks, so between runs it is the parity of the last run.
  static constexpr std::uint32_t kParity = std::uint32_t{1} << 31;
  static constexpr std::uint32_t kArrivedCount = kParity - 1;
  std::atomic<std::uint32_t> arrived{0};
  std::atomic<std::uint32_t> degree{0};
  GraphNode* successor = nullptr;  // The first edge.
  // 0, the second edge (GraphNode*), or all further edges (GraphEdges* + 1).
  std::uintptr_t rest = 0;

  std::uint32_t Degree() const {
    return degree.load(std::memory_order_relaxed) & kMaxDegree;
  }
  GraphNode* SecondSuccessor() const {
    return (rest & 1) == 0 ? reinterpret_cast<GraphNode*>(rest) : nullptr;
  }
  GraphEdges* MoreEdges() const {
    return (rest & 1) != 0 ? reinterpret_cast<GraphEdges*>(rest - 1) : nullptr;
  }

  template <typename Visit>
  void ForEachSuccessor(const Visit& visit) const {
    if (successor == nullptr) return;
    visit(successor);
    if (rest == 0) return;
    if (GraphNode* const second = SecondSuccessor()) {
      visit(second);
      return;
    }
    for (const GraphEdges* edges = MoreEdges(); edges != nullptr;
         edges = edges->older) {
      for (std::uint32_t k = 0; k < edges->size; ++k) {
        visit(edges->targets()[k]);
      }
    }
  }

  const char* name() const {
    if (!type->has_name) return nullptr;
    return *reinterpret_cast<const char* const*>(
        reinterpret_cast<const char*>(this) + type->size - sizeof(char*));
  }
};
static_assert(sizeof(void*) > 8 || sizeof(GraphNode) <= 56);

// The layout of a node with its closure.
template <typename Closure, bool kHasName>
struct GraphClosure {
  // Nodes are aligned as pointers are. A closure with a larger alignment gets a
  // larger node and is aligned within it.
  static constexpr bool kOverAligned = alignof(Closure) > alignof(GraphNode);
  static constexpr std::size_t kRoom =
      sizeof(Closure) +
      (kOverAligned ? alignof(Closure) - alignof(GraphNode) : 0);
  static constexpr std::size_t RoundUp(std::size_t size) {
    return (size + alignof(GraphNode) - 1) & ~(alignof(GraphNode) - 1);
  }
  static constexpr std::size_t kSize =
      RoundUp(sizeof(GraphNode) + kRoom) + (kHasName ? sizeof(const char*) : 0);

  static void* Place(GraphNode* node) {
    if constexpr (kOverAligned) {
      const auto address = reinterpret_cast<std::uintptr_t>(node + 1);
      return reinterpret_cast<void*>((address + alignof(Closure) - 1) &
                                     ~(alignof(Closure) - 1));
    } else {
      return node + 1;
    }
  }
  static Closure& Of(GraphNode* node) {
    return *static_cast<Closure*>(Place(node));
  }
  static void Invoke(GraphNode* node) { static_cast<void>(Of(node)()); }
  static void Destroy(GraphNode* node) { Of(node).~Closure(); }
  static constexpr bool kTrivial = std::is_trivially_destructible_v<Closure>;

  static constexpr GraphNodeType kType = {
      &Invoke, kTrivial ? nullptr : &Destroy, kSize, kHasName};

  static void SetName(GraphNode* node, const char* name) {
    *reinterpret_cast<const char**>(reinterpret_cast<char*>(node) + kSize -
                                    sizeof(char*)) = name;
  }
};

}  // namespace ceres::parallel::detail

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_GRAPH_NODE_H_
