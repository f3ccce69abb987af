// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Models other than points and cameras over the ranks of MPI_COMM_WORLD, each
// compared with a solve in one process: losses, manifolds, bounds, dogleg,
// shared intrinsics, constant blocks, pose graphs.

#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/distributed.h"
#include "gtest/gtest.h"
#include "scene_on_ranks.h"

namespace ceres::examples {
namespace {

distributed::Options ModelOptions() {
  distributed::Options options;
  options.linear_solver_type = SPARSE_SCHUR;
  options.logging_type = SILENT;
  options.max_num_iterations = 10;
  options.function_tolerance = 1e-10;
  return options;
}

// The costs of all iterations. tolerance: relative.
void ExpectSameCosts(const Solver::Summary& one,
                     const distributed::Summary& over_ranks,
                     double tolerance = 1e-8) {
  ASSERT_TRUE(over_ranks.IsSolutionUsable()) << over_ranks.message;
  EXPECT_EQ(one.termination_type, over_ranks.termination_type)
      << one.message << "\n"
      << over_ranks.message;
  ASSERT_EQ(one.iterations.size(), over_ranks.iterations.size());
  EXPECT_NEAR(one.fixed_cost, over_ranks.fixed_cost, 1e-12 * one.final_cost);
  EXPECT_EQ(one.is_constrained, over_ranks.is_constrained);
  for (std::size_t i = 0; i < one.iterations.size(); ++i) {
    EXPECT_NEAR(one.iterations[i].cost, over_ranks.iterations[i].cost,
                tolerance * one.iterations[i].cost)
        << "iteration " << i;
  }
}

struct Model {
  const char* name;
  SceneSetup setup;
  void (*change)(distributed::Options* options);
};

void PrintTo(const Model& model, std::ostream* stream) {
  *stream << model.name;
}

std::vector<Model> Models() {
  std::vector<Model> models;
  const auto no_change = [](distributed::Options*) {};
  Model robust = {"Robust", {}, no_change};
  robust.setup.new_loss = [] { return new HuberLoss(1.0); };
  models.push_back(robust);

  // Focal length and distortion of every second camera are held; the third
  // coordinate of every third point, too.
  Model manifolds = {"Manifolds", {}, no_change};
  manifolds.setup.on_camera = [](Problem* problem, double* camera, int index) {
    if (index % 2 == 0) {
      problem->SetManifold(camera, new SubsetManifold(9, {6, 7, 8}));
    }
  };
  manifolds.setup.on_point = [](Problem* problem, double* point, int index) {
    if (index % 3 == 0) {
      problem->SetManifold(point, new SubsetManifold(3, {2}));
    }
  };
  models.push_back(manifolds);

  Model constant = {"ConstantBlocks", {}, no_change};
  constant.setup.on_camera = [](Problem* problem, double* camera, int index) {
    if (index < 2) problem->SetParameterBlockConstant(camera);
  };
  constant.setup.on_point = [](Problem* problem, double* point, int index) {
    if (index % 5 == 0) problem->SetParameterBlockConstant(point);
  };
  models.push_back(constant);

  Model bounds = {"Bounds", {}, no_change};
  bounds.setup.on_camera = [](Problem* problem, double* camera, int) {
    problem->SetParameterLowerBound(camera, 6, 0.999 * camera[6]);
    problem->SetParameterUpperBound(camera, 6, 1.001 * camera[6]);
  };
  bounds.setup.on_point = [](Problem* problem, double* point, int index) {
    if (index % 4 != 0) return;
    problem->SetParameterUpperBound(point, 0, point[0] + 0.01);
  };
  models.push_back(bounds);

  models.push_back({"Dogleg", {}, [](distributed::Options* options) {
                      options->trust_region_strategy_type = DOGLEG;
                    }});
  models.push_back({"SubspaceDogleg", {}, [](distributed::Options* options) {
                      options->trust_region_strategy_type = DOGLEG;
                      options->dogleg_type = SUBSPACE_DOGLEG;
                    }});
  models.push_back({"NonmonotonicSteps", {}, [](distributed::Options* options) {
                      options->use_nonmonotonic_steps = true;
                    }});
  models.push_back({"SchurJacobi", {}, [](distributed::Options* options) {
                      options->linear_solver_type = ITERATIVE_SCHUR;
                      options->preconditioner_type = SCHUR_JACOBI;
                      options->eta = 1e-12;
                    }});
  models.push_back({"Cgnr", {}, [](distributed::Options* options) {
                      options->linear_solver_type = CGNR;
                      options->max_linear_solver_iterations = 15;
                      options->max_num_iterations = 4;
                      options->eta = 1e-12;
                    }});
  models.push_back({"CgnrIdentity", {}, [](distributed::Options* options) {
                      options->linear_solver_type = CGNR;
                      options->preconditioner_type = IDENTITY;
                      options->max_linear_solver_iterations = 15;
                      options->max_num_iterations = 3;
                      options->eta = 1e-12;
                    }});
  return models;
}

class ModelsOverRanks : public testing::TestWithParam<Model> {};

TEST_P(ModelsOverRanks, TakeTheStepsOfOneProcessWithTheSameBits) {
  const BalProblem scene = SmallScene(8, 240);
  distributed::Options options = ModelOptions();
  GetParam().change(&options);
  BalProblem whole = scene;
  const Solver::Summary one =
      SolveInOneProcess(options, GetParam().setup, &whole);
  SceneOnRanks on_ranks(scene, MPI_COMM_WORLD, GetParam().setup);
  // Conjugate gradients end at another iteration after other rounding.
  ExpectSameCosts(one, on_ranks.Solve(options),
                  options.linear_solver_type == SPARSE_SCHUR ? 1e-8 : 1e-5);
  SceneOnRanks alone(scene, MPI_COMM_SELF, GetParam().setup);
  alone.Solve(options);
  EXPECT_EQ(alone.HashOfResult(), on_ranks.HashOfResult());
  SceneSetup setup = GetParam().setup;
  setup.with_batches = true;
  SceneOnRanks batches(scene, MPI_COMM_WORLD, setup);
  batches.Solve(options);
  EXPECT_EQ(batches.HashOfResult(), on_ranks.HashOfResult());
}

INSTANTIATE_TEST_SUITE_P(, ModelsOverRanks, testing::ValuesIn(Models()),
                         [](const auto& info) {
                           return std::string(info.param.name);
                         });

// A camera that looks along z: pose (an offset of three coordinates) and
// intrinsics (focal length and center) apart.
struct Projection {
  double u, v;
  template <typename T>
  bool operator()(const T* pose, const T* intrinsics, const T* point,
                  T* residuals) const {
    const T depth = point[2] + pose[2];
    residuals[0] =
        intrinsics[0] * (point[0] + pose[0]) / depth + intrinsics[1] - u;
    residuals[1] =
        intrinsics[0] * (point[1] + pose[1]) / depth + intrinsics[2] - v;
    return true;
  }
};

// A prior on a block.
struct Prior {
  double value;
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 * (x[0] - value);
    return true;
  }
};

// Images of a strip of points with one set of intrinsics. Each point is on one
// rank; poses and intrinsics are shared; rank 0 has the priors. With one rank
// in `num_ranks`, the whole problem.
struct StripOfImages {
  static constexpr int kNumPoses = 9;
  static constexpr int kNumPoints = 90;

