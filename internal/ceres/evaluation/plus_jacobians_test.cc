// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/plus_jacobians.h"

#include <algorithm>
#include <array>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation/evaluator_test_utils.h"
#include "ceres/manifold.h"
#include "ceres/product_manifold.h"
#include "ceres/sphere_manifold.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

void ExpectPlusJacobian(const Manifold& quaternion, const double* x,
                        const double* kept) {
  std::array<double, 12> expected;
  ASSERT_TRUE(quaternion.PlusJacobian(x, expected.data()));
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), kept));
}

TEST(PlusJacobians, AnglesAndQuaternionsAreKeptUnlessTheManifoldFails) {
  double angle = 10.0, plain[4] = {1, 2, 3, 4}, other_angle = 1.0;
  double quaternion[4] = {0.5, -0.5, 0.5, 0.5}, direction[3] = {0, 0, 1};
  Problem problem;
  problem.AddResidualBlock(new SineCost(2, {1, 4, 4, 3, 1}, 1), nullptr, &angle,
                           plain, quaternion, direction, &other_angle);
  problem.SetManifold(&angle, new ScaledAngle(57.0, /*lowest=*/0.0));
  problem.SetManifold(quaternion, new QuaternionManifold);
  problem.SetManifold(direction, new SphereManifold<3>);
  problem.SetManifold(&other_angle, new ScaledAngle(57.0, /*lowest=*/0.0));
  ProblemEvaluator evaluator(&problem);
  const Program& program = evaluator.program;
  std::vector<double>& state = evaluator.state;
  PlusJacobians plus_jacobians(program);
  state[program.state_offset()[4]] = -1.0;
  plus_jacobians.Evaluate(Execution(), state.data());

  ASSERT_NE(plus_jacobians.Find(0), nullptr);
  EXPECT_EQ(*plus_jacobians.Find(0), 57.0);
  EXPECT_EQ(plus_jacobians.Find(1), nullptr) << "no manifold";
  ExpectPlusJacobian(QuaternionManifold(), quaternion, plus_jacobians.Find(2));
  EXPECT_EQ(plus_jacobians.Find(3), nullptr) << "another size";
  EXPECT_EQ(plus_jacobians.Find(4), nullptr) << "failed";
  // At another state it is there again.
  state[program.state_offset()[4]] = 1.0;
  plus_jacobians.Evaluate(Execution(), state.data());
  EXPECT_NE(plus_jacobians.Find(4), nullptr);
}

TEST(PlusJacobians, OfAQuaternionInFrontOfOthersItsOwnIsKept) {
  // All but the first two have its sizes, but other Jacobians.
  const std::vector<Manifold*> manifolds = {
      new ProductManifold<QuaternionManifold, EuclideanManifold<5>>,
      new ProductManifold<EigenQuaternionManifold, EuclideanManifold<1>>,
      new ProductManifold<EuclideanManifold<5>, QuaternionManifold>,
      new ProductManifold<QuaternionManifold, ScaledAngle>(QuaternionManifold(),
                                                           ScaledAngle(57.0)),
      new SphereManifold<6>,
      // Too many.
      new ProductManifold<QuaternionManifold, EuclideanManifold<13>>};
  std::vector<std::vector<double>> blocks;
  std::vector<double*> arguments;
  std::vector<int> sizes;
  for (const Manifold* manifold : manifolds) {
    sizes.push_back(manifold->AmbientSize());
    blocks.emplace_back(sizes.back(), 0.5);
    blocks.back()[1] = -0.5;
    arguments.push_back(blocks.back().data());
  }
  Problem problem;
  problem.AddResidualBlock(new SineCost(2, sizes, 1), nullptr, arguments);
  for (size_t k = 0; k < manifolds.size(); ++k) {
    problem.SetManifold(arguments[k], manifolds[k]);
  }
  ProblemEvaluator evaluator(&problem);
  PlusJacobians plus_jacobians(evaluator.program);
  plus_jacobians.Evaluate(Execution(), evaluator.state.data());

  ExpectPlusJacobian(QuaternionManifold(), arguments[0],
                     plus_jacobians.Find(0));
  ExpectPlusJacobian(EigenQuaternionManifold(), arguments[1],
                     plus_jacobians.Find(1));
  for (size_t k = 2; k < manifolds.size(); ++k) {
    EXPECT_EQ(plus_jacobians.Find(static_cast<int>(k)), nullptr) << k;
  }
}

}  // namespace
}  // namespace ceres::internal
