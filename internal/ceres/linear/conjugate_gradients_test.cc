// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/conjugate_gradients.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ceres/execution/stop_signal.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/linear/random_jacobian.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using ::testing::HasSubstr;

class DenseOperator final : public LinearOperator {
 public:
  explicit DenseOperator(Eigen::MatrixXd a) : a_(std::move(a)) {}
  void Apply(const double* x, double* y) const override {
    Eigen::Map<Eigen::VectorXd>(y, size()) =
        a_ * Eigen::Map<const Eigen::VectorXd>(x, size());
    ++num_products;
  }
  int size() const override { return static_cast<int>(a_.rows()); }
  mutable int num_products = 0;

 private:
  Eigen::MatrixXd a_;
};

Eigen::MatrixXd PositiveDefiniteMatrix(int n) {
  const Eigen::MatrixXd b = Eigen::MatrixXd::Random(n, n);
  return b * b.transpose() + Eigen::MatrixXd::Identity(n, n);
}

// A large operator whose product is exactly the same on any machine.
class TridiagonalOperator final : public LinearOperator {
 public:
  explicit TridiagonalOperator(int n) : n_(n) {}
  void Apply(const double* x, double* y) const override {
    for (int i = 0; i < n_; ++i) {
      y[i] =
          2.5 * x[i] - (i > 0 ? x[i - 1] : 0.0) - (i + 1 < n_ ? x[i + 1] : 0.0);
    }
  }
  int size() const override { return n_; }

 private:
  int n_;
};

struct Solution {
  LinearSolverSummary summary;
  Eigen::VectorXd x;
};

// start: empty for zero.
Solution Solve(const ConjugateGradientsOptions& options,
               const LinearOperator& a, const LinearOperator* m,
               const Eigen::VectorXd& b, const Execution& execution = {},
               const Eigen::VectorXd& start = {}) {
  Solution result;
  result.x = start.size() > 0 ? start : Eigen::VectorXd::Zero(a.size());
  ConjugateGradientsScratch scratch;
  result.summary = ConjugateGradients(options, execution, a, m, b.data(),
                                      result.x.data(), &scratch);
  return result;
}

TEST(ConjugateGradients, SolvesToTheResidualAskedFor) {
  const int n = 41;
  const Eigen::MatrixXd matrix = PositiveDefiniteMatrix(n);
  const DenseOperator a(matrix);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  ConjugateGradientsOptions options;
  options.r_tolerance = 1e-11;
  for (const bool from_zero : {true, false}) {
    const auto [summary, x] = Solve(options, a, nullptr, b, {},
                                    Eigen::VectorXd::Random(from_zero ? 0 : n));
    EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
    EXPECT_LE((matrix * x - b).norm(), 1.01e-11 * b.norm());
  }
}

TEST(ConjugateGradients, ExactPreconditionerNeedsOneIteration) {
  const int n = 30;
  const Eigen::MatrixXd matrix = PositiveDefiniteMatrix(n);
  const DenseOperator a(matrix);
  const DenseOperator m(DenseInverse(matrix));
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  ConjugateGradientsOptions options;
  options.r_tolerance = 1e-9;
  const auto [summary, x] = Solve(options, a, &m, b);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(summary.num_iterations, 1);
  EXPECT_LT((matrix * x - b).norm(), 1e-9 * b.norm());
}

TEST(ConjugateGradients, ThreeEigenvaluesNeedThreeIterations) {
  Eigen::VectorXd eigenvalues(12);
  eigenvalues << 1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9;
  const DenseOperator a(eigenvalues.asDiagonal());
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(12);
  ConjugateGradientsOptions options;
  options.r_tolerance = 1e-12;
  EXPECT_EQ(Solve(options, a, nullptr, b).summary.num_iterations, 3);
}

