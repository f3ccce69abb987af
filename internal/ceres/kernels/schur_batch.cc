// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/schur_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/schur_batch.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/panel_products-inl.h"
#include "ceres/kernels/schur_points-inl.h"
#include "ceres/kernels/schur_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

// Where things are in a row's U and w, which lie so that vectors are aligned:
//
//   | U: columns 0..7 of each row | tail columns of each row | w |
template <int kE, int kF>
struct BatchRow {
  static constexpr int kTail = NumTailColumns(kF);
  static constexpr int kMain = kF - kTail;
  static constexpr int kTails = kE * kPanelWidth;
  static constexpr int kW = kTails + kE * kTail;
  static constexpr int kSize = SchurBatchRowSize(kE, kF);
  static_assert(NumPanels(kF) == 1, "");
};

// Some rows of a block in registers, kStride doubles apart. Members of nested
// structs, not elements of an array, which compilers would keep in memory.
template <int kRows, int kStride = kPanelWidth>
struct PanelRows {
  HWY_INLINE void Load(const double* c) {
    rest.Load(c);
    last = hn::Load(PanelTag(), c + (kRows - 1) * kStride);
  }
  HWY_INLINE void Store(double* c) const {
    rest.Store(c);
    hn::Store(last, PanelTag(), c + (kRows - 1) * kStride);
  }
  // Row i +- s[i] v.
  template <Sign kSign>
  HWY_INLINE void Add(const double* s, PanelVec v) {
    rest.template Add<kSign>(s, v);
    last = Accumulate<kSign>(hn::Set(PanelTag(), s[kRows - 1]), v, last);
  }

  PanelRows<kRows - 1, kStride> rest;
  PanelVec last;
};
template <int kStride>
struct PanelRows<0, kStride> {
  HWY_INLINE void Load(const double*) {}
  HWY_INLINE void Store(double*) const {}
  template <Sign kSign>
  HWY_INLINE void Add(const double*, PanelVec) {}
};

// The columns [h, h + lanes) of the panel of a block, and the same rows of its
// tail columns.
template <int kF>
struct BlockLanes {
  static constexpr int kTail = NumTailColumns(kF);
  static constexpr int kMain = kF - kTail;

  HWY_INLINE void Load(const double* c, int h) {
    main.Load(c + h);
    lower.Load(c + kMain * kPanelWidth + h);
    tail.Load(c + kF * kPanelWidth + h);
  }
  HWY_INLINE void Store(double* c, int h) const {
    main.Store(c + h);
    lower.Store(c + kMain * kPanelWidth + h);
    tail.Store(c + kF * kPanelWidth + h);
  }

  PanelRows<kMain> main;
  PanelRows<kTail> lower;
  PanelRows<kTail, PaddedSize(kF)> tail;
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
  HWY_INLINE void Add(double sign, const double* a, const double* b) {
    for (int t = 0; t < kTail; ++t) {
      for (int i = 0; i < kTail; ++i) sum[t][i] += sign * (a[i] * b[t]);
    }
  }
  template <typename T>
  static HWY_INLINE T* Place(T* c, int i, int t) {
    return c + kF * kPanelWidth + t * PaddedSize(kF) + kPanelWidth + i;
  }

  double sum[kTail + 1][kTail + 1];
};

template <int kSize>
HWY_INLINE void PrefetchDoubles(const double* p) {
  constexpr int kLine = 8;
  for (int k = 0; k < kSize; k += kLine) hwy::Prefetch(p + k);
}

// C += the sum of - U_a'U_b over pairs of rows: C is in registers meanwhile.
template <int kE, int kF>
HWY_INLINE void SubtractPairs(const double* u, const SchurPair* begin,
                              const SchurPair* end, double* HWY_RESTRICT c) {
  using Row = BatchRow<kE, kF>;
  constexpr int kTail = Row::kTail;
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Corner<kF> corner;
  corner.Load(c);
  for (int h = 0; h < kPanelWidth; h += lanes) {
    BlockLanes<kF> block;
    block.Load(c, h);
    for (const SchurPair* pair = begin; pair < end; ++pair) {
      const double* a = u + pair->a * Row::kSize;
      const double* b = u + pair->b * Row::kSize;
      for (int k = 0; k < kE; ++k) {
        const double* a_k = a + k * kPanelWidth;
        const double* a_tail = a + Row::kTails + k * kTail;
        const double* b_tail = b + Row::kTails + k * kTail;
        const PanelVec v = hn::Load(d, b + k * kPanelWidth + h);
        block.main.template Add<Sign::kMinus>(a_k, v);
        if constexpr (kTail > 0) {
          block.lower.template Add<Sign::kMinus>(a_tail, v);
          block.tail.template Add<Sign::kMinus>(b_tail, hn::Load(d, a_k + h));
          if (h == 0) corner.Add(-1.0, a_tail, b_tail);
        }
      }
    }
    block.Store(c, h);
  }
  corner.Store(c);
}

