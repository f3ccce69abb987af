// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/memory_check.h"

#include <memory>
#include <string>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// One residual block with 2 residuals, parameter blocks of 300 and of 10. No
// array of a matrix is allocated.
class MemoryCheckTest : public testing::Test {
 protected:
  MemoryCheckTest() : large_(300, 0.0), small_(10, 0.0) {
    problem_.AddResidualBlock(new SineCost(2, {10, 300}, 1), nullptr,
                              small_.data(), large_.data());
    structure_.column_offset = {0, 10, 310};
    AppendRowBlock(2, {0, 1}, &structure_);
  }

  struct Choice {
    LinearSolverType type;
    PreconditionerType preconditioner;
  };

  std::string ErrorWith(Choice choice, double num_values) {
    Solver::Options options;
    options.linear_solver_type = choice.type;
    options.preconditioner_type = choice.preconditioner;
    const ProblemImpl& impl = *problem_.mutable_impl();
    const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
    return FindMemoryError(ChooseLinearMethod(options, true), structure_,
                           program, {}, num_values * sizeof(double));
  }

  // Expects an error with less than `num_values` and the Jacobian in memory.
  void ExpectBound(Choice choice, double num_values) {
    const double total = num_values + structure_.num_values();
    EXPECT_EQ(ErrorWith(choice, total), "");
    EXPECT_THAT(ErrorWith(choice, total - 1.0),
                AllOf(HasSubstr(LinearSolverTypeToString(choice.type)),
                      HasSubstr("GB"), HasSubstr("Set ")));
  }

  std::vector<double> large_;
  std::vector<double> small_;
  Problem problem_;
  BlockJacobianStructure structure_;
};

TEST_F(MemoryCheckTest, CountsTheDenseMatricesOfEachSolver) {
  const double of_blocks = 0.5 * (10.0 * 10.0 + 300.0 * 300.0);
  ExpectBound({DENSE_QR, IDENTITY}, 312.0 * 311.0);
  ExpectBound({DENSE_NORMAL_CHOLESKY, IDENTITY}, 310.0 * 310.0);
  ExpectBound({SPARSE_NORMAL_CHOLESKY, IDENTITY}, of_blocks);
  ExpectBound({CGNR, JACOBI}, 2.0 * of_blocks);
  structure_.num_eliminated = 1;
  const double of_both = 0.5 * 10.0 * 10.0 + 300.0 * 300.0;
  ExpectBound({DENSE_SCHUR, IDENTITY}, of_both);
  ExpectBound({SPARSE_SCHUR, IDENTITY}, of_blocks);
  ExpectBound({ITERATIVE_SCHUR, SCHUR_JACOBI}, of_both);
  ExpectBound({ITERATIVE_SCHUR, CLUSTER_JACOBI}, of_both);
  ExpectBound({ITERATIVE_SCHUR, IDENTITY}, 0.5 * 10.0 * 10.0);
}

TEST_F(MemoryCheckTest, CgnrWithoutPreconditionerNeedsTheJacobianAlone) {
  EXPECT_EQ(ErrorWith({CGNR, IDENTITY}, structure_.num_values()), "");
  EXPECT_THAT(ErrorWith({CGNR, IDENTITY}, structure_.num_values() - 1.0),
              HasSubstr("The Jacobian takes"));
}

TEST_F(MemoryCheckTest, NamesTheLargestBlockAndTheOption) {
  EXPECT_THAT(ErrorWith({CGNR, JACOBI}, 1e4),
              AllOf(HasSubstr("ParameterBlock 1"), HasSubstr("size 300"),
                    HasSubstr("preconditioner_type = IDENTITY")));
}

TEST_F(MemoryCheckTest, AcceptsAllIfTheMemoryIsNotKnown) {
  EXPECT_EQ(ErrorWith({DENSE_QR, IDENTITY}, 0.0), "");
}

