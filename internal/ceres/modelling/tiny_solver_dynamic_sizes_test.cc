// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Sizes that are known at run time: vectors and matrices on the heap, or in
// room for the largest ones.

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/modelling/tiny_solver_test_utils.h"
#include "ceres/tiny_solver.h"
#include "ceres/tiny_solver_autodiff_function.h"
#include "ceres/tiny_solver_cost_function_adapter.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using tiny_solver_tests::Dynamic;
using tiny_solver_tests::ExpectSolves;
using tiny_solver_tests::Residuals2;

TEST(TinySolverDynamicSizes, FunctionsByHand) {
  using Unbounded = Dynamic<Eigen::Dynamic, Eigen::Dynamic>;
  ExpectSolves<TinySolver<Unbounded>>(Unbounded());
  using Bounded = Dynamic<10, 5>;
  ExpectSolves<TinySolver<Bounded>>(Bounded());
}

TEST(TinySolverDynamicSizes, AutoDiffFunctions) {
  const Residuals2 residuals;
  using Unbounded = TinySolverAutoDiffFunction<Residuals2, Eigen::Dynamic, 3>;
  ExpectSolves<TinySolver<Unbounded>>(Unbounded(residuals));
  using Bounded =
      TinySolverAutoDiffFunction<Residuals2, Eigen::Dynamic, 3, double, 4>;
  ExpectSolves<TinySolver<Bounded>>(Bounded(residuals));
}

TEST(TinySolverDynamicSizes, AdaptersOfCostFunctions) {
  const AutoDiffCostFunction<Residuals2, 2, 3> cost(new Residuals2);
  using Unbounded = TinySolverCostFunctionAdapter<>;
  ExpectSolves<TinySolver<Unbounded>>(Unbounded(cost));
  using Mixed = TinySolverCostFunctionAdapter<Eigen::Dynamic, 3, 4>;
  ExpectSolves<TinySolver<Mixed>>(Mixed(cost));
}

}  // namespace
}  // namespace ceres
