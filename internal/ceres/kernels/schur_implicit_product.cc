// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/schur_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/schur_implicit_product.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/panel_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

// sums[k * 8 ...] += U[k] * x, lane by lane: the lanes are added up once per
// point.
template <typename Size, typename Columns>
HWY_INLINE void AddLaneProducts(Size e, Columns f, const double* u,
                                const double* x, double* sums) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int q = 0; q < f; q += lanes) {
    const PanelVec x_q = hn::Load(d, x + q);
    for (int k = 0; k < e; ++k) {
      double* sum = sums + k * kPanelWidth + q % kPanelWidth;
      hn::Store(hn::MulAdd(hn::LoadU(d, u + k * f + q), x_q, hn::Load(d, sum)),
                d, sum);
    }
  }
}

// sums[k] = the sum of the 8 lanes of sums[8 k ...], in one order for all
// instruction sets.
template <typename Size>
HWY_INLINE void AddUpLanes(Size e, double* sums) {
  for (int k = 0; k < e; ++k) {
    const double* s = sums + k * kPanelWidth;
    sums[k] = ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
  }
}

// Points e wide whose cameras are all f wide; both may be constants.
template <typename Size, typename Columns>
HWY_INLINE void SubtractUniformPoint(Size e, Columns f, const double* u,
                                     int begin, int end, const int* camera_x,
                                     const int* camera_y, const double* x,
                                     double* y, double* sums) {
  std::fill_n(sums, e * kPanelWidth, 0.0);
  for (int camera = begin; camera < end; ++camera) {
    AddLaneProducts(e, f, u + (camera - begin) * e * f, x + camera_x[camera],
                    sums);
  }
  AddUpLanes(e, sums);
  for (int camera = begin; camera < end; ++camera) {
    AddTransposeProduct<Sign::kMinus>(e, f, u + (camera - begin) * e * f, sums,
                                      y + camera_y[camera]);
  }
}

template <int kE, int kF>
void SubtractShape(const SchurView& view, const double* u, int begin, int end,
                   const int* camera_x, const int* camera_y, const double* x,
                   double* y, double* scratch) {
  for (int point = begin; point < end; ++point) {
    SubtractUniformPoint(kE, kF, u + view.u_offset[point],
                         view.first_camera[point], view.first_camera[point + 1],
                         camera_x, camera_y, x, y, scratch);
  }
}

void SubtractAny(const SchurView& view, const double* u, int begin, int end,
                 const int* camera_x, const int* camera_y, const double* x,
                 double* y, double* scratch) {
  const auto width = [&view](int camera) {
    const int column = view.camera_column[camera];
    return view.column_offset[column + 1] - view.column_offset[column];
  };
  for (int point = begin; point < end; ++point) {
    const int e = view.column_offset[point + 1] - view.column_offset[point];
    const double* u_point = u + view.u_offset[point];
    const int camera_end = view.first_camera[point + 1];
    std::fill_n(scratch, e * kPanelWidth, 0.0);
    for (int camera = view.first_camera[point]; camera < camera_end; ++camera) {
      AddLaneProducts(e, width(camera),
                      u_point + e * view.camera_offset[camera],
                      x + camera_x[camera], scratch);
    }
    AddUpLanes(e, scratch);
    for (int camera = view.first_camera[point]; camera < camera_end; ++camera) {
      AddTransposeProduct<Sign::kMinus>(
          e, width(camera), u_point + e * view.camera_offset[camera], scratch,
          y + camera_y[camera]);
    }
  }
}

void SubtractOfTarget(const SchurView& view, SchurShape shape, const double* u,
                      int begin, int end, const int* camera_x,
                      const int* camera_y, const double* x, double* y,
                      double* scratch) {
  switch (shape) {
    case SchurShape::k2x3x6:
      return SubtractShape<3, 6>(view, u, begin, end, camera_x, camera_y, x, y,
                                 scratch);
    case SchurShape::k2x3x9:
      return SubtractShape<3, 9>(view, u, begin, end, camera_x, camera_y, x, y,
                                 scratch);
    case SchurShape::k2x3x10:
      return SubtractShape<3, 10>(view, u, begin, end, camera_x, camera_y, x, y,
                                  scratch);
    case SchurShape::kDynamic:
      break;
  }
  SubtractAny(view, u, begin, end, camera_x, camera_y, x, y, scratch);
}

