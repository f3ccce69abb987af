// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// A solve calls the functions of constraints within bounds, reports their
// outputs as they are, and drops multipliers of the start that hide the cost.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// value and derivatives of a function of one block of size 2. Derivatives may
// be null.
using Function = std::function<bool(const double*, double*, double*)>;

class PlaneFunction final : public SizedCostFunction<1, 2> {
 public:
  explicit PlaneFunction(Function function) : function_(std::move(function)) {}
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    return function_(parameters[0], residuals,
                     jacobians == nullptr ? nullptr : jacobians[0]);
  }

 private:
  const Function function_;
};

struct Distance {
  double a;
  double b;
  template <typename T>
  bool operator()(const T* x, T* r) const {
    r[0] = x[0] - a;
    r[1] = x[1] - b;
    return true;
  }
};

bool UnitCircle(const double* x, double* c, double* j) {
  *c = x[0] * x[0] + x[1] * x[1] - 1.0;
  if (j != nullptr) {
    j[0] = 2.0 * x[0];
    j[1] = 2.0 * x[1];
  }
  return true;
}

// The point that is nearest to (3, 4), with one constraint.
class ConstraintCalls : public testing::Test {
 protected:
  ConstraintCalls() { options_.logging_type = SILENT; }

  void AddCost(Problem* problem) {
    problem->AddResidualBlock(
        new AutoDiffCostFunction<Distance, 2, 2>(new Distance{3.0, 4.0}),
        nullptr, x_);
  }
  Solver::Summary SolveWith(Function function, double lower, double upper) {
    Problem problem;
    AddCost(&problem);
    problem.AddInequalityConstraint(new PlaneFunction(std::move(function)),
                                    {lower}, {upper}, {x_});
    return SolveIt(&problem);
  }
  Solver::Summary SolveIt(Problem* problem) const {
    Solver::Summary summary;
    Solve(options_, problem, &summary);
    return summary;
  }

  double x_[2] = {0.5, 0.1};
  Solver::Options options_;
};

// Second derivatives of constraints are differences.
TEST_F(ConstraintCalls, AreAtPointsWithinTheBounds) {
  const std::vector<std::pair<double, double>> intervals = {
      {-kInfinity, 0.3}, {0.7, kInfinity},        {0.3, 0.3 + 1e-7},
      {0.3, 0.3},        {0.3 - 1e-13, 0.3},      {-0.5, 0.5},
      {0.0, kInfinity},  {0.6 - 1e-9, 0.6 + 1e-6}};
  for (int coordinate = 0; coordinate < 2; ++coordinate) {
    for (const auto& [lower, upper] : intervals) {
      SCOPED_TRACE(testing::Message() << lower << " to " << upper);
      x_[0] = x_[1] = 0.5;
      int num_outside = 0;
      Problem problem;
      AddCost(&problem);
      if (lower > -kInfinity) {
        problem.SetParameterLowerBound(x_, coordinate, lower);
      }
      if (upper < kInfinity) {
        problem.SetParameterUpperBound(x_, coordinate, upper);
      }
      problem.AddEqualityConstraint(
          new PlaneFunction([&, low = lower, high = upper](
                                const double* x, double* c, double* j) {
            num_outside += x[coordinate] < low || x[coordinate] > high ? 1 : 0;
            return UnitCircle(x, c, j);
          }),
          {x_});
      const Solver::Summary summary = SolveIt(&problem);
      EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
      EXPECT_EQ(num_outside, 0);
      // The point of the arc that is nearest to (3, 4).
      const double nearest = coordinate == 0 ? 0.6 : 0.8;
      EXPECT_NEAR(x_[coordinate], std::min(std::max(nearest, lower), upper),
                  1e-5);
    }
  }
}

// The solver scales and shifts constraints. Messages do not.
TEST_F(ConstraintCalls, AreReportedWithTheirOwnOutputs) {
  const auto write = [](double c, double j) {
    return [c, j](const double* x, double* value, double* derivatives) {
      *value = x[0] == 0.5 ? 1.25 : c;
      if (derivatives != nullptr) {
        derivatives[0] = x[0] == 0.5 ? 7.0 : j;
        derivatives[1] = 2.5;
      }
      return true;
    };
  };
  // At a point that a step leads to, c is smaller, and its derivative fails.
  options_.max_num_iterations = 3;
  EXPECT_THAT(SolveWith(write(0.625, NAN), 0.0, 0.0).message,
              testing::AllOf(HasSubstr("residuals = [0.625]"),
                             HasSubstr("jacobians[0] = [nan, 2.5]")));
  // Infinity meets a bound on the other side, but is no value.
  const Function infinite = [](const double*, double* value, double* j) {
    *value = -kInfinity;
    if (j != nullptr) j[0] = j[1] = 1.0;
    return true;
  };
  EXPECT_THAT(SolveWith(infinite, -kInfinity, 0.0).message,
              testing::AllOf(HasSubstr("residual 0 is -inf"),
                             HasSubstr("residuals = [-inf]")));
}

TEST_F(ConstraintCalls, ThatFailAreCountedWhereverTheSolveEnds) {
  const auto fail = [](const double* x, double* value, double* j) {
    *value = x[0] - 1.0;
    if (j != nullptr) {
      j[0] = 1.0;
      j[1] = 0.0;
    }
    return x[0] == 0.5;
  };
  options_.max_num_iterations = 1;
  EXPECT_THAT(SolveWith(fail, 0.0, 0.0).message,
              testing::AllOf(HasSubstr("max_num_iterations"),
                             HasSubstr("At 1 point the cost, a constraint"),
                             HasSubstr("returned false")));
  x_[0] = 0.5;
  options_.max_num_iterations = 5;
  EXPECT_THAT(SolveWith(fail, 0.0, 0.0).message, HasSubstr(" points the cost"));
  x_[0] = 0.5;
  EXPECT_THAT(SolveWith(UnitCircle, 0.0, 0.0).message,
              Not(HasSubstr("evaluated")));
}

