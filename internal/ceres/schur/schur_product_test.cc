// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_product.h"

#include <random>
#include <string>
#include <vector>

#include "ceres/kernels/every_target.h"
#include "ceres/schur/random_schur_jacobian.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

std::vector<RandomSchurOptions> Problems() {
  std::vector<RandomSchurOptions> all;
  RandomSchurOptions options;
  options.num_points = 150;
  options.num_cameras = 30;
  options.num_row_chunks = 7;
  for (const int f : {6, 9, 10}) {
    options.camera_sizes = {f};
    all.push_back(options);
  }
  options.camera_sizes = {1, 2, 3, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19};
  options.point_sizes = {1, 3, 4};
  options.max_cells = 3;
  options.repeat_cameras = true;
  options.num_other_rows = 40;
  all.push_back(options);
  // Enough blocks of S for several chunks.
  options.num_cameras = 90;
  options.num_points = 300;
  all.push_back(options);
  return all;
}

// y = S x
void ExpectSameInStages(const SchurProductOperator& product,
                        const Eigen::VectorXd& x, const Eigen::VectorXd& y) {
  const StagedProduct* staged = product.staged();
  if (staged == nullptr) return;
  EXPECT_NEAR(staged->Begin(x.data()), x.dot(y), 1e-12 * x.norm() * y.norm());
  Eigen::VectorXd by_blocks(y.size());
  const int num_blocks = static_cast<int>(staged->row_blocks().size()) - 1;
  for (int i = num_blocks; i-- > 0;) {
    staged->Finish(i, i + 1, by_blocks.data());
  }
  EXPECT_TRUE((by_blocks.array() == y.array()).all());
}

TEST(SchurProductOperator, BothKindsEqualTheDenseProductOnEveryTarget) {
  for (const RandomSchurOptions& options : Problems()) {
    const auto problem = MakeRandomSchurJacobian(options);
    const Eigen::MatrixXd s = DenseSchurComplement(*problem);
    Eigen::VectorXd x(s.cols());
    std::mt19937 random(3);
    FillWithRandomValues(&random, x.data(), x.size());
    const Eigen::VectorXd expected = s * x;
    for (const ReducedMatrix matrix :
         {ReducedMatrix::kSchurComplement, ReducedMatrix::kRemainingBlocks}) {
      for (const kernels::PointDiagonal diagonal :
           {kernels::PointDiagonal::kNone, kernels::PointDiagonal::kFused,
            kernels::PointDiagonal::kSplit}) {
        // S needs the points' part of the diagonal, C must not have it.
        const bool complement = matrix == ReducedMatrix::kSchurComplement;
        if (diagonal == (complement ? kernels::PointDiagonal::kNone
                                    : kernels::PointDiagonal::kFused)) {
          continue;
        }
        const SchurPlan plan({}, problem->structure, matrix, diagonal);
        kernels::ForEachTarget([&] {
          SchurEliminator eliminator({}, plan,
                                     complement ? SchurEliminator::KeepU::kNo
                                                : SchurEliminator::KeepU::kYes);
          std::string message;
          ASSERT_TRUE(eliminator.Eliminate(problem->jacobian,
                                           problem->damping.data(), &message));
          SchurProductOperator product({}, plan);
          product.Update(eliminator);
          Eigen::VectorXd y(x.size());
          product.Apply(x.data(), y.data());
          EXPECT_LT((y - expected).norm(), 1e-12 * expected.norm());
          EXPECT_EQ(product.staged() != nullptr, complement);
          ExpectSameInStages(product, x, y);
        });
      }
    }
  }
}

void ExpectRoundedIsClose(const RandomSchurOptions& options, double damping) {
  const auto problem = MakeRandomSchurJacobian(options);
  const BlockJacobianStructure& structure = problem->structure;
  const int first = structure.column_offset[structure.num_eliminated];
  problem->damping.tail(problem->damping.size() - first).setConstant(damping);
  const SchurPlan plan({}, structure, ReducedMatrix::kSchurComplement,
                       kernels::PointDiagonal::kFused);
  kernels::ForEachTarget([&] {
    SchurEliminator eliminator({}, plan, SchurEliminator::KeepU::kNo);
    std::string message;
    ASSERT_TRUE(eliminator.Eliminate(problem->jacobian, problem->damping.data(),
                                     &message));
    SchurProductOperator product({}, plan);
    product.Update(eliminator);
    Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(product.size(), -1.0, 1.0);
    Eigen::VectorXd exact(x.size());
    Eigen::VectorXd rounded(x.size());
    product.Apply(x.data(), exact.data());
    product.ApplyRounded(x.data(), rounded.data());
    const double error = (rounded - exact).norm() / exact.norm();
    EXPECT_NEAR(product.staged()->BeginRounded(x.data()), x.dot(rounded),
                1e-12 * x.norm() * rounded.norm());
    if (damping == 1.0) {
      EXPECT_LT(error, 3e-8);
      EXPECT_GT(error, 0.0);
    } else {
      EXPECT_EQ(error, 0.0);
    }
  });
}

TEST(SchurProductOperator, RoundedIsCloseWhereDampingAllowsItElseExact) {
  for (const int problem : {1, 3}) {
    for (const double damping : {1.0, 1e-9}) {
      ExpectRoundedIsClose(Problems()[problem], damping);
    }
  }
}

TEST(SchurProductOperator, BitsDoNotDependOnTheNumberOfThreads) {
  const RandomSchurOptions options = Problems().back();
  const auto problem = MakeRandomSchurJacobian(options);
  for (const ReducedMatrix matrix :
       {ReducedMatrix::kSchurComplement, ReducedMatrix::kRemainingBlocks}) {
    EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
      const SchurPlan plan(execution, problem->structure, matrix,
                           kernels::PointDiagonal::kSplit);
      SchurEliminator eliminator(execution, plan, SchurEliminator::KeepU::kYes);
      std::string message;
      EXPECT_TRUE(eliminator.Eliminate(problem->jacobian,
                                       problem->damping.data(), &message));
      SchurProductOperator product(execution, plan);
      product.Update(eliminator);
      Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(product.size(), -1.0, 1.0);
      Eigen::VectorXd y(x.size());
      product.Apply(x.data(), y.data());
      return y;
    }));
  }
}

}  // namespace
}  // namespace ceres::internal
