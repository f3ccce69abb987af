// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The rows of a batch (schur_kernels.h) and their products, compiled once per
// instruction set. Include after hwy/foreach_target.h and hwy/highway.h.

#if defined(CERES_INTERNAL_KERNELS_SCHUR_BATCH_ROWS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_SCHUR_BATCH_ROWS_INL_H_
#undef CERES_INTERNAL_KERNELS_SCHUR_BATCH_ROWS_INL_H_
#else
#define CERES_INTERNAL_KERNELS_SCHUR_BATCH_ROWS_INL_H_
#endif

#include <algorithm>

#include "ceres/kernels/panel_products-inl.h"
#include "ceres/kernels/schur_kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

// The products of two rows of a point have the rank of their residuals, 2, not
// the rank of the point, 3. With T = L^-1 E' (3 x 2) of each row:
//
// clang-format off
//     U_a'U_b = F_a' M F_b           M = T_a'T_b
//     F'F - U'U = F' (1 - T'T) F     F'r - U'w = F' (r - T'w)
// clang-format on
//
// This takes seven eighths of the operations of U_a'U_b, M included, and half
// of those of the diagonal; a row is three lines instead of four, and U is not
// formed. Rounding errors are those of F'F on the diagonal, since T'T <= 1. Own
// derivation.

// A double for each residual of a row: one vector or two.
using RowTag = hn::CappedTag<double, 2>;
using RowVec = hn::Vec<RowTag>;

// The layout of a row of a batch, three lines for cameras of 6 and of 9
// columns, so that vectors are aligned:
//
// clang-format off
//   | F_0: columns 0..7 | F_1 | F_0, F_1 of each tail column | T by rows |
// clang-format on
//
// Behind the rows of a batch follow the vectors s = r - T'w of all rows.
template <int kF>
struct BatchRow {
  static constexpr int kM = 2;
  static constexpr int kE = 3;
  static constexpr int kTail = NumTailColumns(kF);
  static constexpr int kMain = kF - kTail;
  static constexpr int kTails = kM * kPanelWidth;
  static constexpr int kT = kTails + kM * kTail;
  static constexpr int kSize = PaddedSize(kT + kM * kE);
  static_assert(NumPanels(kF) == 1, "");
  static_assert(kSize + kM == SchurBatchRowSize(kM, kE, kF), "");
};

// Rows of a block in registers, kStride doubles apart, as members of nested
// structs. Compilers would keep the elements of an array in memory.
template <int kRows, int kStride = kPanelWidth>
struct PanelRows {
  HWY_INLINE PanelRows() {}
  HWY_INLINE void Load(const double* c) {
    rest.Load(c);
    last = hn::Load(PanelTag(), c + (kRows - 1) * kStride);
  }
  HWY_INLINE void Store(double* c) const {
    rest.Store(c);
    hn::Store(last, PanelTag(), c + (kRows - 1) * kStride);
  }
  // Row i +- s[i * kStep] v.
  template <Sign kSign, int kStep>
  HWY_INLINE void Add(const double* s, PanelVec v) {
    rest.template Add<kSign, kStep>(s, v);
    last =
        Accumulate<kSign>(hn::Set(PanelTag(), s[(kRows - 1) * kStep]), v, last);
  }

  PanelRows<kRows - 1, kStride> rest;
  PanelVec last;
};
template <int kStride>
struct PanelRows<0, kStride> {
  HWY_INLINE void Load(const double*) {}
  HWY_INLINE void Store(double*) const {}
  template <Sign kSign, int kStep>
  HWY_INLINE void Add(const double*, PanelVec) {}
};

// Tail rows of tail columns.
template <int kF>
struct Corner {
  static constexpr int kTail = NumTailColumns(kF);

