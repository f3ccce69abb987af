// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Covariances of cameras and points of a published bundle adjustment problem,
// against an independent factorization of the normal matrix.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Sparse"
#include "Eigen/SparseCholesky"
#include "bal_file.h"
#include "bal_problem.h"
#include "ceres/ceres.h"
#include "gtest/gtest.h"
#include "shared_data.h"
#include "snavely_reprojection_error.h"

namespace ceres::examples {
namespace {

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Normalized and solved, with camera 0 and point 0 constant.
class BalCovarianceTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = "bal/problem-49-1800-shrink.txt";
    const std::optional<std::string> text = internal::ReadSharedData(name);
    if (!text) GTEST_SKIP() << "No " << name << " among the shared data.";
    std::string error;
    ASSERT_TRUE(ParseBal(*text, name, &bal_, &error)) << error;
    Normalize(&bal_);
    for (int i = 0; i < bal_.num_observations(); ++i) {
      const double* pixel = &bal_.observations[2 * static_cast<size_t>(i)];
      problem_.AddResidualBlock(
          SnavelyReprojectionError::Create(pixel[0], pixel[1]), nullptr,
          bal_.camera(bal_.camera_index[i]), bal_.point(bal_.point_index[i]));
    }
    problem_.SetParameterBlockConstant(bal_.camera(0));
    problem_.SetParameterBlockConstant(bal_.point(0));
    Solver::Options options;
    options.linear_solver_type = DENSE_SCHUR;
    options.max_num_iterations = 10;
    Solver::Summary summary;
    Solve(options, &problem_, &summary);
  }

  // Cameras, far apart and near, and points.
  std::vector<const double*> SomeBlocks() {
    return {bal_.camera(0),  bal_.camera(1),   bal_.camera(2),
            bal_.camera(48), bal_.point(1799), bal_.point(5)};
  }
  static constexpr int kSize = 4 * 9 + 2 * 3;

  BalProblem bal_;
  Problem problem_;
};

TEST_F(BalCovarianceTest, IsTheInverseOfTheNormalMatrix) {
  // The varying ones of SomeBlocks() stand first.
  Problem::EvaluateOptions options;
  for (const double* block : SomeBlocks()) {
    if (problem_.IsParameterBlockConstant(block)) continue;
    options.parameter_blocks.push_back(const_cast<double*>(block));
  }
  const std::vector<double*> first = options.parameter_blocks;
  std::vector<double*> all;
  problem_.GetParameterBlocks(&all);
  for (double* block : all) {
    if (problem_.IsParameterBlockConstant(block) ||
        std::find(first.begin(), first.end(), block) != first.end()) {
      continue;
    }
    options.parameter_blocks.push_back(block);
  }
  CRSMatrix crs;
  ASSERT_TRUE(problem_.Evaluate(options, nullptr, nullptr, nullptr, &crs));
  const Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>> j(
      crs.num_rows, crs.num_cols, static_cast<Eigen::Index>(crs.values.size()),
      crs.rows.data(), crs.cols.data(), crs.values.data());
  const Eigen::SparseMatrix<double> normal = j.transpose() * j;
  // The normal matrix is ill-conditioned until its columns are of length one.
  const Eigen::VectorXd scale = normal.diagonal().array().rsqrt().matrix();
  const Eigen::SparseMatrix<double> scaled =
      scale.asDiagonal() * normal * scale.asDiagonal();
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> cholesky(scaled);
  ASSERT_EQ(cholesky.info(), Eigen::Success);
  constexpr int kVarying = kSize - 9;
  const Eigen::MatrixXd columns =
      cholesky.solve(Eigen::MatrixXd::Identity(crs.num_cols, kVarying));

  Covariance covariance{Covariance::Options()};
  ASSERT_TRUE(covariance.Compute(SomeBlocks(), &problem_));
  RowMajor matrix(kSize, kSize);
  ASSERT_TRUE(covariance.GetCovarianceMatrix(SomeBlocks(), matrix.data()));
  EXPECT_EQ(matrix.topRows(9).norm(), 0.0);
  EXPECT_EQ(matrix.leftCols(9).norm(), 0.0);
  const auto inverse_scale = scale.head(kVarying).cwiseInverse().asDiagonal();
  const Eigen::MatrixXd found = inverse_scale *
                                matrix.bottomRightCorner(kVarying, kVarying) *
                                inverse_scale;
  EXPECT_LT((found - columns.topRows(kVarying)).norm(),
            1e-6 * columns.topRows(kVarying).norm());
}

TEST_F(BalCovarianceTest, HasTheSameBitsForEveryNumberOfThreads) {
  RowMajor expected;
  for (const int num_threads : {1, 2, 4, 8}) {
    Covariance::Options options;
    options.num_threads = num_threads;
    Covariance covariance(options);
    ASSERT_TRUE(covariance.Compute(SomeBlocks(), &problem_));
    RowMajor matrix(kSize, kSize);
    ASSERT_TRUE(covariance.GetCovarianceMatrix(SomeBlocks(), matrix.data()));
    if (num_threads == 1) expected = matrix;
    EXPECT_EQ(matrix, expected) << num_threads << " threads";
  }
}

TEST_F(BalCovarianceTest, BothOrderingsAgree) {
  RowMajor expected;
  for (const auto library : {EIGEN_SPARSE, SUITE_SPARSE}) {
    if (!IsSparseLinearAlgebraLibraryTypeAvailable(library)) continue;
    Covariance::Options options;
    options.sparse_linear_algebra_library_type = library;
    Covariance covariance(options);
    ASSERT_TRUE(covariance.Compute(SomeBlocks(), &problem_));
    RowMajor matrix(kSize, kSize);
    ASSERT_TRUE(covariance.GetCovarianceMatrix(SomeBlocks(), matrix.data()));
    if (expected.size() == 0) expected = matrix;
    EXPECT_LT((matrix - expected).norm(), 1e-9 * expected.norm());
  }
}

TEST_F(BalCovarianceTest, APointWithoutResidualsChangesNothing) {
  RowMajor expected(kSize, kSize);
  RowMajor matrix(kSize, kSize);
  Covariance covariance{Covariance::Options()};
  ASSERT_TRUE(covariance.Compute(SomeBlocks(), &problem_));
  ASSERT_TRUE(covariance.GetCovarianceMatrix(SomeBlocks(), expected.data()));
  double point[3] = {0.0, 0.0, 0.0};
  problem_.AddParameterBlock(point, 3);
  ASSERT_TRUE(covariance.Compute(SomeBlocks(), &problem_));
  ASSERT_TRUE(covariance.GetCovarianceMatrix(SomeBlocks(), matrix.data()));
  EXPECT_LT((matrix - expected).norm(), 1e-9 * expected.norm());
}

}  // namespace
}  // namespace ceres::examples
