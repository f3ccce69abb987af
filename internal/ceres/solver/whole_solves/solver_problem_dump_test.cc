// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solve with trust_region_minimizer_iterations_to_dump: what is read back is
// the linear system of the iteration.

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "Eigen/Core"
#include "ceres/base/testing/temporary_directory.h"
#include "ceres/crs_matrix.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ProblemDumpTest : public testing::Test {
 protected:
  ProblemDumpTest() {
    options_.trust_region_problem_dump_directory = directory_.path();
  }

  std::vector<double> Read(int iteration, const std::string& what) const {
    const std::string name =
        "ceres_solver_iteration_00" + std::to_string(iteration) + what;
    std::ifstream file(directory_.File(name + ".txt"));
    EXPECT_TRUE(file.is_open()) << name;
    std::vector<double> values;
    for (double value; file >> value;) values.push_back(value);
    return values;
  }

  Eigen::VectorXd ReadVector(int iteration, const std::string& what) const {
    const std::vector<double> values = Read(iteration, what);
    return Eigen::Map<const Eigen::VectorXd>(values.data(), values.size());
  }

  Eigen::MatrixXd ReadMatrix(int iteration, int rows, int columns) const {
    const std::vector<double> triplets = Read(iteration, "_A");
    EXPECT_EQ(triplets.size() % 3, 0u);
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(rows, columns);
    for (size_t k = 0; k + 2 < triplets.size(); k += 3) {
      matrix(static_cast<int>(triplets[k]), static_cast<int>(triplets[k + 1])) =
          triplets[k + 2];
    }
    return matrix;
  }

  const TemporaryDirectory directory_;
  Solver::Options options_;
};

Eigen::MatrixXd DenseMatrix(const CRSMatrix& crs) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(crs.num_rows, crs.num_cols);
  for (int row = 0; row < crs.num_rows; ++row) {
    for (int k = crs.rows[row]; k < crs.rows[row + 1]; ++k) {
      dense(row, crs.cols[k]) = crs.values[k];
    }
  }
  return dense;
}

// Iteration 1 is linearized at the start, where Problem::Evaluate knows the
// residuals and the Jacobian. Rosenbrock's blocks keep their order.
TEST_F(ProblemDumpTest, HoldsTheLinearizationAndItsSolution) {
  Valley valley;
  Problem& problem = valley.problem;
  double y[2] = {0.3, -0.7};
  problem.AddResidualBlock(NewRosenbrock(), nullptr, y);
  std::vector<double> residuals;
  CRSMatrix crs;
  ASSERT_TRUE(problem.Evaluate({}, nullptr, &residuals, nullptr, &crs));
  const Eigen::MatrixXd jacobian = DenseMatrix(crs);

  options_.linear_solver_type = DENSE_QR;
  options_.trust_region_minimizer_iterations_to_dump = {1};
  const Solver::Summary summary = SolveWith(options_, &problem);
  ASSERT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  EXPECT_EQ(directory_.CountFiles(), 5);
  EXPECT_EQ(ReadMatrix(1, 4, 4), jacobian);
  EXPECT_EQ(ReadVector(1, "_b"),
            -Eigen::Map<const Eigen::VectorXd>(residuals.data(), 4));

  const Eigen::VectorXd damping = ReadVector(1, "_D");
  Eigen::MatrixXd stacked(8, 4);
  stacked << jacobian, Eigen::MatrixXd(damping.asDiagonal());
  Eigen::VectorXd right_hand_side(8);
  right_hand_side << ReadVector(1, "_b"), Eigen::VectorXd::Zero(4);
  const Eigen::VectorXd expected = DenseLeastSquares(stacked, right_hand_side);
  EXPECT_LT((ReadVector(1, "_x") - expected).norm(), 1e-12 * expected.norm());
  for (int j = 0; j < 4; ++j) {
    EXPECT_NEAR(damping[j],
                jacobian.col(j).norm() /
                    std::sqrt(options_.initial_trust_region_radius),
                1e-2 * damping[j])
        << "Levenberg-Marquardt's, but for Jacobi scaling";
  }
}

// The systems are those of the solve, whatever solves them.
TEST_F(ProblemDumpTest, LinearSolversDumpSystemsThatTheirStepsSolve) {
  for (const auto type : {DENSE_QR, DENSE_SCHUR, SPARSE_NORMAL_CHOLESKY}) {
    SCOPED_TRACE(LinearSolverTypeToString(type));
    SmallBundle bundle(4, 24, 0.01);
    options_.linear_solver_type = type;
    options_.trust_region_minimizer_iterations_to_dump = {1, 2};
    const Solver::Summary summary = SolveWith(options_, &bundle.problem);
    ASSERT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_EQ(directory_.CountFiles(), 10);
    for (const int iteration : {1, 2}) {
      const Eigen::MatrixXd a =
          ReadMatrix(iteration, summary.num_residuals_reduced,
                     summary.num_effective_parameters_reduced);
      const Eigen::VectorXd d = ReadVector(iteration, "_D");
      const Eigen::VectorXd b = ReadVector(iteration, "_b");
      const Eigen::VectorXd x = ReadVector(iteration, "_x");
      EXPECT_NEAR(0.5 * b.squaredNorm(), summary.iterations[iteration - 1].cost,
                  1e-12 * b.squaredNorm());
      const Eigen::VectorXd gradient =
          a.transpose() * (a * x - b) + d.cwiseProduct(d).cwiseProduct(x);
      EXPECT_LT(gradient.norm(), 1e-9 * (a.transpose() * b).norm());
    }
  }
}

TEST_F(ProblemDumpTest, DumpingDoesNotChangeTheSolve) {
  SmallBundle plain(4, 24, 0.01);
  SolveWith(options_, &plain.problem);
  options_.trust_region_minimizer_iterations_to_dump = {1, 3};
  SmallBundle dumped(4, 24, 0.01);
  SolveWith(options_, &dumped.problem);
  EXPECT_GE(directory_.CountFiles(), 5);
  EXPECT_TRUE(SameBits(plain.Values(), dumped.Values()));
}

TEST_F(ProblemDumpTest, DoglegDumpsTheGaussNewtonSystem) {
  Valley valley;
  options_.linear_solver_type = DENSE_QR;
  options_.trust_region_strategy_type = DOGLEG;
  options_.trust_region_minimizer_iterations_to_dump = {1};
  const Solver::Summary summary = SolveWith(options_, &valley.problem);
  ASSERT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
  // From (-1.2, 1): J = [24 10; -1 0], r = (-4.4, 2.2).
  const Eigen::Vector2d gauss_newton = ReadVector(1, "_x");
  EXPECT_NEAR(gauss_newton[0], 2.2, 1e-3);
  EXPECT_NEAR(gauss_newton[1], -4.84, 1e-3);
}

TEST_F(ProblemDumpTest, MissingDirectoryFailsAndLeavesTheParameters) {
  Valley valley;
  options_.linear_solver_type = DENSE_QR;
  options_.trust_region_problem_dump_directory = directory_.File("missing");
  options_.trust_region_minimizer_iterations_to_dump = {2};
  const Solver::Summary summary = SolveWith(options_, &valley.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("iteration 2"), HasSubstr("missing/"),
                    HasSubstr("No such file or directory"),
                    HasSubstr("trust_region_problem_dump_directory")));
  EXPECT_TRUE(valley.IsAtStart());
}

}  // namespace
}  // namespace ceres::internal
