// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental/dynamic_front.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ceres/sparse/front_arithmetic.h"
#include "ceres/sparse/front_plan.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

using kernels::kFrontStrip;
using kernels::NumFrontStrips;

int Padded(int n) { return NumFrontStrips<double>(n) * kFrontStrip<double>; }

// Rounds up by at most an eighth. Few sizes let the pool use arrays again.
int64_t RoundedSize(int64_t size) {
  int64_t step = 64;
  while (16 * step <= size) step *= 2;
  return (size + step - 1) / step * step;
}

}  // namespace

int64_t EliminationCost(int width, int below) {
  const int64_t b = below, n = width + b;
  // A column with k rows below its pivot takes k (k + 1) / 2 operations. The
  // update matrix is added to the parent.
  const int64_t columns = ((n - 1) * n * (n + 1) - (b - 1) * b * (b + 1)) / 6;
  return columns + b * (b + 1) / 2 + SolveCost(width, below) +
         sparse_tuning::kDynamicFrontOpening;
}

int64_t SolveCost(int width, int below) {
  const int64_t w = width, b = below;
  return sparse_tuning::kDynamicSolvePerEntry * (w * (w + 1) / 2 + w * b) +
         sparse_tuning::kDynamicSolveOpening;
}

void DynamicFront::Allocate(int new_width, int new_below,
                            ArrayPool<double>* pool) {
  width = new_width;
  below = new_below;
  columns_size = kernels::FrontColumnsSize<double>(width, below);
  update_size = kernels::UpdateSize<double>(below);
  padded_width = Padded(width);
  padded_below = Padded(below);
  memory = pool->Take(RoundedSize(columns_size + update_size + padded_width +
                                  2 * padded_below));
}

void DynamicFront::Release(ArrayPool<double>* pool) {
  pool->Give(std::move(memory));
  exists = false;
  is_affected = is_new = is_stale = is_waiting = false;
  parent = -1;
  children.clear();
  terms.clear();
  pivots.clear();
  below_blocks.clear();
  energy = 0.0;
}

void FrontAssembly::Start(DynamicFront* front) {
  front_ = front;
  added_diagonal_ = nullptr;
  parts_.clear();
  place_.clear();
  segments_.clear();
  kernels::ClearColumns(front->width, front->below, front->columns());
  std::fill_n(front->forward(), front->padded_width, 0.0);
  std::fill_n(front->below_rhs(), front->padded_below, 0.0);
}

void FrontAssembly::AddChild(const DynamicFront& child,
                             const std::vector<int>& place) {
  Part part = {};
  part.child = &child;
  part.first_place = static_cast<int>(place_.size());
  part.num_rows = child.below;
  part.is_ascending = std::is_sorted(place.begin(), place.end());
  place_.insert(place_.end(), place.begin(), place.end());
  if (part.is_ascending) {
    part.num_pivot_rows = static_cast<int>(
        std::lower_bound(place.begin(), place.end(), front_->width) -
        place.begin());
    part.first_segment = static_cast<int>(segments_.size());
    kernels::AppendFrontSegments<double>(place.data(), child.below,
                                         front_->width, &segments_);
    part.num_segments = static_cast<int>(segments_.size()) - part.first_segment;
  }
  parts_.push_back(part);
}

void FrontAssembly::AddPacked(const double* values,
                              const std::vector<int>& place) {
  Part part = {};
  part.values = values;
  part.first_place = static_cast<int>(place_.size());
  part.num_rows = static_cast<int>(place.size());
  place_.insert(place_.end(), place.begin(), place.end());
  parts_.push_back(part);
}

kernels::FrontMap FrontAssembly::MapOf(const Part& part) const {
  return {place_.data() + part.first_place, part.num_pivot_rows,
          segments_.data() + part.first_segment, part.num_segments};
}

// Adds value(row, column) of the lower triangle of a part to the columns of the
// front, or what is not in these columns to its update matrix.
template <typename Value>
void FrontAssembly::Scatter(const Part& part, bool to_columns,
                            const Value& value) {
  const int w = front_->width;
  double* const columns = front_->columns();
  double* const update = front_->update();
  const int* const place = place_.data() + part.first_place;
  for (int c = 0; c < part.num_rows; ++c) {
    const int column = place[c];
    if (!to_columns && column < w) continue;
    for (int r = c; r < part.num_rows; ++r) {
      const int low = std::min(column, place[r]);
      const int high = std::max(column, place[r]);
      if ((low < w) != to_columns) continue;
      double& target =
          low >= w ? update[kernels::UpdatePosition<double>(high - w, low - w)]
          : high >= w
              ? columns[kernels::BelowPosition<double>(w, high - w, low)]
              : columns[kernels::PivotPosition<double>(w, high, low)];
      target += value(r, c);
    }
  }
}

