// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/parallel/graph/graph_runner.h"

#include <algorithm>
#include <exception>

#include "ceres/base/clock.h"
#include "ceres/base/intrinsics.h"
#include "ceres/parallel/detail/trace_hooks.h"
#include "ceres/parallel/pool/pool_state.h"
#include "ceres/parallel/sync/asymmetric_fence.h"

// A run of a graph is a TaskSet. The nodes without predecessors (roots) are its
// first tasks. If there are many roots, a few tasks take them through a
// counter, several at a time. A thread that has run a node looks at the
// successors: it continues with the first one that is ready now, and puts the
// others into the set. So the set holds heads of strands: chains of nodes that
// one thread runs one after the other.
//
// Handing over a strand takes some 100 ns when two threads do it at once. So
// while tasks are known to be short, a thread keeps up to 64 heads, runs the
// newest first, and shares the older half only when the set is empty for other
// threads. It also claims several heads at once. It shares all heads when the
// clock says that tasks are not short any more, and before it waits
// (BeforeBlocking). If one task suddenly takes long, the heads that the thread
// has kept wait for its end; other threads have had their share.
//
// Why it is correct
//  - Each node is visited once. Every edge arrives once at its target, when its
//    source has been visited. A target of degree 1 belongs to the thread that
//    arrived. Else `arrived` counts, and only the thread that makes it equal to
//    the degree continues with the node. A thread that finds all edges but one
//    there is the last, since its own is missing: it need not write.
//  - Writes of predecessors happen before the node. Arrivals are
//    read-modify-writes that release, so all of them are in the release
//    sequence that the last one reads (acquire), in its own read-modify-write
//    or in the load before. The node is then visited by that thread, or handed
//    on through the lock of the set.
//  - Counters are reset after each run, because nodes that are dropped are
//    visited, too: only their closure is not called. The visitor sets the count
//    in `arrived` to 0. No thread counts in it again until the next run, which
//    happens after the end of this one.
//  - A run ends at the right time. The set counts a pushed strand as pending
//    until the thread that has claimed it has visited all nodes that it keeps.
//    A push of other strands comes before that. A taker of roots is pending
//    until it has seen that no root is left. Submit itself counts until it has
//    pushed all of these. So nothing is pending only when no node is left to
//    visit; in a graph without cycles all nodes have then been visited. A
//    thread accesses neither nodes nor the graph after that.
//  - Cancelling a task sets a flag that its visitor reads before it calls the
//    closure: it comes in time or not. Before it reads the flag, the visitor
//    writes the parity of the run to `arrived`. The thread that cancels reads
//    the parity after it has set the flag. Between store and load both have a
//    fence (asymmetric_fence.h). So if the parity is still that of the last
//    run, the visitor will see the flag. The visitor of a node with the flag
//    sets it in the successors before it arrives there, so they see it (second
//    point). They keep it until Reset. After Cancel, an exception or a stop by
//    the token (stop_), each visitor sees that itself, and no flags are needed.
//  - Roots are constant during a run, and taken through next_root_, each once.
//    Reads of them happen after Submit because of the lock of the set.
//  - No other data is written by more than one thread, except hints (relaxed).
//    Edges, types and degrees (but for the flag) are constant during a run. The
//    links of a node belong to the thread that pushes it and then to the set.