// The diagonal block and its part of the right hand side: C += the sum of
// F'F - U'U, rhs += that of F'r - U'w. C is symmetric, its tail columns are its
// tail rows.
template <int kM, int kE, int kF>
HWY_INLINE void AddDiagonals(const double* records, const double* u,
                             const SchurPair* begin, const SchurPair* end,
                             double* HWY_RESTRICT c) {
  using Row = BatchRow<kE, kF>;
  constexpr int kTail = Row::kTail;
  constexpr int kMain = Row::kMain;
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  double* const rhs = c + DiagonalRhsPosition(kF);
  // Columns of C, and the right hand side as one more.
  double tail_rhs[kTail + 1];
  Corner<kF> corner;
  corner.Load(c);
  for (int t = 0; t < kTail; ++t) tail_rhs[t] = rhs[kMain + t];
  for (int h = 0; h < kPanelWidth; h += lanes) {
    PanelRows<kMain> main;
    PanelRows<kTail> lower;
    main.Load(c + h);
    lower.Load(c + kMain * kPanelWidth + h);
    PanelVec rhs_h = hn::Load(d, rhs + h);
    for (const SchurPair* pair = begin; pair < end; ++pair) {
      const double* r = records + pair->a * (kM * (1 + kE + kF));
      PrefetchDoubles<kM*(kE + kF + 1)>(records + pair[kSchurPairsAhead].a *
                                                      (kM * (1 + kE + kF)));
      const double* a = u + pair->a * Row::kSize;
      const double* f = r + kM + kM * kE;
      for (int k = 0; k < kM; ++k, f += kF) {
        const PanelVec v = hn::LoadU(d, f + h);
        main.template Add<Sign::kPlus>(f, v);
        rhs_h = hn::MulAdd(hn::Set(d, r[k]), v, rhs_h);
        if constexpr (kTail > 0) {
          lower.template Add<Sign::kPlus>(f + kMain, v);
          if (h > 0) continue;
          corner.Add(1.0, f + kMain, f + kMain);
          for (int t = 0; t < kTail; ++t) tail_rhs[t] += f[kMain + t] * r[k];
        }
      }
      for (int k = 0; k < kE; ++k) {
        const double* a_tail = a + Row::kTails + k * kTail;
        const double w = a[Row::kW + k];
        const PanelVec v = hn::Load(d, a + k * kPanelWidth + h);
        main.template Add<Sign::kMinus>(a + k * kPanelWidth, v);
        rhs_h = hn::NegMulAdd(hn::Set(d, w), v, rhs_h);
        if constexpr (kTail > 0) {
          lower.template Add<Sign::kMinus>(a_tail, v);
          if (h > 0) continue;
          corner.Add(-1.0, a_tail, a_tail);
          for (int t = 0; t < kTail; ++t) tail_rhs[t] -= a_tail[t] * w;
        }
      }
    }
    main.Store(c + h);
    lower.Store(c + kMain * kPanelWidth + h);
    hn::Store(rhs_h, d, rhs + h);
  }
  corner.Store(c);
  for (int t = 0; t < kTail; ++t) {
    rhs[kMain + t] = tail_rhs[t];
    std::copy_n(c + (kMain + t) * kPanelWidth, kMain,
                c + kF * kPanelWidth + t * PaddedSize(kF));
  }
}

