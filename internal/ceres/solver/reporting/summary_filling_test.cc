// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/reporting/summary_filling.h"

#include <memory>
#include <string>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A camera of three parameters, two of which vary, and two points of two.
class SummaryFillingTest : public testing::Test {
 protected:
  SummaryFillingTest() {
    problem_.AddParameterBlock(camera_, 3, new SubsetManifold(3, {1}));
    for (int i = 0; i < 2; ++i) {
      problem_.AddResidualBlock(new SineCost(4, {3, 2}, i), nullptr, camera_,
                                points_[i]);
    }
  }

  std::unique_ptr<Preparation> Prepare() {
    ProblemImpl* impl = problem_.mutable_impl();
    std::string error;
    std::unique_ptr<Preparation> prepared = Preprocess(
        options_, *impl, std::make_shared<SolveExecution>(ThreadChoice(), impl),
        ReduceProblem(*impl, {}), CarriedOrder(), &error);
    EXPECT_NE(prepared, nullptr) << error;
    return prepared;
  }

  double camera_[3] = {};
  double points_[2][2] = {};
  Problem problem_;
  Solver::Options options_;
  Solver::Summary summary_;
};

TEST_F(SummaryFillingTest, GivenAreTheOptions) {
  options_.minimizer_type = LINE_SEARCH;
  options_.linear_solver_type = CGNR;
  options_.preconditioner_type = IDENTITY;
  options_.num_threads = 3;
  options_.max_lbfgs_rank = 7;
  options_.use_inner_iterations = true;
  FillGiven(options_, *problem_.mutable_impl(), &summary_);
  EXPECT_EQ(summary_.minimizer_type, LINE_SEARCH);
  EXPECT_EQ(summary_.linear_solver_type_given, CGNR);
  EXPECT_EQ(summary_.linear_solver_type_used, CGNR);
  EXPECT_EQ(summary_.preconditioner_type_given, IDENTITY);
  EXPECT_EQ(summary_.preconditioner_type_used, IDENTITY);
  EXPECT_EQ(summary_.num_threads_given, 3);
  EXPECT_EQ(summary_.max_lbfgs_rank, 7);
  EXPECT_TRUE(summary_.inner_iterations_given);
  EXPECT_FALSE(summary_.inner_iterations_used);
}

TEST_F(SummaryFillingTest, GivenAreTheSizesOfTheGroups) {
  const auto ordering = std::make_shared<ParameterBlockOrdering>();
  ordering->AddElementToGroup(camera_, 5);
  ordering->AddElementToGroup(points_[0], 2);
  ordering->AddElementToGroup(points_[1], 2);
  options_.linear_solver_ordering = ordering;
  FillGiven(options_, *problem_.mutable_impl(), &summary_);
  EXPECT_THAT(summary_.linear_solver_ordering_given, ElementsAre(2, 1));
  EXPECT_THAT(summary_.inner_iteration_ordering_given, IsEmpty());
}

TEST_F(SummaryFillingTest, GivenIsTheSizeOfTheProblem) {
  FillGiven(options_, *problem_.mutable_impl(), &summary_);
  EXPECT_EQ(summary_.num_parameter_blocks, 3);
  EXPECT_EQ(summary_.num_parameters, 7);
  EXPECT_EQ(summary_.num_effective_parameters, 6);
  EXPECT_EQ(summary_.num_residual_blocks, 2);
  EXPECT_EQ(summary_.num_residuals, 8);
}

TEST_F(SummaryFillingTest, PreparationHasTheSizeOfTheReducedProblem) {
  problem_.SetParameterBlockConstant(points_[0]);
  problem_.SetParameterUpperBound(points_[1], 0, 9.0);
  FillPreparation(*Prepare(), &summary_);
  EXPECT_EQ(summary_.num_parameter_blocks_reduced, 2);
  EXPECT_EQ(summary_.num_parameters_reduced, 5);
  EXPECT_EQ(summary_.num_effective_parameters_reduced, 4);
  EXPECT_EQ(summary_.num_residual_blocks_reduced, 2);
  EXPECT_EQ(summary_.num_residuals_reduced, 8);
  EXPECT_TRUE(summary_.is_constrained);
}

TEST_F(SummaryFillingTest, PreparationOfASchurSolverHasASchurStructure) {
  options_.linear_solver_type = SPARSE_SCHUR;
  FillPreparation(*Prepare(), &summary_);
  EXPECT_EQ(summary_.linear_solver_type_used, SPARSE_SCHUR);
  EXPECT_THAT(summary_.linear_solver_ordering_used, ElementsAre(2, 1));
  EXPECT_EQ(summary_.schur_structure_used, "4,2,2");
  EXPECT_EQ(summary_.schur_structure_given, "4,2,2");
}

TEST_F(SummaryFillingTest, PreparationCorrectsWhatIsUsed) {
  const auto ordering = std::make_shared<ParameterBlockOrdering>();
  ordering->AddElementToGroup(camera_, 1);
  ordering->AddElementToGroup(points_[0], 0);
  ordering->AddElementToGroup(points_[1], 1);
  options_.linear_solver_ordering = ordering;
  options_.linear_solver_type = DENSE_SCHUR;
  options_.use_mixed_precision_solves = true;
  problem_.SetParameterBlockConstant(points_[0]);
  FillGiven(options_, *problem_.mutable_impl(), &summary_);
  EXPECT_TRUE(summary_.mixed_precision_solves_used);
  FillPreparation(*Prepare(), &summary_);
  EXPECT_EQ(summary_.linear_solver_type_given, DENSE_SCHUR);
  EXPECT_EQ(summary_.linear_solver_type_used, DENSE_QR);
  EXPECT_FALSE(summary_.mixed_precision_solves_used);
  EXPECT_EQ(summary_.schur_structure_used, "");
}

TEST_F(SummaryFillingTest, InnerIterationsHaveTheSizesOfTheirSets) {
  FillInnerIterations({true, {{0, 2}, {1}}}, &summary_);
  EXPECT_TRUE(summary_.inner_iterations_used);
  EXPECT_THAT(summary_.inner_iteration_ordering_used, ElementsAre(2, 1));
}

TEST_F(SummaryFillingTest, NothingToMinimizeConvergesAtTheFixedCost) {
  summary_.fixed_cost = 2.5;
  FillNothingToMinimize(&summary_);
  EXPECT_EQ(summary_.termination_type, CONVERGENCE);
  EXPECT_EQ(summary_.initial_cost, 2.5);
  EXPECT_EQ(summary_.final_cost, 2.5);
  EXPECT_THAT(summary_.message, HasSubstr("Nothing to minimize"));
}

}  // namespace
}  // namespace ceres::internal
