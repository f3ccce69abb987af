// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/selected_inverse.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/kernels/front_inverse.h"
#include "ceres/parallel/task_graph.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

using kernels::NumFrontStrips;
using sparse_tuning::kStripsPerPiece;

constexpr int kH = kernels::kFrontStrip<double>;
constexpr int kColumnsPerPiece = sparse_tuning::kInverseStripsOfColumns * kH;

int NumStrips(int rows) { return NumFrontStrips<double>(rows); }

// f(first, last) for pieces of [0, size).
template <typename F>
void ForPieces(const Execution& execution, int size, int piece, const F& f) {
  if (execution.IsSerial()) {
    f(0, size);
    return;
  }
  ParallelFor(execution, 0, (size + piece - 1) / piece,
              [&](int k) { f(k * piece, std::min((k + 1) * piece, size)); });
}

int64_t TriangleSize(int width) {
  return 2 * kernels::FrontColumnsSize<double>(width, 0);
}
int64_t PivotRowsSize(int width, int columns) {
  return int64_t{NumStrips(width)} * kH * columns;
}

}  // namespace

double SelectedInverse::Cost(const Front& front) {
  const double w = front.width, b = front.below;
  return w * w * w / 3.0 + w * w * b + w * b * b +
         sparse_tuning::kInversePerMoved * (w + b) * b +
         sparse_tuning::kInverseOpening;
}

SelectedInverse::SelectedInverse(const FrontPlan<double>& plan,
                                 const double* columns)
    : plan_(plan),
      columns_(columns),
      num_waiting_(plan.fronts.size()),
      inverse_(plan.fronts.size()) {}

void SelectedInverse::Compute(const Execution& execution,
                              std::vector<FrontBlock> blocks) {
  execution_ = execution;
  MarkNeeded(blocks);
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const FrontBlock& a, const FrontBlock& b) {
                     return a.front < b.front;
                   });
  first_block_.assign(plan_.fronts.size() + 1, 0);
  for (const FrontBlock& block : blocks) ++first_block_[block.front + 1];
  for (size_t s = 0; s < plan_.fronts.size(); ++s) {
    first_block_[s + 1] += first_block_[s];
  }
  blocks_ = std::move(blocks);

  const int num_tasks = static_cast<int>(plan_.tasks.size());
  if (execution.IsSerial() || num_tasks < 2) {
    for (int k = num_tasks - 1; k >= 0; --k) Invert(plan_.tasks[k]);
    return;
  }
  parallel::TaskGraph graph;
  std::vector<parallel::TaskGraph::Task> tasks(num_tasks);
  for (int k = num_tasks - 1; k >= 0; --k) {
    const FrontTask& task = plan_.tasks[k];
    // A task's last front is the first that is needed.
    if (std::none_of(is_needed_.begin() + task.first,
                     is_needed_.begin() + task.last,
                     [](bool needed) { return needed; })) {
      continue;
    }
    tasks[k] = graph.Add([this, &task] { Invert(task); }, "invert fronts");
    if (task.parent != -1) tasks[task.parent].Precede(tasks[k]);
  }
  parallel::TaskGraphOptions options;
  options.max_threads = execution.num_threads;
  if (execution.executor != nullptr) {
    graph.Run(*execution.executor, options);
  } else {
    graph.Run(ThreadPoolOf(execution.context), options);
  }
}

void SelectedInverse::MarkNeeded(const std::vector<FrontBlock>& blocks) {
  is_needed_.assign(plan_.fronts.size(), false);
  for (std::atomic<int>& n : num_waiting_) n.store(0);
  for (const FrontBlock& block : blocks) {
    for (int s = block.front; s != -1 && !is_needed_[s];
         s = plan_.fronts[s].parent) {
      is_needed_[s] = true;
      const int parent = plan_.fronts[s].parent;
      if (parent != -1) num_waiting_[parent].fetch_add(1);
    }
  }
}

void SelectedInverse::Invert(const FrontTask& task) {
  CheckStop(execution_);
  for (int s = task.last - 1; s >= task.first; --s) {
    if (!is_needed_[s]) continue;
    Invert(s, task.has_wide_front ? execution_ : Execution());
  }
}

void SelectedInverse::Invert(int s, const Execution& execution) {
  const Front& front = plan_.fronts[s];
  const int w = front.width, b = front.below;
  inverse_[s] = arrays_.Take(kernels::FrontInverseSize(w, b));
  LineArray<double> scratch =
      arrays_.Take(TriangleSize(w) + PivotRowsSize(w, b));
  const Work work{scratch.data(), scratch.data() + TriangleSize(w),
                  inverse_[s].data()};
  InvertTriangle(front, execution, work);
  if (b > 0) {
    GatherBelow(front, execution, work.inverse);
    Release(front.parent);
  }
  FillPivotRows(front, execution, work);
  arrays_.Give(std::move(scratch));
  const bool is_leaf = num_waiting_[s].load() == 0;
  if (!is_leaf) Mirror(front, work.inverse);
  WriteBlocks(s, work.inverse);
  if (is_leaf) arrays_.Give(std::move(inverse_[s]));
}

