// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Every admissible combination of minimizer, strategy, linear solver,
// preconditioner and back end on published data: they agree on the minimum,
// which another solver has found.
//
// A part of each file is solved, small enough for dense factorizations. The
// part depends on the file alone. Whole files are solved by
// bundle_adjustment_test and pose_graph_test.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "slam/common/pose_graph_problem.h"
#include "snavely_reprojection_error.h"

namespace ceres::examples {
namespace {

// A problem that can be solved again and again.
class Scene {
 public:
  virtual ~Scene() = default;
  virtual void Reset() = 0;
  // Names residual blocks that determine the parameters, for the preconditioner
  // SUBSET, which is rejected where none is named.
  virtual void NameSubset(Solver::Options* options) = 0;
  Problem* problem() { return &problem_; }

 protected:
  Problem problem_;
};

// The first cameras with the first points that enough of them see.
BalProblem Cut(const BalProblem& whole, int num_cameras, int num_points,
               int min_observations) {
  std::vector<int> count(whole.num_points(), 0);
  for (int i = 0; i < whole.num_observations(); ++i) {
    count[whole.point_index[i]] += whole.camera_index[i] < num_cameras;
  }
  std::vector<int> new_index(whole.num_points(), -1);
  BalProblem cut;
  for (int p = 0; p < whole.num_points(); ++p) {
    if (count[p] < min_observations || cut.num_points() == num_points) continue;
    new_index[p] = cut.num_points();
    cut.points.insert(cut.points.end(), whole.point(p), whole.point(p) + 3);
  }
  cut.cameras.assign(whole.camera(0), whole.camera(num_cameras));
  for (int i = 0; i < whole.num_observations(); ++i) {
    const int point = new_index[whole.point_index[i]];
    if (whole.camera_index[i] >= num_cameras || point < 0) continue;
    const double* pixel = &whole.observations[2 * static_cast<size_t>(i)];
    cut.camera_index.push_back(whole.camera_index[i]);
    cut.point_index.push_back(point);
    cut.observations.insert(cut.observations.end(), pixel, pixel + 2);
  }
  return cut;
}

class BundleScene final : public Scene {
 public:
  explicit BundleScene(BalProblem bal)
      : start_(std::move(bal)), current_(start_) {
    for (int i = 0; i < start_.num_observations(); ++i) {
      const double* pixel = &start_.observations[2 * static_cast<size_t>(i)];
      problem_.AddResidualBlock(
          SnavelyReprojectionError::Create(pixel[0], pixel[1]), nullptr,
          current_.camera(start_.camera_index[i]),
          current_.point(start_.point_index[i]));
    }
  }
  void Reset() override {
    std::copy(start_.cameras.begin(), start_.cameras.end(),
              current_.cameras.begin());
    std::copy(start_.points.begin(), start_.points.end(),
              current_.points.begin());
  }
  void NameSubset(Solver::Options* options) override {
    internal::NameSubset(problem_, options);
  }

 private:
  const BalProblem start_;
  BalProblem current_;
};

// The poses whose ids are in [first_id, first_id + num_poses), and the edges
// between them.
io::PoseGraph Cut(const io::PoseGraph& whole, std::uint64_t first_id,
                  std::uint64_t num_poses) {
  io::PoseGraph graph;
  graph.dimension = whole.dimension;
  std::vector<int> new_index(whole.vertices.size(), -1);
  for (std::size_t i = 0; i < whole.vertices.size(); ++i) {
    const std::uint64_t id = whole.vertices[i].id;
    if (id < first_id || id >= first_id + num_poses) continue;
    new_index[i] = static_cast<int>(graph.vertices.size());
    graph.vertices.push_back(whole.vertices[i]);
  }
  for (io::PoseGraph::Edge edge : whole.edges) {
    edge.x = new_index[edge.x];
    edge.y = new_index[edge.y];
    if (edge.x >= 0 && edge.y >= 0) graph.edges.push_back(edge);
  }
  return graph;
}

class GraphScene final : public Scene {
 public:
  explicit GraphScene(io::PoseGraph graph)
      : start_(std::move(graph)), current_(start_) {
    BuildProblem(&current_, &problem_);
  }
  void Reset() override {
    for (std::size_t i = 0; i < start_.vertices.size(); ++i) {
      current_.vertices[i].value = start_.vertices[i].value;
    }
  }
  // The odometry: from each pose to the next.
  void NameSubset(Solver::Options* options) override {
    std::vector<ResidualBlockId> ids;
    problem_.GetResidualBlocks(&ids);
    for (size_t i = 0; i < ids.size(); ++i) {
      const io::PoseGraph::Edge& edge = start_.edges[i];
      if (start_.vertices[edge.y].id != start_.vertices[edge.x].id + 1) {
        continue;
      }
      options->residual_blocks_for_subset_preconditioner.insert(ids[i]);
    }
  }

