// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solves with constraints: closed forms, relations, errors.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "Eigen/Dense"
#include "ceres/ceres.h"
#include "ceres/incremental_solver.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Solver::Options MakeOptions(LinearSolverType type = DENSE_QR) {
  Solver::Options options;
  options.linear_solver_type = type;
  options.max_num_iterations = 200;
  options.function_tolerance = 1e-12;
  options.constraint_tolerance = 1e-12;
  options.logging_type = SILENT;
  return options;
}

// residuals = matrix x - right, x the concatenation of the parameter blocks.
class LinearFunction final : public CostFunction {
 public:
  LinearFunction(Eigen::MatrixXd matrix, Eigen::VectorXd right,
                 const std::vector<int>& sizes)
      : matrix_(std::move(matrix)), right_(std::move(right)) {
    set_num_residuals(static_cast<int>(right_.size()));
    for (const int size : sizes) {
      mutable_parameter_block_sizes()->push_back(size);
    }
  }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    Eigen::Map<Eigen::VectorXd> r(residuals, num_residuals());
    r = -right_;
    Eigen::Index column = 0;
    for (std::size_t k = 0; k < parameter_block_sizes().size(); ++k) {
      const int n = parameter_block_sizes()[k];
      const auto part = matrix_.middleCols(column, n);
      r += part * Eigen::Map<const Eigen::VectorXd>(parameters[k], n);
      if (jacobians != nullptr && jacobians[k] != nullptr) {
        Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                 Eigen::RowMajor>>(jacobians[k],
                                                   num_residuals(), n) = part;
      }
      column += n;
    }
    return true;
  }

 private:
  const Eigen::MatrixXd matrix_;
  const Eigen::VectorXd right_;
};

// A function of one block of size 2, by automatic differentiation.
struct CircleFunctor {
  double radius;
  double unit = 1.0;
  template <typename T>
  bool operator()(const T* x, T* c) const {
    c[0] = unit * (x[0] * x[0] + x[1] * x[1] - radius * radius);
    return true;
  }
};
CostFunction* MakeCircle(double radius, double unit = 1.0) {
  return new AutoDiffCostFunction<CircleFunctor, 1, 2>(
      new CircleFunctor{radius, unit});
}
struct DistanceFunctor {
  double a;
  double b;
  template <typename T>
  bool operator()(const T* x, T* r) const {
    r[0] = x[0] - a;
    r[1] = x[1] - b;
    return true;
  }
};
CostFunction* MakeDistance(double a, double b) {
  return new AutoDiffCostFunction<DistanceFunctor, 2, 2>(
      new DistanceFunctor{a, b});
}
CostFunction* MakeSum(double right) {
  return new LinearFunction(Eigen::RowVector2d(1.0, 1.0),
                            Eigen::VectorXd::Constant(1, right), {2});
}

// The nearest point of the unit circle to (3, 4), and the other way round.
TEST(SolverConstraints, FindTheNearestPointOfACircle) {
  double x[2] = {0.5, 0.1};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(3.0, 4.0), nullptr, x);
  const ConstraintId id = problem.AddEqualityConstraint(MakeCircle(1.0), {x});
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(x[0], 0.6, 1e-9);
  EXPECT_NEAR(x[1], 0.8, 1e-9);
  EXPECT_NEAR(summary.final_cost, 8.0, 1e-9);
  // (x - a) + 2 lambda x = 0 on the line through the origin: lambda = 2.
  ASSERT_EQ(problem.GetMultipliers(id).size(), 1u);
  EXPECT_NEAR(problem.GetMultipliers(id)[0], 2.0, 1e-8);
  EXPECT_EQ(summary.num_constraints, 1);
  EXPECT_EQ(summary.num_active_constraints, 1);
  EXPECT_LE(summary.constraint_violation, 1e-12);
  EXPECT_LE(summary.stationarity, 1e-6);
  EXPECT_TRUE(summary.violated_constraints.empty());
  EXPECT_GT(summary.iterations.front().constraint_violation, 0.1);
  EXPECT_LE(summary.iterations.back().constraint_violation, 1e-12);
}

struct Kkt {
  Eigen::VectorXd x;
  Eigen::VectorXd multipliers;
};
Kkt SolveKkt(const Eigen::MatrixXd& j, const Eigen::VectorXd& b,
             const Eigen::MatrixXd& a, const Eigen::VectorXd& c) {
  const Eigen::Index n = j.cols();
  const Eigen::Index m = a.rows();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n + m, n + m);
  matrix.topLeftCorner(n, n) = j.transpose() * j;
  matrix.topRightCorner(n, m) = a.transpose();
  matrix.bottomLeftCorner(m, n) = a;
  Eigen::VectorXd right(n + m);
  right << j.transpose() * b, c;
  const Eigen::VectorXd solution = matrix.fullPivLu().solve(right);
  return {solution.head(n), solution.tail(m)};
}