// Multipliers of a solve that diverged, or of another problem.
TEST_F(ConstraintCalls, DoNotDependOnHugeMultipliersOfTheStart) {
  options_.function_tolerance = 1e-12;
  for (const double multiplier : {1e3, 1e9, 1e12, 1e20, 1e100, 1e300, -1e300}) {
    for (const bool is_equality : {false, true}) {
      SCOPED_TRACE(multiplier);
      x_[0] = 0.5;
      x_[1] = 0.1;
      Problem problem;
      AddCost(&problem);
      const ConstraintId id = problem.AddInequalityConstraint(
          new PlaneFunction(UnitCircle), {is_equality ? 0.0 : -kInfinity},
          {0.0}, {x_});
      problem.SetMultipliers(id, {multiplier});
      const Solver::Summary summary = SolveIt(&problem);
      EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
      EXPECT_NEAR(x_[0], 0.6, 1e-6);
      EXPECT_NEAR(x_[1], 0.8, 1e-6);
      EXPECT_NEAR(summary.final_cost, 8.0, 1e-6);
      EXPECT_NEAR(problem.GetMultipliers(id)[0], 2.0, 1e-6);
    }
  }
}

TEST_F(ConstraintCalls, NeedFiniteMultipliersToStartFrom) {
  for (const double multiplier : {kInfinity, -kInfinity, double{NAN}}) {
    Problem problem;
    AddCost(&problem);
    const ConstraintId id =
        problem.AddEqualityConstraint(new PlaneFunction(UnitCircle), {x_});
    problem.SetConstraintName(id, "circle");
    problem.SetMultipliers(id, {multiplier});
    const Solver::Summary summary = SolveIt(&problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message,
                testing::AllOf(HasSubstr("circle"), HasSubstr("multiplier 0"),
                               HasSubstr("Problem::SetMultipliers")));
    EXPECT_EQ(x_[0], 0.5);
  }
}

// Values of constant blocks may change between solves.
TEST_F(ConstraintCalls, OfConstantsAreCheckedInEverySolve) {
  for (const bool keep_preprocessing : {false, true}) {
    SCOPED_TRACE(keep_preprocessing);
    options_.keep_preprocessing = keep_preprocessing;
    double fixed[2] = {0.6, 0.8};
    Problem problem;
    AddCost(&problem);
    const ConstraintId id = problem.AddEqualityConstraint(
        new PlaneFunction([](const double* x, double* c, double* j) {
          const bool is_known = UnitCircle(x, c, j);
          if (x[0] == 9.0) *c = NAN;
          return is_known && x[0] != 8.0;
        }),
        {fixed});
    problem.SetConstraintName(id, "fixed");
    problem.AddEqualityConstraint(new PlaneFunction(UnitCircle), {x_});
    problem.SetParameterBlockConstant(fixed);
    EXPECT_EQ(SolveIt(&problem).termination_type, CONVERGENCE);
    fixed[0] = 3.8;
    fixed[1] = 0.0;
    const Solver::Summary summary = SolveIt(&problem);
    EXPECT_EQ(summary.termination_type, INFEASIBLE) << summary.message;
    EXPECT_THAT(summary.violated_constraints, testing::ElementsAre("fixed"));
    // (3.8^2 - 1) / |(2 * 3.8, 0)|
    EXPECT_NEAR(summary.constraint_violation, 13.44 / 7.6, 1e-12);
    EXPECT_EQ(summary.num_active_constraints, 0);
    for (const double wrong : {8.0, 9.0}) {
      fixed[0] = wrong;
      const Solver::Summary failed = SolveIt(&problem);
      EXPECT_EQ(failed.termination_type, FAILURE) << failed.message;
      EXPECT_THAT(failed.message,
                  testing::AllOf(
                      HasSubstr("\"fixed\" could not be evaluated"),
                      HasSubstr(wrong == 8.0 ? "returned false" : "0 is nan")));
    }
    fixed[0] = 0.6;
    fixed[1] = 0.8;
    EXPECT_EQ(SolveIt(&problem).termination_type, CONVERGENCE);
  }
}

// The cost is a difference of the Lagrangian and penalties.
TEST_F(ConstraintCalls, WithoutResidualsHaveNoNegativeCost) {
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
        CGNR}) {
    double x[2] = {1.0, 1.0};
    double y[2] = {5.0, 0.1};
    Problem problem;
    problem.AddEqualityConstraint(new PlaneFunction(UnitCircle), {x});
    problem.AddInequalityConstraint(new PlaneFunction(UnitCircle), {-kInfinity},
                                    {3.0}, {y});
    options_.linear_solver_type = type;
    const Solver::Summary summary = SolveIt(&problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1.0, 1e-7);
    EXPECT_LE(y[0] * y[0] + y[1] * y[1], 4.0 + 1e-7);
    for (const IterationSummary& iteration : summary.iterations) {
      EXPECT_GE(iteration.cost, 0.0);
    }
    EXPECT_GE(summary.final_cost, 0.0);
  }
}

}  // namespace
}  // namespace ceres::internal
