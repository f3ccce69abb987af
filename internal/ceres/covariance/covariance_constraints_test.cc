// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Covariances of problems with constraints, compared with the inverse of the
// dense KKT matrix [J'J A'; A 0].

#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Dense"
#include "ceres/covariance.h"
#include "ceres/covariance/captured_log.h"
#include "ceres/crs_matrix.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using internal::CapturedLog;
using internal::FunctionCost;
using internal::SineCost;
using testing::HasSubstr;

using Pairs = std::vector<std::pair<const double*, const double*>>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<Covariance::Options> EveryAlgorithm() {
  std::vector<Covariance::Options> all(1);
  all.back().algorithm_type = DENSE_SVD;
  for (const auto type : {SPARSE_QR, SPARSE_CHOLESKY}) {
    all.emplace_back();
    all.back().algorithm_type = type;
    all.back().sparse_linear_algebra_library_type = NATIVE_SPARSE;
  }
  return all;
}

// Blocks x (3), y (2), a quaternion q (4), w (3) whose middle coordinate does
// not vary, p (2) whose first coordinate has equal bounds, a constant c (2),
// and z (2), coupled by random residual blocks. Constraints are added by tests.
class CovarianceConstraints : public testing::Test {
 protected:
  struct Rows {
    CostFunction* function;  // owned by a problem
    std::vector<double*> blocks;
  };

  CovarianceConstraints() {
    for (int repetition = 0; repetition < 2; ++repetition) {
      AddResiduals({x_, y_});
      AddResiduals({y_, z_, c_});
      AddResiduals({q_, x_});
      AddResiduals({w_, q_});
      AddResiduals({w_, p_});
      AddResiduals({p_, z_});
    }
  }

  std::vector<int> Sizes(const std::vector<double*>& blocks) const {
    std::vector<int> sizes;
    for (double* block : blocks) sizes.push_back(size_of_.at(block));
    return sizes;
  }
  CostFunction* MakeSine(int num_residuals,
                         const std::vector<double*>& blocks) {
    return new SineCost(num_residuals, Sizes(blocks), ++seed_);
  }
  void AddResiduals(const std::vector<double*>& blocks, int num_residuals = 3) {
    residuals_.push_back({MakeSine(num_residuals, blocks), blocks});
  }
  // The coordinates in `active` count in the dense computation.
  void AddRows(CostFunction* function, const std::vector<double*>& blocks,
               const std::vector<int>& active) {
    constraints_.push_back({function, blocks});
    active_.push_back(active);
  }

  // The problem without constraints, with manifolds and bounds.
  void SetUpProblem(Problem* problem) {
    for (double* block : Varying()) {
      problem->AddParameterBlock(block, size_of_.at(block));
    }
    problem->SetManifold(q_, new QuaternionManifold);
    problem->SetManifold(w_, new SubsetManifold(3, {1}));
    problem->SetParameterLowerBound(p_, 0, p_[0]);
    problem->SetParameterUpperBound(p_, 0, p_[0]);
    // A bound that is active, but does not hold its coordinate.
    problem->SetParameterUpperBound(y_, 1, y_[1]);
    for (const Rows& rows : residuals_) {
      problem->AddResidualBlock(rows.function, nullptr, rows.blocks);
    }
    if (problem->HasParameterBlock(c_)) problem->SetParameterBlockConstant(c_);
  }

  std::vector<double*> Varying() const { return {x_, y_, q_, w_, p_, z_}; }
  std::vector<const double*> Wanted() const { return {x_, y_, q_, w_, p_, z_}; }

  static Eigen::MatrixXd Jacobian(Problem* problem,
                                  const std::vector<ResidualBlockId>& blocks,
                                  const std::vector<double*>& parameters) {
    Problem::EvaluateOptions options;
    options.residual_blocks = blocks;
    options.parameter_blocks = parameters;
    CRSMatrix crs;
    EXPECT_TRUE(problem->Evaluate(options, nullptr, nullptr, nullptr, &crs));
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(crs.num_rows, crs.num_cols);
    for (int row = 0; row < crs.num_rows; ++row) {
      for (int k = crs.rows[row]; k < crs.rows[row + 1]; ++k) {
        dense(row, crs.cols[k]) = crs.values[k];
      }
    }
    return dense;
  }