TEST(ConjugateGradients, StopsByTheQuadraticModelsProgress) {
  const int n = 60;
  const Eigen::MatrixXd matrix = PositiveDefiniteMatrix(n);
  const DenseOperator a(matrix);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  const auto q = [&](const Eigen::VectorXd& x) {
    return 0.5 * x.dot(matrix * x) - b.dot(x);
  };
  ConjugateGradientsOptions options;
  options.q_tolerance = 0.1;
  const auto [summary, x] = Solve(options, a, nullptr, b);
  ASSERT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  const int i = summary.num_iterations;
  ASSERT_GT(i, 2);
  // The rule holds at i and held at no iteration before.
  double last_q = 0.0;
  options.q_tolerance = 0.0;
  for (int k = 1; k <= i; ++k) {
    options.max_iterations = k;
    const auto [limited, y] = Solve(options, a, nullptr, b);
    EXPECT_EQ(limited.num_iterations, k);
    const double value = k * (q(y) - last_q) / q(y);
    if (k < i) {
      EXPECT_GE(value, 0.1) << k;
    } else {
      EXPECT_LT(value, 0.1);
      EXPECT_LT((x - y).norm(), 1e-12);
    }
    last_q = q(y);
  }
}

TEST(ConjugateGradients, MinIterationsHoldBackTheStoppingRules) {
  const DenseOperator a(PositiveDefiniteMatrix(20));
  const Eigen::VectorXd b = Eigen::VectorXd::Random(20);
  ConjugateGradientsOptions options;
  options.q_tolerance = 1e3;
  EXPECT_EQ(Solve(options, a, nullptr, b).summary.num_iterations, 1);
  options.min_iterations = 7;
  EXPECT_EQ(Solve(options, a, nullptr, b).summary.num_iterations, 7);
}

TEST(ConjugateGradients, OutOfIterationsIsNoConvergence) {
  const DenseOperator a(PositiveDefiniteMatrix(50));
  const Eigen::VectorXd b = Eigen::VectorXd::Random(50);
  ConjugateGradientsOptions options;
  options.max_iterations = 4;
  const auto [summary, x] = Solve(options, a, nullptr, b);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kNoConvergence);
  EXPECT_EQ(summary.num_iterations, 4);
  EXPECT_EQ(a.num_products, 4);
}

TEST(ConjugateGradients, PassedDeadlineIsNoConvergence) {
  const DenseOperator a(PositiveDefiniteMatrix(50));
  const Eigen::VectorXd b = Eigen::VectorXd::Random(50);
  ConjugateGradientsOptions options;
  options.deadline = std::chrono::steady_clock::now();
  const auto [summary, x] = Solve(options, a, nullptr, b);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kNoConvergence);
  EXPECT_EQ(summary.num_iterations, 1);
  EXPECT_THAT(summary.message, HasSubstr("time"));
}

// An operator that cancels at its third product.
class CancellingOperator final : public LinearOperator {
 public:
  explicit CancellingOperator(const DenseOperator& a) : a_(a) {}
  int size() const override { return a_.size(); }
  void Apply(const double* x, double* y) const override {
    a_.Apply(x, y);
    if (a_.num_products == 3) source.Cancel();
  }
  mutable parallel::CancellationSource source;

 private:
  const DenseOperator& a_;
};

TEST(ConjugateGradients, StopsWhenTheExecutionSaysSo) {
  const DenseOperator dense(PositiveDefiniteMatrix(50));
  const CancellingOperator a(dense);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(50);
  StopSignal stop;
  stop.Set(a.source.token(), StopSignal::Clock::time_point::max());
  Execution execution;
  execution.stop = &stop;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(50);
  ConjugateGradientsScratch scratch;
  const auto run = [&] {
    return ConjugateGradients({}, execution, a, nullptr, b.data(), x.data(),
                              &scratch);
  };
  EXPECT_THROW((void)run(), Stopped);
  EXPECT_EQ(dense.num_products, 3);
}

// Rounds to a hundredth of its diagonal.
class RoughOperator final : public LinearOperator {
 public:
  explicit RoughOperator(const Eigen::MatrixXd& a)
      : exact_(a),
        rough_(a + 0.01 * Eigen::MatrixXd(a.diagonal().asDiagonal())) {}
  int size() const override { return exact_.size(); }
  void Apply(const double* x, double* y) const override { exact_.Apply(x, y); }
  void ApplyRounded(const double* x, double* y) const override {
    rough_.Apply(x, y);
  }
  int num_exact() const { return exact_.num_products; }
  int num_rounded() const { return rough_.num_products; }

 private:
  DenseOperator exact_;
  DenseOperator rough_;
};

