// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/dynamic_autodiff_cost_function.h"

#include <cmath>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/modelling/functor_counter.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

// A function of blocks x (3 values), y (2) and z (4), all derivatives
// different:
//   r_0 = sum_j (j + 1) x_j^2 + sin(y_0) y_1,
//   r_1 = z_0 z_1 z_2 z_3 + x_0 y_0.
class Mixed : internal::CountsInstances {
 public:
  Mixed() = default;
  explicit Mixed(int* num_living) : CountsInstances(num_living) {}

  template <typename T>
  bool operator()(T const* const* parameters, T* residuals) const {
    using std::sin;
    ++num_calls_;
    const T* x = parameters[0];
    const T* y = parameters[1];
    const T* z = parameters[2];
    if (x[0] < T(-100.0)) return false;
    residuals[0] = x[0] * x[0] + T(2.0) * x[1] * x[1] + T(3.0) * x[2] * x[2] +
                   sin(y[0]) * y[1];
    residuals[1] = z[0] * z[1] * z[2] * z[3] + x[0] * y[0];
    return true;
  }

  int num_calls() const { return num_calls_; }

 private:
  mutable int num_calls_ = 0;
};

template <int kStride>
void AddSizes(DynamicAutoDiffCostFunction<Mixed, kStride>* cost) {
  cost->AddParameterBlock(3);
  cost->AddParameterBlock(2);
  cost->AddParameterBlock(4);
  cost->SetNumResiduals(2);
}

class Point {
 public:
  const double* const* blocks() const { return blocks_; }
  double x[3] = {1.5, -2, 3};
  double y[2] = {0.5, 4};
  double z[4] = {2, -3, 5, 7};

 private:
  const double* blocks_[3] = {x, y, z};
};

template <int kNumCols>
using Rows2 = Eigen::Matrix<double, 2, kNumCols, Eigen::RowMajor>;

// Jacobians of -77 where nothing was written.
struct Jacobians {
  Rows2<3> x = Rows2<3>::Constant(-77.0);
  Rows2<2> y = Rows2<2>::Constant(-77.0);
  Rows2<4> z = Rows2<4>::Constant(-77.0);
};

void ExpectJacobians(const Point& at, const Jacobians& actual, bool x, bool y,
                     bool z) {
  Jacobians expected;
  if (x) expected.x << 2 * at.x[0], 4 * at.x[1], 6 * at.x[2], at.y[0], 0, 0;
  if (y) {
    expected.y << std::cos(at.y[0]) * at.y[1], std::sin(at.y[0]), at.x[0], 0;
  }
  if (z) {
    const double product = at.z[0] * at.z[1] * at.z[2] * at.z[3];
    expected.z.row(0).setZero();
    for (int i = 0; i < 4; ++i) expected.z(1, i) = product / at.z[i];
  }
  EXPECT_TRUE(actual.x.isApprox(expected.x, 1e-15)) << actual.x;
  EXPECT_TRUE(actual.y.isApprox(expected.y, 1e-15)) << actual.y;
  EXPECT_TRUE(actual.z.isApprox(expected.z, 1e-15)) << actual.z;
}

template <int kStride>
void ExpectAllSubsetsOfJacobians() {
  for (int subset = 0; subset < 8; ++subset) {
    const Point at;
    DynamicAutoDiffCostFunction<Mixed, kStride> cost(new Mixed);
    AddSizes(&cost);
    const bool x = subset & 1, y = subset & 2, z = subset & 4;
    Jacobians j;
    double* jacobians[3] = {x ? j.x.data() : nullptr, y ? j.y.data() : nullptr,
                            z ? j.z.data() : nullptr};
    double residuals[2] = {};
    EXPECT_TRUE(cost.Evaluate(at.blocks(), residuals, jacobians));
    EXPECT_DOUBLE_EQ(residuals[0], 2.25 + 8 + 27 + std::sin(at.y[0]) * at.y[1]);
    EXPECT_DOUBLE_EQ(residuals[1], -210 + 0.75);
    ExpectJacobians(at, j, x, y, z);
    const int num_active = (x ? 3 : 0) + (y ? 2 : 0) + (z ? 4 : 0);
    const int num_passes =
        num_active == 0 ? 1 : (num_active + kStride - 1) / kStride;
    EXPECT_EQ(cost.functor().num_calls(), num_passes)
        << "stride " << kStride << ", " << num_active << " columns";
  }
}

TEST(DynamicAutoDiffCostFunction, EveryStrideAndSetOfWantedJacobians) {
  ExpectAllSubsetsOfJacobians<1>();
  ExpectAllSubsetsOfJacobians<4>();
  ExpectAllSubsetsOfJacobians<9>();
  ExpectAllSubsetsOfJacobians<16>();
}

