// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_plan.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "ceres/schur/iterative_reduced_system.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "ceres/schur/schur_tuning.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using kernels::PointDiagonal;
using kernels::SchurShape;
using Pairs = std::set<std::pair<int, int>>;

// The blocks of the reduced matrix that are not zero for structural reasons.
Pairs ExpectedPattern(const BlockJacobianStructure& s, ReducedMatrix matrix) {
  Pairs pairs;
  const auto add_all = [&](const std::set<int>& blocks) {
    for (const int i : blocks) {
      for (const int j : blocks) {
        if (i <= j) pairs.emplace(i, j);
      }
    }
  };
  for (int b = s.num_eliminated; b < s.num_column_blocks(); ++b) {
    add_all({b - s.num_eliminated});
  }
  std::vector<std::set<int>> seen(s.num_eliminated);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    std::set<int> blocks;
    int point = -1;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      if (s.cell_column[c] < s.num_eliminated) {
        point = s.cell_column[c];
      } else {
        blocks.insert(s.cell_column[c] - s.num_eliminated);
      }
    }
    add_all(blocks);
    if (point >= 0) seen[point].insert(blocks.begin(), blocks.end());
  }
  if (matrix == ReducedMatrix::kSchurComplement) {
    for (const std::set<int>& blocks : seen) add_all(blocks);
  }
  return pairs;
}

TEST(SchurPlan, PatternHasTheBlocksThatShareAPointOrARow) {
  RandomSchurOptions options;
  options.num_points = 30;
  options.num_cameras = 12;
  options.max_rows_per_point = 3;
  options.max_cells = 2;
  options.camera_sizes = {3, 9};
  options.num_other_rows = 4;
  options.num_row_chunks = 4;
  const auto problem = MakeRandomSchurJacobian(options);
  for (const ReducedMatrix matrix :
       {ReducedMatrix::kSchurComplement, ReducedMatrix::kRemainingBlocks}) {
    const SchurPlan plan({}, problem->structure, matrix, PointDiagonal::kSplit);
    const BlockSymmetricStructure& pattern = plan.pattern();
    Pairs pairs;
    for (int i = 0; i < pattern.num_blocks(); ++i) {
      EXPECT_EQ(pattern.entry_column[pattern.first_entry[i]], i);
      for (int k = pattern.first_entry[i]; k < pattern.first_entry[i + 1];
           ++k) {
        EXPECT_TRUE(pairs.emplace(i, pattern.entry_column[k]).second);
        EXPECT_EQ(pattern.value_offset[k + 1] - pattern.value_offset[k],
                  plan.width(i) * plan.width(pattern.entry_column[k]));
      }
    }
    EXPECT_EQ(pairs, ExpectedPattern(problem->structure, matrix));
  }
}

TEST(SchurPlan, OnlyPointsThatAreAllAlikeGetAShape) {
  RandomSchurOptions options;
  const auto regular = MakeRandomSchurJacobian(options);
  const SchurPlan plan({}, regular->structure, ReducedMatrix::kSchurComplement,
                       PointDiagonal::kFused);
  for (const UniformRange& range : plan.ranges()) {
    EXPECT_EQ(range.shape, SchurShape::k2x3x9);
  }
  EXPECT_EQ(plan.View().row_clique, nullptr);

  // Point 1 is seen twice by a camera, point 2 by none.
  BlockJacobianStructure s;
  s.column_offset = {0, 3, 6, 9, 18, 27};
  s.num_eliminated = 3;
  AppendRowBlock(2, {0, 3}, &s);
  AppendRowBlock(2, {0, 4}, &s);
  AppendRowBlock(2, {1, 3}, &s);
  AppendRowBlock(2, {1, 3}, &s);
  AppendRowBlock(2, {2}, &s);
  s.eliminated_first_row = {0, 2, 4, 5};
  CutEvenly(1, &s);
  const SchurPlan mixed({}, s, ReducedMatrix::kSchurComplement,
                        PointDiagonal::kFused);
  const SchurChunk& chunk = mixed.merged_chunks().chunk(0);
  ASSERT_EQ(chunk.end_range - chunk.first_range, 2);
  EXPECT_EQ(mixed.ranges()[chunk.first_range].shape, SchurShape::k2x3x9);
  EXPECT_EQ(mixed.ranges()[chunk.first_range].end, 1);
  EXPECT_EQ(mixed.ranges()[chunk.first_range + 1].shape, SchurShape::kDynamic);
}

