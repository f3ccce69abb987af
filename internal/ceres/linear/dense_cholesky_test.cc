// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// DenseCholesky; see sparse_cholesky_test.cc for SparseCholesky.

#include "ceres/linear/dense_cholesky.h"

#include <limits>
#include <vector>

#include "Eigen/Core"
#include "ceres/internal/config.h"
#include "ceres/internal/eigen.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::HasSubstr;
using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<DenseLinearAlgebraLibraryType> Libraries() {
#ifdef CERES_NO_LAPACK
  return {EIGEN};
#else
  return {EIGEN, LAPACK};
#endif
}

class DenseCholeskyTest
    : public testing::TestWithParam<DenseLinearAlgebraLibraryType> {
 protected:
  std::unique_ptr<DenseCholesky> cholesky_ = DenseCholesky::Create(GetParam());
  std::string message_;
};

RowMajor PositiveDefiniteMatrix(int n) {
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(n, n);
  return b * b.transpose() + Eigen::MatrixXd::Identity(n, n);
}

TEST_P(DenseCholeskyTest, SolvesReadingOnlyTheUpperTriangle) {
  for (const int n : {1, 2, 9, 54, 97, 144, 201}) {
    const RowMajor a = PositiveDefiniteMatrix(n);
    RowMajor factor = a;
    factor.triangularView<Eigen::StrictlyLower>().setConstant(
        std::numeric_limits<double>::quiet_NaN());
    ASSERT_EQ(cholesky_->Factorize(n, factor.data(), &message_),
              LinearSolverTermination::kSuccess);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    Eigen::VectorXd x(n);
    cholesky_->Solve(b.data(), x.data());
    EXPECT_LT((a * x - b).norm(), 1e-13 * a.norm() * (x.norm() + 1.0));
    Eigen::VectorXd in_place = b;
    cholesky_->Solve(in_place.data(), in_place.data());
    EXPECT_TRUE(in_place == x);
  }
}

TEST_P(DenseCholeskyTest, EmptyMatrix) {
  EXPECT_EQ(cholesky_->Factorize(0, nullptr, &message_),
            LinearSolverTermination::kSuccess);
  cholesky_->Solve(nullptr, nullptr);
}

TEST_P(DenseCholeskyTest, IndefiniteMatrixFailsAndNamesThePivot) {
  RowMajor a = PositiveDefiniteMatrix(60);
  a(41, 41) = -1.0;
  EXPECT_EQ(cholesky_->Factorize(60, a.data(), &message_),
            LinearSolverTermination::kFailure);
  EXPECT_THAT(message_, HasSubstr("pivot 41 of 60"));
}

TEST_P(DenseCholeskyTest, NanFails) {
  RowMajor a = PositiveDefiniteMatrix(60);
  a(13, 30) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cholesky_->Factorize(60, a.data(), &message_),
            LinearSolverTermination::kFailure);
  EXPECT_THAT(message_, HasSubstr("pivot"));
}

// normal/mixed_precision_test.cc tests refinement.
TEST_P(DenseCholeskyTest, SinglePrecisionLeavesTheMatrixAsItIs) {
  cholesky_ = DenseCholesky::CreateSinglePrecision(GetParam());
  for (const int n : {0, 1, 9, 60, 97, 201}) {
    const RowMajor a = PositiveDefiniteMatrix(n);
    RowMajor given = a;
    ASSERT_EQ(cholesky_->Factorize(n, given.data(), &message_),
              LinearSolverTermination::kSuccess);
    EXPECT_EQ(given, a);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    Eigen::VectorXd x = b;
    cholesky_->Solve(x.data(), x.data());
    const double bound = 1e-5 * a.norm() * x.norm();
    EXPECT_LE((a * x - b).norm(), bound);
    if (n >= 60) {
      EXPECT_GT((a * x - b).norm(), 1e-6 * bound) << "it is in double";
    }
  }
}

TEST_P(DenseCholeskyTest, SinglePrecisionFailsWhereDoubleWouldNot) {
  cholesky_ = DenseCholesky::CreateSinglePrecision(GetParam());
  RowMajor a = PositiveDefiniteMatrix(20);
  for (const double value :
       {-1.0, 1e39, std::numeric_limits<double>::quiet_NaN()}) {
    a(7, 7) = value;
    EXPECT_EQ(cholesky_->Factorize(20, a.data(), &message_),
              LinearSolverTermination::kFailure)
        << value;
    EXPECT_THAT(message_, HasSubstr("single precision"));
  }
}

INSTANTIATE_TEST_SUITE_P(Libraries, DenseCholeskyTest,
                         testing::ValuesIn(Libraries()));

TEST(DenseCholeskyDeathTest, LibraryThatIsNotThere) {
  EXPECT_DEATH(DenseCholesky::Create(CUDA), "not part of this build");
}

}  // namespace
}  // namespace ceres::internal