namespace ceres::parallel {

using detail::GraphEdges;
using detail::GraphPage;
using detail::kMaxClaimed;
using detail::kMaxPrefetched;
using detail::kShortNode;
using detail::kVisits;
using detail::kVisitsWithKept;

GraphRunner::Waiter::Waiter(const TaskGraph& graph,
                            TaskGraph::Clock::time_point deadline)
    : graph_(&graph),
      has_deadline_(deadline != TaskGraph::Clock::time_point::max()),
      outer_(Innermost()) {
  if (has_deadline_) {
    const std::chrono::duration<float, std::nano> left =
        deadline - detail::SteadyNow();
    // Ticks of centuries are more than the type holds.
    constexpr float kForever = 4e18f;
    deadline_ =
        base::Now() + static_cast<base::Ticks>(std::min(
                          left.count() / base::NanosecondsPerTick(), kForever));
  }
  detail::innermost_wait = this;
}

GraphRunner::Waiter::~Waiter() { detail::innermost_wait = outer_; }

GraphRunner::GraphRunner(TaskGraph& graph)
    : BeforeBlocking([](BeforeBlocking* tasks) {
        auto* const runner = static_cast<GraphRunner*>(tasks);
        runner->ShareKept(runner->NumKept());
      }),
      graph_(graph),
      set_(graph.set_),
      pool_(graph.set_->pool()),
      waiter_(Waiter::Innermost()),
      are_short_(graph.has_short_tasks_.load(std::memory_order_relaxed)),
      max_visits_(kVisits),
      last_look_(base::Now()) {
  if (waiter_ != nullptr && waiter_->graph_ != &graph) waiter_ = nullptr;
}

GraphRunner::~GraphRunner() = default;

void GraphRunner::Push(detail::TaskSet* set, const ReadyNodes& nodes) {
  for (detail::Task* task = nodes.newest; task != nullptr; task = task->older) {
    task->run = &RunTask;
  }
  set->Push(nodes.newest, nodes.oldest, nodes.count);
}

void GraphRunner::RunTask(detail::Task* task) {
  auto* const node = static_cast<Node*>(task);
  GraphRunner(*GraphPage::Of(node)->graph).Run(node);
}

void GraphRunner::RunRootTaker(detail::Task* task) {
  GraphRunner runner(*static_cast<TaskGraph::RootTaker*>(task)->graph);
  runner.root_taker_ = task;
  if (Node* const root = runner.TakeRoot()) runner.Run(root);
}

void GraphRunner::Run(Node* node) noexcept {
  while (node != nullptr) {
    Visit(node);
    node = VisitSuccessors(node);
    if (node == nullptr) node = TakeKept();
    if (node == nullptr && root_taker_ != nullptr) node = TakeRoot();
    if (node == nullptr) node = TakeFromSet();
    if (++visits_ >= max_visits_ && node != nullptr && !GoesOn(node)) return;
  }
  LookAtClock();
}

void GraphRunner::Visit(Node* node) {
  FetchSuccessors(node);
  node->arrived.store(graph_.parity_.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
  detail::LightFence();
  const std::uint32_t degree = node->degree.load(std::memory_order_relaxed);
  if (degree >= Node::kCancelled) {
    Skip(node);
  } else if (!MustStop()) {
    if (detail::IsTracing()) {
      CallTraced(node);
    } else {
      Call(node);
    }
  } else {
    NoteDropped();
  }
}

// While the closure runs.
void GraphRunner::FetchSuccessors(const Node* node) {
  base::PrefetchForWriting(node->successor);
  if (node->rest == 0) return;
  if (const GraphEdges* const edges = node->MoreEdges()) {
    const std::uint32_t count = std::min(edges->size, kMaxPrefetched);
    for (std::uint32_t k = 0; k < count; ++k) {
      base::PrefetchForWriting(edges->targets()[k]);
    }
  } else {
    base::PrefetchForWriting(node->SecondSuccessor());
  }
}

void GraphRunner::Call(Node* node) {
  try {
    node->type->invoke(node);
  } catch (...) {
    set_->KeepError(std::current_exception());
    graph_.Cancel();
  }
}

// A slice for the node, within that of the task which runs it and others; at
// its end, the edges to the nodes that follow.
void GraphRunner::CallTraced(Node* node) {
  using detail::TraceId;
  using detail::TraceKind;
  const std::uint64_t set = set_->handle();
  if (node->name() != nullptr) {
    detail::RecordTraceMoment(TraceKind::kEdge, TraceId(node), set,
                              node->name(), detail::TraceTicks());
  }
  const std::int64_t begin = detail::BeginTraceSlice();
  Call(node);
  node->ForEachSuccessor([set](const Node* successor) {
    detail::TraceMoment(TraceKind::kEdge, TraceId(successor), set);
  });
  detail::EndTraceSlice(TraceKind::kTask, begin, TraceId(node), set);
}

// The task was cancelled, or one that it succeeds directly or indirectly.
void GraphRunner::Skip(Node* node) {
  NoteDropped();
  node->ForEachSuccessor([](Node* successor) {
    successor->degree.fetch_or(Node::kCancelled, std::memory_order_relaxed);
  });
}

void GraphRunner::NoteDropped() {
  if (graph_.has_dropped_.load(std::memory_order_relaxed)) return;
  graph_.has_dropped_.store(true, std::memory_order_relaxed);
}

inline bool GraphRunner::MustStop() {
  const unsigned char stop = graph_.stop_.load(std::memory_order_relaxed);
  return stop != TaskGraph::kGoOn && MustStopFor(stop);
}

bool GraphRunner::MustStopFor(unsigned char stop) {
  if (stop != TaskGraph::kAskToken) return true;
  const Status status = graph_.token_.Check();
  if (status == Status::kCompleted) return false;
  const auto reason = status == Status::kDeadlineExceeded
                          ? TaskGraph::kDeadlineExceeded
                          : TaskGraph::kCancelled;
  graph_.stop_.compare_exchange_strong(stop, reason, std::memory_order_relaxed);
  return true;
}

// Returns one that is ready now, and keeps or pushes the others.
inline GraphRunner::Node* GraphRunner::VisitSuccessors(const Node* node) {
  if (node->rest == 0) {
    Node* const next = node->successor;
    return next != nullptr && Arrive(next) ? next : nullptr;
  }
  Node* next = nullptr;
  ReadyNodes others;
  node->ForEachSuccessor([&](Node* successor) {
    if (!Arrive(successor)) return;
    if (next == nullptr) {
      next = successor;
    } else {
      others.Add(successor);
    }
  });
  if (others.count > 0 && !Keep(others)) Push(set_, others);
  return next;
}

// An edge to the node has been walked; true if it was the last one.
inline bool GraphRunner::Arrive(Node* node) {
  const std::uint32_t degree = node->Degree();
  if (degree == 1) return true;
  const auto is_last = [degree](std::uint32_t arrived) {
    return (arrived & Node::kArrivedCount) + 1 == degree;
  };
  return is_last(node->arrived.load(std::memory_order_acquire)) ||
         is_last(node->arrived.fetch_add(1, std::memory_order_acq_rel));
}

bool GraphRunner::Keep(const ReadyNodes& nodes) {
  if (!are_short_ || nodes.count > kMaxKept / 2) return false;
  if (nodes.count > kMaxKept - NumKept()) ShareKept(kMaxKept / 2);
  // The one added first becomes the newest.
  kept_end_ += static_cast<std::uint32_t>(nodes.count);
  std::uint32_t position = kept_end_;
  for (detail::Task* task = nodes.newest; task != nullptr; task = task->older) {
    kept_[--position % kMaxKept] = static_cast<Node*>(task);
  }
  max_visits_ = std::min(max_visits_, visits_ + kVisitsWithKept);
  ShareSome();
  return true;
}

inline GraphRunner::Node* GraphRunner::TakeKept() {
  return NumKept() > 0 ? kept_[--kept_end_ % kMaxKept] : nullptr;
}

GraphRunner::Node* GraphRunner::TakeRoot() {
  const std::size_t size = graph_.roots_.size();
  std::atomic<std::size_t>& next = graph_.next_root_;
  std::size_t begin = next.load(std::memory_order_relaxed);
  std::size_t count = 1;
  if (are_short_ && begin < size) {
    const std::size_t share =
        (size - begin) / (4 * static_cast<std::size_t>(graph_.num_helpers_));
    count = std::clamp<std::size_t>(share, 1, kMaxKept / 2);
  }
  if (begin < size) begin = next.fetch_add(count, std::memory_order_relaxed);
  if (begin >= size) {
    root_taker_ = nullptr;
    return nullptr;
  }
  // The first one becomes the newest. Nothing else is kept.
  for (std::size_t k = std::min(begin + count, size); k > begin + 1; --k) {
    KeepNode(graph_.roots_[k - 1]);
  }
  return graph_.roots_[begin];
}

GraphRunner::Node* GraphRunner::TakeFromSet() {
  if (!are_short_) return nullptr;
  ReadyNodes nodes;
  detail::Task* task = set_->ClaimSome(kMaxClaimed);
  while (task != nullptr) {
    detail::Task* const older = task->older;
    if (task->run == &RunTask) {
      nodes.Add(static_cast<Node*>(task));
    } else {
      root_taker_ = task;  // One will do.
    }
    task = older;
  }
  if (nodes.count > 0) {
    Keep(nodes);
    return TakeKept();
  }
  return root_taker_ != nullptr ? TakeRoot() : nullptr;
}

// The oldest ones: others have more to do with them.
void GraphRunner::ShareKept(int count) {
  if (count == 0) return;
  ReadyNodes nodes;
  kept_begin_ += static_cast<std::uint32_t>(count);
  for (std::uint32_t position = kept_begin_; count > 0; --count) {
    nodes.Add(kept_[--position % kMaxKept]);
  }
  Push(set_, nodes);
}

// As long as each thread finds something in the set, it needs no more.
void GraphRunner::ShareSome() {
  if (set_->NumQueued() >= graph_.num_helpers_) return;
  ShareKept((NumKept() + 1) / 2);
}

// Now and then, before the next node. False: that was given back.
bool GraphRunner::GoesOn(Node* next) {
  LookAtClock();
  if (IsToLeave()) {
    ShareKept(NumKept());
    ReadyNodes nodes;
    nodes.Add(next);
    Push(set_, nodes);
    if (root_taker_ != nullptr) set_->Push(root_taker_, root_taker_, 1);
    return false;
  }
  if (!are_short_) {
    ShareKept(NumKept());
  } else if (NumKept() > 0) {
    ShareSome();
  }
  max_visits_ = NumKept() > 0 ? kVisitsWithKept : kVisits;
  if (waiter_ != nullptr && waiter_->has_deadline_) max_visits_ = 1;
  return true;
}

void GraphRunner::LookAtClock() {
  const base::Ticks now = base::Now();
  Learn(base::Nanoseconds(now - last_look_), visits_);
  last_look_ = now;
  visits_ = 0;
}

// Most strands may be so short that only several of them tell something.
void GraphRunner::Learn(float nanoseconds, int visits) {
  struct Experience {
    std::uint64_t set = 0;
    int visits = 0;
    float nanoseconds = 0.0f;
  };
  static thread_local Experience experience;
  if (experience.set != set_->handle()) experience = {set_->handle(), 0, 0.0f};
  experience.visits += visits;
  experience.nanoseconds += nanoseconds;
  const bool are_long =
      nanoseconds >= kShortNode * static_cast<float>(std::max(visits, 1));
  if (experience.visits < kVisitsWithKept && !are_long) return;
  are_short_ =
      !are_long && experience.nanoseconds <
                       kShortNode * static_cast<float>(experience.visits);
  experience.visits = 0;
  experience.nanoseconds = 0.0f;
  if (graph_.has_short_tasks_.load(std::memory_order_relaxed) != are_short_) {
    graph_.has_short_tasks_.store(are_short_, std::memory_order_relaxed);
  }
}

bool GraphRunner::IsToLeave() const {
  if (waiter_ != nullptr) {
    return waiter_->has_deadline_ && last_look_ >= waiter_->deadline_;
  }
  return pool_ != nullptr && !graph_.is_high_ &&
         pool_->queue_bits().Of(/*high=*/true) != 0;
}

}  // namespace ceres::parallel
