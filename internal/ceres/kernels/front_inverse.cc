// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/front_inverse.h"

#include <algorithm>
#include <cstdint>

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/front_inverse.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/front_tiles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

constexpr int kH = kFrontStrip<double>;

// The columns [first, last) of kStrips strips.
template <int kStrips>
HWY_INLINE void ProductTiles(const Columns<const double>& a,
                             const Columns<const double>& b, int depth, int p,
                             int first, int last, const Columns<double>& c) {
  ForColumnBlocks<double>(first, last, [&](int j, auto count) {
    double* const target = c.strip(p) + j * kH;
    Tile<double, count.kValue, kStrips> tile;
    tile.Load(target, c.stride);
    SubtractProduct(a.strip(p), a.stride, b.pivot_row(j), depth, &tile);
    tile.Store(target, c.stride);
  });
}

void Product(const StripRows<const double>& a_rows,
             const StripRows<const double>& b_rows, int depth, int p,
             int last_strip, int first, int last,
             const StripRows<double>& c_rows) {
  const Columns<const double> a(a_rows.columns, a_rows.data);
  const Columns<const double> b(b_rows.columns, b_rows.data);
  const Columns<double> c(c_rows.columns, c_rows.data);
  constexpr int kStrips = kTileStrips<double>;
  for (; p + kStrips <= last_strip; p += kStrips) {
    ProductTiles<kStrips>(a, b, depth, p, first, last, c);
  }
  for (; p < last_strip; ++p) ProductTiles<1>(a, b, depth, p, first, last, c);
}

void LowerProduct(const StripRows<const double>& a_rows,
                  const StripRows<const double>& b_rows, int depth, int p,
                  int last_strip, int last, const StripRows<double>& c_rows) {
  const Columns<const double> a(a_rows.columns, a_rows.data);
  const Columns<const double> b(b_rows.columns, b_rows.data);
  const Columns<double> c(c_rows.columns, c_rows.data);
  constexpr int kStrips = kTileStrips<double>;
  const auto end = [last](int q) { return std::min(kH * (q + 1), last); };
  for (; p + kStrips <= last_strip; p += kStrips) {
    ProductTiles<kStrips>(a, b, depth, p, 0, end(p), c);
    for (int q = p + 1; q < p + kStrips; ++q) {
      ProductTiles<1>(a, b, depth, q, end(p), end(q), c);
    }
  }
  for (; p < last_strip; ++p) ProductTiles<1>(a, b, depth, p, 0, end(p), c);
}

// to[H j + lane] = from[H position[j] + its source] for j < num_columns and the
// lanes of the child's strip that are the segment's rows. from and to: strips.
HWY_INLINE void CopySegment(const FrontSegment& s, const double* from,
                            const int* position, int num_columns, double* to) {
  const int first = s.first_row % kH;
  HWY_ALIGN int64_t source[kH] = {};
  for (int lane = 0, i = first; lane < kH; ++lane) {
    if ((s.lanes >> lane & 1) != 0) source[i++] = lane;
  }
  if constexpr (kStripVectors<double> == 1) {
    const StripTag<double> d;
    const auto lanes = hn::SetTableIndices(d, source);
    const auto mask =
        hn::AndNot(hn::FirstN(d, first), hn::FirstN(d, first + s.length));
    for (int j = 0; j < num_columns; ++j) {
      const auto rows = hn::TableLookupLanes(
          hn::Load(d, from + int64_t{kH} * position[j]), lanes);
      hn::BlendedStore(rows, mask, d, to + int64_t{kH} * j);
    }
  } else {
    for (int j = 0; j < num_columns; ++j) {
      const double* const column = from + int64_t{kH} * position[j];
      double* const target = to + int64_t{kH} * j;
      for (int i = first; i < first + s.length; ++i) {
        target[i] = column[source[i]];
      }
    }
  }
}

void Gather(const FrontMap& map, int first_segment, int last_segment,
            int num_rows, int width, int below, const double* inverse,
            const StripRows<double>& child) {
  for (int k = first_segment; k < last_segment; ++k) {
    const FrontSegment& s = map.segments[k];
    const int position = map.position[s.first_row];
    const int strip_row = position < width
                              ? position / kH * kH
                              : width + (position - width) / kH * kH;
    CopySegment(s, inverse + FrontInversePosition(width, below, strip_row, 0),
                map.position, num_rows,
                child.data + PivotPosition<double>(child.columns,
                                                   s.first_row / kH * kH, 0));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(Product);
HWY_EXPORT(LowerProduct);
HWY_EXPORT(Gather);

void SubtractStripProduct(StripRows<const double> a, StripRows<const double> b,
                          int depth, int first_strip, int last_strip,
                          int first_column, int last_column,
                          StripRows<double> c) {
  HWY_DYNAMIC_DISPATCH(Product)
  (a, b, depth, first_strip, last_strip, first_column, last_column, c);
}

void SubtractLowerStripProduct(StripRows<const double> a,
                               StripRows<const double> b, int depth,
                               int first_strip, int last_strip, int last_column,
                               StripRows<double> c) {
  HWY_DYNAMIC_DISPATCH(LowerProduct)
  (a, b, depth, first_strip, last_strip, last_column, c);
}

void GatherFromInverse(const FrontMap& map, int first_segment, int last_segment,
                       int num_rows, int width, int below,
                       const double* inverse, StripRows<double> child) {
  HWY_DYNAMIC_DISPATCH(Gather)
  (map, first_segment, last_segment, num_rows, width, below, inverse, child);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
