// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/evaluator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/execution/context_impl.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

  ProblemImpl& impl() { return *problem_.mutable_impl(); }
  Problem& problem() { return problem_; }

  Program MakeProgram(bool eliminate_points) {
    std::vector<ParameterBlock*> varying;
    int num_eliminated = 0;
    for (std::size_t i = 0; eliminate_points && i < points_.size(); i += 3) {
      varying.push_back(impl().GetParameterBlock(&points_[i]));
      ++num_eliminated;
    }
    for (ParameterBlock* block : impl().parameter_blocks()) {
      const bool is_point = block->size() == 3;
      if (!block->IsConstant() && !(eliminate_points && is_point)) {
        varying.push_back(block);
      }
    }
    return Program(varying, num_eliminated, impl().residual_blocks());
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

// All that an evaluation gives.
struct Outputs {
  double cost = 0.0;
  double cost_alone = 0.0;
  std::vector<double> residuals;
  std::vector<double> gradient;
  std::vector<double> squared_norms;
  std::vector<double> row_blocks;
};

Outputs EvaluateAll(const Program& program, const Evaluator::Options& options) {
  Evaluator evaluator(program, options);
  std::vector<double> state(program.num_state());
  program.ReadUserMemory(state.data());
  Outputs out;
  out.residuals.resize(program.num_residuals());
  out.gradient.resize(program.num_delta());
  out.squared_norms.resize(program.num_delta());
  EXPECT_TRUE(evaluator.EvaluateCost(state.data(), true, &out.cost_alone,
                                     out.residuals.data()));
  BlockJacobian jacobian;
  jacobian.structure = &evaluator.structure();
  jacobian.values.Resize(jacobian.structure->num_values());
  EXPECT_TRUE(evaluator.EvaluateJacobian(state.data(), true, &out.cost,
                                         &jacobian, out.gradient.data(),
                                         out.squared_norms.data()));
  out.row_blocks.assign(jacobian.values.data(),
                        jacobian.values.data() + jacobian.values.size());
  return out;
}

bool SameBits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

class EvaluatorTest : public testing::TestWithParam<bool> {};

TEST_P(EvaluatorTest, CostIsHalfTheSumOfRobustSquares) {
  Scene scene(20);
  const Program program = scene.MakeProgram(GetParam());
  double expected = 0.0;
  for (const ResidualBlock* block : scene.impl().residual_blocks()) {
    std::vector<const double*> parameters;
    for (int k = 0; k < block->num_parameter_blocks(); ++k) {
      parameters.push_back(block->parameter_blocks()[k]->user_state());
    }
    std::vector<double> r(block->num_residuals());
    block->cost_function()->Evaluate(parameters.data(), r.data(), nullptr);
    double s = 0.0;
    for (const double value : r) s += value * value;
    double rho[3] = {s, 1.0, 0.0};
    if (block->loss_function()) block->loss_function()->Evaluate(s, rho);
    expected += 0.5 * rho[0];
  }
  const Outputs out = EvaluateAll(program, {});
  EXPECT_NEAR(out.cost, expected, 1e-12 * expected);
  EXPECT_EQ(out.cost, out.cost_alone);
}

TEST_P(EvaluatorTest, RowBlocksStartWithTheResiduals) {
  Scene scene(20);
  const Program program = scene.MakeProgram(GetParam());
  const Evaluator evaluator(program, {});
  const BlockJacobianStructure& s = evaluator.structure();
  const Outputs out = EvaluateAll(program, {});
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int i = 0; i < s.row_size(row); ++i) {
      EXPECT_EQ(out.row_blocks[s.row_block_offset[row] + i],
                out.residuals[s.row_offset[row] + i]);
    }
  }
}

