// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Everything that takes a number of threads has the same bits for 1, 2, 4 and 8
// of them: every admissible combination of solvers, bounds, inner iterations,
// all kinds of cost functions, Problem::Evaluate, Covariance.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/parallel/testing/parallel_test_util.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/solver/whole_solves/solver_combinations.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

class SameBitsTest : public testing::Test {
 protected:
  // `run` returns, for a number of threads, what must not depend on it.
  template <typename Run>
  static void ExpectForEveryNumberOfThreads(const Run& run) {
    const std::vector<double> expected = run(1);
    EXPECT_FALSE(expected.empty());
    for (const int num_threads : {2, 4, 8}) {
      EXPECT_TRUE(SameBits(run(num_threads), expected))
          << num_threads << " threads";
    }
  }

  // Rows are cut into row chunks, which threads take one after the other: where
  // there are few, there is nothing to share.
  static int NumRowChunks(Problem* problem) {
    const ProblemImpl& impl = *problem->mutable_impl();
    const Program program(impl.parameter_blocks(), 0, impl.residual_blocks());
    return Evaluator(program, {}).structure().num_row_chunks();
  }

  // The costs on the way.
  static std::vector<double> Costs(const Solver::Summary& summary) {
    std::vector<double> costs;
    for (const IterationSummary& iteration : summary.iterations) {
      costs.push_back(iteration.cost);
    }
    return costs;
  }

  SharingContext context_{8};
};

void Append(const std::vector<double>& values, std::vector<double>* all) {
  all->insert(all->end(), values.begin(), values.end());
}

// A bundle of many observations and few parameters, small enough for dense
// factorizations.
class BundleSameBits : public SameBitsTest {
 protected:
  BundleSameBits() : bundle_(6, 25, 0.01, context_.problem_options, 16) {
    EXPECT_GT(NumRowChunks(&bundle_.problem), 2);
    base_.max_num_iterations = 3;
    base_.eta = 1e-3;
    base_.max_num_refinement_iterations = 2;
    base_.logging_type = SILENT;
    NameSubset(bundle_.problem, &base_);
  }

