// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PARALLEL_GRAPH_GRAPH_RUNNER_H_
#define CERES_INTERNAL_PARALLEL_GRAPH_GRAPH_RUNNER_H_

#include <array>
#include <chrono>
#include <cstdint>

#include "ceres/base/clock.h"
#include "ceres/parallel/graph/graph_tuning.h"
#include "ceres/parallel/pool/fresh_stack.h"
#include "ceres/parallel/sync/before_blocking.h"
#include "ceres/parallel/task_graph.h"

namespace ceres::parallel {

// Nodes that may run, linked as TaskSet::Push requires. The node added first is
// the newest: the thread that pushes them takes it first.
struct ReadyNodes {
  detail::GraphNode* newest = nullptr;
  detail::GraphNode* oldest = nullptr;
  int count = 0;

  void Add(detail::GraphNode* node) {
    node->older = nullptr;
    if (count++ == 0) {
      newest = node;
    } else {
      oldest->older = node;
    }
    oldest = node;
  }
};

// Runs nodes of a graph in one thread: from the head of a strand, which the
// thread has claimed from the task set of the graph, to the end of all strands
// that the thread has kept. See graph_runner.cc.
class GraphRunner : private detail::BeforeBlocking {
 public:
  static void Push(detail::TaskSet* set, const ReadyNodes& nodes);
  // The function of the tasks TaskGraph::RootTaker.
  static void RunRootTaker(detail::Task* task);

  // While it exists, the calling thread waits for the graph, until the
  // deadline.
  class Waiter {
   public:
    Waiter(const TaskGraph& graph,
           std::chrono::steady_clock::time_point deadline);
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    // The innermost waiter of this thread (fresh_stack.h), or null.
    static const Waiter* Innermost() {
      return static_cast<const Waiter*>(detail::innermost_wait);
    }

   private:
    friend class GraphRunner;

    const TaskGraph* graph_;
    bool has_deadline_;
    base::Ticks deadline_ = 0;
    const Waiter* outer_;
  };

 private:
  using Node = detail::GraphNode;

  explicit GraphRunner(TaskGraph& graph);
  ~GraphRunner();

  static void RunTask(detail::Task* task);

  void Run(Node* node) noexcept;
  void Visit(Node* node);
  void Call(Node* node);
  void CallTraced(Node* node);
  void Skip(Node* node);
  void NoteDropped();
  bool MustStop();
  bool MustStopFor(unsigned char stop);

  Node* VisitSuccessors(const Node* node);
  static bool Arrive(Node* node);
  static void FetchSuccessors(const Node* node);

  // The nodes that only this thread knows.
  int NumKept() const { return static_cast<int>(kept_end_ - kept_begin_); }
  bool Keep(const ReadyNodes& nodes);
  void KeepNode(Node* node) { kept_[kept_end_++ % kMaxKept] = node; }
  Node* TakeKept();
  Node* TakeRoot();
  Node* TakeFromSet();
  void ShareKept(int count);
  void ShareSome();

  bool GoesOn(Node* next);
  void LookAtClock();
  void Learn(float nanoseconds, int visits);
  bool IsToLeave() const;

  static constexpr int kMaxKept = detail::kMaxKeptHeads;

  TaskGraph& graph_;
  detail::TaskSet* const set_;
  const detail::PoolState* const pool_;  // Null: the host is an Executor.
  // The task by which this thread takes roots, while roots are left.
  detail::Task* root_taker_ = nullptr;
  const Waiter* waiter_;  // Null: this thread does not wait for the graph.
  bool are_short_;        // Tasks take less than a microsecond or two.
  // Nodes since the last reading of the clock, and until the next one.
  int visits_ = 0;
  int max_visits_;
  base::Ticks last_look_;
  // kept_[kept_begin_, kept_end_), modulo the size, from the oldest to the
  // newest.
  std::uint32_t kept_begin_ = 0;
  std::uint32_t kept_end_ = 0;
  std::array<Node*, kMaxKept> kept_;
};

}  // namespace ceres::parallel

#endif  // CERES_INTERNAL_PARALLEL_GRAPH_GRAPH_RUNNER_H_