TEST_P(EvaluatorTest, GradientAndNormsAreThoseOfTheRowBlocks) {
  Scene scene(20);
  const Program program = scene.MakeProgram(GetParam());
  const Evaluator evaluator(program, {});
  const BlockJacobianStructure& s = evaluator.structure();
  const Outputs out = EvaluateAll(program, {});
  std::vector<double> gradient(s.num_columns(), 0.0);
  std::vector<double> norms(s.num_columns(), 0.0);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const double* row_block = out.row_blocks.data() + s.row_block_offset[row];
    for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
      const int column = s.cell_column[k];
      const int size = s.column_size(column);
      for (int i = 0; i < s.row_size(row) * size; ++i) {
        const double value = row_block[s.cell_position[k] + i];
        const int j = s.column_offset[column] + i % size;
        gradient[j] += value * row_block[i / size];
        norms[j] += value * value;
      }
    }
  }
  for (int j = 0; j < s.num_columns(); ++j) {
    EXPECT_NEAR(out.gradient[j], gradient[j], 1e-12);
    EXPECT_NEAR(out.squared_norms[j], norms[j], 1e-12 * (1.0 + norms[j]));
  }
}

TEST_P(EvaluatorTest, GradientIsTheDerivativeOfTheCost) {
  Scene scene(6);
  const Program program = scene.MakeProgram(GetParam());
  Evaluator evaluator(program, {});
  const Outputs out = EvaluateAll(program, {});
  std::vector<double> x(program.num_state());
  program.ReadUserMemory(x.data());
  const auto cost_at = [&](int j, double step) {
    std::vector<double> delta(program.num_delta(), 0.0);
    delta[j] = step;
    std::vector<double> moved(x.size());
    EXPECT_TRUE(program.Plus(x.data(), delta.data(), moved.data()));
    double cost = 0.0;
    EXPECT_TRUE(evaluator.EvaluateCost(moved.data(), true, &cost, nullptr));
    return cost;
  };
  constexpr double kStep = 1e-5;
  for (int j = 0; j < program.num_delta(); ++j) {
    const double difference =
        (cost_at(j, kStep) - cost_at(j, -kStep)) / (2.0 * kStep);
    EXPECT_NEAR(out.gradient[j], difference, 1e-7) << "column " << j;
  }
}

// Without losses, whose correction makes the Jacobian another one.
TEST_P(EvaluatorTest, JacobianIsTheDerivativeOfTheResiduals) {
  Scene scene(6);
  const Program program = scene.MakeProgram(GetParam());
  Evaluator::Options options;
  options.apply_loss_function = false;
  Evaluator evaluator(program, options);
  const BlockJacobianStructure& s = evaluator.structure();
  const Outputs out = EvaluateAll(program, options);
  std::vector<double> dense(s.num_rows() * s.num_columns(), 0.0);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
      const int size = s.column_size(s.cell_column[k]);
      for (int i = 0; i < s.row_size(row) * size; ++i) {
        dense[(s.row_offset[row] + i / size) * s.num_columns() +
              s.column_offset[s.cell_column[k]] + i % size] =
            out.row_blocks[s.row_block_offset[row] + s.cell_position[k] + i];
      }
    }
  }
  std::vector<double> x(program.num_state());
  program.ReadUserMemory(x.data());
  constexpr double kStep = 1e-5;
  for (int j = 0; j < s.num_columns(); ++j) {
    std::vector<double> residuals[2];
    for (const int side : {0, 1}) {
      std::vector<double> delta(program.num_delta(), 0.0);
      delta[j] = side == 0 ? kStep : -kStep;
      std::vector<double> moved(x.size());
      ASSERT_TRUE(program.Plus(x.data(), delta.data(), moved.data()));
      residuals[side].resize(s.num_rows());
      double cost;
      ASSERT_TRUE(evaluator.EvaluateCost(moved.data(), true, &cost,
                                         residuals[side].data()));
    }
    for (int i = 0; i < s.num_rows(); ++i) {
      EXPECT_NEAR(dense[i * s.num_columns() + j],
                  (residuals[0][i] - residuals[1][i]) / (2.0 * kStep), 1e-8);
    }
  }
}

