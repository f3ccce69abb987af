// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/gradient_checker.h"

#include <cmath>
#include <limits>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/manifold.h"
#include "ceres/modelling/fake_manifold.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using testing::HasSubstr;
using testing::Not;

// r = (sin(x_0) y_0 + x_1, x_0 q . c) of blocks x (2), y (1), q (4), with
// mistakes on request.
class Mistaken : public CostFunction {
 public:
  Mistaken() {
    set_num_residuals(2);
    *mutable_parameter_block_sizes() = {2, 1, 4};
  }

  bool Evaluate(double const* const* p, double* r, double** j) const override {
    const double *x = p[0], *y = p[1], *q = p[2];
    const double qc = q[0] + 2 * q[1] + 3 * q[2] - q[3];
    r[0] = std::sin(x[0]) * y[0] + x[1] + (j != nullptr ? residual_shift : 0);
    r[1] = x[0] * qc;
    if (j == nullptr) return min_x0 <= x[0] && x[0] <= max_x0;
    if (j[0] != nullptr) {
      j[0][0] = std::cos(x[0]) * y[0] * derivative_factor;
      j[0][1] = 1;
      j[0][2] = qc;
      j[0][3] = 0 + zero_error;
    }
    if (j[1] != nullptr) {
      j[1][0] = std::sin(x[0]);
      if (writes_all) j[1][1] = 0;
    }
    if (j[2] != nullptr) {
      const double c[4] = {1, 2, 3, -1};
      for (int i = 0; i < 4; ++i) {
        j[2][i] = 0;
        // Along q itself, derivatives say nothing about rotations.
        j[2][4 + i] = x[0] * c[i] + error_along_q * q[i];
      }
    }
    return succeeds_with_jacobians;
  }

  double residual_shift = 0, derivative_factor = 1, zero_error = 0;
  double error_along_q = 0;
  double min_x0 = -std::numeric_limits<double>::infinity();
  double max_x0 = std::numeric_limits<double>::infinity();
  bool writes_all = true, succeeds_with_jacobians = true;
};

class GradientCheckerTest : public testing::Test {
 protected:
  bool Probe(double precision, const std::vector<const Manifold*>* manifolds) {
    const GradientChecker checker(&function_, manifolds, NumericDiffOptions());
    const bool good = checker.Probe(parameters_, precision, &results_);
    EXPECT_EQ(results_.return_value, good);
    EXPECT_EQ(results_.error_log.empty(), good);
    // Results are optional.
    EXPECT_EQ(checker.Probe(parameters_, precision, nullptr), good);
    return good;
  }

  Mistaken function_;
  const double x_[2] = {0.4, -2}, y_[1] = {3}, q_[4] = {0.5, -0.5, 0.5, 0.5};
  const double* parameters_[3] = {x_, y_, q_};
  GradientChecker::ProbeResults results_;
};

TEST_F(GradientCheckerTest, FindsNothingWrongWithARightFunction) {
  EXPECT_TRUE(Probe(1e-10, nullptr));
  EXPECT_LE(results_.maximum_relative_error, 1e-10);
  EXPECT_DOUBLE_EQ(results_.residuals[0], std::sin(0.4) * 3 - 2);
  ASSERT_EQ(results_.jacobians.size(), 3u);
  ASSERT_EQ(results_.numeric_jacobians.size(), 3u);
  EXPECT_DOUBLE_EQ(results_.jacobians[0](0, 0), std::cos(0.4) * 3);
  EXPECT_NEAR(results_.numeric_jacobians[0](0, 0), std::cos(0.4) * 3, 1e-11);
  EXPECT_EQ(results_.local_jacobians[2], results_.jacobians[2]);
  EXPECT_EQ(results_.local_numeric_jacobians[2], results_.numeric_jacobians[2]);
}

