// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis.h"

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/cost_function.h"
#include "ceres/diagnosis/cost_of_lambda.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/normal_prior.h"
#include "ceres/problem.h"
#include "ceres/rotation.h"
#include "ceres/sphere_manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using testing::HasSubstr;

// y_i = a b x_i with a and b in blocks of their own.
void AddProducts(Problem* problem, double* a, double* b) {
  for (int i = 1; i <= 5; ++i) {
    problem->AddResidualBlock(Cost<1, 1, 1>([i](auto* a, auto* b, auto* r) {
                                r[0] = a[0] * b[0] * double(i) - 3.0;
                              }),
                              nullptr, a, b);
  }
}

TEST(Diagnosis, DeterminedProblemHasNoDirections) {
  double x = 1.0;
  Problem problem;
  problem.AddResidualBlock(
      Cost<1, 1>([](auto* x, auto* r) { r[0] = 10.0 - x[0]; }), nullptr, &x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(diagnosis.status, Diagnosis::Status::kComplete);
  EXPECT_TRUE(diagnosis.IsDetermined());
  EXPECT_EQ(diagnosis.rank, 1);
  EXPECT_EQ(diagnosis.structural_rank, 1);
  EXPECT_EQ(diagnosis.num_coordinates, 1);
  EXPECT_EQ(diagnosis.num_residuals, 1);
  EXPECT_TRUE(diagnosis.is_rank_certain);
  EXPECT_TRUE(diagnosis.weak.empty());
}

TEST(Diagnosis, ProductDeterminesNeitherFactor) {
  double a = 2.0;
  double b = 4.0;
  Problem problem;
  AddProducts(&problem, &a, &b);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 1u);
  const Direction& direction = diagnosis.undetermined[0];
  EXPECT_EQ(direction.kind, DirectionKind::kCombination);
  ASSERT_EQ(direction.entries.size(), 2u);
  EXPECT_EQ(direction.entries[0].parameter_block, &a);
  EXPECT_EQ(direction.entries[1].parameter_block, &b);
  // (a, b) moves along (a, -b).
  EXPECT_NEAR(direction.entries[0].value / direction.entries[1].value, -0.5,
              1e-12);
  EXPECT_THAT(diagnosis.ToString(), HasSubstr("kCombination"));
  EXPECT_EQ(a, 2.0);
  EXPECT_EQ(b, 4.0);
}

// Few coordinates: every direction of them is a translation, a rotation and a
// scale together, if their blocks are read as points.
TEST(Diagnosis, FactorsInBlocksOfDifferentSizesAreNoGauge) {
  double gain = 2.0;
  double x[2] = {3.0, 0.7};
  const auto kinds_of = [&](auto residual) {
    Problem problem;
    for (int i = 1; i <= 6; ++i) {
      problem.AddResidualBlock(
          Cost<1, 1, 2>([i, residual](auto* g, auto* x, auto* r) {
            r[0] = residual(g[0], x, 0.3 * i);
          }),
          nullptr, &gain, x);
    }
    std::string kinds;
    for (const Direction& direction : Diagnose({}, &problem).undetermined) {
      kinds += DirectionKindToString(direction.kind);
    }
    return kinds;
  };
  EXPECT_EQ(kinds_of([](auto g, auto* x, double t) {
              using std::exp;
              return g * x[0] * exp(-x[1] * t);
            }),
            "kCombination");
  EXPECT_EQ(kinds_of([](auto g, auto* x, double t) {
              return t < 1.0 ? g * x[0] * t : g * x[1] * t;
            }),
            "kCombination");
  EXPECT_EQ(
      kinds_of([](auto g, auto* x, double t) { return g * (x[0] - x[1]) * t; }),
      "kCombinationkCombination");
}