  // The block of the pseudo-inverse of the KKT matrix: all blocks of Wanted(),
  // zero in coordinates that do not vary. A has the rows of constraints as
  // residual blocks of another problem.
  Eigen::MatrixXd Expected() {
    Problem::Options options;
    options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    Problem problem(options);
    SetUpProblem(&problem);
    std::vector<ResidualBlockId> of_residuals;
    problem.GetResidualBlocks(&of_residuals);
    const Eigen::MatrixXd j = Jacobian(&problem, of_residuals, Varying());
    const Eigen::Index n = j.cols();
    Eigen::MatrixXd a(0, n);
    for (std::size_t k = 0; k < constraints_.size(); ++k) {
      const ResidualBlockId id = problem.AddResidualBlock(
          constraints_[k].function, nullptr, constraints_[k].blocks);
      const Eigen::MatrixXd rows = Jacobian(&problem, {id}, Varying());
      for (const int i : active_[k]) {
        a.conservativeResize(a.rows() + 1, Eigen::NoChange);
        a.bottomRows(1) = rows.row(i);
      }
    }
    // Tangent coordinates that vary: without the first one of p.
    std::vector<int> kept;
    for (int i = 0; i < n; ++i) {
      if (i != 3 + 2 + 3 + 2) kept.push_back(i);
    }
    const auto size = static_cast<Eigen::Index>(kept.size());
    Eigen::MatrixXd kkt =
        Eigen::MatrixXd::Zero(size + a.rows(), size + a.rows());
    const Eigen::MatrixXd normal = j.transpose() * j;
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index k = 0; k < size; ++k)
        kkt(i, k) = normal(kept[i], kept[k]);
      for (Eigen::Index k = 0; k < a.rows(); ++k) {
        kkt(i, size + k) = a(k, kept[i]);
        kkt(size + k, i) = a(k, kept[i]);
      }
    }
    const Eigen::MatrixXd inverse =
        kkt.completeOrthogonalDecomposition().pseudoInverse();
    Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(n, n);
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index k = 0; k < size; ++k) {
        expected(kept[i], kept[k]) = inverse(i, k);
      }
    }
    return expected;
  }

  void ExpectKktInverse(Problem* problem) {
    const Eigen::MatrixXd expected = Expected();
    for (Covariance::Options options : EveryAlgorithm()) {
      SCOPED_TRACE(options.algorithm_type);
      std::vector<double> first;
      for (const int num_threads : {1, 2, 3, 4, 8}) {
        options.num_threads = num_threads;
        Covariance covariance(options);
        ASSERT_TRUE(covariance.Compute(Wanted(), problem));
        std::vector<double> values(expected.size());
        ASSERT_TRUE(covariance.GetCovarianceMatrixInTangentSpace(
            Wanted(), values.data()));
        if (num_threads == 1) first = values;
        EXPECT_EQ(values, first);
        const Eigen::Map<const Eigen::MatrixXd> computed(
            values.data(), expected.rows(), expected.cols());
        EXPECT_LT((computed - expected).norm(), 1e-8 * expected.norm());
      }
    }
  }

  // Adds the constraints to `problem` as equalities.
  void AddEqualities(Problem* problem) {
    for (const Rows& rows : constraints_) {
      problem->AddEqualityConstraint(rows.function, rows.blocks);
    }
  }

  mutable double x_[3] = {0.3, -0.2, 0.5};
  mutable double y_[2] = {0.1, 0.5};
  mutable double q_[4] = {0.5, -0.5, 0.5, 0.5};
  mutable double w_[3] = {-0.6, 0.3, 0.2};
  mutable double p_[2] = {0.4, -0.3};
  mutable double c_[2] = {0.2, 0.1};
  mutable double z_[2] = {0.7, -0.1};
  std::map<const double*, int> size_of_ = {{x_, 3}, {y_, 2}, {q_, 4}, {w_, 3},
                                           {p_, 2}, {c_, 2}, {z_, 2}};
  int seed_ = 0;
  std::vector<Rows> residuals_;
  std::vector<Rows> constraints_;
  std::vector<std::vector<int>> active_;
};