TEST(SchurPlan, ChunksCoverEveryPointAndOtherRowOnce) {
  RandomSchurOptions options;
  options.num_points = 100;
  options.num_other_rows = 70;
  options.num_row_chunks = 20;
  const auto problem = MakeRandomSchurJacobian(options);
  const SchurPlan plan({}, problem->structure, ReducedMatrix::kSchurComplement,
                       PointDiagonal::kFused);
  int point = 0;
  int row = problem->structure.eliminated_first_row.back();
  const auto follow = [&](const SchurChunk& chunk) {
    EXPECT_EQ(chunk.point_begin, point);
    EXPECT_EQ(chunk.row_begin, row);
    int next = chunk.point_begin;
    for (int k = chunk.first_range; k < chunk.end_range; ++k) {
      EXPECT_EQ(plan.ranges()[k].begin, next);
      next = plan.ranges()[k].end;
    }
    EXPECT_EQ(next, chunk.point_end);
    point = chunk.point_end;
    row = chunk.row_end;
  };
  for (const SchurChunk& chunk : plan.row_chunks()) follow(chunk);
  EXPECT_EQ(point, plan.num_points());
  EXPECT_EQ(row, problem->structure.num_row_blocks());
  point = 0;
  row = problem->structure.eliminated_first_row.back();
  for (const SchurChunk& chunk : plan.merged_chunks().chunks()) follow(chunk);
  EXPECT_EQ(point, plan.num_points());
  EXPECT_EQ(row, problem->structure.num_row_blocks());
}

// Cameras in any order, some of them more than once in a row.
TEST(SchurPlan, LocalCamerasAreTheCamerasOfAPointInOrder) {
  constexpr int kNumCameras = 50;
  BlockJacobianStructure s;
  const std::vector<std::vector<int>> cameras_of = {
      {3, 1, 2}, {5, 5}, {}, {9, 8, 7, 9, 6, 0, 4, 1, 2, 3, 5}, {7}, {1, 0}};
  const int num_points = static_cast<int>(cameras_of.size()) + 2;
  s.column_offset = {0};
  for (int b = 0; b < num_points + kNumCameras; ++b) {
    s.column_offset.push_back(s.column_offset.back() +
                              (b < num_points ? 3 : 9));
  }
  s.num_eliminated = num_points;
  s.eliminated_first_row = {0};
  std::vector<std::vector<int>> all = cameras_of;
  all.emplace_back();
  for (int k = 0; k < kNumCameras; ++k) all.back().push_back(k * 7 % 50);
  all.push_back(all.back());
  all.back().push_back(11);
  for (int p = 0; p < num_points; ++p) {
    // A point that nothing else touches has a row of its own.
    if (all[p].empty()) AppendRowBlock(2, {p}, &s);
    for (const int camera : all[p]) {
      AppendRowBlock(2, {p, num_points + camera}, &s);
    }
    s.eliminated_first_row.push_back(s.num_row_blocks());
  }
  CutEvenly(1, &s);
  const SchurPlan plan({}, s, ReducedMatrix::kSchurComplement,
                       PointDiagonal::kFused);
  const kernels::SchurView view = plan.View();
  for (int p = 0; p < num_points; ++p) {
    const std::set<int> cameras(all[p].begin(), all[p].end());
    ASSERT_EQ(plan.cliques().num_cameras(p), static_cast<int>(cameras.size()));
    const int* camera_column = view.camera_column + view.first_camera[p];
    const int* camera_offset = view.camera_offset + view.first_camera[p];
    int local_index = 0;
    for (const int camera : cameras) {
      EXPECT_EQ(camera_column[local_index], num_points + camera);
      EXPECT_EQ(camera_offset[local_index], 9 * local_index);
      ++local_index;
    }
    for (int c = s.first_cell[s.eliminated_first_row[p]];
         c < s.first_cell[s.eliminated_first_row[p + 1]]; ++c) {
      if (s.cell_column[c] == p) {
        EXPECT_EQ(view.cell_camera[c], -1);
      } else {
        EXPECT_EQ(camera_column[view.cell_camera[c]], s.cell_column[c]);
      }
    }
  }
}

