// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/front_solver.h"

#include <algorithm>

#include "ceres/base/intrinsics.h"
#include "ceres/kernels/front_kernels.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

template <typename T>
int64_t PaddedSize(int rows) {
  return int64_t{kernels::NumFrontStrips<T>(rows)} * kernels::kFrontStrip<T>;
}

}  // namespace

template <typename T>
FrontSolver<T>::FrontSolver(const FrontPlan<T>& plan, const T* columns)
    : plan_(plan), columns_(columns) {
  int64_t size = 0;
  begin_.reserve(plan.fronts.size());
  for (const Front& front : plan.fronts) {
    begin_.push_back(size);
    size += PaddedSize<T>(front.width) + PaddedSize<T>(front.below);
  }
  values_ = LineArray<T>(size);
  // Padding is read.
  std::fill_n(values_.data(), size, T(0));
}

template <typename T>
T* FrontSolver<T>::BelowPart(int s) const {
  return PivotPart(s) + PaddedSize<T>(plan_.fronts[s].width);
}

template <typename T>
void FrontSolver<T>::Forward(int s, const double* b) {
  const Front& front = plan_.fronts[s];
  const int* const rows = plan_.permutation.data() + front.first_column;
  T* const x = PivotPart(s);
  T* const u = BelowPart(s);
  for (int i = 0; i < front.width; ++i) x[i] = static_cast<T>(b[rows[i]]);
  for (int k = front.first_child; k < front.end_child; ++k) {
    const Front& child = plan_.fronts[plan_.child[k]];
    const int* const position = plan_.position.data() + child.row_begin;
    const T* const from = BelowPart(plan_.child[k]);
    for (int i = 0; i < child.num_pivot_rows; ++i) x[position[i]] -= from[i];
  }
  kernels::SolveForward(front.width, front.below,
                        columns_ + front.columns_begin, x, u);
  for (int k = front.first_child; k < front.end_child; ++k) {
    const Front& child = plan_.fronts[plan_.child[k]];
    const int* const position = plan_.position.data() + child.row_begin;
    const T* const from = BelowPart(plan_.child[k]);
    for (int i = child.num_pivot_rows; i < child.below; ++i) {
      u[position[i] - front.width] += from[i];
    }
  }
}

template <typename T>
void FrontSolver<T>::FetchColumns(int s) const {
  constexpr int64_t kLine = kernels::kFrontStrip<T>;
  const Front& front = plan_.fronts[s];
  const int64_t size =
      std::min(kernels::FrontColumnsSize<T>(front.width, front.below),
               sparse_tuning::kPrefetchedLines * kLine);
  const T* const columns = columns_ + front.columns_begin;
  for (int64_t i = 0; i < size; i += kLine) {
    base::PrefetchForReading(columns + i);
  }
}

template <typename T>
void FrontSolver<T>::Backward(int s, double* solution) {
  const Front& front = plan_.fronts[s];
  if (s > 0) FetchColumns(s - 1);
  T* const x = PivotPart(s);
  T* const below = BelowPart(s);
  if (front.parent != -1) {
    const int* const position = plan_.position.data() + front.row_begin;
    const int parent_width = plan_.fronts[front.parent].width;
    const T* const pivots = PivotPart(front.parent);
    const T* const others = BelowPart(front.parent) - parent_width;
    for (int i = 0; i < front.num_pivot_rows; ++i) {
      below[i] = pivots[position[i]];
    }
    for (int i = front.num_pivot_rows; i < front.below; ++i) {
      below[i] = others[position[i]];
    }
  }
  kernels::SolveBackward(front.width, front.below,
                         columns_ + front.columns_begin, below, x);
  const int* const rows = plan_.permutation.data() + front.first_column;
  for (int i = 0; i < front.width; ++i) {
    solution[rows[i]] = static_cast<double>(x[i]);
  }
}

template class FrontSolver<double>;
template class FrontSolver<float>;

}  // namespace ceres::internal
