// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/schur_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/schur_eliminate.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/schur_points-inl.h"
#include "ceres/kernels/schur_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

// Subtracts the products of the U_a of a point from S and the right hand side,
// for points of any shape; the rows' own products are added elsewhere.
HWY_INLINE void SubtractPoint(const SchurView& view, const SchurTarget& target,
                              int point, int e, const double* u,
                              const double* w) {
  const int first = view.first_camera[point];
  const int end = view.first_camera[point + 1];
  const int* destination = view.destination + view.first_destination[point];
  for (int camera = first; camera < end; ++camera) {
    destination =
        SubtractCamera(view, target, camera, end, e, u, w, destination);
  }
}

// A row's own products F_a'F_b and F_a'r, at the destinations of its own
// clique.
HWY_INLINE void AddRow(const SchurView& view, const SchurTarget& target,
                       int row) {
  const int clique = view.row_clique[row];
  if (clique < 0) return;
  const int* destination = view.destination + view.first_destination[clique];
  const int end = view.first_camera[clique + 1];
  for (int camera = view.first_camera[clique]; camera < end; ++camera) {
    destination = AddRowCamera(view, target, row, camera, end, destination);
  }
}

void AddRowsOfTarget(const SchurView& view, const SchurTarget& target,
                     int begin, int end) {
  for (int row = begin; row < end; ++row) AddRow(view, target, row);
}

// L, w and the U_a (at u) of a point of any shape. False: B is not positive
// definite.
bool FormPoint(const SchurView& view, const SchurTarget& target, int point,
               double* w, double* t, double* u) {
  const int column = view.column_offset[point];
  const int e = view.column_offset[point + 1] - column;
  const int row_begin = view.eliminated_first_row[point];
  const int row_end = view.eliminated_first_row[point + 1];
  double* l = target.factor + view.factor_offset[point];
  SetDamping(e, target.damping ? target.damping + column : nullptr, l, w);
  for (int row = row_begin; row < row_end; ++row) {
    const double* row_block = view.values + view.row_block_offset[row];
    AddNormalEquations(view.row_offset[row + 1] - view.row_offset[row], e,
                       row_block + view.cell_position[view.first_cell[row]],
                       row_block, l, w);
  }
  if (!PackedCholesky(e, l)) return false;
  PackedForwardSolve(e, l, 1, w);

  const int first = view.first_camera[point];
  if (view.first_camera[point + 1] == first) return true;
  std::fill_n(u, view.u_offset[point + 1] - view.u_offset[point], 0.0);
  for (int row = row_begin; row < row_end; ++row) {
    const double* row_block = view.values + view.row_block_offset[row];
    const int m = view.row_offset[row + 1] - view.row_offset[row];
    const int first_cell = view.first_cell[row];
    if (view.first_cell[row + 1] == first_cell + 1) continue;
    SolveTransposed(m, e, l, row_block + view.cell_position[first_cell], t);
    for (int c = first_cell + 1; c < view.first_cell[row + 1]; ++c) {
      const int block = view.cell_column[c];
      AddSmallProduct<Initial::kKeep>(
          e, m, view.column_offset[block + 1] - view.column_offset[block], t,
          row_block + view.cell_position[c],
          u + e * view.camera_offset[first + view.cell_camera[c]]);
    }
  }
  return true;
}

// A point of any shape.
bool EliminatePoint(const SchurView& view, const SchurTarget& target,
                    int point) {
  const int e = view.column_offset[point + 1] - view.column_offset[point];
  double* w = target.scratch;
  double* u = target.keep_u ? target.u + view.u_offset[point] : target.u;
  if (!FormPoint(view, target, point, w, w + e, u)) return false;
  if (view.first_camera[point + 1] == view.first_camera[point]) return true;
  SubtractPoint(view, target, point, e, u, w);
  AddRowsOfTarget(view, target, view.eliminated_first_row[point],
                  view.eliminated_first_row[point + 1]);
  return true;
}

int EliminateAnyPoints(const SchurView& view, const SchurTarget& target,
                       int begin, int end) {
  for (int point = begin; point < end; ++point) {
    if (!EliminatePoint(view, target, point)) return point;
  }
  return -1;
}

int FormAnyPoints(const SchurView& view, const SchurTarget& target, int begin,
                  int end) {
  for (int point = begin; point < end; ++point) {
    if (!FormPoint(view, target, point, target.w + view.column_offset[point],
                   target.scratch, target.u + view.u_offset[point])) {
      return point;
    }
  }
  return -1;
}

