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

// One of two rank-kDepth terms of an outer product: scalars s[k * s_stride + i]
// times vectors v[k * v_stride ...], the vectors held in registers.
template <int kDepth>
struct Term {
  static_assert(kDepth >= 0 && kDepth <= 4, "");

  HWY_INLINE Term(const double* s, int s_stride, const double* v, int v_stride)
      : s(s), s_stride(s_stride) {
    const PanelTag d;
    if constexpr (kDepth > 0) v0 = hn::LoadU(d, v);
    if constexpr (kDepth > 1) v1 = hn::LoadU(d, v + v_stride);
    if constexpr (kDepth > 2) v2 = hn::LoadU(d, v + 2 * v_stride);
    if constexpr (kDepth > 3) v3 = hn::LoadU(d, v + 3 * v_stride);
  }

  template <Sign kSign>
  HWY_INLINE PanelVec Add(int i, PanelVec sum) const {
    const PanelTag d;
    if constexpr (kDepth > 0) {
      sum = Accumulate<kSign>(hn::Set(d, s[i]), v0, sum);
    }
    if constexpr (kDepth > 1) {
      sum = Accumulate<kSign>(hn::Set(d, s[s_stride + i]), v1, sum);
    }
    if constexpr (kDepth > 2) {
      sum = Accumulate<kSign>(hn::Set(d, s[2 * s_stride + i]), v2, sum);
    }
    if constexpr (kDepth > 3) {
      sum = Accumulate<kSign>(hn::Set(d, s[3 * s_stride + i]), v3, sum);
    }
    return sum;
  }

  const double* s;
  int s_stride;
  PanelVec v0, v1, v2, v3;
};

// The operands of C += A'B (kDepth x rows, kDepth x columns, row-major).
struct Factors {
  const double* a;
  const double* b;
};

// The last columns of a block, stored as columns, rows long: C += A'B of `plus`
// - A'B of `minus`.
template <int kPlus, int kMinus>
HWY_INLINE void AddTailProduct(int rows, int columns, Factors plus,
                               Factors minus, double* HWY_RESTRICT c) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int padded = PaddedSize(rows);
  const int tail = NumTailColumns(columns);
  const int first = columns - tail;
  int q = 0;
  // A rest of one or two rows is left to scalars: a vector would be loaded
  // across what has just been stored in two parts.
  for (; rows - q >= lanes || rows - q > 2; q += lanes) {
    const Term<kPlus> p(plus.b + first, columns, plus.a + q, rows);
    const Term<kMinus> m(minus.b + first, columns, minus.a + q, rows);
    for (int t = 0; t < tail; ++t) {
      double* position = c + t * padded + q;
      PanelVec sum = hn::Load(d, position);
      sum = p.template Add<Sign::kPlus>(t, sum);
      sum = m.template Add<Sign::kMinus>(t, sum);
      hn::Store(sum, d, position);
    }
  }
  for (; q < rows; ++q) {
    for (int t = 0; t < tail; ++t) {
      double sum = c[t * padded + q];
      for (int k = 0; k < kPlus; ++k) {
        sum += plus.a[k * rows + q] * plus.b[k * columns + first + t];
      }
      for (int k = 0; k < kMinus; ++k) {
        sum -= minus.a[k * rows + q] * minus.b[k * columns + first + t];
      }
      c[t * padded + q] = sum;
    }
  }
}

// C += A'B of `plus`, kPlus deep, and C -= A'B of `minus`, kMinus deep. C (rows
// x columns) is in panel layout. Reads up to 7 doubles behind the factors.
template <int kPlus, int kMinus>
HWY_INLINE void AddPanelProducts(int rows, int columns, Factors plus,
                                 Factors minus, double* HWY_RESTRICT c) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int panels = NumPanels(columns);
  for (int panel = 0; panel < panels; ++panel) {
    for (int h = 0; h < kPanelWidth; h += lanes) {
      const int column = panel * kPanelWidth + h;
      const Term<kPlus> p(plus.a, rows, plus.b + column, columns);
      const Term<kMinus> m(minus.a, rows, minus.b + column, columns);
      double* position = c + panel * rows * kPanelWidth + h;
      for (int i = 0; i < rows; ++i, position += kPanelWidth) {
        PanelVec sum = hn::Load(d, position);
        sum = p.template Add<Sign::kPlus>(i, sum);
        sum = m.template Add<Sign::kMinus>(i, sum);
        hn::Store(sum, d, position);
      }
    }
  }
  if (NumTailColumns(columns) > 0) {
    AddTailProduct<kPlus, kMinus>(rows, columns, plus, minus,
                                  c + panels * rows * kPanelWidth);
  }
}

// C +- A'B.
template <Sign kSign, int kDepth>
HWY_INLINE void AddPanelProduct(int rows, int columns, const double* a,
                                const double* b, double* HWY_RESTRICT c) {
  if constexpr (kSign == Sign::kPlus) {
    AddPanelProducts<kDepth, 0>(rows, columns, {a, b}, {}, c);
  } else {
    AddPanelProducts<0, kDepth>(rows, columns, {}, {a, b}, c);
  }
}

// C +- A'B for any depth.
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
  int q = 0;
  for (; q < columns; q += lanes) {
    if (columns - q <= 2 && columns - q < lanes) break;
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
  for (; q < columns; ++q) {
    for (int i = 0; i < rows; ++i) {
      double sum = kInitial == Initial::kZero ? 0.0 : c[i * columns + q];
      for (int k = 0; k < depth; ++k) {
        sum += a[i * depth + k] * b[k * columns + q];
      }
      c[i * columns + q] = sum;
    }
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