// U (= t F) and w of a row.
template <int kM, int kE, int kF>
HWY_INLINE void FormRow(const double* t, const double* f, const double* w,
                        double* HWY_RESTRICT u) {
  using Row = BatchRow<kE, kF>;
  constexpr int kTail = Row::kTail;
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int h = 0; h < kPanelWidth; h += lanes) {
    for (int k = 0; k < kE; ++k) {
      PanelVec sum = hn::Mul(hn::Set(d, t[k * kM]), hn::LoadU(d, f + h));
      for (int i = 1; i < kM; ++i) {
        sum = hn::MulAdd(hn::Set(d, t[k * kM + i]),
                         hn::LoadU(d, f + i * kF + h), sum);
      }
      hn::Store(sum, d, u + k * kPanelWidth + h);
    }
  }
  for (int k = 0; k < kE; ++k) {
    for (int c = 0; c < kTail; ++c) {
      double sum = 0.0;
      for (int i = 0; i < kM; ++i) {
        sum += t[k * kM + i] * f[i * kF + Row::kMain + c];
      }
      u[Row::kTails + k * kTail + c] = sum;
    }
    u[Row::kW + k] = w[k];
  }
}

// U and w of all rows of a batch, at u. Returns as EliminateBatches does.
template <int kM, int kE, int kF>
int FormBatch(const SchurView& view, const SchurTarget& target,
              const SchurBatch& batch, double* u) {
  static_assert(kE == 3, "");
  constexpr int kRecord = kM * (1 + kE + kF);
  const auto form = [&](int /*point*/, int k, const double* record,
                        const PointFactor& factor) {
    for (int i = 0; i < k; ++i, record += kRecord) {
      double t[kE * kM];
      factor.SolveTransposed<kM>(record + kM, t);
      FormRow<kM, kE, kF>(t, record + kM + kM * kE, factor.w, u);
      u += BatchRow<kE, kF>::kSize;
    }
  };
  return ForFactoredPoints<kM, kF>(view, target, batch.begin, batch.end, form);
}

int RowsOf(const SchurView& view, const SchurBatch& batch) {
  return view.eliminated_first_row[batch.end] -
         view.eliminated_first_row[batch.begin];
}

template <int kM, int kE, int kF>
int EliminateShapeBatches(const SchurView& view, const SchurTarget& target,
                          const SchurSums& sums, int begin, int end) {
  constexpr int kRecord = kM * (1 + kE + kF);
  for (int b = begin; b < end; ++b) {
    const SchurBatch& batch = sums.batches[b];
    const int failed = FormBatch<kM, kE, kF>(view, target, batch, target.u);
    if (failed >= 0) return failed;
    const double* records =
        view.values +
        view.record_offset[view.eliminated_first_row[batch.begin]];
    const double* const next_records = records + RowsOf(view, batch) * kRecord;
    const double* const next_end =
        b + 1 < end ? next_records + RowsOf(view, sums.batches[b + 1]) * kRecord
                    : next_records;
    const double* fetch = next_records;
    const SchurPair* pair = sums.pairs + batch.first_pair;
    const SchurSum* const last = sums.sums + sums.batches[b + 1].first_sum;
    for (const SchurSum* sum = sums.sums + batch.first_sum; sum < last; ++sum) {
      const SchurPair* const next = pair + sum->num_pairs;
      double* const c = Place(target, sum->destination);
      if (pair->a == pair->b) {
        AddDiagonals<kM, kE, kF>(records, target.u, pair, next, c);
      } else {
        SubtractPairs<kE, kF>(target.u, pair, next, c);
      }
      const double* const fetch_end =
          std::min(next_end, fetch + 8 * sum->num_pairs);
      for (; fetch < fetch_end; fetch += 8) __builtin_prefetch(fetch, 0, 2);
      pair = next;
    }
  }
  return -1;
}

int EliminateBatchesOfTarget(const SchurView& view, const SchurTarget& target,
                             const SchurSums& sums, SchurShape shape, int begin,
                             int end) {
  switch (shape) {
    case SchurShape::k2x3x6:
      return EliminateShapeBatches<2, 3, 6>(view, target, sums, begin, end);
    case SchurShape::k2x3x9:
      return EliminateShapeBatches<2, 3, 9>(view, target, sums, begin, end);
    case SchurShape::k2x3x10:
      return EliminateShapeBatches<2, 3, 10>(view, target, sums, begin, end);
    case SchurShape::kDynamic:
      break;
  }
  HWY_ABORT("Batches are of points of a shape with code of its own.");
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(EliminateBatchesOfTarget);

int EliminateBatches(const SchurView& view, const SchurTarget& target,
                     const SchurSums& sums, SchurShape shape, int begin,
                     int end) {
  return HWY_DYNAMIC_DISPATCH(EliminateBatchesOfTarget)(view, target, sums,
                                                        shape, begin, end);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