// -X from L_PP and the rows of -I, and Y' = - (-X) L_BP'. Row i of X has
// nothing left of column i.
void SelectedInverse::InvertTriangle(const Front& front,
                                     const Execution& execution,
                                     const Work& work) const {
  const int w = front.width, b = front.below;
  const int num_strips = NumStrips(w);
  const double* const columns = columns_ + front.columns_begin;
  const int64_t size = kernels::FrontColumnsSize<double>(w, 0);
  std::memcpy(work.factor, columns, size * sizeof(double));
  double* const x = work.factor + size;
  ForPieces(execution, num_strips, kStripsPerPiece, [&](int p, int end) {
    std::memset(x + int64_t{p} * kH * w, 0,
                int64_t{end - p} * kH * w * sizeof(double));
    for (int i = p * kH; i < std::min(end * kH, w); ++i) {
      x[kernels::PivotPosition<double>(w, i, i)] = -1.0;
    }
    for (; p < end; p += kStripsPerPiece) {
      const int last = std::min(p + kStripsPerPiece, end);
      const int64_t corner = int64_t{p} * kH * kH;
      // The factor's columns and rows from here on.
      kernels::EliminateFromStrips(w, 0, w - p * kH, num_strips,
                                   num_strips + last - p,
                                   work.factor + int64_t{p} * kH * w + corner);
      if (b == 0) continue;
      std::memset(work.y + int64_t{p} * kH * b, 0,
                  int64_t{last - p} * kH * b * sizeof(double));
      kernels::SubtractStripProduct({x + corner, w},
                                    {columns + size + corner, w}, w - p * kH, p,
                                    last, 0, b, {work.y, b});
    }
  });
}

void SelectedInverse::GatherBelow(const Front& front,
                                  const Execution& execution,
                                  double* inverse) const {
  const int n = front.width + front.below;
  const Front& parent = plan_.fronts[front.parent];
  const kernels::FrontMap map{plan_.position.data() + front.row_begin,
                              front.num_pivot_rows,
                              plan_.segments.data() + front.first_segment,
                              front.end_segment - front.first_segment};
  double* const c_bb =
      inverse + PivotRowsSize(front.width, n) + int64_t{kH} * front.width;
  constexpr int kSegmentsPerPiece = sparse_tuning::kInverseSegmentsPerPiece;
  ForPieces(
      execution, map.num_segments, kSegmentsPerPiece, [&](int first, int last) {
        kernels::GatherFromInverse(map, first, last, front.below, parent.width,
                                   parent.below, inverse_[front.parent].data(),
                                   {c_bb, n});
      });
}

void SelectedInverse::FillPivotRows(const Front& front,
                                    const Execution& execution,
                                    const Work& work) const {
  const int w = front.width, b = front.below, n = w + b;
  const int num_strips = NumStrips(w);
  double* const c_pp = work.inverse;
  double* const c_pb = work.inverse + int64_t{kH} * w;
  const double* const c_bb = c_pb + PivotRowsSize(w, n);
  std::memset(work.inverse, 0, PivotRowsSize(w, n) * sizeof(double));
  if (b > 0) {
    ForPieces(execution, b, kColumnsPerPiece, [&](int first, int last) {
      kernels::SubtractStripProduct({work.y, b}, {c_bb, n}, b, 0, num_strips,
                                    first, last, {c_pb, n});
    });
  }
  const double* const x = work.factor + kernels::FrontColumnsSize<double>(w, 0);
  const auto fill = [&](int p) {
    const int end = std::min(p + kStripsPerPiece, num_strips);
    const double* const corner = x + int64_t{p} * kH * kH;
    kernels::SubtractLowerStripProduct({corner, w}, {corner, w}, w - p * kH, p,
                                       end, w, {c_pp, n});
    if (b == 0) return;
    kernels::SubtractLowerStripProduct({work.y, b}, {c_pb, n}, b, p, end, w,
                                       {c_pp, n});
  };
  const int num_pieces = (num_strips + kStripsPerPiece - 1) / kStripsPerPiece;
  if (execution.IsSerial()) {
    for (int k = 0; k < num_pieces; ++k) fill(k * kStripsPerPiece);
    return;
  }
  std::vector<int64_t> cost(num_pieces + 1, 0);
  for (int k = 0; k < num_pieces; ++k) cost[k + 1] = cost[k] + k + 1;
  ParallelForByCost(execution, 0, num_pieces, cost.data(),
                    [&](int k) { fill(k * kStripsPerPiece); });
}

// The upper triangle of C_PP, and C_BP.
void SelectedInverse::Mirror(const Front& front, double* inverse) {
  const int w = front.width, b = front.below;
  for (int i = 0; i < w; ++i) {
    for (int j = 0; j < i; ++j) {
      inverse[kernels::FrontInversePosition(w, b, j, i)] =
          inverse[kernels::FrontInversePosition(w, b, i, j)];
    }
  }
  for (int first = 0; first < w; first += kH) {
    const int height = std::min(kH, w - first);
    for (int j = 0; j < b; ++j) {
      const double* const from =
          inverse + kernels::FrontInversePosition(w, b, first, w + j);
      double* const to =
          inverse + kernels::FrontInversePosition(w, b, w + j, first);
      for (int i = 0; i < height; ++i) to[i * kH] = from[i];
    }
  }
}

// The lower triangle of a block on the diagonal counts.
void SelectedInverse::WriteBlocks(int s, const double* inverse) const {
  const int w = plan_.fronts[s].width, b = plan_.fronts[s].below;
  for (int k = first_block_[s]; k < first_block_[s + 1]; ++k) {
    const FrontBlock& block = blocks_[k];
    const int row_step = block.is_transposed ? 1 : block.num_columns;
    const int column_step = block.is_transposed ? block.num_rows : 1;
    for (int i = 0; i < block.num_rows; ++i) {
      for (int j = 0; j < block.num_columns; ++j) {
        int row = block.row + i, column = block.column + j;
        if (row < column && column < w) std::swap(row, column);
        block.values[i * row_step + j * column_step] =
            -inverse[kernels::FrontInversePosition(w, b, row, column)];
      }
    }
  }
}

// A child of front s needs it no more.
void SelectedInverse::Release(int s) {
  if (num_waiting_[s].fetch_sub(1) == 1) arrays_.Give(std::move(inverse_[s]));
}

}  // namespace ceres::internal
