// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// A problem that user code changes or solves again while it is being solved,
// and null pointers in options.

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "ceres/evaluation_callback.h"
#include "ceres/gradient_problem.h"
#include "ceres/gradient_problem_solver.h"
#include "ceres/incremental_solver.h"
#include "ceres/iteration_callback.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/sized_cost_function.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Action = std::function<void()>;

// x^2 - 2 and 0.1 x. Runs the action in each evaluation.
class Cost final : public SizedCostFunction<2, 1> {
 public:
  explicit Cost(Action action = nullptr) : action_(std::move(action)) {}
  bool Evaluate(double const* const* x, double* r, double** J) const override {
    if (action_) action_();
    r[0] = x[0][0] * x[0][0] - 2.0;
    r[1] = 0.1 * x[0][0];
    if (J != nullptr && J[0] != nullptr) {
      J[0][0] = 2.0 * x[0][0];
      J[0][1] = 0.1;
    }
    return true;
  }

 private:
  const Action action_;
};

struct Callback final : IterationCallback, EvaluationCallback {
  explicit Callback(Action a) : action(std::move(a)) {}
  CallbackReturnType operator()(const IterationSummary&) override {
    action();
    return SOLVER_CONTINUE;
  }
  void PrepareForEvaluation(bool, bool) override { action(); }
  Action action;
};

Solver::Options Quiet() {
  Solver::Options options;
  options.logging_type = SILENT;
  return options;
}

class EditsDuringSolve : public testing::Test {
 protected:
  EditsDuringSolve() {
    id_ = problem_.AddResidualBlock(new Cost, nullptr, &x_);
    problem_.AddResidualBlock(new Cost, nullptr, &y_);
  }

  Solver::Summary SolveWith(const Action& action) {
    Callback callback(action);
    Solver::Options options = Quiet();
    options.callbacks.push_back(&callback);
    Solver::Summary summary;
    Solve(options, &problem_, &summary);
    return summary;
  }

  std::vector<Action> Edits() {
    return {
        [this] { problem_.AddResidualBlock(new Cost, nullptr, &z_); },
        [this] { problem_.AddResidualBlocks({new Cost}, nullptr, {&x_}); },
        [this] { problem_.AddParameterBlock(&z_, 1); },
        [this] { problem_.RemoveResidualBlock(id_); },
        [this] { problem_.RemoveParameterBlock(&x_); },
        [this] { problem_.SetParameterBlockConstant(&x_); },
        [this] { problem_.SetParameterBlockVariable(&x_); },
        [this] { problem_.SetParameterLowerBound(&x_, 0, -9.0); },
        [this] { problem_.SetParameterUpperBound(&x_, 0, 9.0); },
        [this] { problem_.SetManifold(&x_, new EuclideanManifold<1>); },
        [this] { problem_.SetLinearizationPoint(&x_, &y_); },
        [this] { problem_ = Problem(); },
        [this] { SolveWith([] {}); },
        [this] {
          IncrementalSolver(kOptions, &problem_).Update(&incremental_);
        },
    };
  }

  const IncrementalSolver::Options kOptions;
  IncrementalSolver::Summary incremental_;
  double x_ = 3.0, y_ = 4.0, z_ = 5.0;
  Problem problem_;
  ResidualBlockId id_;
};

using EditsDuringSolveDeathTest = EditsDuringSolve;

TEST_F(EditsDuringSolveDeathTest, AnIterationCallbackMustNotEdit) {
  for (const Action& edit : Edits()) {
    EXPECT_DEATH(SolveWith(edit), "The problem is (being solved|destroyed)");
  }
}

TEST_F(EditsDuringSolveDeathTest, ACostFunctionMustNotEdit) {
  int calls = 0;
  const std::vector<Action> edits = Edits();
  const Action* edit = nullptr;
  problem_.AddResidualBlock(new Cost([&] { (*edit)(); }), nullptr, &y_);
  for (const Action& e : edits) {
    edit = &e;
    EXPECT_DEATH(SolveWith([&] { ++calls; }), "The problem is ");
  }
}

TEST_F(EditsDuringSolveDeathTest, AnEvaluationCallbackMustNotEdit) {
  Callback callback([] {});
  Problem::Options options;
  options.evaluation_callback = &callback;
  problem_ = Problem(options);
  id_ = problem_.AddResidualBlock(new Cost, nullptr, &x_);
  for (const Action& edit : Edits()) {
    callback.action = edit;
    EXPECT_DEATH(SolveWith([] {}), "The problem is (being solved|destroyed)");
  }
}

TEST_F(EditsDuringSolveDeathTest, AnotherThreadMustNotEditOrSolve) {
  for (const Action& edit : Edits()) {
    EXPECT_DEATH(SolveWith([&] { std::thread(edit).join(); }),
                 "The problem is (being solved|destroyed)");
  }
}

TEST_F(EditsDuringSolveDeathTest, NullInCallbacks) {
  Solver::Options options = Quiet();
  options.callbacks = {nullptr};
  Solver::Summary summary;
  EXPECT_DEATH(Solve(options, &problem_, &summary), "callbacks is null");
}

TEST_F(EditsDuringSolve, EvaluationAndOtherProblemsAreAllowed) {
  int num_calls = 0;
  const Solver::Summary summary = SolveWith([&] {
    ++num_calls;
    double cost = -1.0;
    EXPECT_TRUE(problem_.Evaluate({}, &cost, nullptr, nullptr, nullptr));
    EXPECT_GT(cost, 0.0);
    double x = 7.0;
    Problem other;
    other.AddResidualBlock(new Cost, nullptr, &x);
    Solver::Summary inner;
    Solve(Quiet(), &other, &inner);
    EXPECT_EQ(inner.termination_type, CONVERGENCE);
    x_ = 100.0;  // the solver overwrites it
  });
  EXPECT_GT(num_calls, 2);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  EXPECT_NEAR(x_, 1.41244, 1e-4);
}

TEST_F(EditsDuringSolve, EditsAreAllowedAfterEachSolve) {
  struct Stop {};
  EXPECT_THROW(SolveWith([] { throw Stop(); }), Stop);
  problem_.SetParameterBlockConstant(&x_);
  EXPECT_EQ(SolveWith([] {}).termination_type, CONVERGENCE);
  problem_.RemoveResidualBlock(id_);
  EXPECT_EQ(SolveWith([] {}).termination_type, CONVERGENCE);
}

}  // namespace
}  // namespace ceres::internal
