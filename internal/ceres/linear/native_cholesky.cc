// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>
#include <utility>
#include <vector>

#include "ceres/linear/elimination_tree.h"
#include "ceres/linear/fill_reducing_ordering.h"
#include "ceres/linear/flush_denormals.h"
#include "ceres/linear/front_plan.h"
#include "ceres/linear/sparse_cholesky_backends.h"
#include "ceres/parallel/loops.h"
#include "ceres/parallel/task_graph.h"

namespace ceres::internal {
namespace {

using kernels::NumFrontPanels;

// An array on cache lines, not initialised.
template <typename T>
class LineArray {
 public:
  LineArray() = default;
  explicit LineArray(int64_t size)
      : data_(size == 0 ? nullptr
                        : static_cast<T*>(::operator new(
                              size * sizeof(T), std::align_val_t(64)))),
        size_(size) {}
  T* data() const { return data_.get(); }
  int64_t size() const { return size_; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(64)); }
  };
  std::unique_ptr<T, Free> data_;
  int64_t size_ = 0;
};

// Lends arrays to several threads and keeps what comes back for the next.
template <typename T>
class ArrayPool {
 public:
  LineArray<T> Take(int64_t size) {
    if (size == 0) return LineArray<T>();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto it = arrays_.lower_bound(size);
      if (it != arrays_.end() && it->first <= 2 * size) {
        LineArray<T> array = std::move(it->second);
        arrays_.erase(it);
        return array;
      }
    }
    return LineArray<T>(size);
  }
  void Give(LineArray<T> array) {
    if (array.size() == 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    const int64_t size = array.size();
    arrays_.emplace(size, std::move(array));
  }

 private:
  std::mutex mutex_;
  std::multimap<int64_t, LineArray<T>> arrays_;
};

// Columns that one thread factors before the others use them.
constexpr int kBlockColumns = 64;

// Multifrontal (Duff and Reid 1983; Liu, The Multifrontal Method for Sparse
// Matrix Solution: Theory and Practice, SIAM Review 34, 1992).
template <typename T>
class NativeCholesky final : public SparseCholesky {
 public:
  NativeCholesky(const Options& options,
                 const BlockSymmetricStructure& structure,
                 const std::vector<int>* group) {
    const SymmetricGraph blocks = GraphOfBlocks(structure);
    const std::vector<int> merged_into = MergeIndistinguishable(blocks, group);
    int num_nodes = 0;
    for (const int node : merged_into) {
      num_nodes = std::max(num_nodes, node + 1);
    }
    const SymmetricGraph graph = QuotientGraph(blocks, merged_into, num_nodes);
    std::vector<int> node_group;
    if (group != nullptr) {
      node_group.resize(num_nodes);
      for (size_t b = 0; b < merged_into.size(); ++b) {
        node_group[merged_into[b]] = (*group)[b];
      }
    }
    const std::vector<int> order = NativeOrdering(
        graph, options.ordering, group == nullptr ? nullptr : &node_group,
        &analysis_error_);
    if (!analysis_error_.empty()) return;
    plan_ = std::make_unique<const FrontPlan<T>>(structure, graph, merged_into,
                                                 order);
    columns_ = LineArray<T>(plan_->columns_size);
    own_updates_.resize(plan_->fronts.size());
    failed_pivot_.resize(plan_->fronts.size());
    vector_.resize(plan_->permutation.size());
    x_ = LineArray<T>(plan_->max_width + kH);
    y_ = LineArray<T>(plan_->max_below + kH);
    MakeGraph();
  }

  LinearSolverTermination Factorize(const Execution& execution,
                                    const double* values,
                                    std::string* message) override {
    if (!analysis_error_.empty()) {
      *message = analysis_error_;
      return LinearSolverTermination::kFatalError;
    }
    execution_ = execution;
    values_ = values;
    RunTasks();
    // The first, whatever the order in time.
    for (size_t s = 0; s < failed_pivot_.size(); ++s) {
      if (failed_pivot_[s] >= 0) {
        return NotPositiveDefinite(
            plan_->fronts[s].first_column + failed_pivot_[s], message);
      }
    }
    return LinearSolverTermination::kSuccess;
  }

  LinearSolverTermination Solve(const double* b, double* x,
                                std::string* message) override {
    const FlushDenormals flush;
    const std::vector<int>& permutation = plan_->permutation;
    const int n = static_cast<int>(permutation.size());
    for (int k = 0; k < n; ++k) vector_[k] = static_cast<T>(b[permutation[k]]);
    for (const Front& front : plan_->fronts) SolveForward(front);
    for (auto it = plan_->fronts.rbegin(); it != plan_->fronts.rend(); ++it) {
      SolveBackward(*it);
    }
    bool is_finite = true;
    for (int k = 0; k < n; ++k) {
      x[permutation[k]] = static_cast<double>(vector_[k]);
      is_finite = is_finite && std::isfinite(vector_[k]);
    }
    if (is_finite) return LinearSolverTermination::kSuccess;
    *message =
        "Sparse Cholesky factorization failed: the matrix or the right-hand "
        "side is not finite.";
    return LinearSolverTermination::kFailure;
  }

