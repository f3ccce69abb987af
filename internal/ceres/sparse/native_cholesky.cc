// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/native_cholesky.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "ceres/base/all_finite.h"
#include "ceres/base/array_pool.h"
#include "ceres/base/flush_denormals.h"
#include "ceres/base/intrinsics.h"
#include "ceres/base/piece_pool.h"
#include "ceres/execution/loops.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/sparse/factor_memory.h"
#include "ceres/sparse/front_arithmetic.h"
#include "ceres/sparse/front_plan.h"
#include "ceres/sparse/front_planning.h"
#include "ceres/sparse/front_solver.h"
#include "ceres/sparse/sparse_cholesky_backends.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

// Multifrontal (Duff and Reid 1983; Liu, The Multifrontal Method for Sparse
// Matrix Solution: Theory and Practice, SIAM Review 34, 1992).
template <typename T>
class NativeCholesky final : public NativeFactor<T> {
 public:
  NativeCholesky(const SparseCholesky::Options& options,
                 const BlockSymmetricStructure& structure,
                 const std::vector<int>* group, FrontEntries entries,
                 SolveWorkspace* workspace)
      : workspace_(workspace),
        // Refinement needs the values until the last Solve.
        reads_values_first_(workspace != nullptr &&
                            options.num_refinement_iterations == 0),
        columns_memory_(workspace, WorkspaceRegion::kSparseFactor),
        updates_memory_(workspace, WorkspaceRegion::kUpdateMatrices) {
    plan_ = PlanFronts<T>(options.ordering, structure, group, entries,
                          options.elimination_order, &analysis_error_);
    if (plan_ == nullptr) return;
    updates_size_ = std::max(
        std::min(sparse_tuning::kUpdatesPerSerialPeak * plan_->updates_peak,
                 plan_->updates_size),
        structure.num_values() * kPerDouble);
    analysis_error_ = FindFactorMemoryError(
        (static_cast<double>(plan_->columns_size) +
         static_cast<double>(updates_size_)) *
            sizeof(T),  // NOLINT(bugprone-sizeof-expression)
        options.max_bytes);
    if (!analysis_error_.empty()) {
      plan_ = nullptr;
      return;
    }
    own_updates_.resize(plan_->fronts.size());
    columns_memory_.Reserve(NumDoubles(plan_->columns_size));
    updates_memory_.Reserve(NumDoubles(updates_size_));
    failed_pivot_.resize(plan_->fronts.size());
    MakeGraphs();
  }

  bool ReadsValuesInFillFronts() const override {
    return reads_values_first_ && plan_ != nullptr;
  }

  LinearSolverTermination Factorize(const Execution& execution,
                                    const double* values,
                                    std::string* message) override {
    values_ = values;
    gather_ = nullptr;
    return FactorizeFronts(execution, nullptr, message);
  }

  LinearSolverTermination Solve(const double* b, double* x,
                                std::string* message) override {
    {
      const FlushDenormals flush;
      const int num_fronts = static_cast<int>(plan_->fronts.size());
      for (int s = 0; s < num_fronts; ++s) solver_->Forward(s, b);
    }
    return SolveBackward(x, message);
  }

  // The forward solve of a front follows its factorization, in the cache.
  LinearSolverTermination FactorizeAndSolve(const Execution& execution,
                                            const double* values,
                                            const double* b, double* x,
                                            std::string* message) override {
    values_ = values;
    gather_ = nullptr;
    return SolveFactorized(FactorizeFronts(execution, b, message), x, message);
  }

  LinearSolverTermination GatherFactorizeAndSolve(
      const Execution& execution,
      const typename NativeFactor<T>::Gather& gather, const double* b,
      double* x, std::string* message) override {
    gather_ = &gather;
    return SolveFactorized(FactorizeFronts(execution, b, message), x, message);
  }