  Solver::Summary Solve(Solver::Options options, int num_threads) {
    bundle_.Reset();
    options.num_threads = num_threads;
    const Solver::Summary summary = SolveWith(options, &bundle_.problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    EXPECT_EQ(summary.num_threads_used, num_threads);
    EXPECT_LT(summary.final_cost, summary.initial_cost);
    return summary;
  }

  void ExpectSameSolves(const Solver::Options& options) {
    SCOPED_TRACE(Describe(options));
    ExpectForEveryNumberOfThreads([&](int num_threads) {
      std::vector<double> all = Costs(Solve(options, num_threads));
      Append(bundle_.Values(), &all);
      return all;
    });
  }

  // The thread sanitizer would take a quarter of an hour for all.
  void ExpectSameSolves(const std::vector<Solver::Options>& combinations) {
    const size_t step = parallel::kThreadSanitizer ? 16 : 1;
    for (size_t i = 0; i < combinations.size(); i += step) {
      ExpectSameSolves(combinations[i]);
    }
  }

  SmallBundle bundle_;
  Solver::Options base_;
};

TEST_F(BundleSameBits, OfEveryTrustRegionCombination) {
  ExpectSameSolves(TrustRegionCombinations(base_));
}

TEST_F(BundleSameBits, OfEveryLineSearchCombination) {
  ExpectSameSolves(LineSearchCombinations(base_));
  base_.use_approximate_eigenvalue_bfgs_scaling = true;
  ExpectSameSolves(LineSearchCombinations(base_));
}

TEST_F(BundleSameBits, OfInnerIterations) {
  base_.use_inner_iterations = true;
  base_.inner_iteration_tolerance = 0.0;
  ExpectSameSolves(SolversAndStrategies(base_).Valid());
  EXPECT_GT(Solve(base_, 8).num_inner_iteration_steps, 0);
}

TEST_F(BundleSameBits, OfBounds) {
  // Points may come closer by next to nothing.
  const auto bound = [this](int p) {
    return bundle_.start_points[3 * p + 2] + 1e-3;
  };
  for (int p = 0; p < bundle_.num_points(); ++p) {
    bundle_.problem.SetParameterUpperBound(bundle_.point(p), 2, bound(p));
  }
  ExpectSameSolves(SolversAndStrategies(base_).Valid());
  EXPECT_TRUE(Solve(base_, 8).is_constrained);
  int num_at_bounds = 0;
  for (int p = 0; p < bundle_.num_points(); ++p) {
    num_at_bounds += bundle_.points[3 * p + 2] == bound(p);
  }
  EXPECT_GT(num_at_bounds, 2);
  EXPECT_LT(num_at_bounds, bundle_.num_points());
}

// Three residuals of a point x and a quaternion q; `phase` tells residual
// blocks apart.
struct Bend {
  template <typename T>
  bool operator()(const T* x, const T* q, T* residuals) const {
    using std::sin;
    residuals[0] = sin(x[0] + phase * q[1]) - 0.4 * x[2];
    residuals[1] = x[1] * q[0] + 0.3 * x[0] - 0.2 * phase;
    residuals[2] = x[2] - q[2] * x[1] + 0.5 * q[3];
    return true;
  }
  template <typename T>
  bool operator()(T const* const* parameters, T* residuals) const {
    return (*this)(parameters[0], parameters[1], residuals);
  }
  double phase;
};

template <typename Cost>
CostFunction* NewDynamic(double phase) {
  auto* cost = new Cost(new Bend{phase});
  cost->AddParameterBlock(3);
  cost->AddParameterBlock(4);
  cost->SetNumResiduals(3);
  return cost;
}

constexpr int kNumKindsOfCosts = 8;

// Every way that this library has to make a cost function.
CostFunction* NewBend(int kind, double phase) {
  using Automatic = AutoDiffCostFunction<Bend, 3, 3, 4>;
  switch (kind) {
    case 0:
      return new Automatic(new Bend{phase});
    case 1:
      return new NumericDiffCostFunction<Bend, CENTRAL, 3, 3, 4>(
          new Bend{phase});
    case 2:
      return new NumericDiffCostFunction<Bend, FORWARD, 3, 3, 4>(
          new Bend{phase});
    case 3:
      return new NumericDiffCostFunction<Bend, RIDDERS, 3, 3, 4>(
          new Bend{phase});
    case 4:
      return NewDynamic<DynamicAutoDiffCostFunction<Bend>>(phase);
    case 5:
      return NewDynamic<DynamicNumericDiffCostFunction<Bend>>(phase);
    case 6:
      return NewCost<3, 3, 4>(
          [bend = std::make_shared<CostFunctionToFunctor<3, 3, 4>>(
               new Automatic(new Bend{phase}))](const auto* x, const auto* q,
                                                auto* r) { (*bend)(x, q, r); });
    default:
      return new ConditionedCostFunction(
          new Automatic(new Bend{phase}),
          {nullptr, NewCost<1, 1>([](const auto* x, auto* r) {
             r[0] = x[0] + 0.1 * x[0] * x[0] * x[0];
           }),
           nullptr},
          TAKE_OWNERSHIP);
  }
}

LossFunction* NewLoss(int kind) {
  if (kind == 0) return nullptr;
  if (kind == 1) return new HuberLoss(0.3);
  return new CauchyLoss(0.5);
}

// Cost functions of every kind with and without losses, between points and
// quaternions; a block is constant, one is so in part.
class MixedSameBits : public SameBitsTest {
 protected:
  MixedSameBits() : problem_(context_.problem_options) {
    for (int i = 0; i < 3 * kNumPoints; ++i) {
      points_.push_back(std::sin(1.7 * i));
    }
    for (int k = 0; k < kNumQuaternions; ++k) {
      const double angle = 0.3 * k;
      Append(
          {std::cos(angle), 0.6 * std::sin(angle), 0.0, 0.8 * std::sin(angle)},
          &quaternions_);
    }
    start_points_ = points_;
    start_quaternions_ = quaternions_;
    for (int i = 0; i < kNumResidualBlocks; ++i) {
      problem_.AddResidualBlock(
          NewBend(i % kNumKindsOfCosts, std::cos(0.9 * i)), NewLoss(i % 3),
          point(i % kNumPoints), quaternion(i / 7 % kNumQuaternions));
    }
    for (int k = 0; k < kNumQuaternions; ++k) {
      problem_.SetManifold(quaternion(k), new QuaternionManifold);
    }
    problem_.SetManifold(point(1), new SubsetManifold(3, {2}));
    problem_.SetParameterBlockConstant(point(0));
    EXPECT_GT(NumRowChunks(&problem_), 2);
  }

  double* point(int i) { return &points_[3 * i]; }
  double* quaternion(int k) { return &quaternions_[4 * k]; }