TEST_F(CovarianceConstraints, EqualTheBlockOfTheInverseOfTheKktMatrix) {
  AddRows(MakeSine(1, {x_, q_}), {x_, q_}, {0});
  AddRows(MakeSine(2, {w_, p_, c_}), {w_, p_, c_}, {0, 1});
  AddRows(MakeSine(1, {y_}), {y_}, {0});
  Problem problem;
  SetUpProblem(&problem);
  AddEqualities(&problem);
  ExpectKktInverse(&problem);
}

TEST_F(CovarianceConstraints, ManyRowsLeaveFewDirections) {
  // 15 tangent coordinates, of which one has equal bounds.
  AddRows(MakeSine(3, {x_, y_}), {x_, y_}, {0, 1, 2});
  AddRows(MakeSine(3, {q_, w_}), {q_, w_}, {0, 1, 2});
  AddRows(MakeSine(2, {z_, x_}), {z_, x_}, {0, 1});
  AddRows(MakeSine(3, {p_, w_, y_}), {p_, w_, y_}, {0, 1, 2});
  Problem problem;
  SetUpProblem(&problem);
  AddEqualities(&problem);
  ExpectKktInverse(&problem);
}

TEST_F(CovarianceConstraints, MayBeRedundant) {
  AddRows(MakeSine(2, {x_, q_}), {x_, q_}, {0, 1});
  // The same function twice, and one in another unit.
  const auto twin = [&](double unit) {
    const CostFunction* const original = constraints_[0].function;
    return new FunctionCost(
        2, {3, 4},
        [=](double const* const* parameters, double* residuals,
            double** jacobians) {
          if (!original->Evaluate(parameters, residuals, jacobians)) {
            return false;
          }
          for (int i = 0; i < 2; ++i) residuals[i] *= unit;
          for (int k = 0; jacobians != nullptr && k < 2; ++k) {
            if (jacobians[k] == nullptr) continue;
            for (int i = 0; i < 2 * (3 + k); ++i) jacobians[k][i] *= unit;
          }
          return true;
        });
  };
  AddRows(twin(1.0), {x_, q_}, {0, 1});
  AddRows(twin(-7.0), {x_, q_}, {0, 1});
  Problem problem;
  SetUpProblem(&problem);
  AddEqualities(&problem);
  ExpectKktInverse(&problem);
}

TEST_F(CovarianceConstraints, DoNotDependOnTheirUnit) {
  Problem problem;
  SetUpProblem(&problem);
  const auto add = [&](double unit) {
    return problem.AddEqualityConstraint(
        new FunctionCost(1, {3, 2},
                         [=](double const* const* parameters, double* residuals,
                             double** jacobians) {
                           const double* const x = parameters[0];
                           const double* const y = parameters[1];
                           residuals[0] = unit * (x[0] * y[1] + x[2]);
                           if (jacobians == nullptr) return true;
                           if (jacobians[0] != nullptr) {
                             jacobians[0][0] = unit * y[1];
                             jacobians[0][1] = 0.0;
                             jacobians[0][2] = unit;
                           }
                           if (jacobians[1] != nullptr) {
                             jacobians[1][0] = 0.0;
                             jacobians[1][1] = unit * x[0];
                           }
                           return true;
                         }),
        {x_, y_});
  };
  for (const Covariance::Options& options : EveryAlgorithm()) {
    Eigen::Matrix3d expected = Eigen::Matrix3d::Zero();
    for (const double unit : {1.0, 1e6, 1e-6}) {
      const ConstraintId id = add(unit);
      Covariance covariance(options);
      ASSERT_TRUE(covariance.Compute(Pairs{{x_, x_}}, &problem));
      Eigen::Matrix3d computed;
      ASSERT_TRUE(covariance.GetCovarianceBlock(x_, x_, computed.data()));
      if (unit == 1.0) expected = computed;
      EXPECT_LT((computed - expected).norm(), 1e-12 * expected.norm());
      problem.RemoveConstraint(id);
    }
  }
}

