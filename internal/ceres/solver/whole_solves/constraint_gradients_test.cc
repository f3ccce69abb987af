// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Constraints whose gradient is zero, tiny or huge at the start, compared with
// the gradient at the solution.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/expression.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Multiplies a function, and adds a wrong constant to its derivatives as
// differences do.
class Changed final : public CostFunction {
 public:
  Changed(CostFunction* function, double unit, double error)
      : function_(function), unit_(unit), error_(error) {
    set_num_residuals(function->num_residuals());
    *mutable_parameter_block_sizes() = function->parameter_block_sizes();
  }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    if (!function_->Evaluate(parameters, residuals, jacobians)) return false;
    residuals[0] *= unit_;
    if (jacobians == nullptr || jacobians[0] == nullptr) return true;
    for (int j = 0; j < parameter_block_sizes()[0]; ++j) {
      jacobians[0][j] = unit_ * (jacobians[0][j] + error_);
    }
    return true;
  }

 private:
  const std::unique_ptr<CostFunction> function_;
  const double unit_;
  const double error_;
};

struct Constraint {
  std::string text;
  double lower;
  double upper;
};
struct Case {
  std::vector<std::string> residuals;
  std::vector<Constraint> constraints;
  std::vector<double> start;
  // Minimizers: any of these.
  std::vector<std::vector<double>> solutions;
};

struct Result {
  std::vector<double> x;
  std::vector<double> multipliers;
  Solver::Summary summary;
};
Result SolveCase(const Case& c, double unit = 1.0, double error = 0.0,
                 int num_threads = 1) {
  Result result;
  result.x = c.start;
  double* const x = result.x.data();
  const int n = static_cast<int>(result.x.size());
  Problem problem;
  if (!c.residuals.empty()) {
    problem.AddResidualBlock(MakeExpressionFunction(c.residuals, n), nullptr,
                             x);
  }
  std::vector<ConstraintId> ids;
  for (const Constraint& constraint : c.constraints) {
    auto* const function =
        new Changed(MakeExpressionFunction({constraint.text}, n), unit, error);
    if (constraint.lower == constraint.upper) {
      ids.push_back(problem.AddEqualityConstraint(function, {x}));
    } else {
      ids.push_back(problem.AddInequalityConstraint(
          function, {unit * constraint.lower}, {unit * constraint.upper}, {x}));
    }
  }
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.max_num_iterations = 500;
  options.function_tolerance = 1e-10;
  options.constraint_tolerance = 1e-10;
  options.num_threads = num_threads;
  options.logging_type = SILENT;
  Solve(options, &problem, &result.summary);
  for (const ConstraintId id : ids) {
    result.multipliers.push_back(problem.GetMultipliers(id)[0]);
  }
  return result;
}

double DistanceToSolutions(const Case& c, const std::vector<double>& x) {
  double least = kInfinity;
  for (const std::vector<double>& solution : c.solutions) {
    double largest = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      largest = std::max(largest, std::abs(x[j] - solution[j]));
    }
    least = std::min(least, largest);
  }
  return least;
}

std::string Describe(const Case& c, const Result& result) {
  std::string text = c.constraints[0].text + ": " + result.summary.message +
                     " iterations " +
                     std::to_string(result.summary.iterations.size()) + " x";
  for (const double value : result.x) text += ' ' + std::to_string(value);
  return text;
}

void ExpectSolution(const Case& c, const Result& result) {
  EXPECT_EQ(result.summary.termination_type, CONVERGENCE)
      << Describe(c, result);
  EXPECT_LT(DistanceToSolutions(c, result.x), 1e-4) << Describe(c, result);
  EXPECT_LE(result.summary.constraint_violation, 1e-10) << Describe(c, result);
}

const double kRoot = std::sqrt(0.6);
// x + y = 1 on the circle of radius sqrt(0.6).
const double kHigh = 0.5 + std::sqrt(0.05);
const double kLow = 0.5 - std::sqrt(0.05);

