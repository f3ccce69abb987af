// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The bytes that the ranks of MPI_COMM_WORLD send, compared with the formula of
// docs/distributed.md. The test computes the terms of the formula from the
// observations alone.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "ceres/distributed.h"
#include "ceres/distributed/leaf_tree.h"
#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

constexpr int kCamera = 9;  // columns
constexpr int kNumLeaves = 8;

// A sum over leaves, as the formula sees it: what it is a sum of, and which of
// it each rank has.
struct SumOfEntries {
  std::vector<std::int64_t> first = {0};  // by entry, +1: its place
  std::vector<std::set<int>> of_rank;     // the entries of each rank

  // The place at which a rank's chunk begins.
  std::int64_t ChunkBegin(int rank, int num_ranks) const {
    if (rank == num_ranks) return first.back();
    return *std::lower_bound(first.begin(), first.end(),
                             first.back() / num_ranks * rank);
  }
  // The doubles of a rank, and those of them in its own chunk.
  std::pair<double, double> Doubles(int rank, int num_ranks) const {
    const std::int64_t begin = ChunkBegin(rank, num_ranks);
    const std::int64_t end = ChunkBegin(rank + 1, num_ranks);
    double all = 0.0;
    double own = 0.0;
    for (const int entry : of_rank[rank]) {
      const double size = static_cast<double>(first[entry + 1] - first[entry]);
      all += size;
      if (first[entry] >= begin && first[entry + 1] <= end) own += size;
    }
    return {all, own};
  }
  double ChunkSize(int rank, int num_ranks) const {
    return static_cast<double>(ChunkBegin(rank + 1, num_ranks) -
                               ChunkBegin(rank, num_ranks));
  }
};

// What the formula needs to know about a scene.
class Terms {
 public:
  Terms(const BalProblem& scene, int num_ranks) {
    std::vector<distributed::Observation> observations;
    for (int i = 0; i < scene.num_observations(); ++i) {
      observations.push_back({scene.camera_index[i], scene.point_index[i]});
    }
    const distributed::Partition partition =
        distributed::PartitionByPoints(observations, num_ranks, kNumLeaves);
    std::vector<int> leaf_of(scene.num_points(), 0);
    for (int leaf = 0; leaf < kNumLeaves; ++leaf) {
      for (int i = partition.first_point[leaf];
           i < partition.first_point[leaf + 1]; ++i) {
        leaf_of[partition.points[i]] = leaf;
      }
    }
    for (int r = 0; r < num_ranks; ++r) {
      for (int l = partition.first_leaf[r]; l < partition.first_leaf[r + 1];
           ++l) {
        owner_.push_back(r);
      }
    }
    NumberCameras(scene, leaf_of);
    std::vector<std::set<int>> cameras_of(scene.num_points());
    for (const distributed::Observation& o : observations) {
      cameras_of[o.point].insert(number_[o.camera]);
    }
    // Pairs of cameras, by rank.
    std::vector<std::set<std::pair<int, int>>> pairs(num_ranks);
    std::set<std::pair<int, int>> all_pairs;
    for (int c = 0; c < num_cameras(); ++c) all_pairs.insert({c, c});
    columns.of_rank.resize(num_ranks);
    for (int p = 0; p < scene.num_points(); ++p) {
      const int rank = owner_[leaf_of[p]];
      for (const int a : cameras_of[p]) {
        columns.of_rank[rank].insert(a);
        for (const int b : cameras_of[p]) {
          if (a <= b) pairs[rank].insert({a, b});
        }
      }
    }
    for (const auto& of_rank : pairs) {
      all_pairs.insert(of_rank.begin(), of_rank.end());
    }
    MakeSums(all_pairs, pairs);
  }

  int num_cameras() const { return static_cast<int>(number_.size()); }
  int num_leaves(int rank) const {
    return static_cast<int>(std::count(owner_.begin(), owner_.end(), rank));
  }
  // The nodes of the tree that a rank sends.
  double num_nodes(int rank) const {
    double num_nodes = 0.0;
    const internal::LeafTree tree(owner_);
    for (const internal::LeafRange& node : tree.whole_nodes()) {
      if (owner_[node.begin] == rank) num_nodes += 1.0;
    }
    return num_nodes;
  }

  SumOfEntries columns;  // gradient and column norms of cameras
  SumOfEntries system;   // blocks of S, then the right-hand side

