// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What the kernels that add products into S share, compiled once per
// instruction set. Include after hwy/foreach_target.h and hwy/highway.h.

#if defined(CERES_INTERNAL_KERNELS_SCHUR_PRODUCTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_KERNELS_SCHUR_PRODUCTS_INL_H_
#undef CERES_INTERNAL_KERNELS_SCHUR_PRODUCTS_INL_H_
#else
#define CERES_INTERNAL_KERNELS_SCHUR_PRODUCTS_INL_H_
#endif

#include "ceres/kernels/panel_products-inl.h"
#include "ceres/kernels/schur_kernels.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {

// A destination in the copy.
HWY_INLINE double* Place(const SchurTarget& target, int line) {
  return target.copy + static_cast<int64_t>(line) * kPanelWidth;
}

// Adds the products of a regular row (f, r; see SchurShape) and of the U and w
// of its point to its diagonal destination.
template <int kM, int kE, int kF>
HWY_INLINE void AddDiagonal(PointDiagonal mode, const double* f,
                            const double* r, const double* u, const double* w,
                            double* HWY_RESTRICT diagonal) {
  double* rhs = diagonal + DiagonalRhsPosition(kF);
  AddTransposeProduct<Sign::kPlus>(kM, kF, f, r, rhs);
  AddTransposeProduct<Sign::kMinus>(kE, kF, u, w, rhs);
  if (mode == PointDiagonal::kFused) {
    AddPanelProducts<kM, kE>(kF, kF, {f, f}, {u, u}, diagonal);
    return;
  }
  AddPanelProduct<Sign::kPlus, kM>(kF, kF, f, f, diagonal);
  if (mode == PointDiagonal::kSplit) {
    AddPanelProduct<Sign::kMinus, kE>(kF, kF, u, u,
                                      diagonal + DiagonalSecondPosition(kF));
  }
}

// What U_a of a point of any shape, e wide, takes from row a of S and of the
// right hand side: slots [slot, end) of the point, `destination` that of (a,
// a). Returns the destination behind the last.
HWY_INLINE const int* SubtractSlot(const SchurView& view,
                                   const SchurTarget& target, int slot, int end,
                                   int e, const double* u_point,
                                   const double* w, const int* destination) {
  const auto width = [&view](int s) {
    const int column = view.slot_column[s];
    return view.column_offset[column + 1] - view.column_offset[column];
  };
  const int f = width(slot);
  const double* u_a = u_point + e * view.slot_offset[slot];
  double* diagonal = Place(target, *destination++);
  AddTransposeProduct<Sign::kMinus>(e, f, u_a, w,
                                    diagonal + DiagonalRhsPosition(f));
  if (target.diagonal != PointDiagonal::kNone) {
    double* block = target.diagonal == PointDiagonal::kFused
                        ? diagonal
                        : diagonal + DiagonalSecondPosition(f);
    AddPanelProduct<Sign::kMinus>(e, f, f, u_a, u_a, block);
  }
  if (!target.pairs) return destination;
  for (int b = slot + 1; b < end; ++b) {
    AddPanelProduct<Sign::kMinus>(e, f, width(b), u_a,
                                  u_point + e * view.slot_offset[b],
                                  Place(target, *destination++));
  }
  return destination;
}

// Row a of a row's own products: F_a'F_b for the slots b of [slot, end), and
// F_a'r. Returns the destination behind the last.
HWY_INLINE const int* AddRowSlot(const SchurView& view,
                                 const SchurTarget& target, int row, int slot,
                                 int end, const int* destination) {
  const int m = view.row_offset[row + 1] - view.row_offset[row];
  const double* row_block = view.values + view.row_block_offset[row];
  const int column_a = view.slot_column[slot];
  const int f_a =
      view.column_offset[column_a + 1] - view.column_offset[column_a];
  const double* cell_a = row_block + view.cell_position[view.slot_cell[slot]];
  AddTransposeProduct<Sign::kPlus>(
      m, f_a, cell_a, row_block,
      Place(target, *destination) + DiagonalRhsPosition(f_a));
  for (int b = slot; b < end; ++b) {
    const int column_b = view.slot_column[b];
    AddPanelProduct<Sign::kPlus>(
        m, f_a, view.column_offset[column_b + 1] - view.column_offset[column_b],
        cell_a, row_block + view.cell_position[view.slot_cell[b]],
        Place(target, *destination++));
  }
  return destination;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
