// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/normal_kernels.h"

#include <algorithm>

#include "ceres/kernels/highway_targets.h"
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

// A size: known to the compiler, or (kAny) not.
constexpr int kAny = 0;
template <int kSize>
HWY_INLINE int SizeOf(int size) {
  return kSize == kAny ? size : kSize;
}

// A block row while it is gathered, all in panel layout.
struct Scratch {
  Scratch(double* scratch, int width)
      : gradient(scratch),
        diagonal(gradient + PaddedSize(width)),
        product(diagonal + PanelBlockSize(width, width)) {}
  double* gradient;
  double* diagonal;
  double* product;
};

// to (row-major) = or += a block in panel layout.
template <int kRows, int kColumns>
HWY_INLINE void Unpack(int num_rows, int num_columns, const double* panels,
                       bool is_first, double* HWY_RESTRICT to) {
  const int rows = SizeOf<kRows>(num_rows);
  const int columns = SizeOf<kColumns>(num_columns);
  const int tail = NumTailColumns(columns);
  for (int i = 0; i < rows; ++i, to += columns) {
    for (int first = 0; first < columns - tail; first += kPanelWidth) {
      const int width = std::min(kPanelWidth, columns - tail - first);
      const double* from = panels + PanelPosition(rows, columns, i, first);
      for (int j = 0; j < width; ++j) {
        to[first + j] = is_first ? from[j] : to[first + j] + from[j];
      }
    }
    for (int j = columns - tail; j < columns; ++j) {
      const double value = panels[PanelPosition(rows, columns, i, j)];
      to[j] = is_first ? value : to[j] + value;
    }
  }
}

template <int kM, int kF>
HWY_INLINE void AddTerm(const NormalView& view, const NormalTerm& term,
                        int64_t end_product, int width, const Scratch& scratch,
                        double* HWY_RESTRICT matrix) {
  const int m = SizeOf<kM>(term.num_residuals);
  const int f = SizeOf<kF>(width);
  const double* record = view.values + term.record;
  const double* a = record + term.cell;
  AddTransposeProduct<Sign::kPlus>(m, f, a, record, scratch.gradient);
  AddPanelProduct<Sign::kPlus>(m, f, f, a, a, scratch.diagonal);
  for (int64_t k = term.first_product; k < end_product; ++k) {
    const NormalProduct& product = view.products[k];
    const int g = SizeOf<kF>(product.width);
    std::fill_n(scratch.product, PanelBlockSize(f, g), 0.0);
    AddPanelProduct<Sign::kPlus>(m, f, g, a, record + product.cell,
                                 scratch.product);
    Unpack<kF, kF>(f, g, scratch.product, product.is_first,
                   matrix + product.destination);
  }
}

// Whether all sizes of a term are these.
HWY_INLINE bool IsOfSize(const NormalView& view, const NormalTerm& term,
                         int64_t end_product, int m, int width) {
  if (term.num_residuals != m) return false;
  for (int64_t k = term.first_product; k < end_product; ++k) {
    if (view.products[k].width != width) return false;
  }
  return true;
}

// What a later term will read: it lies anywhere in memory.
HWY_INLINE void PrefetchTerm(const NormalView& view, const NormalTerm& term) {
  constexpr int kLine = 8;  // doubles
  const double* record = view.values + term.record;
  hwy::Prefetch(record);
  hwy::Prefetch(record + kLine);
  hwy::Prefetch(record + 2 * kLine);
}

void GatherRow(const NormalView& view, const double* damping, int row,
               double* memory, double* HWY_RESTRICT matrix,
               double* negative_gradient) {
  constexpr int kAhead = 4;
  const int column = view.offset[row];
  const int f = view.offset[row + 1] - column;
  const Scratch scratch(memory, f);
  std::fill(scratch.gradient, scratch.product, 0.0);
  for (int64_t t = view.first_term[row]; t < view.first_term[row + 1]; ++t) {
    const NormalTerm& term = view.terms[t];
    const int64_t end_product = view.terms[t + 1].first_product;
    if (t + kAhead < view.first_term[row + 1]) {
      PrefetchTerm(view, view.terms[t + kAhead]);
    }
    if (f == 3 && IsOfSize(view, term, end_product, 3, 3)) {
      AddTerm<3, 3>(view, term, end_product, f, scratch, matrix);
    } else if (f == 6 && IsOfSize(view, term, end_product, 6, 6)) {
      AddTerm<6, 6>(view, term, end_product, f, scratch, matrix);
    } else {
      AddTerm<kAny, kAny>(view, term, end_product, f, scratch, matrix);
    }
  }
  if (damping != nullptr) {
    for (int k = 0; k < f; ++k) {
      const double d = damping[column + k];
      scratch.diagonal[PanelPosition(f, f, k, k)] += d * d;
    }
  }
  Unpack<kAny, kAny>(f, f, scratch.diagonal, /*is_first=*/true,
                     matrix + view.diagonal[row]);
  for (int k = 0; k < f; ++k) {
    negative_gradient[column + k] = -scratch.gradient[k];
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

int NormalScratchSize(int max_width) {
  return PaddedSize(max_width) + 2 * PanelBlockSize(max_width, max_width);
}

void GatherNormalRows(const NormalView& view, const double* damping, int begin,
                      int end, double* scratch, double* matrix,
                      double* negative_gradient) {
  HWY_DYNAMIC_DISPATCH(GatherNormalRowsOfTarget)
  (view, damping, begin, end, scratch, matrix, negative_gradient);
}

void GatherNormalRowsPlain(const NormalView& view, const double* damping,
                           int begin, int end, double* matrix,
                           double* negative_gradient) {
  // block += A'B, both m rows.
  const auto add_product = [](int m, int f, int g, const double* a,
                              const double* b, double* block) {
    for (int k = 0; k < m; ++k) {
      for (int i = 0; i < f; ++i) {
        for (int j = 0; j < g; ++j) {
          block[i * g + j] += a[k * f + i] * b[k * g + j];
        }
      }
    }
  };
  for (int row = begin; row < end; ++row) {
    const int column = view.offset[row];
    const int f = view.offset[row + 1] - column;
    double* diagonal = matrix + view.diagonal[row];
    double* gradient = negative_gradient + column;
    std::fill_n(diagonal, f * f, 0.0);
    std::fill_n(gradient, f, 0.0);
    for (int64_t t = view.first_term[row]; t < view.first_term[row + 1]; ++t) {
      const NormalTerm& term = view.terms[t];
      const int m = term.num_residuals;
      const double* record = view.values + term.record;
      const double* a = record + term.cell;
      add_product(m, f, f, a, a, diagonal);
      add_product(m, f, 1, a, record, gradient);
      for (int64_t k = term.first_product; k < view.terms[t + 1].first_product;
           ++k) {
        const NormalProduct& product = view.products[k];
        double* block = matrix + product.destination;
        if (product.is_first) std::fill_n(block, f * product.width, 0.0);
        add_product(m, f, product.width, a, record + product.cell, block);
      }
    }
    for (int i = 0; i < f; ++i) {
      gradient[i] = -gradient[i];
      if (damping != nullptr) {
        diagonal[i * f + i] += damping[column + i] * damping[column + i];
      }
    }
  }
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
