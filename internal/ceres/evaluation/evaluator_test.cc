// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// rho(s) = s + s^2 / 4: curvature that LossCorrection keeps.
class ConvexLoss : public LossFunction {
 public:
  void Evaluate(double s, double* rho) const override {
    rho[0] = s + 0.25 * s * s;
    rho[1] = 1.0 + 0.5 * s;
    rho[2] = 0.5;
  }
};

// Points (3 values, to be eliminated), poses on a manifold (a quaternion, whose
// residual blocks have it as first or second argument), intrinsics (2 values of
// which one is held by a manifold) and constants; blocks with and without
// losses; rows without a point.
class Scene {
 public:
  explicit Scene(int num_points, int rows_per_point = 4)
      : points_(3 * num_points), poses_(4 * kNumPoses), intrinsics_(2) {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i] = std::sin(1.0 + i);
    }
    for (int p = 0; p < kNumPoses; ++p) {
      double* q = &poses_[4 * p];
      q[0] = std::cos(0.3 * p);
      q[1] = std::sin(0.3 * p) * 0.6;
      q[3] = std::sin(0.3 * p) * 0.8;
    }
    intrinsics_ = {0.5, -0.25};
    for (int p = 0; p < kNumPoses; ++p) {
      problem_.AddParameterBlock(&poses_[4 * p], 4,
                                 p % 2 == 0 ? new QuaternionManifold : nullptr);
    }
    problem_.AddParameterBlock(intrinsics_.data(), 2,
                               new SubsetManifold(2, {0}));
    AddResidualBlocks(num_points, rows_per_point);
    problem_.SetParameterBlockConstant(&poses_[0]);
  }

  Problem* problem() { return &problem_; }
  std::vector<double*> points() {
    std::vector<double*> points;
    for (std::size_t i = 0; i < points_.size(); i += 3) {
      points.push_back(&points_[i]);
    }
    return points;
  }

 private:
  static constexpr int kNumPoses = 5;

  void AddResidualBlocks(int num_points, int rows_per_point) {
    LossFunction* losses[] = {nullptr, new HuberLoss(0.3), new ConvexLoss,
                              new CauchyLoss(0.5)};
    int seed = 0;
    for (int row = 0; row < rows_per_point; ++row) {
      for (int point = 0; point < num_points; ++point, ++seed) {
        double* pose = &poses_[4 * (seed % kNumPoses)];
        double* x = &points_[3 * point];
        if (seed % 3 == 0) {
          problem_.AddResidualBlock(new SineCost(2, {3, 4}, seed),
                                    losses[seed % 4], x, pose);
        } else {
          problem_.AddResidualBlock(new SineCost(1 + seed % 3, {4, 2, 3}, seed),
                                    losses[seed % 4], pose, intrinsics_.data(),
                                    x);
        }
      }
    }
    problem_.AddResidualBlock(new SineCost(3, {2}, -1), losses[1],
                              intrinsics_.data());
  }

  std::vector<double> points_;
  std::vector<double> poses_;
  std::vector<double> intrinsics_;
  Problem problem_;
};

// With and without elimination of the points.
class EvaluatorTest : public testing::TestWithParam<bool> {
 protected:
  void Make(int num_points, const Evaluator::Options& options = {}) {
    scene_.emplace(num_points);
    Remake(options);
  }
  void Remake(const Evaluator::Options& options) {
    scene_evaluator_ = std::make_unique<ProblemEvaluator>(
        scene_->problem(), options,
        GetParam() ? scene_->points() : std::vector<double*>());
  }
  ProblemEvaluator& scene_evaluator() { return *scene_evaluator_; }
  const BlockJacobianStructure& structure() const {
    return scene_evaluator_->structure;
  }
  const Program& program() const { return scene_evaluator_->program; }
  Outputs EvaluateAll() {
    const Outputs out = scene_evaluator_->EvaluateAll();
    EXPECT_TRUE(out.result) << out.result.message;
    return out;
  }

  // Central differences of cost and residuals by tangent coordinate j.
  struct Differences {
    double cost;
    Eigen::VectorXd residuals;
  };
  Differences DifferencesBy(int j) {
    constexpr double kStep = 1e-5;
    double cost[2];
    std::vector<double> moved(program().num_state());
    Eigen::VectorXd residuals[2];
    for (const int side : {0, 1}) {
      std::vector<double> delta(program().num_delta(), 0.0);
      delta[j] = side == 0 ? -kStep : kStep;
      EXPECT_TRUE(program().Plus(scene_evaluator_->state.data(), delta.data(),
                                 moved.data()));
      residuals[side].resize(program().num_residuals());
      EXPECT_TRUE(scene_evaluator_->evaluator.EvaluateCost(
          moved.data(), true, &cost[side], residuals[side].data()));
    }
    return {(cost[1] - cost[0]) / (2.0 * kStep),
            (residuals[1] - residuals[0]) / (2.0 * kStep)};
  }

