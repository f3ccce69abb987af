// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_DETAIL_GRAPH_ARENA_H_
#define CERES_PUBLIC_PARALLEL_DETAIL_GRAPH_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/graph_node.h"

namespace ceres::parallel {

class TaskGraph;

namespace detail {

// The head of a page of nodes. Pages are aligned to their size, so that a node
// finds its graph and its number without a member for either. A node that is
// larger than a page has several pages for itself.
struct GraphPage {
  static constexpr std::size_t kSize = 16384;
  static constexpr std::size_t kHeadSize = 64;

  TaskGraph* graph;
  GraphPage* next;          // In order of adding.
  std::size_t first_index;  // Nodes of the graph before this page.
  char* end;  // End of the last node; valid if `next` is not null.

  char* begin() { return reinterpret_cast<char*>(this) + kHeadSize; }

  static GraphPage* Of(const GraphNode* node) {
    return reinterpret_cast<GraphPage*>(reinterpret_cast<std::uintptr_t>(node) &
                                        ~std::uintptr_t{kSize - 1});
  }

  // Returns true if `first` was added before `second`. Both are nodes of the
  // same graph.
  static bool IsBefore(const GraphNode* first, const GraphNode* second) {
    const GraphPage* const first_page = Of(first);
    const GraphPage* const second_page = Of(second);
    return first_page == second_page
               ? first < second
               : first_page->first_index < second_page->first_index;
  }
};

// Memory of one graph: allocated in small parts, freed as a whole. Memory
// regions grow from one page to 64 MiB, at most to twice the memory in use. The
// unused part of a region is never accessed. Not thread-safe.
class CERES_PARALLEL_EXPORT GraphArena {
 public:
  explicit GraphArena(TaskGraph* graph) : graph_(graph) {}
  ~GraphArena();
  GraphArena(const GraphArena&) = delete;
  GraphArena& operator=(const GraphArena&) = delete;

  // Memory for a node, aligned as pointers are. It stays free until CommitNode.
  // Throws std::bad_alloc.
  void* ReserveNode(std::size_t size) {
    if (static_cast<std::ptrdiff_t>(size) > node_end_ - node_next_) {
      AddNodePage(size);
    }
    return node_next_;
  }
  void CommitNode(std::size_t size) {
    node_next_ += size;
    ++num_nodes_;
  }
  std::size_t num_nodes() const { return num_nodes_; }

  // Uninitialized except for its head. Throws std::bad_alloc.
  GraphEdges* NewEdges(std::uint32_t capacity);

  // In order of adding. The visitor may destroy the closure.
  template <typename Visit>
  void ForEachNode(const Visit& visit) const {
    for (GraphPage* page = first_page_; page != nullptr; page = page->next) {
      char* const end = page->next != nullptr ? page->end : node_next_;
      for (char* place = page->begin(); place < end;) {
        auto* const node = reinterpret_cast<GraphNode*>(place);
        place += node->type->size;
        visit(node);
      }
    }
  }

  // Removes all nodes and edges. Keeps the memory.
  void Clear();

 private:
  struct Region {
    char* begin;
    std::size_t num_pages;
  };

  void AddNodePage(std::size_t node_size);
  char* TakePages(std::size_t count);
  void AddRegion(std::size_t num_pages);

  TaskGraph* graph_;
  char* node_next_ = nullptr;
  char* node_end_ = nullptr;  // Before node_next_ if the node is a large one.
  char* edges_next_ = nullptr;
  char* edges_end_ = nullptr;
  std::size_t num_nodes_ = 0;
  GraphPage* first_page_ = nullptr;
  GraphPage* last_page_ = nullptr;
  std::vector<Region> regions_;
  std::size_t region_ = 0;     // The region in use.
  std::size_t num_taken_ = 0;  // Pages taken from the region in use.
};

}  // namespace detail
}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_DETAIL_GRAPH_ARENA_H_