// Linear least squares with linear equalities, three blocks of size 2.
class LinearEqualities {
 public:
  LinearEqualities() {
    std::srand(7);
    j_ = Eigen::MatrixXd::Random(12, 6);
    b_ = Eigen::VectorXd::Random(12);
    a_ = Eigen::MatrixXd::Random(2, 6);
    c_ = Eigen::VectorXd::Random(2);
    kkt_ = SolveKkt(j_, b_, a_, c_);
    // Blocks 0 and 1 meet in no residual block and in no constraint, so that
    // they can be eliminated.
    a_.middleCols(2, 2).row(0).setZero();
    a_.middleCols(0, 2).row(1).setZero();
    Eigen::MatrixXd apart = j_;
    apart.block(0, 2, 6, 2).setZero();
    apart.block(6, 0, 6, 2).setZero();
    j_ = apart;
    kkt_ = SolveKkt(j_, b_, a_, c_);
    for (int k = 0; k < 2; ++k) {
      Eigen::MatrixXd rows(6, 4);
      rows << j_.block(6 * k, 2 * k, 6, 2), j_.block(6 * k, 4, 6, 2);
      problem_.AddResidualBlock(
          new LinearFunction(rows, b_.segment(6 * k, 6), {2, 2}), nullptr,
          {x_[k], x_[2]});
      Eigen::MatrixXd row(1, 4);
      row << a_.block(k, 2 * k, 1, 2), a_.block(k, 4, 1, 2);
      ids_.push_back(problem_.AddEqualityConstraint(
          new LinearFunction(row, c_.segment(k, 1), {2, 2}), {x_[k], x_[2]}));
    }
  }
  void Check(const Solver::Options& options, double tolerance) {
    Solver::Summary summary;
    Solve(options, &problem_, &summary);
    const std::string type =
        LinearSolverTypeToString(options.linear_solver_type);
    EXPECT_EQ(summary.termination_type, CONVERGENCE)
        << type << ' ' << summary.message;
    for (int k = 0; k < 6; ++k) {
      EXPECT_NEAR(x_[k / 2][k % 2], kkt_.x[k], tolerance) << type;
    }
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(problem_.GetMultipliers(ids_[k])[0], kkt_.multipliers[k],
                  10.0 * tolerance)
          << type;
    }
    last_ = summary;
  }
  Problem& problem() { return problem_; }
  const Solver::Summary& last() const { return last_; }

 private:
  Eigen::MatrixXd j_;
  Eigen::VectorXd b_;
  Eigen::MatrixXd a_;
  Eigen::VectorXd c_;
  Kkt kkt_;
  double x_[3][2] = {};
  std::vector<ConstraintId> ids_;
  Solver::Summary last_;
  Problem problem_;
};

TEST(SolverConstraints, SolveLinearEqualitiesLikeTheKktSystem) {
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
        SPARSE_SCHUR}) {
    LinearEqualities equalities;
    equalities.Check(MakeOptions(type), 1e-10);
  }
}

TEST(SolverConstraints, SolveLinearEqualitiesIteratively) {
  for (const LinearSolverType type : {ITERATIVE_SCHUR, CGNR}) {
    LinearEqualities equalities;
    Solver::Options options = MakeOptions(type);
    options.eta = 1e-10;
    equalities.Check(options, 1e-8);
  }
}

TEST(SolverConstraints, StartFromMultipliersOfTheLastSolve) {
  LinearEqualities equalities;
  Solver::Options options = MakeOptions();
  options.keep_preprocessing = true;
  equalities.Check(options, 1e-10);
  const std::size_t first = equalities.last().iterations.size();
  equalities.Check(options, 1e-10);
  EXPECT_TRUE(equalities.last().preprocessing_was_kept);
  EXPECT_LT(equalities.last().iterations.size(), first);
}

// min |x - (2, 1)|^2 / 2 with x0 + x1 <= 1 and 0 <= x: the solution is (1, 0).
TEST(SolverConstraints, KeepInequalitiesAndBounds) {
  double x[2] = {0.0, 5.0};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(2.0, 1.0), nullptr, x);
  const ConstraintId active =
      problem.AddInequalityConstraint(MakeSum(0.0), {-kInfinity}, {1.0}, {x});
  const ConstraintId inactive =
      problem.AddInequalityConstraint(MakeCircle(0.0), {-1.0}, {9.0}, {x});
  problem.SetParameterLowerBound(x, 0, 0.0);
  problem.SetParameterLowerBound(x, 1, 0.0);
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(x[0], 1.0, 1e-9);
  EXPECT_NEAR(x[1], 0.0, 1e-9);
  EXPECT_GE(x[1], 0.0);
  EXPECT_NEAR(problem.GetMultipliers(active)[0], 1.0, 1e-7);
  EXPECT_THAT(problem.GetMultipliers(inactive), ElementsAre(0.0));
  EXPECT_EQ(summary.num_active_constraints, 1);
}

TEST(SolverConstraints, FindAFeasiblePointWithoutCost) {
  double x[2] = {0.5, 0.1};
  Problem problem;
  problem.AddEqualityConstraint(MakeCircle(2.0), {x});
  problem.AddInequalityConstraint(MakeSum(0.0), {-kInfinity}, {-1.0}, {x});
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 4.0, 1e-10);
  EXPECT_LE(x[0] + x[1], -1.0 + 1e-10);
  EXPECT_NEAR(summary.final_cost, 0.0, 1e-10);
}

