// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_batches.h"

#include <limits>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/kernels/schur_plain.h"
#include "ceres/schur/elimination_output.h"
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

// Eliminates all merged chunks by batches; returns the first failed point, or
// -1.
int EliminateBatches(const SchurPlan& plan, const kernels::SchurView& view,
                     const double* damping, EliminationOutput* output) {
  int failed = -1;
  AlignedBuffer u(plan.batches().max_u_size());
  int m = 0;
  const MergedChunks& merged = plan.merged_chunks();
  RunAll(
      plan, damping, output,
      [&](kernels::SchurTarget target, const UniformRange& range) {
        target.keep_u = false;
        target.u = u.data();
        while (range.begin >= merged.chunk(m).point_end) ++m;
        if (failed >= 0) return;
        const SchurBatches::Range batches =
            plan.batches().range(&range - plan.ranges().data());
        failed = kernels::EliminateBatches(view, target, plan.batches().View(m),
                                           range.shape, batches.first_batch,
                                           batches.end_batch);
      },
      [&](const kernels::SchurTarget&, int, int) {});
  return failed;
}

TEST(EliminateBatches, EqualsPlainTwinOnEveryTarget) {
  for (const int f : {6, 9, 10}) {
    const auto problem = MakeRandomSchurJacobian(ManyPoints(f));
    const SchurPlan plan = MakePlan(*problem);
    kernels::SchurView view = plan.View();
    view.values = problem->jacobian.values.data();
    EliminationOutput plain(plan);
    RunAll(
        plan, problem->damping.data(), &plain,
        [&](const kernels::SchurTarget& target, const UniformRange& range) {
          ASSERT_EQ(kernels::EliminatePointsPlain(view, target, range.begin,
                                                  range.end),
                    -1);
        },
        [&](const kernels::SchurTarget&, int, int) {});
    kernels::ForEachTarget([&] {
      EliminationOutput fast(plan);
      ASSERT_EQ(EliminateBatches(plan, view, problem->damping.data(), &fast),
                -1);
      ExpectEqualBlocks(plan, fast, plain);
      for (size_t k = 0; k < fast.factor.size(); ++k) {
        ASSERT_NEAR(fast.factor.data()[k], plain.factor.data()[k], 1e-10);
      }
    });
  }
}

TEST(EliminateBatches, ReportsTheFirstPointThatIsNotPositiveDefinite) {
  const auto problem = MakeRandomSchurJacobian(ManyPoints(9));
  const SchurPlan plan = MakePlan(*problem);
  kernels::SchurView view = plan.View();
  view.values = problem->jacobian.values.data();
  for (const int point : {1717, 2100}) {
    problem->damping[problem->structure.column_offset[point]] =
        std::numeric_limits<double>::quiet_NaN();
  }
  kernels::ForEachTarget([&] {
    EliminationOutput output(plan);
    EXPECT_EQ(EliminateBatches(plan, view, problem->damping.data(), &output),
              1717);
  });
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
