// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/independent_set.h"

#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct Rows {
  std::vector<int> first_column = {0};
  std::vector<int> columns;

  void Add(const std::vector<int>& row) {
    columns.insert(columns.end(), row.begin(), row.end());
    first_column.push_back(static_cast<int>(columns.size()));
  }
  ColumnGraph Graph(int num_columns) const {
    return {num_columns, first_column, columns};
  }
};

std::vector<bool> Membership(int num_columns, const std::vector<int>& set) {
  std::vector<bool> in_set(num_columns, false);
  for (const int column : set) in_set[column] = true;
  return in_set;
}

TEST(MaximalIndependentSet, TakesTheLeavesOfAStar) {
  Rows rows;
  for (int leaf = 1; leaf < 6; ++leaf) rows.Add({0, leaf});
  EXPECT_EQ(MaximalIndependentSet(rows.Graph(6)),
            (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(MaximalIndependentSet, TakesThePointsOfBundleAdjustment) {
  // Cameras are columns 0 to 2, points 3 to 12; every camera sees every point.
  Rows rows;
  for (int point = 3; point < 13; ++point) {
    for (int camera = 0; camera < 3; ++camera) rows.Add({camera, point});
  }
  const std::vector<int> set = MaximalIndependentSet(rows.Graph(13));
  ASSERT_EQ(set.size(), 10u);
  EXPECT_EQ(set.front(), 3);
  EXPECT_EQ(set.back(), 12);
}

TEST(MaximalIndependentSet, TakesColumnsThatShareNoRow) {
  Rows rows;
  rows.Add({0});
  rows.Add({2});
  EXPECT_EQ(MaximalIndependentSet(rows.Graph(3)), (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(MaximalIndependentSet(Rows().Graph(0)).empty());
}

TEST(MaximalIndependentSet, IsIndependentAndMaximalOnRandomGraphs) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    const int num_columns = 1 + static_cast<int>(random() % 40);
    Rows rows;
    for (int row = 0; row < 60; ++row) {
      std::vector<int> touched;
      for (int column = 0; column < num_columns; ++column) {
        if (random() % 20 == 0) touched.push_back(column);
      }
      rows.Add(touched);
    }
    const ColumnGraph graph = rows.Graph(num_columns);
    std::vector<bool> in_set =
        Membership(num_columns, MaximalIndependentSet(graph));
    EXPECT_TRUE(IsIndependentSet(graph, in_set, nullptr));
    for (int column = 0; column < num_columns; ++column) {
      if (in_set[column]) continue;
      in_set[column] = true;
      EXPECT_FALSE(IsIndependentSet(graph, in_set, nullptr)) << column;
      in_set[column] = false;
    }
  }
}

TEST(IsIndependentSet, NamesTheFirstRowInConflict) {
  Rows rows;
  rows.Add({0, 1});
  rows.Add({1, 2});
  rows.Add({0, 2});
  int row = -1;
  EXPECT_FALSE(IsIndependentSet(rows.Graph(3), Membership(3, {1, 2}), &row));
  EXPECT_EQ(row, 1);
}

}  // namespace
}  // namespace ceres::internal