// A lower bound that is active has a negative multiplier.
TEST(SolverConstraints, GiveMultipliersTheSignOfTheirBound) {
  double x[2] = {3.0, 3.0};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(0.0, 0.0), nullptr, x);
  const ConstraintId id =
      problem.AddInequalityConstraint(MakeSum(0.0), {2.0}, {4.0}, {x});
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_NEAR(x[0], 1.0, 1e-9);
  EXPECT_NEAR(problem.GetMultipliers(id)[0], -1.0, 1e-7);
}

struct CircleSolve {
  double x[2];
  double multiplier;
  std::size_t iterations;
};
CircleSolve SolveInUnits(double unit) {
  CircleSolve result = {{0.5, 0.1}, 0.0, 0};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(3.0, 4.0), nullptr, result.x);
  const ConstraintId id =
      problem.AddEqualityConstraint(MakeCircle(1.0, unit), {result.x});
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  result.multiplier = problem.GetMultipliers(id)[0];
  result.iterations = summary.iterations.size();
  return result;
}

TEST(SolverConstraints, DoNotDependOnTheUnitOfAConstraint) {
  const CircleSolve one = SolveInUnits(1.0);
  // Powers of 2 scale exactly: not a bit of the path changes.
  for (const double unit : {std::ldexp(1.0, 20), std::ldexp(1.0, -20)}) {
    const CircleSolve other = SolveInUnits(unit);
    EXPECT_EQ(other.iterations, one.iterations);
    EXPECT_EQ(other.x[0], one.x[0]);
    EXPECT_EQ(other.x[1], one.x[1]);
    EXPECT_DOUBLE_EQ(other.multiplier * unit, one.multiplier);
  }
}

// The nearest point of the unit circle to a point near its center. Its
// multiplier is negative, and the Lagrangian has a twentieth of the curvature
// of the cost: steps without the curvature of the constraint converge at the
// rate 0.95.
TEST(SolverConstraints, FollowNegativeCurvature) {
  double x[2] = {0.6, 0.9};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(0.03, 0.04), nullptr, x);
  const ConstraintId id = problem.AddEqualityConstraint(MakeCircle(1.0), {x});
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_LE(summary.iterations.size(), 15u);
  EXPECT_NEAR(x[0], 0.6, 1e-8);
  EXPECT_NEAR(x[1], 0.8, 1e-8);
  // (1 + 2 lambda) x = a, |a| = 0.05.
  EXPECT_NEAR(problem.GetMultipliers(id)[0], -0.475, 1e-8);
}

// The first step shows that penalties may be large.
TEST(SolverConstraints, TakeFewStepsForLinearConstraints) {
  LinearEqualities equalities;
  equalities.Check(MakeOptions(), 1e-10);
  EXPECT_LE(equalities.last().iterations.size(), 5u);
}

TEST(SolverConstraints, AcceptRedundantConstraints) {
  double x[2] = {0.5, 0.1};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(3.0, 4.0), nullptr, x);
  std::vector<ConstraintId> ids;
  for (int k = 0; k < 3; ++k) {
    ids.push_back(problem.AddEqualityConstraint(MakeCircle(1.0), {x}));
  }
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(x[0], 0.6, 1e-9);
  double sum = 0.0;
  for (const ConstraintId id : ids) sum += problem.GetMultipliers(id)[0];
  EXPECT_NEAR(sum, 2.0, 1e-7);
}

// An interval is the same as its two sides, an equality as a closed interval, a
// bound as a constraint on the coordinate.
TEST(SolverConstraints, AgreeOnDifferentFormsOfAConstraint) {
  const auto solve = [](const std::function<void(Problem*, double*)>& add) {
    std::vector<double> x = {2.0, -1.0};
    Problem problem;
    problem.AddResidualBlock(MakeDistance(3.0, 2.0), nullptr, x.data());
    add(&problem, x.data());
    Solver::Summary summary;
    Solve(MakeOptions(), &problem, &summary);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    return x;
  };
  const auto expect_same = [](const std::vector<double>& a,
                              const std::vector<double>& b) {
    EXPECT_NEAR(a[0], b[0], 1e-8);
    EXPECT_NEAR(a[1], b[1], 1e-8);
  };
  expect_same(
      solve([](Problem* problem, double* x) {
        problem->AddInequalityConstraint(MakeSum(0.0), {1.0}, {2.0}, {x});
      }),
      solve([](Problem* problem, double* x) {
        problem->AddInequalityConstraint(MakeSum(0.0), {-kInfinity}, {2.0},
                                         {x});
        problem->AddInequalityConstraint(MakeSum(0.0), {1.0}, {kInfinity}, {x});
      }));
  expect_same(solve([](Problem* problem, double* x) {
                problem->AddEqualityConstraint(MakeSum(2.0), {x});
              }),
              solve([](Problem* problem, double* x) {
                problem->AddInequalityConstraint(MakeSum(0.0), {2.0}, {2.0},
                                                 {x});
              }));
  const auto first = [](double* x) {
    return std::make_pair(new LinearFunction(Eigen::RowVector2d(1.0, 0.0),
                                             Eigen::VectorXd::Zero(1), {2}),
                          std::vector<double*>{x});
  };
  expect_same(solve([](Problem* problem, double* x) {
                problem->AddEqualityConstraint(MakeCircle(2.0), {x});
                problem->SetParameterUpperBound(x, 0, 1.0);
              }),
              solve([&](Problem* problem, double* x) {
                problem->AddEqualityConstraint(MakeCircle(2.0), {x});
                const auto [function, blocks] = first(x);
                problem->AddInequalityConstraint(function, {-kInfinity}, {1.0},
                                                 blocks);
              }));
}

