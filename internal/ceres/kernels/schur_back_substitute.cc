// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "ceres/base/intrinsics.h"
#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/kernels_tuning.h"
#include "ceres/kernels/packed_cholesky.h"
#include "ceres/kernels/schur_kernels.h"
#include "hwy/cache_control.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/schur_back_substitute.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/lane_transposes-inl.h"
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
HWY_INLINE void RowProduct(const SchurView& view, const double* row_block,
                           int m, int begin, int end, const double* step,
                           double* t) {
  std::fill_n(t, m, 0.0);
  for (int c = begin; c < end; ++c) {
    const int column = view.column_offset[view.cell_column[c]];
    const int f = view.column_offset[view.cell_column[c] + 1] - column;
    const double* cell = row_block + view.cell_position[c];
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
      const double* row_block = view.values + view.row_block_offset[row];
      const int m = view.row_offset[row + 1] - view.row_offset[row];
      const int first_cell = view.first_cell[row];
      RowProduct(view, row_block, m, first_cell + 1, view.first_cell[row + 1],
                 step, t);
      AddGradient(m, e, row_block + view.cell_position[first_cell], row_block,
                  t, g);
      t += m;
    }
    SolvePoint(e, factor + view.factor_offset[point], g, step + column);
    t = g + e;
    for (int row = row_begin; row < row_end; ++row) {
      const double* row_block = view.values + view.row_block_offset[row];
      const int m = view.row_offset[row + 1] - view.row_offset[row];
      decrease +=
          Decrease(m, e, row_block + view.cell_position[view.first_cell[row]],
                   row_block, t, step + column);
      t += m;
    }
  }
  return decrease;
}

// Sizes of the shapes with code of their own. A row block is r, E, F; rows of a
// run lie one behind the other, and each has two cells.
constexpr int kM = 2;
constexpr int kE = 3;
// r and E.
constexpr int kHead = kM + kM * kE;

// n doubles from p on, and zeros. Nothing behind them is read.
template <int n>
HWY_INLINE PanelVec LoadFirst(const double* p) {
  const PanelTag d;
  if constexpr (n == kPanelLanes) {
    return hn::LoadU(d, p);
  } else if constexpr (kPanelLanes == 2) {
    return hn::IfThenElseZero(hn::FirstN(d, 1), hn::Set(d, *p));
  } else {
    return hn::MaskedLoad(hn::FirstN(d, n), d, p);
  }
}

// The lanes of a'x, to be summed.
template <int kSize>
HWY_INLINE PanelVec LaneProducts(const double* a, const double* x) {
  constexpr int kFirst = std::min(kSize, kPanelLanes);
  PanelVec sums = hn::Mul(LoadFirst<kFirst>(a), LoadFirst<kFirst>(x));
  constexpr int kWhole = kSize / kPanelLanes * kPanelLanes;
  const PanelTag d;
  for (int q = kPanelLanes; q < kWhole; q += kPanelLanes) {
    sums = hn::MulAdd(hn::LoadU(d, a + q), hn::LoadU(d, x + q), sums);
  }
  constexpr int kTail = kSize - kWhole;
  if constexpr (kWhole > 0 && kTail > 0) {
    sums = hn::MulAdd(LoadFirst<kTail>(a + kWhole),
                      LoadFirst<kTail>(x + kWhole), sums);
  }
  return sums;
}

// Points are substituted in batches, stage by stage, with rows or points in
// lanes. The dependent operations of one point (products with z, gradient, two
// triangular solves, decrease) are more than a core executes out of order, and
// its rows fill no vector. A point with more rows than kBackSubstituteRows is
// in no batch.
static_assert(kBackSubstitutePoints % kPanelWidth == 0, "");
static_assert(kBackSubstituteRows % kPanelWidth == 0, "");

template <int kF>
class ShapeBatches {
 public:
  // For points before `limit`.
  ShapeBatches(const SchurView& view, const double* factor, int limit,
               double* step)
      : view_(view),
        first_row_(view.eliminated_first_row),
        factor_(factor),
        limit_(limit),
        step_(step) {}

  // The points from `first` on that fit. Returns the first that does not.
  HWY_INLINE int Run(int first) {
    const int limit = std::min(limit_, first + kBackSubstitutePoints);
    int end = first;
    while (end < limit &&
           first_row_[end + 1] - first_row_[first] <= kBackSubstituteRows)
      ++end;
    const int num_rows = first_row_[end] - first_row_[first];
    for (int q = 0; q < num_rows; q += kPanelLanes) {
      FormGradients(first_row_[first] + q, q);
    }
    for (int point = first; point < end; point += kPanelLanes) {
      SolvePoints(point, std::min(end, point + kPanelLanes), first_row_[first]);
    }
    for (int q = 0; q < num_rows; q += kPanelLanes) {
      AddDecrease(q, std::min(num_rows - q, kPanelLanes));
    }
    return end;
  }

  double decrease() const {
    return hn::GetLane(hn::SumOfLanes(PanelTag(), decrease_));
  }

 private:
  static constexpr int kRowBlock = kHead + kM * kF;