// The values of a matrix from one place on; see PanelMatrixView.
enum class Parts { kWhole, kBoth };
template <Parts kParts>
struct SplitValues {
  HWY_INLINE PanelVec Load(int i) const {
    const PanelTag d;
    const hn::Rebind<int32_t, PanelTag> whole_tag;
    const hn::Rebind<float, PanelTag> rest_tag;
    const PanelVec value = hn::PromoteTo(d, hn::Load(whole_tag, whole + i));
    if constexpr (kParts == Parts::kWhole) return value;
    return hn::Add(value, hn::PromoteTo(d, hn::Load(rest_tag, rest + i)));
  }
  HWY_INLINE SplitValues At(int64_t i) const {
    return {whole + i, kParts == Parts::kBoth ? rest + i : nullptr};
  }

  const int32_t* whole;
  const float* rest;
};

enum class Mirror { kNo, kYes };

// MultiplyBlock for one panel of A.
template <Mirror kMirror, typename Values, typename Rows>
HWY_INLINE void MultiplyPanel(Rows rows, Values a, const double* x_i,
                              const double* x_j, double* y_j,
                              double* HWY_RESTRICT sums) {
  const PanelTag d;
  constexpr int kPanelLanes = static_cast<int>(hn::MaxLanes(PanelTag()));
  if constexpr (2 * kPanelLanes == kPanelWidth) {
    // Both halves of a row at once: an entry of x_i is broadcast once, and the
    // row has one vector of sums instead of two.
    const PanelVec x_low = hn::Load(d, x_j);
    const PanelVec x_high = hn::Load(d, x_j + kPanelLanes);
    PanelVec y_low = hn::Zero(d);
    PanelVec y_high = y_low;
    if constexpr (kMirror == Mirror::kYes) {
      y_low = hn::Load(d, y_j);
      y_high = hn::Load(d, y_j + kPanelLanes);
    }
    for (int r = 0; r < rows; ++r) {
      const PanelVec low = a.Load(r * kPanelWidth);
      const PanelVec high = a.Load(r * kPanelWidth + kPanelLanes);
      double* sum = sums + r * kPanelWidth;
      hn::Store(
          hn::MulAdd(high, x_high, hn::MulAdd(low, x_low, hn::Load(d, sum))), d,
          sum);
      if constexpr (kMirror == Mirror::kYes) {
        const PanelVec x_r = hn::Set(d, x_i[r]);
        y_low = hn::MulAdd(low, x_r, y_low);
        y_high = hn::MulAdd(high, x_r, y_high);
      }
    }
    if constexpr (kMirror == Mirror::kYes) {
      hn::Store(y_low, d, y_j);
      hn::Store(y_high, d, y_j + kPanelLanes);
    }
  } else {
    for (int h = 0; h < kPanelWidth; h += kPanelLanes) {
      const PanelVec x_h = hn::Load(d, x_j + h);
      PanelVec y_h = hn::Zero(d);
      if constexpr (kMirror == Mirror::kYes) y_h = hn::Load(d, y_j + h);
      for (int r = 0; r < rows; ++r) {
        const PanelVec a_r = a.Load(r * kPanelWidth + h);
        double* sum = sums + r * kPanelWidth + h;
        hn::Store(hn::MulAdd(a_r, x_h, hn::Load(d, sum)), d, sum);
        if constexpr (kMirror == Mirror::kYes) {
          y_h = hn::MulAdd(a_r, hn::Set(d, x_i[r]), y_h);
        }
      }
      if constexpr (kMirror == Mirror::kYes) hn::Store(y_h, d, y_j + h);
    }
  }
}

