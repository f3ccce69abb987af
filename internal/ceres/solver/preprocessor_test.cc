// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/preprocessor.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/problem.h"
#include "ceres/solver/kept_preparation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two cameras, 0 and 1, of two parameters, and three points, 2 to 4, of one.
// Each point is seen from each camera.
class PreprocessorTest : public testing::Test {
 protected:
  static constexpr int kNumCameras = 2;
  static constexpr int kNumBlocks = 5;

  PreprocessorTest() {
    for (int b = 0; b < kNumBlocks; ++b) {
      problem_.AddParameterBlock(values_[b], b < kNumCameras ? 2 : 1);
    }
    for (int point = kNumCameras; point < kNumBlocks; ++point) {
      for (int camera = 0; camera < kNumCameras; ++camera) {
        rows_.push_back(problem_.AddResidualBlock(
            new SineCost(2, {2, 1}, static_cast<int>(rows_.size())), nullptr,
            values_[camera], values_[point]));
      }
    }
    options_.linear_solver_type = DENSE_SCHUR;
  }

  // Groups by block; blocks of group -1 are left out.
  void SetGroups(const std::vector<int>& groups) {
    options_.linear_solver_ordering =
        std::make_shared<ParameterBlockOrdering>();
    for (int b = 0; b < kNumBlocks; ++b) {
      if (groups[b] < 0) continue;
      options_.linear_solver_ordering->AddElementToGroup(values_[b], groups[b]);
    }
  }

  std::unique_ptr<Preparation> Run() {
    ProblemImpl* impl = problem_.mutable_impl();
    execution_ = std::make_shared<SolveExecution>(ThreadChoice(), impl);
    execution_->stop().Set(token_, StopSignal::Clock::time_point::max());
    return Preprocess(options_, *impl, execution_,
                      ReduceProblem(*impl, execution_->get()), CarriedOrder(),
                      &error_);
  }

  double values_[kNumBlocks][2] = {};
  Problem problem_;
  std::vector<ResidualBlockId> rows_;
  Solver::Options options_;
  std::shared_ptr<SolveExecution> execution_;
  parallel::CancellationToken token_;
  std::string error_;
};

TEST_F(PreprocessorTest, CreatesAllPartsForATrustRegion) {
  const std::unique_ptr<Preparation> prepared = Run();
  ASSERT_NE(prepared, nullptr) << error_;
  EXPECT_EQ(prepared->execution, execution_);
  EXPECT_EQ(prepared->sizes.num_parameter_blocks, 5);
  EXPECT_EQ(prepared->sizes.num_parameters, 7);
  EXPECT_EQ(prepared->sizes.num_effective_parameters, 7);
  EXPECT_EQ(prepared->sizes.num_residual_blocks, 6);
  EXPECT_EQ(prepared->sizes.num_residuals, 12);
  EXPECT_FALSE(prepared->sizes.is_constrained);
  EXPECT_THAT(prepared->group_sizes, ElementsAre(3, 2));
  EXPECT_EQ(prepared->linear_method.type, DENSE_SCHUR);
  EXPECT_EQ(prepared->program->num_eliminated(), 3);
  EXPECT_EQ(prepared->evaluator->structure().num_eliminated, 3);
  EXPECT_FALSE(prepared->checked);
  EXPECT_NE(prepared->linear_solver, nullptr);
}

// A cost function that must not be evaluated.
class SizesOnly : public CostFunction {
 public:
  SizesOnly(int num_residuals, int num_parameters) {
    set_num_residuals(num_residuals);
    mutable_parameter_block_sizes()->push_back(num_parameters);
  }
  bool Evaluate(double const* const*, double*, double**) const override {
    ADD_FAILURE() << "Sizes are checked before anything is evaluated.";
    return false;
  }
};

// A residual block whose derivatives an int cannot count. It is refused before
// anything of its size is allocated or evaluated.
TEST_F(PreprocessorTest, RefusesAResidualBlockThatIsTooLarge) {
  std::vector<double> large(1 << 11);
  problem_.AddResidualBlock(new SizesOnly(1 << 20, 1 << 11), nullptr,
                            large.data());
  EXPECT_EQ(Run(), nullptr);
  EXPECT_THAT(error_, AllOf(HasSubstr("2148532224"),
                            HasSubstr("Use several residual blocks")));
}

TEST_F(PreprocessorTest, LineSearchNeedsNeitherOrderNorLinearSolver) {
  options_.minimizer_type = LINE_SEARCH;
  const std::unique_ptr<Preparation> prepared = Run();
  ASSERT_NE(prepared, nullptr) << error_;
  EXPECT_EQ(prepared->program->num_eliminated(), 0);
  EXPECT_EQ(prepared->program->parameter_blocks(),
            problem_.mutable_impl()->parameter_blocks());
  EXPECT_TRUE(prepared->evaluator);
  EXPECT_EQ(prepared->linear_solver, nullptr);
  EXPECT_THAT(prepared->group_sizes, IsEmpty());
}