TEST(SolverConstraints, ReportConflictsByName) {
  double x[2] = {0.5, 0.1};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(3.0, 4.0), nullptr, x);
  problem.SetConstraintName(problem.AddEqualityConstraint(MakeSum(0.0), {x}),
                            "sum is zero");
  problem.SetConstraintName(problem.AddEqualityConstraint(MakeSum(2.0), {x}),
                            "sum is two");
  problem.SetConstraintName(
      problem.AddInequalityConstraint(MakeCircle(0.0), {0.0}, {100.0}, {x}),
      "disc");
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, INFEASIBLE);
  EXPECT_FALSE(summary.IsSolutionUsable());
  EXPECT_THAT(summary.violated_constraints,
              ElementsAre("sum is zero", "sum is two"));
  EXPECT_THAT(summary.message, HasSubstr("sum is two"));
  // The point of least violation.
  EXPECT_NEAR(x[0] + x[1], 1.0, 1e-4);
}

TEST(SolverConstraints, CheckConstraintsBetweenConstants) {
  double x[2] = {0.5, 0.1};
  double y[2] = {3.0, 4.0};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(3.0, 4.0), nullptr, x);
  problem.AddEqualityConstraint(MakeCircle(5.0), {y});
  problem.SetParameterBlockConstant(y);
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(x[0], 3.0, 1e-8);
  y[0] = 2.0;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, INFEASIBLE);
  EXPECT_THAT(summary.violated_constraints, ElementsAre("constraint 0"));
}

// A callback that computes the values of a constraint before each evaluation,
// and the constraint's function, which copies them.
struct Shared final : public EvaluationCallback {
  void PrepareForEvaluation(bool evaluate_jacobians, bool) override {
    value = 2.0 * *x - 6.0;
    has_derivative = evaluate_jacobians;
  }
  const double* x = nullptr;
  double value = 0.0;
  bool has_derivative = false;
};

class SharedValue final : public SizedCostFunction<1, 1> {
 public:
  explicit SharedValue(const Shared* shared) : shared_(shared) {}
  bool Evaluate(double const* const*, double* residuals,
                double** jacobians) const override {
    residuals[0] = shared_->value;
    if (jacobians == nullptr || jacobians[0] == nullptr) return true;
    jacobians[0][0] = 2.0;
    return shared_->has_derivative;
  }

 private:
  const Shared* shared_;
};

TEST(SolverConstraints, CallTheEvaluationCallbackForConstraintsOfConstants) {
  double x[2] = {0.5, 0.1};
  double y = 3.0;
  Shared shared;
  shared.x = &y;
  Problem::Options problem_options;
  problem_options.evaluation_callback = &shared;
  Problem problem(problem_options);
  problem.AddResidualBlock(MakeDistance(3.0, 4.0), nullptr, x);
  problem.AddEqualityConstraint(new SharedValue(&shared), {&y});
  problem.SetParameterBlockConstant(&y);
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  y = 2.0;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, INFEASIBLE) << summary.message;
}

struct PointFunctor {
  template <typename T>
  bool operator()(const T* p, T* r) const {
    r[0] = p[0] - 2.0;
    r[1] = p[1] - 3.0;
    r[2] = p[2] - 1.0;
    return true;
  }
};

TEST(SolverConstraints, KeepManifolds) {
  double x[3] = {1.0, 0.0, 0.0};
  Problem problem;
  problem.AddResidualBlock(
      new AutoDiffCostFunction<PointFunctor, 3, 3>(new PointFunctor), nullptr,
      x);
  problem.SetManifold(x, new SphereManifold<3>);
  problem.AddEqualityConstraint(
      new LinearFunction(Eigen::RowVector3d(0.0, 0.0, 1.0),
                         Eigen::VectorXd::Constant(1, 0.6), {3}),
      {x});
  Solver::Summary summary;
  Solve(MakeOptions(), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(x[2], 0.6, 1e-9);
  EXPECT_NEAR(x[0], 0.8 * 2.0 / std::sqrt(13.0), 1e-6);
  EXPECT_NEAR(x[1], 0.8 * 3.0 / std::sqrt(13.0), 1e-6);
}

struct Link {
  explicit Link(double squared_length) : squared_length(squared_length) {}
  template <typename T>
  bool operator()(const T* a, const T* b, T* c) const {
    c[0] = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) -
           squared_length;
    return true;
  }
  double squared_length;
};