// At equal rates two exponentials can be exchanged. The first row, at t = 0,
// does not depend on the rates, so that amplitudes and rates come in pairs.
TEST(Diagnosis, ExchangeOfEqualTermsIsNoShift) {
  double x[4] = {1.0, 0.7, 1.0, 0.7};
  Problem problem;
  problem.AddResidualBlock(
      Cost<1, 1, 1>([](auto* a, auto* b, auto* r) { r[0] = a[0] + b[0]; }),
      nullptr, &x[0], &x[2]);
  for (int i = 1; i <= 9; ++i) {
    problem.AddResidualBlock(
        Cost<1, 1, 1, 1, 1>([i](auto* a, auto* k, auto* b, auto* l, auto* r) {
          using std::exp;
          r[0] = a[0] * exp(-0.4 * i * k[0]) + b[0] * exp(-0.4 * i * l[0]);
        }),
        nullptr, &x[0], &x[1], &x[2], &x[3]);
  }
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(diagnosis.undetermined.size(), 2u);
  for (const Direction& direction : diagnosis.undetermined) {
    EXPECT_NE(direction.kind, DirectionKind::kGaugeTranslation)
        << direction.cause;
  }
}

TEST(Diagnosis, SumHasEntriesOfBothSigns) {
  double x[2] = {1.0, 1.0};
  Problem problem;
  for (int i = 1; i <= 3; ++i) {
    problem.AddResidualBlock(
        Cost<1, 2>([i](auto* x, auto* r) { r[0] = (x[0] + x[1]) * double(i); }),
        nullptr, x);
  }
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 1u);
  const Direction& direction = diagnosis.undetermined[0];
  EXPECT_EQ(direction.kind, DirectionKind::kCombination);
  ASSERT_EQ(direction.entries.size(), 2u);
  EXPECT_NEAR(direction.entries[0].value, -direction.entries[1].value, 1e-14);
  EXPECT_EQ(std::abs(direction.entries[0].value), 1.0);
}

TEST(Diagnosis, NamesBlocksWithoutResiduals) {
  double x = 1.0;
  double y[3] = {};
  double constant = 1.0;
  Problem problem;
  problem.AddParameterBlock(y, 3);
  problem.AddParameterBlock(&constant, 1);
  problem.SetParameterBlockConstant(&constant);
  problem.AddResidualBlock(Cost<1, 1>([](auto* x, auto* r) { r[0] = x[0]; }),
                           nullptr, &x);
  DiagnosisOptions options;
  options.parameter_block_name = [&](const double* values) {
    return values == y ? std::string("camera 7") : std::string();
  };
  const Diagnosis diagnosis = Diagnose(options, &problem);
  EXPECT_EQ(diagnosis.num_coordinates, 4);
  EXPECT_EQ(diagnosis.num_parameter_blocks, 2);
  ASSERT_EQ(diagnosis.undetermined.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    const Direction& direction = diagnosis.undetermined[k];
    EXPECT_EQ(direction.kind, DirectionKind::kNoResiduals);
    ASSERT_EQ(direction.entries.size(), 1u);
    EXPECT_EQ(direction.entries[0].parameter_block, y);
    EXPECT_EQ(direction.entries[0].coordinate, k);
    EXPECT_THAT(direction.cause, HasSubstr("camera 7"));
  }
  EXPECT_THAT(diagnosis.ToString(), HasSubstr("camera 7"));
  EXPECT_THAT(diagnosis.ToJson(), HasSubstr("camera 7"));
}

TEST(Diagnosis, TellsZeroDerivativeFromNoInfluence) {
  double x[3] = {0.0, 1.0, 2.0};
  Problem problem;
  problem.AddResidualBlock(Cost<2, 3>([](auto* x, auto* r) {
                             r[0] = x[0] * x[0] - 4.0;
                             r[1] = x[1] - 3.0;
                           }),
                           nullptr, x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 2u);
  EXPECT_EQ(diagnosis.undetermined[0].kind, DirectionKind::kZeroDerivative);
  EXPECT_EQ(diagnosis.undetermined[0].entries[0].coordinate, 0);
  EXPECT_EQ(diagnosis.undetermined[1].kind, DirectionKind::kNoInfluence);
  EXPECT_EQ(diagnosis.undetermined[1].entries[0].coordinate, 2);
  EXPECT_EQ(diagnosis.rank, 1);
}