void FrontAssembly::AddColumns(const Part& part) {
  const int* const place = place_.data() + part.first_place;
  const int w = front_->width;
  const double* rhs = nullptr;
  if (part.child == nullptr) {
    const double* const values = part.values;
    const int n = part.num_rows;
    rhs = values + n * (n + 1) / 2;
    Scatter(part, true, [values, n](int r, int c) {
      return values[c * n - c * (c - 1) / 2 + r - c];
    });
  } else {
    const double* const update = part.child->update();
    rhs = part.child->below_rhs();
    if (part.is_ascending) {
      kernels::AddToColumns(MapOf(part), update, w, front_->columns());
    } else {
      Scatter(part, true, [update](int r, int c) {
        return update[kernels::UpdatePosition<double>(r, c)];
      });
    }
  }
  for (int r = 0; r < part.num_rows; ++r) {
    if (place[r] < w) {
      front_->forward()[place[r]] += rhs[r];
    } else {
      front_->below_rhs()[place[r] - w] += rhs[r];
    }
  }
}

void FrontAssembly::AddUpdates(const Part& part) {
  if (part.child == nullptr) {
    const double* const values = part.values;
    const int n = part.num_rows;
    Scatter(part, false, [values, n](int r, int c) {
      return values[c * n - c * (c - 1) / 2 + r - c];
    });
    return;
  }
  const double* const update = part.child->update();
  if (part.is_ascending) {
    kernels::AddToUpdate(MapOf(part), update, front_->width, front_->update());
    return;
  }
  Scatter(part, false, [update](int r, int c) {
    return update[kernels::UpdatePosition<double>(r, c)];
  });
}

// f(index, element) for the diagonal of the pivot rows.
template <typename F>
void FrontAssembly::ForDiagonal(const F& f) {
  constexpr int h = kFrontStrip<double>;
  const int w = front_->width;
  double* strip = front_->columns();
  for (int first = 0; first < w; first += h, strip += h * (w + h)) {
    const int size = std::min(h, w - first);
    for (int k = 0; k < size; ++k) f(first + k, strip[k * (h + 1)]);
  }
}

int FrontAssembly::FindFailedPivot(const Execution& execution) {
  if (static_cast<int>(assembled_diagonal_.size()) < front_->width) {
    assembled_diagonal_.resize(2 * front_->width);
  }
  double* const assembled = assembled_diagonal_.data();
  if (added_diagonal_ != nullptr) {
    ForDiagonal([&](int i, double& pivot) { pivot += added_diagonal_[i]; });
  }
  ForDiagonal([assembled](int i, double pivot) { assembled[i] = pivot; });
  Front shape = {};
  shape.width = front_->width;
  shape.below = front_->below;
  int failed =
      EliminateFront(execution, shape, front_->columns(), front_->update());
  if (failed != kNoFailedPivot) return failed;
  // A factored pivot is stored as its inverse.
  constexpr double kLargest = 1.0 / sparse_tuning::kSmallestPivot;
  double largest = 0.0;
  ForDiagonal([&](int i, double inverse) {
    largest = std::max(largest, inverse * inverse * assembled[i]);
  });
  if (largest < kLargest) return kNoFailedPivot;
  ForDiagonal([&](int i, double inverse) {
    const bool fails = !(inverse * inverse * assembled[i] < kLargest);
    if (fails && failed == kNoFailedPivot) failed = i;
  });
  return failed;
}

int FrontAssembly::Eliminate(const Execution& execution) {
  DynamicFront& f = *front_;
  for (const Part& part : parts_) AddColumns(part);
  const int failed = FindFailedPivot(execution);
  if (failed != kNoFailedPivot) return failed;
  for (const Part& part : parts_) AddUpdates(part);
  double* const product = f.used();
  kernels::SolveForward(f.width, f.below, f.columns(), f.forward(), product);
  for (int i = 0; i < f.below; ++i) f.below_rhs()[i] -= product[i];
  std::fill_n(f.used(), f.padded_below, 0.0);
  double sum = 0.0;
  for (int i = 0; i < f.width; ++i) sum += f.forward()[i] * f.forward()[i];
  f.energy = 0.5 * sum;
  return kNoFailedPivot;
}

}  // namespace ceres::internal