  HWY_INLINE void Load(const double* c) {
    for (int t = 0; t < kTail; ++t) {
      for (int i = 0; i < kTail; ++i) sum[t][i] = *Place(c, i, t);
    }
  }
  HWY_INLINE void Store(double* c) const {
    for (int t = 0; t < kTail; ++t) {
      for (int i = 0; i < kTail; ++i) *Place(c, i, t) = sum[t][i];
    }
  }
  // Tails of F_a, and of M F_b.
  HWY_INLINE void Add(double sign, const double* a, const double* b) {
    for (int t = 0; t < kTail; ++t) {
      for (int i = 0; i < kTail; ++i) {
        sum[t][i] += sign * (a[2 * i] * b[2 * t]);
        sum[t][i] += sign * (a[2 * i + 1] * b[2 * t + 1]);
      }
    }
  }
  template <typename T>
  static HWY_INLINE T* Place(T* c, int i, int t) {
    return c + kF * kPanelWidth + t * PaddedSize(kF) + kPanelWidth + i;
  }

  double sum[kTail + 1][kTail + 1];
};

// The columns of M (kPlus), or of 1 - M (kMinus), of two rows.
template <int kF, Sign kSign>
struct Coupling {
  using Row = BatchRow<kF>;

  HWY_INLINE Coupling(const double* a, const double* b) {
    const RowTag d;
    for (int q = 0; q < Row::kM; q += static_cast<int>(hn::Lanes(d))) {
      RowVec m0 = hn::Zero(d);
      RowVec m1 = m0;
      if constexpr (kSign == Sign::kMinus) {
        m0 = hn::Load(d, kIdentity + q);
        m1 = hn::Load(d, kIdentity + Row::kM + q);
      }
      for (int k = 0; k < Row::kE; ++k) {
        const RowVec t = hn::Load(d, a + Row::kT + Row::kM * k + q);
        const double* b_k = b + Row::kT + Row::kM * k;
        m0 = AddProduct(t, hn::Set(d, b_k[0]), m0);
        m1 = AddProduct(t, hn::Set(d, b_k[1]), m1);
      }
      hn::Store(m0, d, m + q);
      hn::Store(m1, d, m + Row::kM + q);
      for (int t = 0; t < Row::kTail; ++t) {
        const double* f = b + Row::kTails + Row::kM * t;
        const RowVec sum =
            hn::MulAdd(m1, hn::Set(d, f[1]), hn::Mul(m0, hn::Set(d, f[0])));
        hn::Store(sum, d, tails + Row::kM * t + q);
      }
    }
  }

  static HWY_INLINE RowVec AddProduct(RowVec a, RowVec b, RowVec c) {
    return kSign == Sign::kPlus ? hn::MulAdd(a, b, c) : hn::NegMulAdd(a, b, c);
  }

  HWY_ALIGN static constexpr double kIdentity[] = {1.0, 0.0, 0.0, 1.0};
  HWY_ALIGN double m[Row::kM * Row::kM];
  HWY_ALIGN double tails[Row::kM * (Row::kTail + 1)];  // of M F_b
};

// Columns [h, h + lanes) of M F_b.
struct CoupledRow {
  HWY_INLINE CoupledRow(const double* m, const double* b, int h) {
    const PanelTag d;
    const PanelVec f0 = hn::Load(d, b + h);
    const PanelVec f1 = hn::Load(d, b + kPanelWidth + h);
    g0 = hn::MulAdd(hn::Set(d, m[2]), f1, hn::Mul(hn::Set(d, m[0]), f0));
    g1 = hn::MulAdd(hn::Set(d, m[3]), f1, hn::Mul(hn::Set(d, m[1]), f0));
  }

  // `rows` +- F_a' G for kRows columns of F_a, from `a` on: those of its rows
  // are kStride apart, the next ones kStep.
  template <Sign kSign, int kStep, int kStride, int kRows>
  HWY_INLINE void AddTo(const double* a, PanelRows<kRows>& rows) const {
    rows.template Add<kSign, kStep>(a, g0);
    rows.template Add<kSign, kStep>(a + kStride, g1);
  }

  PanelVec g0, g1;
};

// Tail rows of a diagonal block, which is symmetric, become its tail columns.
template <int kF>
HWY_INLINE void MirrorTails(double* c) {
  using Row = BatchRow<kF>;
  for (int t = 0; t < Row::kTail; ++t) {
    std::copy_n(c + (Row::kMain + t) * kPanelWidth, Row::kMain,
                c + kF * kPanelWidth + t * PaddedSize(kF));
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
