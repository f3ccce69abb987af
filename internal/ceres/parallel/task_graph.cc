// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/task_graph.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "ceres/parallel/prefetch.h"

// A run of a graph is a TaskSet. The nodes without predecessors are its first
// tasks. A thread that has run a node looks at the successors: it goes on with
// the first one that is ready now, and pushes the others into the set. So what
// lies in the set, or was claimed from it, are the heads of strands: chains of
// nodes that one thread runs one after the other.
//
// Why it is correct
//  - Each node is visited once. Every edge arrives once at its target, when its
//    source has been visited. A target of degree 1 belongs to the thread that
//    arrived. Else `arrived` counts; the thread that makes it equal to the
//    degree, and no other, goes on with the node. A thread that finds all edges
//    but one there is the last, since its own is missing: it need not write.
//  - What predecessors did happens before the node. Arrivals are
//    read-modify-writes that release, so all of them are in the release
//    sequence that the last one reads (acquire), be it in its own
//    read-modify-write or in the load before. The node is then visited by that
//    thread, or handed on through the set's lock.
//  - Counters are as new after each run, because nodes that are dropped are
//    visited, too: they do everything but call their closure. The last to
//    arrive sets `arrived` to 0; nobody looks at it again until the next run,
//    which happens after the end of this one.
//  - A run ends when it should. The set counts a strand as pending from its
//    push to its end, and a push of other strands comes before the end of the
//    one that pushes. Submit itself counts until it has pushed the roots. So
//    nothing is pending only when no node is left that somebody will visit; in
//    a graph without cycles these are all. A thread touches neither nodes nor
//    the graph after the end of its strand.
//  - Cancelling a task sets a flag that its visitor reads before it calls the
//    closure; both are relaxed: it comes in time or not. A node that was
//    dropped for a flag sets kSkipped in its successors before it arrives
//    there, so they see it (second point); the visitor of a successor takes
//    the flag away again. After Cancel, an exception or the token's word
//    (stop_), each visitor sees that itself, by and by: no flags are needed.
//  - Nothing else is written to by more than one thread: edges, types and
//    degrees (but for the flags) are constant during a run, the links of a node
//    belong to the thread that pushes it and then to the set.

namespace ceres::parallel {

using detail::GraphEdges;
using detail::GraphNode;
using detail::GraphPage;

namespace {

// Successors in one block of edges that are fetched early.
constexpr std::uint32_t kMaxPrefetched = 8;

// Nodes that may run, linked as TaskSet::Push wants them. The one added first
// is the newest: the thread that pushes them takes it first.
struct ReadyNodes {
  GraphNode* newest = nullptr;
  GraphNode* oldest = nullptr;
  int count = 0;

  void Add(GraphNode* node, void (*run)(detail::Task*)) {
    node->run = run;
    node->older = nullptr;
    if (count++ == 0) {
      newest = node;
    } else {
      oldest->older = node;
    }
    oldest = node;
  }
};

// An edge to the node has been walked; true if it was the last one.
bool Arrive(GraphNode* node) {
  const std::uint32_t degree = node->Degree();
  if (degree == 1) return true;
  if (node->arrived.load(std::memory_order_acquire) + 1 != degree &&
      node->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != degree) {
    return false;
  }
  node->arrived.store(0, std::memory_order_relaxed);
  return true;
}

}  // namespace

// What threads do in a run.
struct GraphRunner {
  TaskGraph& graph;

  static void RunTask(detail::Task* task) {
    auto* const node = static_cast<GraphNode*>(task);
    GraphRunner{*GraphPage::Of(node)->graph}.RunStrand(node);
  }

  void RunStrand(GraphNode* node) noexcept {
    do {
      FetchSuccessors(node);
      const std::uint32_t degree = node->degree.load(std::memory_order_relaxed);
      if (degree >= GraphNode::kSkipped) {
        Skip(node);
      } else if (!MustStop()) {
        Call(node);
      } else {
        NoteDropped();
      }
      node = VisitSuccessors(node);
    } while (node != nullptr);
  }

