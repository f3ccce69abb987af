// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/context.h"
#include "ceres/covariance.h"
#include "ceres/crs_matrix.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/ordered_groups.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

using testing::ElementsAre;

// r = (x0 - 1, x1 + y)
struct Residual {
  template <typename T>
  bool operator()(const T* x, const T* y, T* residuals) const {
    residuals[0] = x[0] - 1.0;
    residuals[1] = x[1] + y[0];
    return true;
  }
};

CostFunction* NewCost() {
  return new AutoDiffCostFunction<Residual, 2, 2, 1>(new Residual);
}

TEST(ProblemH, OptionsHaveTheDocumentedTypesAndDefaults) {
  const Problem::Options options;
  EXPECT_EQ(options.cost_function_ownership, OfType{TAKE_OWNERSHIP});
  EXPECT_EQ(options.loss_function_ownership, OfType{TAKE_OWNERSHIP});
  EXPECT_EQ(options.manifold_ownership, OfType{TAKE_OWNERSHIP});
  EXPECT_EQ(options.enable_fast_removal, OfType{false});
  EXPECT_EQ(options.disable_all_safety_checks, OfType{false});
  EXPECT_EQ(options.context, OfType<Context*>{nullptr});
  EXPECT_EQ(options.evaluation_callback, OfType<EvaluationCallback*>{nullptr});
}

TEST(ProblemH, EvaluateOptionsHaveTheDocumentedTypesAndDefaults) {
  const Problem::EvaluateOptions options;
  EXPECT_EQ(options.parameter_blocks, OfType<std::vector<double*>>{});
  EXPECT_EQ(options.residual_blocks, OfType<std::vector<ResidualBlockId>>{});
  EXPECT_EQ(options.apply_loss_function, OfType{true});
  EXPECT_EQ(options.num_threads, OfType{1});
}

// Names that the header declares and leaves to others to define.
TEST(ProblemH, DeclaresWhatItPointsTo) {
  EXPECT_EQ(static_cast<EvaluationCallback*>(nullptr),
            Problem::Options().evaluation_callback);
  static_assert(std::is_class_v<CostFunction>);
  static_assert(std::is_class_v<LossFunction>);
  static_assert(std::is_class_v<Manifold>);
  static_assert(std::is_class_v<Solver>);
  static_assert(std::is_class_v<CRSMatrix>);
  static_assert(std::is_class_v<internal::ProblemImpl>);
  static_assert(std::is_class_v<internal::ParameterBlock>);
  static_assert(std::is_same_v<ResidualBlockId, internal::ResidualBlock*>);
}

TEST(ProblemH, AddsAndRemovesBlocks) {
  double x[] = {3.0, 4.0};
  double y = 5.0;
  double z = 0.0;
  Problem::Options options;
  options.enable_fast_removal = true;
  Problem problem(options);
  EXPECT_TRUE(problem.options().enable_fast_removal);
  EXPECT_NE(problem.mutable_impl(), nullptr);
  problem.AddParameterBlock(x, 2);
  problem.AddParameterBlock(&z, 1, new EuclideanManifold<1>);
  CostFunction* cost = NewCost();
  LossFunction* loss = new TrivialLoss;
  double* const blocks[] = {x, &y};
  const ResidualBlockId first = problem.AddResidualBlock(cost, loss, x, &y);
  const ResidualBlockId second =
      problem.AddResidualBlock(NewCost(), nullptr, std::vector<double*>{x, &y});
  const ResidualBlockId third =
      problem.AddResidualBlock(NewCost(), nullptr, blocks, 2);

  EXPECT_EQ(problem.NumParameterBlocks(), 3);
  EXPECT_EQ(problem.NumParameters(), 4);
  EXPECT_EQ(problem.NumResidualBlocks(), 3);
  EXPECT_EQ(problem.NumResiduals(), 6);
  EXPECT_EQ(problem.ParameterBlockSize(x), 2);
  EXPECT_EQ(problem.ParameterBlockTangentSize(x), 2);
  EXPECT_TRUE(problem.HasParameterBlock(&y));
  EXPECT_EQ(problem.GetCostFunctionForResidualBlock(first), cost);
  EXPECT_EQ(problem.GetLossFunctionForResidualBlock(first), loss);

  std::vector<double*> parameter_blocks;
  problem.GetParameterBlocks(&parameter_blocks);
  EXPECT_THAT(parameter_blocks, ElementsAre(x, &z, &y));
  problem.GetParameterBlocksForResidualBlock(second, &parameter_blocks);
  EXPECT_THAT(parameter_blocks, ElementsAre(x, &y));
  std::vector<ResidualBlockId> residual_blocks;
  problem.GetResidualBlocks(&residual_blocks);
  EXPECT_THAT(residual_blocks, ElementsAre(first, second, third));
  problem.GetResidualBlocksForParameterBlock(&z, &residual_blocks);
  EXPECT_TRUE(residual_blocks.empty());

  problem.RemoveResidualBlock(second);
  EXPECT_EQ(problem.NumResidualBlocks(), 2);
  problem.RemoveParameterBlock(&y);
  EXPECT_EQ(problem.NumResidualBlocks(), 0);

  Problem moved(std::move(problem));
  EXPECT_TRUE(moved.HasParameterBlock(x));
  static_assert(!std::is_copy_constructible_v<Problem>);
  static_assert(std::is_move_assignable_v<Problem>);
}

