// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Published scenes over the ranks of MPI_COMM_WORLD, each compared with a solve
// in one process, and with a solve over one rank. A test is skipped where its
// data are absent.

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/distributed.h"
#include "ceres/distributed/hashing.h"
#include "ceres/io/g2o.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"
#include "libmv_file.h"
#include "scene_on_ranks.h"
#include "shared_data.h"
#include "slam/pose_graph_2d/pose_graph_2d_error_term.h"

namespace ceres::examples {
namespace {

distributed::Options SceneOptions(int num_iterations) {
  distributed::Options options;
  options.logging_type = SILENT;
  options.max_num_iterations = num_iterations;
  options.function_tolerance = 1e-12;
  return options;
}

void ExpectSameCosts(const Solver::Summary& one,
                     const distributed::Summary& over_ranks) {
  ASSERT_TRUE(over_ranks.IsSolutionUsable()) << over_ranks.message;
  ASSERT_EQ(one.iterations.size(), over_ranks.iterations.size());
  EXPECT_LT(one.final_cost, one.initial_cost);
  for (std::size_t i = 0; i < one.iterations.size(); ++i) {
    EXPECT_NEAR(one.iterations[i].cost, over_ranks.iterations[i].cost,
                1e-8 * one.iterations[i].cost)
        << "iteration " << i;
    EXPECT_EQ(one.iterations[i].step_is_successful,
              over_ranks.iterations[i].step_is_successful);
  }
}

// The scene of 7776 points takes steps that are rejected.
TEST(PublishedScene, Of49CamerasTakesTheStepsOfOneProcess) {
  BalProblem scene;
  if (!ReadSharedScene("problem-49-7776-pre.txt", &scene)) {
    GTEST_SKIP() << "problem-49-7776 is absent.";
  }
  const distributed::Options options = SceneOptions(4);
  BalProblem whole = scene;
  const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, {});
  ExpectSameCosts(one, on_ranks.Solve(options));
  SceneOnRanks alone(scene, MPI_COMM_SELF, {});
  alone.Solve(options);
  EXPECT_EQ(alone.HashOfResult(), on_ranks.HashOfResult());
}

// A marker of libmv, with radial distortion of two coefficients.
struct MarkerResidual {
  double u, v;
  template <typename T>
  bool operator()(const T* intrinsics, const T* pose, const T* point,
                  T* residuals) const {
    T p[3];
    AngleAxisRotatePoint(pose, point, p);
    for (int i = 0; i < 3; ++i) p[i] += pose[3 + i];
    if (p[2] <= 0.0) return false;
    const T x = p[0] / p[2];
    const T y = p[1] / p[2];
    const T r2 = x * x + y * y;
    const T radial =
        1.0 + r2 * (intrinsics[kRadial1] + r2 * intrinsics[kRadial2]);
    const T& focal_length = intrinsics[kFocalLength];
    residuals[0] = focal_length * x * radial + intrinsics[kPrincipalPointX] - u;
    residuals[1] = focal_length * y * radial + intrinsics[kPrincipalPointY] - v;
    return true;
  }
};

// The markers of a rank's tracks. One set of intrinsics is shared by all
// images, and so are poses. With one rank of one, the whole problem.
class LibmvOnRanks {
 public:
  LibmvOnRanks(const LibmvProblem& scene, int rank, int num_ranks)
      : scene_(scene) {
    const int num_points = static_cast<int>(scene_.points.size());
    std::vector<std::vector<const LibmvProblem::Marker*>> markers(num_points);
    for (const LibmvProblem::Marker& marker : scene_.markers) {
      markers[marker.point].push_back(&marker);
    }
    for (int leaf = kNumLeaves * rank / num_ranks;
         leaf < kNumLeaves * (rank + 1) / num_ranks; ++leaf) {
      shared_.BeginLeaf(leaf, problem_);
      for (int p = num_points * leaf / kNumLeaves;
           p < num_points * (leaf + 1) / kNumLeaves; ++p) {
        for (const LibmvProblem::Marker* marker : markers[p]) {
          problem_.AddResidualBlock(
              new AutoDiffCostFunction<MarkerResidual, 2, kNumLibmvIntrinsics,
                                       6, 3>(
                  new MarkerResidual{marker->x, marker->y}),
              nullptr, scene_.intrinsics, scene_.cameras[marker->camera].pose,
              scene_.points[p].position);
        }
      }
    }
    if (problem_.HasParameterBlock(scene_.intrinsics)) {
      problem_.SetManifold(
          scene_.intrinsics,
          new SubsetManifold(kNumLibmvIntrinsics,
                             {kPrincipalPointX, kPrincipalPointY, kRadial3,
                              kTangential1, kTangential2}));
      shared_.Add(-1, scene_.intrinsics);
    }
    for (std::size_t c = 0; c < scene_.cameras.size(); ++c) {
      double* const pose = scene_.cameras[c].pose;
      if (!problem_.HasParameterBlock(pose)) continue;
      if (c == 0) problem_.SetParameterBlockConstant(pose);
      shared_.Add(static_cast<std::int64_t>(c), pose);
    }
  }

  Problem& problem() { return problem_; }
  const distributed::SharedBlocks& shared() const { return shared_; }
  const double* intrinsics() const { return scene_.intrinsics; }

 private:
  static constexpr int kNumLeaves = 8;