  // While the closure runs.
  static void FetchSuccessors(const GraphNode* node) {
    detail::PrefetchForWriting(node->successor);
    if (node->rest == 0) return;
    if (const GraphEdges* const edges = node->MoreEdges()) {
      const std::uint32_t count = std::min(edges->size, kMaxPrefetched);
      for (std::uint32_t k = 0; k < count; ++k) {
        detail::PrefetchForWriting(edges->targets()[k]);
      }
    } else {
      detail::PrefetchForWriting(node->SecondSuccessor());
    }
  }

  void Call(GraphNode* node) {
    try {
      node->type->invoke(node);
    } catch (...) {
      graph.set_->KeepError(std::current_exception());
      graph.Cancel();
    }
  }

  // Returns one that is ready, and pushes the others.
  GraphNode* VisitSuccessors(const GraphNode* node) {
    if (node->rest == 0) {
      GraphNode* const next = node->successor;
      return next != nullptr && Arrive(next) ? next : nullptr;
    }
    GraphNode* next = nullptr;
    ReadyNodes ready;
    node->ForEachSuccessor([&](GraphNode* successor) {
      if (!Arrive(successor)) return;
      if (next == nullptr) {
        next = successor;
      } else {
        ready.Add(successor, &RunTask);
      }
    });
    if (ready.count > 0) {
      graph.set_->Push(ready.newest, ready.oldest, ready.count);
    }
    return next;
  }

  // The task was cancelled, or one that it succeeds directly or indirectly.
  void Skip(GraphNode* node) {
    NoteDropped();
    node->degree.fetch_and(~GraphNode::kSkipped, std::memory_order_relaxed);
    node->ForEachSuccessor([](GraphNode* successor) {
      successor->degree.fetch_or(GraphNode::kSkipped,
                                 std::memory_order_relaxed);
    });
  }

  void NoteDropped() {
    if (graph.has_dropped_.load(std::memory_order_relaxed)) return;
    graph.has_dropped_.store(true, std::memory_order_relaxed);
  }

  bool MustStop() {
    const unsigned char stop = graph.stop_.load(std::memory_order_relaxed);
    return stop != TaskGraph::kGoOn && MustStop(stop);
  }

  [[gnu::noinline]] bool MustStop(unsigned char stop) {
    if (stop != TaskGraph::kAskToken) return true;
    const Status status = graph.token_.Check();
    if (status == Status::kCompleted) return false;
    const auto reason = status == Status::kDeadlineExceeded
                            ? TaskGraph::kDeadlineExceeded
                            : TaskGraph::kCancelled;
    graph.stop_.compare_exchange_strong(stop, reason,
                                        std::memory_order_relaxed);
    return true;
  }
};

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
    throw std::length_error("TaskGraph: a task has 2^30 predecessors");
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

void TaskGraph::Task::Cancel() const noexcept {
  if (node_ == nullptr) return;
  node_->degree.fetch_or(GraphNode::kCancelled, std::memory_order_relaxed);
  GraphPage::Of(node_)->graph->has_cancelled_tasks_.store(
      true, std::memory_order_relaxed);
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
  set_ = detail::TaskSet::New(pool, executor, options.priority,
                              options.max_threads);
  token_ = options.token;
  stop_.store(token_.CanCancel() ? kAskToken : kGoOn,
              std::memory_order_relaxed);
  has_dropped_.store(false, std::memory_order_relaxed);
  is_running_.store(true, std::memory_order_relaxed);
  if (roots_.empty()) return;
  ReadyNodes ready;
  for (GraphNode* const root : roots_) ready.Add(root, &GraphRunner::RunTask);
  set_->AddPending(1);
  set_->Push(ready.newest, ready.oldest, ready.count);
  set_->Finish(1);
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
  if (!set_->Wait(deadline)) return false;
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