std::vector<Case> ZeroAtTheStart() {
  const double third = 1.0 / std::sqrt(3.0);
  const double angle = std::acos(0.5);
  // Each root of cos(x) = 0.5 is a solution.
  const double turn = 2.0 * std::acos(-1.0);
  const std::vector<std::vector<double>> roots = {
      {angle}, {-angle}, {turn - angle}, {turn + angle}, {-turn + angle}};
  return {
      {{"x[0]-2", "x[1]"}, {{"x[0]^2+x[1]^2-0.6", 0, 0}}, {0, 0}, {{kRoot, 0}}},
      {{"x[0]-2", "x[1]"},
       {{"x[0]^2+x[1]^2", -kInfinity, 0.6}},
       {0, 0},
       {{kRoot, 0}}},
      {{"x[0]-2", "x[1]"},
       {{"x[0]+x[1]-1", 0, 0}, {"x[0]^2+x[1]^2", -kInfinity, 0.6}},
       {0, 0},
       {{kHigh, kLow}}},
      {{},
       {{"x[0]+x[1]-0.9", 0, 0}, {"x[0]^2+x[1]^2-0.405", 0, 0}},
       {0, 0},
       {{0.45, 0.45}}},
      {{"x[0]-2", "x[1]-3"},
       {{"x[0]*x[1]-1", 0, 0}},
       {0, 0},
       {{0.358554902, 2.78897316}}},
      {{"x[0]-2", "x[1]-3"},
       {{"x[0]*x[1]", -kInfinity, 1}},
       {0, 0},
       {{0.358554902, 2.78897316}}},
      {{"x[0]-2", "x[1]-2"}, {{"x[0]*x[1]", 1, kInfinity}}, {0, 0}, {{2, 2}}},
      {{"x[0]", "x[1]"}, {{"x[0]*x[1]-1", 0, 0}}, {0, 0}, {{1, 1}, {-1, -1}}},
      {{"x[0]", "x[1]-0.5*x[0]"},
       {{"x[0]*x[1]", 1, kInfinity}},
       {0, 0},
       {{0.945741609, 1.05737126}, {-0.945741609, -1.05737126}}},
      {{"x[0]", "x[1]", "x[2]"},
       {{"x[0]*x[1]*x[2]-1", 0, 0}},
       {0, 0, 0},
       {{1, 1, 1}, {-1, -1, 1}, {-1, 1, -1}, {1, -1, -1}}},
      {{"x[0]-1", "x[1]-1", "x[2]-1"},
       {{"x[0]^2+x[1]^2+x[2]^2-1", 0, 0}},
       {0, 0, 0},
       {{third, third, third}}},
      {{"x[0]-0.3"}, {{"cos(x[0])-0.5", 0, 0}}, {0}, roots},
      {{"x[0]-0.3"}, {{"cos(x[0])", -kInfinity, 0.5}}, {0}, {{angle}}},
      // Two points that start at one place.
      {{"x[0]-1", "3*(x[1]-1)", "x[2]-1", "3*(x[3]-1)"},
       {{"(x[0]-x[2])^2+(x[1]-x[3])^2-4", 0, 0}},
       {1, 1, 1, 1},
       {{2, 1, 0, 1}, {0, 1, 2, 1}}},
      {{"x[0]-1", "x[1]-1", "x[2]-2", "x[3]-1"},
       {{"(x[0]-x[2])^2+(x[1]-x[3])^2-4", 0, 0}},
       {0.5, 0.5, 0.5, 0.5},
       {{0.5, 1, 2.5, 1}}},
      // A cost that does not move the coordinates of the constraint.
      {{"x[2]-1", "0.1*(x[0]-x[1])"},
       {{"x[0]*x[1]-1", 0, 0}},
       {0, 0, 5},
       {{1, 1, 1}, {-1, -1, 1}}},
      // The gradients of all constraints are zero.
      {{"x[0]-2", "x[1]", "x[2]-1"},
       {{"x[0]^2+x[1]^2-0.6", 0, 0}, {"x[2]^2-0.25", 0, 0}},
       {0, 0, 0},
       {{kRoot, 0, 0.5}}},
      {{"x[0]-2", "x[1]"}, {{"x[0]^4+x[1]^4-1", 0, 0}}, {0, 0}, {{1, 0}}},
      // Satisfied at the start.
      {{"x[0]-2", "x[1]-1"}, {{"x[0]*x[1]", 0, 0}}, {0, 0}, {{2, 0}}},
      {{"x[0]-2", "x[1]"}, {{"x[0]^2-x[1]", 0, kInfinity}}, {0, 0}, {{2, 0}}},
  };
}

