// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/internal/small_ldlt.h"

#include <limits>
#include <random>

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "ceres/tiny_solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

template <typename Scalar, int kSize>
class Fixture {
 public:
  using Matrix = Eigen::Matrix<Scalar, kSize, kSize>;
  using Vector = Eigen::Matrix<Scalar, kSize, 1>;

  Fixture() {
    std::mt19937 random(kSize);
    std::uniform_real_distribution<Scalar> uniform(-1, 1);
    const auto draw = [&](Scalar) { return uniform(random); };
    const Matrix factor = Matrix::Zero().unaryExpr(draw);
    a = factor * factor.transpose() + Matrix::Identity();
    b = Vector::Zero().unaryExpr(draw);
  }

  Matrix a;
  Vector b;
  Vector x = Vector::Zero();
};

template <typename Scalar, int kSize>
void ExpectSolutionOfEigen() {
  SCOPED_TRACE(kSize);
  Fixture<Scalar, kSize> f;
  // The size is dynamic, so that Eigen's solver is compiled once for all.
  using Eigen::Dynamic;
  const Eigen::Matrix<Scalar, Dynamic, Dynamic> a = f.a;
  const Eigen::Matrix<Scalar, Dynamic, 1> expected = a.ldlt().solve(f.b);
  // Only the lower triangle is read.
  f.a.template triangularView<Eigen::StrictlyUpper>().setConstant(
      std::numeric_limits<Scalar>::quiet_NaN());
  ASSERT_TRUE(SolveByLdlt<kSize>(f.a, f.b, &f.x));
  const Scalar tolerance = 20 * std::numeric_limits<Scalar>::epsilon();
  EXPECT_LT((f.x - expected).norm(), tolerance * (1 + expected.norm()));
}

TEST(SolveByLdlt, GivesTheSolutionOfEigen) {
  ExpectSolutionOfEigen<double, 1>();
  ExpectSolutionOfEigen<double, 2>();
  ExpectSolutionOfEigen<double, 3>();
  ExpectSolutionOfEigen<double, 4>();
  ExpectSolutionOfEigen<double, 5>();
  ExpectSolutionOfEigen<double, 6>();
  ExpectSolutionOfEigen<float, 3>();
}

TEST(SolveByLdlt, RefusesWhatIsNotPositiveDefinite) {
  for (int j = 0; j < 4; ++j) {
    Fixture<double, 4> f;
    f.a(j, j) = -1.0;
    EXPECT_FALSE(SolveByLdlt<4>(f.a, f.b, &f.x)) << j;
    f.a(j, j) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(SolveByLdlt<4>(f.a, f.b, &f.x)) << j;
  }
}

TEST(SolveByLdlt, RefusesPivotsOfRoundingErrors) {
  // The rank is one, but for rounding.
  const Eigen::Vector3d v(0.1, 0.7, 1.3);
  const Eigen::Matrix3d a = v * v.transpose();
  Eigen::Vector3d x;
  EXPECT_FALSE(SolveByLdlt<3>(a, v, &x));
}

// Two columns that are the same, which damping alone makes independent.
struct SumOfTwo {
  using Scalar = double;
  enum { NUM_RESIDUALS = 2, NUM_PARAMETERS = 2 };
  bool operator()(const double* x, double* residuals, double* jacobian) const {
    residuals[0] = x[0] + x[1] - 10.0;
    residuals[1] = 2.0 * (x[0] + x[1]) - 20.0;
    if (jacobian != nullptr) {
      jacobian[0] = jacobian[2] = 1.0;
      jacobian[1] = jacobian[3] = 2.0;
    }
    return true;
  }
};

TEST(SolveByLdlt, TinySolverSolvesProblemsWithoutFullRank) {
  TinySolver<SumOfTwo> solver;
  solver.options.initial_trust_region_radius = 1e30;  // hardly any damping
  solver.options.gradient_tolerance = 0.0;
  Eigen::Vector2d x(1.0, 2.0);
  solver.Solve(SumOfTwo(), &x);
  EXPECT_NEAR(x.sum(), 10.0, 1e-6);
}

}  // namespace
}  // namespace ceres::internal