 private:
  // Cameras are numbered by the first leaf that uses them, then by index.
  void NumberCameras(const BalProblem& scene, const std::vector<int>& leaf_of) {
    std::map<int, int> home;
    for (int i = 0; i < scene.num_observations(); ++i) {
      const int leaf = leaf_of[scene.point_index[i]];
      const auto found = home.emplace(scene.camera_index[i], leaf).first;
      found->second = std::min(found->second, leaf);
    }
    std::vector<std::pair<int, int>> order;
    for (const auto& [camera, leaf] : home) order.push_back({leaf, camera});
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      number_[order[i].second] = static_cast<int>(i);
    }
  }

  void MakeSums(const std::set<std::pair<int, int>>& all_pairs,
                const std::vector<std::set<std::pair<int, int>>>& pairs) {
    for (int c = 0; c < num_cameras(); ++c) {
      columns.first.push_back(2 * kCamera * (c + 1));
    }
    std::map<std::pair<int, int>, int> entry_of;
    for (const auto& pair : all_pairs) {
      entry_of[pair] = static_cast<int>(entry_of.size());
      system.first.push_back(system.first.back() + kCamera * kCamera);
    }
    const int first_rhs = static_cast<int>(entry_of.size());
    for (int c = 0; c < num_cameras(); ++c) {
      system.first.push_back(system.first.back() + kCamera);
    }
    for (std::size_t r = 0; r < pairs.size(); ++r) {
      std::set<int>& entries = system.of_rank.emplace_back();
      for (const auto& pair : pairs[r]) entries.insert(entry_of.at(pair));
      for (const int c : columns.of_rank[r]) entries.insert(first_rhs + c);
    }
  }

  std::map<int, int> number_;  // by camera
  std::vector<int> owner_;     // by leaf
};

class Bytes : public testing::TestWithParam<std::pair<int, int>> {};

// The formula of docs/distributed.md, rank by rank.
TEST_P(Bytes, FollowTheFormula) {
  const auto [num_cameras, num_points] = GetParam();
  const BalProblem scene = SmallScene(num_cameras, num_points);
  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
  distributed::Options options;
  options.logging_type = SILENT;
  options.max_num_iterations = 4;
  options.function_tolerance = 0.0;
  const distributed::Summary summary = on_ranks.Solve(options);
  ASSERT_TRUE(summary.IsSolutionUsable()) << summary.message;
  const int n = SizeOfWorld();
  const Terms terms(scene, n);
  const double m = kCamera * terms.num_cameras();
  const double solves = summary.num_linear_solves;
  const double jacobians = summary.num_jacobian_evaluations;
  const double costs = summary.num_residual_evaluations;
  for (int r = 0; r < n; ++r) {
    SCOPED_TRACE(r);
    const distributed::RankSummary& rank = summary.ranks[r];
    const double k = terms.num_nodes(r);
    const double small = 8.0 * (1 + terms.num_leaves(r)) * (n - 1);
    const auto [c, c_own] = terms.columns.Doubles(r, n);
    const double evaluation =
        jacobians * (8.0 * k * (c - c_own) +
                     8.0 * terms.columns.ChunkSize(r, n) * (n - 1)) +
        (jacobians + costs) * small;
    EXPECT_NEAR(static_cast<double>(rank.evaluation_bytes), evaluation,
                0.05 * evaluation);
    const auto [s, s_own] = terms.system.Doubles(r, n);
    const double reduced =
        solves *
        (8.0 * k * (s - s_own) +
         (r > 0 ? 8.0 * terms.system.ChunkSize(r, n) : 0.0) + 8.0 * (n - 1));
    EXPECT_NEAR(static_cast<double>(rank.reduced_system_bytes), reduced,
                0.05 * reduced);
    const double step = solves * ((r == 0 ? 8.0 * (m + 1) * (n - 1) : 0.0) +
                                  8.0 * (n - 1) + small);
    EXPECT_NEAR(static_cast<double>(rank.step_bytes), step, 0.05 * step);
    EXPECT_EQ(n == 1, rank.total_bytes() == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(, Bytes,
                         testing::Values(std::pair(4, 400), std::pair(40, 800)),
                         [](const auto& info) {
                           return "Of" + std::to_string(info.param.first) +
                                  "Cameras";
                         });

}  // namespace
}  // namespace ceres::examples
