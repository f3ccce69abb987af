// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Solving a problem again with the elimination order of an earlier solve, after
// blocks were added, removed, fixed and freed.

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "ceres/log_sink.h"
#include "ceres/solver.h"
#include "ceres/solver/kept_preparation.h"
#include "ceres/solver/whole_solves/changing_problem.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "ceres/types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using Kind = ChangingProblem::Kind;
using Parameters = std::tuple<SparseLinearAlgebraLibraryType, Kind>;

Solver::Options KeepingOptions(SparseLinearAlgebraLibraryType library,
                               Kind kind) {
  Solver::Options options;
  options.linear_solver_type =
      kind == Kind::kBundle ? SPARSE_SCHUR : SPARSE_NORMAL_CHOLESKY;
  options.sparse_linear_algebra_library_type = library;
  options.max_num_iterations = 3;
  options.keep_preprocessing = true;
  return options;
}

class ExtendedPreprocessingTest : public testing::TestWithParam<Parameters> {
 protected:
  Solver::Options options() const {
    return KeepingOptions(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
  Kind kind() const { return std::get<1>(GetParam()); }
};

TEST_P(ExtendedPreprocessingTest, HasTheBitsOfAFreshSolveWithTheSameOrder) {
  constexpr int kNumSteps = 60;
  int num_extended = 0, num_different = 0;
  for (const int seed : {1, 2}) {
    ChangingProblem changing(kind(), 60, seed);
    SolveWith(options(), changing.problem());
    for (int step = 0; step < kNumSteps; ++step) {
      for (int k = 0; k <= step % 3; ++k) changing.Change();
      const std::vector<double> start = changing.Values();
      const Solver::Summary adapted = SolveWith(options(), changing.problem());
      ASSERT_TRUE(adapted.IsSolutionUsable()) << adapted.message;
      ASSERT_FALSE(adapted.preprocessing_was_kept);
      ASSERT_NE(adapted.preprocessing_was_extended,
                adapted.elimination_order_was_renewed);
      num_extended += adapted.preprocessing_was_extended ? 1 : 0;
      const std::vector<double> result = changing.Values();
      const std::vector<int> order =
          KeptEliminationOrder(changing.problem()->mutable_impl());
      ASSERT_THAT(order, Not(IsEmpty()));

      changing.SetValues(start);
      const std::unique_ptr<Problem> fresh = changing.Copy();
      KeepEliminationOrder(options(), order, fresh->mutable_impl());
      const Solver::Summary again = SolveWith(options(), fresh.get());
      ASSERT_TRUE(again.preprocessing_was_extended);
      ASSERT_EQ(again.final_cost, adapted.final_cost);
      ASSERT_TRUE(SameBits(changing.Values(), result));
      ASSERT_EQ(KeptEliminationOrder(fresh->mutable_impl()), order);

      // A fresh solve has another order, but the same minimum in sight.
      changing.SetValues(start);
      fresh->ReleasePreprocessing();
      const Solver::Summary computed = SolveWith(options(), fresh.get());
      ASSERT_FALSE(computed.preprocessing_was_extended);
      ASSERT_NEAR(computed.final_cost, adapted.final_cost,
                  1e-9 * adapted.initial_cost);
      num_different += SameBits(changing.Values(), result) ? 0 : 1;
      changing.SetValues(result);
    }
  }
  EXPECT_GT(num_extended, kNumSteps);
  // Otherwise the comparisons above would compare equal orders.
  if (kind() == Kind::kPoseGraph) {
    EXPECT_GT(num_different, kNumSteps / 2);
  }
}

TEST_P(ExtendedPreprocessingTest, SameBitsForEveryNumberOfThreads) {
  constexpr int kNumSteps = 25;
  std::vector<std::vector<double>> expected;
  for (const int num_threads : {1, 2, 4}) {
    // Sharing: from the first solve on. Otherwise once the problem is large
    // enough, between two of the solves.
    for (const bool is_sharing : {true, false}) {
      SharingContext context(num_threads);
      ChangingProblem changing(
          kind(), 5, 3,
          is_sharing ? context.problem_options : Problem::Options());
      Solver::Options options = this->options();
      options.num_threads = num_threads;
      std::vector<std::vector<double>> results;
      for (int step = 0; step < kNumSteps; ++step) {
        SolveWith(options, changing.problem());
        results.push_back(changing.Values());
        for (int k = 0; k < 4; ++k) changing.Change();
      }
      if (expected.empty()) expected = results;
      for (int step = 0; step < kNumSteps; ++step) {
        ASSERT_TRUE(SameBits(results[step], expected[step]))
            << num_threads << " threads, solve " << step;
      }
    }
  }
}

std::vector<Parameters> AllParameters() {
  std::vector<Parameters> all;
  for (const auto library : {NATIVE_SPARSE, SUITE_SPARSE, EIGEN_SPARSE}) {
    if (!IsSparseLinearAlgebraLibraryTypeAvailable(library)) continue;
    for (const Kind kind : {Kind::kPoseGraph, Kind::kBundle}) {
      all.emplace_back(library, kind);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Libraries, ExtendedPreprocessingTest,
                         testing::ValuesIn(AllParameters()));

Solver::Options PoseGraphOptions() {
  return KeepingOptions(NATIVE_SPARSE, Kind::kPoseGraph);
}

// Whether the order of a solve is used by the next solve.
bool IsExtended(const Solver::Options& first, const Solver::Options& second) {
  ChangingProblem changing(Kind::kPoseGraph, 100, 1);
  SolveWith(first, changing.problem());
  changing.AddNode();
  const Solver::Summary summary = SolveWith(second, changing.problem());
  EXPECT_FALSE(summary.elimination_order_was_renewed);
  return summary.preprocessing_was_extended;
}

TEST(ExtendedPreprocessing, NeedsTheSameOptions) {
  const Solver::Options options = PoseGraphOptions();
  EXPECT_TRUE(IsExtended(options, options));
  Solver::Options other = options;
  other.max_num_iterations = 1;
  other.num_threads = 4;
  EXPECT_TRUE(IsExtended(options, other));
  other = options;
  other.linear_solver_type = SPARSE_SCHUR;
  EXPECT_FALSE(IsExtended(options, other));
  other = options;
  other.keep_preprocessing = false;
  EXPECT_FALSE(IsExtended(options, other));
  EXPECT_FALSE(IsExtended(other, options));
  other = options;
  other.check_gradients = true;
  EXPECT_FALSE(IsExtended(options, other));
}

TEST(ExtendedPreprocessing, OtherLinearSolversStartAnew) {
  for (const LinearSolverType type :
       {DENSE_QR, DENSE_NORMAL_CHOLESKY, DENSE_SCHUR, ITERATIVE_SCHUR, CGNR}) {
    Solver::Options options = PoseGraphOptions();
    options.linear_solver_type = type;
    EXPECT_FALSE(IsExtended(options, options));
  }
  Solver::Options options = PoseGraphOptions();
  options.minimizer_type = LINE_SEARCH;
  EXPECT_FALSE(IsExtended(options, options));
  options = PoseGraphOptions();
  options.dynamic_sparsity = true;
  EXPECT_FALSE(IsExtended(options, options));
}

// The user's groups restrict the order.
TEST(ExtendedPreprocessing, SeveralGroupsStartAnew) {
  for (const int num_groups : {1, 2}) {
    ChangingProblem changing(Kind::kPoseGraph, 100, 1);
    Solver::Options options = PoseGraphOptions();
    const auto order_all = [&] {
      std::vector<double*> blocks;
      changing.problem()->GetParameterBlocks(&blocks);
      options.linear_solver_ordering =
          std::make_shared<ParameterBlockOrdering>();
      for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
        options.linear_solver_ordering->AddElementToGroup(blocks[i],
                                                          i / 2 % num_groups);
      }
    };
    order_all();
    SolveWith(options, changing.problem());
    changing.AddNode();
    order_all();
    EXPECT_EQ(SolveWith(options, changing.problem()).preprocessing_was_extended,
              num_groups == 1);
  }
}

// A new block may have the address of a removed one, but not its place.
TEST(ExtendedPreprocessing, ABlockInPlaceOfARemovedOneIsEliminatedLast) {
  for (const int seed : {1, 2, 3, 4}) {
    ChangingProblem changing(Kind::kPoseGraph, 100, seed);
    SolveWith(PoseGraphOptions(), changing.problem());
    std::vector<double*> before, after;
    changing.problem()->GetParameterBlocks(&before);
    changing.RemoveRandomNode();
    changing.AddNode();
    changing.problem()->GetParameterBlocks(&after);
    ASSERT_THAT(after, testing::UnorderedElementsAreArray(before));
    EXPECT_TRUE(SolveWith(PoseGraphOptions(), changing.problem())
                    .preprocessing_was_extended);
    const std::vector<int> order =
        KeptEliminationOrder(changing.problem()->mutable_impl());
    ASSERT_EQ(order.size(), 200u);
    EXPECT_EQ(std::vector<int>(order.end() - 2, order.end()),
              (std::vector<int>{198, 199}));
  }
}

TEST(ExtendedPreprocessing, IsReleasedOnRequest) {
  ChangingProblem changing(Kind::kPoseGraph, 100, 1);
  SolveWith(PoseGraphOptions(), changing.problem());
  changing.AddNode();
  changing.problem()->ReleasePreprocessing();
  EXPECT_FALSE(SolveWith(PoseGraphOptions(), changing.problem())
                   .preprocessing_was_extended);
}

TEST(ExtendedPreprocessing, AKeptPreparationIsNotReportedAsExtended) {
  ChangingProblem changing(Kind::kPoseGraph, 100, 1);
  SolveWith(PoseGraphOptions(), changing.problem());
  changing.AddNode();
  EXPECT_TRUE(SolveWith(PoseGraphOptions(), changing.problem())
                  .preprocessing_was_extended);
  const Solver::Summary kept =
      SolveWith(PoseGraphOptions(), changing.problem());
  EXPECT_TRUE(kept.preprocessing_was_kept);
  EXPECT_FALSE(kept.preprocessing_was_extended);
}

// Loop closures between random poses fill the factor; without them, the order
// of the filled factor is a bad one.
TEST(ExtendedPreprocessing, ABadOrderIsRenewedAndTheLogSaysSo) {
  ChangingProblem changing(Kind::kPoseGraph, 1000, 1);
  SolveWith(PoseGraphOptions(), changing.problem());
  std::vector<ResidualBlockId> chain, all;
  changing.problem()->GetResidualBlocks(&chain);

  std::vector<std::string> messages;
  SetLogSink([&](const LogEntry& entry) { messages.emplace_back(entry.text); });
  SetLogVerbosity(1);
  for (int i = 0; i < 200; ++i) changing.AddRandomEdge();
  const Solver::Summary filled =
      SolveWith(PoseGraphOptions(), changing.problem());
  SetLogVerbosity(0);
  SetLogSink(nullptr);
  EXPECT_TRUE(filled.elimination_order_was_renewed);
  EXPECT_FALSE(filled.preprocessing_was_extended);
  EXPECT_THAT(messages,
              testing::Contains(HasSubstr("a new elimination order")));

  changing.AddNode();
  EXPECT_TRUE(SolveWith(PoseGraphOptions(), changing.problem())
                  .preprocessing_was_extended);

  changing.problem()->GetResidualBlocks(&all);
  for (size_t i = chain.size(); i < all.size(); ++i) {
    changing.problem()->RemoveResidualBlock(all[i]);
  }
  // Once the solves have lost what an order costs.
  bool is_renewed = false;
  for (int i = 0; i < 10 && !is_renewed; ++i) {
    changing.AddNode();
    is_renewed = SolveWith(PoseGraphOptions(), changing.problem())
                     .elimination_order_was_renewed;
  }
  EXPECT_TRUE(is_renewed);
}

}  // namespace
}  // namespace ceres::internal
