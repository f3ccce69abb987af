// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Steps that the linear model does not describe, and blocks that the data do
// not determine.

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ceres/factors/planar_groups.h"
#include "ceres/factors/range_bearing.h"
#include "ceres/factors/relative_factors.h"
#include "ceres/incremental_solver.h"
#include "ceres/loss_function.h"
#include "ceres/sized_cost_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using factors::SE2;
using testing::HasSubstr;
using Summary = IncrementalSolver::Summary;
using Point = std::array<double, 2>;

enum class Sight { kRange, kBearing };

// A robot that drives straight, then turns, and sees landmarks. New landmarks
// have poor initial values.
struct Drive {
  Sight sight = Sight::kRange;
  std::vector<Point> landmarks;  // where they are
  std::vector<Point> guesses;
  LossFunction* loss = nullptr;
  int max_num_steps = 1;
  double noise = 1.0;  // times the standard deviations
  int num_poses = 60;
  int see_until = 60;
};

class DriveResult {
 public:
  explicit DriveResult(const Drive& drive) : drive_(drive) {
    Problem::Options options;
    options.loss_function_ownership = DO_NOT_TAKE_OWNERSHIP;
    problem_ = std::make_unique<Problem>(options);
    estimates_ = drive.guesses;
    IncrementalSolver::Options solver_options;
    solver_options.max_num_steps = drive.max_num_steps;
    solver_options.relinearization_threshold = 0.01;
    IncrementalSolver solver(solver_options, problem_.get());
    for (int k = 0; k < drive.num_poses; ++k) {
      AddPose(k);
      if (k == 0) continue;
      if (k % 2 == 0 && k < drive.see_until) AddSights(k);
      solver.Update(&summary);
      num_failures += summary.termination_type == FAILURE;
      for (const Point& p : estimates_) {
        largest = std::max({largest, std::abs(p[0]), std::abs(p[1])});
        if (!std::isfinite(p[0] + p[1])) largest = INFINITY;
      }
    }
  }

  double Error(int l) const {
    return std::hypot(estimates_[l][0] - drive_.landmarks[l][0],
                      estimates_[l][1] - drive_.landmarks[l][1]);
  }
  double PoseError() const {
    return std::hypot(poses_.back()[1] - truth_.back()[1],
                      poses_.back()[2] - truth_.back()[2]);
  }
  const double* landmark(int l) const { return estimates_[l].data(); }

  Summary summary;  // of the last update
  int num_failures = 0;
  double largest = 0.0;  // of all coordinates of landmarks, at any time

 private:
  void AddPose(int k) {
    if (k == 0) {
      truth_.push_back({0.0, 0.0, 0.0});
      poses_.push_back({0.0, 0.0, 0.0});
      problem_->AddParameterBlock(poses_[0].data(), 3,
                                  new factors::SE2Manifold);
      problem_->SetParameterBlockConstant(poses_[0].data());
      return;
    }
    std::array<double, 3> z = {k > 25 ? 0.08 : 0.0, 0.5, 0.0}, next;
    SE2::Compose(truth_.back().data(), z.data(), next.data());
    truth_.push_back(next);
    z[0] += 0.01 * Noise();
    z[1] += 0.02 * Noise();
    z[2] += 0.02 * Noise();
    SE2::Compose(poses_.back().data(), z.data(), next.data());
    poses_.push_back(next);
    const Eigen::Matrix3d W = Eigen::Vector3d(100, 50, 50).asDiagonal();
    problem_->AddParameterBlock(poses_[k].data(), 3, new factors::SE2Manifold);
    problem_->AddResidualBlock(factors::BetweenFactor<SE2>::Create(z.data(), W),
                               nullptr, poses_[k - 1].data(), poses_[k].data());
  }

  void AddSights(int k) {
    for (size_t l = 0; l < drive_.landmarks.size(); ++l) {
      const double x = drive_.landmarks[l][0] - truth_[k][1];
      const double y = drive_.landmarks[l][1] - truth_[k][2];
      CostFunction* cost =
          drive_.sight == Sight::kRange
              ? factors::RangeFactor<SE2>::Create(
                    std::hypot(x, y) + 0.1 * Noise(), 0.1)
              : factors::PlanarBearingFactor::Create(
                    std::atan2(y, x) - truth_[k][0] + 0.01 * Noise(), 0.01);
      problem_->AddResidualBlock(cost, drive_.loss, poses_[k].data(),
                                 estimates_[l].data());
    }
  }

