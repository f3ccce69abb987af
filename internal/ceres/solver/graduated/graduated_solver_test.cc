// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated_solver.h"

#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "ceres/iteration_callback.h"
#include "ceres/loss_function.h"
#include "ceres/parallel/cancellation.h"
#include "ceres/sized_cost_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Measurements of one number. Inliers are near 10, outliers are far away.
class Mean {
 public:
  static constexpr int kNumInliers = 9;
  Mean() {
    for (const double value : {9.8, 10.1, 9.9, 10.3, 10.0, 9.7, 10.2, 10.05,
                               9.95, 30.0, 42.0, 28.0, -25.0, 90.0, 31.0}) {
      values.push_back(value);
      blocks.push_back(problem.AddResidualBlock(NewSpring(value), nullptr, &x));
    }
  }
  double MeanOfInliers() const {
    double sum = 0.0;
    for (int i = 0; i < kNumInliers; ++i) sum += values[i];
    return sum / kNumInliers;
  }

  double x = 60.0;
  Problem problem;
  std::vector<double> values;
  std::vector<ResidualBlockId> blocks;
};

// All measurements may be outliers, and the start is as wrong as they are.
GraduatedOptions MeanOptions() {
  GraduatedOptions options;
  options.start = GraduatedStart::kAllInliers;
  return options;
}

GraduatedSummary SolveGraduatedWith(const Solver::Options& options,
                                    const GraduatedOptions& graduated_options,
                                    Problem* problem) {
  GraduatedSummary summary;
  SolveGraduated(options, graduated_options, problem, &summary);
  return summary;
}

TEST(SolveGraduated, TruncatedSquaresEndAtTheMeanOfInliers) {
  Mean mean;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), MeanOptions(), &mean.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_NEAR(mean.x, mean.MeanOfInliers(), 1e-9);
  EXPECT_EQ(summary.num_inliers, Mean::kNumInliers);
  EXPECT_EQ(summary.outliers,
            std::vector<ResidualBlockId>(
                mean.blocks.begin() + Mean::kNumInliers, mean.blocks.end()));
  double cost = 0.0;
  for (int i = 0; i < 15; ++i) {
    EXPECT_EQ(summary.weights[i], i < Mean::kNumInliers ? 1.0 : 0.0) << i;
    if (i < Mean::kNumInliers)
      cost += 0.5 * std::pow(mean.values[i] - mean.x, 2);
  }
  EXPECT_NEAR(summary.final_cost, cost, 1e-9);
}

TEST(SolveGraduated, GemanMcClureEndsAtAMinimumOfItsLoss) {
  Mean mean;
  GraduatedOptions options = MeanOptions();
  options.loss = GraduatedLoss::kGemanMcClure;
  options.inlier_cost_bound = 2.0;  // c^2 = 4
  options.cost_tolerance = 1e-14;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), options, &mean.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  double gradient = 0.0;
  double curvature = 0.0;
  for (int i = 0; i < 15; ++i) {
    const double r = mean.x - mean.values[i];
    const double weight = std::pow(4.0 / (4.0 + r * r), 2);
    EXPECT_NEAR(summary.weights[i], weight, 1e-5) << i;
    gradient += weight * r;
    // The second derivative of 4 r^2 / (4 + r^2) / 2.
    curvature += 16.0 * (4.0 - 3.0 * r * r) / std::pow(4.0 + r * r, 3);
  }
  EXPECT_NEAR(gradient, 0.0, 1e-5);
  EXPECT_GT(curvature, 0.0);
  EXPECT_NEAR(mean.x, mean.MeanOfInliers(), 0.05);
  EXPECT_EQ(summary.rounds.back().control, 1.0);
}