TEST(Diagnosis, NamesDirectionsThatLossFunctionsHaveFreed) {
  double x[2] = {1.0, 1.0};
  Problem problem;
  problem.AddResidualBlock(Cost<1, 2>([](auto* x, auto* r) { r[0] = x[0]; }),
                           nullptr, x);
  problem.AddResidualBlock(
      Cost<1, 2>([](auto* x, auto* r) { r[0] = x[1] - 100.0; }),
      new TukeyLoss(1.0), x);
  Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 1u);
  EXPECT_EQ(diagnosis.undetermined[0].kind, DirectionKind::kLossFunction);
  EXPECT_EQ(diagnosis.undetermined[0].entries[0].coordinate, 1);
  DiagnosisOptions options;
  options.apply_loss_function = false;
  diagnosis = Diagnose(options, &problem);
  EXPECT_TRUE(diagnosis.IsDetermined());
}

TEST(Diagnosis, NamesDirectionsThatPriorsHold) {
  double x[2] = {1.0, 3.0};
  Problem problem;
  problem.AddResidualBlock(Cost<1, 1, 1>([](auto* a, auto* b, auto* r) {
                             r[0] = b[0] - a[0] - 1.0;
                           }),
                           nullptr, x, x + 1);
  problem.AddResidualBlock(
      new NormalPrior(Matrix::Identity(1, 1), Vector::Zero(1)), nullptr, x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_TRUE(diagnosis.IsDetermined());
  ASSERT_EQ(diagnosis.held.size(), 1u);
  EXPECT_EQ(diagnosis.held[0].kind, DirectionKind::kHeldByPrior);
  ASSERT_EQ(diagnosis.held[0].entries.size(), 2u);
  EXPECT_NEAR(diagnosis.held[0].entries[0].value,
              diagnosis.held[0].entries[1].value, 1e-14);
}

TEST(Diagnosis, NamesDirectionsThatBoundsEnd) {
  double a = 2.0;
  double b = 4.0;
  Problem problem;
  AddProducts(&problem, &a, &b);
  problem.SetParameterLowerBound(&a, 0, 1.0);
  EXPECT_EQ(Diagnose({}, &problem).undetermined[0].kind,
            DirectionKind::kCombination);
  problem.SetParameterUpperBound(&a, 0, 3.0);
  EXPECT_EQ(Diagnose({}, &problem).undetermined[0].kind,
            DirectionKind::kHeldByBound);
}

auto Sum(double weight) {
  return Cost<1, 1, 1>(
      [weight](auto* a, auto* b, auto* r) { r[0] = (a[0] + b[0]) * weight; });
}
auto Difference() {
  return Cost<1, 1, 1>([](auto* a, auto* b, auto* r) { r[0] = a[0] - b[0]; });
}

TEST(Diagnosis, NamesDirectionsThatConstraintsHold) {
  double a = 2.0;
  double b = 4.0;
  double c = 1.0;
  Problem problem;
  problem.AddResidualBlock(Sum(3.0), nullptr, &a, &b);
  // a - b is undetermined without the constraint; so is c, which only a
  // constraint uses.
  const ConstraintId rod =
      problem.AddEqualityConstraint(Difference(), {&a, &b});
  problem.SetConstraintName(rod, "rod");
  const ConstraintId tie = problem.AddEqualityConstraint(Sum(1e6), {&b, &c});
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_TRUE(diagnosis.IsDetermined()) << diagnosis.ToString();
  EXPECT_TRUE(diagnosis.is_rank_certain);
  EXPECT_EQ(diagnosis.num_residual_blocks, 1);
  EXPECT_EQ(diagnosis.num_residuals, 1);
  EXPECT_EQ(diagnosis.rank, 3);
  ASSERT_EQ(diagnosis.held.size(), 2u);
  for (const Direction& direction : diagnosis.held) {
    EXPECT_EQ(direction.kind, DirectionKind::kHeldByConstraint);
  }
  EXPECT_THAT(diagnosis.ToString(), HasSubstr("the constraints \"rod\""));
  EXPECT_THAT(diagnosis.ToString(), HasSubstr("\"constraint 1\""));
  EXPECT_THAT(diagnosis.ToString(), HasSubstr("kHeldByConstraint"));
  problem.RemoveConstraint(tie);
  problem.RemoveConstraint(rod);
  EXPECT_EQ(Diagnose({}, &problem).undetermined.size(), 2u);
}

// A direction that constraints leave free is undetermined, whatever their unit.
TEST(Diagnosis, ConstraintsCountWithTheirDerivatives) {
  for (const double unit : {1.0, 1e9, 1e-9}) {
    double a = 2.0;
    double b = 4.0;
    Problem problem;
    problem.AddParameterBlock(&a, 1);
    problem.AddParameterBlock(&b, 1);
    problem.AddEqualityConstraint(Sum(unit), {&a, &b});
    Diagnosis diagnosis = Diagnose({}, &problem);
    ASSERT_EQ(diagnosis.undetermined.size(), 1u);
    EXPECT_EQ(diagnosis.undetermined[0].entries.size(), 2u);
    EXPECT_EQ(diagnosis.held.size(), 1u);
    // An equality of the same derivatives changes nothing.
    problem.AddEqualityConstraint(Sum(7.0), {&b, &a});
    diagnosis = Diagnose({}, &problem);
    EXPECT_EQ(diagnosis.undetermined.size(), 1u);
    EXPECT_EQ(diagnosis.rank, 1);
  }
}

TEST(Diagnosis, InactiveConstraintsDetermineNothing) {
  double a = 2.0;
  double b = 4.0;
  Problem problem;
  problem.AddResidualBlock(Sum(3.0), nullptr, &a, &b);
  const ConstraintId id =
      problem.AddInequalityConstraint(Difference(), {-2.0}, {5.0}, {&a, &b});
  EXPECT_EQ(Diagnose({}, &problem).undetermined.size(), 1u);
  problem.SetMultipliers(id, {-0.3});  // at the lower bound
  EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
  problem.SetMultipliers(id, {0.0});
  a = 0.0;  // below it
  EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
}

TEST(Diagnosis, FailingConstraintIsAnAnswer) {
  double a = 2.0;
  double b = 4.0;
  Problem problem;
  problem.AddResidualBlock(Sum(3.0), nullptr, &a, &b);
  problem.SetConstraintName(
      problem.AddEqualityConstraint(
          Cost<1, 1, 1>([](auto* a, auto* b, auto* r) {
            r[0] = (a[0] - b[0]) * std::numeric_limits<double>::quiet_NaN();
          }),
          {&a, &b}),
      "rod");
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(diagnosis.status, Diagnosis::Status::kNotEvaluated);
  EXPECT_THAT(diagnosis.message, HasSubstr("The constraint \"rod\""));
}

// Without the constraint, nothing checks either residual block. With a = b,
// both determine one number.
TEST(Diagnosis, ConstraintsCheckResidualBlocks) {
  double a = 2.0;
  double b = 4.0;
  Problem problem;
  problem.AddResidualBlock(Sum(1.0), nullptr, &a, &b);
  problem.AddResidualBlock(Cost<1, 1>([](auto* a, auto* r) { r[0] = a[0]; }),
                           nullptr, &a);
  problem.AddEqualityConstraint(Difference(), {&a, &b});
  DiagnosisOptions options;
  options.compute_redundancy = true;
  const Diagnosis diagnosis = Diagnose(options, &problem);
  ASSERT_EQ(diagnosis.residual_blocks.size(), 2u) << diagnosis.message;
  // J = (2, 1)' in a = b: R = I - J J' / 5.
  EXPECT_NEAR(diagnosis.residual_blocks[0].redundancy, 0.2, 1e-9);
  EXPECT_NEAR(diagnosis.residual_blocks[1].redundancy, 0.8, 1e-9);
  // One degree of freedom. The constraint is violated by -2, which counts as no
  // residual: r = (6, 2).
  options.variance_factor = 0.0;
  EXPECT_NEAR(Diagnose(options, &problem).variance_factor, 40.0, 1e-7);
}

// Means of two groups of 4 and 3 measurements.
TEST(Diagnosis, TheVarianceFactorIsGivenOrEstimated) {
  const std::vector<double> y[2] = {{1.0, 1.5, 0.0, 3.5}, {-1.0, 4.0, 0.0}};
  double means[2] = {1.5, 1.0};
  Problem problem;
  double sum_of_squares = 0.0;
  for (int group = 0; group < 2; ++group) {
    for (const double value : y[group]) {
      problem.AddResidualBlock(
          Cost<1, 1>([value](auto* x, auto* r) { r[0] = x[0] - value; }),
          nullptr, &means[group]);
      sum_of_squares += (means[group] - value) * (means[group] - value);
    }
  }
  DiagnosisOptions options;
  EXPECT_EQ(Diagnose(options, &problem).variance_factor, 0.0);
  options.compute_redundancy = true;
  const double estimate = sum_of_squares / 5.0;
  for (const auto& [given, expected] :
       {std::pair(1.0, 1.0), std::pair(6.25, 6.25), std::pair(0.0, estimate)}) {
    SCOPED_TRACE(given);
    options.variance_factor = given;
    const Diagnosis diagnosis = Diagnose(options, &problem);
    EXPECT_NEAR(diagnosis.variance_factor, expected, 1e-14 * expected);
    ASSERT_EQ(diagnosis.residual_blocks.size(), 7u);
    // R_ii = 1 - 1 / 4. The residual is 1.5 - 3.5.
    const ResidualCheck& check = diagnosis.residual_blocks[3];
    const double deviation = std::sqrt(0.75 * expected);
    EXPECT_NEAR(check.largest_standardized_residual, 2.0 / deviation, 1e-13);
    EXPECT_NEAR(check.smallest_detectable_error, 4.1321 * expected / deviation,
                1e-3 * expected);
    EXPECT_THAT(diagnosis.ToJson(), HasSubstr("\"variance_factor\""));
  }
  for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    options.variance_factor = wrong;
    const Diagnosis diagnosis = Diagnose(options, &problem);
    EXPECT_EQ(diagnosis.status, Diagnosis::Status::kFailed);
    EXPECT_THAT(diagnosis.message, HasSubstr("variance_factor"));
  }
}