TEST(ConjugateGradients, RoundedProductsLeadToTheResidualAskedFor) {
  const int n = 41;
  const Eigen::MatrixXd matrix = PositiveDefiniteMatrix(n);
  const RoughOperator a(matrix);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  ConjugateGradientsOptions options;
  options.r_tolerance = kLeastRoundedTolerance;
  const auto [summary, x] = Solve(options, a, nullptr, b);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_LE((matrix * x - b).norm(), 1.01 * options.r_tolerance * b.norm());
  EXPECT_EQ(a.num_rounded(), summary.num_iterations);
  EXPECT_LT(a.num_exact(), summary.num_iterations);
}

TEST(ConjugateGradients, NothingIsRoundedWhereMuchIsAskedFor) {
  const Eigen::MatrixXd matrix = PositiveDefiniteMatrix(20);
  const RoughOperator a(matrix);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(20);
  ConjugateGradientsOptions options;
  options.r_tolerance = 0.99 * kLeastRoundedTolerance;
  options.q_tolerance = 0.99 * kLeastRoundedTolerance;
  EXPECT_EQ(Solve(options, a, nullptr, b).summary.termination,
            LinearSolverTermination::kSuccess);
  EXPECT_EQ(a.num_rounded(), 0);
}

TEST(ConjugateGradients, IndefiniteMatrixStops) {
  const DenseOperator a(-Eigen::MatrixXd::Identity(5, 5));
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(5);
  const auto [summary, x] = Solve({}, a, nullptr, b);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kNoConvergence);
  EXPECT_THAT(summary.message, HasSubstr("not positive definite"));
  EXPECT_EQ(x.norm(), 0.0);
}

TEST(ConjugateGradients, NanFails) {
  Eigen::MatrixXd matrix = PositiveDefiniteMatrix(5);
  matrix(2, 3) = NAN;
  const DenseOperator a(matrix);
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(5);
  EXPECT_EQ(Solve({}, a, nullptr, b).summary.termination,
            LinearSolverTermination::kFailure);
}

TEST(ConjugateGradients, ZeroRightHandSideGivesZero) {
  const DenseOperator a(PositiveDefiniteMatrix(5));
  const auto [summary, x] = Solve({}, a, nullptr, Eigen::VectorXd::Zero(5), {},
                                  Eigen::VectorXd::Ones(5));
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(x.norm(), 0.0);
}

// Whatever the stopping rules are: nothing is left to divide by.
TEST(ConjugateGradients, ExactSolutionIsSuccess) {
  const DenseOperator a(2.0 * Eigen::MatrixXd::Identity(5, 5));
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(5, 1.0, 5.0);
  ConjugateGradientsOptions options;
  options.q_tolerance = 1e-6;
  options.min_iterations = 10;
  const auto [summary, x] = Solve(options, a, nullptr, b);
  EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(summary.num_iterations, 1);
  EXPECT_EQ(x, 0.5 * b);
  const auto [from_solution, same] = Solve(options, a, nullptr, b, {}, x);
  EXPECT_EQ(from_solution.termination, LinearSolverTermination::kSuccess);
  EXPECT_EQ(same, x);
}

// The same matrix in two stages, its rows in blocks of 1, 2, 3, 4, 1, ...
class StagedOperator final : public LinearOperator, private StagedProduct {
 public:
  explicit StagedOperator(const LinearOperator& a)
      : a_(a), product_(a.size()), row_blocks_(RowBlocks(a.size())) {}
  void Apply(const double* x, double* y) const override { a_.Apply(x, y); }
  int size() const override { return a_.size(); }
  const StagedProduct* staged() const override { return this; }
  mutable int num_staged = 0;
  mutable int num_rounded = 0;

  static std::vector<int> RowBlocks(int n) {
    std::vector<int> blocks = {0};
    for (int k = 0; blocks.back() < n; ++k) {
      blocks.push_back(std::min(n, blocks.back() + 1 + k % 4));
    }
    return blocks;
  }

 private:
  const std::vector<int>& row_blocks() const override { return row_blocks_; }
  double Begin(const double* x) const override {
    a_.Apply(x, product_.data());
    ++num_staged;
    return product_.dot(Eigen::Map<const Eigen::VectorXd>(x, size()));
  }
  double BeginRounded(const double* x) const override {
    ++num_rounded;
    return Begin(x);
  }
  void Finish(int begin, int end, double* y) const override {
    std::copy(product_.data() + row_blocks_[begin],
              product_.data() + row_blocks_[end], y + row_blocks_[begin]);
  }