 private:
  std::optional<Scene> scene_;
  std::unique_ptr<ProblemEvaluator> scene_evaluator_;
};

TEST_P(EvaluatorTest, CostIsHalfTheSumOfRobustSquares) {
  Make(20);
  double expected = 0.0;
  for (int row = 0; row < program().num_row_blocks(); ++row) {
    const CostFunction& cost_function = *program().cost_functions()[row];
    std::vector<const double*> parameters;
    for (int k = program().first_argument()[row];
         k < program().first_argument()[row + 1]; ++k) {
      parameters.push_back(program().Values(k, scene_evaluator().state.data()));
    }
    Eigen::VectorXd r(cost_function.num_residuals());
    cost_function.Evaluate(parameters.data(), r.data(), nullptr);
    double rho[3] = {r.squaredNorm(), 1.0, 0.0};
    if (const LossFunction* loss = program().loss_function(row)) {
      loss->Evaluate(r.squaredNorm(), rho);
    }
    expected += 0.5 * rho[0];
  }
  const Outputs out = EvaluateAll();
  EXPECT_NEAR(out.cost, expected, 1e-12 * expected);
  EXPECT_EQ(out.cost, out.cost_alone);
}

TEST_P(EvaluatorTest, ResidualsAndSumsAreThoseOfTheRowBlocks) {
  Make(20);
  ExpectSumsOfRowBlocks(structure(), EvaluateAll());
}

TEST_P(EvaluatorTest, GradientIsTheDerivativeOfTheCost) {
  Make(6);
  const Outputs out = EvaluateAll();
  for (int j = 0; j < program().num_delta(); ++j) {
    EXPECT_NEAR(out.gradient[j], DifferencesBy(j).cost, 1e-7) << "column " << j;
  }
}

// Without losses, whose correction makes the Jacobian another one.
TEST_P(EvaluatorTest, JacobianIsTheDerivativeOfTheResiduals) {
  Evaluator::Options options;
  options.apply_loss_function = false;
  Make(6, options);
  EvaluateAll();
  const Eigen::MatrixXd jacobian = DenseJacobian(scene_evaluator().jacobian);
  for (int j = 0; j < jacobian.cols(); ++j) {
    EXPECT_LT((jacobian.col(j) - DifferencesBy(j).residuals)
                  .lpNorm<Eigen::Infinity>(),
              1e-8);
  }
}

TEST_P(EvaluatorTest, CellsOfEliminatedBlocksComeFirst) {
  Make(20);
  const BlockJacobianStructure& s = structure();
  EXPECT_EQ(s.num_eliminated, GetParam() ? 20 : 0);
  EXPECT_EQ(s.eliminated_first_row, program().eliminated_first_row());
  for (int e = 0; e < s.num_eliminated; ++e) {
    for (int row = s.eliminated_first_row[e];
         row < s.eliminated_first_row[e + 1]; ++row) {
      EXPECT_EQ(s.cell_column[s.first_cell[row]], e);
    }
  }
}

TEST_P(EvaluatorTest, BitsDoNotDependOnTheNumberOfThreads) {
  Make(1500);
  ASSERT_GT(structure().num_row_chunks(), 4);
  const Outputs serial = EvaluateAll();
  EXPECT_EQ(serial.cost, serial.cost_alone);
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      Evaluator::Options options;
      options.execution = Threads(num_threads);
      Remake(options);
      ExpectSameBits(EvaluateAll(), serial);
    }
  }
}

TEST_P(EvaluatorTest, SumsInAWorkspaceAreTheSame) {
  Make(1500);
  const Outputs own = EvaluateAll();
  constexpr int kSize = 1 << 17;
  SolveWorkspace workspace;
  Evaluator::Options options;
  options.workspace = &workspace;
  workspace.Reserve(WorkspaceRegion::kPartialSums, kSize);
  workspace.Enter(SolvePhase::kEliminate);
  std::fill_n(workspace.Get(WorkspaceRegion::kPartialSums), kSize,
              std::nan(""));
  workspace.Enter(SolvePhase::kEvaluate);
  Remake(options);
  ExpectSameBits(EvaluateAll(), own);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutElimination, EvaluatorTest,
                         testing::Bool());

TEST(Evaluator, AnEmptyProgramCostsNothing) {
  Problem problem;
  EXPECT_EQ(ProblemEvaluator(&problem).EvaluateAll().cost, 0.0);
}

TEST(Evaluator, ColumnsThatNothingTouchesAreZero) {
  Problem problem;
  double x = 1.0;
  double unused[2] = {};
  problem.AddParameterBlock(unused, 2);
  problem.AddResidualBlock(new SineCost(2, {1}, 0), nullptr, &x);
  const Outputs out = ProblemEvaluator(&problem).EvaluateAll();
  EXPECT_EQ(out.gradient[0], 0.0);
  EXPECT_EQ(out.squared_norms[1], 0.0);
  EXPECT_GT(out.squared_norms[2], 0.0);
}

