// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <string>

#include "ceres/parallel/task_graph.h"

// Depth-first search for an edge that leads back to the path on which it was
// found (Tarjan 1972), without recursion.

namespace ceres::parallel {

using detail::GraphEdges;
using detail::GraphNode;

namespace {

// Colours of nodes, in the count of `arrived`, which is 0 between runs.
constexpr std::uint32_t kNew = 0;
constexpr std::uint32_t kOnPath = 1;
constexpr std::uint32_t kDone = 2;

std::uint32_t Colour(const GraphNode* node) {
  return node->arrived.load(std::memory_order_relaxed) &
         GraphNode::kArrivedCount;
}
void SetColour(GraphNode* node, std::uint32_t colour) {
  const std::uint32_t parity =
      node->arrived.load(std::memory_order_relaxed) & GraphNode::kParity;
  node->arrived.store(parity | colour, std::memory_order_relaxed);
}

// Walks through the successors of a node.
class Cursor {
 public:
  explicit Cursor(GraphNode* node) : node_(node) {}

  GraphNode* node() const { return node_; }

  // Null: there are no more.
  GraphNode* Next() {
    if (position_ == 0) {
      ++position_;
      return node_->successor;
    }
    if (position_ == 1) {
      ++position_;
      edges_ = node_->MoreEdges();
      if (edges_ == nullptr) return node_->SecondSuccessor();
    }
    while (edges_ != nullptr && position_ - 2 == edges_->size) {
      edges_ = edges_->older;
      position_ = 2;
    }
    return edges_ == nullptr ? nullptr : edges_->targets()[position_++ - 2];
  }

 private:
  GraphNode* node_;
  const GraphEdges* edges_ = nullptr;
  std::uint32_t position_ = 0;
};

// Finishes all that can be reached from the node, or leaves a path whose last
// node has the returned one, which is on the path, as a successor.
GraphNode* Search(GraphNode* start, std::vector<Cursor>* path) {
  SetColour(start, kOnPath);
  path->push_back(Cursor(start));
  while (!path->empty()) {
    GraphNode* const next = path->back().Next();
    if (next == nullptr) {
      SetColour(path->back().node(), kDone);
      path->pop_back();
    } else if (Colour(next) == kOnPath) {
      return next;
    } else if (Colour(next) == kNew) {
      SetColour(next, kOnPath);
      path->push_back(Cursor(next));
    }
  }
  return nullptr;
}

constexpr std::size_t kMaxNamed = 16;

std::string Describe(TaskGraph::Task task) {
  const std::string number = "#" + std::to_string(task.index());
  return task.name() == nullptr
             ? number
             : "\"" + std::string(task.name()) + "\" (" + number + ")";
}

std::string CycleMessage(const std::vector<TaskGraph::Task>& tasks) {
  std::string message = "TaskGraph: " + std::to_string(tasks.size()) +
                        (tasks.size() == 1 ? " task waits for itself: "
                                           : " tasks wait for each other: ");
  const std::size_t named = std::min(tasks.size(), kMaxNamed);
  for (std::size_t k = 0; k < named; ++k)
    message += Describe(tasks[k]) + " -> ";
  if (tasks.size() > named) {
    message += "... " + std::to_string(tasks.size() - named) + " more ... -> ";
  }
  return message + Describe(tasks.front());
}

}  // namespace

CycleError::CycleError(std::vector<TaskGraph::Task> tasks)
    : std::logic_error(CycleMessage(tasks)), tasks_(std::move(tasks)) {}

std::vector<TaskGraph::Task> TaskGraph::FindCycle() const {
  CheckIdle("FindCycle");
  std::vector<Task> cycle;
  if (order_ != Order::kUnknown) return cycle;
  struct Restorer {
    const detail::GraphArena& arena;
    ~Restorer() {
      arena.ForEachNode([](GraphNode* node) { SetColour(node, kNew); });
    }
  };
  const Restorer restorer{arena_};
  std::vector<Cursor> path;
  arena_.ForEachNode([&](GraphNode* node) {
    if (!cycle.empty() || Colour(node) != kNew) return;
    GraphNode* const first = Search(node, &path);
    if (first == nullptr) return;
    const auto begin = std::find_if(
        path.begin(), path.end(),
        [&](const Cursor& cursor) { return cursor.node() == first; });
    for (auto step = begin; step != path.end(); ++step) {
      cycle.push_back(Task(step->node()));
    }
  });
  return cycle;
}

}  // namespace ceres::parallel