TEST(SchurPlan, BatchesAreTheSameByTableAndByHash) {
  RandomSchurOptions options;
  options.num_points = 700;
  options.num_cameras = 20;
  const auto problem = MakeRandomSchurJacobian(options);
  const SchurPlan plan({}, problem->structure, ReducedMatrix::kSchurComplement,
                       PointDiagonal::kFused);
  const kernels::SchurView view = plan.View();
  const int num_points = plan.num_points();
  std::vector<SchurBatches> all;
  std::vector<SchurBatches::Range> ranges;
  for (const int64_t max_table_size : {kMaxBlockTableSize, int64_t{0}}) {
    SchurBatchesBuilder builder(plan.num_remaining_blocks(), num_points,
                                max_table_size);
    // Twice: Finish leaves a builder as it was when it was made.
    for (int i = 0; i < 2; ++i) {
      builder.Begin(/*num_products=*/0);
      int line = 0;
      for (int row = 0; row < plan.num_remaining_blocks(); ++row) {
        for (int k = row; k < plan.num_remaining_blocks(); ++k) {
          builder.AddBlock(row, k, 3 * line++);
        }
      }
      ranges.push_back(builder.Append(view, SchurShape::k2x3x9, 0, num_points));
      all.push_back(builder.Finish());
    }
  }
  const kernels::SchurSums expected = all[0].View();
  const int num_batches = ranges[0].end_batch;
  ASSERT_GT(num_batches, 2);
  for (size_t i = 1; i < all.size(); ++i) {
    const kernels::SchurSums sums = all[i].View();
    ASSERT_EQ(ranges[i].end_batch, num_batches);
    const auto& end = expected.batches[num_batches];
    ASSERT_EQ(sums.batches[num_batches].first_sum, end.first_sum);
    ASSERT_EQ(sums.batches[num_batches].first_pair, end.first_pair);
    for (int64_t k = 0; k < end.first_sum; ++k) {
      ASSERT_EQ(sums.sums[k].destination, expected.sums[k].destination);
      ASSERT_EQ(sums.sums[k].num_pairs, expected.sums[k].num_pairs);
    }
    for (int64_t k = 0; k < end.first_pair; ++k) {
      ASSERT_EQ(sums.pairs[k].a, expected.pairs[k].a);
      ASSERT_EQ(sums.pairs[k].b, expected.pairs[k].b);
    }
  }
}

// An unordered collection: every row chunk touches nearly every pair of
// cameras.
RandomSchurOptions Unordered(int num_cameras, int num_points) {
  RandomSchurOptions options;
  options.num_cameras = num_cameras;
  options.num_points = num_points;
  options.max_rows_per_point = 12;
  options.num_row_chunks = 64;
  return options;
}

TEST(SchurPlan, MergesRowChunksUntilTheirPartialSumsAreSmall) {
  // 136 blocks of S in each partial sum.
  const auto small = MakeRandomSchurJacobian(Unordered(16, 4000));
  const SchurPlan merged({}, small->structure, ReducedMatrix::kSchurComplement,
                         PointDiagonal::kFused);
  EXPECT_EQ(merged.row_chunks().size(), 64u);
  EXPECT_EQ(merged.merged_chunks().size(), kManyPartialSums);

  // Even 8 partial sums would exceed the bound.
  const auto large = MakeRandomSchurJacobian(Unordered(200, 6000));
  const SchurPlan bounded({}, large->structure, ReducedMatrix::kSchurComplement,
                          PointDiagonal::kFused, SchurFormation::kPartialSums);
  EXPECT_LT(bounded.merged_chunks().size(), kFewPartialSums);
  EXPECT_LE(bounded.merged_chunks().sums_size(),
            std::max(kMaxSmallPartialSums, large->structure.num_values()));
}