std::vector<Case> ChangingOnTheWay() {
  const double half = std::sqrt(0.5);
  return {
      {{"x[0]-2", "x[1]-1"}, {{"exp(x[0])-1", 0, 0}}, {16, 0}, {{0, 1}}},
      {{"x[0]-2", "x[1]-1"}, {{"exp(x[0])-1", 0, 0}}, {-6, 0}, {{0, 1}}},
      {{"x[0]-2", "x[1]-1"},
       {{"exp(x[0])", -kInfinity, 1}},
       {-16, 0},
       {{0, 1}}},
      {{"x[0]-2", "x[1]-1"}, {{"exp(x[0])", -kInfinity, 1}}, {16, 0}, {{0, 1}}},
      {{"x[0]-2", "x[1]-1"}, {{"x[0]^3-1", 0, 0}}, {1000, 0}, {{1, 1}}},
      {{"x[0]-2", "x[1]-1"}, {{"x[0]^3-1", 0, 0}}, {0.001, 0}, {{1, 1}}},
      {{"x[0]-2", "x[1]-1"}, {{"x[0]^3", -kInfinity, 1}}, {-1000, 0}, {{1, 1}}},
      {{"x[0]-2", "x[1]-2"},
       {{"x[0]^2+x[1]^2-1", 0, 0}},
       {1e4, 1},
       {{half, half}}},
      {{"x[0]-2", "x[1]-2"},
       {{"x[0]^2+x[1]^2-1", 0, 0}},
       {1e-5, 1e-4},
       {{half, half}}},
      {{"x[0]-2", "x[1]-2"},
       {{"x[0]^2+x[1]^2-1", 0, 0}, {"x[0]-x[1]", 0, 0}},
       {1e-5, 1e-4},
       {{half, half}}},
      {{"x[0]-2", "x[1]-2"},
       {{"1/x[0]+x[1]-2", 0, 0}},
       {1e-3, 1},
       {{2.10691934, 1.52537338}}},
  };
}

TEST(ConstraintGradients, MayBeZeroAtTheStart) {
  for (const Case& c : ZeroAtTheStart()) ExpectSolution(c, SolveCase(c));
}

TEST(ConstraintGradients, MayBeTheErrorsOfDifferences) {
  for (const double error : {1e-9, -1e-9, 1e-7, 1e-12}) {
    for (const Case& c : ZeroAtTheStart()) {
      ExpectSolution(c, SolveCase(c, 1.0, error));
    }
  }
}

// The largest coordinate of the gradient of the Lagrangian, relative to that of
// the cost.
double Stationarity(const Case& c, const Result& result) {
  const int n = static_cast<int>(result.x.size());
  const double* const x = result.x.data();
  std::vector<double> sum(n, 0.0);
  double largest = 1.0;
  const auto add = [&](const std::string& text, double factor) {
    const std::unique_ptr<CostFunction> function(
        MakeExpressionFunction({text}, n));
    double value = 0.0;
    std::vector<double> row(n);
    double* rows = row.data();
    EXPECT_TRUE(function->Evaluate(&x, &value, &rows));
    for (int j = 0; j < n; ++j) {
      const double term = row[j] * (factor == 0.0 ? value : factor);
      largest = std::max(largest, std::abs(term));
      sum[j] += term;
    }
  };
  for (const std::string& text : c.residuals) add(text, 0.0);
  for (std::size_t i = 0; i < c.constraints.size(); ++i) {
    if (result.multipliers[i] == 0.0) continue;
    add(c.constraints[i].text, result.multipliers[i]);
  }
  double residual = 0.0;
  for (const double value : sum) residual = std::max(residual, std::abs(value));
  return residual / largest;
}

TEST(ConstraintGradients, MayBeTinyAtTheStart) {
  std::uint32_t random = 1;
  for (const double distance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10}) {
    for (int k = 0; k < 4; ++k) {
      for (Case c : ZeroAtTheStart()) {
        for (double& x : c.start) {
          random = 1664525 * random + 1013904223;
          x += distance * (random / 2147483648.0 - 1.0);
        }
        const Result result = SolveCase(c);
        const std::string text =
            std::to_string(std::log10(distance)) + ' ' + Describe(c, result);
        EXPECT_EQ(result.summary.termination_type, CONVERGENCE) << text;
        EXPECT_LE(result.summary.constraint_violation, 1e-10) << text;
        EXPECT_LE(Stationarity(c, result), 1e-4) << text;
      }
    }
  }
}

TEST(ConstraintGradients, MayGrowAndShrink) {
  for (const Case& c : ChangingOnTheWay()) ExpectSolution(c, SolveCase(c));
}

