// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/normal_kernels.h"

#include <algorithm>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/kernels_tuning.h"
#include "ceres/kernels/panel_block.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/normal_kernels.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/panel_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

// The scratch of a block row of shape k3 or k6, in panel layout.
struct Scratch {
  Scratch(double* scratch, int width)
      : gradient(scratch), diagonal(gradient + PaddedSize(width)) {}
  double* gradient;
  double* diagonal;
};

// Copies a block from panel layout to row-major.
HWY_INLINE void Unpack(int rows, int columns, const double* panels,
                       double* HWY_RESTRICT to) {
  const int tail = NumTailColumns(columns);
  for (int i = 0; i < rows; ++i, to += columns) {
    for (int first = 0; first < columns - tail; first += kPanelWidth) {
      std::copy_n(panels + PanelPosition(rows, columns, i, first),
                  std::min(kPanelWidth, columns - tail - first), to + first);
    }
    for (int j = columns - tail; j < columns; ++j) {
      to[j] = panels[PanelPosition(rows, columns, i, j)];
    }
  }
}

// Sums the blocks of a block row in scratch, in panel layout, one after the
// other.
void SumAnyRow(const NormalView& view, int row, double* HWY_RESTRICT gradient,
               double* HWY_RESTRICT sums) {
  const int f = view.offset[row + 1] - view.offset[row];
  const NormalBlock& last = view.blocks[view.first_block[row + 1] - 1];
  std::fill_n(gradient, PaddedSize(f), 0.0);
  std::fill_n(sums, last.sum + PanelBlockSize(f, last.width), 0.0);
  for (int64_t t = view.first_term[row]; t < view.first_term[row + 1]; ++t) {
    const NormalTerm& term = view.terms[t];
    const int64_t end_product = view.terms[t + 1].first_product;
    const int m = term.num_residuals;
    const double* row_block = view.values + term.row_block;
    const double* a = row_block + term.cell;
    AddTransposeProduct<Sign::kPlus>(m, f, a, row_block, gradient);
    AddPanelProduct<Sign::kPlus>(m, f, f, a, a, sums);
    for (int64_t k = term.first_product; k < end_product; ++k) {
      const NormalProduct& product = view.products[k];
      AddPanelProduct<Sign::kPlus>(m, f, product.width, a,
                                   row_block + product.cell,
                                   sums + product.destination);
    }
  }
}

void GatherAnyRow(const NormalView& view, const double* damping, int row,
                  double* memory, double* HWY_RESTRICT matrix,
                  double* negative_gradient) {
  const int column = view.offset[row];
  const int f = view.offset[row + 1] - column;
  double* const gradient = memory;
  double* const sums = memory + PaddedSize(f);
  SumAnyRow(view, row, gradient, sums);
  for (int k = 0; k < f; ++k) {
    const double d = damping == nullptr ? 0.0 : damping[column + k];
    sums[PanelPosition(f, f, k, k)] += d * d;
    negative_gradient[column + k] = -gradient[k];
  }
  for (int64_t k = view.first_block[row]; k < view.first_block[row + 1]; ++k) {
    const NormalBlock& block = view.blocks[k];
    Unpack(f, block.width, sums + block.sum, matrix + block.destination);
  }
}

// Fetches what a later term of shape kF reads.
template <int kF>
HWY_INLINE void PrefetchTerm(const NormalView& view, int64_t t) {
  constexpr int kLine = 8;  // doubles
  const NormalTerm& term = view.terms[t];
  const double* row_block = view.values + term.row_block;
  hwy::Prefetch(row_block);
  for (int k = 0; k < kF * kF; k += kLine)
    hwy::Prefetch(row_block + term.cell + k);
  if (term.first_product == view.terms[t + 1].first_product) return;
  const double* b = row_block + view.products[term.first_product].cell;
  for (int k = 0; k < kF * kF; k += kLine) hwy::Prefetch(b + k);
}

