// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/task_graph.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "ceres/parallel/graph/graph_runner.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/sync/asymmetric_fence.h"

namespace ceres::parallel {

using detail::GraphEdges;
using detail::GraphNode;
using detail::GraphPage;

namespace {

// So many are pushed themselves.
constexpr std::size_t kFewRoots = 16;

// Tasks are cut for no more threads than these.
constexpr int kMaxHelpers = 4096;

}  // namespace

TaskGraph::~TaskGraph() {
  if (IsRunning()) {
    set_->Wait();
    set_->TakeError();
    set_->Delete();
  }
  DestroyClosures();
}

void TaskGraph::DestroyClosures() {
  if (!has_destructors_) return;
  arena_.ForEachNode([](GraphNode* node) {
    if (node->type->destroy != nullptr) node->type->destroy(node);
  });
}

void TaskGraph::ThrowRunning(const char* what) {
  throw std::logic_error(std::string("TaskGraph: ") + what +
                         " while the graph runs; a run ends when Wait has "
                         "returned");
}

void TaskGraph::ThrowBadLink(const GraphNode* from, const GraphNode* to) {
  if (from == nullptr || to == nullptr) {
    throw std::invalid_argument(
        "TaskGraph: Precede or Succeed with a Task that refers to none; tasks "
        "come from TaskGraph::Add");
  }
  if (GraphPage::Of(from)->graph == GraphPage::Of(to)->graph) {
    throw std::length_error("TaskGraph: a task has 2^31 predecessors");
  }
  throw std::invalid_argument(
      "TaskGraph: Precede or Succeed with a Task of another graph; let a task "
      "of one graph run the other");
}

void TaskGraph::AddEdge(GraphNode* from, GraphNode* to) {
  GraphEdges* edges = from->MoreEdges();
  if (edges == nullptr || edges->size == edges->capacity) {
    GraphEdges* const added =
        arena_.NewEdges(edges == nullptr ? GraphEdges::kMinCapacity
                                         : std::min(2 * edges->capacity + 2,
                                                    GraphEdges::kMaxCapacity));
    if (edges == nullptr) {
      added->targets()[added->size++] = from->SecondSuccessor();
    }
    added->older = edges;
    edges = added;
    from->rest = reinterpret_cast<std::uintptr_t>(edges) + 1;
  }
  edges->targets()[edges->size++] = to;
}

std::size_t TaskGraph::Task::index() const {
  GraphPage* const page = GraphPage::Of(node_);
  std::size_t index = page->first_index;
  for (char* place = page->begin(); place != reinterpret_cast<char*>(node_);
       place += reinterpret_cast<GraphNode*>(place)->type->size) {
    ++index;
  }
  return index;
}

bool TaskGraph::Task::Cancel() const noexcept {
  if (node_ == nullptr) return false;
  TaskGraph* const graph = GraphPage::Of(node_)->graph;
  graph->has_cancelled_tasks_.store(true, std::memory_order_relaxed);
  node_->degree.fetch_or(GraphNode::kCancelled, std::memory_order_relaxed);
  if (!graph->IsRunning()) return true;
  detail::HeavyFence();
  const std::uint32_t arrived = node_->arrived.load(std::memory_order_relaxed);
  return (arrived & GraphNode::kParity) !=
         graph->parity_.load(std::memory_order_relaxed);
}

void TaskGraph::Cancel() noexcept {
  stop_.store(kCancelled, std::memory_order_relaxed);
}

void TaskGraph::Reset() {
  CheckIdle("Reset");
  if (!has_cancelled_tasks_.load(std::memory_order_relaxed)) return;
  has_cancelled_tasks_.store(false, std::memory_order_relaxed);
  arena_.ForEachNode([](GraphNode* node) {
    node->degree.store(node->Degree(), std::memory_order_relaxed);
  });
}

void TaskGraph::Clear() {
  CheckIdle("Clear");
  DestroyClosures();
  has_destructors_ = false;
  has_cancelled_tasks_.store(false, std::memory_order_relaxed);
  newest_candidate_ = nullptr;
  roots_.clear();
  have_roots_changed_ = false;
  order_ = Order::kForward;
  status_ = Status::kCompleted;
  arena_.Clear();
}

Status TaskGraph::Run(ThreadPool& pool, const TaskGraphOptions& options) {
  Submit(pool, options);
  return Wait();
}

Status TaskGraph::Run(Executor& host, const TaskGraphOptions& options) {
  Submit(host, options);
  return Wait();
}

void TaskGraph::Submit(ThreadPool& pool, const TaskGraphOptions& options) {
  Start(&pool.state(), nullptr, options);
}

void TaskGraph::Submit(Executor& host, const TaskGraphOptions& options) {
  Start(nullptr, &host, options);
}

void TaskGraph::Start(detail::PoolState* pool, Executor* executor,
                      const TaskGraphOptions& options) {
  CheckIdle("Submit");
  CheckOrder();
  CollectRoots();
  const int num_threads =
      pool != nullptr ? std::min(pool->MaxConcurrency(), pool->RunningLimit())
                      : executor->MaxConcurrency();
  num_helpers_ = std::clamp(num_threads - 1, 1, kMaxHelpers);
  // Some more than there are threads: the pool may grow.
  root_takers_.resize(roots_.size() <= kFewRoots ? 0 : 2 * num_helpers_ + 4);
  set_ = detail::TaskSet::New(pool, executor, options.priority,
                              options.max_threads);
  token_ = options.token;
  stop_.store(token_.CanCancel() ? kAskToken : kGoOn,
              std::memory_order_relaxed);
  is_high_ = options.priority == Priority::kHigh;
  has_dropped_.store(false, std::memory_order_relaxed);
  parity_.store(parity_.load(std::memory_order_relaxed) ^ GraphNode::kParity,
                std::memory_order_relaxed);
  is_running_.store(true, std::memory_order_relaxed);
  if (roots_.empty()) return;
  set_->AddPending(1);
  PushRoots();
  set_->Finish(1);
}

void TaskGraph::PushRoots() {
  if (root_takers_.empty()) {
    ReadyNodes ready;
    for (GraphNode* const root : roots_) ready.Add(root);
    GraphRunner::Push(set_, ready);
    return;
  }
  next_root_.store(0, std::memory_order_relaxed);
  detail::Task* older = nullptr;
  for (RootTaker& taker : root_takers_) {
    taker.older = std::exchange(older, &taker);
    taker.run = &GraphRunner::RunRootTaker;
    taker.graph = this;
  }
  set_->Push(&root_takers_.back(), &root_takers_.front(),
             static_cast<int>(root_takers_.size()));
}

void TaskGraph::CheckOrder() {
  if (order_ != Order::kUnknown) return;
  std::vector<Task> cycle = FindCycle();
  if (!cycle.empty()) throw CycleError(std::move(cycle));
  order_ = Order::kChecked;
}

void TaskGraph::CollectRoots() {
  const auto has_predecessor = [](const GraphNode* node) {
    return node->Degree() > 0;
  };
  if (have_roots_changed_) {
    roots_.erase(std::remove_if(roots_.begin(), roots_.end(), has_predecessor),
                 roots_.end());
    have_roots_changed_ = false;
  }
  std::size_t count = roots_.size();
  const auto for_each_candidate = [&](const auto& visit) {
    for (detail::Task* task = newest_candidate_; task != nullptr;
         task = task->older) {
      auto* const node = static_cast<GraphNode*>(task);
      if (!has_predecessor(node)) visit(node);
    }
  };
  for_each_candidate([&](GraphNode*) { ++count; });
  roots_.resize(count);
  for_each_candidate([&](GraphNode* node) { roots_[--count] = node; });
  newest_candidate_ = nullptr;
}

Status TaskGraph::Wait() {
  WaitUntil(Clock::time_point::max());
  return status_;
}

bool TaskGraph::WaitUntil(Clock::time_point deadline) {
  if (!IsRunning()) return true;
  // So that differences do not overflow.
  deadline = std::max(deadline, Clock::time_point());
  {
    const GraphRunner::Waiter waiter(*this, deadline);
    if (!set_->Wait(deadline)) return false;
  }
  std::exception_ptr error = set_->TakeError();
  status_ = Status::kCompleted;
  if (has_dropped_.load(std::memory_order_relaxed)) {
    status_ = stop_.load(std::memory_order_relaxed) == kDeadlineExceeded
                  ? Status::kDeadlineExceeded
                  : Status::kCancelled;
  }
  std::exchange(set_, nullptr)->Delete();
  token_ = {};
  is_running_.store(false, std::memory_order_relaxed);
  if (error) std::rethrow_exception(std::move(error));
  return true;
}

}  // namespace ceres::parallel
