// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_plan.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "ceres/schur/iterative_reduced_system.h"
#include "ceres/schur/random_schur_jacobian.h"
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
  for (const SchurPlan::Run& run : plan.runs()) {
    EXPECT_EQ(run.shape, SchurShape::k2x3x9);
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
  const SchurPlan::Stretch& group = mixed.group(0);
  ASSERT_EQ(group.end_run - group.first_run, 2);
  EXPECT_EQ(mixed.runs()[group.first_run].shape, SchurShape::k2x3x9);
  EXPECT_EQ(mixed.runs()[group.first_run].end, 1);
  EXPECT_EQ(mixed.runs()[group.first_run + 1].shape, SchurShape::kDynamic);
}

TEST(SchurPlan, StretchesCoverEveryPointAndOtherRowOnce) {
  RandomSchurOptions options;
  options.num_points = 100;
  options.num_other_rows = 70;
  options.num_row_chunks = 20;
  const auto problem = MakeRandomSchurJacobian(options);
  const SchurPlan plan({}, problem->structure, ReducedMatrix::kSchurComplement,
                       PointDiagonal::kFused);
  int point = 0;
  int row = problem->structure.eliminated_first_row.back();
  const auto follow = [&](const SchurPlan::Stretch& stretch) {
    EXPECT_EQ(stretch.point_begin, point);
    EXPECT_EQ(stretch.row_begin, row);
    int next = stretch.point_begin;
    for (int k = stretch.first_run; k < stretch.end_run; ++k) {
      EXPECT_EQ(plan.runs()[k].begin, next);
      next = plan.runs()[k].end;
    }
    EXPECT_EQ(next, stretch.point_end);
    point = stretch.point_end;
    row = stretch.row_end;
  };
  for (int s = 0; s < plan.num_row_chunks(); ++s) follow(plan.row_chunk(s));
  EXPECT_EQ(point, plan.num_points());
  EXPECT_EQ(row, problem->structure.num_row_blocks());
  point = 0;
  row = problem->structure.eliminated_first_row.back();
  for (int g = 0; g < plan.num_groups(); ++g) follow(plan.group(g));
  EXPECT_EQ(point, plan.num_points());
  EXPECT_EQ(row, problem->structure.num_row_blocks());
}

// Cameras in any order, some of them more than once in a row.
TEST(SchurPlan, SlotsAreTheCamerasOfAPointInOrder) {
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
    ASSERT_EQ(plan.num_slots(p), static_cast<int>(cameras.size()));
    const int* slot_column = view.slot_column + view.first_slot[p];
    const int* slot_offset = view.slot_offset + view.first_slot[p];
    int slot = 0;
    for (const int camera : cameras) {
      EXPECT_EQ(slot_column[slot], num_points + camera);
      EXPECT_EQ(slot_offset[slot], 9 * slot);
      ++slot;
    }
    for (int c = s.first_cell[s.eliminated_first_row[p]];
         c < s.first_cell[s.eliminated_first_row[p + 1]]; ++c) {
      if (s.cell_column[c] == p) {
        EXPECT_EQ(view.cell_slot[c], -1);
      } else {
        EXPECT_EQ(slot_column[view.cell_slot[c]], s.cell_column[c]);
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
  std::vector<SchurSums> all;
  std::vector<SchurSums::Range> ranges;
  for (const int64_t max_table_size : {BlockIndex::kMaxTableSize, int64_t{0}}) {
    SchurSumsBuilder builder(plan.num_remaining_blocks(), num_points,
                             max_table_size);
    // Twice: a builder is as it was after a group.
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

TEST(SchurPlan, MergesRowChunksUntilTheirCopiesAreSmall) {
  // 136 blocks of S in each copy.
  const auto small = MakeRandomSchurJacobian(Unordered(16, 4000));
  const SchurPlan merged({}, small->structure, ReducedMatrix::kSchurComplement,
                         PointDiagonal::kFused);
  EXPECT_EQ(merged.num_row_chunks(), 64);
  EXPECT_EQ(merged.num_groups(), SchurPlan::kManyGroups);

  // Copies of S that would exceed the bound even in 8 groups.
  const auto large = MakeRandomSchurJacobian(Unordered(200, 6000));
  const SchurPlan bounded({}, large->structure, ReducedMatrix::kSchurComplement,
                          PointDiagonal::kFused, SchurFormation::kCopies);
  EXPECT_LT(bounded.num_groups(), SchurPlan::kFewGroups);
  EXPECT_LE(bounded.copies_size(), std::max(SchurPlan::kMaxSmallCopies,
                                            large->structure.num_values()));
}

TEST(SchurPlan, OwnersComputeWhereFewCopiesWouldBeLeft) {
  const auto owners_compute = [](const RandomSchurOptions& options,
                                 ReducedMatrix matrix) {
    const auto problem = MakeRandomSchurJacobian(options);
    const SchurPlan plan({}, problem->structure, matrix, PointDiagonal::kSplit);
    if (plan.owner_computes()) {
      EXPECT_EQ(plan.num_groups(), 1);
      EXPECT_EQ(plan.group(0).point_begin, 0);
      EXPECT_EQ(plan.group(0).point_end, plan.num_points());
      EXPECT_EQ(plan.group(0).row_end, problem->structure.num_row_blocks());
      EXPECT_LE(plan.copies_size(), 3 * plan.pattern().num_values());
    }
    return plan.owner_computes();
  };
  RandomSchurOptions dense = Unordered(200, 6000);
  dense.num_other_rows = 10;
  EXPECT_TRUE(owners_compute(dense, ReducedMatrix::kSchurComplement));
  EXPECT_FALSE(owners_compute(dense, ReducedMatrix::kRemainingBlocks));
  EXPECT_TRUE(
      owners_compute(Unordered(120, 3000), ReducedMatrix::kSchurComplement));
  // Sixteen copies of little.
  EXPECT_FALSE(
      owners_compute(Unordered(16, 4000), ReducedMatrix::kSchurComplement));
  // As few row chunks as that, but each has its copy.
  RandomSchurOptions small = Unordered(16, 400);
  small.num_row_chunks = 4;
  EXPECT_FALSE(owners_compute(small, ReducedMatrix::kSchurComplement));
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
