// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Products into S that several kernels share, compiled once per instruction
// set. Include after hwy/foreach_target.h and hwy/highway.h.

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

// A destination in the partial sum.
HWY_INLINE double* Place(const SchurTarget& target, int line) {
  return target.partial_sum + static_cast<int64_t>(line) * kPanelWidth;
}

// Adds the products of a row (f, r) of a point with a SchurShape, and of the
// point's U and w, to the diagonal destination of the row's camera.
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

// Subtracts the products of U_a with the U_b of cameras [camera, end) of a
// point of any shape from block row a, and U_a'w from the right hand side.
// destination: of (a, a). Returns the first destination behind the row.
HWY_INLINE const int* SubtractCamera(const SchurView& view,
                                     const SchurTarget& target, int camera,
                                     int end, int e, const double* u_point,
                                     const double* w, const int* destination) {
  const auto width = [&view](int s) {
    const int column = view.camera_column[s];
    return view.column_offset[column + 1] - view.column_offset[column];
  };
  const int f = width(camera);
  const double* u_a = u_point + e * view.camera_offset[camera];
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
  for (int b = camera + 1; b < end; ++b) {
    AddPanelProduct<Sign::kMinus>(e, f, width(b), u_a,
                                  u_point + e * view.camera_offset[b],
                                  Place(target, *destination++));
  }
  return destination;
}

// Adds F_a'F_b for the cameras [camera, end) of a row's own clique, a being the
// first, and F_a'r. Returns the first destination behind the row of products.
HWY_INLINE const int* AddRowCamera(const SchurView& view,
                                   const SchurTarget& target, int row,
                                   int camera, int end,
                                   const int* destination) {
  const int m = view.row_offset[row + 1] - view.row_offset[row];
  const double* row_block = view.values + view.row_block_offset[row];
  const int column_a = view.camera_column[camera];
  const int f_a =
      view.column_offset[column_a + 1] - view.column_offset[column_a];
  const double* cell_a =
      row_block + view.cell_position[view.camera_cell[camera]];
  AddTransposeProduct<Sign::kPlus>(
      m, f_a, cell_a, row_block,
      Place(target, *destination) + DiagonalRhsPosition(f_a));
  for (int b = camera; b < end; ++b) {
    const int column_b = view.camera_column[b];
    AddPanelProduct<Sign::kPlus>(
        m, f_a, view.column_offset[column_b + 1] - view.column_offset[column_b],
        cell_a, row_block + view.cell_position[view.camera_cell[b]],
        Place(target, *destination++));
  }
  return destination;
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
