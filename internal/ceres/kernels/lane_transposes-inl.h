// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Transposes n vectors of n lanes, or adds up the lanes of each, compiled once
// per instruction set. Include after hwy/foreach_target.h and hwy/highway.h.

#if defined(CERES_INTERNAL_KERNELS_LANE_TRANSPOSES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_LANE_TRANSPOSES_INL_H_
#undef CERES_INTERNAL_KERNELS_LANE_TRANSPOSES_INL_H_
#else
#define CERES_INTERNAL_KERNELS_LANE_TRANSPOSES_INL_H_
#endif

#include "ceres/kernels/panel_products-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

constexpr int kPanelLanes = static_cast<int>(hn::MaxLanes(PanelTag()));

// Vectors that are permuted and added together.
template <int kSize>
struct PanelVecs {
  HWY_INLINE PanelVecs() {}
  PanelVec v[kSize];
};

#if HWY_TARGET == HWY_SCALAR

template <typename F>
HWY_INLINE auto SumsOfLanes(const F& vectors) {
  return vectors(0);
}
HWY_INLINE void TransposeLanes(PanelVec* /*rows*/) {}

#else

static_assert(kPanelLanes == 2 || kPanelLanes == 4 || kPanelLanes == 8, "");

// One level of a tree of sums. kCount vectors are folded into a and b; the
// result holds in lane i a part of the sum of the lanes of vector i (mod
// kCount), and at the last level the whole sum. Each pair takes a shuffle and
// an addition.
template <int kCount>
HWY_INLINE PanelVec FoldLanes(PanelVec a, PanelVec b) {
  const PanelTag d;
  if constexpr (kCount == 8) {
    return hn::Add(hn::ConcatUpperLower(d, b, a),
                   hn::ConcatLowerUpper(d, b, a));
  } else if constexpr (kCount == 4) {
    return hn::Add(hn::OddEvenBlocks(b, a),
                   hn::SwapAdjacentBlocks(hn::OddEvenBlocks(a, b)));
  } else if constexpr (kPanelLanes > 2) {
    return hn::Add(hn::OddEven(b, a), hn::CombineShiftRightBytes<8>(d, b, a));
  } else {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  }
}

template <int kCount, int kSize>
HWY_INLINE PanelVecs<kSize> FoldLanes(const PanelVecs<kSize>& a,
                                      const PanelVecs<kSize>& b) {
  PanelVecs<kSize> folded;
  for (int k = 0; k < kSize; ++k) {
    folded.v[k] = FoldLanes<kCount>(a.v[k], b.v[k]);
  }
  return folded;
}

// Lane i of the result: the sums of the lanes of vectors(i), a PanelVecs. Calls
// `vectors` once for each lane, in order. The bits do not depend on the lane.
template <int kFirst = 0, int kCount = kPanelLanes, typename F>
HWY_INLINE auto SumsOfLanes(const F& vectors) {
  if constexpr (kCount == 1) {
    return vectors(kFirst);
  } else {
    const auto a = SumsOfLanes<kFirst, kCount / 2>(vectors);
    const auto b = SumsOfLanes<kFirst + kCount / 2, kCount / 2>(vectors);
    return FoldLanes<kCount>(a, b);
  }
}

// One level of a transposition, for two rows. Each level is a function:
// compilers do not unroll a loop over levels, and would keep the rows in
// memory.
HWY_INLINE void TransposePairs(PanelVec& a, PanelVec& b) {
  const PanelTag d;
  const PanelVec upper = hn::InterleaveUpper(d, a, b);
  a = hn::InterleaveLower(d, a, b);
  b = upper;
}
HWY_INLINE void TransposeBlocks(PanelVec& a, PanelVec& b) {
  const PanelVec odd = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
  a = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
  b = odd;
}
HWY_INLINE void TransposeHalves(PanelVec& a, PanelVec& b) {
  const PanelTag d;
  const PanelVec upper = hn::ConcatUpperUpper(d, b, a);
  a = hn::ConcatLowerLower(d, b, a);
  b = upper;
}

// rows[0 ... kPanelLanes) become columns.
HWY_INLINE void TransposeLanes(PanelVec* rows) {
  for (int i = 0; i < kPanelLanes; i += 2) {
    TransposePairs(rows[i], rows[i + 1]);
  }
  if constexpr (kPanelLanes >= 4) {
    for (int i = 0; i < kPanelLanes; i += 4) {
      TransposeBlocks(rows[i], rows[i + 2]);
      TransposeBlocks(rows[i + 1], rows[i + 3]);
    }
  }
  if constexpr (kPanelLanes >= 8) {
    for (int i = 0; i < 4; ++i) TransposeHalves(rows[i], rows[i + 4]);
  }
}

#endif

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
