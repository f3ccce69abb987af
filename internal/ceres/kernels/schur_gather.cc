// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/kernels_tuning.h"
#include "ceres/kernels/schur_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/schur_gather.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After foreach_target.h, which includes it once per target.
#include "ceres/kernels/schur_products-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace {

// Row a of the products of a point of one shape, see SchurShape.
template <int kM, int kE, int kF>
HWY_INLINE void AddShapeTerm(const SchurView& view, const SchurTarget& target,
                             const SchurTerm& term) {
  constexpr int kU = kE * kF;
  const double* row_block = view.values + view.row_block_offset[term.row];
  const double* u_a = target.u + term.u;
  const int* destination = view.destination + term.destination;
  AddDiagonal<kM, kE, kF>(target.diagonal, row_block + kM + kM * kE, row_block,
                          u_a, target.w + view.column_offset[term.point],
                          Place(target, *destination));
  for (int b = 1; b < term.num_cameras; ++b) {
    AddPanelProduct<Sign::kMinus, kE>(kF, kF, u_a, u_a + b * kU,
                                      Place(target, destination[b]));
  }
}

// Fetches what a later term reads.
template <int kM, int kE, int kF>
HWY_INLINE void PrefetchShapeTerm(const SchurView& view,
                                  const SchurTarget& target,
                                  const SchurTerm& term) {
  constexpr int kLine = 8;  // doubles
  const double* u = target.u + term.u;
  const int u_size = kE * kF * term.num_cameras;
  for (int k = 0; k < u_size; k += kLine) hwy::Prefetch(u + k);
  hwy::Prefetch(u + u_size - 1);
  const double* row_block = view.values + view.row_block_offset[term.row];
  hwy::Prefetch(row_block);
  for (int k = kM + kM * kE; k < kM * (1 + kE + kF); k += kLine) {
    hwy::Prefetch(row_block + k);
  }
  hwy::Prefetch(target.w + view.column_offset[term.point]);
  hwy::Prefetch(view.destination + term.destination);
}

// A camera of a point of any shape, or of a row's own clique.
HWY_INLINE void AddAnyTerm(const SchurView& view, const SchurTarget& target,
                           const SchurTerm& term) {
  const int end = term.camera + term.num_cameras;
  const int* destination = view.destination + term.destination;
  if (term.point < 0) {
    AddRowCamera(view, target, term.row, term.camera, end, destination);
    return;
  }
  const int column = view.column_offset[term.point];
  SubtractCamera(view, target, term.camera, end,
                 view.column_offset[term.point + 1] - column,
                 target.u + view.u_offset[term.point], target.w + column,
                 destination);
}

template <int kM, int kE, int kF>
void AddShapeTerms(const SchurView& view, const SchurTarget& target,
                   const SchurTerm* term, const SchurTerm* end) {
  for (; term < end; ++term) {
    if (end - term > kGatherTermsAhead) {
      PrefetchShapeTerm<kM, kE, kF>(view, target, term[kGatherTermsAhead]);
    }
    AddShapeTerm<kM, kE, kF>(view, target, *term);
  }
}

// Terms of one shape.
void AddTerms(const SchurView& view, const SchurTarget& target,
              const SchurTerm* begin, const SchurTerm* end) {
  switch (begin->shape) {
    case SchurShape::k2x3x6:
      return AddShapeTerms<2, 3, 6>(view, target, begin, end);
    case SchurShape::k2x3x9:
      return AddShapeTerms<2, 3, 9>(view, target, begin, end);
    case SchurShape::k2x3x10:
      return AddShapeTerms<2, 3, 10>(view, target, begin, end);
    case SchurShape::kDynamic:
      break;
  }
  for (; begin < end; ++begin) AddAnyTerm(view, target, *begin);
}

void GatherOfTarget(const SchurView& view, const SchurTarget& target,
                    const SchurGather& gather, int begin, int end) {
  for (int i = begin; i < end; ++i) {
    std::fill(target.partial_sum + gather.row_begin[i],
              target.partial_sum + gather.row_begin[i + 1], 0.0);
    const SchurTerm* term = gather.terms + gather.first_term[i];
    const SchurTerm* const last = gather.terms + gather.first_term[i + 1];
    while (term < last) {
      const SchurTerm* next = term + 1;
      while (next < last && next->shape == term->shape) ++next;
      AddTerms(view, target, term, next);
      term = next;
    }
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(GatherOfTarget);

void GatherBlockRows(const SchurView& view, const SchurTarget& target,
                     const SchurGather& gather, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(GatherOfTarget)(view, target, gather, begin, end);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
