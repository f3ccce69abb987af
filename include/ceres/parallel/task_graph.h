// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARALLEL_TASK_GRAPH_H_
#define CERES_PUBLIC_PARALLEL_TASK_GRAPH_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/detail/deadline.h"
#include "ceres/parallel/detail/export.h"
#include "ceres/parallel/detail/graph_arena.h"
#include "ceres/parallel/detail/graph_node.h"
#include "ceres/parallel/detail/task_set.h"
#include "ceres/parallel/executor.h"
#include "ceres/parallel/status.h"
#include "ceres/parallel/task_options.h"
#include "ceres/parallel/thread_pool.h"

namespace ceres::parallel {

// The options of a run of a graph.
struct TaskGraphOptions {
  // The largest number of threads that work for the graph, waiting threads
  // included. 0 or less: as many as the host has.
  int max_threads = 0;
  // The priority of all tasks of the run.
  Priority priority = Priority::kNormal;
  // Checked before each task. A copy is kept until the run ends.
  CancellationToken token;
};

// Tasks with a partial order: a task begins after its predecessors have ended.
//
//   TaskGraph graph;
//   auto compile_a = graph.Add([&] { a = Compile("a.cc"); });
//   auto compile_b = graph.Add([&] { b = Compile("b.cc"); });
//   auto link = graph.Add([&] { Link(a, b); });
//   link.Succeed(compile_a, compile_b);
//   graph.Run(pool);
//
// A run calls every task once, in threads of the host and in the thread that
// waits. A task begins when all its predecessors have ended, and their effects
// happen before it. Effects before Submit happen before all tasks, and effects
// of the tasks happen before Wait returns. A graph can be run any number of
// times, on different hosts, and changed between runs. It may be submitted in a
// task of another graph or of the pool. Its tasks may start loops, tasks and
// graphs of their own and wait for them.
//
// A run begins with Submit and ends when Run, Wait, WaitFor or WaitUntil has
// reported the end. Meanwhile Add, Precede, Succeed, Submit, Reset, Clear and
// FindCycle throw std::logic_error. The host must outlive the run.
//
// A thread that waits runs only tasks of the graph, and tasks, loops and forks
// that these tasks wait for. A wait therefore cannot deadlock, even on a host
// without threads. A wait in a task of the graph itself throws
// std::logic_error. Tasks without a path between them may run in any order, and
// one after the other in one thread. They must not wait for each other by other
// means.
//
// The first exception of a task ends the run: tasks that have not begun are
// dropped, and the wait rethrows it.
//
// Thread safety: any thread may call the two Cancels during a run. All other
// functions may be called by one thread at a time.
//
// Cost: a node takes 56 bytes, and its closure behind them (and 8 bytes for its
// name, if given; 16 KiB at least for a graph). Two successors of a node are
// free. With more it takes blocks of 32, 64, 128, 256 bytes, then of 512 each,
// for up to 3, 9, 23, 53 successors, then for 62 more each: 32 bytes with 3, 96
// with 4, 8.5 for each of many. A chain of tasks runs in one thread without any
// queue. A task with one predecessor needs no atomic read-modify-write. Tasks
// that take less than a microsecond or two are handed over between threads some
// ten at a time. Submit takes time in proportion to the tasks without
// predecessors, or to all edges if any leads from a task to one that was added
// earlier and edges have changed.
class CERES_PARALLEL_EXPORT TaskGraph {
 public:
  // A reference to a task; see below.
  class Task;
  // The clock of deadlines.
  using Clock = std::chrono::steady_clock;

  // A graph without tasks.
  TaskGraph() : arena_(this) {}
  // Waits for a run. Drops an exception that no wait has rethrown.
  ~TaskGraph();
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  // Adds a task that calls f(), any callable, also a move-only one. f is moved
  // or copied into the graph and called there, as an lvalue, once in each run.
  // Its result is ignored.
  //
  // name: for traces and messages; may be null. Not copied: a string literal,
  // or a string that outlives the graph.
  template <typename F>
  Task Add(F&& f);
  template <typename F>
  Task Add(F&& f, const char* name);

  // The number of tasks.
  std::size_t size() const { return arena_.num_nodes(); }

  // Submit, then Wait.
  Status Run(ThreadPool& pool, const TaskGraphOptions& options = {});
  Status Run(Executor& host, const TaskGraphOptions& options = {});

  // Starts a run and returns. If the edges form a cycle, throws CycleError, and
  // no task has begun.
  void Submit(ThreadPool& pool, const TaskGraphOptions& options = {});
  void Submit(Executor& host, const TaskGraphOptions& options = {});