// A chain of points with fixed distances, whose rows several threads evaluate.
std::vector<double> SolveChain(LinearSolverType type, int num_threads) {
  constexpr int kNumPoints = 100;
  std::vector<double> x(2 * kNumPoints);
  Problem problem;
  for (int k = 0; k < kNumPoints; ++k) {
    x[2 * k] = 0.1 * k;
    x[2 * k + 1] = 0.02 * std::sin(0.3 * k);
    problem.AddResidualBlock(MakeDistance(0.09 * k, 0.3 * std::sin(0.1 * k)),
                             nullptr, &x[2 * k]);
    if (k == 0) continue;
    problem.AddEqualityConstraint(
        new AutoDiffCostFunction<Link, 1, 2, 2>(new Link(0.01)),
        {&x[2 * k - 2], &x[2 * k]});
  }
  Solver::Options options = MakeOptions(type);
  options.max_num_iterations = 12;
  options.num_threads = num_threads;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_LT(summary.constraint_violation, 0.1);
  x.push_back(summary.final_cost);
  return x;
}

TEST(SolverConstraints, HaveTheSameBitsForAllNumbersOfThreads) {
  for (const LinearSolverType type :
       {SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR, DENSE_SCHUR}) {
    const std::vector<double> one = SolveChain(type, 1);
    for (const int num_threads : {2, 3, 4, 8}) {
      const std::vector<double> other = SolveChain(type, num_threads);
      EXPECT_EQ(
          std::memcmp(one.data(), other.data(), one.size() * sizeof(double)), 0)
          << LinearSolverTypeToString(type) << ' ' << num_threads;
    }
  }
}

// The cost of a chain of n links that hangs between (0, 0) and (4, 0). At the
// start no link has its length, and the first one is far too long: the pull of
// the cost outweighs penalties that fit the curvature of the cost.
double HangChain(int n) {
  const double length = 5.0 / n;
  std::vector<double> x(2 * (static_cast<std::size_t>(n) + 1), 0.0);
  Problem problem;
  for (int k = 0; k <= n; ++k) {
    x[2 * k] = 4.0 * k / n;
    const double root = 1.0 / std::sqrt(n);
    if (k > 0 && k < n) {
      x[2 * k + 1] = -0.5 - 0.3 * std::sin(M_PI * k / n);
      problem.AddResidualBlock(
          new LinearFunction(Eigen::RowVector2d(0.0, root),
                             Eigen::VectorXd::Constant(1, -10.0 * root), {2}),
          nullptr, &x[2 * k]);
    }
    if (k == 0) continue;
    problem.AddEqualityConstraint(
        new AutoDiffCostFunction<Link, 1, 2, 2>(new Link(length * length)),
        {&x[2 * k - 2], &x[2 * k]});
  }
  problem.SetParameterBlockConstant(&x[0]);
  problem.SetParameterBlockConstant(&x[2 * n]);
  Solver::Options options = MakeOptions(SPARSE_NORMAL_CHOLESKY);
  options.function_tolerance = 1e-6;
  options.constraint_tolerance = 1e-8;
  options.max_num_iterations = 500;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  for (int k = 0; k < n; ++k) {
    const double dx = x[2 * k + 2] - x[2 * k];
    const double dy = x[2 * k + 3] - x[2 * k + 1];
    EXPECT_NEAR(std::hypot(dx, dy), length, 1e-7);
  }
  return summary.final_cost;
}

// The costs are those of an interior point method with exact derivatives.
TEST(SolverConstraints, HoldLongChains) {
  EXPECT_NEAR(HangChain(40), 40.8549434026, 1e-5);
  EXPECT_NEAR(HangChain(200), 41.8526436658, 1e-5);
}

// A convex curve through noisy values. The start violates about half of the
// constraints, and hundreds of them change between active and inactive in one
// step.
TEST(SolverConstraints, FindActiveSetsOfManyInequalities) {
  constexpr int kNumPoints = 300;
  const Eigen::RowVector3d second(1.0, -2.0, 1.0);
  std::vector<double> x(kNumPoints);
  Eigen::VectorXd data(kNumPoints);
  Problem problem;
  std::vector<ConstraintId> ids;
  for (int k = 0; k < kNumPoints; ++k) {
    data(k) = std::abs(0.01 * k - 1.0) + 0.3 * std::sin(40.0 * k * k);
    x[k] = 3.0 * std::cos(17.0 * k * k);
    problem.AddResidualBlock(new LinearFunction(Eigen::MatrixXd::Ones(1, 1),
                                                data.segment(k, 1), {1}),
                             nullptr, &x[k]);
    if (k < 2) continue;
    ids.push_back(problem.AddInequalityConstraint(
        new LinearFunction(second, Eigen::VectorXd::Zero(1), {1, 1, 1}), {0.0},
        {kInfinity}, {&x[k - 2], &x[k - 1], &x[k]}));
  }
  Solver::Summary summary;
  Solve(MakeOptions(SPARSE_NORMAL_CHOLESKY), &problem, &summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_LE(summary.iterations.size(), 30u);
  // The conditions of a minimum.
  Eigen::VectorXd gradient =
      Eigen::Map<const Eigen::VectorXd>(x.data(), kNumPoints) - data;
  for (int k = 0; k + 2 < kNumPoints; ++k) {
    const double multiplier = problem.GetMultipliers(ids[k])[0];
    const double value = x[k] - 2.0 * x[k + 1] + x[k + 2];
    EXPECT_GE(value, -1e-9);
    EXPECT_LE(multiplier, 0.0);
    EXPECT_NEAR(multiplier * value, 0.0, 1e-6);
    gradient.segment(k, 3) += multiplier * second.transpose();
  }
  EXPECT_LT(gradient.lpNorm<Eigen::Infinity>(), 1e-5);
}

// Tolerances below what rounding hides.
TEST(SolverConstraints, EndAtTheLimitOfRounding) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const double tolerance : {1e-14, 1e-17, 1e-100}) {
    for (int k = 0; k < 20; ++k) {
      Eigen::MatrixXd matrix(2, 4);
      Eigen::MatrixXd design(6, 4);
      Eigen::VectorXd right(2);
      Eigen::VectorXd data(6);
      for (auto m : {matrix.reshaped(), design.reshaped()}) {
        for (double& entry : m) entry = normal(random);
      }
      for (double& entry : right) entry = normal(random);
      for (double& entry : data) entry = normal(random);
      Eigen::Vector4d x = Eigen::Vector4d::Ones();
      Problem problem;
      problem.AddResidualBlock(new LinearFunction(design, data, {4}), nullptr,
                               x.data());
      problem.AddInequalityConstraint(
          new LinearFunction(matrix, right, {4}), {0.0, 0.0},
          {k % 2 == 0 ? 0.0 : kInfinity, kInfinity}, {x.data()});
      Solver::Options options = MakeOptions();
      options.function_tolerance = tolerance;
      Solver::Summary summary;
      Solve(options, &problem, &summary);
      EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
      EXPECT_LE(summary.iterations.size(), 40u) << tolerance << ' ' << k;
      EXPECT_LE(summary.constraint_violation, 1e-12);
    }
  }
}

