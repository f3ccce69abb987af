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

constexpr int kH = kFrontPanel<double>;

// The columns [first, last) of kPanels panels.
template <int kPanels>
HWY_INLINE void ProductTiles(const Columns<const double>& a,
                             const Columns<const double>& b, int depth, int p,
                             int first, int last, const Columns<double>& c) {
  ForColumnBlocks<double>(first, last, [&](int j, auto count) {
    double* const target = c.panel(p) + j * kH;
    Tile<double, count.kValue, kPanels> tile;
    tile.Load(target, c.stride);
    SubtractProduct(a.panel(p), a.stride, b.pivot_row(j), depth, &tile);
    tile.Store(target, c.stride);
  });
}

void Product(const PanelRows<const double>& a_rows,
             const PanelRows<const double>& b_rows, int depth, int p,
             int last_panel, int first, int last,
             const PanelRows<double>& c_rows) {
  const Columns<const double> a(a_rows.columns, a_rows.data);
  const Columns<const double> b(b_rows.columns, b_rows.data);
  const Columns<double> c(c_rows.columns, c_rows.data);
  constexpr int kPanels = kTilePanels<double>;
  for (; p + kPanels <= last_panel; p += kPanels) {
    ProductTiles<kPanels>(a, b, depth, p, first, last, c);
  }
  for (; p < last_panel; ++p) ProductTiles<1>(a, b, depth, p, first, last, c);
}

void LowerProduct(const PanelRows<const double>& a_rows,
                  const PanelRows<const double>& b_rows, int depth, int p,
                  int last_panel, int last, const PanelRows<double>& c_rows) {
  const Columns<const double> a(a_rows.columns, a_rows.data);
  const Columns<const double> b(b_rows.columns, b_rows.data);
  const Columns<double> c(c_rows.columns, c_rows.data);
  constexpr int kPanels = kTilePanels<double>;
  const auto end = [last](int q) { return std::min(kH * (q + 1), last); };
  for (; p + kPanels <= last_panel; p += kPanels) {
    ProductTiles<kPanels>(a, b, depth, p, 0, end(p), c);
    for (int q = p + 1; q < p + kPanels; ++q) {
      ProductTiles<1>(a, b, depth, q, end(p), end(q), c);
    }
  }
  for (; p < last_panel; ++p) ProductTiles<1>(a, b, depth, p, 0, end(p), c);
}

// to[H j + lane] = from[H position[j] + its source] for j < num_columns and the
// lanes of the child's panel that are the segment's rows. from and to: panels.
HWY_INLINE void CopySegment(const FrontSegment& s, const double* from,
                            const int* position, int num_columns, double* to) {
  const int first = s.first_row % kH;
  HWY_ALIGN int64_t source[kH] = {};
  for (int lane = 0, i = first; lane < kH; ++lane) {
    if ((s.lanes >> lane & 1) != 0) source[i++] = lane;
  }
  if constexpr (kPanelVectors<double> == 1) {
    const PanelTag<double> d;
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
            const PanelRows<double>& child) {
  for (int k = first_segment; k < last_segment; ++k) {
    const FrontSegment& s = map.segments[k];
    const int position = map.position[s.first_row];
    const int panel_row = position < width
                              ? position / kH * kH
                              : width + (position - width) / kH * kH;
    CopySegment(s, inverse + FrontInversePosition(width, below, panel_row, 0),
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

void SubtractPanelProduct(PanelRows<const double> a, PanelRows<const double> b,
                          int depth, int first_panel, int last_panel,
                          int first_column, int last_column,
                          PanelRows<double> c) {
  HWY_DYNAMIC_DISPATCH(Product)
  (a, b, depth, first_panel, last_panel, first_column, last_column, c);
}

void SubtractLowerPanelProduct(PanelRows<const double> a,
                               PanelRows<const double> b, int depth,
                               int first_panel, int last_panel, int last_column,
                               PanelRows<double> c) {
  HWY_DYNAMIC_DISPATCH(LowerProduct)
  (a, b, depth, first_panel, last_panel, last_column, c);
}

void GatherFromInverse(const FrontMap& map, int first_segment, int last_segment,
                       int num_rows, int width, int below,
                       const double* inverse, PanelRows<double> child) {
  HWY_DYNAMIC_DISPATCH(Gather)
  (map, first_segment, last_segment, num_rows, width, below, inverse, child);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
