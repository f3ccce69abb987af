// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/kernels/front_gather.h"

#include "ceres/kernels/front_layout.h"
#include "ceres/kernels/highway_targets.h"
#include "ceres/kernels/kernels_tuning.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ceres/kernels/front_gather.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

constexpr int kH = kFrontStrip<double>;

// As wide as a row of a cell, so that few loads touch two lines.
template <int kF>
using Tag = hn::CappedTag<double, kF <= 4 ? 4 : kH>;

// The places of rows of a block in a front of this width, from its first
// element on. They may go on in the next strip.
class BlockRows {
 public:
  BlockRows(int64_t target, int width, double* columns)
      : first_(static_cast<unsigned>(target) % kH),
        strip_size_(int64_t{kH} * width),
        strip_(columns + target - first_) {}
  // The element of the block's first column; columns are kH apart.
  double* row(unsigned i) const {
    const unsigned row = first_ + i;
    return strip_ + row / kH * strip_size_ + row % kH;
  }

 private:
  const unsigned first_;
  const int64_t strip_size_;
  double* const strip_;
};

// Prefetches the operands of a later term, which lie anywhere in memory.
template <int kF>
HWY_INLINE void PrefetchTerm(const GatherView& view, int t) {
  constexpr int kLine = 8;  // doubles
  const double* const row_block = view.values + view.terms[t].row_block;
  for (int k = 0; k < kF * (2 * kF + 1); k += kLine) {
    hwy::Prefetch(row_block + k);
  }
}

// to += A'B for the columns of B from kFirst on. (Adding whole vectors, rotated
// to their lanes, takes longer: loads have to wait for stores of which they
// overlap a part.)
template <int kF, int kFirst>
HWY_INLINE void AddProduct(const double* a, const double* b,
                           const BlockRows& to) {
  const Tag<kF> d;
  constexpr int kLanes = hn::MaxLanes(Tag<kF>());
  constexpr int kWidth = kF - kFirst < kLanes ? kF - kFirst : kLanes;
  HWY_ALIGN double block[kF * kLanes];
  hn::Vec<Tag<kF>> v[kF];
  for (int k = 0; k < kF; ++k) v[k] = hn::LoadU(d, b + k * kF + kFirst);
  for (int i = 0; i < kF; ++i) {
    auto sum = hn::Mul(hn::Set(d, a[i]), v[0]);
    for (int k = 1; k < kF; ++k) {
      sum = hn::MulAdd(hn::Set(d, a[k * kF + i]), v[k], sum);
    }
    hn::Store(sum, d, block + i * kLanes);
  }
  for (int j = 0; j < kWidth; ++j) {
    double* const row = to.row(kFirst + j);
    for (int i = 0; i < kF; ++i) row[i * kH] += block[i * kLanes + j];
  }
}

// All of a block but damping, columns from kFirst on; its diagonal block and
// gradient, summed in registers, go to `diagonal` (rows of 8) and `gradient`.
template <int kF, int kFirst>
HWY_INLINE void GatherColumns(const GatherView& view, int block, int width,
                              double* HWY_RESTRICT columns, double* diagonal,
                              double* gradient) {
  const Tag<kF> d;
  constexpr int kLanes = hn::MaxLanes(Tag<kF>());
  const int end = view.blocks[block + 1].first_term;
  hn::Vec<Tag<kF>> sum = hn::Zero(d), sums[kF], v[kF];
  for (auto& row : sums) row = hn::Zero(d);
  for (int t = view.blocks[block].first_term; t < end; ++t) {
    if (kFirst == 0 && t + kFrontTermsAhead < view.num_terms) {
      PrefetchTerm<kF>(view, t + kFrontTermsAhead);
    }
    const GatherTerm& term = view.terms[t];
    const double* const row_block = view.values + term.row_block;
    const double* const a = row_block + term.cell;
    for (int k = 0; k < kF; ++k) {
      v[k] = hn::LoadU(d, a + k * kF + kFirst);
      sum = hn::MulAdd(hn::Set(d, row_block[k]), v[k], sum);
    }
    for (int i = 0; i < kF; ++i) {
      for (int k = 0; k < kF; ++k) {
        sums[i] = hn::MulAdd(hn::Set(d, a[k * kF + i]), v[k], sums[i]);
      }
    }
    for (int p = term.first_product; p < view.terms[t + 1].first_product; ++p) {
      const GatherProduct& product = view.products[p];
      AddProduct<kF, kFirst>(a, row_block + product.cell,
                             BlockRows(product.target, width, columns));
    }
  }
  hn::Store(sum, d, gradient + kFirst);
  for (int i = 0; i < kF; ++i) {
    hn::Store(sums[i], d, diagonal + i * kH + kFirst);
  }
  if constexpr (kFirst + kLanes < kF) {
    GatherColumns<kF, kFirst + kLanes>(view, block, width, columns, diagonal,
                                       gradient);
  }
}