TEST(ProblemH, KeepsWhatIsKnownOfABlock) {
  double x[] = {3.0, 4.0};
  Problem problem;
  problem.AddParameterBlock(x, 2);
  problem.SetParameterBlockConstant(x);
  EXPECT_TRUE(problem.IsParameterBlockConstant(x));
  problem.SetParameterBlockVariable(x);
  EXPECT_FALSE(problem.IsParameterBlockConstant(x));

  Manifold* manifold = new SubsetManifold(2, {1});
  EXPECT_FALSE(problem.HasManifold(x));
  problem.SetManifold(x, manifold);
  EXPECT_TRUE(problem.HasManifold(x));
  EXPECT_EQ(problem.GetManifold(x), manifold);
  EXPECT_EQ(problem.ParameterBlockTangentSize(x), 1);

  EXPECT_EQ(problem.GetParameterLowerBound(x, 1),
            -std::numeric_limits<double>::max());
  problem.SetParameterLowerBound(x, 1, -2.0);
  problem.SetParameterUpperBound(x, 0, 7.0);
  EXPECT_EQ(problem.GetParameterLowerBound(x, 1), -2.0);
  EXPECT_EQ(problem.GetParameterUpperBound(x, 0), 7.0);
  EXPECT_EQ(problem.GetParameterUpperBound(x, 1),
            std::numeric_limits<double>::max());
}

TEST(ProblemH, Evaluates) {
  double x[] = {3.0, 4.0};
  double y = 5.0;
  Problem problem;
  const ResidualBlockId block = problem.AddResidualBlock(
      NewCost(), new ScaledLoss(nullptr, 2.0, TAKE_OWNERSHIP), x, &y);
  Problem::EvaluateOptions options;
  options.apply_loss_function = false;
  options.parameter_blocks = {&y};
  options.residual_blocks = {block};
  double cost = 0.0;
  std::vector<double> residuals;
  std::vector<double> gradient;
  CRSMatrix jacobian;
  ASSERT_TRUE(
      problem.Evaluate(options, &cost, &residuals, &gradient, &jacobian));
  EXPECT_EQ(cost, 42.5);
  EXPECT_THAT(residuals, ElementsAre(2.0, 9.0));
  EXPECT_THAT(gradient, ElementsAre(9.0));
  EXPECT_EQ(jacobian.num_cols, 1);

  double block_residuals[2] = {};
  EXPECT_TRUE(problem.EvaluateResidualBlock(block, true, &cost, block_residuals,
                                            nullptr));
  EXPECT_DOUBLE_EQ(cost, 85.0);
  EXPECT_TRUE(problem.EvaluateResidualBlockAssumingParametersUnchanged(
      block, false, &cost, block_residuals, nullptr));
  EXPECT_EQ(cost, 42.5);
  EXPECT_EQ(block_residuals[1], 9.0);
}

TEST(ContextH, IsMadeByTheLibrary) {
  const std::unique_ptr<Context> context(Context::Create());
  ASSERT_NE(context, nullptr);
  static_assert(!std::is_copy_constructible_v<Context>);
  Problem::Options options;
  options.context = context.get();
  EXPECT_EQ(Problem(options).options().context, context.get());
}