  // The rows [row, row + kPanelLanes), which are at q of the batch. Rows of the
  // next batch do no harm; where there are none, there are copies.
  HWY_INLINE void FormGradients(int row, int q) {
    const double* row_blocks = view_.values + view_.row_block_offset[row];
    const int* cells = view_.cell_column + view_.first_cell[row] + 1;
    const int rows_left = first_row_[limit_] - row;
    if (HWY_LIKELY(rows_left >= kPanelLanes)) {
      FormGradients(row_blocks, row_blocks, cells, q);
      return;
    }
    double last_row_blocks[kPanelLanes * kRowBlock];
    int last_cells[2 * kPanelLanes];
    for (int i = 0; i < kPanelLanes; ++i) {
      const int k = std::min(i, rows_left - 1);
      std::copy_n(row_blocks + k * kRowBlock, kRowBlock,
                  last_row_blocks + i * kRowBlock);
      last_cells[2 * i] = cells[2 * k];
    }
    FormGradients(last_row_blocks, row_blocks, last_cells, q);
  }

  // t = F z and E'(r + t). Prefetches ahead of `place`. A call for
  // each vector: inlined into a loop, GCC keeps a pointer for each line, on the
  // stack.
  HWY_NOINLINE void FormGradients(const double* row_blocks, const double* place,
                                  const int* cells, int q) {
    const PanelTag d;
    PanelVec head[kHead];
    for (int h = 0; h < kHead; h += kPanelLanes) {
      for (int i = 0; i < kPanelLanes; ++i) {
        head[h + i] = hn::LoadU(d, row_blocks + i * kRowBlock + h);
      }
      TransposeLanes(head + h);
    }
    for (int h = 0; h < kHead; ++h) hn::Store(head[h], d, head_[h] + q);
    const PanelVecs<kM> t = SumsOfLanes([&](int i) HWY_ATTR {
      const double* f = row_blocks + i * kRowBlock + kHead;
      const double* z = step_ + view_.column_offset[cells[2 * i]];
      // The lines that begin in this row block.
      for (int line = (i * kRowBlock + kPanelWidth - 1) / kPanelWidth;
           line < ((i + 1) * kRowBlock + kPanelWidth - 1) / kPanelWidth;
           ++line) {
        const double* lines = place + line * kPanelWidth;
        hwy::Prefetch(lines + kFetchAhead);
        CERES_PREFETCH_FAR(lines + kFetchFarAhead);
      }
      PanelVecs<kM> products;
      products.v[0] = LaneProducts<kF>(f, z);
      products.v[1] = LaneProducts<kF>(f + kF, z);
      return products;
    });
    PanelVec v[kM];
    for (int k = 0; k < kM; ++k) {
      hn::Store(t.v[k], d, t_[k] + q);
      v[k] = hn::Add(head[k], t.v[k]);
    }
    for (int i = 0; i < kE; ++i) {
      const PanelVec g = hn::Mul(head[kM + i], v[0]);
      hn::Store(hn::MulAdd(head[kM + kE + i], v[1], g), d, gradient_[i] + q);
    }
  }

  // y of the points [first, end), into the step and beside each of their rows.
  HWY_INLINE void SolvePoints(int first, int end, int batch_row) {
    const PanelTag d;
    const auto row = [&](int i) HWY_ATTR {
      return first_row_[std::min(first + i, end)] - batch_row;
    };
    const int n = end - first;
    const PanelVecs<kE> y = Solve(factor_ + view_.factor_offset[first], n,
                                  SumsOfLanes([&](int i) HWY_ATTR {
                                    return RowsOfGradient(row(i), row(i + 1));
                                  }));
    HWY_ALIGN double of_points[kE][kPanelLanes];
    for (int k = 0; k < kE; ++k) hn::Store(y.v[k], d, of_points[k]);
    double* step = step_ + view_.column_offset[first];
    for (int i = 0; i < n; ++i, step += kE) {
      PanelVec y_i[kE];
      for (int k = 0; k < kE; ++k) {
        step[k] = of_points[k][i];
        y_i[k] = hn::Set(d, of_points[k][i]);
      }
      // Two vectors at least, so that branches are predicted. The next
      // point overwrites the doubles written behind the point's rows.
      const int row_end = row(i + 1);
      int q = row(i);
      do {
        for (int k = 0; k < kE; ++k) {
          hn::StoreU(y_i[k], d, y_[k] + q);
          hn::StoreU(y_i[k], d, y_[k] + q + kPanelLanes);
        }
        q += 2 * kPanelLanes;
      } while (q < row_end);
    }
  }