// DENSE_QR of 2 residuals by 300 columns.
TEST_F(MemoryCheckTest, InnerIterationsOverALargeBlockNeedDenseMatrices) {
  const ProblemImpl& impl = *problem_.mutable_impl();
  const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
  const double bytes = (302.0 * 301.0 + 600.0) * sizeof(double);
  EXPECT_EQ(FindInnerMemoryError(program, {{0}, {1}}, bytes), "");
  EXPECT_EQ(FindInnerMemoryError(program, {{0}}, bytes - 1.0), "");
  EXPECT_THAT(
      FindInnerMemoryError(program, {{0}, {1}}, bytes - 1.0),
      AllOf(HasSubstr("use_inner_iterations"), HasSubstr("GB"),
            HasSubstr("size 300"), HasSubstr("inner_iteration_ordering")));
  EXPECT_EQ(FindInnerMemoryError(program, {{0}, {1}}), "");
}

// 200,000 blocks in one residual block, and a residual for each: J'J has 2e10
// entries, although no block is large.
TEST(SolveWithManyBlocks, AResidualBlockThatCouplesAllIsRefused) {
  constexpr int kNumBlocks = 200000;
  std::vector<double> x(kNumBlocks, 0.0);
  std::vector<double*> all;
  Problem problem;
  for (double& value : x) {
    all.push_back(&value);
    problem.AddResidualBlock(new SineCost(1, {1}, 1), nullptr, &value);
  }
  problem.AddResidualBlock(
      new FunctionCost(1, std::vector<int>(kNumBlocks, 1),
                       [](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0];
                         for (int i = 0; j != nullptr && i < kNumBlocks; ++i) {
                           if (j[i] != nullptr) j[i][0] = i == 0 ? 1.0 : 0.0;
                         }
                         return true;
                       }),
      nullptr, all);
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
  EXPECT_THAT(summary.message,
              AllOf(HasSubstr("GB"), HasSubstr("200000 columns")));
  EXPECT_EQ(x[0], 0.0);
}

TEST(SolveWithAHugeBlock, InnerIterationsAreRefused) {
  constexpr int kSize = 4000000;
  std::vector<double> x(kSize, 0.0);
  double y = 0.0;
  Problem problem;
  problem.AddResidualBlock(
      new FunctionCost(1, {kSize, 1},
                       [](double const* const* p, double* r, double** j) {
                         r[0] = p[0][0] + p[1][0] - 1.0;
                         if (j == nullptr) return true;
                         if (j[0] != nullptr) {
                           std::fill_n(j[0], kSize, 0.0);
                           j[0][0] = 1.0;
                         }
                         if (j[1] != nullptr) j[1][0] = 1.0;
                         return true;
                       }),
      nullptr, x.data(), &y);
  Solver::Options options;
  options.linear_solver_type = CGNR;
  options.preconditioner_type = IDENTITY;
  options.use_inner_iterations = true;
  options.inner_iteration_ordering = std::make_shared<ParameterBlockOrdering>();
  options.inner_iteration_ordering->AddElementToGroup(x.data(), 0);
  Solver::Summary summary;
  Solve(options, &problem, &summary);
  EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
  EXPECT_THAT(summary.message, HasSubstr("use_inner_iterations"));
  EXPECT_EQ(x[0], 0.0);
}

// A block of 4e6 parameters: the matrices have 6e4 GB and more.
TEST(SolveWithAHugeBlock, IsRefusedBeforeMemoryIsAllocated) {
  constexpr int kSize = 4000000;
  std::vector<double> x(kSize, 0.0);
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, CGNR}) {
    Problem problem;
    problem.AddResidualBlock(
        new FunctionCost(1, {kSize},
                         [](double const* const* p, double* r, double** j) {
                           r[0] = p[0][0] - 1.0;
                           if (j == nullptr || j[0] == nullptr) return true;
                           std::fill_n(j[0], kSize, 0.0);
                           j[0][0] = 1.0;
                           return true;
                         }),
        nullptr, x.data());
    Solver::Options options;
    options.linear_solver_type = type;
    Solver::Summary summary;
    Solve(options, &problem, &summary);
    EXPECT_EQ(summary.termination_type, FAILURE) << summary.FullReport();
    EXPECT_THAT(summary.message, HasSubstr("GB"));
    EXPECT_EQ(x[0], 0.0);
    if (type != CGNR) continue;
    options.preconditioner_type = IDENTITY;
    Solve(options, &problem, &summary);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.FullReport();
    EXPECT_NEAR(x[0], 1.0, 1e-3);
  }
}

}  // namespace
}  // namespace ceres::internal
