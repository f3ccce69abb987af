// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The factorization of points that several kernels share, compiled once per
// instruction set. Include after hwy/foreach_target.h and hwy/highway.h.

#if defined(CERES_INTERNAL_KERNELS_SCHUR_POINTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_SCHUR_POINTS_INL_H_
#undef CERES_INTERNAL_KERNELS_SCHUR_POINTS_INL_H_
#else
#define CERES_INTERNAL_KERNELS_SCHUR_POINTS_INL_H_
#endif

#include <algorithm>
#include <limits>

#include "ceres/kernels/packed_cholesky.h"
#include "ceres/kernels/panel_products-inl.h"
#include "ceres/kernels/schur_kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

// B += E'E (packed lower triangle), g += E'r.
template <typename Size>
HWY_INLINE void AddNormalEquations(int m, Size e, const double* cell,
                                   const double* r, double* b, double* g) {
  for (int k = 0; k < m; ++k) {
    const double* row = cell + k * e;
    for (int i = 0; i < e; ++i) {
      for (int j = 0; j <= i; ++j) b[PackedPosition(i, j)] += row[i] * row[j];
      g[i] += row[i] * r[k];
    }
  }
}

// B = D^2, g = 0.
template <typename Size>
HWY_INLINE void SetDamping(Size e, const double* damping, double* b,
                           double* g) {
  std::fill_n(b, PackedSize(e), 0.0);
  std::fill_n(g, e, 0.0);
  if (damping == nullptr) return;
  for (int i = 0; i < e; ++i) {
    b[PackedPosition(i, i)] = damping[i] * damping[i];
  }
}

// t = L^-1 E' (e x m).
template <typename Size>
HWY_INLINE void SolveTransposed(int m, Size e, const double* l,
                                const double* cell, double* t) {
  for (int i = 0; i < e; ++i) {
    for (int k = 0; k < m; ++k) t[i * m + k] = cell[k * e + i];
  }
  PackedForwardSolve(e, l, m, t);
}

// L (its diagonal inverted) and w of one point with a SchurShape, e = 3.
struct PointFactor {
  // (s, t, u) = L^-1 (x, y, z).
  HWY_INLINE void Solve(double x, double y, double z, double* s, double* t,
                        double* u) const {
    *s = x * l00;
    *t = (y - l10 * *s) * l11;
    *u = (z - l20 * *s - l21 * *t) * l22;
  }
  // t = L^-1 E' (3 x kM).
  template <int kM>
  HWY_INLINE void SolveTransposed(const double* cell, double* t) const {
    for (int m = 0; m < kM; ++m) {
      Solve(cell[3 * m], cell[3 * m + 1], cell[3 * m + 2], t + m, t + kM + m,
            t + 2 * kM + m);
    }
  }

  double l00, l10, l11, l20, l21, l22;
  double w[3];
};

// Eight points with a SchurShape, e = 3, that are factored together. The chain
// of square roots and divisions of eight points takes as long as that of one.
struct PointLanes {
  static constexpr int kPoints = kPanelWidth;

  // B = E'E + D^2 and g = E'r of k row blocks.
  template <int kM, int kF>
  HWY_INLINE void Set(int lane, const double* damping, int k,
                      const double* row_block) {
    static_assert(kM == 2, "");
    constexpr int kRowBlock = kM * (1 + 3 + kF);
    HWY_ALIGN double squares[kPoints], neighbours[kPoints], ends[kPoints],
        gradient[kPoints];
    const PanelTag d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    // Products of the line x y z x' y' z' of a row block with itself, moved by
    // no place, by one and by two, need no lane moved; those that mix residuals
    // are left.
    for (int h = 0; h < kPoints; h += lanes) {
      PanelVec square = hn::Zero(d), neighbour = square, end = square,
               g = square;
      const auto is_first = hn::Lt(hn::Iota(d, h), hn::Set(d, 3));
      const double* line = row_block + kM + h;
      for (int i = 0; i < k; ++i, line += kRowBlock) {
        const double* const r = line - kM - h;
        const PanelVec v = hn::LoadU(d, line);
        square = hn::MulAdd(v, v, square);
        neighbour = hn::MulAdd(v, hn::LoadU(d, line + 1), neighbour);
        end = hn::MulAdd(v, hn::LoadU(d, line + 2), end);
        g = hn::MulAdd(
            v, hn::IfThenElse(is_first, hn::Set(d, r[0]), hn::Set(d, r[1])), g);
      }
      hn::Store(square, d, squares + h),
          hn::Store(neighbour, d, neighbours + h);
      hn::Store(end, d, ends + h), hn::Store(g, d, gradient + h);
    }
    const auto sum = [](const double* of) { return of[0] + of[3]; };
    l[0][lane] = sum(squares), l[2][lane] = sum(squares + 1);
    l[5][lane] = sum(squares + 2);
    l[1][lane] = sum(neighbours), l[4][lane] = sum(neighbours + 1);
    l[3][lane] = sum(ends);
    for (int i = 0; i < 3; ++i) w[i][lane] = sum(gradient + i);
    if (damping != nullptr) {
      for (int i = 0; i < 3; ++i) {
        l[PackedPosition(i, i)][lane] += damping[i] * damping[i];
      }
    }
  }
  HWY_INLINE void SetIdentity(int lane) {
    for (int i = 0; i < 6; ++i) l[i][lane] = 0.0;
    for (int i = 0; i < 3; ++i) w[i][lane] = 0.0;
    l[0][lane] = l[2][lane] = l[5][lane] = 1.0;
  }