// As many residuals as values: nothing is left to estimate the variance from.
TEST(Diagnosis, WithoutDegreesOfFreedomTheEstimateIsZero) {
  double x[2] = {0.0, 3.0};
  Problem problem;
  for (double& value : x) {
    problem.AddResidualBlock(
        Cost<1, 1>([](auto* x, auto* r) { r[0] = x[0] - 1.0; }), nullptr,
        &value);
  }
  DiagnosisOptions options;
  options.compute_redundancy = true;
  options.variance_factor = 0.0;
  const Diagnosis diagnosis = Diagnose(options, &problem);
  EXPECT_EQ(diagnosis.variance_factor, 0.0);
  for (const ResidualCheck& check : diagnosis.residual_blocks) {
    EXPECT_TRUE(check.is_unchecked);
    EXPECT_EQ(check.largest_standardized_residual, 0.0);
    EXPECT_TRUE(std::isinf(check.smallest_detectable_error));
  }
}

TEST(Diagnosis, FindsWeakDirections) {
  double x[2] = {1.0, 1.0};
  Problem problem;
  problem.AddResidualBlock(Cost<2, 2>([](auto* x, auto* r) {
                             r[0] = x[0] + x[1];
                             r[1] = 1e-10 * (x[0] - x[1]);
                           }),
                           nullptr, x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_TRUE(diagnosis.undetermined.empty());
  ASSERT_EQ(diagnosis.weak.size(), 1u);
  EXPECT_NEAR(diagnosis.weak[0].ratio, 1e-10, 1e-14);
  EXPECT_EQ(diagnosis.weak[0].kind, DirectionKind::kWeak);
}

TEST(Diagnosis, TellsWhichCoordinatesAreBadlyScaled) {
  double x[3] = {1.0, 1.0, 1.0};
  Problem problem;
  problem.AddResidualBlock(Cost<3, 3>([](auto* x, auto* r) {
                             r[0] = x[0] + 1e-12 * x[2];
                             r[1] = 2.0 * x[1];
                             r[2] = 1e-12 * x[2];
                           }),
                           nullptr, x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(diagnosis.rank, 3);
  EXPECT_TRUE(diagnosis.weak.empty());
  ASSERT_EQ(diagnosis.badly_scaled.size(), 1u);
  EXPECT_EQ(diagnosis.badly_scaled[0].coordinate, 2);
  EXPECT_NEAR(diagnosis.badly_scaled[0].scale * 1e-12, std::sqrt(0.5), 1e-9);
}

TEST(Diagnosis, FailingResidualBlockIsAnAnswer) {
  double x = 1.0;
  Problem problem;
  problem.AddResidualBlock(Cost<1, 1>([](auto* x, auto* r) {
                             r[0] = x[0] *
                                    std::numeric_limits<double>::quiet_NaN();
                           }),
                           nullptr, &x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_EQ(diagnosis.status, Diagnosis::Status::kNotEvaluated);
  EXPECT_THAT(diagnosis.message, HasSubstr("esidual block 0"));
  EXPECT_EQ(diagnosis.num_coordinates, 1);
  EXPECT_EQ(diagnosis.structural_rank, 1);
}

TEST(Diagnosis, EmptyAndConstantProblemsHaveNoDirections) {
  Problem problem;
  EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
  double x = 1.0;
  problem.AddResidualBlock(Cost<1, 1>([](auto* x, auto* r) { r[0] = x[0]; }),
                           nullptr, &x);
  problem.SetParameterBlockConstant(&x);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_TRUE(diagnosis.IsDetermined());
  EXPECT_EQ(diagnosis.num_coordinates, 0);
}

TEST(Diagnosis, CancelledTokenAndInvalidOptionsAreAnswers) {
  double x = 1.0;
  Problem problem;
  problem.AddResidualBlock(Cost<1, 1>([](auto* x, auto* r) { r[0] = x[0]; }),
                           nullptr, &x);
  parallel::CancellationSource source;
  source.Cancel();
  DiagnosisOptions options;
  options.cancellation_token = source.token();
  EXPECT_EQ(Diagnose(options, &problem).status, Diagnosis::Status::kStopped);
  options = {};
  options.max_time_in_seconds = 0.0;
  EXPECT_EQ(Diagnose(options, &problem).status, Diagnosis::Status::kStopped);
  options = {};
  options.weak_ratio = 2.0;
  const Diagnosis diagnosis = Diagnose(options, &problem);
  EXPECT_EQ(diagnosis.status, Diagnosis::Status::kFailed);
  EXPECT_THAT(diagnosis.message, HasSubstr("weak_ratio"));
}

CostFunction* HeightDifference() {
  return Cost<1, 1, 1>(
      [](auto* from, auto* to, auto* r) { r[0] = to[0] - from[0] - 1.0; });
}

TEST(Diagnosis, NamesResidualBlocksThatNothingChecks) {
  double x[4] = {0.0, 1.0, 1.0, 2.0};
  double constant = 0.0;
  Problem problem;
  const ResidualBlockId fixed =
      problem.AddResidualBlock(HeightDifference(), nullptr, &constant, x);
  problem.SetParameterBlockConstant(&constant);
  problem.SetParameterBlockConstant(x);
  std::vector<ResidualBlockId> twice;
  for (int i = 0; i < 2; ++i) {
    twice.push_back(
        problem.AddResidualBlock(HeightDifference(), nullptr, x, x + 1));
  }
  const ResidualBlockId once =
      problem.AddResidualBlock(HeightDifference(), nullptr, x + 1, x + 3);
  DiagnosisOptions options;
  EXPECT_TRUE(Diagnose(options, &problem).residual_blocks.empty());
  options.compute_redundancy = true;
  options.residual_block_tag = [&](ResidualBlockId id) {
    return id == once ? std::string("the only one") : std::string();
  };
  const Diagnosis diagnosis = Diagnose(options, &problem);
  // No variable: nothing to check.
  ASSERT_EQ(diagnosis.residual_blocks.size(), 3u);
  for (int i = 0; i < 2; ++i) {
    const ResidualCheck& check = diagnosis.residual_blocks[i];
    EXPECT_EQ(check.residual_block, twice[i]);
    EXPECT_EQ(check.residual_block_index, i + 1);
    EXPECT_NEAR(check.redundancy, 0.5, 1e-15);
    EXPECT_FALSE(check.is_unchecked);
    EXPECT_NEAR(check.smallest_detectable_error, 4.1321 * std::sqrt(2.0), 1e-3);
  }
  EXPECT_NE(diagnosis.residual_blocks[0].residual_block, fixed);
  EXPECT_TRUE(diagnosis.residual_blocks[2].is_unchecked);
  EXPECT_TRUE(
      std::isinf(diagnosis.residual_blocks[2].smallest_detectable_error));
  EXPECT_THAT(diagnosis.ToString(), HasSubstr("1 of 3: the only one"));
  EXPECT_THAT(diagnosis.ToJson(), HasSubstr("\"Infinity\""));
}

// A manifold, a coordinate whose bounds are equal, a loss function, and a
// translation and a scale that are undetermined.
TEST(Diagnosis, RedundanciesSumToTheDegreesOfFreedom) {
  double unit[4] = {1.0, 0.0, 0.0, 0.0};
  double x[3][2] = {{0.0, 0.1}, {1.0, 0.2}, {2.5, 0.3}};
  double factor = 2.0;
  Problem problem;
  for (int k = 0; k < 3; ++k) {
    problem.AddResidualBlock(Cost<5, 4>([k](auto* q, auto* r) {
                               for (int i = 0; i < 4; ++i) {
                                 r[i] = q[i] - double(i == k);
                               }
                               r[4] = q[0] * q[1];
                             }),
                             new HuberLoss(0.3), unit);
    problem.AddResidualBlock(
        Cost<2, 2, 2, 1>([](auto* a, auto* b, auto* f, auto* r) {
          r[0] = (b[0] - a[0]) * f[0] - 1.0;
          r[1] = (b[1] - a[1]) * f[0] - 2.0;
        }),
        nullptr, x[k], x[(k + 1) % 3], &factor);
  }
  problem.SetManifold(unit, new SphereManifold<4>());
  problem.SetParameterLowerBound(x[1], 1, 0.2);
  problem.SetParameterUpperBound(x[1], 1, 0.2);
  DiagnosisOptions options;
  options.compute_redundancy = true;
  for (const bool apply_loss_function : {true, false}) {
    options.apply_loss_function = apply_loss_function;
    const Diagnosis diagnosis = Diagnose(options, &problem);
    EXPECT_EQ(diagnosis.undetermined.size(), 2u);
    ASSERT_EQ(diagnosis.residual_blocks.size(), 6u);
    double sum = 0.0;
    for (const ResidualCheck& check : diagnosis.residual_blocks) {
      sum += check.redundancy;
    }
    EXPECT_NEAR(sum, diagnosis.num_residuals - diagnosis.rank, 1e-12);
  }
}

// A long chain that a weak prior holds: too weak for redundancy numbers, and
// too large for a dense factorization. The directions stay.
TEST(Diagnosis, RedundancyThatCannotBeComputedIsAMessage) {
  std::vector<double> x(3000, 0.0);
  Problem problem;
  for (std::size_t k = 1; k < x.size(); ++k) {
    problem.AddResidualBlock(HeightDifference(), nullptr, &x[k - 1], &x[k]);
  }
  problem.AddResidualBlock(
      Cost<1, 1>([](auto* x, auto* r) { r[0] = 1e-9 * x[0]; }), nullptr, &x[0]);
  double a = 2.0;
  double b = 4.0;
  AddProducts(&problem, &a, &b);
  DiagnosisOptions options;
  options.compute_redundancy = true;
  const Diagnosis diagnosis = Diagnose(options, &problem);
  EXPECT_EQ(diagnosis.status, Diagnosis::Status::kComplete);
  EXPECT_THAT(diagnosis.message, HasSubstr("redundancy cannot be computed"));
  EXPECT_TRUE(diagnosis.residual_blocks.empty());
  EXPECT_EQ(diagnosis.undetermined.size(), 1u);
  EXPECT_EQ(diagnosis.weak.size(), 1u);
  EXPECT_THAT(diagnosis.ToString(), HasSubstr("redundancy cannot be computed"));
}

TEST(Diagnosis, RedundancyOfAnEmptyProblemIsEmpty) {
  Problem problem;
  DiagnosisOptions options;
  options.compute_redundancy = true;
  const Diagnosis diagnosis = Diagnose(options, &problem);
  EXPECT_EQ(diagnosis.status, Diagnosis::Status::kComplete);
  EXPECT_EQ(diagnosis.message, "");
  EXPECT_TRUE(diagnosis.residual_blocks.empty());
}

// Poses (x, y, angle) that measure each other, far from a solution.
void AddPlanarGraph(Problem* problem, double (*pose)[3]) {
  for (int k = 0; k < 3; ++k) {
    problem->AddResidualBlock(Cost<3, 3, 3>([](auto* a, auto* b, auto* r) {
                                using std::cos;
                                using std::sin;
                                const auto c = cos(a[2]), s = sin(a[2]);
                                r[0] =
                                    c * (b[0] - a[0]) + s * (b[1] - a[1]) - 1.0;
                                r[1] = c * (b[1] - a[1]) - s * (b[0] - a[0]);
                                r[2] = b[2] - a[2] - 1.0;
                              }),
                              nullptr, pose[k], pose[(k + 1) % 3]);
  }
}

TEST(Diagnosis, RotationOfThePlaneIsNoScale) {
  double pose[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 1.0}, {1.5, 0.8, 2.0}};
  Problem problem;
  AddPlanarGraph(&problem, pose);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 3u);
  EXPECT_EQ(diagnosis.undetermined[0].kind, DirectionKind::kGaugeTranslation);
  EXPECT_EQ(diagnosis.undetermined[1].kind, DirectionKind::kGaugeTranslation);
  EXPECT_EQ(diagnosis.undetermined[2].kind, DirectionKind::kGaugeRotation);
}

TEST(Diagnosis, MeasurementsToConstantBlocksAreNoPriors) {
  double pose[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 1.0}, {1.5, 0.8, 2.0}};
  Problem problem;
  AddPlanarGraph(&problem, pose);
  problem.SetParameterBlockConstant(pose[0]);
  const Diagnosis diagnosis = Diagnose({}, &problem);
  EXPECT_TRUE(diagnosis.IsDetermined());
  EXPECT_TRUE(diagnosis.held.empty());
}