  StripOfImages(int rank, int num_ranks) {
    std::mt19937 generator(7);
    std::normal_distribution<double> normal;
    for (int i = 0; i < kNumPoses; ++i) {
      const double exact[] = {-0.5 * i, 0.1 * (i % 3), 0.0};
      for (int k = 0; k < 3; ++k) {
        poses[i][k] = exact[k] + 0.05 * normal(generator);
      }
    }
    for (int p = 0; p < kNumPoints; ++p) {
      const double x = 4.5 * p / kNumPoints;
      const double exact[] = {x, normal(generator), 5.0 + normal(generator)};
      for (int k = 0; k < 3; ++k) {
        points[p][k] = exact[k] + 0.05 * normal(generator);
      }
      const bool is_mine = p * num_ranks / kNumPoints == rank;
      for (int i = 0; i < kNumPoses; ++i) {
        const double pose[] = {-0.5 * i, 0.1 * (i % 3), 0.0};
        const double noise[] = {normal(generator), normal(generator)};
        if (!is_mine || std::abs(x - 0.5 * i) > 1.5) continue;
        const double u = 100.0 * (exact[0] + pose[0]) / exact[2] + 3.0;
        const double v = 100.0 * (exact[1] + pose[1]) / exact[2] - 2.0;
        problem.AddResidualBlock(
            new AutoDiffCostFunction<Projection, 2, 3, 3, 3>(
                new Projection{u + 0.1 * noise[0], v + 0.1 * noise[1]}),
            nullptr, poses[i], intrinsics, points[p]);
      }
    }
    for (int i = 0; rank == 0 && i < kNumPoses; ++i) {
      problem.AddResidualBlock(
          new AutoDiffCostFunction<Prior, 1, 3>(new Prior{-0.5 * i}), nullptr,
          poses[i]);
    }
    if (problem.HasParameterBlock(intrinsics)) shared.Add(1000, intrinsics);
    for (int i = 0; i < kNumPoses; ++i) {
      if (problem.HasParameterBlock(poses[i])) shared.Add(i, poses[i]);
    }
  }