TEST_P(EvaluatorTest, CellsOfEliminatedBlocksComeFirst) {
  Scene scene(20);
  const Program program = scene.MakeProgram(GetParam());
  const Evaluator evaluator(program, {});
  const BlockJacobianStructure& s = evaluator.structure();
  EXPECT_EQ(s.num_eliminated, GetParam() ? 20 : 0);
  EXPECT_EQ(s.eliminated_first_row, program.eliminated_first_row());
  for (int e = 0; e < s.num_eliminated; ++e) {
    for (int row = s.eliminated_first_row[e];
         row < s.eliminated_first_row[e + 1]; ++row) {
      EXPECT_EQ(s.cell_column[s.first_cell[row]], e);
    }
  }
}

TEST_P(EvaluatorTest, BitsDoNotDependOnTheNumberOfThreads) {
  Scene scene(1500);
  const Program program = scene.MakeProgram(GetParam());
  const Outputs serial = EvaluateAll(program, {});
  const Evaluator evaluator(program, {});
  ASSERT_GT(evaluator.structure().num_row_chunks(), 4);
  ContextImpl context;
  context.EnsureMinimumThreads(8);
  context.thread_pool().SetRunningLimit(8);
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      Evaluator::Options options;
      options.execution = {&context, num_threads};
      const Outputs out = EvaluateAll(program, options);
      EXPECT_EQ(out.cost, serial.cost);
      EXPECT_EQ(out.cost_alone, serial.cost);
      EXPECT_TRUE(SameBits(out.residuals, serial.residuals));
      EXPECT_TRUE(SameBits(out.gradient, serial.gradient));
      EXPECT_TRUE(SameBits(out.squared_norms, serial.squared_norms));
      EXPECT_TRUE(SameBits(out.row_blocks, serial.row_blocks));
    }
  }
}

TEST_P(EvaluatorTest, SumsInAWorkspaceAreTheSame) {
  Scene scene(1500);
  const Program program = scene.MakeProgram(GetParam());
  const Outputs own = EvaluateAll(program, {});
  constexpr int kSize = 1 << 17;
  SolveWorkspace workspace;
  Evaluator::Options options;
  options.workspace = &workspace;
  workspace.Reserve(WorkspaceRegion::kPartialSums, kSize);
  workspace.Enter(SolvePhase::kEliminate);
  std::fill_n(workspace.Get(WorkspaceRegion::kPartialSums), kSize,
              std::nan(""));
  workspace.Enter(SolvePhase::kEvaluate);
  const Outputs out = EvaluateAll(program, options);
  EXPECT_TRUE(SameBits(own.gradient, out.gradient));
  EXPECT_TRUE(SameBits(own.squared_norms, out.squared_norms));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutElimination, EvaluatorTest,
                         testing::Bool());

TEST(Evaluator, AnEmptyProgramCostsNothing) {
  const Program program({}, 0, {});
  const Outputs out = EvaluateAll(program, {});
  EXPECT_EQ(out.cost, 0.0);
}

TEST(Evaluator, ColumnsThatNothingTouchesAreZero) {
  Problem problem;
  double x = 1.0;
  double unused[2] = {};
  problem.AddParameterBlock(unused, 2);
  problem.AddResidualBlock(new SineCost(2, {1}, 0), nullptr, &x);
  const ProblemImpl& impl = *problem.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  const Outputs out = EvaluateAll(program, {});
  EXPECT_EQ(out.gradient[0], 0.0);
  EXPECT_EQ(out.squared_norms[1], 0.0);
  EXPECT_GT(out.squared_norms[2], 0.0);
}

// Failures: one bad residual block of cost function `bad` between good ones.
class EvaluatorFailureTest : public testing::Test {
 protected:
  static constexpr int kBad = 1234;
  static constexpr int kNumBlocks = 3000;

  void Build(CostFunction* bad, LossFunction* loss = nullptr,
             Manifold* manifold = nullptr) {
    values.resize(2 * kNumBlocks, 0.5);
    for (int i = 0; i < kNumBlocks; ++i) {
      double* x = &values[2 * i];
      if (i == kBad) {
        problem.AddResidualBlock(bad, loss, x);
        problem.SetManifold(x, manifold);
      } else {
        problem.AddResidualBlock(new SineCost(4, {2}, i), nullptr, x);
      }
    }
    Freeze();
  }