TEST(SolveGraduated, FindsTheInlierBoundFromTheNumberOfResiduals) {
  double x[2] = {0.0, 0.0};
  Problem problem;
  const auto add = [&](double target, double distance) {
    problem.AddResidualBlock(NewCost<2, 2>([=](const auto* x, auto* r) {
                               r[0] = x[0] - target;
                               r[1] = x[1] - distance;
                             }),
                             nullptr, x);
  };
  // Constant parameters: the norms are those of the measurements. The 0.99
  // quantile of two degrees is 9.2103, that of one degree 6.6349.
  add(0.0, std::sqrt(9.20));
  add(0.0, std::sqrt(9.22));
  double y = 0.0;
  problem.AddResidualBlock(NewSpring(std::sqrt(6.63)), nullptr, &y);
  problem.AddResidualBlock(NewSpring(std::sqrt(6.64)), nullptr, &y);
  problem.SetParameterBlockConstant(x);
  problem.SetParameterBlockConstant(&y);
  GraduatedOptions options;
  options.inlier_probability = 0.99;
  const GraduatedSummary summary =
      SolveGraduatedWith(DenseQrOptions(), options, &problem);
  EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
  EXPECT_THAT(summary.weights, ElementsAre(1.0, 0.0, 1.0, 0.0));
}

// A chain of steps of length 1 with loop closures, of which some are false. The
// steps drift.
class Chain {
 public:
  explicit Chain(int num_false,
                 const Problem::Options& options = Problem::Options())
      : problem(options), x(61) {
    for (int i = 0; i < 60; ++i) {
      x[i + 1] = x[i] + Step(i);
      certain.insert(Add(i, i + 1, Step(i), 0.1));
    }
    for (int i = 0; i + 20 <= 60; i += 2) {
      loops.push_back(Add(i, i + 20, 20.0, 0.1));
    }
    for (int i = 0; i < num_false; ++i) {
      loops.push_back(Add(i, 60 - 2 * i, 7.0 * i - 90.0, 0.1));
    }
    problem.SetParameterBlockConstant(&x[0]);
    start = x;
  }
  static double Step(int i) { return i % 3 == 0 ? 1.1 : 1.02; }

  ResidualBlockId Add(int a, int b, double difference, double sigma) {
    return problem.AddResidualBlock(
        NewCost<1, 1, 1>([=](const auto* p, const auto* q, auto* r) {
          r[0] = (q[0] - p[0] - difference) / sigma;
        }),
        nullptr, &x[a], &x[b]);
  }
  GraduatedOptions Options() const {
    GraduatedOptions options;
    options.certain_residual_blocks = certain;
    return options;
  }

  Problem problem;
  std::vector<double> x;
  std::vector<double> start;
  std::unordered_set<ResidualBlockId> certain;
  std::vector<ResidualBlockId> loops;
};

Solver::Options SparseOptions(int num_threads = 1) {
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.function_tolerance = 1e-14;
  options.num_threads = num_threads;
  return options;
}

