// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Random constrained problems whose solution is planted, written in several
// ways that have the same solution.

#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "Eigen/Dense"
#include "ceres/ceres.h"
#include "ceres/covariance.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What the solutions of two forms of a problem may differ by.
constexpr double kSame = 1e-7;

// How a problem is written.
struct Form {
  bool reordered = false;
  double unit = 1.0;            // of the constraints
  double parameter_unit = 1.0;  // the parameters are x times this
  double residual_unit = 1.0;
  bool split = false;           // l <= c <= u as two constraints
  bool coordinates = false;     // each coordinate is a constraint of its own
  bool bounds_as_rows = false;  // bounds of parameters as constraints
  bool equal_bounds = false;    // c = 0 as l = u
  LinearSolverType linear_solver = DENSE_QR;
};

// min 1/2 |M (x - x*) + b|^2 with c(x) = sin(W x) + x'x / 8 within bounds. M'b
// cancels the gradient of the constraints and of the bound at x*, whose
// multipliers are small beside M'M: x* is a minimum.
class PlantedProblem {
 public:
  static constexpr int kBlocks = 3;
  static constexpr int kSize = 2;
  static constexpr int kCoordinates = kBlocks * kSize;
  static constexpr int kConstraints = 5;

  explicit PlantedProblem(int seed) : random_(seed) {
    solution_ = Random(kCoordinates, 1);
    w_ = 0.5 * Random(kConstraints, kCoordinates);
    const MatrixXd m = Random(2 * kCoordinates, kCoordinates) +
                       2.0 * MatrixXd::Identity(2 * kCoordinates, kCoordinates);
    const VectorXd at = Values(solution_);
    lower_ = at.array() - 1.0;
    upper_ = at.array() + 1.0;
    VectorXd multipliers = VectorXd::Zero(kConstraints);
    // An equality, an active bound of each side, an inactive constraint, and
    // one whose other side has no bound.
    lower_(0) = upper_(0) = at(0);
    multipliers(0) = 0.2;
    upper_(1) = at(1);
    multipliers(1) = 0.1;
    lower_(2) = at(2);
    multipliers(2) = -0.1;
    lower_(4) = -kInfinity;
    const VectorXd gradient = Derivatives(solution_).transpose() * multipliers +
                              0.1 * VectorXd::Unit(kCoordinates, 1);
    m_ = m;
    b_ = -m * (m.transpose() * m).ldlt().solve(gradient);
    multipliers_ = multipliers;
    start_ = solution_ + 0.2 * Random(kCoordinates, 1);
  }

  const VectorXd& solution() const { return solution_; }
  const VectorXd& multipliers() const { return multipliers_; }

  // The result of a solve of the problem in this form. covariance: null, or
  // that of all blocks.
  VectorXd Solve(const Form& form, MatrixXd* covariance = nullptr,
                 VectorXd* multipliers = nullptr) {
    parameter_unit_ = form.parameter_unit;
    residual_unit_ = form.residual_unit;
    VectorXd x = parameter_unit_ * start_;
    std::vector<double*> blocks;
    for (int k = 0; k < kBlocks; ++k) blocks.push_back(x.data() + k * kSize);
    Problem problem;
    for (int i = 0; i < m_.rows(); i += 3) {
      problem.AddResidualBlock(MakeResiduals(i), nullptr, blocks);
    }
    const std::vector<ConstraintId> ids =
        AddConstraints(form, blocks, &problem);
    Solver::Options options;
    options.linear_solver_type = form.linear_solver;
    options.max_num_iterations = 200;
    options.function_tolerance = 1e-10;
    options.logging_type = SILENT;
    Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    if (multipliers != nullptr) {
      const std::vector<double>& found = problem.GetMultipliers(ids[0]);
      *multipliers = Eigen::Map<const VectorXd>(
          found.data(), static_cast<Eigen::Index>(found.size()));
    }
    if (covariance != nullptr) {
      const std::vector<const double*> wanted(blocks.begin(), blocks.end());
      covariance->resize(kCoordinates, kCoordinates);
      Covariance computation({});
      EXPECT_TRUE(computation.Compute(wanted, &problem));
      EXPECT_TRUE(computation.GetCovarianceMatrix(wanted, covariance->data()));
    }
    return x / parameter_unit_;
  }

  // Z (Z'M'M Z)^-1 Z' at the solution: the constraints that are active there.
  MatrixXd ExpectedCovariance() const {
    const MatrixXd a = Derivatives(solution_).topRows(3);
    const MatrixXd z = Eigen::JacobiSVD<MatrixXd>(a, Eigen::ComputeFullV)
                           .matrixV()
                           .rightCols(kCoordinates - 3);
    const MatrixXd mz = m_ * z;
    return z * (mz.transpose() * mz).inverse() * z.transpose();
  }