  void Freeze() {
    const ProblemImpl& impl = *problem.mutable_impl();
    program.emplace(impl.parameter_blocks(), 0, impl.residual_blocks());
    context.EnsureMinimumThreads(4);
    context.thread_pool().SetRunningLimit(4);
    Evaluator::Options options;
    options.execution = {&context, 4};
    evaluator = std::make_unique<Evaluator>(*program, options);
    jacobian.structure = &evaluator->structure();
    jacobian.values.Resize(jacobian.structure->num_values());
    state.resize(program->num_state());
    program->ReadUserMemory(state.data());
  }

  // The message of a failed evaluation, or "succeeded".
  std::string MessageOfCost() {
    double cost = -1.0;
    const Evaluator::Result result =
        evaluator->EvaluateCost(state.data(), true, &cost, nullptr);
    if (result) return "succeeded";
    EXPECT_EQ(cost, -1.0);
    return result.message;
  }
  std::string MessageOfJacobian() {
    double cost = -1.0;
    std::vector<double> gradient(program->num_delta());
    const Evaluator::Result result = evaluator->EvaluateJacobian(
        state.data(), true, &cost, &jacobian, gradient.data(), nullptr);
    if (result) return "succeeded";
    EXPECT_EQ(cost, -1.0);
    return result.message;
  }