TEST(SolveGraduated, EndsAtTheSolutionOfTheGraphWithoutFalseLoops) {
  Chain without(0);
  const Solver::Summary expected = SolveWith(SparseOptions(), &without.problem);
  Chain chain(15);
  const GraduatedSummary summary =
      SolveGraduatedWith(SparseOptions(), chain.Options(), &chain.problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_EQ(summary.outliers, std::vector<ResidualBlockId>(
                                  chain.loops.end() - 15, chain.loops.end()));
  EXPECT_NEAR(summary.final_cost, expected.final_cost,
              1e-8 * expected.final_cost);
  for (int i = 0; i <= 60; ++i) EXPECT_NEAR(chain.x[i], without.x[i], 1e-6);
}

TEST(SolveGraduated, KeepsPreprocessingWhileNoBlocksLeave) {
  Chain chain(15);
  const GraduatedSummary summary =
      SolveGraduatedWith(SparseOptions(), chain.Options(), &chain.problem);
  ASSERT_GT(summary.rounds.size(), 10u);
  int num_new = 0;
  for (const GraduatedSummary::Round& round : summary.rounds) {
    num_new += round.preprocessing_was_kept ? 0 : 1;
  }
  EXPECT_FALSE(summary.rounds.front().preprocessing_was_kept);
  EXPECT_LT(num_new, static_cast<int>(summary.rounds.size()) / 2);
}

TEST(SolveGraduated, DropsAFalseLoopThatBendsTheSolution) {
  // 100 steps of sigma 0.1 have sigma 1 together. The false loop closure is
  // 3.5 sigma from the truth, and at the start an inlier of the drifted chain.
  std::vector<double> x(101);
  Problem problem;
  GraduatedOptions options;
  const auto add = [&](int a, int b, double difference) {
    return problem.AddResidualBlock(
        NewCost<1, 1, 1>([=](const auto* p, const auto* q, auto* r) {
          r[0] = (q[0] - p[0] - difference) / 0.1;
        }),
        nullptr, &x[a], &x[b]);
  };
  for (int i = 0; i < 100; ++i) {
    options.certain_residual_blocks.insert(add(i, i + 1, 1.0));
    x[i + 1] = x[i] + 1.035;
  }
  const ResidualBlockId false_loop = add(0, 100, 103.5);
  problem.SetParameterBlockConstant(&x[0]);

  options.max_num_checks = 0;
  GraduatedSummary summary =
      SolveGraduatedWith(SparseOptions(), options, &problem);
  EXPECT_TRUE(summary.outliers.empty());
  EXPECT_NEAR(x[100], 100.0 + 3.5 * 100.0 / 101.0, 1e-6);

  options.max_num_checks = 3;
  summary = SolveGraduatedWith(SparseOptions(), options, &problem);
  EXPECT_THAT(summary.outliers, ElementsAre(false_loop));
  EXPECT_NEAR(x[100], 100.0, 1e-6);
}

// Stops after a number of calls.
class CountdownCallback final : public IterationCallback {
 public:
  explicit CountdownCallback(int num_calls) : num_calls_(num_calls) {}
  CallbackReturnType operator()(const IterationSummary&) override {
    return num_calls_-- > 0 ? SOLVER_CONTINUE : SOLVER_TERMINATE_SUCCESSFULLY;
  }

 private:
  int num_calls_;
};

TEST(SolveGraduated, ReturnsTheBestPassIfItIsStoppedDuringAnother) {
  // One spring, and a measurement that bends it: without the measurement the
  // cost is less.
  GraduatedSummary summary;
  const auto solve = [&](Solver::Options options, int max_num_checks) {
    double x[2] = {0.0, 1.0};
    Problem problem;
    GraduatedOptions graduated_options;
    graduated_options.inlier_cost_bound = 1.0;
    graduated_options.max_num_checks = max_num_checks;
    graduated_options.certain_residual_blocks.insert(problem.AddResidualBlock(
        NewCost<1, 1, 1>([](const auto* a, const auto* b, auto* r) {
          r[0] = b[0] - a[0] + 1.0;
        }),
        nullptr, &x[0], &x[1]));
    problem.AddResidualBlock(
        NewCost<1, 1, 1>([](const auto* a, const auto* b, auto* r) {
          r[0] = b[0] - a[0] - 1.0;
        }),
        nullptr, &x[0], &x[1]);
    problem.SetParameterBlockConstant(&x[0]);
    SolveGraduated(options, graduated_options, &problem, &summary);
    return x[1];
  };
  // Half of the difference each.
  EXPECT_NEAR(solve(TightDenseQrOptions(), 0), 0.0, 1e-6);
  int num_calls = 0;
  for (const GraduatedSummary::Round& round : summary.rounds) {
    num_calls += round.num_iterations + 1;
  }
  const std::size_t num_rounds = summary.rounds.size();
  CountdownCallback callback(num_calls + 1);
  Solver::Options options = TightDenseQrOptions();
  options.callbacks.push_back(&callback);
  EXPECT_NEAR(solve(options, 3), 0.0, 1e-6);
  EXPECT_EQ(summary.termination_type, USER_SUCCESS);
  EXPECT_GT(summary.rounds.size(), num_rounds);
  EXPECT_TRUE(summary.rounds[num_rounds].follows_check);
  EXPECT_TRUE(summary.outliers.empty());
}

TEST(SolveGraduated, HasTheSameBitsForEveryNumberOfThreads) {
  std::vector<double> reference;
  std::vector<double> reference_weights;
  for (const int num_threads : {1, 2, 4}) {
    SharingContext context(num_threads);
    Chain chain(15, context.problem_options);
    const GraduatedSummary summary = SolveGraduatedWith(
        SparseOptions(num_threads), chain.Options(), &chain.problem);
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
    if (num_threads == 1) {
      reference = chain.x;
      reference_weights = summary.weights;
    }
    EXPECT_TRUE(SameBits(chain.x, reference)) << num_threads;
    EXPECT_TRUE(SameBits(summary.weights, reference_weights)) << num_threads;
  }
}

TEST(SolveGraduated, LeavesTheProblemAsItWas) {
  double x = 3.0;
  Problem problem;
  LossFunction* const huber = new HuberLoss(0.5);
  LossFunction* const cauchy = new CauchyLoss(0.5);
  const ResidualBlockId certain =
      problem.AddResidualBlock(NewSpring(1.0), huber, &x);
  const ResidualBlockId uncertain =
      problem.AddResidualBlock(NewSpring(2.0), cauchy, &x);
  const auto cost_at_three = [&] {
    x = 3.0;
    double cost = 0.0;
    EXPECT_TRUE(problem.Evaluate(Problem::EvaluateOptions(), &cost, nullptr,
                                 nullptr, nullptr));
    return cost;
  };
  const double cost = cost_at_three();
  GraduatedOptions options;
  options.certain_residual_blocks = {certain};
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), options, &problem);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  // The certain block has its loss, whose gradient far away is its scale. The
  // other has weight 1 in place of its loss.
  EXPECT_NEAR(x, 1.5, 1e-7);
  EXPECT_EQ(problem.GetLossFunctionForResidualBlock(certain), huber);
  EXPECT_EQ(problem.GetLossFunctionForResidualBlock(uncertain), cauchy);
  EXPECT_EQ(cost_at_three(), cost);
}