  bool has_plan() const override { return plan_ != nullptr; }
  const FrontPlan<T>& plan() const override { return *plan_; }
  const T* columns() const override { return columns_; }

 private:
  // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be double
  static constexpr int64_t kPerDouble = sizeof(double) / sizeof(T);
  // Values of failed_pivot_ that are no pivots.
  static constexpr int kNone = kNoFailedPivot;
  static constexpr int kDescendantFailed = -2;

  // The update matrices of one thread's task.
  struct Stacks {
    explicit Stacks(const FrontPlan<T>& plan)
        : arrays{LineArray<T>(plan.stack_size[0]),
                 LineArray<T>(plan.stack_size[1])} {}
    LineArray<T> arrays[2];
  };

  static int64_t NumDoubles(int64_t size) {
    return (size + kPerDouble - 1) / kPerDouble;
  }

  // Fills all fronts first if the block values may lie in the workspace: update
  // matrices overwrite them.
  void PrepareFronts() {
    EnterPhase(workspace_, SolvePhase::kFillFronts);
    if (solver_ == nullptr) {
      columns_ = reinterpret_cast<T*>(columns_memory_.data());
      solver_ = std::make_unique<FrontSolver<T>>(*plan_, columns_);
    }
    columns_are_assembled_ = gather_ == nullptr && reads_values_first_;
    if (columns_are_assembled_) FillAllColumns();
    EnterPhase(workspace_, SolvePhase::kFactorize);
    if (updates_ == nullptr) {
      updates_ = std::make_unique<PiecePool<T>>(
          reinterpret_cast<T*>(updates_memory_.data()), updates_size_);
    }
    // Update matrices of a factorization that was stopped.
    for (T*& update : own_updates_) {
      updates_->Give(std::exchange(update, nullptr));
    }
  }

  // b: null, or the right-hand side of a forward solve, front by front.
  LinearSolverTermination FactorizeFronts(const Execution& execution,
                                          const double* b,
                                          std::string* message) {
    if (!analysis_error_.empty()) {
      *message = analysis_error_;
      return LinearSolverTermination::kFatalError;
    }
    execution_ = execution;
    right_hand_side_ = b;
    PrepareFronts();
    Run(&factor_graph_, plan_->tasks.begin(), plan_->tasks.end(),
        [this](const FrontTask& task) { Factorize(task); });
    // The first by index, for every number of threads.
    for (size_t s = 0; s < failed_pivot_.size(); ++s) {
      if (failed_pivot_[s] >= 0) {
        return NotPositiveDefinite(
            plan_->fronts[s].first_column + failed_pivot_[s], message);
      }
    }
    return LinearSolverTermination::kSuccess;
  }

  // One graph runs tasks up the tree, the other down the tree.
  void MakeGraphs() {
    if (plan_->tasks.size() < 2) return;
    std::vector<parallel::TaskGraph::Task> up, down;
    for (const FrontTask& task : plan_->tasks) {
      up.push_back(factor_graph_.Add([this, &task] { Factorize(task); },
                                     "factor fronts"));
    }
    // Parents are added first, which makes Submit cheaper.
    for (auto it = plan_->tasks.rbegin(); it != plan_->tasks.rend(); ++it) {
      down.push_back(backward_graph_.Add(
          [this, &task = *it] { SolveBackward(task); }, "solve fronts"));
    }
    for (size_t k = 0; k < up.size(); ++k) {
      const int parent = plan_->tasks[k].parent;
      if (parent == -1) continue;
      up[k].Precede(up[parent]);
      down[up.size() - 1 - parent].Precede(down[up.size() - 1 - k]);
    }
  }

  // Runs the graph or, if the execution is serial, f(task) for its tasks in
  // order.
  template <typename Iterator, typename F>
  void Run(parallel::TaskGraph* graph, Iterator begin, Iterator end,
           const F& f) {
    if (execution_.IsSerial() || plan_->tasks.size() < 2) {
      std::for_each(begin, end, f);
      return;
    }
    parallel::TaskGraphOptions options;
    options.max_threads = execution_.num_threads;
    if (execution_.executor != nullptr) {
      graph->Run(*execution_.executor, options);
    } else {
      graph->Run(ThreadPoolOf(execution_.context), options);
    }
  }

