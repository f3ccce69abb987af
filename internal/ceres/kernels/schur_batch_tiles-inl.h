// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The products of rows of a batch for instruction sets whose vectors hold half
// a row of a panel (AVX2), compiled once per instruction set. Include after
// hwy/foreach_target.h and hwy/highway.h.

#if defined(CERES_INTERNAL_KERNELS_SCHUR_BATCH_TILES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_SCHUR_BATCH_TILES_INL_H_
#undef CERES_INTERNAL_KERNELS_SCHUR_BATCH_TILES_INL_H_
#else
#define CERES_INTERNAL_KERNELS_SCHUR_BATCH_TILES_INL_H_
#endif

#include <algorithm>

#include "ceres/kernels/panel_products-inl.h"
#include "ceres/kernels/schur_batch_rows-inl.h"
#include "ceres/kernels/schur_kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

// Sixteen registers do not hold a block whose rows are two vectors. The block
// is computed in two tiles of whole rows, from G = M F_b of several pairs at a
// time, which is formed before and stays in the first-level cache. Tiles of
// half the columns would need no G, but 1.5 times as many loads: they broadcast
// each element of F_a twice and form M twice.
constexpr bool kTwoVectors = hn::MaxLanes(PanelTag()) * 2 == kPanelWidth;

// Rows [kFirst, kFirst + kRows) of a block in registers.
template <int kF, int kFirst, int kRows>
struct RowTile {
  using Row = BatchRow<kF>;
  static constexpr int kLast = kFirst + kRows - 1;
  static constexpr int kHalf = kPanelWidth / 2;

  HWY_INLINE RowTile() {}
  HWY_INLINE void Load(const double* c) {
    rest.Load(c);
    low = hn::Load(PanelTag(), c + kLast * kPanelWidth);
    high = hn::Load(PanelTag(), c + kLast * kPanelWidth + kHalf);
  }
  HWY_INLINE void Store(double* c) const {
    rest.Store(c);
    hn::Store(low, PanelTag(), c + kLast * kPanelWidth);
    hn::Store(high, PanelTag(), c + kLast * kPanelWidth + kHalf);
  }
  // += or -= row k of F_a, transposed, times that of G.
  template <Sign kSign, int k>
  HWY_INLINE void Add(const double* a, PanelVec g_low, PanelVec g_high) {
    rest.template Add<kSign, k>(a, g_low, g_high);
    constexpr int kScalar =
        kLast < Row::kMain ? k * kPanelWidth + kLast
                           : Row::kTails + Row::kM * (kLast - Row::kMain) + k;
    const PanelVec s = hn::Set(PanelTag(), a[kScalar]);
    low = Accumulate<kSign>(s, g_low, low);
    high = Accumulate<kSign>(s, g_high, high);
  }

  RowTile<kF, kFirst, kRows - 1> rest;
  PanelVec low, high;
};
template <int kF, int kFirst>
struct RowTile<kF, kFirst, 0> {
  HWY_INLINE void Load(const double*) {}
  HWY_INLINE void Store(double*) const {}
  template <Sign kSign, int k>
  HWY_INLINE void Add(const double*, PanelVec, PanelVec) {}
};

// G of up to kPairs pairs of rows. kPlus: M F_b; the products with F_a are
// subtracted. kMinus: (1 - M) F_b; the products with F_a are added.
template <int kF>
struct CoupledPairs {
  using Row = BatchRow<kF>;
  static constexpr int kPairs = 16;
  static constexpr int kTails = Row::kM * kPanelWidth;
  static constexpr int kSize = kTails + 2 * Row::kM;
  // Six rows of two vectors leave four registers. The others of 9 rows have
  // the tail column beside them: two tiles of ten vectors, enough for the
  // latency.
  static constexpr int kFirstRows = kF == 9 ? 5 : 6;

  // Adds tail rows of tail columns to `corner` meanwhile. Returns the pair
  // behind the last.
  template <Sign kSign>
  HWY_INLINE const SchurPair* Form(const double* rows, const SchurPair* begin,
                                   const SchurPair* end, Corner<kF>& corner) {
    constexpr double kSignOfProduct = kSign == Sign::kPlus ? -1.0 : 1.0;
    const PanelTag d;
    const SchurPair* const last = std::min(end, begin + kPairs);
    double* g = values;
    for (const SchurPair* pair = begin; pair < last; ++pair, g += kSize) {
      const double* a = rows + pair->a * Row::kSize;
      const double* b = rows + pair->b * Row::kSize;
      const Coupling<kF, kSign> m(a, b);
      for (int h = 0; h < kPanelWidth; h += kPanelWidth / 2) {
        const CoupledRow row(m.m, b, h);
        hn::Store(row.g0, d, g + h);
        hn::Store(row.g1, d, g + kPanelWidth + h);
      }
      std::copy_n(m.tails, Row::kM * Row::kTail, g + kTails);
      corner.Add(kSignOfProduct, a + Row::kTails, m.tails);
    }
    return last;
  }

  // tile += or -= F_a'G of one pair.
  template <Sign kSign, int kFirst, int kRows>
  static HWY_INLINE void AddRows(const double* a, const double* g,
                                 RowTile<kF, kFirst, kRows>& tile) {
    constexpr int kHalf = kPanelWidth / 2;
    const PanelTag d;
    tile.template Add<kSign, 0>(a, hn::Load(d, g), hn::Load(d, g + kHalf));
    g += kPanelWidth;
    tile.template Add<kSign, 1>(a, hn::Load(d, g), hn::Load(d, g + kHalf));
  }