template <int kF>
void GatherBlocks(const GatherView& view, const double* damping, int begin,
                  int end, int width, double* HWY_RESTRICT columns,
                  double* HWY_RESTRICT negative_gradient) {
  HWY_ALIGN double diagonal[kF * kH];
  HWY_ALIGN double gradient[kH];
  for (int block = begin; block < end; ++block) {
    GatherColumns<kF, 0>(view, block, width, columns, diagonal, gradient);
    const int column = view.blocks[block].column;
    const BlockRows to(view.blocks[block].diagonal, width, columns);
    for (int i = 0; i < kF; ++i) {
      double* const row = to.row(i);
      for (int j = 0; j < i; ++j) {
        row[j * kH] = diagonal[i * kH + j];
      }
      const double damp = damping == nullptr ? 0.0 : damping[column + i];
      row[i * kH] = diagonal[i * kH + i] + damp * damp;
      negative_gradient[column + i] = -gradient[i];
    }
  }
}

void GatherFrontOfTarget(const GatherView& view, const double* damping,
                         int begin, int end, int width, double* columns,
                         double* negative_gradient) {
  if (view.size == 3) {
    GatherBlocks<3>(view, damping, begin, end, width, columns,
                    negative_gradient);
  } else {
    GatherBlocks<6>(view, damping, begin, end, width, columns,
                    negative_gradient);
  }
}

template <int kF>
HWY_INLINE double RowProduct(const double* HWY_RESTRICT cell,
                             const double* HWY_RESTRICT x) {
  double sum = 0.0;
  for (int j = 0; j < kF; ++j) sum += cell[j] * x[j];
  return sum;
}

template <int kF>
double SumOfPairs(const double* values, const RowBlockOfPair* row_blocks,
                  int begin, int end, const double* step) {
  double sum = 0.0;
  for (int k = begin; k < end; ++k) {
    const RowBlockOfPair& row_block = row_blocks[k];
    const double* const r = values + row_block.residuals;
    for (int i = 0; i < kF; ++i) {
      double product = RowProduct<kF>(values + row_block.cell[0] + i * kF,
                                      step + row_block.column[0]);
      if (row_block.column[1] >= 0) {
        product += RowProduct<kF>(values + row_block.cell[1] + i * kF,
                                  step + row_block.column[1]);
      }
      sum -= product * (r[i] + 0.5 * product);
    }
  }
  return sum;
}

double PairsModelCostChangeOfTarget(const GatherView& view,
                                    const RowBlockOfPair* row_blocks, int begin,
                                    int end, const double* step) {
  return view.size == 3
             ? SumOfPairs<3>(view.values, row_blocks, begin, end, step)
             : SumOfPairs<6>(view.values, row_blocks, begin, end, step);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ceres::internal::kernels {

HWY_EXPORT(GatherFrontOfTarget);
HWY_EXPORT(PairsModelCostChangeOfTarget);

double PairsModelCostChange(const GatherView& view,
                            const RowBlockOfPair* row_blocks, int begin,
                            int end, const double* step) {
  return HWY_DYNAMIC_DISPATCH(PairsModelCostChangeOfTarget)(view, row_blocks,
                                                            begin, end, step);
}

void GatherFront(const GatherView& view, const double* damping, int begin,
                 int end, int width, double* columns,
                 double* negative_gradient) {
  HWY_DYNAMIC_DISPATCH(GatherFrontOfTarget)
  (view, damping, begin, end, width, columns, negative_gradient);
}

}  // namespace ceres::internal::kernels
#endif  // HWY_ONCE