TEST_F(GradientCheckerTest, FindsAWrongDerivativeAndNamesIt) {
  function_.derivative_factor = 1 + 1e-6;
  EXPECT_TRUE(Probe(1e-5, nullptr));
  EXPECT_NEAR(results_.maximum_relative_error, 1e-6, 1e-9);
  EXPECT_FALSE(Probe(1e-7, nullptr));
  EXPECT_THAT(results_.error_log,
              HasSubstr("parameter block 0, residual 0, coordinate 0"));
  EXPECT_THAT(results_.error_log, HasSubstr("1 derivative differs"));
  EXPECT_THAT(results_.error_log, Not(HasSubstr("parameter block 1")));
}

TEST_F(GradientCheckerTest, ADerivativeThatIsZeroIsComparedAbsolutely) {
  function_.zero_error = 1e-6;
  EXPECT_FALSE(Probe(1e-7, nullptr));
  EXPECT_NEAR(results_.maximum_relative_error, 1e-6, 1e-9);
  EXPECT_TRUE(Probe(1e-5, nullptr));
}

TEST_F(GradientCheckerTest, OnlyTangentDirectionsCount) {
  function_.error_along_q = 5.0;
  EXPECT_FALSE(Probe(1e-8, nullptr));
  const QuaternionManifold quaternion;
  const std::vector<const Manifold*> manifolds = {nullptr, nullptr,
                                                  &quaternion};
  EXPECT_TRUE(Probe(1e-8, &manifolds));
  EXPECT_EQ(results_.local_jacobians[2].cols(), 3);
  EXPECT_EQ(results_.local_numeric_jacobians[2].cols(), 3);
  EXPECT_EQ(results_.jacobians[2].cols(), 4);
  Matrix plus_jacobian(4, 3);
  ASSERT_TRUE(quaternion.PlusJacobian(q_, plus_jacobian.data()));
  EXPECT_LE(
      (results_.local_jacobians[2] - results_.jacobians[2] * plus_jacobian)
          .cwiseAbs()
          .maxCoeff(),
      1e-14);
}

TEST_F(GradientCheckerTest, ABlockWithoutFreedomIsSkipped) {
  function_.error_along_q = 5.0;
  const SubsetManifold constant(4, {0, 1, 2, 3});
  const std::vector<const Manifold*> manifolds = {nullptr, nullptr, &constant};
  EXPECT_TRUE(Probe(1e-8, &manifolds));
}

TEST_F(GradientCheckerTest, ResidualsMustNotDependOnTheJacobians) {
  function_.residual_shift = 1e-3;
  EXPECT_FALSE(Probe(1e-8, nullptr));
  EXPECT_THAT(results_.error_log, HasSubstr("Residual 0 is"));
}

TEST_F(GradientCheckerTest, WhatIsNotWrittenOrNotFiniteIsAnError) {
  function_.writes_all = false;
  EXPECT_FALSE(Probe(1e-8, nullptr));
  EXPECT_THAT(results_.error_log,
              HasSubstr("parameter block 1, residual 1, coordinate 0"));
  function_.writes_all = true;
  function_.derivative_factor = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(Probe(1e-8, nullptr));
  EXPECT_EQ(results_.maximum_relative_error,
            std::numeric_limits<double>::infinity());
}

TEST_F(GradientCheckerTest, FailedEvaluationsAreErrors) {
  function_.succeeds_with_jacobians = false;
  EXPECT_FALSE(Probe(1e-8, nullptr));
  EXPECT_THAT(results_.error_log, HasSubstr("with Jacobians"));
  function_.succeeds_with_jacobians = true;
  // Differences are one-sided at the end of the domain.
  function_.max_x0 = x_[0];
  EXPECT_TRUE(Probe(1e-6, nullptr));
  function_.min_x0 = x_[0];
  EXPECT_FALSE(Probe(1e-8, nullptr));
  EXPECT_THAT(results_.error_log, HasSubstr("near the point"));
  function_.min_x0 = -std::numeric_limits<double>::infinity();
  function_.max_x0 = x_[0] - 1;
  EXPECT_FALSE(Probe(1e-8, nullptr));
  EXPECT_THAT(results_.error_log, HasSubstr("without Jacobians"));
}

