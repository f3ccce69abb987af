// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/incremental_solver.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/evaluation_callback.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/rotation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::HasSubstr;
using Summary = IncrementalSolver::Summary;

// Planar poses x, y, heading.
struct Between {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    using std::cos;
    using std::sin;
    const T c = cos(a[2]), s = sin(a[2]);
    r[0] = c * (b[0] - a[0]) + s * (b[1] - a[1]) - m[0];
    r[1] = c * (b[1] - a[1]) - s * (b[0] - a[0]) - m[1];
    r[2] = 5.0 * (b[2] - a[2] - m[2]);
    return true;
  }
  std::array<double, 3> m;
};

// A robot that drives circles and sees, now and then, where it was a lap ago.
class Circles {
 public:
  using Pose = std::array<double, 3>;
  static constexpr int kLap = 24;

  explicit Circles(LossFunction* loss = nullptr, unsigned seed = 3)
      : loss_(loss), random_(seed) {
    poses_.push_back({0.0, 0.0, 0.0});
    problem_.AddParameterBlock(poses_[0].data(), 3);
    problem_.SetParameterBlockConstant(poses_[0].data());
  }

  void AddPose() {
    constexpr double kTurn = 2.0 * 3.14159265358979 / kLap;
    const Pose m = {1.0 + Noise(), Noise(), kTurn + 0.3 * Noise()};
    const Pose& a = poses_.back();
    const double c = std::cos(a[2]), s = std::sin(a[2]);
    poses_.push_back(
        {a[0] + c * m[0] - s * m[1], a[1] + s * m[0] + c * m[1], a[2] + m[2]});
    const int last = static_cast<int>(poses_.size()) - 1;
    Add(last - 1, last, m);
    if (last >= kLap && last % 5 == 0) {
      Add(last - kLap, last, {Noise(), Noise(), 24 * kTurn + 0.3 * Noise()});
    }
  }
  void Add(int a, int b, const Pose& m) {
    residual_blocks_.push_back(problem_.AddResidualBlock(
        new AutoDiffCostFunction<Between, 3, 3, 3>(new Between{m}),
        loss_ == nullptr ? nullptr : loss_, poses_[a].data(),
        poses_[b].data()));
  }

  Problem& problem() { return problem_; }
  double* pose(int k) { return poses_[k].data(); }
  int num_poses() const { return static_cast<int>(poses_.size()); }
  std::vector<ResidualBlockId>& residual_blocks() { return residual_blocks_; }
  std::vector<double> Values() const {
    std::vector<double> values;
    for (const Pose& p : poses_)
      values.insert(values.end(), p.begin(), p.end());
    return values;
  }

 private:
  double Noise() { return 0.03 * normal_(random_); }

  LossFunction* const loss_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  std::deque<Pose> poses_;
  std::vector<ResidualBlockId> residual_blocks_;
  Problem problem_;
};

Solver::Options Batch() {
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.function_tolerance = 1e-15;
  options.parameter_tolerance = 1e-13;
  options.gradient_tolerance = 1e-14;
  return options;
}

// Every block is linearized again whenever it moves.
IncrementalSolver::Options Exact(int max_num_steps) {
  IncrementalSolver::Options options;
  options.relinearization_threshold = 1e-9;
  options.update_tolerance = 0.0;
  options.max_num_steps = max_num_steps;
  return options;
}

void ExpectBatchSolution(IncrementalSolver* solver, double largest) {
  IncrementalSolver::Comparison comparison;
  solver->CompareWithBatch(Batch(), &comparison);
  ASSERT_TRUE(comparison.batch.IsSolutionUsable());
  EXPECT_LT(comparison.largest_difference, largest);
}

TEST(IncrementalSolver, StepsUntilConvergenceEqualTheBatchSolution) {
  Circles circles;
  IncrementalSolver solver(Exact(20), &circles.problem());
  for (int k = 0; k < 100; ++k) {
    circles.AddPose();
    Summary summary;
    solver.Update(&summary);
    ASSERT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    if (k % 10 == 0) ExpectBatchSolution(&solver, 1e-6);
  }
}