// Works when it is set and fails afterwards.
class BrokenManifold : public Manifold {
 public:
  explicit BrokenManifold(bool fails) : fails_(fails) {}
  int AmbientSize() const override { return 2; }
  int TangentSize() const override { return 1; }
  bool Plus(const double*, const double*, double*) const override {
    return true;
  }
  bool PlusJacobian(const double*, double* jacobian) const override {
    jacobian[0] = std::numeric_limits<double>::quiet_NaN();
    jacobian[1] = 0.0;
    return !fails_ || num_calls_++ == 0;
  }
  bool Minus(const double*, const double*, double*) const override {
    return true;
  }
  bool MinusJacobian(const double*, double*) const override { return true; }

 private:
  bool fails_;
  mutable int num_calls_ = 0;
};

// Failures: one bad residual block between good ones.
class EvaluatorFailureTest : public testing::Test {
 protected:
  static constexpr int kBad = 1234;
  static constexpr int kNumBlocks = 3000;

  void Build(CostFunction* bad, LossFunction* loss = nullptr,
             Manifold* manifold = nullptr) {
    values_.resize(2 * kNumBlocks, 0.5);
    for (int i = 0; i < kNumBlocks; ++i) {
      double* x = &values_[2 * i];
      if (i == kBad) {
        problem_.AddResidualBlock(bad, loss, x);
        problem_.SetManifold(x, manifold);
      } else {
        problem_.AddResidualBlock(new SineCost(4, {2}, i), nullptr, x);
      }
    }
    Freeze();
  }
  void Freeze() {
    Evaluator::Options options;
    options.execution = Threads(4);
    evaluator_ = std::make_unique<ProblemEvaluator>(&problem_, options);
  }

  std::string MessageOfCost() { return evaluator_->MessageOfCost(); }
  std::string MessageOfJacobian() { return evaluator_->MessageOfJacobian(); }

  std::vector<double> values_;
  Problem problem_;
  std::unique_ptr<ProblemEvaluator> evaluator_;
};

TEST_F(EvaluatorFailureTest, FalseNamesTheResidualBlockAndItsInputs) {
  Build(new FunctionCost(1, {2}, [](auto, double* r, auto) {
    r[0] = 2.0;
    return false;
  }));
  for (const std::string& message : {MessageOfCost(), MessageOfJacobian()}) {
    EXPECT_THAT(message, HasSubstr("Residual block 1234"));
    EXPECT_THAT(message, HasSubstr("returned false"));
    EXPECT_THAT(message, HasSubstr("residuals: 1; parameter blocks of size 2"));
    EXPECT_THAT(message, HasSubstr("parameters[0] = [0.5, 0.5]"));
    EXPECT_THAT(message, HasSubstr("residuals = [2]"));
  }
  EXPECT_THAT(MessageOfJacobian(),
              HasSubstr("jacobians[0] = [(not written), (not written)]"));
}

