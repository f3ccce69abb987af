// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/split_panels.h"

#include <algorithm>
#include <cmath>

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/split_panels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/panel_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

struct Splitter {
  // The vector at `i` of the block, times `scale`.
  HWY_INLINE void Split(int i, PanelVec scale) {
    const PanelTag d;
    const hn::Rebind<int32_t, PanelTag> whole_tag;
    const hn::Rebind<float, PanelTag> rest_tag;
    const PanelVec value = hn::Mul(hn::Load(d, block + i), scale);
    const PanelVec most = hn::Set(d, 1 << 30);
    const PanelVec rounded =
        hn::Max(hn::Neg(most), hn::Min(hn::Round(value), most));
    const PanelVec t = hn::Sub(value, rounded);
    hn::Store(hn::DemoteTo(whole_tag, rounded), whole_tag, whole + i);
    hn::Store(hn::DemoteTo(rest_tag, t), rest_tag, rest + i);
    squares = hn::MulAdd(t, t, squares);
  }

  const double* block;
  int32_t* whole;
  float* rest;
  PanelVec squares = hn::Zero(PanelTag());  // of all t, summed
};

bool SplitOfTarget(int rows, int columns, const double* block,
                   const double* row_scale, const double* column_scale,
                   int32_t* whole, float* rest) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Splitter splitter = {block, whole, rest};
  const int panels = NumPanels(columns);
  for (int p = 0; p < panels; ++p) {
    for (int h = 0; h < kPanelWidth; h += lanes) {
      const int q = p * kPanelWidth + h;
      const PanelVec scale = hn::Load(d, column_scale + q);
      for (int r = 0; r < rows; ++r) {
        splitter.Split((p * rows + r) * kPanelWidth + h,
                       hn::Mul(scale, hn::Set(d, row_scale[r])));
      }
    }
  }
  int tail = panels * rows * kPanelWidth;
  for (int t = 0; t < NumTailColumns(columns); ++t) {
    const PanelVec scale = hn::Set(d, column_scale[panels * kPanelWidth + t]);
    for (int q = 0; q < PaddedSize(rows); q += lanes) {
      splitter.Split(tail + q, hn::Mul(scale, hn::Load(d, row_scale + q)));
    }
    tail += PaddedSize(rows);
  }
  // Each t is 1/2 at most where nothing was cut off. Not so with NaN.
  const double bound = 0.25 * PanelBlockSize(rows, columns);
  return hn::GetLane(hn::SumOfLanes(d, splitter.squares)) <= bound;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(SplitOfTarget);

double SplitScale(double diagonal) {
  if (!(diagonal > 0.0) || !std::isfinite(diagonal)) return 1.0;
  constexpr int kBits = 15;
  // The product of two scales is finite.
  constexpr int kMinExponent = -900;
  int exponent = 0;
  std::frexp(diagonal, &exponent);  // diagonal < 2^exponent
  exponent = std::max(exponent, kMinExponent);
  const int half = exponent >= 0 ? (exponent + 1) / 2 : -(-exponent / 2);
  return std::ldexp(1.0, kBits - half);
}

bool SplitPanelBlock(int rows, int columns, const double* block,
                     const double* row_scale, const double* column_scale,
                     int32_t* whole, float* rest) {
  return HWY_DYNAMIC_DISPATCH(SplitOfTarget)(rows, columns, block, row_scale,
                                             column_scale, whole, rest);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