  // Waits for the end of the run. Returns the way in which it ended, or
  // rethrows. kCancelled or kDeadlineExceeded (of the token): some tasks were
  // not called. If no run is active, returns the status of the last run.
  Status Wait();
  // Wait with a limit. Return true if the run has ended, false if it goes on.
  // Rethrow. A task that this thread has begun is not interrupted, so these
  // functions may return late by the time that the task takes.
  bool WaitUntil(Clock::time_point deadline);
  template <typename WaitClock, typename Duration>
  bool WaitUntil(std::chrono::time_point<WaitClock, Duration> deadline) {
    return WaitUntil(detail::SteadyDeadline(deadline));
  }
  template <typename Rep, typename Period>
  bool WaitFor(std::chrono::duration<Rep, Period> timeout);

  // Drops the tasks that have not begun, in the present run; nothing if there
  // is none. (Task::Cancel tells whether a task will not be called.)
  void Cancel() noexcept;

  // Revokes the cancellations of tasks.
  void Reset();

  // Destroys all tasks. Keeps the memory for new ones.
  void Clear();

  // Returns the tasks of a cycle: each precedes the next, and the last precedes
  // the first. Empty if there is no cycle.
  std::vector<Task> FindCycle() const;

 private:
  enum Stop : unsigned char { kGoOn, kAskToken, kCancelled, kDeadlineExceeded };
  // Knowledge about cycles of the edges.
  enum class Order : unsigned char {
    kForward,  // All lead from tasks to such that were added later.
    kChecked,
    kUnknown,
  };
  friend class GraphRunner;

  void CheckIdle(const char* what) const {
    if (IsRunning()) ThrowRunning(what);
  }
  bool IsRunning() const { return is_running_.load(std::memory_order_relaxed); }
  [[noreturn]] static void ThrowRunning(const char* what);
  [[noreturn]] static void ThrowBadLink(const detail::GraphNode* from,
                                        const detail::GraphNode* to);

  template <typename Closure, bool kHasName, typename F>
  detail::GraphNode* AddNode(F&& f, const char* name);
  static void Link(detail::GraphNode* from, detail::GraphNode* to);
  void NoteTarget(detail::GraphNode* to);
  void AddEdge(detail::GraphNode* from, detail::GraphNode* to);
  void DestroyClosures();

  void Start(detail::PoolState* pool, Executor* executor,
             const TaskGraphOptions& options);
  void CheckOrder();
  void CollectRoots();
  void PushRoots();

  // For the threads of a run. First, so that its cache line is not written to.
  detail::TaskSet* set_ = nullptr;
  std::atomic<unsigned char> stop_{kGoOn};
  std::atomic<bool> is_running_{false};
  std::atomic<bool> has_dropped_{false};          // In this run.
  std::atomic<bool> has_cancelled_tasks_{false};  // Since Reset.
  std::atomic<bool> has_short_tasks_{false};      // As far as is known.
  // GraphNode::kParity or 0: the parity of the present or else the last run.
  std::atomic<std::uint32_t> parity_{0};
  bool is_high_ = false;
  int num_helpers_ = 1;  // Threads that may come to help.
  Status status_ = Status::kCompleted;
  Order order_ = Order::kForward;
  bool has_destructors_ = false;
  bool have_roots_changed_ = false;
  CancellationToken token_;

  // Tasks added since the last run that had no predecessor, linked by `older`;
  // some have one now.
  detail::GraphNode* newest_candidate_ = nullptr;
  // Tasks without predecessors, in order of adding; some have one now if
  // have_roots_changed_.
  std::vector<detail::GraphNode*> roots_;
  // If there are many roots: tasks of the set, whose threads take roots.
  struct RootTaker : detail::Task {
    TaskGraph* graph = nullptr;
  };
  std::vector<RootTaker> root_takers_;
  // The first root that no thread has taken, or at least the number of roots.
  alignas(64) std::atomic<std::size_t> next_root_{0};
  // On another cache line.
  alignas(64) detail::GraphArena arena_;
};

// A reference to a task of a graph. Valid while the graph exists and is not
// cleared.
class CERES_PARALLEL_EXPORT TaskGraph::Task {
 public:
  Task() = default;  // Refers to none: only comparisons are allowed.

  // Adds edges from this task to the others: it ends before they begin. Returns
  // this task. An edge that is added twice has the effect of one edge. Throws
  // std::invalid_argument for tasks of different graphs.
  template <typename... Tasks>
  Task Precede(Tasks... others) const {
    (Link(node_, others.node_), ...);
    return *this;
  }
  // Adds edges from the others to this task: it begins after they have ended.
  // Returns this task. Throws as Precede does.
  template <typename... Tasks>
  Task Succeed(Tasks... others) const {
    (Link(others.node_, node_), ...);
    return *this;
  }

