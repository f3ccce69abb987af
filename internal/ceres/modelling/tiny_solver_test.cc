// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Eigen can be told to stop the program when it allocates.
#define EIGEN_RUNTIME_NO_MALLOC

#include "ceres/tiny_solver.h"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "Eigen/Cholesky"
#include "Eigen/LU"
#include "ceres/autodiff_cost_function.h"
#include "ceres/base/testing/failing_allocations.h"
#include "ceres/cost_function.h"
#include "ceres/modelling/tiny_solver_test_utils.h"
#include "ceres/tiny_solver_autodiff_function.h"
#include "ceres/tiny_solver_cost_function_adapter.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using parallel::testing_internal::NumAllocations;

using tiny_solver_tests::ByHand;
using tiny_solver_tests::Dynamic;
using tiny_solver_tests::ExpectSolves;
using tiny_solver_tests::Residuals2;
using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;

TEST(TinySolver, FindsAZeroWithEveryKindOfFunction) {
  ExpectSolves<TinySolver<ByHand>>(ByHand());
  const Residuals2 residuals;
  using AutoDiff = TinySolverAutoDiffFunction<Residuals2, 2, 3>;
  ExpectSolves<TinySolver<AutoDiff>>(AutoDiff(residuals));
  const AutoDiffCostFunction<Residuals2, 2, 3> cost(new Residuals2);
  using Adapter = TinySolverCostFunctionAdapter<2, 3>;
  ExpectSolves<TinySolver<Adapter>>(Adapter(cost));
}

TEST(TinySolver, TakesOtherLinearSolvers) {
  using Matrix3 = Eigen::Matrix3d;
  ExpectSolves<TinySolver<ByHand, Eigen::PartialPivLU<Matrix3>>>(ByHand());
  ExpectSolves<TinySolver<ByHand, Eigen::LLT<Matrix3>>>(ByHand());
}

template <typename Function>
std::int64_t AllocationsOfASolve(const Function& function) {
  TinySolver<Function> solver;
  typename TinySolver<Function>::Parameters x = Vec3(-4, 0.5, 7);
  const std::int64_t before = NumAllocations();
  // Any use of the heap by Eigen stops the test.
  Eigen::internal::set_is_malloc_allowed(false);
  solver.Solve(function, &x);
  Eigen::internal::set_is_malloc_allowed(true);
  EXPECT_LT(solver.summary.final_cost, 1e-10);
  return NumAllocations() - before;
}

TEST(TinySolver, AllocatesNothingForFixedAndBoundedSizes) {
  const Residuals2 residuals;
  const AutoDiffCostFunction<Residuals2, 2, 3> cost(new Residuals2);
  const TinySolverAutoDiffFunction<Residuals2, 2, 3> automatic(residuals);
  const TinySolverAutoDiffFunction<Residuals2, Eigen::Dynamic, 3, double, 4>
      bounded_automatic(residuals);
  const TinySolverCostFunctionAdapter<2, 3> adapter(cost);
  EXPECT_EQ(AllocationsOfASolve(ByHand()), 0u);
  EXPECT_EQ(AllocationsOfASolve(Dynamic<10, 5>()), 0u);
  EXPECT_EQ(AllocationsOfASolve(automatic), 0u);
  EXPECT_EQ(AllocationsOfASolve(bounded_automatic), 0u);
  EXPECT_EQ(AllocationsOfASolve(adapter), 0u);
  // The counter counts.
  const std::int64_t before = NumAllocations();
  ::operator delete(::operator new(sizeof(double)));
  EXPECT_EQ(NumAllocations(), before + 1);
}

// One residual, whose Jacobian Eigen would like to be row-major.
struct Single {
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = x[0] * x[0] + x[1] * x[1] - T(4);
    return true;
  }
};

TEST(TinySolver, OneResidual) {
  const Single single;
  using Function = TinySolverAutoDiffFunction<Single, 1, 2>;
  TinySolver<Function> solver;
  solver.options.function_tolerance = 0;
  Vec2 x(3, 1);
  solver.Solve(Function(single), &x);
  EXPECT_NEAR(x.norm(), 2, 1e-6);
  EXPECT_NEAR(solver.Jacobian()(0, 1), 2 * x[1], 1e-14);

  const AutoDiffCostFunction<Single, 1, 2> cost(new Single);
  using Adapter = TinySolverCostFunctionAdapter<1, 2>;
  TinySolver<Adapter> other;
  other.options.function_tolerance = 0;
  Vec2 y(3, 1);
  other.Solve(Adapter(cost), &y);
  EXPECT_NEAR(y.norm(), 2, 1e-6);
}

// Rosenbrock's function (1960), minimum 0 at (1, 1).
struct Rosenbrock {
  template <typename T>
  bool operator()(const T* x, T* f) const {
    f[0] = T(10) * (x[1] - x[0] * x[0]);
    f[1] = T(1) - x[0];
    return true;
  }
};

TEST(TinySolver, FollowsRosenbrocksValleyInDoubleAndSinglePrecision) {
  const Rosenbrock rosenbrock;
  using Function = TinySolverAutoDiffFunction<Rosenbrock, 2, 2>;
  TinySolver<Function> solver;
  solver.options.function_tolerance = 1e-15;
  Vec2 x(-1.2, 1);
  solver.Solve(Function(rosenbrock), &x);
  EXPECT_NEAR(solver.summary.initial_cost, 12.1, 1e-12);
  EXPECT_NEAR(x[0], 1, 1e-6);
  EXPECT_NEAR(x[1], 1, 1e-6);

  using FloatFunction = TinySolverAutoDiffFunction<Rosenbrock, 2, 2, float>;
  TinySolver<FloatFunction> float_solver;
  Eigen::Vector2f y(-1.2f, 1);
  float_solver.Solve(FloatFunction(rosenbrock), &y);
  EXPECT_NEAR(y[0], 1, 1e-2);
  EXPECT_NEAR(y[1], 1, 1e-2);
}