TEST(CrsMatrixH, StartsEmpty) {
  const CRSMatrix matrix;
  EXPECT_EQ(matrix.num_rows, OfType{0});
  EXPECT_EQ(matrix.num_cols, OfType{0});
  EXPECT_EQ(matrix.cols, OfType<std::vector<int>>{});
  EXPECT_EQ(matrix.rows, OfType<std::vector<int>>{});
  EXPECT_EQ(matrix.values, OfType<std::vector<double>>{});
}

TEST(OrderedGroupsH, KeepsElementsInGroups) {
  double x[3];
  ParameterBlockOrdering ordering;
  static_assert(std::is_same_v<ParameterBlockOrdering, OrderedGroups<double*>>);
  EXPECT_TRUE(ordering.AddElementToGroup(x, 1));
  EXPECT_TRUE(ordering.AddElementToGroup(x + 1, 3));
  EXPECT_TRUE(ordering.AddElementToGroup(x + 2, 3));
  EXPECT_FALSE(ordering.AddElementToGroup(x, -1));
  EXPECT_EQ(ordering.NumElements(), 3);
  EXPECT_EQ(ordering.NumGroups(), 2);
  EXPECT_EQ(ordering.GroupId(x), 1);
  EXPECT_EQ(ordering.GroupSize(3), 2);
  EXPECT_TRUE(ordering.IsMember(x + 2));
  EXPECT_EQ(ordering.MinNonZeroGroup(), 1);
  EXPECT_EQ(ordering.group_to_elements().at(3).size(), 2u);
  EXPECT_EQ(ordering.element_to_group().at(x + 1), 3);
  ordering.Reverse();
  EXPECT_LT(ordering.GroupId(x + 1), ordering.GroupId(x));
  EXPECT_TRUE(ordering.Remove(x));
  EXPECT_EQ(ordering.Remove(std::vector<double*>{x, x + 1}), 1);
  ordering.Clear();
  EXPECT_EQ(ordering.NumElements(), 0);
}

TEST(CovarianceH, OptionsHaveTheDocumentedTypesAndDefaults) {
  const Covariance::Options options;
  EXPECT_TRUE(IsSparseLinearAlgebraLibraryTypeAvailable(
      options.sparse_linear_algebra_library_type));

  EXPECT_EQ(options.algorithm_type, OfType{SPARSE_QR});
  EXPECT_EQ(options.column_pivot_threshold, OfType<double>{-1});
  EXPECT_EQ(options.min_reciprocal_condition_number, OfType{1e-14});
  EXPECT_EQ(options.null_space_rank, OfType{0});
  EXPECT_EQ(options.num_threads, OfType{1});
  EXPECT_EQ(options.apply_loss_function, OfType{true});
}

// With J = (1, 0, 0; 0, 1, 0) over (x, y) and y fixed, the covariance is I.
TEST(CovarianceH, ComputesBlocksAndMatrices) {
  static_assert(std::is_class_v<internal::CovarianceImpl>);
  static_assert(std::is_class_v<Problem>);
  double x[] = {3.0, 4.0};
  double y = 5.0;
  Problem problem;
  problem.AddResidualBlock(NewCost(), nullptr, x, &y);
  problem.SetParameterBlockConstant(&y);
  Covariance covariance{Covariance::Options()};
  const std::vector<std::pair<const double*, const double*>> pairs = {{x, x}};
  ASSERT_TRUE(covariance.Compute(pairs, &problem));
  double block[4] = {};
  EXPECT_TRUE(covariance.GetCovarianceBlock(x, x, block));
  EXPECT_THAT(block, ElementsAre(1.0, 0.0, 0.0, 1.0));

  const std::vector<const double*> blocks = {x};
  ASSERT_TRUE(covariance.Compute(blocks, &problem));
  EXPECT_TRUE(covariance.GetCovarianceBlockInTangentSpace(x, x, block));
  EXPECT_THAT(block, ElementsAre(1.0, 0.0, 0.0, 1.0));
  double matrix[4] = {};
  EXPECT_TRUE(covariance.GetCovarianceMatrix(blocks, matrix));
  EXPECT_THAT(matrix, ElementsAre(1.0, 0.0, 0.0, 1.0));
  EXPECT_TRUE(covariance.GetCovarianceMatrixInTangentSpace(blocks, block));
  EXPECT_THAT(block, ElementsAre(1.0, 0.0, 0.0, 1.0));
}

}  // namespace
}  // namespace ceres
