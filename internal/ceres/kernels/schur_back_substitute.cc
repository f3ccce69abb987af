// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/packed_cholesky.h"
#include "ceres/kernels/schur_kernels.h"
#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/schur_back_substitute.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/panel_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename Size>
HWY_INLINE double DotProduct(Size n, const double* a, const double* x) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * x[i];
  return sum;
}

// t = F z of the cells [begin, end) of a row of m residuals.
HWY_INLINE void RowProduct(const SchurView& view, const double* record, int m,
                           int begin, int end, const double* step, double* t) {
  std::fill_n(t, m, 0.0);
  for (int c = begin; c < end; ++c) {
    const int column = view.column_offset[view.cell_column[c]];
    const int f = view.column_offset[view.cell_column[c] + 1] - column;
    const double* cell = record + view.cell_position[c];
    for (int k = 0; k < m; ++k)
      t[k] += DotProduct(f, cell + k * f, step + column);
  }
}

// g += E'(r + t)
template <typename Rows, typename Size>
HWY_INLINE void AddGradient(Rows m, Size e, const double* cell, const double* r,
                            const double* t, double* g) {
  for (int k = 0; k < m; ++k) {
    const double value = r[k] + t[k];
    for (int i = 0; i < e; ++i) g[i] += cell[k * e + i] * value;
  }
}

// - m'(r + m / 2) with m = E y + t.
template <typename Rows, typename Size>
HWY_INLINE double Decrease(Rows m, Size e, const double* cell, const double* r,
                           const double* t, const double* y) {
  double sum = 0.0;
  for (int k = 0; k < m; ++k) {
    const double model = t[k] + DotProduct(e, cell + k * e, y);
    sum -= model * (r[k] + 0.5 * model);
  }
  return sum;
}

// y = - L'^-1 L^-1 g
template <typename Size>
HWY_INLINE void SolvePoint(Size e, const double* l, double* g, double* y) {
  PackedForwardSolve(e, l, 1, g);
  PackedBackwardSolve(e, l, g);
  for (int i = 0; i < e; ++i) y[i] = -g[i];
}

double BackSubstituteAny(const SchurView& view, const double* factor, int begin,
                         int end, double* scratch, double* step) {
  double decrease = 0.0;
  for (int point = begin; point < end; ++point) {
    const int column = view.column_offset[point];
    const int e = view.column_offset[point + 1] - column;
    const int row_begin = view.eliminated_first_row[point];
    const int row_end = view.eliminated_first_row[point + 1];
    double* g = scratch;
    double* t = g + e;
    std::fill_n(g, e, 0.0);
    for (int row = row_begin; row < row_end; ++row) {
      const double* record = view.values + view.record_offset[row];
      const int m = view.row_offset[row + 1] - view.row_offset[row];
      const int first_cell = view.first_cell[row];
      RowProduct(view, record, m, first_cell + 1, view.first_cell[row + 1],
                 step, t);
      AddGradient(m, e, record + view.cell_position[first_cell], record, t, g);
      t += m;
    }
    SolvePoint(e, factor + view.factor_offset[point], g, step + column);
    t = g + e;
    for (int row = row_begin; row < row_end; ++row) {
      const double* record = view.values + view.record_offset[row];
      const int m = view.row_offset[row + 1] - view.row_offset[row];
      decrease +=
          Decrease(m, e, record + view.cell_position[view.first_cell[row]],
                   record, t, step + column);
      t += m;
    }
  }
  return decrease;
}

// a'x, whole vectors first; the order of the sum depends on the instruction set
// and on kSize.
template <int kSize>
HWY_INLINE double LaneProduct(const double* a, const double* x) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  double sum = 0.0;
  int q = 0;
  if (kSize >= lanes) {
    PanelVec sums = hn::Mul(hn::LoadU(d, a), hn::LoadU(d, x));
    for (q = lanes; q + lanes <= kSize; q += lanes) {
      sums = hn::MulAdd(hn::LoadU(d, a + q), hn::LoadU(d, x + q), sums);
    }
    sum = hn::GetLane(hn::SumOfLanes(d, sums));
  }
  for (; q < kSize; ++q) sum += a[q] * x[q];
  return sum;
}

// Points are put back in batches, stage by stage: the chain of a point
// (products with z, gradient, two triangular solves, decrease) is longer than
// what a core looks ahead, and those of several points overlap. A batch's
// records stay in the first-level cache.
constexpr int kBatchPoints = 8;
constexpr int kBatchRows = 48;
// Records are fetched so many doubles ahead: the points of large scenes come
// from memory, and one batch is less than its latency.
constexpr int kFetchAhead = 512;

template <int kM, int kE, int kF>
struct ShapeBatch {
  static constexpr int kRecord = kM * (1 + kE + kF);

  // The points from `first` on that fit, one at least; `long_t` is where the
  // products of a point with many rows go.
  ShapeBatch(const SchurView& view, int first, int limit, double* long_t)
      : view(view), begin(first), end(first + 1), t(short_t) {
    const int* row = view.eliminated_first_row;
    limit = std::min(limit, first + kBatchPoints);
    while (end < limit && row[end + 1] - row[first] <= kBatchRows) ++end;
    row_begin = row[first];
    if (row[end] - row_begin > kBatchRows) t = long_t;
  }

