// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Whatever user code throws, wherever and in whatever thread, reaches the
// caller of Solve as it was thrown; where the parameters are left then.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_manifold.h"
#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/evaluation_callback.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;

// No std::exception, cannot be copied by value and cut down to a base.
struct Thrown {
  std::unique_ptr<std::string> from;
};

class CountingCallback final : public IterationCallback {
 public:
  CallbackReturnType operator()(const IterationSummary& summary) override {
    iteration = summary.iteration;
    if (throw_at >= 0 && iteration >= throw_at) throw NewThrown("iteration");
    return SOLVER_CONTINUE;
  }
  static std::shared_ptr<Thrown> NewThrown(const char* from) {
    return std::make_shared<Thrown>(
        Thrown{std::make_unique<std::string>(from)});
  }

  std::atomic<int> iteration{-1};
  int throw_at = -1;
};

// The parts of a problem that call user code.
enum class Part {
  kCost,
  kLoss,
  kPlus,
  kIterationCallback,
  kEvaluationCallback
};

constexpr int kLastIteration = 2;

// Rosenbrock's valley many times; part `thrower` throws once iteration
// kLastIteration is over.
class ThrowingProblem {
 public:
  ThrowingProblem(Part thrower, int num_threads)
      : thrower_(thrower), context_(num_threads) {
    if (thrower == Part::kEvaluationCallback) {
      context_.problem_options.evaluation_callback = &evaluation_callback_;
    }
    problem_ = std::make_unique<Problem>(context_.problem_options);
    for (int i = 0; i < kCopies; ++i) {
      x_.insert(x_.end(), {-1.2, 1.0 + 1e-3 * i});
    }
    start_ = x_;
    for (int i = 0; i < kCopies; ++i) AddCopy(&x_[2 * i]);
    options_ = DenseQrOptions();
    options_.linear_solver_type = CGNR;
    options_.num_threads = num_threads;
    options_.initial_trust_region_radius = 1.0;  // so that steps are accepted
    options_.callbacks = {&callback_};
    if (thrower == Part::kIterationCallback) {
      callback_.throw_at = kLastIteration;
    }
  }

  // Returns the name of the thrower, or nothing.
  std::string Run() {
    try {
      Solve(options_, problem_.get(), &summary_);
    } catch (const std::shared_ptr<Thrown>& thrown) {
      return *thrown->from;
    }
    return "";
  }

  // The point after kLastIteration.
  std::vector<double> Expected() {
    ThrowingProblem other(thrower_, 1);
    other.callback_.throw_at = -1;
    other.is_armed_ = false;
    other.options_.max_num_iterations = kLastIteration;
    EXPECT_EQ(other.Run(), "");
    return other.x_;
  }

  Solver::Options& options() { return options_; }
  const Solver::Summary& summary() const { return summary_; }
  const std::vector<double>& x() const { return x_; }
  const std::vector<double>& start() const { return start_; }

 private:
  static constexpr int kCopies = 2000;

  class Loss final : public LossFunction {
   public:
    explicit Loss(const ThrowingProblem& owner) : owner_(owner) {}
    void Evaluate(double s, double rho[3]) const override {
      owner_.ThrowIf(Part::kLoss, "loss");
      rho[0] = s, rho[1] = 1.0, rho[2] = 0.0;
    }

   private:
    const ThrowingProblem& owner_;
  };
  struct Plane {
    template <typename T>
    bool Plus(const T* x, const T* delta, T* x_plus_delta) const {
      owner->ThrowIf(Part::kPlus, "manifold");
      for (int i = 0; i < 2; ++i) x_plus_delta[i] = x[i] + delta[i];
      return true;
    }
    template <typename T>
    bool Minus(const T* y, const T* x, T* y_minus_x) const {
      for (int i = 0; i < 2; ++i) y_minus_x[i] = y[i] - x[i];
      return true;
    }
    const ThrowingProblem* owner;
  };
  class Preparation final : public EvaluationCallback {
   public:
    explicit Preparation(const ThrowingProblem& owner) : owner_(owner) {}
    void PrepareForEvaluation(bool, bool) override {
      owner_.ThrowIf(Part::kEvaluationCallback, "evaluation");
    }

