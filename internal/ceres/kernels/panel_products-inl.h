// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Products of narrow row-major matrices, added to blocks in panel layout (see
// panel_block.h), compiled once per instruction set. Include after
// hwy/foreach_target.h and hwy/highway.h.

#if defined(CERES_INTERNAL_KERNELS_PANEL_PRODUCTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_PANEL_PRODUCTS_INL_H_
#undef CERES_INTERNAL_KERNELS_PANEL_PRODUCTS_INL_H_
#else
#define CERES_INTERNAL_KERNELS_PANEL_PRODUCTS_INL_H_
#endif

#include "ceres/kernels/panel_block.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One panel of 8 doubles is 1, 2 or 4 vectors.
using PanelTag = hn::CappedTag<double, kPanelWidth>;
using PanelVec = hn::Vec<PanelTag>;

enum class Sign { kPlus, kMinus };

// c + a b, or c - a b.
template <Sign kSign>
HWY_INLINE PanelVec Accumulate(PanelVec a, PanelVec b, PanelVec c) {
  if constexpr (kSign == Sign::kPlus) {
    return hn::MulAdd(a, b, c);
  } else {
    return hn::NegMulAdd(a, b, c);
  }
}

// out[i * stride ...] (one vector each, i < n) += sum over k < kDepth of s[k *
// s_stride + i] * v[k * v_stride ...]: the k vectors stay in registers.
template <Sign kSign, int kDepth>
HWY_INLINE void AddOuterProduct(const double* s, int s_stride, const double* v,
                                int v_stride, int n, int stride, double* out) {
  static_assert(kDepth >= 1 && kDepth <= 4, "");
  const PanelTag d;
  const PanelVec v0 = hn::LoadU(d, v);
  const PanelVec v1 = kDepth > 1 ? hn::LoadU(d, v + v_stride) : v0;
  const PanelVec v2 = kDepth > 2 ? hn::LoadU(d, v + 2 * v_stride) : v0;
  const PanelVec v3 = kDepth > 3 ? hn::LoadU(d, v + 3 * v_stride) : v0;
  for (int i = 0; i < n; ++i) {
    double* position = out + i * stride;
    PanelVec sum = hn::Load(d, position);
    sum = Accumulate<kSign>(hn::Set(d, s[i]), v0, sum);
    if constexpr (kDepth > 1) {
      sum = Accumulate<kSign>(hn::Set(d, s[s_stride + i]), v1, sum);
    }
    if constexpr (kDepth > 2) {
      sum = Accumulate<kSign>(hn::Set(d, s[2 * s_stride + i]), v2, sum);
    }
    if constexpr (kDepth > 3) {
      sum = Accumulate<kSign>(hn::Set(d, s[3 * s_stride + i]), v3, sum);
    }
    hn::Store(sum, d, position);
  }
}

// C +- A'B with A (kDepth x rows) and B (kDepth x columns) row-major, C (rows x
// columns) in panel layout. Up to 7 doubles behind A and B are read.
template <Sign kSign, int kDepth>
HWY_INLINE void AddPanelProduct(int rows, int columns, const double* a,
                                const double* b, double* c) {
  const int lanes = static_cast<int>(hn::Lanes(PanelTag()));
  const int panels = NumPanels(columns);
  for (int p = 0; p < panels; ++p) {
    for (int h = 0; h < kPanelWidth; h += lanes) {
      AddOuterProduct<kSign, kDepth>(a, rows, b + p * kPanelWidth + h, columns,
                                     rows, kPanelWidth,
                                     c + p * rows * kPanelWidth + h);
    }
  }
  if (const int tail = NumTailColumns(columns); tail > 0) {
    const int padded = PaddedSize(rows);
    double* tail_c = c + panels * rows * kPanelWidth;
    for (int q = 0; q < padded; q += lanes) {
      AddOuterProduct<kSign, kDepth>(b + panels * kPanelWidth, columns, a + q,
                                     rows, tail, padded, tail_c + q);
    }
  }
}

// The same for any depth.
template <Sign kSign>
HWY_INLINE void AddPanelProduct(int depth, int rows, int columns,
                                const double* a, const double* b, double* c) {
  for (; depth >= 4; depth -= 4, a += 4 * rows, b += 4 * columns) {
    AddPanelProduct<kSign, 4>(rows, columns, a, b, c);
  }
  switch (depth) {
    case 3:
      return AddPanelProduct<kSign, 3>(rows, columns, a, b, c);
    case 2:
      return AddPanelProduct<kSign, 2>(rows, columns, a, b, c);
    case 1:
      return AddPanelProduct<kSign, 1>(rows, columns, a, b, c);
    default:
      return;
  }
}

// y +- A's with A (depth x n) row-major; y padded. Up to 7 doubles behind A are
// read.
template <Sign kSign>
HWY_INLINE void AddTransposeProduct(int depth, int n, const double* a,
                                    const double* s, double* y) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int q = 0; q < n; q += lanes) {
    PanelVec sum = hn::Load(d, y + q);
    for (int k = 0; k < depth; ++k) {
      sum =
          Accumulate<kSign>(hn::Set(d, s[k]), hn::LoadU(d, a + k * n + q), sum);
    }
    hn::Store(sum, d, y + q);
  }
}

// C (rows x columns) + A B, all row-major, A rows x depth, B depth x columns.
// Writes nothing behind C; up to 7 doubles behind B and C are read.
enum class Initial { kZero, kKeep };
template <Initial kInitial>
HWY_INLINE void AddSmallProduct(int rows, int depth, int columns,
                                const double* a, const double* b, double* c) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int q = 0; q < columns; q += lanes) {
    for (int i = 0; i < rows; ++i) {
      double* position = c + i * columns + q;
      PanelVec sum =
          kInitial == Initial::kZero ? hn::Zero(d) : hn::LoadU(d, position);
      for (int k = 0; k < depth; ++k) {
        sum = hn::MulAdd(hn::Set(d, a[i * depth + k]),
                         hn::LoadU(d, b + k * columns + q), sum);
      }
      if (q + lanes <= columns) {
        hn::StoreU(sum, d, position);
      } else {
        hn::BlendedStore(sum, hn::FirstN(d, columns - q), d, position);
      }
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
