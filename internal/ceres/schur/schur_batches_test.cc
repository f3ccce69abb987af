// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_batches.h"

#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/kernels/schur_kernels.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "ceres/schur/schur_plan.h"
#include "ceres/schur/schur_tuning.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using kernels::PointDiagonal;

// Regular points, several batches in each merged chunk.
RandomSchurOptions ManyPoints(int camera_size) {
  RandomSchurOptions options;
  options.camera_sizes = {camera_size};
  options.num_cameras = 9;
  options.max_rows_per_point = 9;
  options.num_points = 2500;
  return options;
}

SchurPlan MakePlan(const RandomJacobian& problem) {
  return SchurPlan({}, problem.structure, ReducedMatrix::kSchurComplement,
                   PointDiagonal::kFused);
}

TEST(SchurBatches, HoldsEveryProductOnceAndEveryBlockOncePerBatch) {
  const auto problem = MakeRandomSchurJacobian(ManyPoints(9));
  const BlockJacobianStructure& s = problem->structure;
  const SchurPlan plan = MakePlan(*problem);
  int num_batches = 0;
  for (int m = 0; m < plan.merged_chunks().size(); ++m) {
    const kernels::SchurSums sums = plan.batches().View(m);
    const SchurChunk& chunk = plan.merged_chunks().chunk(m);
    int next_point = chunk.point_begin;
    for (int k = chunk.first_range; k < chunk.end_range; ++k) {
      const SchurBatches::Range& range = plan.batches().range(k);
      ASSERT_LT(range.first_batch, range.end_batch);
      for (int b = range.first_batch; b < range.end_batch; ++b, ++num_batches) {
        const kernels::SchurBatch& batch = sums.batches[b];
        EXPECT_EQ(batch.begin, next_point);
        next_point = batch.end;
        const int first_row = s.eliminated_first_row[batch.begin];
        EXPECT_LE(s.eliminated_first_row[batch.end] - first_row,
                  kSchurBatchRows);
        const auto column = [&](int row) {
          return s.cell_column[s.first_cell[first_row + row] + 1];
        };
        const auto point = [&](int row) {
          return s.cell_column[s.first_cell[first_row + row]];
        };
        int64_t expected = 0;
        for (int p = batch.begin; p < batch.end; ++p) {
          const int64_t n = plan.cliques().num_cameras(p);
          expected += n * (n + 1) / 2;
        }
        std::set<std::pair<int, int>> products;
        std::set<int> destinations;
        int64_t pair = batch.first_pair;
        for (int64_t i = batch.first_sum; i < sums.batches[b + 1].first_sum;
             ++i) {
          EXPECT_TRUE(destinations.insert(sums.sums[i].destination).second);
          const kernels::SchurPair& first = sums.pairs[pair];
          for (int t = 0; t < sums.sums[i].num_pairs; ++t, ++pair) {
            const kernels::SchurPair& product = sums.pairs[pair];
            EXPECT_EQ(point(product.a), point(product.b));
            EXPECT_EQ(column(product.a), column(first.a));
            EXPECT_EQ(column(product.b), column(first.b));
            EXPECT_LE(column(product.a), column(product.b));
            EXPECT_TRUE(products.emplace(product.a, product.b).second);
          }
        }
        EXPECT_EQ(static_cast<int64_t>(products.size()), expected);
      }
    }
    EXPECT_EQ(next_point, chunk.point_end);
  }
  EXPECT_GT(num_batches, plan.merged_chunks().size());
}

TEST(SchurBatches, AreNotMadeWhereProductsAreNotSummedInThisWay) {
  const auto problem = MakeRandomSchurJacobian(ManyPoints(9));
  for (const auto& [matrix, diagonal, formation] :
       {std::tuple(ReducedMatrix::kRemainingBlocks, PointDiagonal::kFused,
                   SchurFormation::kChoose),
        std::tuple(ReducedMatrix::kSchurComplement, PointDiagonal::kSplit,
                   SchurFormation::kChoose),
        std::tuple(ReducedMatrix::kSchurComplement, PointDiagonal::kFused,
                   SchurFormation::kGatherByRow)}) {
    const SchurPlan plan({}, problem->structure, matrix, diagonal, formation);
    for (size_t k = 0; k < plan.ranges().size(); ++k) {
      const SchurBatches::Range& batches = plan.batches().range(k);
      EXPECT_EQ(batches.first_batch, batches.end_batch);
    }
  }
}

}  // namespace
}  // namespace ceres::internal