  double Noise() { return drive_.noise * normal_(random_); }

  const Drive drive_;
  std::mt19937 random_{2};
  std::normal_distribution<double> normal_;
  std::unique_ptr<Problem> problem_;
  std::deque<std::array<double, 3>> poses_, truth_;
  std::vector<Point> estimates_;
};

TEST(IncrementalGuard, RangesFindALandmarkThatIsFarOff) {
  CauchyLoss cauchy(1.0);
  HuberLoss huber(1.0);
  for (LossFunction* loss :
       std::vector<LossFunction*>{nullptr, &cauchy, &huber}) {
    for (const int steps : {1, 5}) {
      for (const double y : {3.0, 10.0}) {
        SCOPED_TRACE(testing::Message() << (loss == nullptr) << steps << y);
        Drive drive;
        drive.landmarks = {{20.0, y}};
        drive.guesses = {{12.0, 9.0}};
        drive.loss = loss;
        drive.max_num_steps = steps;
        const DriveResult result(drive);
        EXPECT_EQ(result.num_failures, 0);
        EXPECT_LT(result.largest, 100.0);
        EXPECT_LT(result.Error(0), 0.7);
        EXPECT_LT(result.PoseError(), 0.7);
      }
    }
  }
}

TEST(IncrementalGuard, RangesToSeveralBeaconsFindAllOfThem) {
  CauchyLoss cauchy(1.0);
  Drive drive;
  drive.landmarks = {{20.0, 8.0}, {3.0, 15.0}, {10.0, 9.0}};
  drive.guesses = {{12.0, 9.0}, {0.0, 8.0}, {5.0, 12.0}};
  for (LossFunction* loss : std::vector<LossFunction*>{nullptr, &cauchy}) {
    drive.loss = loss;
    const DriveResult result(drive);
    EXPECT_EQ(result.num_failures, 0);
    EXPECT_LT(result.largest, 100.0);
    for (int l = 0; l < 3; ++l) EXPECT_LT(result.Error(l), 1.5) << l;
  }
}

TEST(IncrementalGuard, BearingsFindLandmarksAndBoundThoseAtInfinity) {
  for (const double noise : {0.0, 1.0}) {
    Drive drive;
    drive.sight = Sight::kBearing;
    drive.noise = noise;
    drive.landmarks = {{20.0, 5.0}, {5.0, 12.0}, {1e7, 1e7}};
    drive.guesses = {{5.0, 6.0}, {40.0, 90.0}, {5.0, 5.0}};
    const DriveResult result(drive);
    EXPECT_EQ(result.num_failures, 0);
    EXPECT_LT(result.largest, 1e9);
    EXPECT_LT(result.Error(0), 1.0);
    EXPECT_LT(result.Error(1), 1.0);
    EXPECT_NEAR(std::atan2(result.landmark(2)[1], result.landmark(2)[0]),
                std::atan2(1.0, 1.0), 0.05);
  }
}

TEST(IncrementalGuard, ReportsALandmarkThatOneRangeDoesNotDetermine) {
  Drive drive;
  drive.landmarks = {{20.0, 3.0}, {5.0, 10.0}};
  drive.guesses = {{12.0, 9.0}, {4.0, 9.0}};
  drive.see_until = 3;
  const DriveResult result(drive);
  EXPECT_EQ(result.num_failures, 0);
  ASSERT_EQ(result.summary.undetermined_blocks.size(), 2);
  EXPECT_EQ(result.summary.undetermined_blocks[0], result.landmark(0));
  EXPECT_EQ(result.summary.undetermined_blocks[1], result.landmark(1));
  EXPECT_THAT(result.summary.message, HasSubstr("determine 2 parameter blo"));
  // Each is on the circle that its range allows, seen from the second pose.
  EXPECT_NEAR(std::hypot(result.landmark(0)[0] - 1.0, result.landmark(0)[1]),
              std::hypot(19.0, 3.0), 0.5);
}