 private:
  static constexpr int kH = kernels::kFrontPanel<T>;
  // In failed_pivot_; others are pivots.
  static constexpr int kNone = -1;
  static constexpr int kDescendantFailed = -2;

  // The update matrices that a thread works on.
  struct Stacks {
    explicit Stacks(const FrontPlan<T>& plan)
        : arrays{LineArray<T>(plan.stack_size[0]),
                 LineArray<T>(plan.stack_size[1])} {}
    LineArray<T> arrays[2];
  };

  void MakeGraph() {
    if (plan_->tasks.size() < 2) return;
    std::vector<parallel::TaskGraph::Task> nodes;
    for (const FrontTask& task : plan_->tasks) {
      nodes.push_back(
          graph_.Add([this, &task] { RunTask(task); }, "factor fronts"));
    }
    for (size_t k = 0; k < nodes.size(); ++k) {
      if (plan_->tasks[k].parent != -1) {
        nodes[k].Precede(nodes[plan_->tasks[k].parent]);
      }
    }
  }

  void RunTasks() {
    if (execution_.IsSerial() || plan_->tasks.size() < 2) {
      for (const FrontTask& task : plan_->tasks) RunTask(task);
      return;
    }
    parallel::TaskGraphOptions options;
    options.max_threads = execution_.num_threads;
    if (execution_.executor != nullptr) {
      graph_.Run(*execution_.executor, options);
    } else {
      graph_.Run(ThreadPoolOf(execution_.context), options);
    }
  }

