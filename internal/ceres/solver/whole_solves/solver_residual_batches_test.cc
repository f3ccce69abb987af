// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Whole solves of problems with residual batches have the bits of solves with
// residual blocks in their place.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/evaluation/batch_pair.h"
#include "ceres/incremental_solver.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

struct Bend {
  template <typename T>
  bool operator()(const T* x, const T* y, T* r) const {
    r[0] = x[0] * y[0] - phase;
    r[1] = x[1] - y[1] * y[0] + 0.1 * phase;
    return true;
  }
  double phase;
};

class ResidualBatchSolves : public testing::Test {
 protected:
  ResidualBatchSolves() {
    base_.max_num_iterations = 4;
    base_.eta = 1e-3;
    base_.logging_type = SILENT;
  }

  std::unique_ptr<BatchPair> NewPair(unsigned seed,
                                     const BatchPair::Features& features) {
    return std::make_unique<BatchPair>(seed, features,
                                       context_.problem_options);
  }

  // Costs and solution.
  static std::vector<double> Solve(Solver::Options options, int num_threads,
                                   BatchPair* pair, BatchPair::Side* side) {
    pair->Reset();
    options.num_threads = num_threads;
    NameSubset(side->problem, &options);
    const Solver::Summary summary = SolveWith(options, &side->problem);
    std::vector<double> all = side->values;
    all.push_back(static_cast<double>(summary.termination_type));
    for (const IterationSummary& iteration : summary.iterations) {
      all.push_back(iteration.cost);
      all.push_back(iteration.gradient_max_norm);
    }
    return all;
  }

  static void ExpectSameSolves(const Solver::Options& options,
                               BatchPair* pair) {
    SCOPED_TRACE(Describe(options));
    const std::vector<double> expected = Solve(options, 1, pair, &pair->plain);
    EXPECT_GT(expected.size(), pair->plain.values.size() + 1);
    for (const int num_threads : {1, 2, 4, 8}) {
      EXPECT_TRUE(
          SameBits(Solve(options, num_threads, pair, &pair->batched), expected))
          << num_threads << " threads";
    }
  }

  SharingContext context_{8};
  Solver::Options base_;
};

TEST_F(ResidualBatchSolves, HaveTheBitsOfResidualBlocks) {
  const auto combinations = SolversAndStrategies(base_).Valid();
  const unsigned step = parallel::kThreadSanitizer ? 5 : 1;
  for (unsigned seed = 0; seed < 6; seed += step) {
    SCOPED_TRACE(seed);
    const auto simple = NewPair(seed, {});
    const auto all = NewPair(seed, BatchPair::All());
    for (const Solver::Options& options : combinations) {
      ExpectSameSolves(options, simple.get());
      ExpectSameSolves(options, all.get());
    }
  }
}

TEST_F(ResidualBatchSolves, HaveTheBitsWithEveryPreconditionerAndLibrary) {
  const auto combinations = TrustRegionCombinations(base_);
  const auto pair = NewPair(3, BatchPair::All());
  const std::size_t step = parallel::kThreadSanitizer ? 97 : 11;
  for (std::size_t i = 0; i < combinations.size(); i += step) {
    ExpectSameSolves(combinations[i], pair.get());
  }
}

TEST_F(ResidualBatchSolves, HaveTheBitsWithOtherMinimizers) {
  BatchPair::Features features = BatchPair::All();
  features.with_bounds = false;
  const auto pair = NewPair(5, features);
  const auto combinations = LineSearchCombinations(base_);
  for (std::size_t i = 0; i < combinations.size(); i += 5) {
    ExpectSameSolves(combinations[i], pair.get());
  }
  base_.use_inner_iterations = true;
  base_.linear_solver_type = SPARSE_SCHUR;
  ExpectSameSolves(base_, NewPair(5, BatchPair::All()).get());
}