TEST(IncrementalSolver, RobustLossesConvergeToTheBatchSolution) {
  Circles circles(new CauchyLoss(0.05));
  IncrementalSolver::Options options = Exact(60);
  options.relinearization_threshold = 1e-8;
  IncrementalSolver solver(options, &circles.problem());
  for (int k = 0; k < 70; ++k) {
    circles.AddPose();
    Summary summary;
    solver.Update(&summary);
    ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
  }
  ExpectBatchSolution(&solver, 1e-5);
}

TEST(IncrementalSolver, OneStepPerUpdateStaysNearTheBatchSolution) {
  Circles circles;
  IncrementalSolver solver({}, &circles.problem());
  int num_eliminated = 0;
  for (int k = 0; k < 200; ++k) {
    circles.AddPose();
    Summary summary;
    solver.Update(&summary);
    ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
    num_eliminated += summary.num_blocks_eliminated;
  }
  EXPECT_LT(num_eliminated, 200 * 201 / 4);  // of those of batch solves
  ExpectBatchSolution(&solver, 0.1);
}

TEST(IncrementalSolver, PredictedCostIsTheCostWhereFactorsAreLinearized) {
  Circles circles;
  IncrementalSolver solver(Exact(20), &circles.problem());
  Summary summary;
  for (int k = 0; k < 60; ++k) circles.AddPose();
  solver.Update(&summary);
  ASSERT_EQ(summary.termination_type, CONVERGENCE);
  double cost = 0.0;
  ASSERT_TRUE(circles.problem().Evaluate({}, &cost, nullptr, nullptr, nullptr));
  EXPECT_NEAR(summary.predicted_cost, cost, 1e-9 * cost);
}

TEST(IncrementalSolver, FollowsRemovedAndFixedAndFreedBlocks) {
  Circles circles;
  IncrementalSolver solver(Exact(20), &circles.problem());
  Summary summary;
  const auto update = [&] {
    solver.Update(&summary);
    ASSERT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    ExpectBatchSolution(&solver, 1e-6);
  };
  for (int k = 0; k < 80; ++k) circles.AddPose();
  update();
  // A loop ends.
  circles.problem().RemoveResidualBlock(circles.residual_blocks().back());
  circles.residual_blocks().pop_back();
  update();
  circles.problem().SetParameterBlockConstant(circles.pose(40));
  circles.pose(40)[0] += 0.1;
  update();
  circles.problem().SetParameterBlockVariable(circles.pose(40));
  update();
  circles.problem().SetManifold(circles.pose(50), new SubsetManifold(3, {1}));
  update();
  // The last pose, with its residual blocks.
  circles.problem().RemoveParameterBlock(circles.pose(80));
  update();
  EXPECT_LT(summary.num_blocks_eliminated, 80);
}

TEST(IncrementalSolver, ABlockThatIsAddedAndRemovedBetweenUpdatesHasNoEffect) {
  Circles circles;
  IncrementalSolver solver(Exact(20), &circles.problem());
  Summary summary;
  for (int k = 0; k < 30; ++k) circles.AddPose();
  solver.Update(&summary);
  const std::vector<double> before = circles.Values();
  circles.Add(3, 17, {9.0, 9.0, 0.0});
  circles.problem().RemoveResidualBlock(circles.residual_blocks().back());
  solver.Update(&summary);
  EXPECT_EQ(summary.num_blocks_eliminated, 0);
  EXPECT_EQ(circles.Values(), before);
}

TEST(IncrementalSolver, AValueThatTheCallerChangesIsTheLinearizationPoint) {
  Circles circles;
  IncrementalSolver solver(Exact(20), &circles.problem());
  Summary summary;
  for (int k = 0; k < 30; ++k) circles.AddPose();
  solver.Update(&summary);
  circles.pose(12)[0] += 0.2;
  circles.pose(0)[1] = 0.5;  // the constant pose
  solver.Update(&summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE);
  ExpectBatchSolution(&solver, 1e-6);
}