  void RunTask(const FrontTask& task) {
    CheckStop(execution_);
    const FlushDenormals flush;
    std::unique_ptr<Stacks> stacks = TakeStacks();
    for (int s = task.first; s < task.last; ++s) {
      Factorize(s, task.has_wide_front ? execution_ : Execution(), *stacks);
    }
    const std::lock_guard<std::mutex> lock(stacks_mutex_);
    stacks_.push_back(std::move(stacks));
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
               ? own_updates_[s].data()
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

  // The update matrix is overwritten by the front's own part, and the
  // children's are added then: nothing needs to be cleared.
  void Factorize(int s, const Execution& execution, const Stacks& stacks) {
    const Front& front = plan_->fronts[s];
    T* const columns = columns_.data() + front.columns_begin;
    if (front.stack_begin < 0) {
      own_updates_[s] = updates_.Take(kernels::UpdateSize<T>(front.below));
    }
    T* const update = UpdateOf(s, stacks);
    failed_pivot_[s] = HasFailedChild(front) ? kDescendantFailed : kNone;
    if (failed_pivot_[s] == kNone) {
      AssembleColumns(front, columns);
      ForEachChild(front, [&](int c, const kernels::FrontMap& map) {
        kernels::AddToColumns(map, UpdateOf(c, stacks), front.width, columns);
      });
      failed_pivot_[s] = Eliminate(execution, front, columns, update);
    }
    if (failed_pivot_[s] == kNone) {
      ForEachChild(front, [&](int c, const kernels::FrontMap& map) {
        kernels::AddToUpdate(map, UpdateOf(c, stacks), front.width, update);
      });
    }
    for (int k = front.first_child; k < front.end_child; ++k) {
      updates_.Give(std::move(own_updates_[plan_->child[k]]));
    }
  }

  bool HasFailedChild(const Front& front) const {
    for (int k = front.first_child; k < front.end_child; ++k) {
      if (failed_pivot_[plan_->child[k]] != kNone) return true;
    }
    return false;
  }

  void AssembleColumns(const Front& front, T* columns) const {
    const int w = front.width;
    std::memset(columns, 0,
                kernels::FrontColumnsSize<T>(w, front.below) * sizeof(T));
    for (int e = front.first_entry; e < front.end_entry; ++e) {
      const FrontEntry& entry = plan_->entries[e];
      const double* const values = values_ + entry.source;
      const int row_step = entry.is_transposed ? entry.num_columns : 1;
      const int column_step = entry.is_transposed ? 1 : entry.num_rows;
      for (int i = 0; i < entry.num_rows; ++i) {
        const int row = entry.row + i;
        T* const target =
            columns + (row < w ? kernels::PivotPosition<T>(w, row, 0)
                               : kernels::BelowPosition<T>(w, row - w, 0));
        for (int j = 0; j < entry.num_columns; ++j) {
          target[(entry.column + j) * kH] =
              static_cast<T>(values[i * row_step + j * column_step]);
        }
      }
    }
  }

  // Returns the pivot that failed, or kNone.
  static int Eliminate(const Execution& execution, const Front& front,
                       T* columns, T* update) {
    constexpr int kPanelsPerPiece = 3;
    const int w = front.width;
    const int num_below = NumFrontPanels<T>(front.below);
    const int num_panels = NumFrontPanels<T>(w) + num_below;
    for (int first = 0; first < w; first += kBlockColumns) {
      const int last = std::min(first + kBlockColumns, w);
      const int failed = kernels::FactorizePivots(w, first, last, columns);
      if (failed != kernels::kAllPivotsPositive) return failed;
      const int begin = NumFrontPanels<T>(last);
      if (execution.IsSerial()) {
        kernels::EliminateFromPanels(w, first, last, begin, num_panels,
                                     columns);
        continue;
      }
      ForPieces(execution, begin, num_panels, [&](int p, int end) {
        const FlushDenormals flush;
        kernels::EliminateFromPanels(w, first, last, p, end, columns);
      });
    }
    if (execution.IsSerial()) {
      kernels::FormUpdate(w, 0, num_below, columns, update);
      return kNone;
    }
    const int num_pieces = (num_below + kPanelsPerPiece - 1) / kPanelsPerPiece;
    std::vector<int64_t> cost(num_pieces + 1, 0);
    for (int k = 0; k < num_pieces; ++k) cost[k + 1] = cost[k] + k + 1;
    ParallelForByCost(execution, 0, num_pieces, cost.data(), [&](int k) {
      const FlushDenormals flush;
      const int p = k * kPanelsPerPiece;
      kernels::FormUpdate(w, p, std::min(p + kPanelsPerPiece, num_below),
                          columns, update);
    });
    return kNone;
  }

  // f(first, last) for pieces of whole tiles of panels.
  template <typename F>
  static void ForPieces(const Execution& execution, int begin, int end,
                        const F& f) {
    constexpr int kPanelsPerPiece = 3;
    ParallelFor(execution, 0,
                (end - begin + kPanelsPerPiece - 1) / kPanelsPerPiece,
                [&](int k) {
                  const int p = begin + k * kPanelsPerPiece;
                  f(p, std::min(p + kPanelsPerPiece, end));
                });
  }

  void SolveForward(const Front& front) {
    T* const x = x_.data();
    T* const y = y_.data();
    T* const part = vector_.data() + front.first_column;
    std::copy_n(part, front.width, x);
    std::fill_n(x + front.width,
                NumFrontPanels<T>(front.width) * kH - front.width, T(0));
    kernels::SolveForward(front.width, front.below,
                          columns_.data() + front.columns_begin, x, y);
    std::copy_n(x, front.width, part);
    const int* const rows = plan_->row.data() + front.row_begin;
    for (int i = 0; i < front.below; ++i) vector_[rows[i]] -= y[i];
  }

  void SolveBackward(const Front& front) {
    T* const x = x_.data();
    T* const y = y_.data();
    T* const part = vector_.data() + front.first_column;
    std::copy_n(part, front.width, x);
    const int* const rows = plan_->row.data() + front.row_begin;
    for (int i = 0; i < front.below; ++i) y[i] = vector_[rows[i]];
    std::fill_n(y + front.below,
                NumFrontPanels<T>(front.below) * kH - front.below, T(0));
    kernels::SolveBackward(front.width, front.below,
                           columns_.data() + front.columns_begin, y, x);
    std::copy_n(x, front.width, part);
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
  parallel::TaskGraph graph_;
  LineArray<T> columns_;
  // Of fronts that have one: between their task and their parent's.
  std::vector<LineArray<T>> own_updates_;
  ArrayPool<T> updates_;
  std::mutex stacks_mutex_;
  std::vector<std::unique_ptr<Stacks>> stacks_;
  std::vector<int> failed_pivot_;  // by front
  // Of the factorization that goes on.
  Execution execution_;
  const double* values_ = nullptr;
  // For Solve.
  std::vector<T> vector_;
  LineArray<T> x_, y_;
};

}  // namespace

std::unique_ptr<SparseCholesky> CreateNativeCholesky(
    const SparseCholesky::Options& options,
    const BlockSymmetricStructure& structure, const std::vector<int>* group) {
  if (options.single_precision) {
    return std::make_unique<NativeCholesky<float>>(options, structure, group);
  }
  return std::make_unique<NativeCholesky<double>>(options, structure, group);
}

}  // namespace ceres::internal
