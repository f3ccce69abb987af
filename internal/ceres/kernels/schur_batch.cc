// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstdlib>

#include "ceres/base/intrinsics.h"
#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/schur_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/schur_batch.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/panel_products-inl.h"
#include "ceres/kernels/schur_batch_rows-inl.h"
#include "ceres/kernels/schur_batch_tiles-inl.h"
#include "ceres/kernels/schur_points-inl.h"
#include "ceres/kernels/schur_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

// The columns [h, h + lanes) of the panel of a block, and the same rows of its
// tail columns.
template <int kF>
struct BlockLanes {
  static constexpr int kTail = NumTailColumns(kF);
  static constexpr int kMain = kF - kTail;

  HWY_INLINE BlockLanes() {}
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

// C -= the sum of F_a' M F_b over pairs of rows: C is in registers meanwhile.
template <int kF>
HWY_INLINE void SubtractPairs(const double* rows, const SchurPair* begin,
                              const SchurPair* end, double* HWY_RESTRICT c) {
  if constexpr (kTwoVectors) {
    return SubtractPairsByTiles<kF>(rows, begin, end, c);
  }
  using Row = BatchRow<kF>;
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Corner<kF> corner;
  corner.Load(c);
  for (int h = 0; h < kPanelWidth; h += lanes) {
    BlockLanes<kF> block;
    block.Load(c, h);
    for (const SchurPair* pair = begin; pair < end; ++pair) {
      const double* a = rows + pair->a * Row::kSize;
      const double* b = rows + pair->b * Row::kSize;
      const double* a_tail = a + Row::kTails;
      const Coupling<kF, Sign::kPlus> m(a, b);
      const CoupledRow g(m.m, b, h);
      g.AddTo<Sign::kMinus, 1, kPanelWidth>(a, block.main);
      if constexpr (Row::kTail > 0) {
        g.AddTo<Sign::kMinus, 2, 1>(a_tail, block.lower);
        block.tail.template Add<Sign::kMinus, 2>(m.tails, hn::Load(d, a + h));
        block.tail.template Add<Sign::kMinus, 2>(
            m.tails + 1, hn::Load(d, a + kPanelWidth + h));
        if (h == 0) corner.Add(-1.0, a_tail, m.tails);
      }
    }
    block.Store(c, h);
  }
  corner.Store(c);
}

// The diagonal block and its part of the right hand side: C += the sum of F' (1
// - M) F, rhs += that of F's. C is symmetric, its tail columns are its tail
// rows.
template <int kF>
HWY_INLINE void AddDiagonals(const double* rows, const double* s_of_rows,
                             const SchurPair* begin, const SchurPair* end,
                             double* HWY_RESTRICT c) {
  if constexpr (kTwoVectors) {
    return AddDiagonalsByTiles<kF>(rows, s_of_rows, begin, end, c);
  }
  using Row = BatchRow<kF>;
  constexpr int kTail = Row::kTail;
  constexpr int kMain = Row::kMain;
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  double* const rhs = c + DiagonalRhsPosition(kF);
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
      const double* a = rows + pair->a * Row::kSize;
      const double* a_tail = a + Row::kTails;
      const double* s = s_of_rows + pair->a * Row::kM;
      const Coupling<kF, Sign::kMinus> m(a, a);
      const CoupledRow g(m.m, a, h);
      g.AddTo<Sign::kPlus, 1, kPanelWidth>(a, main);
      rhs_h = hn::MulAdd(hn::Set(d, s[0]), hn::Load(d, a + h), rhs_h);
      rhs_h =
          hn::MulAdd(hn::Set(d, s[1]), hn::Load(d, a + kPanelWidth + h), rhs_h);
      if constexpr (kTail > 0) {
        g.AddTo<Sign::kPlus, 2, 1>(a_tail, lower);
        if (h > 0) continue;
        corner.Add(1.0, a_tail, m.tails);
        for (int t = 0; t < kTail; ++t) {
          tail_rhs[t] += a_tail[2 * t] * s[0] + a_tail[2 * t + 1] * s[1];
        }
      }
    }
    main.Store(c + h);
    lower.Store(c + kMain * kPanelWidth + h);
    hn::Store(rhs_h, d, rhs + h);
  }
  corner.Store(c);
  for (int t = 0; t < kTail; ++t) rhs[kMain + t] = tail_rhs[t];
  MirrorTails<kF>(c);
}

