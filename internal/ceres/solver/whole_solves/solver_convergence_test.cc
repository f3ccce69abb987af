// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// When Solve says that it has converged: not because of units, of the origin or
// of steps that fail.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/autodiff_manifold.h"
#include "ceres/log_sink.h"
#include "ceres/problem.h"
#include "ceres/sized_cost_function.h"
#include "ceres/solver.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

Solver::Options SilentDenseQr() {
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  options.logging_type = SILENT;
  return options;
}

std::vector<Solver::Options> AllTrustRegions() {
  std::vector<Solver::Options> all(3, SilentDenseQr());
  all[1].trust_region_strategy_type = DOGLEG;
  all[2].trust_region_strategy_type = DOGLEG;
  all[2].dogleg_type = SUBSPACE_DOGLEG;
  return all;
}

// scale (x - target)
struct Distance {
  double scale;
  double target;
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = scale * (x[0] - target);
    return true;
  }
};

CostFunction* CreateDistance(double scale, double target) {
  return new AutoDiffCostFunction<Distance, 1, 1>(new Distance{scale, target});
}

TEST(SolverConvergence, AFarCoordinateDoesNotEndTheSolve) {
  for (const Solver::Options& options : AllTrustRegions()) {
    for (const double far : {1e6, 1e9, 1e12, 1e15}) {
      double x = 0.0;
      double y = 1.3 * far;
      Problem problem;
      problem.AddResidualBlock(CreateDistance(10.0, 5.0), nullptr, &x);
      problem.AddResidualBlock(CreateDistance(1.0 / far, far), nullptr, &y);
      Solver::Summary summary;
      Solve(options, &problem, &summary);
      EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
      EXPECT_NEAR(x, 5.0, 1e-6) << far;
      EXPECT_NEAR(y / far, 1.0, 1e-6) << far;
    }
  }
}

TEST(SolverConvergence, AStepThatEndsTheSolveIsTaken) {
  // The first step is 3e-4 of x. It is below the tolerance, and decreases the
  // cost to 1e-8 of what it was.
  double x = 1e4;
  Problem problem;
  problem.AddResidualBlock(CreateDistance(1.0, 1e4 + 3.0), nullptr, &x);
  Solver::Options options = SilentDenseQr();
  options.parameter_tolerance = 1e-3;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("The step is small"));
  EXPECT_NEAR(x, 1e4 + 3.0, 1e-3);
  EXPECT_NEAR(summary.final_cost, 0.5 * std::pow(x - (1e4 + 3.0), 2), 1e-12);
}

TEST(SolverConvergence, ASmallGradientInLargeUnitsDoesNotEndTheSolve) {
  for (const Solver::Options& options : AllTrustRegions()) {
    for (const double unit : {1e9, 1e12, 1e30}) {
      double x = 3.0 * unit;
      Problem problem;
      problem.AddResidualBlock(CreateDistance(1.0 / unit, 2.0 * unit), nullptr,
                               &x);
      problem.AddResidualBlock(CreateDistance(1.0 / unit, 3.0 * unit), nullptr,
                               &x);
      Solver::Summary summary;
      Solve(options, &problem, &summary);
      EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
      EXPECT_NEAR(x / unit, 2.5, 1e-3) << unit;
    }
  }
}

TEST(SolverConvergence, TheMessageSaysWhichMeasureAgreesWithTheGradient) {
  // Two residuals that contradict each other: the gradient vanishes, they do
  // not.
  double x = 0.0;
  Problem contradiction;
  contradiction.AddResidualBlock(CreateDistance(1.0, 1.0), nullptr, &x);
  contradiction.AddResidualBlock(CreateDistance(1.0, -1.0), nullptr, &x);
  Solver::Summary summary;
  Solve(SilentDenseQr(), &contradiction, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("gradient_tolerance"), HasSubstr("cosine")));

  double y = 4.0;
  Problem agreement;
  agreement.AddResidualBlock(CreateDistance(1.0, 0.0), nullptr, &y);
  Solve(SilentDenseQr(), &agreement, &summary);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("gradient_tolerance"), HasSubstr("vanished")));
}

TEST(SolverConvergence, AnOptimalStartIsKeptInEveryUnit) {
  for (const Solver::Options& options : AllTrustRegions()) {
    for (const double unit : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
      for (const double target : {0.0, 0.1, 1.0 / 3.0}) {
        double x = unit * target;
        Problem problem;
        problem.AddResidualBlock(CreateDistance(1.0 / unit, x), nullptr, &x);
        Solver::Summary summary;
        Solve(options, &problem, &summary);
        EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
        EXPECT_EQ(x, unit * target);
      }
    }
  }
}

TEST(SolverConvergence, DoglegFollowsResidualsOfAnySize) {
  for (int i = 1; i < 3; ++i) {
    for (const double scale : {1e6, 1e9, 1e12}) {
      double x = 0.0;
      Problem problem;
      problem.AddResidualBlock(CreateDistance(scale, 3.0), nullptr, &x);
      Solver::Summary summary;
      Solve(AllTrustRegions()[i], &problem, &summary);
      EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
      EXPECT_NEAR(x, 3.0, 1e-6) << scale;
    }
  }
}