  void Factorize(const FrontTask& task) {
    CheckStop(execution_);
    const FlushDenormals flush;
    std::unique_ptr<Stacks> stacks = TakeStacks();
    for (int s = task.first; s < task.last; ++s) {
      Factorize(s, task.has_wide_front ? execution_ : Execution(), *stacks);
      if (right_hand_side_ != nullptr && failed_pivot_[s] == kNone) {
        solver_->Forward(s, right_hand_side_);
      }
    }
    const std::lock_guard<std::mutex> lock(stacks_mutex_);
    stacks_.push_back(std::move(stacks));
  }

  void SolveBackward(const FrontTask& task) {
    const FlushDenormals flush;
    for (int s = task.last - 1; s >= task.first; --s) {
      solver_->Backward(s, solution_);
    }
  }

  // After a factorization with a forward solve.
  LinearSolverTermination SolveFactorized(LinearSolverTermination termination,
                                          double* x, std::string* message) {
    return termination == LinearSolverTermination::kSuccess
               ? SolveBackward(x, message)
               : termination;
  }

  LinearSolverTermination SolveBackward(double* x, std::string* message) {
    solution_ = x;
    Run(&backward_graph_, plan_->tasks.rbegin(), plan_->tasks.rend(),
        [this](const FrontTask& task) { SolveBackward(task); });
    if (AllFinite(x, static_cast<int64_t>(plan_->permutation.size()))) {
      return LinearSolverTermination::kSuccess;
    }
    *message =
        "Sparse Cholesky factorization failed: the matrix or the right-hand "
        "side is not finite.";
    return LinearSolverTermination::kFailure;
  }

  std::unique_ptr<Stacks> TakeStacks() {
    {
      const std::lock_guard<std::mutex> lock(stacks_mutex_);
      if (!stacks_.empty()) {
        std::unique_ptr<Stacks> stacks = std::move(stacks_.back());
        stacks_.pop_back();
        return stacks;
      }
    }
    return std::make_unique<Stacks>(*plan_);
  }

  T* UpdateOf(int s, const Stacks& stacks) const {
    const Front& front = plan_->fronts[s];
    return front.stack_begin < 0
               ? own_updates_[s]
               : stacks.arrays[front.depth % 2].data() + front.stack_begin;
  }

  template <typename F>
  void ForEachChild(const Front& front, const F& f) const {
    for (int k = front.first_child; k < front.end_child; ++k) {
      const int c = plan_->child[k];
      const Front& child = plan_->fronts[c];
      if (child.below == 0) continue;
      f(c, kernels::FrontMap{plan_->position.data() + child.row_begin,
                             child.num_pivot_rows,
                             plan_->segments.data() + child.first_segment,
                             child.end_segment - child.first_segment});
    }
  }

  // The front's own contribution overwrites the update matrix; the update
  // matrices of its children are added afterwards. So nothing is cleared.
  void Factorize(int s, const Execution& execution, const Stacks& stacks) {
    const Front& front = plan_->fronts[s];
    T* const columns = columns_ + front.columns_begin;
    if (front.stack_begin < 0) {
      own_updates_[s] = updates_->Take(kernels::UpdateSize<T>(front.below));
    }
    T* const update = UpdateOf(s, stacks);
    failed_pivot_[s] = HasFailedChild(front) ? kDescendantFailed : kNone;
    if (failed_pivot_[s] == kNone) {
      if (!columns_are_assembled_) FillColumns(s);
      ForEachChild(front, [&](int c, const kernels::FrontMap& map) {
        kernels::AddToColumns(map, UpdateOf(c, stacks), front.width, columns);
      });
      failed_pivot_[s] = EliminateFront(execution, front, columns, update);
    }
    if (failed_pivot_[s] == kNone) {
      ForEachChild(front, [&](int c, const kernels::FrontMap& map) {
        kernels::AddToUpdate(map, UpdateOf(c, stacks), front.width, update);
      });
    }
    for (int k = front.first_child; k < front.end_child; ++k) {
      updates_->Give(std::exchange(own_updates_[plan_->child[k]], nullptr));
    }
  }