 private:
  MatrixXd Random(int rows, int columns) {
    MatrixXd matrix(rows, columns);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) {
        matrix(i, j) = static_cast<double>(random_()) / 2147483648.0 - 1.0;
      }
    }
    return matrix;
  }

  VectorXd Values(const VectorXd& x) const {
    return ((w_ * x).array().sin() + x.squaredNorm() / 8.0).matrix();
  }
  MatrixXd Derivatives(const VectorXd& x) const {
    const VectorXd cosines = (w_ * x).array().cos();
    return cosines.asDiagonal() * w_ +
           0.25 * VectorXd::Ones(kConstraints) * x.transpose();
  }

  // A cost function of all blocks, from values and derivatives at x.
  template <typename F>
  CostFunction* MakeFunction(int num_residuals, const F& f) const {
    const double unit = parameter_unit_;
    return new FunctionCost(
        num_residuals, std::vector<int>(kBlocks, kSize),
        [=](double const* const* parameters, double* residuals,
            double** jacobians) {
          VectorXd x(kCoordinates);
          for (int i = 0; i < kCoordinates; ++i) {
            x(i) = parameters[i / kSize][i % kSize] / unit;
          }
          VectorXd values;
          MatrixXd derivatives;
          f(x, &values, &derivatives);
          for (int i = 0; i < num_residuals; ++i) {
            residuals[i] = values(i);
            for (int j = 0; jacobians != nullptr && j < kCoordinates; ++j) {
              if (jacobians[j / kSize] == nullptr) continue;
              jacobians[j / kSize][i * kSize + j % kSize] =
                  derivatives(i, j) / unit;
            }
          }
          return true;
        });
  }

  CostFunction* MakeResiduals(int first) const {
    const MatrixXd m = residual_unit_ * m_.middleRows(first, 3);
    const VectorXd b = residual_unit_ * b_.segment(first, 3);
    const VectorXd solution = solution_;
    return MakeFunction(3, [=](const VectorXd& x, VectorXd* r, MatrixXd* j) {
      *r = m * (x - solution) + b;
      *j = m;
    });
  }

  // unit times the given coordinates of c.
  CostFunction* MakeConstraint(const std::vector<int>& rows,
                               double unit) const {
    return MakeFunction(
        static_cast<int>(rows.size()),
        [this, rows, unit](const VectorXd& x, VectorXd* c, MatrixXd* a) {
          c->resize(static_cast<Eigen::Index>(rows.size()));
          a->resize(c->size(), kCoordinates);
          const VectorXd values = Values(x);
          const MatrixXd derivatives = Derivatives(x);
          for (std::size_t i = 0; i < rows.size(); ++i) {
            (*c)(static_cast<Eigen::Index>(i)) = unit * values(rows[i]);
            a->row(static_cast<Eigen::Index>(i)) =
                unit * derivatives.row(rows[i]);
          }
        });
  }

  std::vector<ConstraintId> AddConstraints(const Form& form,
                                           const std::vector<double*>& blocks,
                                           Problem* problem) {
    std::vector<std::vector<int>> groups = {{0, 1, 2, 3, 4}};
    if (form.coordinates || form.equal_bounds) {
      groups = {{0}, {1}, {2}, {3}, {4}};
    }
    if (form.reordered) {
      groups = {{4, 1}, {3, 0, 2}};
    }
    std::vector<ConstraintId> ids;
    for (const std::vector<int>& rows : groups) {
      std::vector<double> lower;
      std::vector<double> upper;
      for (const int i : rows) {
        lower.push_back(form.unit * lower_(i));
        upper.push_back(form.unit * upper_(i));
      }
      const std::vector<double> none(rows.size(), kInfinity);
      const std::vector<double> minus_none(rows.size(), -kInfinity);
      if (form.equal_bounds && rows[0] == 0) {
        ids.push_back(problem->AddEqualityConstraint(MakeShifted(), blocks));
      } else if (form.split) {
        ids.push_back(problem->AddInequalityConstraint(
            MakeConstraint(rows, form.unit), lower, none, blocks));
        ids.push_back(problem->AddInequalityConstraint(
            MakeConstraint(rows, form.unit), minus_none, upper, blocks));
      } else {
        ids.push_back(problem->AddInequalityConstraint(
            MakeConstraint(rows, form.unit), lower, upper, blocks));
      }
    }
    AddBound(form, blocks, problem);
    return ids;
  }

  // c_0 - u_0.
  CostFunction* MakeShifted() const {
    return MakeFunction(1, [this](const VectorXd& x, VectorXd* c, MatrixXd* a) {
      *c = Values(x).head(1).array() - upper_(0);
      *a = Derivatives(x).topRows(1);
    });
  }

  // x_1 <= x*_1, and a bound that is not active.
  void AddBound(const Form& form, const std::vector<double*>& blocks,
                Problem* problem) const {
    if (!form.bounds_as_rows) {
      problem->SetParameterUpperBound(blocks[0], 1,
                                      parameter_unit_ * solution_(1));
      problem->SetParameterLowerBound(blocks[2], 0,
                                      parameter_unit_ * (solution_(4) - 1.0));
      return;
    }
    const auto add = [&](int i, double lower, double upper) {
      problem->AddInequalityConstraint(
          MakeFunction(
              1,
              [i](const VectorXd& x, VectorXd* c, MatrixXd* a) {
                *c = x.segment(i, 1);
                *a = MatrixXd::Identity(kCoordinates, kCoordinates).row(i);
              }),
          {lower}, {upper}, blocks);
    };
    add(1, -kInfinity, solution_(1));
    add(4, solution_(4) - 1.0, kInfinity);
  }

  std::mt19937 random_;
  double parameter_unit_ = 1.0;
  double residual_unit_ = 1.0;
  VectorXd solution_;
  VectorXd start_;
  VectorXd multipliers_;
  MatrixXd w_;
  MatrixXd m_;
  VectorXd b_;
  VectorXd lower_;
  VectorXd upper_;
};