  const LinearOperator& a_;
  mutable Eigen::VectorXd product_;
  const std::vector<int> row_blocks_;
};

// z = r / diagonal, blockwise if there are blocks.
class DiagonalOperator final : public LinearOperator, private BlockwiseProduct {
 public:
  DiagonalOperator(Eigen::VectorXd diagonal, std::vector<int> blocks)
      : diagonal_(std::move(diagonal)), row_blocks_(std::move(blocks)) {}
  void Apply(const double* x, double* y) const override {
    for (int i = 0; i < size(); ++i) y[i] = x[i] / diagonal_[i];
  }
  int size() const override { return static_cast<int>(diagonal_.size()); }
  const BlockwiseProduct* blockwise() const override {
    return row_blocks_.empty() ? nullptr : this;
  }

 private:
  const std::vector<int>& row_blocks() const override { return row_blocks_; }
  void ApplyToBlocks(int begin, int end, const double* x,
                     double* y) const override {
    for (int i = row_blocks_[begin]; i < row_blocks_[end]; ++i) {
      y[i] = x[i] / diagonal_[i];
    }
  }

  const Eigen::VectorXd diagonal_;
  const std::vector<int> row_blocks_;
};

TEST(ConjugateGradients, InStagesSolvesToTheResidualAskedFor) {
  const int n = 60;
  const Eigen::MatrixXd matrix = PositiveDefiniteMatrix(n);
  const DenseOperator plain(matrix);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  const DiagonalOperator not_blockwise(matrix.diagonal(), {});
  const DiagonalOperator blockwise(matrix.diagonal(),
                                   StagedOperator::RowBlocks(n));
  const DiagonalOperator other_blocks(matrix.diagonal(), {0, n});
  // Small and large enough for rounded products.
  for (const double tolerance : {1e-10, 1e-3}) {
    ConjugateGradientsOptions options;
    options.r_tolerance = tolerance;
    const int num_iterations =
        Solve(options, plain, &not_blockwise, b).summary.num_iterations;
    ASSERT_GT(num_iterations, kResidualResetPeriod);
    for (const DiagonalOperator* preconditioner :
         {&blockwise, &not_blockwise, &other_blocks}) {
      const StagedOperator a(plain);
      const auto [summary, x] = Solve(options, a, preconditioner, b);
      EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
      // Sums in another order may end a search earlier or later.
      EXPECT_NEAR(summary.num_iterations, num_iterations, 2);
      EXPECT_LT((matrix * x - b).norm(), 1.01 * tolerance * b.norm());
      const bool in_stages = preconditioner == &blockwise;
      EXPECT_EQ(a.num_staged, in_stages ? summary.num_iterations : 0);
      EXPECT_EQ(a.num_rounded,
                in_stages && tolerance > 1e-4 ? summary.num_iterations : 0);
    }
  }
}

TEST(ConjugateGradients, SameBitsInStagesForEveryNumberOfThreads) {
  const int n = 3333;
  const TridiagonalOperator plain(n);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  const DiagonalOperator preconditioner(Eigen::VectorXd::Constant(n, 2.5),
                                        StagedOperator::RowBlocks(n));
  ConjugateGradientsOptions options;
  options.r_tolerance = 1e-12;
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    const StagedOperator a(plain);
    const auto [summary, x] = Solve(options, a, &preconditioner, b, execution);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
    EXPECT_GT(summary.num_iterations, 10);
    EXPECT_EQ(a.num_staged, summary.num_iterations);
    return x;
  }));
}

TEST(ConjugateGradients, SameBitsForEveryNumberOfThreads) {
  const int n = 33333;
  const TridiagonalOperator a(n);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
  ConjugateGradientsOptions options;
  options.r_tolerance = 1e-10;
  EXPECT_TRUE(HasSameBitsForAllThreads([&](const Execution& execution) {
    const auto [summary, x] = Solve(options, a, nullptr, b, execution);
    EXPECT_EQ(summary.termination, LinearSolverTermination::kSuccess);
    EXPECT_GT(summary.num_iterations, 10);
    return x;
  }));
}

}  // namespace
}  // namespace ceres::internal
