// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with every minimizer, strategy and linear solver that may be combined,
// with and without inner iterations: they agree on the minimum.

#include <ostream>
#include <string>
#include <vector>

#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

struct Method {
  std::string name;
  Solver::Options options;
  // Steepest descent and conjugate gradients converge linearly, on singular and
  // badly scaled problems slowly; more so without a condition on the curvature.
  bool is_slow = false;
};

void PrintTo(const Method& method, std::ostream* os) { *os << method.name; }

const LinearSolverType kLinearSolvers[] = {DENSE_NORMAL_CHOLESKY,
                                           DENSE_QR,
                                           SPARSE_NORMAL_CHOLESKY,
                                           DENSE_SCHUR,
                                           SPARSE_SCHUR,
                                           ITERATIVE_SCHUR,
                                           CGNR};

// Every trust region method with every linear solver that takes it.
std::vector<Method> TrustRegionMethods() {
  std::vector<Method> all;
  for (const auto linear_solver : kLinearSolvers) {
    for (const int strategy : {0, 1, 2}) {
      for (const bool nonmonotonic : {false, true}) {
        for (const bool inner : {false, true}) {
          Method method;
          Solver::Options& options = method.options;
          options.linear_solver_type = linear_solver;
          options.sparse_linear_algebra_library_type = EIGEN_SPARSE;
          options.eta = 1e-3;
          options.trust_region_strategy_type =
              strategy == 0 ? LEVENBERG_MARQUARDT : DOGLEG;
          options.dogleg_type =
              strategy == 2 ? SUBSPACE_DOGLEG : TRADITIONAL_DOGLEG;
          options.use_nonmonotonic_steps = nonmonotonic;
          options.use_inner_iterations = inner;
          method.name =
              (strategy == 0 ? std::string("LEVENBERG_MARQUARDT")
                             : DoglegTypeToString(options.dogleg_type)) +
              "_" + LinearSolverTypeToString(linear_solver) +
              (nonmonotonic ? "_nonmonotonic" : "") + (inner ? "_inner" : "");
          std::string error;
          if (options.IsValid(&error)) all.push_back(method);
        }
      }
    }
  }
  Method dynamic;
  dynamic.name = "dynamic_sparsity";
  dynamic.options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  dynamic.options.sparse_linear_algebra_library_type = EIGEN_SPARSE;
  dynamic.options.dynamic_sparsity = true;
  all.push_back(dynamic);
  return all;
}

// Every direction with every search and interpolation that it takes.
std::vector<Method> LineSearchMethods() {
  std::vector<Method> all;
  const auto add = [&all](Method method) {
    for (const auto type : {ARMIJO, WOLFE}) {
      for (const auto interpolation : {BISECTION, QUADRATIC, CUBIC}) {
        Method one = method;
        one.options.minimizer_type = LINE_SEARCH;
        one.options.line_search_type = type;
        one.options.line_search_interpolation_type = interpolation;
        one.name += std::string("_") + LineSearchTypeToString(type) + "_" +
                    LineSearchInterpolationTypeToString(interpolation);
        std::string error;
        if (one.options.IsValid(&error)) all.push_back(one);
      }
    }
  };
  for (const auto type : {FLETCHER_REEVES, POLAK_RIBIERE, HESTENES_STIEFEL}) {
    Method method;
    method.name = NonlinearConjugateGradientTypeToString(type);
    method.options.line_search_direction_type = NONLINEAR_CONJUGATE_GRADIENT;
    method.options.nonlinear_conjugate_gradient_type = type;
    // Nocedal and Wright, section 3.1.
    method.options.line_search_sufficient_curvature_decrease = 0.1;
    method.is_slow = true;
    add(method);
  }
  Method steepest;
  steepest.name = "STEEPEST_DESCENT";
  steepest.options.line_search_direction_type = STEEPEST_DESCENT;
  steepest.is_slow = true;
  add(steepest);
  for (const auto type : {BFGS, LBFGS}) {
    for (const bool scaled : {false, true}) {
      Method method;
      method.name = std::string(LineSearchDirectionTypeToString(type)) +
                    (scaled ? "_scaled" : "");
      method.options.line_search_direction_type = type;
      method.options.use_approximate_eigenvalue_bfgs_scaling = scaled;
      add(method);
    }
  }
  return all;
}

std::vector<Method> AllMethods() {
  std::vector<Method> all = TrustRegionMethods();
  for (const Method& method : LineSearchMethods()) all.push_back(method);
  return all;
}

class MinimizersTest : public testing::TestWithParam<Method> {
 protected:
  MinimizersTest() : options_(GetParam().options) {
    options_.max_num_iterations = 2000;
    options_.function_tolerance = 1e-16;
    options_.gradient_tolerance = 1e-10;
    options_.parameter_tolerance = 1e-14;
  }
  Solver::Options options_;
};

TEST_P(MinimizersTest, FindsPowellsSingularMinimum) {
  double x[4] = {3.0, -1.0, 0.0, 1.0};
  Problem problem;
  AddPowell(x, &problem);
  const Solver::Summary summary = SolveWith(options_, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(summary.initial_cost, 107.5, 1e-12);
  EXPECT_LT(summary.final_cost, GetParam().is_slow ? 1e-4 : 1e-8)
      << summary.FullReport();
  for (const double value : x) {
    EXPECT_NEAR(value, 0.0, GetParam().is_slow ? 0.2 : 0.02);
  }
}

TEST_P(MinimizersTest, AgreesOnANoisyBundle) {
  SmallBundle reference(3, 12, 0.01);
  const double expected =
      SolveWith(TightDenseQrOptions(), &reference.problem).final_cost;
  ASSERT_GT(expected, 1e-4);
  SmallBundle bundle(3, 12, 0.01);
  const Solver::Summary summary = SolveWith(options_, &bundle.problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  const double accuracy = GetParam().is_slow ? 0.03 : 1e-4;
  EXPECT_NEAR(summary.final_cost, expected, accuracy * expected)
      << summary.FullReport();
}

INSTANTIATE_TEST_SUITE_P(Every, MinimizersTest, testing::ValuesIn(AllMethods()),
                         [](const testing::TestParamInfo<Method>& info) {
                           return info.param.name;
                         });

class BoundedMinimizersTest : public testing::TestWithParam<Method> {};

// The minimum of Rosenbrock's function with x_0 <= 1/2 is at (1/2, 1/4), with
// x_1 <= 1/4 as well; f = 1/4.
TEST_P(BoundedMinimizersTest, StopAtTheRightBound) {
  double x[2] = {-1.2, 1.0};
  Problem problem;
  problem.AddResidualBlock(NewRosenbrock(), nullptr, x);
  problem.SetParameterUpperBound(x, 0, 0.5);
  Solver::Options options = GetParam().options;
  options.max_num_iterations = 500;
  options.function_tolerance = 1e-15;
  options.eta = 1e-6;
  const Solver::Summary summary = SolveWith(options, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_NEAR(x[0], 0.5, 1e-6);
  EXPECT_NEAR(x[1], 0.25, 1e-6);
  EXPECT_NEAR(summary.final_cost, 0.125, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Every, BoundedMinimizersTest,
                         testing::ValuesIn(TrustRegionMethods()),
                         [](const testing::TestParamInfo<Method>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace ceres::internal