TEST(SchurPlan, GathersByRowIfFewPartialSumsWouldBeLeft) {
  const auto gathers_by_row = [](const RandomSchurOptions& options,
                                 ReducedMatrix matrix) {
    const auto problem = MakeRandomSchurJacobian(options);
    const SchurPlan plan({}, problem->structure, matrix, PointDiagonal::kSplit);
    if (plan.gathers_by_row()) {
      EXPECT_EQ(plan.merged_chunks().size(), 1);
      EXPECT_EQ(plan.merged_chunks().chunk(0).point_begin, 0);
      EXPECT_EQ(plan.merged_chunks().chunk(0).point_end, plan.num_points());
      EXPECT_EQ(plan.merged_chunks().chunk(0).row_end,
                problem->structure.num_row_blocks());
      EXPECT_LE(plan.merged_chunks().sums_size(),
                3 * plan.pattern().num_values());
    }
    return plan.gathers_by_row();
  };
  RandomSchurOptions dense = Unordered(200, 6000);
  dense.num_other_rows = 10;
  EXPECT_TRUE(gathers_by_row(dense, ReducedMatrix::kSchurComplement));
  EXPECT_FALSE(gathers_by_row(dense, ReducedMatrix::kRemainingBlocks));
  EXPECT_TRUE(
      gathers_by_row(Unordered(120, 3000), ReducedMatrix::kSchurComplement));
  // Sixteen small partial sums.
  EXPECT_FALSE(
      gathers_by_row(Unordered(16, 4000), ReducedMatrix::kSchurComplement));
  // Four row chunks, each with a partial sum.
  RandomSchurOptions small = Unordered(16, 400);
  small.num_row_chunks = 4;
  EXPECT_FALSE(gathers_by_row(small, ReducedMatrix::kSchurComplement));
}

TEST(MakeIterativePlan, FormsSWhereThatIsCheaper) {
  const auto matrix_of = [](const RandomSchurOptions& options,
                            bool explicit_schur_complement) {
    const auto problem = MakeRandomSchurJacobian(options);
    SchurSolverOptions normal;
    normal.explicit_schur_complement = explicit_schur_complement;
    return MakeIterativePlan(normal, {}, problem->structure)->matrix();
  };
  // Few cameras: S is tiny beside U.
  EXPECT_EQ(matrix_of(Unordered(16, 4000), false),
            ReducedMatrix::kSchurComplement);
  // Few points on many cameras: S has more blocks than there are observations.
  EXPECT_EQ(matrix_of(Unordered(300, 2000), false),
            ReducedMatrix::kRemainingBlocks);
  EXPECT_EQ(matrix_of(Unordered(300, 2000), true),
            ReducedMatrix::kSchurComplement);
}

// Long tracks: many products of pairs, which only many iterations pay for.
TEST(MakeIterativePlan, CountsTheProductsThatATightToleranceTakes) {
  RandomSchurOptions long_tracks = Unordered(120, 1500);
  long_tracks.max_rows_per_point = 100;
  const auto problem = MakeRandomSchurJacobian(long_tracks);
  const auto matrix_of = [&](double q_tolerance, int max_iterations) {
    SchurSolverOptions normal;
    normal.expected_q_tolerance = q_tolerance;
    normal.max_iterations = max_iterations;
    return MakeIterativePlan(normal, {}, problem->structure)->matrix();
  };
  EXPECT_EQ(matrix_of(0.1, 500), ReducedMatrix::kRemainingBlocks);
  EXPECT_EQ(matrix_of(1e-4, 500), ReducedMatrix::kSchurComplement);
  EXPECT_EQ(matrix_of(1e-4, 5), ReducedMatrix::kRemainingBlocks);
}

}  // namespace
}  // namespace ceres::internal
