// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/constraint_section.h"

#include <limits>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/normal_prior.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// x - target, coordinate by coordinate.
CostFunction* MakeOffset(const std::vector<double>& target) {
  const auto n = static_cast<Eigen::Index>(target.size());
  return new NormalPrior(Eigen::MatrixXd::Identity(n, n),
                         Eigen::Map<const Eigen::VectorXd>(target.data(), n));
}

TEST(ConstraintSection, ListsActiveOnesFirst) {
  double x[2] = {0.0, 0.0};
  Problem problem;
  problem.AddResidualBlock(MakeOffset({3.0, 2.0}), nullptr, x);
  problem.AddInequalityConstraint(MakeOffset({0.0, 0.0}), {-kInfinity, -9.0},
                                  {1.0, 9.0}, {x});
  Solver::Options options;
  options.logging_type = SILENT;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  const ConstraintSection section = CollectConstraints(&problem);
  EXPECT_EQ(section.num_constraints, 1);
  EXPECT_EQ(section.num_coordinates, 2);
  EXPECT_EQ(section.num_active, summary.num_active_constraints);
  ASSERT_EQ(section.coordinates.size(), 2u);
  const ReportedConstraint& first = section.coordinates[0];
  EXPECT_EQ(first.name, "constraint 0[0]");
  EXPECT_TRUE(first.is_active);
  EXPECT_NEAR(first.value, 1.0, 1e-7);
  EXPECT_EQ(first.upper, 1.0);
  EXPECT_EQ(first.lower, -kInfinity);
  EXPECT_NEAR(first.multiplier, 2.0, 1e-5);
  EXPECT_NEAR(first.violation, 0.0, 1e-7);
  EXPECT_FALSE(section.coordinates[1].is_active);
  EXPECT_EQ(section.coordinates[1].multiplier, 0.0);
}

TEST(ConstraintSection, ShowsViolationsAndNames) {
  double x[1] = {5.0};
  Problem problem;
  problem.SetConstraintName(
      problem.AddEqualityConstraint(MakeOffset({2.0}), {x}), "rod");
  const ConstraintSection section = CollectConstraints(&problem);
  ASSERT_EQ(section.coordinates.size(), 1u);
  EXPECT_EQ(section.coordinates[0].name, "rod");
  EXPECT_EQ(section.coordinates[0].violation, 3.0);
}

TEST(ConstraintSection, IsBounded) {
  std::vector<double> x(500, 1.0);
  Problem problem;
  for (double& value : x) {
    problem.AddEqualityConstraint(MakeOffset({2.0}), {&value});
  }
  const ConstraintSection section = CollectConstraints(&problem);
  EXPECT_EQ(section.num_coordinates, 500);
  EXPECT_EQ(section.coordinates.size(), kMaxReportConstraints);
  EXPECT_EQ(
      CollectConstraints(std::make_unique<Problem>().get()).coordinates.size(),
      0u);
}

}  // namespace
}  // namespace ceres::internal