// A block row of shape kF: the columns from kFirst on of its blocks, the sums
// of the diagonal block and of the gradient in registers.
template <int kF, int kFirst>
void GatherColumns(const NormalView& view, int row, const Scratch& scratch,
                   double* HWY_RESTRICT matrix) {
  const PanelTag d;
  constexpr int kLanes = hn::MaxLanes(PanelTag());
  constexpr int kWidth = kF - kFirst < kLanes ? kF - kFirst : kLanes;
  const int64_t end = view.first_term[row + 1];
  HWY_ALIGN double block[kF * kLanes];
  PanelVec gradient = hn::Zero(d);
  PanelVec diagonal[kF];
  for (PanelVec& sum : diagonal) sum = hn::Zero(d);
  for (int64_t t = view.first_term[row]; t < end; ++t) {
    if (t + kNormalTermsAhead < end)
      PrefetchTerm<kF>(view, t + kNormalTermsAhead);
    const NormalTerm& term = view.terms[t];
    const double* row_block = view.values + term.row_block;
    const double* a = row_block + term.cell;
    PanelVec v[kF];
    for (int k = 0; k < kF; ++k) {
      v[k] = hn::LoadU(d, a + k * kF + kFirst);
      gradient = hn::MulAdd(hn::Set(d, row_block[k]), v[k], gradient);
    }
    for (int i = 0; i < kF; ++i) {
      for (int k = 0; k < kF; ++k) {
        diagonal[i] = hn::MulAdd(hn::Set(d, a[k * kF + i]), v[k], diagonal[i]);
      }
    }
    for (int64_t p = term.first_product; p < view.terms[t + 1].first_product;
         ++p) {
      const NormalProduct& product = view.products[p];
      const double* b = row_block + product.cell + kFirst;
      for (int k = 0; k < kF; ++k) v[k] = hn::LoadU(d, b + k * kF);
      for (int i = 0; i < kF; ++i) {
        PanelVec sum = hn::Mul(hn::Set(d, a[i]), v[0]);
        for (int k = 1; k < kF; ++k) {
          sum = hn::MulAdd(hn::Set(d, a[k * kF + i]), v[k], sum);
        }
        hn::Store(sum, d, block + i * kLanes);
      }
      double* to = matrix + product.destination + kFirst;
      for (int i = 0; i < kF; ++i) {
        for (int j = 0; j < kWidth; ++j) {
          const double value = block[i * kLanes + j];
          to[i * kF + j] = product.is_first ? value : to[i * kF + j] + value;
        }
      }
    }
  }
  hn::Store(gradient, d, scratch.gradient + kFirst);
  for (int i = 0; i < kF; ++i) {
    hn::Store(diagonal[i], d, scratch.diagonal + i * kPanelWidth + kFirst);
  }
  if constexpr (kFirst + kLanes < kF) {
    GatherColumns<kF, kFirst + kLanes>(view, row, scratch, matrix);
  }
}

template <int kF>
void GatherRowOfShape(const NormalView& view, const double* damping, int row,
                      double* memory, double* HWY_RESTRICT matrix,
                      double* HWY_RESTRICT negative_gradient) {
  const Scratch scratch(memory, kF);
  GatherColumns<kF, 0>(view, row, scratch, matrix);
  double* const diagonal = matrix + view.diagonal[row];
  const int column = view.offset[row];
  for (int i = 0; i < kF; ++i) {
    for (int j = 0; j < kF; ++j) {
      diagonal[i * kF + j] = scratch.diagonal[i * kPanelWidth + j];
    }
    const double d = damping == nullptr ? 0.0 : damping[column + i];
    diagonal[i * kF + i] += d * d;
    negative_gradient[column + i] = -scratch.gradient[i];
  }
}

void GatherRow(const NormalView& view, const double* damping, int row,
               double* memory, double* matrix, double* negative_gradient) {
  switch (view.shape[row]) {
    case NormalShape::k3:
      return GatherRowOfShape<3>(view, damping, row, memory, matrix,
                                 negative_gradient);
    case NormalShape::k6:
      return GatherRowOfShape<6>(view, damping, row, memory, matrix,
                                 negative_gradient);
    case NormalShape::kAny:
      return GatherAnyRow(view, damping, row, memory, matrix,
                          negative_gradient);
  }
}

void GatherNormalRowsOfTarget(const NormalView& view, const double* damping,
                              int begin, int end, double* scratch,
                              double* matrix, double* negative_gradient) {
  for (int row = begin; row < end; ++row) {
    GatherRow(view, damping, row, scratch, matrix, negative_gradient);
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(GatherNormalRowsOfTarget);

int64_t NormalScratchSize(int max_width, int64_t max_sums) {
  return PaddedSize(max_width) +
         std::max<int64_t>(PanelBlockSize(max_width, max_width), max_sums);
}

int64_t NormalSumSize(int rows, int columns) {
  return PanelBlockSize(rows, columns);
}

void GatherNormalRows(const NormalView& view, const double* damping, int begin,
                      int end, double* scratch, double* matrix,
                      double* negative_gradient) {
  HWY_DYNAMIC_DISPATCH(GatherNormalRowsOfTarget)
  (view, damping, begin, end, scratch, matrix, negative_gradient);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