  // The first tile of a block at c, += or -= F_a'G of the pairs [begin, last).
  template <Sign kSign>
  HWY_INLINE void AddFirstRows(const double* rows, const SchurPair* begin,
                               const SchurPair* last,
                               double* HWY_RESTRICT c) const {
    RowTile<kF, 0, kFirstRows> tile;
    tile.Load(c);
    const double* g = values;
    for (const SchurPair* pair = begin; pair < last; ++pair, g += kSize) {
      AddRows<kSign>(rows + pair->a * Row::kSize, g, tile);
    }
    tile.Store(c);
  }

  HWY_ALIGN double values[kPairs * kSize];
};

// SubtractPairs for two vectors a row.
template <int kF>
HWY_INLINE void SubtractPairsByTiles(const double* rows, const SchurPair* begin,
                                     const SchurPair* end,
                                     double* HWY_RESTRICT c) {
  using Row = BatchRow<kF>;
  using Pairs = CoupledPairs<kF>;
  constexpr int kFirst = Pairs::kFirstRows;
  constexpr int kHalf = kPanelWidth / 2;
  const PanelTag d;
  Pairs pairs;
  Corner<kF> corner;
  corner.Load(c);
  while (begin < end) {
    const SchurPair* const last =
        pairs.template Form<Sign::kPlus>(rows, begin, end, corner);
    pairs.template AddFirstRows<Sign::kMinus>(rows, begin, last, c);
    if constexpr (kF > kFirst) {
      RowTile<kF, kFirst, kF - kFirst> lower;
      PanelRows<Row::kTail, PaddedSize(kF)> tail_low, tail_high;
      double* const tails = c + kF * kPanelWidth;
      lower.Load(c);
      tail_low.Load(tails);
      tail_high.Load(tails + kHalf);
      const double* g = pairs.values;
      for (const SchurPair* pair = begin; pair < last;
           ++pair, g += Pairs::kSize) {
        const double* a = rows + pair->a * Row::kSize;
        const double* g_tails = g + Pairs::kTails;
        Pairs::template AddRows<Sign::kMinus>(a, g, lower);
        for (int k = 0; k < Row::kM; ++k, a += kPanelWidth) {
          tail_low.template Add<Sign::kMinus, 2>(g_tails + k, hn::Load(d, a));
          tail_high.template Add<Sign::kMinus, 2>(g_tails + k,
                                                  hn::Load(d, a + kHalf));
        }
      }
      lower.Store(c);
      tail_low.Store(tails);
      tail_high.Store(tails + kHalf);
    }
    begin = last;
  }
  corner.Store(c);
}

// AddDiagonals for two vectors a row.
template <int kF>
HWY_INLINE void AddDiagonalsByTiles(const double* rows, const double* s_of_rows,
                                    const SchurPair* begin,
                                    const SchurPair* end,
                                    double* HWY_RESTRICT c) {
  using Row = BatchRow<kF>;
  using Pairs = CoupledPairs<kF>;
  constexpr int kFirst = Pairs::kFirstRows;
  constexpr int kHalf = kPanelWidth / 2;
  const PanelTag d;
  double* const rhs = c + DiagonalRhsPosition(kF);
  Pairs pairs;
  Corner<kF> corner;
  corner.Load(c);
  while (begin < end) {
    const SchurPair* const last =
        pairs.template Form<Sign::kMinus>(rows, begin, end, corner);
    pairs.template AddFirstRows<Sign::kPlus>(rows, begin, last, c);
    RowTile<kF, kFirst, kF - kFirst> lower;
    PanelVec rhs_low = hn::Load(d, rhs);
    PanelVec rhs_high = hn::Load(d, rhs + kHalf);
    double rhs_tails[Row::kTail + 1];
    std::copy_n(rhs + Row::kMain, Row::kTail, rhs_tails);
    lower.Load(c);
    const double* g = pairs.values;
    for (const SchurPair* pair = begin; pair < last;
         ++pair, g += Pairs::kSize) {
      const double* a = rows + pair->a * Row::kSize;
      const double* s = s_of_rows + pair->a * Row::kM;
      Pairs::template AddRows<Sign::kPlus>(a, g, lower);
      for (int k = 0; k < Row::kM; ++k, a += kPanelWidth) {
        const PanelVec s_k = hn::Set(d, s[k]);
        rhs_low = hn::MulAdd(s_k, hn::Load(d, a), rhs_low);
        rhs_high = hn::MulAdd(s_k, hn::Load(d, a + kHalf), rhs_high);
      }
      for (int t = 0; t < Row::kTail; ++t) {
        rhs_tails[t] += a[2 * t] * s[0] + a[2 * t + 1] * s[1];
      }
    }
    lower.Store(c);
    hn::Store(rhs_low, d, rhs);
    hn::Store(rhs_high, d, rhs + kHalf);
    std::copy_n(rhs_tails, Row::kTail, rhs + Row::kMain);
    begin = last;
  }
  corner.Store(c);
  MirrorTails<kF>(c);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