// A row of two residuals and a parameter block of size 2 whose cost function
// writes these outputs; where a message is null, it must not fail.
struct WrittenOutputs {
  const char* name;
  double residuals[2];
  double jacobian[4];
  Manifold* (*new_manifold)();
  const char* message_of_cost;
  const char* message_of_jacobian;
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Manifold* HoldSecond() { return new SubsetManifold(2, {1}); }
template <bool kFails>
Manifold* Broken() {
  return new BrokenManifold(kFails);
}

const WrittenOutputs kWrittenOutputs[] = {
    {"NanResidual",
     {1.0, kNan},
     {},
     nullptr,
     "residual 1 is nan",
     "residual 1 is nan"},
    {"UnwrittenResidual",
     {kImpossibleValue, 1.0},
     {},
     nullptr,
     "residual 0 was not written",
     "residual 0 was not written"},
    {"UnwrittenJacobianEntry",
     {1.0, 1.0},
     {0.0, 0.0, 0.0, kImpossibleValue},
     nullptr,
     nullptr,
     "the derivative of residual 1 by coordinate 1 of parameter block 0 was "
     "not written"},
    {"InfiniteJacobianEntryBehindAManifold",
     {1.0, 1.0},
     {1.0, -kInfinity, 1.0, 1.0},
     HoldSecond,
     nullptr,
     "by coordinate 1 of parameter block 0 is -inf"},
    {"LargeDerivatives", {1.0, 1.0}, {1e200, 1e200}, nullptr, nullptr, nullptr},
    {"ResidualsWhoseSquareOverflows",
     {1e200, 0.0},
     {},
     nullptr,
     "squared norm overflows",
     "squared norm overflows"},
    {"ManifoldFails",
     {1.0, 1.0},
     {},
     Broken<true>,
     nullptr,
     "PlusJacobian of the manifold of parameter block 0"},
    {"ManifoldWritesNan",
     {1.0, 1.0},
     {1.0},
     Broken<false>,
     nullptr,
     "PlusJacobian of a manifold is not finite"},
};

class WrittenOutputsTest : public EvaluatorFailureTest,
                           public testing::WithParamInterface<WrittenOutputs> {
};

TEST_P(WrittenOutputsTest, AreJudged) {
  const WrittenOutputs& written = GetParam();
  Build(new FunctionCost(2, {2},
                         [&](auto, double* r, double** jacobians) {
                           std::copy_n(written.residuals, 2, r);
                           if (jacobians != nullptr) {
                             std::copy_n(written.jacobian, 4, jacobians[0]);
                           }
                           return true;
                         }),
        nullptr,
        written.new_manifold == nullptr ? nullptr : written.new_manifold());
  const auto expect = [](const std::string& message, const char* expected) {
    if (expected == nullptr) {
      EXPECT_THAT(message, IsEmpty());
    } else {
      EXPECT_THAT(message, HasSubstr(expected));
    }
  };
  expect(MessageOfCost(), written.message_of_cost);
  expect(MessageOfJacobian(), written.message_of_jacobian);
}

INSTANTIATE_TEST_SUITE_P(Evaluator, WrittenOutputsTest,
                         testing::ValuesIn(kWrittenOutputs),
                         [](const auto& info) { return info.param.name; });

TEST_F(EvaluatorFailureTest, LossWithNegativeWeight) {
  class Negative : public LossFunction {
   public:
    void Evaluate(double s, double* rho) const override {
      rho[0] = -s;
      rho[1] = -1.0;
      rho[2] = 0.0;
    }
  };
  Build(new SineCost(1, {2}, 1), new Negative);
  EXPECT_THAT(MessageOfCost(), HasSubstr("loss function"));
  EXPECT_THAT(MessageOfJacobian(), HasSubstr("loss function"));
}

TEST_F(EvaluatorFailureTest, ExceptionsReachTheCallerAndLeaveItUsable) {
  auto throws = std::make_shared<bool>(true);
  Build(new FunctionCost(1, {2},
                         [throws](auto, double* r, double** jacobians) -> bool {
                           if (*throws)
                             throw std::runtime_error("user's exception");
                           r[0] = 1.0;
                           if (jacobians)
                             jacobians[0][0] = jacobians[0][1] = 0.0;
                           return true;
                         }));
  EXPECT_THROW(MessageOfCost(), std::runtime_error);
  EXPECT_THROW(MessageOfJacobian(), std::runtime_error);
  *throws = false;
  EXPECT_EQ(MessageOfCost(), "");
  EXPECT_EQ(MessageOfJacobian(), "");
}

TEST_F(EvaluatorFailureTest, TheFirstOfSeveralIsReported) {
  // Row 1234 and all after it fail.
  std::vector<double> x(kNumBlocks, 0.0);
  for (int i = 0; i < kNumBlocks; ++i) {
    problem_.AddResidualBlock(new FunctionCost(4, {1},
                                               [i](auto, double* r, auto) {
                                                 std::fill_n(r, 4, 0.0);
                                                 return i < kBad;
                                               }),
                              nullptr, &x[i]);
  }
  Freeze();
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_THAT(MessageOfCost(), HasSubstr("Residual block 1234 "));
  }
}

TEST(Evaluator, CallbackSeesThePointInTheUsersMemory) {
  Problem problem;
  double x = 5.0;
  problem.AddResidualBlock(new SineCost(1, {1}, 0), nullptr, &x);
  RecordingCallback callback(&x);
  Evaluator::Options options;
  options.evaluation_callback = &callback;
  ProblemEvaluator scalar(&problem, options);
  x = 1.0;
  scalar.EvaluateAll();
  double cost;
  scalar.state[0] = 6.0;
  ASSERT_TRUE(scalar.evaluator.EvaluateCost(scalar.state.data(), false, &cost,
                                            nullptr));
  EXPECT_THAT(callback.jacobians, ElementsAre(true, false, false));
  EXPECT_THAT(callback.new_points, ElementsAre(true, true, false));
  EXPECT_THAT(callback.values, ElementsAre(5.0, 5.0, 6.0));
}

TEST(Evaluator, UserMemoryIsLeftAloneWithoutCallback) {
  Problem problem;
  double x = 5.0;
  problem.AddResidualBlock(new SineCost(1, {1}, 0), nullptr, &x);
  ProblemEvaluator scalar(&problem);
  x = 1.0;
  scalar.EvaluateAll();
  EXPECT_EQ(x, 1.0);
}

}  // namespace
}  // namespace ceres::internal