class ConstraintProperties : public testing::TestWithParam<int> {
 protected:
  void ExpectPlanted(const Form& form) {
    const VectorXd x = planted_.Solve(form);
    EXPECT_LT((x - planted_.solution()).lpNorm<Eigen::Infinity>(), kSame);
  }

  PlantedProblem planted_{GetParam()};
};

TEST_P(ConstraintProperties, FindThePlantedSolutionAndItsMultipliers) {
  VectorXd multipliers;
  const VectorXd x = planted_.Solve({}, nullptr, &multipliers);
  EXPECT_LT((x - planted_.solution()).lpNorm<Eigen::Infinity>(), kSame);
  EXPECT_LT((multipliers - planted_.multipliers()).lpNorm<Eigen::Infinity>(),
            1e-5);
}

TEST_P(ConstraintProperties, DoNotDependOnTheLinearSolver) {
  for (const auto type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR}) {
    Form form;
    form.linear_solver = type;
    ExpectPlanted(form);
  }
}

TEST_P(ConstraintProperties, DoNotDependOnTheOrder) {
  Form form;
  form.reordered = true;
  ExpectPlanted(form);
  form.reordered = false;
  form.coordinates = true;
  ExpectPlanted(form);
}

TEST_P(ConstraintProperties, DoNotDependOnTheUnit) {
  for (const double unit : {1e-9, 1e-6, 7.0, 1e6, 1e9}) {
    SCOPED_TRACE(unit);
    Form form;
    form.unit = unit;
    ExpectPlanted(form);
    VectorXd multipliers;
    planted_.Solve(form, nullptr, &multipliers);
    EXPECT_LT(
        (unit * multipliers - planted_.multipliers()).lpNorm<Eigen::Infinity>(),
        1e-5);
  }
}

// A power of two changes exponents only.
TEST_P(ConstraintProperties, HaveTheSameBitsInUnitsThatArePowersOfTwo) {
  const VectorXd expected = planted_.Solve({});
  for (const double unit : {0x1p-30, 0x1p20}) {
    Form form;
    form.unit = unit;
    EXPECT_EQ(planted_.Solve(form), expected) << unit;
  }
}

TEST_P(ConstraintProperties, DoNotDependOnTheUnitsOfTheProblem) {
  for (const double unit : {1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9}) {
    SCOPED_TRACE(unit);
    Form form;
    form.parameter_unit = unit;
    ExpectPlanted(form);
    form.parameter_unit = 1.0;
    form.residual_unit = unit;
    ExpectPlanted(form);
    form.parameter_unit = unit;
    form.residual_unit = 1.0 / unit;
    form.unit = 1.0 / unit;
    ExpectPlanted(form);
  }
}

TEST_P(ConstraintProperties, MayBeSplitIntoTheirSides) {
  Form form;
  form.split = true;
  ExpectPlanted(form);
  form.reordered = true;
  form.unit = 1e6;
  ExpectPlanted(form);
}

TEST_P(ConstraintProperties, MayStandForBounds) {
  Form form;
  form.bounds_as_rows = true;
  ExpectPlanted(form);
}

TEST_P(ConstraintProperties, EqualitiesAreEqualBounds) {
  Form form;
  form.equal_bounds = true;
  ExpectPlanted(form);
}

// Solve decides which constraints are active, and Covariance uses it.
TEST_P(ConstraintProperties, HaveTheCovarianceOfTheirTangentSpace) {
  const MatrixXd expected = planted_.ExpectedCovariance();
  for (const bool split : {false, true}) {
    Form form;
    form.split = split;
    MatrixXd covariance;
    planted_.Solve(form, &covariance);
    EXPECT_LT((covariance - expected).norm(), 1e-5 * expected.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ConstraintProperties, testing::Range(1, 31));

}  // namespace
}  // namespace ceres::internal