struct ProductFunctor {
  template <typename T>
  bool operator()(const T* x, T* c) const {
    c[0] = x[0] * x[1];
    return true;
  }
};

// The constraint holds at the start, to first order, and has hardly a gradient.
TEST(SolverConstraints, LeaveACrossingOfSolutions) {
  for (const double start : {1e-12, 1e-9, 1e-6, 1e-3}) {
    for (const double sign : {1.0, -1.0, 0.0}) {
      double x[2] = {start, sign * start};
      Problem problem;
      problem.AddResidualBlock(MakeDistance(2.0, 1.0), nullptr, x);
      problem.AddEqualityConstraint(
          new AutoDiffCostFunction<ProductFunctor, 1, 2>(new ProductFunctor),
          {x});
      Solver::Options options = MakeOptions();
      options.function_tolerance = 1e-6;
      options.constraint_tolerance = 1e-8;
      Solver::Summary summary;
      Solve(options, &problem, &summary);
      EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
      // (2, 0) or (0, 1).
      EXPECT_LE(
          std::min(std::hypot(x[0] - 2.0, x[1]), std::hypot(x[0], x[1] - 1.0)),
          1e-5)
          << start << ' ' << sign;
    }
  }
}

// (x - 2, y - 3), where it can be evaluated: x <= 0.4.
class DistanceWithWall final : public SizedCostFunction<2, 2> {
 public:
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double* const x = parameters[0];
    if (x[0] > 0.4) return false;
    residuals[0] = x[0] - 2.0;
    residuals[1] = x[1] - 3.0;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = jacobians[0][3] = 1.0;
      jacobians[0][1] = jacobians[0][2] = 0.0;
    }
    return true;
  }
};

// Steps that end closer and closer to the wall promise less and less.
TEST(SolverConstraints, EndWhereNoStepCanBeEvaluated) {
  double x[2] = {0.1, 0.9};
  Problem problem;
  problem.AddResidualBlock(new DistanceWithWall, nullptr, x);
  problem.AddEqualityConstraint(MakeCircle(1.0), {x});
  Solver::Options options = MakeOptions();
  options.function_tolerance = 1e-6;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_NE(summary.termination_type, NO_CONVERGENCE) << summary.message;
  EXPECT_THAT(summary.message, HasSubstr("could not be evaluated"));
  EXPECT_LE(x[0], 0.4);
}

// --- Mistakes ----------------------------------------------------------------

class ConstraintMistakes : public testing::Test {
 protected:
  ConstraintMistakes() {
    problem_.AddResidualBlock(MakeDistance(3.0, 4.0), nullptr, x_);
  }
  void ExpectFailure(const Solver::Options& options, const std::string& what) {
    Solver::Summary summary;
    Solve(options, &problem_, &summary);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, HasSubstr(what));
    EXPECT_EQ(x_[0], 0.5);
    EXPECT_EQ(x_[1], 0.1);
  }

  double x_[2] = {0.5, 0.1};
  Problem problem_;
};

class BadFunction final : public SizedCostFunction<1, 2> {
 public:
  enum class Mistake { kNan, kFalse, kThrow, kUnwritten };
  explicit BadFunction(Mistake mistake) : mistake_(mistake) {}
  bool Evaluate(double const* const* /*parameters*/, double* residuals,
                double** jacobians) const override {
    if (mistake_ == Mistake::kThrow) throw std::runtime_error("mine");
    if (mistake_ == Mistake::kFalse) return false;
    if (mistake_ == Mistake::kUnwritten) return true;
    residuals[0] = std::numeric_limits<double>::quiet_NaN();
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = jacobians[0][1] = 1.0;
    }
    return true;
  }

 private:
  const Mistake mistake_;
};