  LibmvProblem scene_;
  Problem problem_;
  distributed::SharedBlocks shared_;
};

TEST(LibmvScene, WithSharedIntrinsicsTakesTheStepsOfOneProcess) {
  const std::optional<std::string> bytes =
      internal::ReadSharedData("libmv/problem_01.bin");
  if (!bytes) GTEST_SKIP() << "The libmv scene is absent.";
  LibmvProblem scene;
  std::string error;
  ASSERT_TRUE(ParseLibmv(*bytes, "problem_01.bin", &scene, &error)) << error;
  const distributed::Options options = SceneOptions(6);
  LibmvOnRanks whole(scene, 0, 1);
  Solver::Summary one;
  ceres::Solve(options, &whole.problem(), &one);

  LibmvOnRanks part(scene, RankOfWorld(), SizeOfWorld());
  distributed::Summary summary;
  distributed::Solve(options, MPI_COMM_WORLD, part.shared(), &part.problem(),
                     &summary);
  ExpectSameCosts(one, summary);
  LibmvOnRanks alone(scene, 0, 1);
  distributed::Summary of_one;
  distributed::Solve(options, MPI_COMM_SELF, alone.shared(), &alone.problem(),
                     &of_one);
  EXPECT_EQ(of_one.final_cost, summary.final_cost);
  for (int k = 0; k < kNumLibmvIntrinsics; ++k) {
    EXPECT_EQ(alone.intrinsics()[k], part.intrinsics()[k]);
    EXPECT_NEAR(whole.intrinsics()[k], part.intrinsics()[k],
                1e-6 * std::abs(whole.intrinsics()[k]));
  }
}

// Edges of a pose graph, cut into leaves in the order of the file. All
// coordinates are shared: no block is private.
class PoseGraphOnRanks {
 public:
  PoseGraphOnRanks(const io::PoseGraph& graph, int rank, int num_ranks)
      : graph_(graph) {
    const int num_edges = static_cast<int>(graph_.edges.size());
    for (int leaf = kNumLeaves * rank / num_ranks;
         leaf < kNumLeaves * (rank + 1) / num_ranks; ++leaf) {
      shared_.BeginLeaf(leaf, problem_);
      for (int i = num_edges * leaf / kNumLeaves;
           i < num_edges * (leaf + 1) / kNumLeaves; ++i) {
        const io::PoseGraph::Edge& edge = graph_.edges[i];
        double* const a = graph_.vertices[edge.x].value.data();
        double* const b = graph_.vertices[edge.y].value.data();
        problem_.AddResidualBlock(PoseGraph2dErrorTerm::Create(edge), nullptr,
                                  a, a + 1, a + 2, b, b + 1, b + 2);
      }
    }
    // The first pose of the file has the smallest id.
    const std::uint64_t first_id = graph_.vertices[0].id;
    for (io::PoseGraph::Vertex& vertex : graph_.vertices) {
      for (int k = 0; k < 3; ++k) {
        double* const value = &vertex.value[k];
        if (!problem_.HasParameterBlock(value)) continue;
        if (vertex.id == first_id) problem_.SetParameterBlockConstant(value);
        shared_.Add(static_cast<std::int64_t>(3 * vertex.id + k), value);
      }
    }
  }

  Problem& problem() { return problem_; }
  const distributed::SharedBlocks& shared() const { return shared_; }

 private:
  static constexpr int kNumLeaves = 8;

  io::PoseGraph graph_;
  Problem problem_;
  distributed::SharedBlocks shared_;
};

TEST(PublishedPoseGraph, TakesTheStepsOfOneProcess) {
  const std::optional<std::string> text =
      internal::ReadSharedData("pose_graph/intel.g2o");
  if (!text) GTEST_SKIP() << "The pose graph intel.g2o is absent.";
  io::PoseGraph graph;
  std::string error;
  ASSERT_TRUE(io::ParseG2o(*text, "intel.g2o", {}, &graph, &error)) << error;
  const distributed::Options options = SceneOptions(5);
  PoseGraphOnRanks whole(graph, 0, 1);
  Solver::Options one_options = options;
  one_options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  Solver::Summary one;
  ceres::Solve(one_options, &whole.problem(), &one);

  PoseGraphOnRanks part(graph, RankOfWorld(), SizeOfWorld());
  distributed::Summary summary;
  distributed::Solve(options, MPI_COMM_WORLD, part.shared(), &part.problem(),
                     &summary);
  ExpectSameCosts(one, summary);
  EXPECT_EQ(summary.linear_solver_ordering_used.front(), 0);
  PoseGraphOnRanks alone(graph, 0, 1);
  distributed::Summary of_one;
  distributed::Solve(options, MPI_COMM_SELF, alone.shared(), &alone.problem(),
                     &of_one);
  EXPECT_EQ(of_one.final_cost, summary.final_cost);
}

// Generated scenes of several shapes: few and many cameras, many leaves.
TEST(GeneratedScene, TakesTheStepsOfOneProcess) {
  struct Shape {
    int num_cameras, num_points, num_leaves;
  };
  for (const Shape& shape :
       {Shape{3, 60, 4}, Shape{30, 900, 32}, Shape{60, 200, 5}}) {
    const BalProblem scene = SmallScene(shape.num_cameras, shape.num_points);
    const distributed::Options options = SceneOptions(3);
    BalProblem whole = scene;
    const Solver::Summary one = SolveInOneProcess(options, {}, &whole);
    SceneSetup setup;
    setup.num_leaves = shape.num_leaves;
    SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, setup);
    ExpectSameCosts(one, on_ranks.Solve(options));
  }
}

}  // namespace
}  // namespace ceres::examples