   private:
    const ThrowingProblem& owner_;
  };

  void ThrowIf(Part part, const char* name) const {
    if (is_armed_ && part == thrower_ &&
        callback_.iteration.load() >= kLastIteration) {
      throw CountingCallback::NewThrown(name);
    }
  }

  void AddCopy(double* x) {
    auto* cost = NewCost<2, 2>([this](const auto* p, auto* r) {
      ThrowIf(Part::kCost, "cost");
      r[0] = 10.0 * (p[1] - p[0] * p[0]);
      r[1] = 1.0 - p[0];
    });
    problem_->AddResidualBlock(
        cost, thrower_ == Part::kLoss ? new Loss(*this) : nullptr, x);
    if (thrower_ == Part::kPlus) {
      problem_->SetManifold(x,
                            new AutoDiffManifold<Plane, 2, 2>(new Plane{this}));
    }
  }

  const Part thrower_;
  bool is_armed_ = true;
  SharingContext context_;
  CountingCallback callback_;
  Preparation evaluation_callback_{*this};
  std::vector<double> x_;
  std::vector<double> start_;
  Solver::Options options_;
  Solver::Summary summary_;
  std::unique_ptr<Problem> problem_;
};

struct Case {
  Part part;
  const char* name;
};

class ExceptionsTest : public testing::TestWithParam<Case> {};

TEST_P(ExceptionsTest, KeepTheirTypeAndLeaveTheStart) {
  for (const MinimizerType minimizer : {TRUST_REGION, LINE_SEARCH}) {
    for (const int num_threads : {1, 4}) {
      ThrowingProblem problem(GetParam().part, num_threads);
      problem.options().minimizer_type = minimizer;
      problem.options().update_state_every_iteration = true;
      EXPECT_EQ(problem.Run(), GetParam().name);
      EXPECT_TRUE(SameBits(problem.x(), problem.start()));
      EXPECT_EQ(problem.summary().termination_type, FAILURE);
      EXPECT_THAT(problem.summary().message, HasSubstr("exception"));
      EXPECT_EQ(problem.summary().iterations.size(), kLastIteration + 1u);
    }
  }
}

TEST_P(ExceptionsTest, LeaveTheProgressOnRequest) {
  for (const MinimizerType minimizer : {TRUST_REGION, LINE_SEARCH}) {
    for (const int num_threads : {1, 4}) {
      ThrowingProblem problem(GetParam().part, num_threads);
      problem.options().keep_progress_on_exception = true;
      problem.options().minimizer_type = minimizer;
      EXPECT_EQ(problem.Run(), GetParam().name);
      if (minimizer == TRUST_REGION) {
        EXPECT_TRUE(SameBits(problem.x(), problem.Expected())) << num_threads;
      }
      EXPECT_FALSE(SameBits(problem.x(), problem.start()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Parts, ExceptionsTest,
    testing::Values(Case{Part::kCost, "cost"}, Case{Part::kLoss, "loss"},
                    Case{Part::kPlus, "manifold"},
                    Case{Part::kIterationCallback, "iteration"},
                    Case{Part::kEvaluationCallback, "evaluation"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(Exceptions, BeforeTheFirstIterationLeaveTheStart) {
  for (const bool keep : {false, true}) {
    double x = 3.0;
    double fixed = 1.0;
    Problem problem;
    problem.AddResidualBlock(NewSpring(1.0), nullptr, &x);
    problem.AddResidualBlock(
        new FunctionCost(1, {1}, [](auto, auto, auto) -> bool { throw 7; }),
        nullptr, &fixed);
    problem.SetParameterBlockConstant(&fixed);
    Solver::Options options = DenseQrOptions();
    options.keep_progress_on_exception = keep;
    Solver::Summary summary;
    EXPECT_THROW(Solve(options, &problem, &summary), int);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, HasSubstr("exception"));
    EXPECT_EQ(x, 3.0);
  }
}

}  // namespace
}  // namespace ceres::internal
