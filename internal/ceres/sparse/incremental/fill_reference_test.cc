// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental/fill_reference.h"

#include <algorithm>
#include <cstdint>

#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A dense matrix of n nodes of one scalar.
CliqueGraph Dense(int n) {
  CliqueGraph graph;
  for (int i = 0; i < n; ++i) {
    graph.AddNode(1, false);
    graph.members.push_back(i);
  }
  graph.EndClique();
  return graph;
}

TEST(FillReference, IsUnknownUntilASearchHasEnded) {
  FillReference reference;
  EXPECT_EQ(reference.fill(), 0.0);
  reference.graph() = Dense(8);
  reference.Begin();
  EXPECT_TRUE(reference.is_searching());
  EXPECT_EQ(reference.fill(), 0.0);
  reference.Advance(1000000);
  EXPECT_FALSE(reference.is_searching());
  // One front: a panel of 8 rows for each of 8 columns.
  EXPECT_EQ(reference.fill(), 8.0);
}

TEST(FillReference, ASearchInPiecesGivesTheSameFillForTheSameOperations) {
  // A chain: 100 cliques of two nodes.
  CliqueGraph graph;
  for (int i = 0; i <= 100; ++i) graph.AddNode(30, false);
  for (int i = 0; i < 100; ++i) {
    graph.members.insert(graph.members.end(), {i, i + 1});
    graph.EndClique();
  }
  FillReference whole, pieces;
  whole.graph() = graph;
  whole.Begin();
  const int64_t operations = whole.Advance(1000000000);
  pieces.graph() = graph;
  pieces.Begin();
  int64_t sum = 0, most = 0;
  int num_calls = 0;
  while (pieces.is_searching()) {
    const int64_t part = pieces.Advance(operations / 10);
    sum += part;
    most = std::max(most, part);
    ++num_calls;
  }
  EXPECT_GE(num_calls, 5);
  EXPECT_EQ(sum, operations);
  EXPECT_LT(most, operations / 5);
  EXPECT_GT(whole.fill(), 0.0);
  EXPECT_EQ(pieces.fill(), whole.fill());
}

}  // namespace
}  // namespace ceres::internal