// y_i += A x_j, and y_j += A'x_i where kMirror, for one block A (rows x
// columns) in panel layout whose padding is zero. The lanes of A x_j are summed
// up in sums[8 r ...], r < rows.
template <Mirror kMirror, typename Values, typename Rows, typename Columns>
HWY_INLINE void MultiplyBlock(Rows rows, Columns columns, Values a,
                              const double* x_i, const double* x_j, double* y_i,
                              double* HWY_RESTRICT y_j,
                              double* HWY_RESTRICT sums) {
  const PanelTag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const int panels = NumPanels(columns);
  for (int p = 0; p < panels; ++p) {
    const int q = p * kPanelWidth;
    MultiplyPanel<kMirror>(rows, a.At(q * rows), x_i, x_j + q, y_j + q, sums);
  }
  Values tail = a.At(panels * rows * kPanelWidth);
  for (int t = 0; t < NumTailColumns(columns); ++t) {
    const int column = panels * kPanelWidth + t;
    const PanelVec x_t = hn::Set(d, x_j[column]);
    PanelVec dot = hn::Zero(d);
    for (int q = 0; q < rows; q += lanes) {
      const PanelVec a_q = tail.Load(q);
      hn::Store(hn::MulAdd(a_q, x_t, hn::Load(d, y_i + q)), d, y_i + q);
      if constexpr (kMirror == Mirror::kYes) {
        dot = hn::MulAdd(a_q, hn::Load(d, x_i + q), dot);
      }
    }
    if constexpr (kMirror == Mirror::kYes) {
      y_j[column] += hn::GetLane(hn::SumOfLanes(d, dot));
    }
    tail = tail.At(PaddedSize(rows));
  }
}

// One block row; all its blocks are kColumns wide, or any width for 0.
template <int kWidth, typename Values>
HWY_INLINE void MultiplyBlockRow(const PanelMatrixView& matrix, Values values,
                                 int row, const double* x, double* y,
                                 double* sums) {
  const int rows = kWidth > 0 ? kWidth : matrix.width[row];
  const double* x_i = x + matrix.padded_offset[row];
  double* y_i = y + matrix.padded_offset[row];
  std::fill_n(sums, rows * kPanelWidth, 0.0);
  int entry = matrix.first_entry[row];
  MultiplyBlock<Mirror::kNo>(rows, rows, values.At(matrix.value_offset[entry]),
                             x_i, x_i, y_i, nullptr, sums);
  for (++entry; entry < matrix.first_entry[row + 1]; ++entry) {
    const int column = matrix.entry_column[entry];
    const int offset = matrix.padded_offset[column];
    MultiplyBlock<Mirror::kYes>(rows,
                                kWidth > 0 ? kWidth : matrix.width[column],
                                values.At(matrix.value_offset[entry]), x_i,
                                x + offset, y_i, y + offset, sums);
  }
  for (int r = 0; r < rows; ++r) {
    const double* s = sums + r * kPanelWidth;
    y_i[r] += ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
  }
}

template <int kWidth, Parts kParts>
void MultiplyBlockRows(const PanelMatrixView& matrix, int begin, int end,
                       const double* x, double* y, double* scratch) {
  const SplitValues<kParts> values = {matrix.whole, matrix.rest};
  for (int row = begin; row < end; ++row) {
    MultiplyBlockRow<kWidth>(matrix, values, row, x, y, scratch);
  }
}

template <Parts kParts>
void MultiplyParts(const PanelMatrixView& matrix, int begin, int end,
                   const double* x, double* y, double* scratch) {
  switch (matrix.uniform_width) {
    case 6:
      return MultiplyBlockRows<6, kParts>(matrix, begin, end, x, y, scratch);
    case 9:
      return MultiplyBlockRows<9, kParts>(matrix, begin, end, x, y, scratch);
    default:
      return MultiplyBlockRows<0, kParts>(matrix, begin, end, x, y, scratch);
  }
}

void MultiplyOfTarget(const PanelMatrixView& matrix, int begin, int end,
                      const double* x, double* y, double* scratch) {
  if (matrix.rest == nullptr) {
    MultiplyParts<Parts::kWhole>(matrix, begin, end, x, y, scratch);
  } else {
    MultiplyParts<Parts::kBoth>(matrix, begin, end, x, y, scratch);
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(SubtractOfTarget);
HWY_EXPORT(MultiplyOfTarget);

void SubtractPointProducts(const SchurView& view, SchurShape shape,
                           const double* u, int begin, int end,
                           const int* camera_x, const int* camera_y,
                           const double* x, double* y, double* scratch) {
  HWY_DYNAMIC_DISPATCH(SubtractOfTarget)
  (view, shape, u, begin, end, camera_x, camera_y, x, y, scratch);
}

void AddSymmetricProduct(const PanelMatrixView& matrix, int begin, int end,
                         const double* x, double* y, double* scratch) {
  HWY_DYNAMIC_DISPATCH(MultiplyOfTarget)
  (matrix, begin, end, x, y, scratch);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
