// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/row_block_sums.h"

#include <cstdlib>

#include "ceres/kernels/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/row_block_sums.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// g += J'r and n += diag(J'J) of one cell, kM x kColumns.
template <int kM, int kColumns>
HWY_INLINE void AddCell(const double* r, const double* cell,
                        double* HWY_RESTRICT g, double* HWY_RESTRICT n) {
  constexpr int kWidth = kColumns >= 8 ? 8 : kColumns >= 4 ? 4 : 2;
  const hn::CappedTag<double, kWidth> d;
  constexpr int kLanes = hn::MaxLanes(hn::CappedTag<double, kWidth>());
  constexpr int kFull = kColumns / kLanes * kLanes;
  for (int c = 0; c < kFull; c += kLanes) {
    auto gradient = hn::LoadU(d, g + c);
    auto norms = hn::LoadU(d, n + c);
    for (int k = 0; k < kM; ++k) {
      const auto v = hn::LoadU(d, cell + k * kColumns + c);
      gradient = hn::MulAdd(hn::Set(d, r[k]), v, gradient);
      norms = hn::MulAdd(v, v, norms);
    }
    hn::StoreU(gradient, d, g + c);
    hn::StoreU(norms, d, n + c);
  }
  for (int c = kFull; c < kColumns; ++c) {
    double gradient = g[c];
    double norm = n[c];
    for (int k = 0; k < kM; ++k) {
      const double v = cell[k * kColumns + c];
      gradient += r[k] * v;
      norm += v * v;
    }
    g[c] = gradient;
    n[c] = norm;
  }
}

template <int kM, int kE, int kF>
void AddShape(int num_row_blocks, const double* row_blocks,
              const uint32_t* destination, double* HWY_RESTRICT gradient,
              double* HWY_RESTRICT squared_norms) {
  constexpr int kRowBlock = kM * (1 + kE + kF);
  for (int i = 0; i < num_row_blocks;
       ++i, row_blocks += kRowBlock, destination += 2) {
    const int64_t e = destination[0];
    const int64_t f = destination[1];
    AddCell<kM, kE>(row_blocks, row_blocks + kM, gradient + e,
                    squared_norms + e);
    AddCell<kM, kF>(row_blocks, row_blocks + kM + kM * kE, gradient + f,
                    squared_norms + f);
  }
}

void AddRowBlockSumsOfTarget(RowBlockShape shape, int num_row_blocks,
                             const double* row_blocks,
                             const uint32_t* destination, double* gradient,
                             double* squared_norms) {
  switch (shape) {
    case RowBlockShape::k2x3x6:
      return AddShape<2, 3, 6>(num_row_blocks, row_blocks, destination,
                               gradient, squared_norms);
    case RowBlockShape::k2x3x8:
      return AddShape<2, 3, 8>(num_row_blocks, row_blocks, destination,
                               gradient, squared_norms);
    case RowBlockShape::k2x3x9:
      return AddShape<2, 3, 9>(num_row_blocks, row_blocks, destination,
                               gradient, squared_norms);
    case RowBlockShape::k2x3x10:
      return AddShape<2, 3, 10>(num_row_blocks, row_blocks, destination,
                                gradient, squared_norms);
    case RowBlockShape::k3x3x3:
      return AddShape<3, 3, 3>(num_row_blocks, row_blocks, destination,
                               gradient, squared_norms);
    case RowBlockShape::k6x6x6:
      return AddShape<6, 6, 6>(num_row_blocks, row_blocks, destination,
                               gradient, squared_norms);
    case RowBlockShape::kOther:
      break;
  }
  std::abort();  // Callers add row blocks of other shapes one by one.
}

// Whole lines: a compiler's loop for any cpu takes four times as many stores.
void FillRowBlocksOfTarget(int64_t n, double value, double* row_blocks) {
  const hn::CappedTag<double, 8> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto v = hn::Set(d, value);
  const auto is_aligned = [lanes](const double* p) {
    return reinterpret_cast<uintptr_t>(p) % (lanes * sizeof(double)) == 0;
  };
  int64_t i = 0;
  for (; i < n && !is_aligned(row_blocks + i); ++i) row_blocks[i] = value;
  for (; i + lanes <= n; i += lanes) hn::Store(v, d, row_blocks + i);
  for (; i < n; ++i) row_blocks[i] = value;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(AddRowBlockSumsOfTarget);
HWY_EXPORT(FillRowBlocksOfTarget);

RowBlockShape FindRowBlockShape(int m, int e, int f) {
  if (m == 3 && e == 3 && f == 3) return RowBlockShape::k3x3x3;
  if (m == 6 && e == 6 && f == 6) return RowBlockShape::k6x6x6;
  if (m != 2 || e != 3) return RowBlockShape::kOther;
  switch (f) {
    case 6:
      return RowBlockShape::k2x3x6;
    case 8:
      return RowBlockShape::k2x3x8;
    case 9:
      return RowBlockShape::k2x3x9;
    case 10:
      return RowBlockShape::k2x3x10;
    default:
      return RowBlockShape::kOther;
  }
}

void AddRowBlockSums(RowBlockShape shape, int num_row_blocks,
                     const double* row_blocks, const uint32_t* destination,
                     double* gradient, double* squared_norms) {
  HWY_DYNAMIC_DISPATCH(AddRowBlockSumsOfTarget)
  (shape, num_row_blocks, row_blocks, destination, gradient, squared_norms);
}

void FillRowBlocks(int64_t n, double value, double* row_blocks) {
  HWY_DYNAMIC_DISPATCH(FillRowBlocksOfTarget)(n, value, row_blocks);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