TEST(Diagnosis, BlocksWithEmptyNamesHaveTheirIndex) {
  double pose[3][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 1.0}, {1.5, 0.8, 2.0}};
  Problem problem;
  AddPlanarGraph(&problem, pose);
  DiagnosisOptions options;
  options.parameter_block_name = [&](const double* block) {
    return block == pose[1] ? std::string("door") : std::string();
  };
  const std::string text = Diagnose(options, &problem).ToString();
  EXPECT_THAT(text, HasSubstr("parameter block 0[0] 1"));
  EXPECT_THAT(text, HasSubstr("door[0] 1"));
}

// In cos(a) - 1 + (1 - cos(a)), the derivative by z has rounding errors only.
TEST(Diagnosis, ADerivativeOfRoundingErrorsIsZero) {
  double t[3] = {0.5, 0.4, 0.2};
  Problem problem;
  for (int k = 0; k < 6; ++k) {
    problem.AddResidualBlock(
        Cost<3, 3>([k](auto* t, auto* r) {
          using T = std::remove_reference_t<decltype(r[0])>;
          const T rotation[3] = {T(0.0), T(0.0), T(0.2 + 0.3 * k)};
          AngleAxisRotatePoint(rotation, t, r);
          for (int i = 0; i < 3; ++i) r[i] -= t[i] + T(0.1 * k);
        }),
        nullptr, t);
  }
  Diagnosis diagnosis = Diagnose({}, &problem);
  ASSERT_EQ(diagnosis.undetermined.size(), 1u) << diagnosis.ToString();
  EXPECT_EQ(diagnosis.undetermined[0].kind, DirectionKind::kNoInfluence);
  EXPECT_EQ(diagnosis.undetermined[0].entries[0].coordinate, 2);
}

// A unit that is 1e17 times too large makes no rounding errors.
TEST(Diagnosis, ACoordinateInAnUnusualUnitCounts) {
  double x = 1e-17;
  double y = 1.0;
  Problem problem;
  problem.AddResidualBlock(Cost<2, 1, 1>([](auto* x, auto* y, auto* r) {
                             r[0] = 1e17 * x[0] + y[0];
                             r[1] = 1e17 * x[0] - y[0];
                           }),
                           nullptr, &x, &y);
  EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
  x = 0.0;
  y = 0.0;
  EXPECT_TRUE(Diagnose({}, &problem).IsDetermined());
}

}  // namespace
}  // namespace ceres