// Points of one shape, see SchurShape: everything is constant, each row has one
// camera, and the row's own products go to the diagonal destination of the
// camera.
template <int kM, int kE, int kF>
int EliminateShape(const SchurView& view, const SchurTarget& target, int begin,
                   int end) {
  static_assert(kE == 3, "");
  constexpr int kRowBlock = kM * (1 + kE + kF);
  constexpr int kU = kE * kF;
  const auto eliminate = [&](int point, int k, const double* row_blocks,
                             const PointFactor& factor) {
    const int row_begin = view.eliminated_first_row[point];
    double* u = target.keep_u ? target.u + view.u_offset[point] : target.u;
    const int* cameras = view.cell_camera + view.first_cell[row_begin];
    const int* destination = view.destination + view.first_destination[point];
    for (int i = 0; i < k; ++i) {
      const double* row_block = row_blocks + i * kRowBlock;
      const double* f = row_block + kM + kM * kE;
      const int a = cameras[2 * i + 1];
      double* u_a = u + a * kU;
      double t[kE * kM];
      factor.SolveTransposed<kM>(row_block + kM, t);
      AddSmallProduct<Initial::kZero>(kE, kM, kF, t, f, u_a);
      AddDiagonal<kM, kE, kF>(
          target.diagonal, f, row_block, u_a, factor.w,
          Place(target, destination[DiagonalIndex(target.pairs, a, k)]));
    }
    if (!target.pairs) return;
    for (int a = 0; a < k; ++a) {
      ++destination;
      for (int b = a + 1; b < k; ++b) {
        AddPanelProduct<Sign::kMinus, kE>(kF, kF, u + a * kU, u + b * kU,
                                          Place(target, *destination++));
      }
    }
  };
  return ForFactoredPoints<kM, kF>(view, target, begin, end, eliminate);
}

template <int kM, int kE, int kF>
int FormShape(const SchurView& view, const SchurTarget& target, int begin,
              int end) {
  static_assert(kE == 3, "");
  constexpr int kRowBlock = kM * (1 + kE + kF);
  const auto form = [&](int point, int k, const double* row_blocks,
                        const PointFactor& factor) {
    std::copy_n(factor.w, kE, target.w + view.column_offset[point]);
    double* u = target.u + view.u_offset[point];
    const int* cameras =
        view.cell_camera + view.first_cell[view.eliminated_first_row[point]];
    for (int i = 0; i < k; ++i) {
      const double* row_block = row_blocks + i * kRowBlock;
      double t[kE * kM];
      factor.SolveTransposed<kM>(row_block + kM, t);
      AddSmallProduct<Initial::kZero>(kE, kM, kF, t, row_block + kM + kM * kE,
                                      u + cameras[2 * i + 1] * kE * kF);
    }
  };
  return ForFactoredPoints<kM, kF>(view, target, begin, end, form);
}

int EliminatePointsOfTarget(const SchurView& view, const SchurTarget& target,
                            SchurShape shape, int begin, int end) {
  switch (shape) {
    case SchurShape::k2x3x6:
      return EliminateShape<2, 3, 6>(view, target, begin, end);
    case SchurShape::k2x3x9:
      return EliminateShape<2, 3, 9>(view, target, begin, end);
    case SchurShape::k2x3x10:
      return EliminateShape<2, 3, 10>(view, target, begin, end);
    case SchurShape::kDynamic:
      break;
  }
  return EliminateAnyPoints(view, target, begin, end);
}

int FormPointsOfTarget(const SchurView& view, const SchurTarget& target,
                       SchurShape shape, int begin, int end) {
  switch (shape) {
    case SchurShape::k2x3x6:
      return FormShape<2, 3, 6>(view, target, begin, end);
    case SchurShape::k2x3x9:
      return FormShape<2, 3, 9>(view, target, begin, end);
    case SchurShape::k2x3x10:
      return FormShape<2, 3, 10>(view, target, begin, end);
    case SchurShape::kDynamic:
      break;
  }
  return FormAnyPoints(view, target, begin, end);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(EliminatePointsOfTarget);
HWY_EXPORT(FormPointsOfTarget);
HWY_EXPORT(AddRowsOfTarget);

int EliminatePoints(const SchurView& view, const SchurTarget& target,
                    SchurShape shape, int begin, int end) {
  return HWY_DYNAMIC_DISPATCH(EliminatePointsOfTarget)(view, target, shape,
                                                       begin, end);
}

int FormPoints(const SchurView& view, const SchurTarget& target,
               SchurShape shape, int begin, int end) {
  return HWY_DYNAMIC_DISPATCH(FormPointsOfTarget)(view, target, shape, begin,
                                                  end);
}

void AddRows(const SchurView& view, const SchurTarget& target, int begin,
             int end) {
  if (view.row_clique == nullptr) return;
  HWY_DYNAMIC_DISPATCH(AddRowsOfTarget)(view, target, begin, end);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