// x - 1, with what a user's mistake does to it.
class Mistaken : public SizedCostFunction<1, 1> {
 public:
  enum Kind { kFailsBesideTheStart, kInfiniteBesideTheStart, kWrongSign };
  explicit Mistaken(Kind kind) : kind_(kind) {}
  bool Evaluate(double const* const* x, double* residual,
                double** jacobians) const override {
    const bool is_at_start = x[0][0] == 3.0;
    residual[0] = x[0][0] - 1.0;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = kind_ == kWrongSign ? -1.0 : 1.0;
    }
    if (kind_ == kInfiniteBesideTheStart && !is_at_start) {
      residual[0] = std::numeric_limits<double>::infinity();
    }
    return kind_ != kFailsBesideTheStart || is_at_start;
  }

 private:
  Kind kind_;
};

struct MistakenSolve {
  MistakenSolve(Mistaken::Kind kind, Solver::Options options,
                bool has_bounds = false) {
    Problem problem;
    problem.AddResidualBlock(CreateDistance(1e-3, 3.0), nullptr, &x);
    problem.AddResidualBlock(new Mistaken(kind), nullptr, &x);
    if (has_bounds) problem.SetParameterUpperBound(&x, 0, 10.0);
    Solve(options, &problem, &summary);
  }
  double x = 3.0;
  Solver::Summary summary;
};

TEST(SolverConvergence, WithoutASuccessfulStepNothingConverges) {
  std::vector<Solver::Options> all = AllTrustRegions();
  all.push_back(SilentDenseQr());
  all.back().use_nonmonotonic_steps = true;
  all.push_back(SilentDenseQr());
  all.back().max_num_iterations = 3;
  for (const auto kind :
       {Mistaken::kFailsBesideTheStart, Mistaken::kInfiniteBesideTheStart,
        Mistaken::kWrongSign}) {
    for (const Solver::Options& options : all) {
      for (const bool has_bounds : {false, true}) {
        const MistakenSolve solve(kind, options, has_bounds);
        EXPECT_THAT(solve.summary.termination_type,
                    AnyOf(FAILURE, NO_CONVERGENCE))
            << solve.summary.message;
        EXPECT_THAT(solve.summary.message, HasSubstr("No step was accepted"));
        EXPECT_THAT(
            solve.summary.message,
            HasSubstr(kind == Mistaken::kWrongSign ? "check_gradients"
                                                   : "Residual block 1"));
        EXPECT_EQ(solve.x, 3.0);
      }
    }
  }
}

TEST(SolverConvergence, TheFirstPointThatFailsIsLoggedOnce) {
  std::vector<std::string> lines;
  SetLogSink([&](const LogEntry& entry) { lines.emplace_back(entry.text); });
  Solver::Options options = SilentDenseQr();
  MistakenSolve(Mistaken::kFailsBesideTheStart, options);
  EXPECT_TRUE(lines.empty());
  options.logging_type = PER_MINIMIZER_ITERATION;
  MistakenSolve(Mistaken::kFailsBesideTheStart, options);
  SetLogSink(nullptr);
  ASSERT_EQ(lines.size(), 1);
  EXPECT_THAT(lines[0], HasSubstr("Residual block 1"));
}

// An angle in [-pi, pi).
struct Heading {
  template <typename T>
  static T Wrap(const T& a) {
    using std::floor;
    const double turn = 2.0 * M_PI;
    return a - turn * floor((a + M_PI) / turn);
  }
  template <typename T>
  bool Plus(const T* x, const T* delta, T* y) const {
    y[0] = Wrap(T(x[0] + delta[0]));
    return true;
  }
  template <typename T>
  bool Minus(const T* y, const T* x, T* delta) const {
    delta[0] = Wrap(T(y[0] - x[0]));
    return true;
  }
};

struct HeadingPrior {
  double heading;
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = Heading::Wrap(T(x[0] - heading));
    return true;
  }
};

TEST(SolverConvergence, AHeadingThatPlusWrapsIsOptimal) {
  for (Solver::Options options : AllTrustRegions()) {
    for (const bool has_bounds : {false, true}) {
      for (const double start : {M_PI, -M_PI, 3.0 * M_PI, -5.0 * M_PI}) {
        double x = start;
        Problem problem;
        problem.AddParameterBlock(&x, 1, new AutoDiffManifold<Heading, 1, 1>);
        problem.AddResidualBlock(new AutoDiffCostFunction<HeadingPrior, 1, 1>(
                                     new HeadingPrior{M_PI}),
                                 nullptr, &x);
        if (has_bounds) {
          problem.SetParameterLowerBound(&x, 0, -100.0);
          problem.SetParameterUpperBound(&x, 0, 100.0);
        }
        Solver::Summary summary;
        Solve(options, &problem, &summary);
        EXPECT_EQ(summary.termination_type, CONVERGENCE)
            << start << ' ' << summary.message;
        EXPECT_NEAR(std::abs(Heading::Wrap(x)), M_PI, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace ceres::internal