void ExpectShapes(const std::vector<Matrix>& matrices,
                  const std::vector<int>& num_cols) {
  ASSERT_EQ(matrices.size(), num_cols.size());
  for (size_t i = 0; i < num_cols.size(); ++i) {
    EXPECT_EQ(matrices[i].rows(), 2);
    EXPECT_EQ(matrices[i].cols(), num_cols[i]);
  }
}

void ExpectZeros(const std::vector<Matrix>& matrices) {
  for (const Matrix& matrix : matrices) EXPECT_TRUE(matrix.isZero(0.0));
}

TEST_F(GradientCheckerTest, ResultsOfFailuresHaveFullSizeAndAreZero) {
  const QuaternionManifold quaternion;
  const std::vector<const Manifold*> manifolds = {nullptr, nullptr,
                                                  &quaternion};
  const auto expect_full_size = [&] {
    EXPECT_FALSE(Probe(1e-8, &manifolds));
    EXPECT_EQ(results_.residuals.size(), 2);
    ExpectShapes(results_.jacobians, {2, 1, 4});
    ExpectShapes(results_.numeric_jacobians, {2, 1, 4});
    ExpectShapes(results_.local_jacobians, {2, 1, 3});
    ExpectShapes(results_.local_numeric_jacobians, {2, 1, 3});
    ExpectZeros(results_.local_jacobians);
    ExpectZeros(results_.local_numeric_jacobians);
  };
  // Without Jacobians, with Jacobians, and near the point.
  function_.max_x0 = x_[0] - 1;
  expect_full_size();
  EXPECT_TRUE(results_.residuals.isZero(0.0));
  ExpectZeros(results_.jacobians);
  function_.max_x0 = std::numeric_limits<double>::infinity();
  function_.succeeds_with_jacobians = false;
  expect_full_size();
  ExpectZeros(results_.jacobians);
  function_.succeeds_with_jacobians = true;
  function_.min_x0 = function_.max_x0 = x_[0];
  expect_full_size();
  ExpectZeros(results_.numeric_jacobians);
  EXPECT_EQ(results_.jacobians[1](0, 0), std::sin(x_[0]));
}

TEST_F(GradientCheckerTest, ResultsHaveFullSizeWhereAManifoldFails) {
  const internal::FakeManifold failing(4, 3, false);
  const std::vector<const Manifold*> manifolds = {nullptr, nullptr, &failing};
  EXPECT_FALSE(Probe(1e-8, &manifolds));
  EXPECT_THAT(results_.error_log, HasSubstr("parameter block 2"));
  ExpectShapes(results_.local_jacobians, {2, 1, 3});
  ExpectShapes(results_.local_numeric_jacobians, {2, 1, 3});
  ExpectZeros(results_.local_jacobians);
  EXPECT_EQ(results_.jacobians[1](0, 0), std::sin(x_[0]));
}

class NoResiduals : public CostFunction {
 public:
  bool Evaluate(double const* const*, double*, double**) const override {
    return true;
  }
};

TEST(GradientCheckerDeathTest, ArgumentsAreChecked) {
  const NumericDiffOptions options;
  const Mistaken function;
  const NoResiduals no_residuals;
  EXPECT_DEATH(GradientChecker(nullptr, nullptr, options), "given null");
  EXPECT_DEATH(GradientChecker(&no_residuals, nullptr, options),
               "has no residuals");
  const QuaternionManifold quaternion;
  const std::vector<const Manifold*> wrong_place = {&quaternion, nullptr,
                                                    nullptr};
  EXPECT_DEATH(GradientChecker(&function, &wrong_place, options),
               "ambient size of manifold 0");
  const std::vector<const Manifold*> too_few = {nullptr};
  EXPECT_DEATH(GradientChecker(&function, &too_few, options),
               "number of manifolds");
}

}  // namespace
}  // namespace ceres