TEST(IncrementalSolver, BitsDoNotDependOnThreads) {
  std::vector<double> expected;
  for (const int num_threads : {1, 2, 4}) {
    Circles circles;
    IncrementalSolver::Options options;
    options.num_threads = num_threads;
    options.max_operations_per_update = 1000000;
    options.reorder_fill_factor = 1.0;
    IncrementalSolver solver(options, &circles.problem());
    Summary summary;
    for (int k = 0; k < 150; ++k) {
      circles.AddPose();
      if (k % 7 == 0) solver.Update(&summary);
    }
    solver.Update(&summary);
    if (expected.empty()) expected = circles.Values();
    EXPECT_EQ(circles.Values(), expected) << num_threads;
  }
}

// A small threshold, so that each loop leaves many blocks to linearize again.
IncrementalSolver::Options Bounded(int64_t max_operations_per_update) {
  IncrementalSolver::Options options;
  options.relinearization_threshold = 1e-3;
  options.update_tolerance = 1e-6;
  options.max_operations_per_update = max_operations_per_update;
  return options;
}

TEST(IncrementalSolver, NoUpdateExceedsTheBoundAndTheRequiredOperations) {
  constexpr int64_t kBound = 1000000;
  Circles circles;
  IncrementalSolver solver(Bounded(kBound), &circles.problem());
  Summary summary;
  int most_blocks_waiting = 0, most_fronts_waiting = 0;
  for (int k = 0; k < 300; ++k) {
    circles.AddPose();
    solver.Update(&summary);
    ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
    EXPECT_LE(summary.num_required_operations, summary.num_operations);
    EXPECT_LE(summary.num_operations,
              std::max(kBound, summary.num_required_operations));
    most_blocks_waiting =
        std::max(most_blocks_waiting, summary.num_blocks_waiting);
    most_fronts_waiting =
        std::max(most_fronts_waiting, summary.num_fronts_waiting);
  }
  EXPECT_GT(most_blocks_waiting, 50);
  EXPECT_GT(most_fronts_waiting, 5);
  // What was left to later updates is done without new blocks.
  int num_updates = 0;
  while (summary.termination_type == NO_CONVERGENCE && num_updates < 1000) {
    solver.Update(&summary);
    ++num_updates;
  }
  EXPECT_GT(num_updates, 0);
  ASSERT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  EXPECT_EQ(summary.num_blocks_waiting, 0);
  EXPECT_EQ(summary.num_fronts_waiting, 0);
  ExpectBatchSolution(&solver, 0.01);
}

TEST(IncrementalSolver, TheRequiredOperationsDoNotDependOnTheProblemsSize) {
  // Poses without loops: the end of the chain alone is required.
  const auto required = [](int num_poses) {
    Circles circles;
    IncrementalSolver solver({}, &circles.problem());
    Summary summary;
    for (int k = 0; k < num_poses; ++k) circles.AddPose();
    solver.Update(&summary);
    circles.AddPose();
    solver.Update(&summary);
    return summary.num_required_operations;
  };
  EXPECT_LT(required(201), 2 * required(101));
}

TEST(IncrementalSolver, EachUpdateLinearizesABlockThatWaits) {
  Circles circles;
  IncrementalSolver solver(Bounded(1), &circles.problem());
  Summary summary;
  int num_waiting = 0;
  for (int k = 0; k < 1500; ++k) {
    if (k < 60) circles.AddPose();
    solver.Update(&summary);
    ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
    EXPECT_EQ(summary.num_operations, summary.num_required_operations);
    EXPECT_GE(summary.num_blocks_relinearized, std::min(num_waiting, 1));
    num_waiting = summary.num_blocks_waiting;
  }
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  ExpectBatchSolution(&solver, 0.01);
}