  std::vector<double> values;
  Problem problem;
  std::optional<Program> program;
  ContextImpl context;
  std::unique_ptr<Evaluator> evaluator;
  BlockJacobian jacobian;
  std::vector<double> state;
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

TEST_F(EvaluatorFailureTest, NanResidual) {
  Build(new FunctionCost(2, {2}, [](auto, double* r, double** jacobians) {
    r[0] = 1.0;
    r[1] = std::numeric_limits<double>::quiet_NaN();
    if (jacobians) std::fill_n(jacobians[0], 4, 0.0);
    return true;
  }));
  EXPECT_THAT(MessageOfCost(), HasSubstr("residual 1 is nan"));
  EXPECT_THAT(MessageOfJacobian(), HasSubstr("residual 1 is nan"));
}

TEST_F(EvaluatorFailureTest, UnwrittenResidual) {
  Build(new FunctionCost(2, {2}, [](auto, double* r, double** jacobians) {
    r[1] = 1.0;
    if (jacobians) std::fill_n(jacobians[0], 4, 0.0);
    return true;
  }));
  EXPECT_THAT(MessageOfCost(), HasSubstr("residual 0 was not written"));
  EXPECT_THAT(MessageOfJacobian(), HasSubstr("residual 0 was not written"));
}

TEST_F(EvaluatorFailureTest, UnwrittenJacobianEntry) {
  Build(new FunctionCost(2, {2}, [](auto, double* r, double** jacobians) {
    r[0] = r[1] = 1.0;
    if (jacobians) jacobians[0][0] = jacobians[0][1] = jacobians[0][2] = 0.0;
    return true;
  }));
  EXPECT_EQ(MessageOfCost(), "succeeded");
  EXPECT_THAT(MessageOfJacobian(),
              HasSubstr("the derivative of residual 1 by coordinate 1 of "
                        "parameter block 0 was not written"));
}

TEST_F(EvaluatorFailureTest, InfiniteJacobianEntryBehindAManifold) {
  Build(new FunctionCost(1, {2},
                         [](auto, double* r, double** jacobians) {
                           r[0] = 1.0;
                           if (jacobians) {
                             jacobians[0][0] = 1.0;
                             jacobians[0][1] =
                                 -std::numeric_limits<double>::infinity();
                           }
                           return true;
                         }),
        nullptr, new SubsetManifold(2, {1}));
  EXPECT_EQ(MessageOfCost(), "succeeded");
  EXPECT_THAT(MessageOfJacobian(),
              HasSubstr("by coordinate 1 of parameter block 0 is -inf"));
}

TEST_F(EvaluatorFailureTest, LargeDerivativesAreNoFailure) {
  Build(new FunctionCost(1, {2}, [](auto, double* r, double** jacobians) {
    r[0] = 1.0;
    if (jacobians) jacobians[0][0] = jacobians[0][1] = 1e200;
    return true;
  }));
  EXPECT_EQ(MessageOfJacobian(), "succeeded");
}

TEST_F(EvaluatorFailureTest, ResidualsWhoseSquareOverflows) {
  Build(new FunctionCost(1, {2}, [](auto, double* r, double** jacobians) {
    r[0] = 1e200;
    if (jacobians) jacobians[0][0] = jacobians[0][1] = 0.0;
    return true;
  }));
  EXPECT_THAT(MessageOfCost(), HasSubstr("squared norm overflows"));
  EXPECT_THAT(MessageOfJacobian(), HasSubstr("squared norm overflows"));
}

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

TEST_F(EvaluatorFailureTest, ManifoldFails) {
  Build(new SineCost(1, {2}, 1), nullptr, new BrokenManifold(true));
  EXPECT_THAT(MessageOfJacobian(),
              HasSubstr("PlusJacobian of the manifold of parameter block 0"));
}

TEST_F(EvaluatorFailureTest, ManifoldWritesNan) {
  Build(new SineCost(1, {2}, 1), nullptr, new BrokenManifold(false));
  EXPECT_THAT(MessageOfJacobian(),
              HasSubstr("PlusJacobian of a manifold is not finite"));
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
  EXPECT_EQ(MessageOfCost(), "succeeded");
  EXPECT_EQ(MessageOfJacobian(), "succeeded");
}

TEST_F(EvaluatorFailureTest, TheFirstOfSeveralIsReported) {
  // Row 1234 and all after it fail.
  std::vector<double> x(kNumBlocks, 0.0);
  for (int i = 0; i < kNumBlocks; ++i) {
    problem.AddResidualBlock(new FunctionCost(4, {1},
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

class RecordingCallback : public EvaluationCallback {
 public:
  explicit RecordingCallback(const double* x) : x_(x) {}
  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override {
    jacobians.push_back(evaluate_jacobians);
    new_points.push_back(new_evaluation_point);
    values.push_back(*x_);
  }
  std::vector<bool> jacobians;
  std::vector<bool> new_points;
  std::vector<double> values;

 private:
  const double* x_;
};

TEST(Evaluator, CallbackSeesThePointInTheUsersMemory) {
  Problem problem;
  double x = 1.0;
  problem.AddResidualBlock(new SineCost(1, {1}, 0), nullptr, &x);
  const ProblemImpl& impl = *problem.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  RecordingCallback callback(&x);
  Evaluator::Options options;
  options.evaluation_callback = &callback;
  Evaluator evaluator(program, options);
  BlockJacobian jacobian;
  jacobian.structure = &evaluator.structure();
  jacobian.values.Resize(jacobian.structure->num_values());
  double cost;
  double point = 5.0;
  ASSERT_TRUE(evaluator.EvaluateCost(&point, true, &cost, nullptr));
  ASSERT_TRUE(evaluator.EvaluateJacobian(&point, false, &cost, &jacobian,
                                         nullptr, nullptr));
  point = 6.0;
  ASSERT_TRUE(evaluator.EvaluateJacobian(&point, true, &cost, &jacobian,
                                         nullptr, nullptr));
  EXPECT_THAT(callback.jacobians, ElementsAre(false, true, true));
  EXPECT_THAT(callback.new_points, ElementsAre(true, false, true));
  EXPECT_THAT(callback.values, ElementsAre(5.0, 5.0, 6.0));
}

TEST(Evaluator, UserMemoryIsLeftAloneWithoutCallback) {
  Problem problem;
  double x = 1.0;
  problem.AddResidualBlock(new SineCost(1, {1}, 0), nullptr, &x);
  const ProblemImpl& impl = *problem.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  Evaluator evaluator(program, {});
  double cost;
  const double point = 5.0;
  ASSERT_TRUE(evaluator.EvaluateCost(&point, true, &cost, nullptr));
  EXPECT_EQ(x, 1.0);
}

}  // namespace
}  // namespace ceres::internal