  bool HasFailedChild(const Front& front) const {
    for (int k = front.first_child; k < front.end_child; ++k) {
      if (failed_pivot_[plan_->child[k]] != kNone) return true;
    }
    return false;
  }

  // The entries of the matrix in the front's columns.
  void FillColumns(int s) const {
    const Front& front = plan_->fronts[s];
    T* const columns = columns_ + front.columns_begin;
    kernels::ClearColumns(front.width, front.below, columns);
    if (gather_ != nullptr) {
      (*gather_)(s, columns);
    } else {
      AssembleColumns(*plan_, front, values_, columns);
    }
  }

  void FillAllColumns() const {
    std::vector<int64_t> cost = {0};  // cumulative
    for (const Front& front : plan_->fronts) {
      cost.push_back(cost.back() +
                     kernels::FrontColumnsSize<T>(front.width, front.below));
    }
    ParallelForByCost(execution_, 0, static_cast<int>(plan_->fronts.size()),
                      cost.data(), [this](int s) { FillColumns(s); });
  }

  LinearSolverTermination NotPositiveDefinite(int column,
                                              std::string* message) const {
    std::ostringstream text;
    text << "Sparse Cholesky factorization failed: the matrix is not positive "
            "definite to "
         << (std::is_same_v<T, float> ? "single" : "working")
         << " precision, pivot of row " << plan_->permutation[column] << " of "
         << plan_->permutation.size() << ".";
    *message = text.str();
    return LinearSolverTermination::kFailure;
  }

  std::string analysis_error_;
  std::unique_ptr<const FrontPlan<T>> plan_;
  parallel::TaskGraph factor_graph_, backward_graph_;
  SolveWorkspace* const workspace_;  // or null
  const bool reads_values_first_;
  WorkspaceArray columns_memory_;
  T* columns_ = nullptr;  // from the first factorization on
  // By front: its update matrix if it is on no stack, from its task to its
  // parent's task.
  std::vector<T*> own_updates_;
  WorkspaceArray updates_memory_;
  int64_t updates_size_ = 0;
  std::unique_ptr<PiecePool<T>> updates_;  // from the first factorization on
  std::mutex stacks_mutex_;
  std::vector<std::unique_ptr<Stacks>> stacks_;
  std::vector<int> failed_pivot_;  // by front
  // Arguments of the factorization that runs.
  Execution execution_;
  const double* values_ = nullptr;
  const typename NativeFactor<T>::Gather* gather_ = nullptr;  // or values_
  bool columns_are_assembled_ = false;
  const double* right_hand_side_ = nullptr;
  // Argument of the solve that runs.
  double* solution_ = nullptr;
  std::unique_ptr<FrontSolver<T>> solver_;
};

}  // namespace

std::unique_ptr<SparseCholesky> CreateNativeCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group,
    SolveWorkspace* workspace) {
  if (options.single_precision) {
    return std::make_unique<NativeCholesky<float>>(
        options, structure, group, FrontEntries::kPlaced, workspace);
  }
  return std::make_unique<NativeCholesky<double>>(
      options, structure, group, FrontEntries::kPlaced, workspace);
}

std::unique_ptr<NativeFactor<double>> CreateNativeFactor(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group,
    FrontEntries entries) {
  return std::make_unique<NativeCholesky<double>>(options, structure, group,
                                                  entries,
                                                  /*workspace=*/nullptr);
}

}  // namespace ceres::internal
