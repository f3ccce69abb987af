// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solve_many.h"

#include <memory>
#include <stdexcept>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/parallel/thread_pool.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

// Many problems: valleys with different starts, and a few bundle adjustments,
// which take longer.
class Problems {
 public:
  explicit Problems(int num_valleys = 300) : x_(2 * num_valleys) {
    for (int i = 0; i < num_valleys; ++i) {
      x_[2 * i] = -3.0 + 0.02 * i;
      x_[2 * i + 1] = 1.0;
      valleys_.push_back(std::make_unique<Problem>());
      valleys_.back()->AddResidualBlock(NewRosenbrock(), nullptr, &x_[2 * i]);
      pointers_.push_back(valleys_.back().get());
    }
    for (int i = 0; i < 3; ++i) {
      bundles_.push_back(std::make_unique<SmallBundle>(4, 24 + i, 1e-3));
      pointers_.insert(pointers_.begin() + i * num_valleys / 4,
                       &bundles_.back()->problem);
    }
  }

  const std::vector<Problem*>& pointers() const { return pointers_; }
  int size() const { return static_cast<int>(pointers_.size()); }

  std::vector<double> AllParameters() const {
    std::vector<double> all = x_;
    for (const auto& bundle : bundles_) {
      const std::vector<double> values = bundle->Values();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

 private:
  std::vector<double> x_;
  std::vector<std::unique_ptr<Problem>> valleys_;
  std::vector<std::unique_ptr<SmallBundle>> bundles_;
  std::vector<Problem*> pointers_;
};

TEST(SolveMany, HasTheBitsOfSingleSolvesForEveryNumberOfThreads) {
  const Solver::Options options = DenseQrOptions();
  Problems single;
  std::vector<Solver::Summary> expected(single.size());
  for (int i = 0; i < single.size(); ++i) {
    Solve(options, single.pointers()[i], &expected[i]);
  }
  parallel::ThreadPool pool(7);
  pool.SetRunningLimit(8);
  pool.SetSharing(parallel::Sharing::kAlways);
  for (const int num_threads : {1, 2, 4, 8}) {
    for (parallel::Executor* executor :
         {static_cast<parallel::Executor*>(nullptr),
          static_cast<parallel::Executor*>(&pool)}) {
      Problems many;
      Solver::Options many_options = options;
      many_options.num_threads = num_threads;
      many_options.executor = executor;
      std::vector<Solver::Summary> summaries(3);
      SolveMany(many_options, many.pointers(), &summaries);
      EXPECT_TRUE(SameBits(many.AllParameters(), single.AllParameters()));
      ASSERT_EQ(summaries.size(), expected.size());
      for (int i = 0; i < many.size(); ++i) {
        EXPECT_EQ(summaries[i].final_cost, expected[i].final_cost);
        EXPECT_EQ(summaries[i].iterations.size(),
                  expected[i].iterations.size());
        EXPECT_EQ(summaries[i].message, expected[i].message);
      }
    }
  }
}

TEST(SolveMany, OfNoProblemsDoesNothing) {
  std::vector<Solver::Summary> summaries(2);
  SolveMany(Solver::Options(), {}, &summaries);
  EXPECT_TRUE(summaries.empty());
}

TEST(SolveMany, EachProblemHasItsOwnResult) {
  double good = 0.0;
  double bad = 5.0;
  Problem solvable;
  solvable.AddResidualBlock(NewSpring(2.0), nullptr, &good);
  Problem failing;
  failing.AddResidualBlock(
      new FunctionCost(1, {1}, [](auto, auto, auto) { return false; }), nullptr,
      &bad);
  std::vector<Solver::Summary> summaries;
  SolveMany(DenseQrOptions(), {&failing, &solvable}, &summaries);
  EXPECT_EQ(summaries[0].termination_type, FAILURE);
  EXPECT_EQ(bad, 5.0);
  EXPECT_EQ(summaries[1].termination_type, CONVERGENCE);
  EXPECT_NEAR(good, 2.0, 1e-6);
}

TEST(SolveMany, InvalidOptionsAreSaidInEverySummary) {
  Problems problems(5);
  Solver::Options options = DenseQrOptions();
  options.num_threads = 0;
  std::vector<Solver::Summary> summaries;
  SolveMany(options, problems.pointers(), &summaries);
  for (const Solver::Summary& summary : summaries) {
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, HasSubstr("num_threads"));
  }
}

TEST(SolveMany, AnExceptionReachesTheCaller) {
  double x = 0.0;
  double y = 0.0;
  Problem throwing;
  throwing.AddResidualBlock(new FunctionCost(1, {1},
                                             [](auto, auto, auto) -> bool {
                                               throw std::domain_error("mine");
                                             }),
                            nullptr, &x);
  Problem other;
  other.AddResidualBlock(NewSpring(1.0), nullptr, &y);
  std::vector<Solver::Summary> summaries;
  EXPECT_THROW(SolveMany(DenseQrOptions(), {&throwing, &other}, &summaries),
               std::domain_error);
  EXPECT_EQ(summaries.size(), 2u);
  EXPECT_EQ(x, 0.0);
}

TEST(SolveMany, ACancelledTokenEndsAll) {
  parallel::CancellationSource source;
  source.Cancel();
  Problems problems(20);
  const std::vector<double> start = problems.AllParameters();
  Solver::Options options = DenseQrOptions();
  options.cancellation_token = source.token();
  std::vector<Solver::Summary> summaries;
  SolveMany(options, problems.pointers(), &summaries);
  for (const Solver::Summary& summary : summaries) {
    EXPECT_THAT(summary.message, HasSubstr("Cancelled"));
  }
  EXPECT_TRUE(SameBits(problems.AllParameters(), start));
}

TEST(SolveManyDeathTest, RefusesMistakes) {
  Problem problem;
  std::vector<Solver::Summary> summaries;
  EXPECT_DEATH(SolveMany({}, {&problem, &problem}, &summaries), "twice");
  EXPECT_DEATH(SolveMany({}, {&problem, nullptr}, &summaries), "null");
  EXPECT_DEATH(SolveMany({}, {&problem}, nullptr), "null");
}

}  // namespace
}  // namespace ceres::internal