TEST(IncrementalSolver, ALoopIsLinearizedAgainInPiecesOfTheBudget) {
  Circles circles;
  IncrementalSolver::Options options = Bounded(0);
  options.relinearization_budget = 1e-9;  // hence 5e6 operations
  IncrementalSolver solver(options, &circles.problem());
  Summary summary;
  for (int k = 0; k < 1200; ++k) circles.AddPose();
  do {
    solver.Update(&summary);
  } while (summary.termination_type == NO_CONVERGENCE);
  circles.Add(20, 1200, {1.0, 1.0, 49.0 * 6.2831853});
  solver.Update(&summary);
  const int num_waiting = summary.num_blocks_waiting;
  EXPECT_GT(num_waiting, 900);
  solver.Update(&summary);
  EXPECT_GT(summary.num_blocks_relinearized, 10);
  EXPECT_LT(summary.num_blocks_relinearized, num_waiting);
  const int64_t of_solve = 3000000;
  EXPECT_LT(summary.num_operations,
            summary.num_required_operations + 5000000 + of_solve);
}

TEST(IncrementalSolver, AnUpdateWithoutChangesEliminatesNothing) {
  Circles circles;
  IncrementalSolver solver(Exact(20), &circles.problem());
  Summary summary;
  for (int k = 0; k < 30; ++k) circles.AddPose();
  solver.Update(&summary);
  solver.Update(&summary);
  EXPECT_EQ(summary.num_blocks_eliminated, 0);
  EXPECT_EQ(summary.num_residual_blocks_evaluated, 0);
}

struct Distance {
  template <typename T>
  bool operator()(const T* p, T* r) const {
    r[0] = sqrt(p[0] * p[0] + p[1] * p[1]) - 1.0;
    return true;
  }
};

TEST(IncrementalSolver, NamesABlockThatIsNotDeterminedAndMovesTheRest) {
  std::array<double, 2> p = {3.0, 0.0};
  Problem problem;
  problem.AddResidualBlock(
      new AutoDiffCostFunction<Distance, 1, 2>(new Distance), nullptr,
      p.data());
  IncrementalSolver solver({}, &problem);
  Summary summary;
  solver.Update(&summary);
  EXPECT_NE(summary.termination_type, FAILURE) << summary.message;
  EXPECT_THAT(summary.message, HasSubstr("index 0"));
  ASSERT_EQ(summary.undetermined_blocks.size(), 1);
  EXPECT_EQ(summary.undetermined_blocks[0], p.data());
  EXPECT_NEAR(p[0], 1.0, 1e-5);
  EXPECT_EQ(p[1], 0.0);
  // One coordinate less is determined.
  problem.SetManifold(p.data(), new SubsetManifold(2, {1}));
  solver.Update(&summary);
  EXPECT_NE(summary.termination_type, FAILURE) << summary.message;
  EXPECT_TRUE(summary.undetermined_blocks.empty());
  EXPECT_EQ(summary.num_blocks_damped, 0);
  EXPECT_EQ(p[1], 0.0);
}

TEST(IncrementalSolver, RefusesBoundsAndEvaluationCallbacks) {
  Circles circles;
  circles.AddPose();
  circles.problem().SetParameterLowerBound(circles.pose(1), 0, -5.0);
  IncrementalSolver solver({}, &circles.problem());
  Summary summary;
  solver.Update(&summary);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("bounds"));

  struct Callback : EvaluationCallback {
    void PrepareForEvaluation(bool, bool) override {}
  } callback;
  Problem::Options options;
  options.evaluation_callback = &callback;
  Problem problem(options);
  IncrementalSolver other({}, &problem);
  other.Update(&summary);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_THAT(summary.message, HasSubstr("evaluation_callback"));
}

class Failing final : public SizedCostFunction<1, 3> {
 public:
  bool Evaluate(double const* const* p, double* r,
                double** jacobians) const override {
    if (throws) throw std::runtime_error("from the cost function");
    if (fails) return false;
    r[0] = p[0][0];
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = 1.0;
      jacobians[0][1] = jacobians[0][2] = 0.0;
    }
    return true;
  }
  bool throws = false, fails = false;
};