TEST(SolveGraduated, SolvesProblemsWithoutUncertainBlocks) {
  for (const GraduatedLoss loss :
       {GraduatedLoss::kTruncatedSquares, GraduatedLoss::kGemanMcClure}) {
    Mean mean;
    GraduatedOptions options;
    options.loss = loss;
    options.certain_residual_blocks = {mean.blocks.begin(), mean.blocks.end()};
    const GraduatedSummary summary =
        SolveGraduatedWith(TightDenseQrOptions(), options, &mean.problem);
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    double sum = 0.0;
    for (const double value : mean.values) sum += value;
    EXPECT_NEAR(mean.x, sum / 15.0, 1e-6);
    EXPECT_EQ(summary.num_inliers, 15);
  }
}

TEST(SolveGraduated, ReportsThatRoundsAreExhausted) {
  Mean mean;
  GraduatedOptions options = MeanOptions();
  options.max_num_rounds = 3;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), options, &mean.problem);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("max_num_rounds = 3"));
  EXPECT_EQ(summary.rounds.size(), 3u);
  EXPECT_NE(mean.x, 60.0);
  EXPECT_EQ(summary.weights.size(), 15u);
}

TEST(SolveGraduated, RefusesOptionsOutOfRange) {
  const auto message_of = [](const GraduatedOptions& options,
                             const Solver::Options& solver_options) {
    Mean mean;
    const GraduatedSummary summary =
        SolveGraduatedWith(solver_options, options, &mean.problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_FALSE(summary.IsSolutionUsable());
    EXPECT_EQ(mean.x, 60.0);
    return summary.message;
  };
  GraduatedOptions options;
  options.control_factor = 1.0;
  EXPECT_THAT(message_of(options, DenseQrOptions()),
              HasSubstr("GraduatedOptions::control_factor = 1"));
  options = GraduatedOptions();
  options.inlier_probability = 1.0;
  EXPECT_THAT(message_of(options, DenseQrOptions()),
              HasSubstr("GraduatedOptions::inlier_probability = 1"));
  options = GraduatedOptions();
  options.max_num_rounds = 0;
  EXPECT_THAT(message_of(options, DenseQrOptions()),
              HasSubstr("GraduatedOptions::max_num_rounds = 0"));
  Solver::Options solver_options = DenseQrOptions();
  solver_options.num_threads = 0;
  EXPECT_THAT(message_of(GraduatedOptions(), solver_options),
              HasSubstr("Solver::Options::num_threads = 0"));
}

// Fails or throws when x is less than a limit.
class LimitedCost final : public SizedCostFunction<1, 1> {
 public:
  LimitedCost(double limit, bool throws) : limit_(limit), throws_(throws) {}
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const double x = parameters[0][0];
    if (throws_ && x < limit_) throw std::string("below the limit");
    residuals[0] = x - 10.0;
    if (jacobians != nullptr && jacobians[0] != nullptr) jacobians[0][0] = 1.0;
    return x >= limit_;
  }

 private:
  const double limit_;
  const bool throws_;
};