// The kept parts of a row, and its s.
template <int kF>
HWY_INLINE void FormRow(const PointFactor& factor, const double* row_block,
                        double* HWY_RESTRICT row, double* HWY_RESTRICT s) {
  using Row = BatchRow<kF>;
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const double* const f = row_block + Row::kM * (1 + Row::kE);
  for (int m = 0; m < Row::kM; ++m) {
    for (int h = 0; h < kPanelWidth; h += lanes) {
      hn::Store(hn::LoadU(d, f + m * kF + h), d, row + m * kPanelWidth + h);
    }
    for (int t = 0; t < Row::kTail; ++t) {
      row[Row::kTails + 2 * t + m] = f[m * kF + Row::kMain + t];
    }
  }
  // In its final place: a copy would load in vectors what was stored in parts,
  // and wait for that.
  double* const t = row + Row::kT;
  factor.SolveTransposed<Row::kM>(row_block + Row::kM, t);
  for (int m = 0; m < Row::kM; ++m) {
    s[m] = row_block[m] - t[m] * factor.w[0] - t[Row::kM + m] * factor.w[1] -
           t[2 * Row::kM + m] * factor.w[2];
  }
}

// All rows of a batch and their s. Returns as EliminateBatches does.
template <int kF>
int FormBatch(const SchurView& view, const SchurTarget& target,
              const SchurBatch& batch, double* row, double* s) {
  using Row = BatchRow<kF>;
  constexpr int kRowBlock = Row::kM * (1 + Row::kE + kF);
  const auto form = [&](int /*point*/, int k, const double* row_block,
                        const PointFactor& factor) {
    for (int i = 0; i < k; ++i, row_block += kRowBlock) {
      FormRow<kF>(factor, row_block, row, s);
      row += Row::kSize;
      s += Row::kM;
    }
  };
  return ForFactoredPoints<Row::kM, kF>(view, target, batch.begin, batch.end,
                                        form);
}

// Blocks of S lie in the second-level cache or further away.
template <int kF>
HWY_INLINE void FetchBlock(const double* c) {
  for (int i = 0; i < PanelBlockSize(kF, kF); i += kPanelWidth) {
    hwy::Prefetch(c + i);
  }
}

int RowsOf(const SchurView& view, const SchurBatch& batch) {
  return view.eliminated_first_row[batch.end] -
         view.eliminated_first_row[batch.begin];
}

template <int kF>
int EliminateShapeBatches(const SchurView& view, const SchurTarget& target,
                          const SchurSums& sums, int begin, int end) {
  using Row = BatchRow<kF>;
  constexpr int kRowBlock = Row::kM * (1 + Row::kE + kF);
  for (int b = begin; b < end; ++b) {
    const SchurBatch& batch = sums.batches[b];
    const int num_rows = RowsOf(view, batch);
    double* const rows = target.u;
    double* const s = rows + num_rows * Row::kSize;
    const int failed = FormBatch<kF>(view, target, batch, rows, s);
    if (failed >= 0) return failed;
    const double* const next_row_blocks =
        view.values +
        view.row_block_offset[view.eliminated_first_row[batch.end]];
    const double* const next_end =
        b + 1 < end
            ? next_row_blocks + RowsOf(view, sums.batches[b + 1]) * kRowBlock
            : next_row_blocks;
    const double* fetch = next_row_blocks;
    const SchurPair* pair = sums.pairs + batch.first_pair;
    const SchurSum* const last = sums.sums + sums.batches[b + 1].first_sum;
    for (const SchurSum* sum = sums.sums + batch.first_sum; sum < last; ++sum) {
      const SchurPair* const next = pair + sum->num_pairs;
      double* const c = Place(target, sum->destination);
      if (sum + 1 < last) FetchBlock<kF>(Place(target, sum[1].destination));
      if (pair->a == pair->b) {
        AddDiagonals<kF>(rows, s, pair, next, c);
      } else {
        SubtractPairs<kF>(rows, pair, next, c);
      }
      const double* const fetch_end =
          std::min(next_end, fetch + 8 * sum->num_pairs);
      for (; fetch < fetch_end; fetch += 8) CERES_PREFETCH_FAR(fetch);
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
      return EliminateShapeBatches<6>(view, target, sums, begin, end);
    case SchurShape::k2x3x9:
      return EliminateShapeBatches<9>(view, target, sums, begin, end);
    case SchurShape::k2x3x10:
      return EliminateShapeBatches<10>(view, target, sums, begin, end);
    case SchurShape::kDynamic:
      break;
  }
  std::abort();  // Callers form batches of points of the shapes above only.
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