  static constexpr int kNumPoints = 25;
  static constexpr int kNumQuaternions = 4;
  static constexpr int kNumResidualBlocks = 2000;
  std::vector<double> points_;
  std::vector<double> quaternions_;
  std::vector<double> start_points_;
  std::vector<double> start_quaternions_;
  Problem problem_;
};

TEST_F(MixedSameBits, OfSolvesWithCostFunctionsOfEveryKind) {
  for (const auto type : {DENSE_QR, SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR,
                          ITERATIVE_SCHUR, CGNR}) {
    ExpectForEveryNumberOfThreads([&](int num_threads) {
      points_ = start_points_;
      quaternions_ = start_quaternions_;
      Solver::Options options;
      options.linear_solver_type = type;
      options.max_num_iterations = 4;
      options.num_threads = num_threads;
      const Solver::Summary summary = SolveWith(options, &problem_);
      EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
      EXPECT_LT(summary.final_cost, 0.9 * summary.initial_cost);
      std::vector<double> all = Costs(summary);
      Append(points_, &all);
      Append(quaternions_, &all);
      return all;
    });
  }
}

TEST_F(MixedSameBits, OfProblemEvaluate) {
  Problem::EvaluateOptions some;
  problem_.GetResidualBlocks(&some.residual_blocks);
  some.residual_blocks.resize(kNumResidualBlocks - 300);
  problem_.GetParameterBlocks(&some.parameter_blocks);
  std::reverse(some.parameter_blocks.begin(), some.parameter_blocks.end());
  some.parameter_blocks.resize(some.parameter_blocks.size() - 3);
  some.apply_loss_function = false;
  for (Problem::EvaluateOptions options : {Problem::EvaluateOptions(), some}) {
    ExpectForEveryNumberOfThreads([&](int num_threads) {
      options.num_threads = num_threads;
      double cost = 0.0;
      std::vector<double> residuals;
      std::vector<double> gradient;
      CRSMatrix jacobian;
      EXPECT_TRUE(
          problem_.Evaluate(options, &cost, &residuals, &gradient, &jacobian));
      EXPECT_GT(jacobian.values.size(), 2u * kMinRowChunkValues);
      std::vector<double> all = {cost};
      Append(residuals, &all);
      Append(gradient, &all);
      Append(jacobian.values, &all);
      Append({jacobian.cols.begin(), jacobian.cols.end()}, &all);
      return all;
    });
  }
}

// The whole problem as a function of the points, evaluated by a number of
// threads.
class CostOfPoints final : public FirstOrderFunction {
 public:
  CostOfPoints(Problem* problem, std::vector<double>* points, int num_threads)
      : problem_(problem), points_(points) {
    for (size_t i = 0; i < points->size(); i += 3) {
      options_.parameter_blocks.push_back(points->data() + i);
    }
    options_.num_threads = num_threads;
  }
  bool Evaluate(const double* x, double* cost,
                double* gradient) const override {
    points_->assign(x, x + points_->size());
    std::vector<double> all;
    const bool valid = problem_->Evaluate(
        options_, cost, nullptr, gradient == nullptr ? nullptr : &all, nullptr);
    std::copy(all.begin(), all.end(), gradient);
    return valid;
  }
  int NumParameters() const override {
    return static_cast<int>(points_->size());
  }

 private:
  Problem* problem_;
  std::vector<double>* points_;
  Problem::EvaluateOptions options_;
};

TEST_F(MixedSameBits, OfGradientProblems) {
  problem_.SetManifold(point(1), nullptr);
  for (const auto direction :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, LBFGS, BFGS}) {
    ExpectForEveryNumberOfThreads([&](int num_threads) {
      const GradientProblem gradient_problem(
          new CostOfPoints(&problem_, &points_, num_threads));
      GradientProblemSolver::Options options;
      options.line_search_direction_type = direction;
      options.max_num_iterations = 5;
      options.logging_type = SILENT;
      GradientProblemSolver::Summary summary;
      std::vector<double> x = start_points_;
      ceres::Solve(options, gradient_problem, x.data(), &summary);
      EXPECT_LT(summary.final_cost, summary.initial_cost);
      return x;
    });
  }
}

TEST_F(MixedSameBits, OfCovariances) {
  const std::vector<const double*> blocks = {point(3), quaternion(0), point(1),
                                             point(0), quaternion(3)};
  const auto compute = [&](const Covariance::Options& options) {
    Covariance covariance(options);
    EXPECT_TRUE(covariance.Compute(blocks, &problem_));
    std::vector<double> all(17 * 17 + 14 * 14 + 4 * 3 + 3 * 2);
    double* next = all.data();
    EXPECT_TRUE(covariance.GetCovarianceMatrix(blocks, next));
    next += 17 * 17;
    EXPECT_TRUE(covariance.GetCovarianceMatrixInTangentSpace(blocks, next));
    next += 14 * 14;
    EXPECT_TRUE(covariance.GetCovarianceBlock(quaternion(0), point(1), next));
    next += 4 * 3;
    EXPECT_TRUE(covariance.GetCovarianceBlockInTangentSpace(quaternion(0),
                                                            point(1), next));
    return all;
  };
  std::vector<Covariance::Options> every(3);
  every[0].algorithm_type = DENSE_SVD;
  every[1].algorithm_type = DENSE_SVD;
  every[1].apply_loss_function = false;
  every[2].algorithm_type = SPARSE_CHOLESKY;
  for (const auto library : {SUITE_SPARSE, EIGEN_SPARSE, NATIVE_SPARSE}) {
    if (!IsSparseLinearAlgebraLibraryTypeAvailable(library)) continue;
    every.emplace_back().sparse_linear_algebra_library_type = library;
  }
  for (Covariance::Options options : every) {
    ExpectForEveryNumberOfThreads([&](int num_threads) {
      options.num_threads = num_threads;
      return compute(options);
    });
  }
}

}  // namespace
}  // namespace ceres::internal
