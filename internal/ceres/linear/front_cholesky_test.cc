// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/front_cholesky.h"

#include <cstdlib>
#include <limits>
#include <string>

#include "Eigen/Core"
#include "ceres/execution/context_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

Eigen::MatrixXd PositiveDefiniteMatrix(int n) {
  std::srand(n);
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(n, n);
  return b * b.transpose() + Eigen::MatrixXd::Identity(n, n);
}

void Fill(const Eigen::MatrixXd& a, FrontCholesky<double>* cholesky) {
  for (int column = 0; column < a.cols(); ++column) {
    for (int row = column; row < a.rows(); ++row) {
      cholesky->matrix()[cholesky->Position(row, column)] = a(row, column);
    }
  }
}

TEST(FrontCholesky, SolvesWithTheSameBitsForEveryNumberOfThreads) {
  std::string message;
  for (const int n : {1, 2, 7, 8, 9, 63, 64, 65, 144, 201, 300}) {
    const Eigen::MatrixXd a = PositiveDefiniteMatrix(n);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    Eigen::VectorXd serial;
    for (const int num_threads : {1, 2, 4}) {
      ContextImpl context;
      context.EnsureMinimumThreads(num_threads);
      context.thread_pool().SetRunningLimit(num_threads);
      FrontCholesky<double> cholesky(n);
      // The second time over what the first has left.
      for (int repeat = 0; repeat < 2; ++repeat) {
        Fill(a, &cholesky);
        ASSERT_EQ(cholesky.Factorize({&context, num_threads}, &message),
                  LinearSolverTermination::kSuccess);
        Eigen::VectorXd x = b;
        cholesky.Solve(x.data(), x.data());
        EXPECT_LT((a * x - b).norm(), 1e-12 * a.norm() * (x.norm() + 1.0));
        if (serial.size() == 0) serial = x;
        EXPECT_TRUE(x == serial) << n << ", " << num_threads << " threads";
      }
    }
  }
}

TEST(FrontCholesky, FailureNamesThePivot) {
  for (const double pivot : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    Eigen::MatrixXd a = PositiveDefiniteMatrix(150);
    a(101, 101) = pivot;
    FrontCholesky<double> cholesky(150);
    Fill(a, &cholesky);
    std::string message;
    EXPECT_EQ(cholesky.Factorize({}, &message),
              LinearSolverTermination::kFailure);
    EXPECT_THAT(message, HasSubstr("pivot 101 of 150"));
  }
}

TEST(FrontCholesky, EmptyMatrix) {
  FrontCholesky<double> cholesky(0);
  std::string message;
  EXPECT_EQ(cholesky.Factorize({}, &message),
            LinearSolverTermination::kSuccess);
  cholesky.Solve(nullptr, nullptr);
}

}  // namespace
}  // namespace ceres::internal