  // Drops this task, and all tasks that directly or indirectly succeed it, in
  // all runs until TaskGraph::Reset. If this task has begun, it ends, and so do
  // its successors in this run.
  //
  // Returns true if this task will certainly not be called: no run is active,
  // or the current run has not reached the task. Returns false if the task has
  // begun or ended, or if the current run is just reaching the task; the run
  // may then still drop it. Takes some microseconds.
  bool Cancel() const noexcept;

  // The name that was given to Add, or null.
  const char* name() const { return node_->name(); }
  // The number of tasks that were added before this one.
  std::size_t index() const;

  // Returns whether this object refers to a task.
  explicit operator bool() const { return node_ != nullptr; }
  friend bool operator==(Task a, Task b) { return a.node_ == b.node_; }
  friend bool operator!=(Task a, Task b) { return a.node_ != b.node_; }

 private:
  friend class TaskGraph;
  explicit Task(detail::GraphNode* node) : node_(node) {}

  detail::GraphNode* node_ = nullptr;
};

// The exception of Submit if tasks wait for each other in a cycle. what() names
// the first tasks of the cycle.
class CERES_PARALLEL_EXPORT CycleError : public std::logic_error {
 public:
  // tasks: each precedes the next, and the last precedes the first.
  explicit CycleError(std::vector<TaskGraph::Task> tasks);

  // The tasks of the cycle, as given to the constructor.
  const std::vector<TaskGraph::Task>& tasks() const { return tasks_; }

 private:
  std::vector<TaskGraph::Task> tasks_;
};

template <typename Closure, bool kHasName, typename F>
detail::GraphNode* TaskGraph::AddNode(F&& f, const char* name) {
  static_assert(std::is_invocable_v<Closure&>,
                "A task is a callable without arguments");
  using Placed = detail::GraphClosure<Closure, kHasName>;
  CheckIdle("Add");
  auto* const node =
      new (arena_.ReserveNode(Placed::kSize)) detail::GraphNode(&Placed::kType);
  node->arrived.store(parity_.load(std::memory_order_relaxed),
                      std::memory_order_relaxed);
  new (Placed::Place(node)) Closure(std::forward<F>(f));
  if constexpr (kHasName) Placed::SetName(node, name);
  if constexpr (!Placed::kTrivial) has_destructors_ = true;
  arena_.CommitNode(Placed::kSize);
  node->older = newest_candidate_;
  newest_candidate_ = node;
  return node;
}

template <typename F>
TaskGraph::Task TaskGraph::Add(F&& f) {
  return Task(AddNode<std::decay_t<F>, false>(std::forward<F>(f), nullptr));
}

template <typename F>
TaskGraph::Task TaskGraph::Add(F&& f, const char* name) {
  if (name == nullptr) return Add(std::forward<F>(f));
  return Task(AddNode<std::decay_t<F>, true>(std::forward<F>(f), name));
}

inline void TaskGraph::Link(detail::GraphNode* from, detail::GraphNode* to) {
  if (from == nullptr || to == nullptr) ThrowBadLink(from, to);
  TaskGraph* const graph = detail::GraphPage::Of(from)->graph;
  if (detail::GraphPage::Of(to)->graph != graph) ThrowBadLink(from, to);
  graph->CheckIdle("Precede or Succeed");
  if (to->Degree() == detail::GraphNode::kMaxDegree) ThrowBadLink(from, to);
  if (from->successor == nullptr) {
    from->successor = to;
  } else if (from->rest == 0) {
    from->rest = reinterpret_cast<std::uintptr_t>(to);
  } else {
    graph->AddEdge(from, to);
  }
  if (graph->order_ != Order::kForward ||
      !detail::GraphPage::IsBefore(from, to)) {
    graph->order_ = Order::kUnknown;
  }
  graph->NoteTarget(to);
}

inline void TaskGraph::NoteTarget(detail::GraphNode* to) {
  if (to == newest_candidate_) {
    newest_candidate_ = static_cast<detail::GraphNode*>(to->older);
  } else if (to->Degree() == 0) {
    have_roots_changed_ = true;
  }
  // No other thread writes to it: the graph does not run.
  to->degree.store(to->degree.load(std::memory_order_relaxed) + 1,
                   std::memory_order_relaxed);
}

template <typename Rep, typename Period>
bool TaskGraph::WaitFor(std::chrono::duration<Rep, Period> timeout) {
  return WaitUntil(detail::DeadlineAfter(timeout));
}

}  // namespace ceres::parallel

#endif  // CERES_PUBLIC_PARALLEL_TASK_GRAPH_H_