  double poses[kNumPoses][3];
  double intrinsics[3] = {95.0, 0.0, 0.0};
  double points[kNumPoints][3];
  Problem problem;
  distributed::SharedBlocks shared;
};

TEST(SharedIntrinsics, TakeTheStepsOfOneProcess) {
  const distributed::Options options = ModelOptions();
  StripOfImages whole(0, 1);
  Solver::Summary one;
  ceres::Solve(options, &whole.problem, &one);
  StripOfImages part(RankOfWorld(), SizeOfWorld());
  distributed::Summary summary;
  distributed::Solve(options, MPI_COMM_WORLD, part.shared, &part.problem,
                     &summary);
  ExpectSameCosts(one, summary);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(whole.intrinsics[k], part.intrinsics[k], 1e-5);
  }
}

// Private blocks that share residual blocks: poses and intrinsics are private
// if there is one rank. Points alone are eliminated.
TEST(PrivateCameras, ArePromotedToTheReducedSystem) {
  const distributed::Options options = ModelOptions();
  StripOfImages whole(0, 1);
  Solver::Summary one;
  ceres::Solve(options, &whole.problem, &one);
  StripOfImages alone(0, 1);
  distributed::Summary summary;
  distributed::Solve(options, MPI_COMM_SELF, distributed::SharedBlocks(),
                     &alone.problem, &summary);
  ExpectSameCosts(one, summary);
  EXPECT_EQ(summary.linear_solver_ordering_used,
            (std::vector<int>{StripOfImages::kNumPoints,
                              StripOfImages::kNumPoses + 1}));
}

// The user may eliminate poses instead of points, as in a film of few tracks.
TEST(LinearSolverOrdering, SaysWhichPrivateBlocksAreEliminated) {
  distributed::Options options = ModelOptions();
  StripOfImages whole(0, 1);
  StripOfImages alone(0, 1);
  const auto ordering_of = [](StripOfImages* strip) {
    auto ordering = std::make_shared<ParameterBlockOrdering>();
    for (auto& pose : strip->poses) ordering->AddElementToGroup(pose, 3);
    for (auto& point : strip->points) ordering->AddElementToGroup(point, 7);
    ordering->AddElementToGroup(strip->intrinsics, 7);
    return ordering;
  };
  Solver::Summary one;
  options.linear_solver_ordering = ordering_of(&whole);
  ceres::Solve(options, &whole.problem, &one);
  distributed::Summary summary;
  options.linear_solver_ordering = ordering_of(&alone);
  distributed::Solve(options, MPI_COMM_SELF, distributed::SharedBlocks(),
                     &alone.problem, &summary);
  ExpectSameCosts(one, summary);
  EXPECT_EQ(summary.linear_solver_ordering_used,
            (std::vector<int>{StripOfImages::kNumPoses,
                              StripOfImages::kNumPoints + 1}));
}

TEST(LinearSolverOrdering, OfPointsFirstHasTheBitsOfNone) {
  const BalProblem scene = SmallScene(6, 120);
  distributed::Options options = ModelOptions();
  SceneOnRanks without(scene, MPI_COMM_WORLD, {});
  without.Solve(options);
  SceneOnRanks with(scene, MPI_COMM_WORLD, {});
  auto ordering = std::make_shared<ParameterBlockOrdering>();
  for (int p = 0; p < with.scene().num_points(); ++p) {
    ordering->AddElementToGroup(with.scene().point(p), 0);
  }
  for (int c = 0; c < with.scene().num_cameras(); ++c) {
    ordering->AddElementToGroup(with.scene().camera(c), 1);
  }
  options.linear_solver_ordering = ordering;
  const distributed::Summary summary = with.Solve(options);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_EQ(without.HashOfResult(), with.HashOfResult());
}