// Between solves rows are switched, weighted, removed and added, and parameter
// blocks are held.
TEST_F(ResidualBatchSolves, HaveTheBitsAfterChanges) {
  using Function = AutoDiffCostFunction<Bend, 2, 2, 2>;
  constexpr int kRows = 300;
  std::vector<double> values[2];
  Problem problems[2];
  std::vector<ResidualBlockId> ids[2];
  std::vector<std::int32_t> x_indices, y_indices;
  const std::vector<double> start = [] {
    std::vector<double> values;
    for (int i = 0; i < 2 * 60; ++i) values.push_back(0.5 + 0.01 * (i % 13));
    return values;
  }();
  values[0] = values[1] = start;
  for (int i = 0; i < kRows; ++i) {
    x_indices.push_back(i % 10);
    y_indices.push_back(i % 47);
  }
  const auto x_of = [&](int k, int i) { return &values[k][2 * x_indices[i]]; };
  const auto y_of = [&](int k, int i) {
    return &values[k][20 + 2 * y_indices[i]];
  };
  CostFunctionBatch::Functions functions;
  for (int i = 0; i < kRows; ++i) {
    functions.push_back(std::make_unique<Function>(new Bend{0.01 * i}));
  }
  // Both orders of parameter blocks are the same.
  const ParameterArray xs = problems[0].AddParameterArray(x_of(0, 0), 10, 2);
  const ParameterArray ys = problems[0].AddParameterArray(y_of(0, 0), 47, 2);
  problems[1].AddParameterArray(x_of(1, 0), 10, 2);
  problems[1].AddParameterArray(y_of(1, 0), 47, 2);
  const ResidualBatchId batch = problems[0].AddResidualBatch(
      std::make_unique<CostFunctionBatch>(2, std::vector<std::int32_t>{2, 2},
                                          std::move(functions)),
      nullptr, {{xs, x_indices}, {ys, y_indices}});
  for (int i = 0; i < kRows; ++i) {
    ids[0].push_back(problems[0].GetResidualBlockForRow(batch, i));
    ids[1].push_back(problems[1].AddResidualBlock(
        new Function(new Bend{0.01 * i}), nullptr, x_of(1, i), y_of(1, i)));
  }
  for (const bool keep : {false, true}) {
    base_.keep_preprocessing = keep;
    for (const LinearSolverType type :
         {SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR, ITERATIVE_SCHUR}) {
      base_.linear_solver_type = type;
      for (int k = 0; k < 2; ++k) {
        // A block may have been removed with its values.
        values[k] = start;
        SolveWith(base_, &problems[k]);
      }
      EXPECT_TRUE(SameBits(values[0], values[1]));
      for (int k = 0; k < 2; ++k) {
        problems[k].RemoveResidualBlock(ids[k].back());
        ids[k].pop_back();
        problems[k].SetParameterBlockConstant(
            x_of(k, static_cast<int>(ids[k].size()) % 10));
        problems[k].AddResidualBlock(new Function(new Bend{2.0}), nullptr,
                                     x_of(k, 3), y_of(k, 4));
      }
    }
  }
  // A row that is off leaves the solution of those that are on.
  problems[0].SetRowActive(batch, 5, false);
  problems[1].RemoveResidualBlock(ids[1][5]);
  base_.max_num_iterations = 50;
  for (const bool keep : {true, false}) {
    base_.keep_preprocessing = keep;
    for (int k = 0; k < 2; ++k) {
      values[k] = start;
      const Solver::Summary summary = SolveWith(base_, &problems[k]);
      EXPECT_TRUE(summary.IsSolutionUsable());
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
      EXPECT_NEAR(values[0][i], values[1][i], 1e-5);
    }
  }
}

// One residual: x - target.
class Targets : public ResidualBatch {
 public:
  Targets(std::vector<double> targets, double slope = 1.0)
      : ResidualBatch(static_cast<std::int64_t>(targets.size()), 1, {1}),
        targets_(std::move(targets)),
        slope_(slope) {}
  int Evaluate(const BatchRows& rows,
               const BatchOutput& output) const override {
    for (int i = 0; i < rows.count; ++i) {
      output.residuals[i * output.stride] =
          rows.parameters[i][0] - targets_[rows.rows[i]];
      if (output.jacobians != nullptr && output.jacobians[0] != nullptr) {
        output.jacobians[0][i * output.stride] = slope_;
      }
    }
    return rows.count;
  }

 private:
  const std::vector<double> targets_;
  const double slope_;
};

TEST_F(ResidualBatchSolves, WeightsAndActiveRowsAreReadByEachSolve) {
  double x = 0.0;
  Problem problem;
  const ResidualBatchId batch = problem.AddResidualBatch(
      std::make_unique<Targets>(std::vector<double>{1.0, 2.0, 6.0}), nullptr,
      {&x});
  for (const bool keep : {false, true}) {
    base_.keep_preprocessing = keep;
    const auto solution = [&] {
      x = 0.0;
      SolveWith(base_, &problem);
      return x;
    };
    EXPECT_NEAR(solution(), 3.0, 1e-3);
    std::vector<double> weights = {1.0, 1.0, 0.0};
    problem.SetResidualBatchWeights(batch, weights.data());
    EXPECT_NEAR(solution(), 1.5, 1e-3);
    weights = {2.0, 0.0, 1.0};
    EXPECT_NEAR(solution(), 2.0, 1e-3);
    problem.SetResidualBatchWeights(batch, nullptr);
    problem.SetRowActive(batch, 0, false);
    EXPECT_NEAR(solution(), 4.0, 1e-3);
    problem.SetRowActive(batch, 0, true);
  }
}