TEST(SolveGraduated, RestoresTheStartAfterAnException) {
  for (const bool keeps_progress : {false, true}) {
    Mean mean;
    mean.problem.AddResidualBlock(new LimitedCost(15.0, true), nullptr,
                                  &mean.x);
    Solver::Options options = DenseQrOptions();
    options.keep_progress_on_exception = keeps_progress;
    GraduatedSummary summary;
    EXPECT_THROW(
        SolveGraduated(options, MeanOptions(), &mean.problem, &summary),
        std::string);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_EQ(mean.x == 60.0, !keeps_progress);
  }
}

TEST(SolveGraduated, FailsIfTheStartCannotBeEvaluated) {
  Mean mean;
  mean.problem.AddResidualBlock(new LimitedCost(70.0, false), nullptr, &mean.x);
  const GraduatedSummary summary =
      SolveGraduatedWith(DenseQrOptions(), GraduatedOptions(), &mean.problem);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("esidual"));
  EXPECT_EQ(mean.x, 60.0);
  EXPECT_TRUE(summary.weights.empty());
}

class StoppingCallback final : public IterationCallback {
 public:
  explicit StoppingCallback(CallbackReturnType type) : type_(type) {}
  CallbackReturnType operator()(const IterationSummary&) override {
    return ++num_calls > 5 ? type_ : SOLVER_CONTINUE;
  }
  int num_calls = 0;

 private:
  const CallbackReturnType type_;
};

TEST(SolveGraduated, EndsWhenACallbackSaysSo) {
  for (const CallbackReturnType type :
       {SOLVER_TERMINATE_SUCCESSFULLY, SOLVER_ABORT}) {
    Chain chain(15);
    StoppingCallback callback(type);
    Solver::Options options = SparseOptions();
    options.callbacks.push_back(&callback);
    const GraduatedSummary summary =
        SolveGraduatedWith(options, chain.Options(), &chain.problem);
    EXPECT_EQ(callback.num_calls, 6);
    const bool succeeds = type == SOLVER_TERMINATE_SUCCESSFULLY;
    EXPECT_EQ(summary.termination_type, succeeds ? USER_SUCCESS : USER_FAILURE);
    EXPECT_EQ(summary.IsSolutionUsable(), succeeds);
    EXPECT_EQ(SameBits(chain.x, chain.start), !succeeds);
  }
}

TEST(SolveGraduated, EndsWhenItIsCancelled) {
  Chain chain(15);
  parallel::CancellationSource source;
  source.Cancel();
  Solver::Options options = SparseOptions();
  options.cancellation_token = source.token();
  const GraduatedSummary summary =
      SolveGraduatedWith(options, chain.Options(), &chain.problem);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("ancel"));
  EXPECT_EQ(summary.rounds.size(), 1u);
  EXPECT_TRUE(SameBits(chain.x, chain.start));
}

TEST(SolveGraduated, EndsAtTheTimeLimit) {
  Chain chain(15);
  Solver::Options options = SparseOptions();
  options.max_solver_time_in_seconds = 0.0;
  const GraduatedSummary summary =
      SolveGraduatedWith(options, chain.Options(), &chain.problem);
  EXPECT_EQ(summary.termination_type, NO_CONVERGENCE);
  EXPECT_THAT(summary.message, HasSubstr("time"));
  EXPECT_EQ(summary.rounds.size(), 1u);
}

TEST(SolveGraduated, ReportsOneLine) {
  Mean mean;
  const GraduatedSummary summary =
      SolveGraduatedWith(TightDenseQrOptions(), MeanOptions(), &mean.problem);
  const std::string report = summary.BriefReport();
  EXPECT_THAT(report, HasSubstr("Inliers: 9, Outliers: 6"));
  EXPECT_THAT(report, HasSubstr("CONVERGENCE"));
  EXPECT_EQ(report.find('\n'), std::string::npos);
}

TEST(SolveGraduatedDeathTest, ChecksThatCertainBlocksAreInTheProblem) {
  Mean mean;
  Mean other;
  GraduatedOptions options;
  options.certain_residual_blocks = {other.blocks[0]};
  GraduatedSummary summary;
  EXPECT_DEATH(
      SolveGraduated(DenseQrOptions(), options, &mean.problem, &summary),
      "has no residual block");
  EXPECT_DEATH(SolveGraduated(DenseQrOptions(), options, nullptr, &summary),
               "needs a problem");
}

}  // namespace
}  // namespace ceres::internal