 private:
  const io::PoseGraph start_;
  io::PoseGraph current_;
};

// The published values of a problem.
struct Published {
  const char* name;
  // Nothing where the data sets are absent.
  std::unique_ptr<Scene> (*read)();
  // Costs; the minimum as Ceres 2.1.0 finds it with DENSE_QR.
  double start;
  double minimum;
  // Methods of first order crawl here. What they may have left to gain after
  // 500 iterations, as a part of all that there is to gain: with some room,
  // what it was when this was written.
  double left_by_lbfgs;
  double left_by_conjugate_gradients;
  double left_by_steepest_descent;
  // 0 unless BFGS ends at another minimum.
  double left_by_bfgs = 0.0;
};

void PrintTo(const Published& published, std::ostream* stream) {
  *stream << published.name;
}

std::unique_ptr<Scene> ReadGraph(const std::string& name, int first_id,
                                 int num_poses) {
  const auto text = internal::ReadSharedData("pose_graph/" + name + ".g2o");
  if (!text.has_value()) return nullptr;
  io::PoseGraph whole;
  std::string error;
  EXPECT_TRUE(io::ParseG2o(*text, name, {}, &whole, &error)) << error;
  return std::make_unique<GraphScene>(Cut(whole, first_id, num_poses));
}

std::unique_ptr<Scene> ReadBundle() {
  const std::string name = "problem-16-22106-pre";
  const auto text = internal::ReadSharedData("bal/" + name + ".txt");
  if (!text.has_value()) return nullptr;
  BalProblem whole;
  std::string error;
  EXPECT_TRUE(ParseBal(*text, name, &whole, &error)) << error;
  return std::make_unique<BundleScene>(Cut(whole, /*num_cameras=*/5,
                                           /*num_points=*/30,
                                           /*min_observations=*/5));
}

const Published kPublished[] = {
    // Has another minimum, 15.81139.
    {"problem_16_22106", &ReadBundle, 3.272011191336e3, 1.476742264618e1, 1e-3,
     1e-2, 2e-2, 1e-3},
    // The part in which the robot returns to places it has seen.
    {"intel", [] { return ReadGraph("intel", 970, 80); }, 6.384251324600,
     6.110160563718e-1, 1e-4, 5e-3, 1e-2},
    {"M3500", [] { return ReadGraph("M3500", 0, 80); }, 3.879256150847e1,
     4.171165400210e-1, 1e-4, 3e-2, 5e-2},
    {"smallGrid3D", [] { return ReadGraph("smallGrid3D", 0, 20); },
     1.035696877684e3, 4.917198197875e1, 1e-8, 5e-3, 2e-2},
};

class SolversAgreeTest : public ::testing::TestWithParam<Published> {
 protected:
  SolversAgreeTest() : scene_(GetParam().read()) {
    base_.function_tolerance = 1e-12;
    base_.max_num_iterations = 100;
    base_.eta = 1e-2;
  }

  void SetUp() override {
    if (scene_ == nullptr) {
      GTEST_SKIP() << "no data sets in " << internal::SharedDataFolder();
    }
    scene_->NameSubset(&base_);
  }

  double FinalCost(const Solver::Options& options) {
    scene_->Reset();
    Solver::Summary summary;
    Solve(options, scene_->problem(), &summary);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
    EXPECT_NEAR(summary.initial_cost, GetParam().start,
                kDigits * GetParam().start);
    return summary.final_cost;
  }

  // As many as are given.
  static constexpr double kDigits = 1e-9;
  std::unique_ptr<Scene> scene_;
  Solver::Options base_ = internal::OptionsToCompare();
};

TEST_P(SolversAgreeTest, TrustRegionsReachTheMinimum) {
  const double minimum = GetParam().minimum;
  const std::vector<Solver::Options> combinations =
      internal::TrustRegionCombinations(base_);
  EXPECT_GT(combinations.size(), 50u);
  for (const Solver::Options& options : combinations) {
    SCOPED_TRACE(internal::Describe(options));
    EXPECT_NEAR(FinalCost(options), minimum, kDigits * minimum);
  }
}

double PartLeft(const Published& published, LineSearchDirectionType direction) {
  switch (direction) {
    case STEEPEST_DESCENT:
      return published.left_by_steepest_descent;
    case NONLINEAR_CONJUGATE_GRADIENT:
      return published.left_by_conjugate_gradients;
    case LBFGS:
      return published.left_by_lbfgs;
    case BFGS:
      break;
  }
  return published.left_by_bfgs;
}

TEST_P(SolversAgreeTest, LineSearchesReachTheMinimumOrComeNear) {
  base_.max_num_iterations = 500;
  const double minimum = GetParam().minimum;
  const double gain = GetParam().start - minimum;
  for (const Solver::Options& options :
       internal::LineSearchCombinations(base_)) {
    SCOPED_TRACE(internal::Describe(options));
    const double cost = FinalCost(options);
    EXPECT_GT(cost, (1.0 - kDigits) * minimum);
    EXPECT_LT(cost, (1.0 + kDigits) * minimum +
                        gain * PartLeft(GetParam(),
                                        options.line_search_direction_type));
  }
}

INSTANTIATE_TEST_SUITE_P(, SolversAgreeTest, ::testing::ValuesIn(kPublished),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace ceres::examples