TEST(IncrementalSolver, RecoversFromFailuresOfACostFunction) {
  Circles circles;
  IncrementalSolver solver(Exact(20), &circles.problem());
  Summary summary;
  for (int k = 0; k < 30; ++k) circles.AddPose();
  solver.Update(&summary);
  const std::vector<double> before = circles.Values();

  auto* failing = new Failing;
  failing->fails = true;
  circles.problem().AddResidualBlock(failing, nullptr, circles.pose(9));
  solver.Update(&summary);
  EXPECT_EQ(summary.termination_type, FAILURE);
  EXPECT_EQ(circles.Values(), before);
  failing->fails = false;
  failing->throws = true;
  EXPECT_THROW(solver.Update(&summary), std::runtime_error);
  EXPECT_EQ(circles.Values(), before);
  failing->throws = false;
  solver.Update(&summary);
  EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
  ExpectBatchSolution(&solver, 1e-6);
}

struct Rotated {
  template <typename T>
  bool operator()(const T* q, const T* p, T* r) const {
    const T turn[4] = {T(m[0]), T(m[1]), T(m[2]), T(m[3])};
    QuaternionProduct(q, turn, r);
    for (int i = 0; i < 4; ++i) r[i] -= p[i];
    return true;
  }
  std::array<double, 4> m;
};

TEST(IncrementalSolver, QuaternionsMoveOnTheirManifold) {
  std::deque<std::array<double, 4>> q(12, {1.0, 0.0, 0.0, 0.0});
  Problem::Options problem_options;
  problem_options.manifold_ownership = DO_NOT_TAKE_OWNERSHIP;
  QuaternionManifold manifold;
  Problem problem(problem_options);
  for (auto& values : q) {
    problem.AddParameterBlock(values.data(), 4, &manifold);
  }
  problem.SetParameterBlockConstant(q[0].data());
  IncrementalSolver solver(Exact(50), &problem);
  Summary summary;
  for (size_t k = 1; k < q.size(); ++k) {
    problem.AddResidualBlock(new AutoDiffCostFunction<Rotated, 4, 4, 4>(
                                 new Rotated{{0.98, 0.1, 0.05, 0.15}}),
                             nullptr, q[k - 1].data(), q[k].data());
    if (k % 3 == 0) {
      problem.AddResidualBlock(new AutoDiffCostFunction<Rotated, 4, 4, 4>(
                                   new Rotated{{0.85, 0.28, 0.14, 0.43}}),
                               nullptr, q[k - 3].data(), q[k].data());
    }
    solver.Update(&summary);
    ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
    double norm = 0.0;
    for (const double x : q[k]) norm += x * x;
    EXPECT_NEAR(norm, 1.0, 1e-12);
  }
  ExpectBatchSolution(&solver, 1e-5);
}

TEST(IncrementalSolver, OptionsAreValidated) {
  std::string error;
  IncrementalSolver::Options options;
  EXPECT_TRUE(options.IsValid(&error));
  options.relinearization_threshold = -1.0;
  EXPECT_FALSE(options.IsValid(&error));
  EXPECT_THAT(error, HasSubstr("relinearization_threshold"));
  options = {};
  options.update_tolerance = std::nan("");
  EXPECT_FALSE(options.IsValid(&error));
  options = {};
  options.max_num_steps = 0;
  EXPECT_FALSE(options.IsValid(&error));
  options = {};
  options.relinearization_budget = 0.0;
  EXPECT_FALSE(options.IsValid(&error));
  EXPECT_THAT(error, HasSubstr("relinearization_budget"));
  options = {};
  options.reorder_fill_factor = 0.5;
  EXPECT_FALSE(options.IsValid(&error));
  options.reorder_fill_factor = 0.0;
  EXPECT_TRUE(options.IsValid(&error));
  options.reorder_budget = -1.0;
  EXPECT_FALSE(options.IsValid(&error));
  options = {};
  options.max_operations_per_update = -1;
  EXPECT_FALSE(options.IsValid(&error));
  EXPECT_THAT(error, HasSubstr("max_operations_per_update"));
  options = {};
  options.num_threads = 0;
  EXPECT_FALSE(options.IsValid(&error));
}

TEST(IncrementalSolverDeathTest, OneSolverPerProblem) {
  Circles circles;
  const IncrementalSolver solver({}, &circles.problem());
  EXPECT_DEATH(IncrementalSolver({}, &circles.problem()),
               "has an IncrementalSolver already");
}

}  // namespace
}  // namespace ceres::internal