TEST(DynamicAutoDiffCostFunction, WithoutJacobiansCallsTheFunctorOnDoubles) {
  const Point at;
  DynamicAutoDiffCostFunction<Mixed> cost(new Mixed);
  AddSizes(&cost);
  double residuals[2] = {};
  EXPECT_TRUE(cost.Evaluate(at.blocks(), residuals, nullptr));
  EXPECT_DOUBLE_EQ(residuals[1], -210 + 0.75);
  EXPECT_EQ(cost.functor().num_calls(), 1);
}

// r_k = k + x_0.
struct Many {
  template <typename T>
  bool operator()(T const* const* parameters, T* residuals) const {
    for (int k = 0; k < num_residuals; ++k) {
      residuals[k] = T(k) + parameters[0][0];
    }
    return true;
  }
  int num_residuals;
};

TEST(DynamicAutoDiffCostFunction, MoreResidualsThanFitOnTheStack) {
  constexpr int kMany = 100;
  DynamicAutoDiffCostFunction<Many, 3> cost(new Many{kMany});
  cost.AddParameterBlock(2);
  cost.SetNumResiduals(kMany);
  const double x[2] = {1.5, 7};
  const double* parameters = x;
  std::vector<double> residuals(kMany), jacobian(2 * kMany);
  double* jacobians = jacobian.data();
  EXPECT_TRUE(cost.Evaluate(&parameters, residuals.data(), &jacobians));
  for (int k = 0; k < kMany; ++k) {
    EXPECT_EQ(residuals[k], k + 1.5);
    EXPECT_EQ(jacobian[2 * k], 1.0);
    EXPECT_EQ(jacobian[2 * k + 1], 0.0);
  }
}

TEST(DynamicAutoDiffCostFunction, AFunctorThatFailsMakesEvaluateFail) {
  Point at;
  at.x[0] = -101;
  DynamicAutoDiffCostFunction<Mixed> cost(new Mixed);
  AddSizes(&cost);
  double residuals[2], x[6];
  double* jacobians[3] = {x, nullptr, nullptr};
  EXPECT_FALSE(cost.Evaluate(at.blocks(), residuals, nullptr));
  EXPECT_FALSE(cost.Evaluate(at.blocks(), residuals, jacobians));
}

// Writes the first of two residuals.
struct ForgetsTheSecondResidual {
  template <typename T>
  bool operator()(T const* const* parameters, T* residuals) const {
    residuals[0] = parameters[0][0] * parameters[1][2];
    return true;
  }
};

TEST(DynamicAutoDiffCostFunction, AnUnwrittenResidualHasAnInvalidJacobianRow) {
  DynamicAutoDiffCostFunction<ForgetsTheSecondResidual, 2> cost;
  cost.AddParameterBlock(1);
  cost.AddParameterBlock(3);
  cost.SetNumResiduals(2);
  const double x = 3, y[3] = {5, 7, 11};
  const double* parameters[2] = {&x, y};
  double residuals[2], jx[2], jy[6];
  double* jacobians[2] = {jx, jy};
  ASSERT_TRUE(cost.Evaluate(parameters, residuals, jacobians));
  EXPECT_EQ(residuals[0], 33.0);
  EXPECT_EQ(jx[0], 11.0);
  EXPECT_EQ(jy[1], 0.0);
  EXPECT_EQ(jy[2], 3.0);
  EXPECT_EQ(residuals[1], kImpossibleValue);
  EXPECT_EQ(jx[1], kImpossibleValue);
  for (int c = 3; c < 6; ++c) EXPECT_EQ(jy[c], kImpossibleValue) << c;
}

TEST(DynamicAutoDiffCostFunction, OwnsItsFunctorOnRequest) {
  internal::ExpectOwnsFunctorOnRequest<DynamicAutoDiffCostFunction<Mixed>,
                                       Mixed>();
}

TEST(DynamicAutoDiffCostFunction, DeducesItsFunctorAndAStrideOfFour) {
  Mixed functor;
  // Other types would not convert.
  const DynamicAutoDiffCostFunction<Mixed, 4> deduced[] = {
      DynamicAutoDiffCostFunction(new Mixed),
      DynamicAutoDiffCostFunction(&functor, DO_NOT_TAKE_OWNERSHIP),
      DynamicAutoDiffCostFunction(std::make_unique<Mixed>())};
  EXPECT_EQ(&deduced[1].functor(), &functor);
}

TEST(DynamicAutoDiffCostFunctionDeathTest, NumberOfResidualsMustBeSet) {
  const Point at;
  DynamicAutoDiffCostFunction<Mixed> cost(new Mixed);
  cost.AddParameterBlock(3);
  double residuals[2];
  EXPECT_DEATH(cost.Evaluate(at.blocks(), residuals, nullptr),
               "SetNumResiduals.*the number of residuals is 0");
}

}  // namespace
}  // namespace ceres