// By multiplier and value: below a lower bound, at a bound with multiplier, at
// a bound without, between bounds, above an upper bound, an equality.
TEST_F(CovarianceConstraints, OnlyActiveInequalitiesCount) {
  const double no = kInfinity;
  CostFunction* const function = MakeSine(6, {x_, w_, z_});
  AddRows(function, {x_, w_, z_}, {0, 1, 4, 5});
  double c[6];
  const double* const parameters[] = {x_, w_, z_};
  ASSERT_TRUE(function->Evaluate(parameters, c, nullptr));
  Problem problem;
  SetUpProblem(&problem);
  const ConstraintId id = problem.AddInequalityConstraint(
      function, {c[0] + 0.1, -no, c[2], c[3] - 1.0, -no, c[5]},
      {no, c[1] + 1e-9, no, c[3] + 1.0, c[4] - 0.1, c[5]}, {x_, w_, z_});
  problem.SetMultipliers(id, {0.0, 0.7, 0.0, 0.0, 0.0, 0.0});
  ExpectKktInverse(&problem);
  // A multiplier of the sign of no bound is none.
  problem.SetMultipliers(id, {0.0, 0.7, 0.5, 0.0, 0.0, 0.0});
  ExpectKktInverse(&problem);
}

TEST_F(CovarianceConstraints, InactiveOnesChangeNoBit) {
  Problem problem;
  SetUpProblem(&problem);
  for (const Covariance::Options& options : EveryAlgorithm()) {
    const auto compute = [&] {
      Covariance covariance(options);
      EXPECT_TRUE(covariance.Compute(Wanted(), &problem));
      std::vector<double> values(16 * 16);
      EXPECT_TRUE(covariance.GetCovarianceMatrix(Wanted(), values.data()));
      return values;
    };
    const std::vector<double> without = compute();
    const ConstraintId id = problem.AddInequalityConstraint(
        MakeSine(2, {x_, w_, z_}), {-9.0, -kInfinity}, {9.0, 5.0},
        {x_, w_, z_});
    EXPECT_EQ(compute(), without);
    problem.RemoveConstraint(id);
  }
}

// Nothing but a constraint connects b to a, or holds the gauge.
TEST(CovarianceOfConstrainedGauge, ExistsIfAConstraintHoldsTheGauge) {
  double a[1] = {0.0};
  double b[1] = {1.0};
  double c[1] = {3.0};
  const auto difference = [] {
    return new FunctionCost(1, {1, 1},
                            [](double const* const* parameters,
                               double* residuals, double** jacobians) {
                              residuals[0] =
                                  parameters[1][0] - parameters[0][0];
                              if (jacobians == nullptr) return true;
                              if (jacobians[0] != nullptr)
                                jacobians[0][0] = -1.0;
                              if (jacobians[1] != nullptr)
                                jacobians[1][0] = 1.0;
                              return true;
                            });
  };
  for (const Covariance::Options& options : EveryAlgorithm()) {
    Problem problem;
    problem.AddResidualBlock(difference(), nullptr, a, b);
    const ConstraintId tie =
        problem.AddEqualityConstraint(difference(), {b, c});
    Covariance covariance(options);
    if (options.algorithm_type != DENSE_SVD) {
      const CapturedLog log;
      EXPECT_FALSE(covariance.Compute(Pairs{{a, a}}, &problem));
    }
    // a is held: b and c move together, with variance 1.
    const ConstraintId gauge = problem.AddEqualityConstraint(
        new FunctionCost(1, {1},
                         [](double const* const* parameters, double* residuals,
                            double** jacobians) {
                           residuals[0] = parameters[0][0];
                           if (jacobians != nullptr &&
                               jacobians[0] != nullptr) {
                             jacobians[0][0] = 1.0;
                           }
                           return true;
                         }),
        {a});
    ASSERT_TRUE(
        covariance.Compute(std::vector<const double*>{a, b, c}, &problem));
    double values[9];
    ASSERT_TRUE(covariance.GetCovarianceMatrix(
        std::vector<const double*>{a, b, c}, values));
    const double expected[9] = {0, 0, 0, 0, 1, 1, 0, 1, 1};
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(values[i], expected[i], 1e-15);
    problem.RemoveConstraint(gauge);
    problem.RemoveConstraint(tie);
  }
}