TEST_F(ConstraintMistakes, NameTheConstraintThatCannotBeEvaluated) {
  using Mistake = BadFunction::Mistake;
  for (const Mistake mistake :
       {Mistake::kNan, Mistake::kFalse, Mistake::kUnwritten}) {
    const ConstraintId id =
        problem_.AddEqualityConstraint(new BadFunction(mistake), {x_});
    problem_.SetConstraintName(id, "speed of pose 7");
    ExpectFailure(MakeOptions(), "The constraint \"speed of pose 7\"");
    problem_.RemoveConstraint(id);
  }
}

TEST_F(ConstraintMistakes, PassExceptionsOn) {
  problem_.AddEqualityConstraint(new BadFunction(BadFunction::Mistake::kThrow),
                                 {x_});
  Solver::Summary summary;
  EXPECT_THROW(Solve(MakeOptions(), &problem_, &summary), std::runtime_error);
  EXPECT_EQ(x_[0], 0.5);
}

TEST_F(ConstraintMistakes, NameBoundsThatNoValueMeets) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [lower, upper] : std::vector<std::pair<double, double>>{
           {1.0, 0.0}, {nan, 0.0}, {0.0, nan}, {kInfinity, kInfinity}}) {
    const ConstraintId id =
        problem_.AddInequalityConstraint(MakeSum(0.0), {lower}, {upper}, {x_});
    ExpectFailure(MakeOptions(), "constraint 0 has bounds that no value meets");
    problem_.RemoveConstraint(id);
  }
}

TEST_F(ConstraintMistakes, NameOptionsThatExcludeConstraints) {
  problem_.AddEqualityConstraint(MakeSum(0.0), {x_});
  const auto expect = [this](const std::function<void(Solver::Options*)>& set,
                             const std::string& name) {
    Solver::Options options = MakeOptions();
    set(&options);
    ExpectFailure(options, "Solver::Options::" + name);
  };
  expect([](auto* o) { o->minimizer_type = LINE_SEARCH; }, "minimizer_type");
  expect([](auto* o) { o->trust_region_strategy_type = DOGLEG; },
         "trust_region_strategy_type");
  expect([](auto* o) { o->use_inner_iterations = true; },
         "use_inner_iterations");
  expect([](auto* o) { o->use_nonmonotonic_steps = true; },
         "use_nonmonotonic_steps");
  expect([](auto* o) { o->check_gradients = true; }, "check_gradients");
  expect([](auto* o) { o->trust_region_minimizer_iterations_to_dump = {1}; },
         "trust_region_minimizer_iterations_to_dump");
  expect([](auto* o) { o->constraint_tolerance = 0.0; },
         "constraint_tolerance");
}

TEST_F(ConstraintMistakes, NameLinearizationPoints) {
  problem_.AddEqualityConstraint(MakeSum(0.0), {x_});
  const double point[2] = {0.4, 0.2};
  problem_.SetLinearizationPoint(x_, point);
  ExpectFailure(MakeOptions(), "Problem::SetLinearizationPoint");
}

TEST_F(ConstraintMistakes, AreRefusedByTheIncrementalSolver) {
  problem_.SetConstraintName(problem_.AddEqualityConstraint(MakeSum(0.0), {x_}),
                             "rod");
  IncrementalSolver incremental({}, &problem_);
  IncrementalSolver::Summary summary;
  incremental.Update(&summary);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("IncrementalSolver does not support constraints"),
                    HasSubstr("\"rod\"")));
  EXPECT_EQ(x_[0], 0.5);
}

// A constraint adds the blocks that are not in the problem, as a residual block
// does. Memory that overlaps a block is refused.
TEST_F(ConstraintMistakes, AddTheirBlocksToTheProblem) {
  double y[2] = {1.0, 1.0};
  problem_.AddEqualityConstraint(MakeSum(2.0), {y});
  EXPECT_TRUE(problem_.HasParameterBlock(y));
  EXPECT_DEATH(problem_.AddEqualityConstraint(
                   new LinearFunction(Eigen::RowVectorXd::Ones(1),
                                      Eigen::VectorXd::Zero(1), {1}),
                   {x_ + 1}),
               "");
  EXPECT_DEATH(problem_.AddEqualityConstraint(nullptr, {x_}), "null was given");
  EXPECT_DEATH(problem_.AddEqualityConstraint(
                   new LinearFunction(Eigen::RowVector4d::Ones(),
                                      Eigen::VectorXd::Zero(1), {2, 2}),
                   {x_, x_}),
               "given twice to one constraint");
}