// Powers of 2 scale exactly.
TEST(ConstraintGradients, DoNotDependOnTheUnit) {
  std::vector<Case> cases = ZeroAtTheStart();
  for (const Case& c : ChangingOnTheWay()) cases.push_back(c);
  for (const Case& c : cases) {
    const Result one = SolveCase(c);
    for (const double unit : {std::ldexp(1.0, 20), std::ldexp(1.0, -30)}) {
      const Result other = SolveCase(c, unit);
      EXPECT_EQ(other.x, one.x) << Describe(c, other);
      EXPECT_EQ(other.summary.iterations.size(), one.summary.iterations.size());
      for (std::size_t i = 0; i < one.multipliers.size(); ++i) {
        EXPECT_DOUBLE_EQ(other.multipliers[i] * unit, one.multipliers[i])
            << Describe(c, other);
      }
    }
  }
}

TEST(ConstraintGradients, GiveTheSameBitsForAllNumbersOfThreads) {
  for (const Case& c : ZeroAtTheStart()) {
    const Result one = SolveCase(c);
    for (const int num_threads : {2, 3, 8}) {
      const Result other = SolveCase(c, 1.0, 0.0, num_threads);
      EXPECT_EQ(other.x, one.x) << Describe(c, other);
      EXPECT_EQ(other.multipliers, one.multipliers) << Describe(c, other);
    }
  }
}

TEST(ConstraintGradients, DoNotMakeAViolationASolution) {
  const std::vector<Case> infeasible = {
      {{"x[0]-2", "x[1]"}, {{"x[0]^2+x[1]^2+1", 0, 0}}, {0, 0}, {}},
      {{"x[0]", "x[1]"}, {{"x[0]^2+x[1]^2+1", 0, 0}}, {0, 0}, {}},
      {{"x[0]-1", "x[1]"}, {{"x[0]^2", -kInfinity, -1}}, {0, 0}, {}},
      {{"x[0]-1", "x[1]"}, {{"cos(x[0])", 2, kInfinity}}, {0, 0}, {}},
      {{"x[0]", "x[1]"}, {{"cos(x[0])-2", 0, 0}}, {0, 0}, {}},
      {{"x[0]-1", "x[1]"}, {{"0*x[0]+1", 0, 0}}, {0, 0}, {}},
      {{"x[0]-1", "x[1]"},
       {{"x[0]^2+x[1]^2-0.25", 0, 0}, {"x[0]+x[1]-3", 0, 0}},
       {0, 0},
       {}},
  };
  for (const Case& c : infeasible) {
    const Result result = SolveCase(c);
    EXPECT_EQ(result.summary.termination_type, INFEASIBLE)
        << Describe(c, result);
    EXPECT_FALSE(result.summary.violated_constraints.empty());
  }
}

// A bound that holds a coordinate admits only one direction.
TEST(ConstraintGradients, LeaveZeroWithinBounds) {
  for (const double sign : {1.0, -1.0}) {
    double x[2] = {0.0, 0.0};
    Problem problem;
    problem.AddResidualBlock(
        MakeExpressionFunction({sign > 0.0 ? "x[0]-2" : "x[0]+2", "x[1]-3"}, 2),
        nullptr, x);
    problem.AddEqualityConstraint(
        MakeExpressionFunction({"x[0]^2+x[1]^2-1"}, 2), {x});
    for (const int k : {0, 1}) {
      if (sign > 0.0) {
        problem.SetParameterLowerBound(x, k, 0.0);
      } else {
        problem.SetParameterUpperBound(x, k, 0.0);
      }
    }
    Solver::Options options;
    options.linear_solver_type = DENSE_QR;
    options.max_num_iterations = 200;
    options.function_tolerance = 1e-10;
    options.logging_type = SILENT;
    Solver::Summary summary;
    Solve(options, &problem, &summary);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    EXPECT_NEAR(x[0], sign > 0.0 ? 2.0 / std::sqrt(13.0) : -1.0, 1e-5);
    EXPECT_NEAR(x[1], sign > 0.0 ? 3.0 / std::sqrt(13.0) : 0.0, 1e-5);
  }
}

// The solution of a solve is the start of another one. The gradient is zero.
TEST(ConstraintGradients, KeepASolutionWhereTheyAreZero) {
  double x[2] = {0.0, 3.0};
  Problem problem;
  problem.AddResidualBlock(MakeExpressionFunction({"x[0]", "x[1]-3"}, 2),
                           nullptr, x);
  problem.AddEqualityConstraint(MakeExpressionFunction({"x[0]^2"}, 2), {x});
  Solver::Options options;
  options.logging_type = SILENT;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_EQ(x[0], 0.0);
  EXPECT_EQ(x[1], 3.0);
}

}  // namespace
}  // namespace ceres::internal