TEST(IncrementalGuard, DeterminedLandmarksAreNotReportedAnyMore) {
  Drive drive;
  drive.landmarks = {{20.0, 8.0}};
  drive.guesses = {{12.0, 9.0}};
  const DriveResult result(drive);
  EXPECT_TRUE(result.summary.undetermined_blocks.empty());
  EXPECT_EQ(result.summary.num_blocks_damped, 0);
}

// Without a fixed pose, the whole map can move.
TEST(IncrementalGuard, AFreeGaugeIsReportedAndTheRestIsSolved) {
  std::deque<std::array<double, 3>> poses;
  Problem problem;
  IncrementalSolver solver({}, &problem);
  const double z[3] = {0.1, 1.0, 0.0};
  const Eigen::Matrix3d W = Eigen::Matrix3d::Identity();
  poses.push_back({0.0, 0.0, 0.0});
  for (int k = 1; k < 30; ++k) {
    poses.push_back({0.1 * k + 0.05, 1.0 * k, 0.1});
    for (int i : {k - 1, k}) {
      problem.AddParameterBlock(poses[i].data(), 3);
      if (!problem.HasManifold(poses[i].data())) {
        problem.SetManifold(poses[i].data(), new factors::SE2Manifold);
      }
    }
    problem.AddResidualBlock(factors::BetweenFactor<SE2>::Create(z, W), nullptr,
                             poses[k - 1].data(), poses[k].data());
    Summary summary;
    for (int i = 0; i < 3; ++i) solver.Update(&summary);
    ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
    EXPECT_GE(summary.undetermined_blocks.size(), 1);
  }
  for (int k = 1; k < 30; ++k) {
    double between[3];
    SE2::Between(poses[k - 1].data(), poses[k].data(), between);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(between[i], z[i], 1e-3);
  }
  // A fixed pose determines all others.
  problem.SetParameterBlockConstant(poses[0].data());
  Summary summary;
  solver.Update(&summary);
  ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
  EXPECT_TRUE(summary.undetermined_blocks.empty());
}

// log(x) cannot be evaluated where the Gauss-Newton step from a small x goes.
struct LogCost final : SizedCostFunction<1, 1> {
  explicit LogCost(double target) : target(target) {}
  bool Evaluate(double const* const* x, double* r, double** J) const override {
    if (!(x[0][0] > 0.0)) return false;
    r[0] = std::log(x[0][0]) - target;
    if (J != nullptr && J[0] != nullptr) J[0][0] = 1.0 / x[0][0];
    return true;
  }
  const double target;
};

TEST(IncrementalGuard, StepsToWhereACostFunctionFailsAreTakenBack) {
  // 0.5: the step is short, so that only the next linearization fails.
  for (const double threshold : {1e-3, 0.5}) {
    double x = 20.0;
    Problem problem;
    problem.AddResidualBlock(new LogCost(0.0), nullptr, &x);
    IncrementalSolver::Options options;
    options.relinearization_threshold = threshold;
    IncrementalSolver solver(options, &problem);
    Summary summary;
    int num_updates = 0;
    do {
      solver.Update(&summary);
      ASSERT_NE(summary.termination_type, FAILURE) << summary.message;
      ASSERT_GT(x, 0.0);
    } while (summary.termination_type != CONVERGENCE && ++num_updates < 50);
    EXPECT_EQ(summary.termination_type, CONVERGENCE);
    EXPECT_NEAR(x, 1.0, 2.0 * threshold);
  }
}

TEST(IncrementalGuard, RepeatsTheSameBits) {
  CauchyLoss cauchy(1.0);
  Drive drive;
  drive.landmarks = {{20.0, 3.0}, {5.0, 10.0}};
  drive.guesses = {{12.0, 9.0}, {40.0, 9.0}};
  drive.loss = &cauchy;
  const DriveResult a(drive), b(drive);
  for (int l = 0; l < 2; ++l) {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(a.landmark(l)[i], b.landmark(l)[i]);
    }
  }
}

}  // namespace
}  // namespace ceres::internal