// An exception after some steps restores the values from before the solve.
TEST_F(ConstraintMistakes, ThatShowLateLeaveTheStart) {
  int calls = 0;
  class Late final : public SizedCostFunction<1, 2> {
   public:
    explicit Late(int* calls) : calls_(calls) {}
    bool Evaluate(double const* const* parameters, double* residuals,
                  double** jacobians) const override {
      if (++*calls_ > 5) throw std::runtime_error("late");
      const double* const x = parameters[0];
      residuals[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
      if (jacobians != nullptr && jacobians[0] != nullptr) {
        jacobians[0][0] = 2.0 * x[0];
        jacobians[0][1] = 2.0 * x[1];
      }
      return true;
    }

   private:
    int* const calls_;
  };
  problem_.AddEqualityConstraint(new Late(&calls), {x_});
  Solver::Summary summary;
  EXPECT_THROW(Solve(MakeOptions(), &problem_, &summary), std::runtime_error);
  EXPECT_GT(calls, 5);
  EXPECT_EQ(x_[0], 0.5);
  EXPECT_EQ(x_[1], 0.1);
}

// A constraint that can be evaluated with its Jacobian only, so at no
// candidate.
TEST_F(ConstraintMistakes, ThatShowLateAreNamed) {
  class OnlyWithJacobian final : public SizedCostFunction<1, 2> {
   public:
    bool Evaluate(double const* const* parameters, double* residuals,
                  double** jacobians) const override {
      residuals[0] = jacobians == nullptr
                         ? std::numeric_limits<double>::quiet_NaN()
                         : parameters[0][0] + parameters[0][1] - 7.0;
      if (jacobians != nullptr && jacobians[0] != nullptr) {
        jacobians[0][0] = jacobians[0][1] = 1.0;
      }
      return true;
    }
  };
  problem_.SetConstraintName(
      problem_.AddEqualityConstraint(new OnlyWithJacobian, {x_}), "rod");
  Solver::Options options = MakeOptions();
  options.max_num_iterations = 1000;
  ExpectFailure(options,
                "could not be evaluated. The first: The constraint \"rod\"");
}

TEST_F(ConstraintMistakes, StopProgramsThatGiveWrongSizes) {
  EXPECT_DEATH(
      problem_.AddInequalityConstraint(MakeSum(0.0), {0.0, 1.0}, {1.0}, {x_}),
      "lower bounds");
  EXPECT_DEATH(problem_.AddEqualityConstraint(MakeSum(0.0), {x_, x_}),
               "number of parameter blocks");
  EXPECT_DEATH(problem_.RemoveConstraint(nullptr), "has no constraint");
  const ConstraintId id = problem_.AddEqualityConstraint(MakeSum(0.0), {x_});
  problem_.RemoveConstraint(id);
  EXPECT_DEATH(problem_.RemoveConstraint(id), "has no constraint");
  EXPECT_DEATH(problem_.SetConstraintName(id, "rod"), "has no constraint");
  Problem other;
  double y[2] = {0.0, 0.0};
  const ConstraintId of_other = other.AddEqualityConstraint(MakeSum(0.0), {y});
  EXPECT_DEATH(problem_.GetMultipliers(of_other), "has no constraint");
  other.RemoveParameterBlock(y);
  EXPECT_DEATH(other.GetMultipliers(of_other), "has no constraint");
}

// --- The problem -------------------------------------------------------------

class CountedFunction final : public SizedCostFunction<1, 2> {
 public:
  explicit CountedFunction(int* deleted) : deleted_(deleted) {}
  ~CountedFunction() override { ++*deleted_; }
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    residuals[0] = parameters[0][0];
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = 1.0;
      jacobians[0][1] = 0.0;
    }
    return true;
  }

 private:
  int* const deleted_;
};

TEST(ProblemConstraints, DeleteCostFunctionsOnce) {
  int deleted = 0;
  double x[2] = {};
  double y[2] = {};
  {
    Problem problem;
    auto* const shared = new CountedFunction(&deleted);
    problem.AddResidualBlock(shared, nullptr, x);
    const ConstraintId first = problem.AddEqualityConstraint(shared, {x});
    problem.AddEqualityConstraint(shared, {y});
    problem.RemoveConstraint(first);
    EXPECT_EQ(deleted, 0);
    problem.RemoveParameterBlock(x);  // with its residual block
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(problem.NumConstraints(), 1);
    problem.RemoveParameterBlock(y);
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(problem.NumConstraints(), 0);
    auto* const other = new CountedFunction(&deleted);
    problem.AddResidualBlock(other, nullptr, x);
    problem.AddEqualityConstraint(other, {x});
  }
  EXPECT_EQ(deleted, 2);
}

TEST(ProblemConstraints, AreListedApartFromResidualBlocks) {
  double x[2] = {1.0, 2.0};
  Problem problem;
  problem.AddResidualBlock(MakeDistance(0.0, 0.0), nullptr, x);
  const ConstraintId a = problem.AddEqualityConstraint(MakeCircle(1.0), {x});
  const ConstraintId b = problem.AddEqualityConstraint(MakeSum(1.0), {x});
  EXPECT_EQ(problem.NumResidualBlocks(), 1);
  EXPECT_EQ(problem.NumResiduals(), 2);
  std::vector<ConstraintId> ids;
  problem.GetConstraints(&ids);
  EXPECT_THAT(ids, ElementsAre(a, b));
  double cost = 0.0;
  ASSERT_TRUE(problem.Evaluate({}, &cost, nullptr, nullptr, nullptr));
  EXPECT_EQ(cost, 2.5);
  problem.SetMultipliers(b, {4.0});
  problem.RemoveConstraint(a);
  problem.GetConstraints(&ids);
  EXPECT_THAT(ids, ElementsAre(b));
  EXPECT_THAT(problem.GetMultipliers(b), ElementsAre(4.0));
}

}  // namespace
}  // namespace ceres::internal