TEST(LinearSolverOrdering, IsRefusedIfItsLowestGroupCannotBeEliminated) {
  distributed::Options options = ModelOptions();
  distributed::Summary summary;
  StripOfImages strip(0, 1);
  auto ordering = std::make_shared<ParameterBlockOrdering>();
  std::vector<double*> blocks;
  strip.problem.GetParameterBlocks(&blocks);
  for (double* const block : blocks) ordering->AddElementToGroup(block, 1);
  ordering->AddElementToGroup(strip.intrinsics, 0);
  ordering->AddElementToGroup(strip.points[0], 0);
  options.linear_solver_ordering = ordering;
  distributed::Solve(options, MPI_COMM_SELF, strip.shared, &strip.problem,
                     &summary);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_NE(summary.message.find("is shared, and in the lowest group"),
            std::string::npos)
      << summary.message;
  distributed::Solve(options, MPI_COMM_SELF, distributed::SharedBlocks(),
                     &strip.problem, &summary);
  EXPECT_NE(summary.message.find("are in one residual block"),
            std::string::npos)
      << summary.message;
}

// A residual that reads what an evaluation callback has computed of the user's
// memory, and the callback.
class SquareOfX final : public EvaluationCallback {
 public:
  explicit SquareOfX(const double* x) : x_(x) {}
  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override {
    if (new_evaluation_point) value = *x_ * *x_;
    num_calls += evaluate_jacobians ? 1 : 0;
  }
  double value = 0.0;
  int num_calls = 0;

 private:
  const double* const x_;
};

class DistanceOfSquare final : public SizedCostFunction<1, 1, 1> {
 public:
  DistanceOfSquare(const SquareOfX* square, double target)
      : square_(*square), target_(target) {}
  bool Evaluate(double const* const* x, double* residual,
                double** jacobians) const override {
    residual[0] = square_.value + x[1][0] - target_;
    if (jacobians == nullptr) return true;
    if (jacobians[0] != nullptr) jacobians[0][0] = 2.0 * x[0][0];
    if (jacobians[1] != nullptr) jacobians[1][0] = 1.0;
    return true;
  }

 private:
  const SquareOfX& square_;
  const double target_;
};

TEST(EvaluationCallback, OfEachRankIsCalledBeforeItsEvaluations) {
  const auto solve = [](MPI_Comm comm, int first, int end, double* x) {
    *x = 3.0;
    std::vector<double> own(8, 0.0);
    SquareOfX square(x);
    Problem::Options problem_options;
    problem_options.evaluation_callback = &square;
    Problem problem(problem_options);
    distributed::SharedBlocks shared;
    for (int i = first; i < end; ++i) {
      shared.BeginLeaf(i, problem);
      problem.AddResidualBlock(new DistanceOfSquare(&square, 4.0), nullptr, x,
                               &own[i]);
      problem.AddResidualBlock(
          new AutoDiffCostFunction<Prior, 1, 1>(new Prior{0.1 * i}), nullptr,
          &own[i]);
    }
    shared.Add(0, x);
    distributed::Summary summary;
    distributed::Solve(ModelOptions(), comm, shared, &problem, &summary);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    EXPECT_GT(square.num_calls, 2);
    return summary.final_cost;
  };
  double x_alone = 0.0;
  const double alone = solve(MPI_COMM_SELF, 0, 8, &x_alone);
  double x = 0.0;
  const int n = SizeOfWorld();
  const double cost = solve(MPI_COMM_WORLD, 8 * RankOfWorld() / n,
                            8 * (RankOfWorld() + 1) / n, &x);
  EXPECT_EQ(alone, cost);
  EXPECT_EQ(x_alone, x);
  // The mean of 4 - 0.1 i, i < 8, but for the weight of the priors.
  EXPECT_NEAR(x * x, 4.0 - 0.35, 1e-6);
}