  // y = - L'^-1 L^-1 g of n points, whose factors are at `factor`.
  HWY_INLINE PanelVecs<kE> Solve(const double* factor, int n,
                                 const PanelVecs<kE>& g) {
    const PanelTag d;
    PanelVec l[kPanelWidth];
    for (int h = 0; h < kPanelWidth; h += kPanelLanes) {
      for (int i = 0; i < kPanelLanes; ++i) {
        const int point = std::min(i, n - 1);
        l[h + i] = hn::LoadU(d, factor + point * PackedSize(kE) + h);
      }
      TransposeLanes(l + h);
    }
    const PanelVec w0 = hn::Mul(g.v[0], l[0]);
    const PanelVec w1 = hn::Mul(hn::NegMulAdd(l[1], w0, g.v[1]), l[2]);
    const PanelVec w2 =
        hn::Mul(hn::NegMulAdd(l[4], w1, hn::NegMulAdd(l[3], w0, g.v[2])), l[5]);
    const PanelVec x2 = hn::Mul(w2, l[5]);
    const PanelVec x1 = hn::Mul(hn::NegMulAdd(l[4], x2, w1), l[2]);
    const PanelVec x0 =
        hn::Mul(hn::NegMulAdd(l[1], x1, hn::NegMulAdd(l[3], x2, w0)), l[0]);
    PanelVecs<kE> y;
    y.v[0] = hn::Neg(x0);
    y.v[1] = hn::Neg(x1);
    y.v[2] = hn::Neg(x2);
    return y;
  }

  // The gradients of the rows [begin, end), to be summed over the lanes.
  HWY_INLINE PanelVecs<kE> RowsOfGradient(int begin, int end) {
    const PanelTag d;
    PanelVecs<kE> rows;
    const auto first = hn::FirstN(d, static_cast<size_t>(end - begin));
    for (int i = 0; i < kE; ++i) {
      rows.v[i] = hn::MaskedLoad(first, d, gradient_[i] + begin);
    }
    for (int q = begin + kPanelLanes; q < end; q += kPanelLanes) {
      const auto next = hn::FirstN(d, static_cast<size_t>(end - q));
      for (int i = 0; i < kE; ++i) {
        rows.v[i] =
            hn::Add(rows.v[i], hn::MaskedLoad(next, d, gradient_[i] + q));
      }
    }
    return rows;
  }

  // - m'(r + m / 2) with m = E y + t, of the n rows from q on.
  HWY_INLINE void AddDecrease(int q, int n) {
    const PanelTag d;
    PanelVec sum = hn::Zero(d);
    for (int k = 0; k < kM; ++k) {
      PanelVec model = hn::Load(d, t_[k] + q);
      for (int i = 0; i < kE; ++i) {
        model = hn::MulAdd(hn::Load(d, head_[kM + k * kE + i] + q),
                           hn::Load(d, y_[i] + q), model);
      }
      const PanelVec middle =
          hn::MulAdd(hn::Set(d, 0.5), model, hn::Load(d, head_[k] + q));
      sum = hn::NegMulAdd(model, middle, sum);
    }
    decrease_ =
        hn::Add(decrease_,
                hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(n)), sum));
  }

  const SchurView view_;
  const int* const first_row_;
  const double* const factor_;
  const int limit_;
  double* const step_;
  PanelVec decrease_ = hn::Zero(PanelTag());
  // By row of the batch.
  HWY_ALIGN double head_[kHead][kBackSubstituteRows];
  HWY_ALIGN double t_[kM][kBackSubstituteRows];
  HWY_ALIGN double gradient_[kE][kBackSubstituteRows + kPanelWidth];
  HWY_ALIGN double y_[kE][kBackSubstituteRows + 2 * kPanelWidth];
};

template <int kF>
double BackSubstituteShape(const SchurView& view, const double* factor,
                           int begin, int end, double* scratch, double* step) {
  ShapeBatches<kF> batches(view, factor, end, step);
  double of_long_points = 0.0;
  for (int point = begin; point < end;) {
    const int next = batches.Run(point);
    if (next == point) {
      of_long_points +=
          BackSubstituteAny(view, factor, point, point + 1, scratch, step);
    }
    point = std::max(next, point + 1);
  }
  return batches.decrease() + of_long_points;
}

double BackSubstituteOfTarget(const SchurView& view, const double* factor,
                              SchurShape shape, int begin, int end,
                              double* scratch, double* step) {
  switch (shape) {
    case SchurShape::k2x3x6:
      return BackSubstituteShape<6>(view, factor, begin, end, scratch, step);
    case SchurShape::k2x3x9:
      return BackSubstituteShape<9>(view, factor, begin, end, scratch, step);
    case SchurShape::k2x3x10:
      return BackSubstituteShape<10>(view, factor, begin, end, scratch, step);
    case SchurShape::kDynamic:
      break;
  }
  return BackSubstituteAny(view, factor, begin, end, scratch, step);
}

double RowsDecreaseOfTarget(const SchurView& view, int begin, int end,
                            double* scratch, const double* step) {
  double decrease = 0.0;
  for (int row = begin; row < end; ++row) {
    const double* row_block = view.values + view.row_block_offset[row];
    const int m = view.row_offset[row + 1] - view.row_offset[row];
    RowProduct(view, row_block, m, view.first_cell[row],
               view.first_cell[row + 1], step, scratch);
    for (int k = 0; k < m; ++k) {
      decrease -= scratch[k] * (row_block[k] + 0.5 * scratch[k]);
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