// A least-squares problem without zero: the mean of a and b, cost (a - b)^2/4.
struct Mean {
  using Scalar = double;
  enum { NUM_RESIDUALS = 2, NUM_PARAMETERS = 1 };
  bool operator()(const double* x, double* f, double* j) const {
    f[0] = x[0] - 1;
    f[1] = x[0] - 5;
    if (j != nullptr) j[0] = j[1] = 1;
    return true;
  }
};

TEST(TinySolver, SaysWhyItStopped) {
  using Solver = TinySolver<Mean>;
  const auto solve = [](Solver* solver, double x) {
    Solver::Parameters point(x);
    solver->Solve(Mean(), &point);
    return point[0];
  };
  Solver converging;
  EXPECT_NEAR(solve(&converging, 10), 3, 1e-6);
  EXPECT_EQ(converging.summary.status, Solver::COST_CHANGE_TOO_SMALL);
  EXPECT_NEAR(converging.summary.final_cost, 4, 1e-12);

  solve(&converging, 3);
  EXPECT_EQ(converging.summary.status, Solver::GRADIENT_TOO_SMALL);
  EXPECT_EQ(converging.summary.iterations, 0);
  EXPECT_EQ(converging.summary.final_cost, 4);
  EXPECT_EQ(converging.summary.gradient_max_norm, 0);

  Solver exact;
  exact.options.function_tolerance = exact.options.gradient_tolerance = 0;
  solve(&exact, 10);
  EXPECT_EQ(exact.summary.status, Solver::RELATIVE_STEP_SIZE_TOO_SMALL);

  Solver content;
  content.options.cost_threshold = 100;
  EXPECT_EQ(solve(&content, 10), 10);
  EXPECT_EQ(content.summary.status, Solver::COST_TOO_SMALL);

  Solver brief;
  brief.options.max_num_iterations = 1;
  brief.options.function_tolerance = 0;
  brief.options.initial_trust_region_radius = 1;
  // One step with damping 1 goes half the way.
  EXPECT_NEAR(solve(&brief, 10), 6.5, 1e-12);
  EXPECT_EQ(brief.summary.status, Solver::HIT_MAX_ITERATIONS);
  EXPECT_EQ(brief.summary.iterations, 1);
  EXPECT_NEAR(brief.summary.final_cost, (5.5 * 5.5 + 1.5 * 1.5) / 2, 1e-12);
}

// log(x), which cannot be evaluated at x <= 0.
struct Logarithm {
  using Scalar = double;
  enum { NUM_RESIDUALS = 1, NUM_PARAMETERS = 1 };
  bool operator()(const double* x, double* f, double* j) const {
    if (x[0] <= 0) return false;
    f[0] = std::log(x[0]);
    if (j != nullptr) j[0] = 1 / x[0];
    return true;
  }
};

TEST(TinySolver, StepsThatCannotBeEvaluatedAreRejected) {
  TinySolver<Logarithm> solver;
  TinySolver<Logarithm>::Parameters x(20);  // Newton's step goes to -40.
  solver.Solve(Logarithm(), &x);
  EXPECT_NEAR(x[0], 1, 1e-5);

  x[0] = -1;
  const auto& summary = solver.Solve(Logarithm(), &x);
  EXPECT_EQ(summary.initial_cost, -1);
  EXPECT_EQ(summary.final_cost, -1);
  EXPECT_EQ(x[0], -1);
}

TEST(TinySolver, UpdateEvaluatesAtAPoint) {
  TinySolver<ByHand> solver;
  ASSERT_TRUE(solver.Update(ByHand(), Vec3(1, 2, 3)));
  EXPECT_EQ(solver.Residuals(), Vec2(5, -5));
  EXPECT_EQ(solver.Jacobian()(1, 2), -2);
}

struct TwoBlocks {
  template <typename T>
  bool operator()(const T* x, const T* y, T* f) const {
    f[0] = x[0] + y[0];
    return true;
  }
};

TEST(TinySolverCostFunctionAdapterDeathTest, SizesAreChecked) {
  const AutoDiffCostFunction<TwoBlocks, 1, 1, 1> two_blocks(new TwoBlocks);
  EXPECT_DEATH(TinySolverCostFunctionAdapter<> f(two_blocks),
               "one parameter block; this one has 2");
  const AutoDiffCostFunction<Residuals2, 2, 3> cost(new Residuals2);
  EXPECT_DEATH((TinySolverCostFunctionAdapter<Eigen::Dynamic, 2>(cost)),
               "number of parameters is 3, and the template argument is 2");
  EXPECT_DEATH((TinySolverCostFunctionAdapter<3, Eigen::Dynamic>(cost)),
               "number of residuals is 2, and the template argument is 3");
  EXPECT_DEATH((TinySolverCostFunctionAdapter<Eigen::Dynamic, 3, 1>(cost)),
               "more than the maximum of 1");
}

}  // namespace
}  // namespace ceres