TEST_F(PreprocessorTest, LineSearchRefusesBounds) {
  problem_.SetParameterLowerBound(values_[1], 0, -1.0);
  options_.minimizer_type = LINE_SEARCH;
  EXPECT_EQ(Run(), nullptr);
  EXPECT_THAT(error_,
              AllOf(HasSubstr("ParameterBlock 1"), HasSubstr("LINE_SEARCH")));
  options_.minimizer_type = TRUST_REGION;
  const std::unique_ptr<Preparation> prepared = Run();
  ASSERT_NE(prepared, nullptr);
  EXPECT_TRUE(prepared->sizes.is_constrained);
}

TEST_F(PreprocessorTest, ErrorsOfTheOrderAreReported) {
  SetGroups({0, 0, 1, 1, -1});
  EXPECT_EQ(Run(), nullptr);
  EXPECT_THAT(error_, HasSubstr("linear_solver_ordering"));
}

TEST_F(PreprocessorTest, AnEmptyLowestGroupReplacesTheLinearSolver) {
  SetGroups({0, 1, 1, 1, 1});
  problem_.SetParameterBlockConstant(values_[0]);
  const std::unique_ptr<Preparation> prepared = Run();
  ASSERT_NE(prepared, nullptr) << error_;
  EXPECT_EQ(prepared->linear_method.type, DENSE_QR);
  EXPECT_EQ(prepared->program->num_eliminated(), 0);
}

TEST_F(PreprocessorTest, FixedResidualBlocksLeaveTheProgram) {
  problem_.SetParameterBlockConstant(values_[0]);
  problem_.SetParameterBlockConstant(values_[2]);
  const std::unique_ptr<Preparation> prepared = Run();
  ASSERT_NE(prepared, nullptr) << error_;
  EXPECT_THAT(prepared->fixed_residual_blocks, ElementsAre(rows_[0]));
  EXPECT_EQ(prepared->program->num_row_blocks(), 5);
}

TEST_F(PreprocessorTest, SubsetWithoutRowsIsAnError) {
  options_.linear_solver_type = CGNR;
  options_.preconditioner_type = SUBSET;
  options_.residual_blocks_for_subset_preconditioner = {rows_[1], rows_[3]};
  EXPECT_NE(Run(), nullptr) << error_;
  problem_.RemoveResidualBlock(rows_[3]);
  problem_.RemoveResidualBlock(rows_[1]);
  EXPECT_EQ(Run(), nullptr);
  EXPECT_THAT(error_, HasSubstr("residual_blocks_for_subset_preconditioner"));
}

TEST_F(PreprocessorTest, MergesCamerasThatOccurTogether) {
  for (int camera = 0; camera < kNumCameras; ++camera) {
    problem_.SetParameterBlockConstant(values_[camera]);
  }
  double pose[2] = {0.0, 0.0};
  for (int point = kNumCameras; point < kNumBlocks; ++point) {
    problem_.AddResidualBlock(new SineCost(2, {1, 1, 1}, point), nullptr,
                              &pose[0], &pose[1], values_[point]);
  }
  for (const LinearSolverType type : {DENSE_SCHUR, ITERATIVE_SCHUR}) {
    options_.linear_solver_type = type;
    const std::unique_ptr<Preparation> merged = Run();
    ASSERT_NE(merged, nullptr) << error_;
    EXPECT_EQ(merged->evaluator->structure().num_column_blocks(),
              merged->program->num_column_blocks() - 1);
  }
  options_.linear_solver_type = CGNR;
  const std::unique_ptr<Preparation> separate = Run();
  ASSERT_NE(separate, nullptr) << error_;
  EXPECT_EQ(separate->evaluator->structure().num_column_blocks(),
            separate->program->num_column_blocks());
}

TEST_F(PreprocessorTest, GradientChecksReplaceTheCostFunctions) {
  options_.check_gradients = true;
  const std::unique_ptr<Preparation> prepared = Run();
  ASSERT_TRUE(prepared->checked);
  EXPECT_NE(prepared->program->cost_functions()[0],
            problem_.GetCostFunctionForResidualBlock(rows_[0]));
  EXPECT_FALSE(prepared->checked->found_error());
}

TEST_F(PreprocessorTest, StopsWhenTheTokenSaysSo) {
  parallel::CancellationSource source;
  token_ = source.token();
  EXPECT_NE(Run(), nullptr);
  source.Cancel();
  EXPECT_THROW(static_cast<void>(Run()), Stopped);
}

TEST_F(PreprocessorTest, PreparationsAreKeptForSolvesThatFit) {
  ProblemImpl* impl = problem_.mutable_impl();
  options_.keep_preprocessing = true;
  for (const int max_threads : {1, 2}) {
    std::unique_ptr<Preparation> prepared = Run();
    const Preparation* const expected =
        max_threads == 1 ? prepared.get() : nullptr;
    KeepPreparation(options_, std::move(prepared), impl);
    ThreadChoice threads;
    threads.max_threads = max_threads;
    EXPECT_EQ(TakeKeptPreparation(options_, threads, impl).preparation.get(),
              expected);
    EXPECT_EQ(impl->kept_preprocessing(), nullptr);
  }
}

TEST_F(PreprocessorTest, NothingIsKeptUnlessTheOptionIsSet) {
  ProblemImpl* impl = problem_.mutable_impl();
  options_.keep_preprocessing = false;
  KeepPreparation(options_, Run(), impl);
  EXPECT_EQ(impl->kept_preprocessing(), nullptr);
}

}  // namespace
}  // namespace ceres::internal