  // 1 / sqrt(pivot). Lanes that are not positive, or below the rounding error
  // of the diagonal element, leave `valid`; see PackedCholesky.
  using Valid = hn::Mask<PanelTag>;
  static HWY_INLINE PanelVec InvertPivot(PanelVec pivot, PanelVec diagonal,
                                         Valid* valid) {
    const PanelTag d;
    constexpr double kTolerance =
        4 * 3 * std::numeric_limits<double>::epsilon();
    const PanelVec max = hn::Set(d, std::numeric_limits<double>::max());
    *valid = hn::And(
        *valid,
        hn::And(hn::Gt(pivot, hn::Mul(hn::Set(d, kTolerance), diagonal)),
                hn::Le(pivot, max)));
    return hn::Div(hn::Set(d, 1.0), hn::Sqrt(pivot));
  }

  // B and g become L and w. Returns the first lane that is not positive
  // definite, or -1.
  HWY_INLINE int Factorize() {
    const PanelTag d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    for (int h = 0; h < kPoints; h += lanes) {
      const PanelVec b00 = hn::Load(d, l[0] + h), b11 = hn::Load(d, l[2] + h),
                     b22 = hn::Load(d, l[5] + h);
      Valid valid = hn::Eq(b00, b00);
      const PanelVec l00 = InvertPivot(b00, b00, &valid);
      const PanelVec l10 = hn::Mul(hn::Load(d, l[1] + h), l00);
      const PanelVec l20 = hn::Mul(hn::Load(d, l[3] + h), l00);
      const PanelVec l11 =
          InvertPivot(hn::NegMulAdd(l10, l10, b11), b11, &valid);
      const PanelVec l21 =
          hn::Mul(hn::NegMulAdd(l20, l10, hn::Load(d, l[4] + h)), l11);
      const PanelVec l22 = InvertPivot(
          hn::NegMulAdd(l21, l21, hn::NegMulAdd(l20, l20, b22)), b22, &valid);
      if (!hn::AllTrue(d, valid)) {
        return h + static_cast<int>(hn::FindFirstTrue(d, hn::Not(valid)));
      }
      const PanelVec w0 = hn::Mul(hn::Load(d, w[0] + h), l00);
      const PanelVec w1 =
          hn::Mul(hn::NegMulAdd(l10, w0, hn::Load(d, w[1] + h)), l11);
      const PanelVec w2 = hn::Mul(
          hn::NegMulAdd(l21, w1, hn::NegMulAdd(l20, w0, hn::Load(d, w[2] + h))),
          l22);
      hn::Store(l00, d, l[0] + h), hn::Store(l10, d, l[1] + h);
      hn::Store(l11, d, l[2] + h), hn::Store(l20, d, l[3] + h);
      hn::Store(l21, d, l[4] + h), hn::Store(l22, d, l[5] + h);
      hn::Store(w0, d, w[0] + h), hn::Store(w1, d, w[1] + h);
      hn::Store(w2, d, w[2] + h);
    }
    return -1;
  }

  HWY_INLINE PointFactor Get(int lane) const {
    return {l[0][lane],
            l[1][lane],
            l[2][lane],
            l[3][lane],
            l[4][lane],
            l[5][lane],
            {w[0][lane], w[1][lane], w[2][lane]}};
  }

  // L packed by rows.
  HWY_ALIGN double l[6][kPoints];
  HWY_ALIGN double w[3][kPoints];
};

// Factors the points [begin, end), all of one shape, stores each factor, and
// calls f(point, number of rows, first row block, factor). Returns -1, or the
// first point whose B is not positive definite.
template <int kM, int kF, typename F>
HWY_INLINE int ForFactoredPoints(const SchurView& view,
                                 const SchurTarget& target, int begin, int end,
                                 const F& f) {
  constexpr int kRowBlock = kM * (1 + 3 + kF);
  const int* const first_row = view.eliminated_first_row;
  const auto num_rows = [first_row](int point) {
    return first_row[point + 1] - first_row[point];
  };
  const double* row_block =
      view.values + view.row_block_offset[first_row[begin]];
  for (int first = begin; first < end; first += PointLanes::kPoints) {
    const int n = std::min(end - first, PointLanes::kPoints);
    PointLanes lanes;
    const double* next = row_block;
    for (int i = 0; i < n; ++i) {
      const int k = num_rows(first + i);
      lanes.Set<kM, kF>(i,
                        target.damping == nullptr
                            ? nullptr
                            : target.damping + view.column_offset[first + i],
                        k, next);
      next += k * kRowBlock;
    }
    for (int i = n; i < PointLanes::kPoints; ++i) lanes.SetIdentity(i);
    const int failed = lanes.Factorize();
    if (failed >= 0) return first + failed;
    for (int i = 0; i < n; ++i) {
      const PointFactor factor = lanes.Get(i);
      double* const l = target.factor + view.factor_offset[first + i];
      l[0] = factor.l00, l[1] = factor.l10, l[2] = factor.l11;
      l[3] = factor.l20, l[4] = factor.l21, l[5] = factor.l22;
      const int k = num_rows(first + i);
      f(first + i, k, row_block, factor);
      row_block += k * kRowBlock;
    }
  }
  return -1;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