TEST_F(ResidualBatchSolves, CheckedGradientsNameTheRow) {
  double x = 0.0;
  Problem problem;
  problem.AddResidualBatch(
      std::make_unique<Targets>(std::vector<double>{1.0, 2.0}, 1.5), nullptr,
      {&x});
  base_.check_gradients = true;
  const Solver::Summary summary = SolveWith(base_, &problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("row 0 of residual batch 0"));
}

// The minimizer, which the cost functions of a fixed point take part in.
TEST_F(ResidualBatchSolves, HaveTheBitsWithLinearizationPoints) {
  const auto pair = NewPair(7, BatchPair::All());
  for (BatchPair::Side* side : {&pair->batched, &pair->plain}) {
    for (double* point : pair->Points(side)) {
      const std::vector<double> first(
          point, point + side->problem.ParameterBlockSize(point));
      side->problem.SetLinearizationPoint(point, first.data());
    }
  }
  ExpectSameSolves(base_, pair.get());
}

TEST_F(ResidualBatchSolves, CovarianceHasTheBits) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(seed);
    BatchPair::Features features = BatchPair::All();
    features.with_bounds = false;
    const auto pair = NewPair(seed, features);
    std::vector<double> values[2];
    int k = 0;
    for (BatchPair::Side* side : {&pair->batched, &pair->plain}) {
      Covariance::Options options;
      options.algorithm_type = DENSE_SVD;
      options.null_space_rank = -1;
      Covariance covariance(options);
      std::vector<double*> points = pair->Points(side);
      points.resize(3);
      const std::vector<const double*> blocks(points.begin(), points.end());
      ASSERT_TRUE(covariance.Compute(blocks, &side->problem));
      const int size = side->problem.ParameterBlockSize(points[1]);
      values[k].resize(size * size);
      covariance.GetCovarianceBlock(points[1], points[1], values[k].data());
      ++k;
    }
    EXPECT_TRUE(SameBits(values[0], values[1]));
  }
}

TEST_F(ResidualBatchSolves, IncrementalSolverTakesRowsAndTheirChanges) {
  double x = 0.0;
  Problem problem;
  IncrementalSolver::Options options;
  options.relinearization_threshold = 0.0;
  IncrementalSolver solver(options, &problem);
  IncrementalSolver::Summary summary;
  const auto update = [&] {
    solver.Update(&summary);
    EXPECT_NE(summary.termination_type, FAILURE) << summary.message;
    return x;
  };
  const ResidualBatchId batch = problem.AddResidualBatch(
      std::make_unique<Targets>(std::vector<double>{1.0, 2.0, 6.0}), nullptr,
      {&x});
  EXPECT_NEAR(update(), 3.0, 1e-9);
  problem.SetRowActive(batch, 0, false);
  EXPECT_NEAR(update(), 4.0, 1e-9);
  const std::vector<double> weights = {1.0, 3.0, 1.0};
  problem.SetResidualBatchWeights(batch, weights.data());
  EXPECT_NEAR(update(), 2.4, 1e-9);
  problem.RemoveResidualBlock(problem.GetResidualBlockForRow(batch, 1));
  EXPECT_NEAR(update(), 6.0, 1e-9);
  problem.AddResidualBatch(
      std::make_unique<Targets>(std::vector<double>{0.0, 0.0}), nullptr, {&x});
  EXPECT_NEAR(update(), 2.0, 1e-9);
  problem.RemoveResidualBatch(batch);
  EXPECT_NEAR(update(), 0.0, 1e-9);
}

using ResidualBatchSolvesDeathTest = ResidualBatchSolves;

TEST_F(ResidualBatchSolvesDeathTest, RowsAreNotChangedDuringASolve) {
  double x = 0.0;
  Problem problem;
  const ResidualBatchId batch = problem.AddResidualBatch(
      std::make_unique<Targets>(std::vector<double>{1.0, 2.0}), nullptr, {&x});
  class Switch : public IterationCallback {
   public:
    Switch(Problem* problem, ResidualBatchId batch)
        : problem_(problem), batch_(batch) {}
    CallbackReturnType operator()(const IterationSummary&) override {
      problem_->SetRowActive(batch_, 0, false);
      return SOLVER_CONTINUE;
    }

   private:
    Problem* problem_;
    ResidualBatchId batch_;
  };
  Switch callback(&problem, batch);
  base_.callbacks.push_back(&callback);
  EXPECT_DEATH(SolveWith(base_, &problem), "being solved");
}

}  // namespace
}  // namespace ceres::internal
