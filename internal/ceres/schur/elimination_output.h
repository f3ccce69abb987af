// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_ELIMINATION_OUTPUT_H_
#define CERES_INTERNAL_SCHUR_ELIMINATION_OUTPUT_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/schur/schur_plan.h"
#include "gtest/gtest.h"

// For tests of elimination kernels.

namespace ceres::internal {

// The memory that elimination writes. Memory that it must not write holds NaN.
struct EliminationOutput {
  explicit EliminationOutput(const SchurPlan& plan)
      : partial_sum(plan.merged_chunks().sums_size()),
        factor(plan.storage().factor_size()),
        u(plan.storage().u_size() + AlignedBuffer::kSlack),
        scratch(kernels::SchurScratchSize(plan.sizes().max_eliminated_width,
                                          plan.sizes().max_residuals) +
                AlignedBuffer::kSlack) {
    std::fill_n(partial_sum.data(), partial_sum.size(), 0.0);
    std::fill_n(factor.data(), factor.size(), kNan);
    std::fill_n(u.data(), u.size(), kNan);
    std::fill_n(scratch.data(), scratch.size(), kNan);
  }

  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  AlignedBuffer partial_sum, factor, u, scratch;
};

// Eliminates all merged chunks of a plan, one after the other.
template <typename Eliminate, typename AddRows>
void RunAll(const SchurPlan& plan, const double* damping,
            EliminationOutput* output, const Eliminate& eliminate,
            const AddRows& add_rows) {
  for (int g = 0; g < plan.merged_chunks().size(); ++g) {
    kernels::SchurTarget target;
    target.damping = damping;
    target.diagonal = plan.diagonal();
    target.pairs = plan.matrix() == ReducedMatrix::kSchurComplement;
    target.partial_sum =
        output->partial_sum.data() + plan.merged_chunks().sum_begin(g);
    target.factor = output->factor.data();
    target.u = output->u.data();
    target.keep_u = true;
    target.scratch = output->scratch.data();
    const SchurChunk& chunk = plan.merged_chunks().chunk(g);
    for (int k = chunk.first_range; k < chunk.end_range; ++k) {
      eliminate(target, plan.ranges()[k]);
    }
    add_rows(target, chunk.row_begin, chunk.row_end);
  }
}

inline void ExpectEqualBlocks(const SchurPlan& plan,
                              const EliminationOutput& fast,
                              const EliminationOutput& plain) {
  const BlockSymmetricStructure& pattern = plan.pattern();
  const auto expect_block = [&](int64_t begin, int rows, int columns) {
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        const int64_t k = begin + kernels::PanelPosition(rows, columns, r, c);
        ASSERT_NEAR(fast.partial_sum.data()[k], plain.partial_sum.data()[k],
                    1e-10)
            << rows << " x " << columns << ": " << r << ", " << c;
      }
    }
  };
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    for (int k = pattern.first_entry[i]; k < pattern.first_entry[i + 1]; ++k) {
      const int j = pattern.entry_column[k];
      for (int64_t s = plan.reduced().first_source()[k];
           s < plan.reduced().first_source()[k + 1]; ++s) {
        const int64_t begin = plan.reduced().sources()[s];
        const int f = plan.width(i);
        expect_block(begin, f, plan.width(j));
        if (i != j) continue;
        for (int r = 0; r < f; ++r) {
          const int64_t k = begin + kernels::DiagonalRhsPosition(f) + r;
          ASSERT_NEAR(fast.partial_sum.data()[k], plain.partial_sum.data()[k],
                      1e-10);
        }
        if (plan.diagonal() == kernels::PointDiagonal::kSplit) {
          expect_block(begin + kernels::DiagonalSecondPosition(f), f, f);
        }
      }
    }
  }
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_ELIMINATION_OUTPUT_H_