// The derivative by the coordinate that is eliminated first is small.
TEST(CovarianceOfSmallPivots, KeepsTheDigits) {
  for (const double small : {1e-3, 1e-6, 1e-9, 0.0}) {
    double a[2] = {0.0, 0.0};
    const auto linear = [](double first, double second) {
      return new FunctionCost(
          1, {2},
          [=](double const* const* parameters, double* residuals,
              double** jacobians) {
            residuals[0] = first * parameters[0][0] + second * parameters[0][1];
            if (jacobians != nullptr && jacobians[0] != nullptr) {
              jacobians[0][0] = first;
              jacobians[0][1] = second;
            }
            return true;
          });
    };
    Problem problem;
    problem.AddResidualBlock(linear(2.0, 1.0), nullptr, a);
    problem.AddResidualBlock(linear(1.0, -1.0), nullptr, a);
    problem.AddEqualityConstraint(linear(small, 1.0), {a});
    // a = (t, -small t): the residuals are (2 - small) t and (1 + small) t.
    const double variance =
        1.0 / ((2.0 - small) * (2.0 - small) + (1.0 + small) * (1.0 + small));
    for (const Covariance::Options& options : EveryAlgorithm()) {
      Covariance covariance(options);
      ASSERT_TRUE(covariance.Compute(Pairs{{a, a}}, &problem));
      double values[4];
      ASSERT_TRUE(covariance.GetCovarianceBlock(a, a, values));
      EXPECT_NEAR(values[0], variance, 1e-8);
      EXPECT_NEAR(values[1], -small * variance, 1e-8);
      EXPECT_NEAR(values[3], small * small * variance, 1e-8);
    }
  }
}

TEST_F(CovarianceConstraints, NamesTheOneThatCannotBeEvaluated) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), 0.0}) {
    Problem problem;
    SetUpProblem(&problem);
    residuals_.clear();
    const ConstraintId id = problem.AddEqualityConstraint(
        new FunctionCost(
            1, {2},
            [=](double const* const*, double* residuals, double** jacobians) {
              residuals[0] = value;
              if (jacobians != nullptr && jacobians[0] != nullptr) {
                jacobians[0][0] = jacobians[0][1] = value;
              }
              return value != 0.0;
            }),
        {y_});
    problem.SetConstraintName(id, "rod");
    const CapturedLog log;
    Covariance covariance({});
    EXPECT_FALSE(covariance.Compute(Pairs{{x_, x_}}, &problem));
    EXPECT_THAT(log.text(), HasSubstr("The constraint \"rod\""));
  }
}

TEST_F(CovarianceConstraints, PassesExceptionsOn) {
  Problem problem;
  SetUpProblem(&problem);
  problem.AddEqualityConstraint(
      new FunctionCost(1, {2},
                       [](double const* const*, double*, double**) -> bool {
                         throw std::runtime_error("no value");
                       }),
      {y_});
  Covariance covariance({});
  EXPECT_THROW((void)covariance.Compute(Pairs{{x_, x_}}, &problem),
               std::runtime_error);
}

}  // namespace
}  // namespace ceres