  const double* Records(int point) const {
    return view.values + view.record_offset[view.eliminated_first_row[point]];
  }

  // t = F z of all rows; g = E'(r + t) of all points.
  HWY_INLINE void FormGradients(const double* step) {
    for (int point = begin; point < end; ++point) {
      // Local: what may lie where t does would go through memory.
      double sum[kE] = {};
      const double* record = Records(point);
      for (int row = view.eliminated_first_row[point];
           row < view.eliminated_first_row[point + 1]; ++row) {
        for (int q = 0; q < kRecord; q += kPanelWidth) {
          hwy::Prefetch(record + kFetchAhead + q);
        }
        const int column = view.cell_column[view.first_cell[row] + 1];
        const double* z = step + view.column_offset[column];
        const double* f = record + kM + kM * kE;
        double t_row[kM];
        for (int k = 0; k < kM; ++k) {
          t_row[k] = LaneProduct<kF>(f + k * kF, z);
        }
        AddGradient(kM, kE, record + kM, record, t_row, sum);
        for (int k = 0; k < kM; ++k) t[(row - row_begin) * kM + k] = t_row[k];
        record += kRecord;
      }
      for (int i = 0; i < kE; ++i) g[point - begin][i] = sum[i];
    }
  }

  // y into the step, and into g. Element by element: wider loads would wait for
  // the stores before them.
  HWY_INLINE void Solve(const double* factor, double* step) {
    for (int point = begin; point < end; ++point) {
      double* y = step + view.column_offset[point];
      double* g_p = g[point - begin];
      double solution[kE];
      for (int i = 0; i < kE; ++i) solution[i] = g_p[i];
      const double* l = factor + view.factor_offset[point];
      PackedForwardSolve(kE, l, 1, solution);
      PackedBackwardSolve(kE, l, solution);
      for (int i = 0; i < kE; ++i) {
        y[i] = -solution[i];
        g_p[i] = -solution[i];
      }
    }
  }

  HWY_INLINE double DecreaseOfModel() const {
    double decrease = 0.0;
    for (int point = begin; point < end; ++point) {
      const double* record = Records(point);
      double of_point = 0.0;
      for (int row = view.eliminated_first_row[point];
           row < view.eliminated_first_row[point + 1]; ++row) {
        of_point += Decrease(kM, kE, record + kM, record,
                             t + (row - row_begin) * kM, g[point - begin]);
        record += kRecord;
      }
      decrease += of_point;
    }
    return decrease;
  }

  const SchurView& view;
  int begin;
  int end;
  int row_begin;
  double* t;
  double g[kBatchPoints][kE];
  double short_t[kBatchRows * kM];
};

template <int kM, int kE, int kF>
double BackSubstituteShape(const SchurView& view, const double* factor,
                           int begin, int end, double* t, double* step) {
  double decrease = 0.0;
  for (int point = begin; point < end;) {
    ShapeBatch<kM, kE, kF> batch(view, point, end, t);
    batch.FormGradients(step);
    batch.Solve(factor, step);
    decrease += batch.DecreaseOfModel();
    point = batch.end;
  }
  return decrease;
}

double BackSubstituteOfTarget(const SchurView& view, const double* factor,
                              SchurShape shape, int begin, int end,
                              double* scratch, double* step) {
  switch (shape) {
    case SchurShape::k2x3x6:
      return BackSubstituteShape<2, 3, 6>(view, factor, begin, end, scratch,
                                          step);
    case SchurShape::k2x3x9:
      return BackSubstituteShape<2, 3, 9>(view, factor, begin, end, scratch,
                                          step);
    case SchurShape::k2x3x10:
      return BackSubstituteShape<2, 3, 10>(view, factor, begin, end, scratch,
                                           step);
    case SchurShape::kDynamic:
      break;
  }
  return BackSubstituteAny(view, factor, begin, end, scratch, step);
}

double RowsDecreaseOfTarget(const SchurView& view, int begin, int end,
                            double* scratch, const double* step) {
  double decrease = 0.0;
  for (int row = begin; row < end; ++row) {
    const double* record = view.values + view.record_offset[row];
    const int m = view.row_offset[row + 1] - view.row_offset[row];
    RowProduct(view, record, m, view.first_cell[row], view.first_cell[row + 1],
               step, scratch);
    for (int k = 0; k < m; ++k) {
      decrease -= scratch[k] * (record[k] + 0.5 * scratch[k]);
    }
  }
  return decrease;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(BackSubstituteOfTarget);
HWY_EXPORT(RowsDecreaseOfTarget);

double BackSubstitutePoints(const SchurView& view, const double* factor,
                            SchurShape shape, int begin, int end,
                            double* scratch, double* step) {
  return HWY_DYNAMIC_DISPATCH(BackSubstituteOfTarget)(
      view, factor, shape, begin, end, scratch, step);
}

double RowsModelCostChange(const SchurView& view, int begin, int end,
                           double* scratch, const double* step) {
  return HWY_DYNAMIC_DISPATCH(RowsDecreaseOfTarget)(view, begin, end, scratch,
                                                    step);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