// The difference of two poses (x, y, heading), in the frame of the first.
struct RelativePose {
  double x, y, heading;
  template <typename T>
  bool operator()(const T* a, const T* b, T* residuals) const {
    const T c = cos(a[2]);
    const T s = sin(a[2]);
    residuals[0] = c * (b[0] - a[0]) + s * (b[1] - a[1]) - x;
    residuals[1] = -s * (b[0] - a[0]) + c * (b[1] - a[1]) - y;
    residuals[2] = b[2] - a[2] - heading;
    return true;
  }
};

// A loop of poses, all of them shared. Edges go round the ranks; half of them
// connect poses that no other edge of the rank touches.
struct PoseLoop {
  static constexpr int kNumPoses = 40;

  PoseLoop(int rank, int num_ranks) {
    std::mt19937 generator(3);
    std::normal_distribution<double> normal;
    const double turn = 2.0 * 3.14159265358979 / kNumPoses;
    for (int i = 0; i < kNumPoses; ++i) {
      poses[i][0] = 3.0 * std::sin(i * turn) + 0.1 * normal(generator);
      poses[i][1] = 3.0 - 3.0 * std::cos(i * turn) + 0.1 * normal(generator);
      poses[i][2] = i * turn + 0.05 * normal(generator);
    }
    const double side = 6.0 * std::sin(0.5 * turn);
    for (int i = 0; i < kNumPoses; ++i) {
      const double noise[] = {normal(generator), normal(generator)};
      if (i % num_ranks != rank || i + 1 == kNumPoses) continue;
      problem.AddResidualBlock(
          new AutoDiffCostFunction<RelativePose, 3, 3, 3>(new RelativePose{
              side * std::cos(0.5 * turn) + 0.02 * noise[0],
              side * std::sin(0.5 * turn) + 0.02 * noise[1], turn}),
          nullptr, poses[i], poses[i + 1]);
    }
    // The loop is closed, and the first pose is constant on all its ranks.
    if (rank == num_ranks - 1) {
      problem.AddResidualBlock(
          new AutoDiffCostFunction<RelativePose, 3, 3, 3>(
              new RelativePose{side, 0.0, turn - 2.0 * 3.14159265358979}),
          nullptr, poses[kNumPoses - 1], poses[0]);
    }
    for (int i = 0; i < kNumPoses; ++i) {
      if (!problem.HasParameterBlock(poses[i])) continue;
      if (i == 0) problem.SetParameterBlockConstant(poses[i]);
      shared.Add(1000 - i, poses[i]);
    }
  }

  double poses[kNumPoses][3];
  Problem problem;
  distributed::SharedBlocks shared;
};

TEST(PoseGraph, WithoutPrivateBlocksTakesTheStepsOfOneProcess) {
  distributed::Options options = ModelOptions();
  PoseLoop whole(0, 1);
  Solver::Summary one;
  Solver::Options one_options = options;
  one_options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  ceres::Solve(one_options, &whole.problem, &one);
  for (const LinearSolverType type : {SPARSE_SCHUR, DENSE_SCHUR, CGNR}) {
    options.linear_solver_type = type;
    options.eta = 1e-14;
    PoseLoop part(RankOfWorld(), SizeOfWorld());
    distributed::Summary summary;
    distributed::Solve(options, MPI_COMM_WORLD, part.shared, &part.problem,
                       &summary);
    ExpectSameCosts(one, summary);
    for (const auto& [id, values] : part.shared.blocks()) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(whole.poses[1000 - id][k], values[k], 1e-5);
      }
    }
  }
}

// A rank may have no residual block, and know a shared block all the same.
TEST(IdleRank, ReceivesTheSolutionOfItsSharedBlocks) {
  double x = 5.0;
  Problem problem;
  if (RankOfWorld() == SizeOfWorld() - 1) {
    problem.AddResidualBlock(
        new AutoDiffCostFunction<Prior, 1, 1>(new Prior{2.0}), nullptr, &x);
  } else {
    problem.AddParameterBlock(&x, 1);
  }
  distributed::SharedBlocks shared;
  shared.Add(-5, &x);
  distributed::Summary summary;
  distributed::Solve(ModelOptions(), MPI_COMM_WORLD, shared, &problem,
                     &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(x, 2.0, 1e-6);
}

}  // namespace
}  // namespace ceres::examples
