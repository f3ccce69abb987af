// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sliding_window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ceres/internal/eigen.h"
#include "ceres/linear/dense_test_utils.h"
#include "ceres/marginalization/linear_cost_test_utils.h"
#include "ceres/problem.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::DenseInverse;
using internal::LinearCost;
using internal::RandomVector;
using testing::ElementsAre;
using testing::IsEmpty;

// Linear problems are solved by one Gauss-Newton step.
SlidingWindow::Options UndampedOptions() {
  SlidingWindow::Options options;
  options.solver.linear_solver_type = DENSE_QR;
  options.solver.initial_trust_region_radius = 1e16;
  options.solver.max_trust_region_radius = 1e32;
  options.solver.function_tolerance = 0.0;
  options.solver.logging_type = SILENT;
  return options;
}

// A linear-Gaussian chain: position and velocity.
//
//   x_0 ~ normal(0, P0),  x_k+1 = F x_k + w,  z_k = H x_k + v
class Chain {
 public:
  explicit Chain(int num_frames) {
    f << 1, 0.1, 0, 1;
    q << 2e-3, 1e-3, 1e-3, 4e-3;
    h << 1, 0;
    p0 << 4, 0.5, 0.5, 1;
    std::mt19937 random(8);
    for (int k = 0; k < num_frames; ++k) z.push_back(RandomVector(1, &random));
  }
  // S^-1/2 A for a covariance S: [u 0; .. ] with u'u = S^-1.
  static Matrix Whitened(const MatrixXd& s, const MatrixXd& a) {
    const MatrixXd inverse = DenseInverse(s);
    // Cholesky factor of a 1x1 or 2x2 matrix.
    MatrixXd u = MatrixXd::Zero(s.rows(), s.rows());
    u(0, 0) = std::sqrt(inverse(0, 0));
    if (s.rows() == 2) {
      u(0, 1) = inverse(0, 1) / u(0, 0);
      u(1, 1) = std::sqrt(inverse(1, 1) - u(0, 1) * u(0, 1));
    }
    return u * a;
  }

  // The smoothed states 0 .. last, by a Kalman filter and the backward pass of
  // Rauch, Tung and Striebel (AIAA Journal 3, 1965).
  std::vector<VectorXd> Smoothed(int last) const {
    std::vector<VectorXd> mean, predicted;
    std::vector<MatrixXd> covariance, predicted_covariance;
    for (int k = 0; k <= last; ++k) {
      const VectorXd m = k == 0 ? VectorXd::Zero(2) : VectorXd(f * mean.back());
      const MatrixXd p =
          k == 0 ? p0 : MatrixXd(f * covariance.back() * f.transpose() + q);
      const MatrixXd gain =
          p * h.transpose() / (h * p * h.transpose() + r)(0, 0);
      predicted.push_back(m);
      predicted_covariance.push_back(p);
      mean.push_back(m + gain * (z[k] - h * m));
      covariance.push_back(p - gain * h * p);
    }
    for (int k = last - 1; k >= 0; --k) {
      const MatrixXd gain = covariance[k] * f.transpose() *
                            DenseInverse(predicted_covariance[k + 1]);
      mean[k] += gain * (mean[k + 1] - predicted[k + 1]);
    }
    return mean;
  }

  void AddPrior(double* x, Problem* problem) const {
    problem->AddResidualBlock(
        new LinearCost({Whitened(p0, MatrixXd::Identity(2, 2))},
                       Vector::Zero(2)),
        nullptr, x);
  }
  void AddMotion(double* before, double* after, Problem* problem) const {
    problem->AddResidualBlock(
        new LinearCost({Whitened(q, -f), Whitened(q, MatrixXd::Identity(2, 2))},
                       Vector::Zero(2)),
        nullptr, before, after);
  }
  void AddMeasurement(int k, double* x, Problem* problem) const {
    problem->AddResidualBlock(
        new LinearCost({Whitened(r, h)}, Whitened(r, -z[k]).col(0)), nullptr,
        x);
  }
  // Adds frame k, with the state states[k], to the window.
  void AddFrame(int k, std::vector<std::array<double, 2>>* states,
                SlidingWindow* window) const {
    double* const x = (*states)[k].data();
    Problem* const problem = window->problem();
    if (k == 0) AddPrior(x, problem);
    if (k > 0) AddMotion((*states)[k - 1].data(), x, problem);
    AddMeasurement(k, x, problem);
    window->Add(x, 0.5 * k);
  }

  MatrixXd f{2, 2}, q{2, 2}, h{1, 2}, p0{2, 2};
  MatrixXd r = MatrixXd::Constant(1, 1, 0.25);
  std::vector<Vector> z;
};

TEST(SlidingWindowTest, AChainHasTheStatesOfAKalmanSmoother) {
  constexpr int kNumFrames = 60;
  constexpr int kLag = 5;
  const Chain chain(kNumFrames);
  std::vector<std::array<double, 2>> states(kNumFrames, {0.0, 0.0});
  for (const auto method : {MarginalizationMethod::kBlockQr,
                            MarginalizationMethod::kSchurComplement}) {
    SlidingWindow::Options options = UndampedOptions();
    options.marginalization.method = method;
    SlidingWindow window(options);
    for (int k = 0; k < kNumFrames; ++k) {
      chain.AddFrame(k, &states, &window);
      ASSERT_TRUE(window.Solve().IsSolutionUsable());
      const std::vector<VectorXd> smoothed = chain.Smoothed(k);
      for (int i = std::max(0, k - kLag); i <= k; ++i) {
        EXPECT_LT((ConstVectorRef(states[i].data(), 2) - smoothed[i]).norm(),
                  1e-10)
            << "state " << i << " at frame " << k;
      }
      ASSERT_TRUE(window.Advance(0.5 * k, 0.5 * kLag - 0.25));
      EXPECT_LE(window.num_blocks(), kLag);
    }
  }
}

TEST(SlidingWindowTest, AdvanceRemovesWhatIsOlderThanTheLag) {
  SlidingWindow window;
  std::array<double, 4> x = {};
  for (double& each : x) window.problem()->AddParameterBlock(&each, 1);
  for (int i = 0; i < 4; ++i) window.Add(&x[i], i);
  ASSERT_TRUE(window.Advance(3.0, 2.0));
  EXPECT_THAT(window.last_marginalization().removed_parameter_blocks,
              ElementsAre(&x[0]));
  EXPECT_FALSE(window.Has(&x[0]));
  EXPECT_FALSE(window.problem()->HasParameterBlock(&x[0]));
  EXPECT_TRUE(window.Has(&x[1]));
  ASSERT_TRUE(window.Advance(3.0, 2.0));
  EXPECT_THAT(window.last_marginalization().removed_parameter_blocks,
              IsEmpty());
}

TEST(SlidingWindowTest, ANewTimeReplacesTheOldOne) {
  SlidingWindow window;
  double x = 0.0, y = 0.0;
  window.problem()->AddParameterBlock(&x, 1);
  window.problem()->AddParameterBlock(&y, 1);
  window.Add(&x, 0.0);
  window.Add(&y, 1.0);
  window.Add(&x, 5.0);
  EXPECT_EQ(window.TimeOf(&x), 5.0);
  EXPECT_EQ(window.num_blocks(), 2);
  ASSERT_TRUE(window.Advance(5.0, 1.0));
  EXPECT_TRUE(window.Has(&x));
  EXPECT_FALSE(window.Has(&y));
}

// A frame that turns out to be no keyframe.
TEST(SlidingWindowTest, ABlockWithTimeMinusInfinityLeavesNext) {
  const Chain chain(2);
  SlidingWindow window(UndampedOptions());
  std::array<double, 2> x = {}, y = {}, z = {};
  chain.AddPrior(x.data(), window.problem());
  chain.AddMotion(x.data(), y.data(), window.problem());
  chain.AddMotion(y.data(), z.data(), window.problem());
  chain.AddMeasurement(1, z.data(), window.problem());
  window.Add(x.data(), 0.0);
  window.Add(y.data(), 1.0);
  window.Add(z.data(), 2.0);
  ASSERT_TRUE(window.Solve().IsSolutionUsable());
  const std::array<double, 2> solved = z;
  window.Add(y.data(), -std::numeric_limits<double>::infinity());
  ASSERT_TRUE(window.Advance(2.0, 10.0));
  EXPECT_THAT(window.last_marginalization().removed_parameter_blocks,
              ElementsAre(y.data()));
  EXPECT_TRUE(window.Has(x.data()));
  // Its neighbours keep what it said.
  x = z = {5.0, -5.0};
  ASSERT_TRUE(window.Solve().IsSolutionUsable());
  EXPECT_NEAR(z[0], solved[0], 1e-12);
  EXPECT_NEAR(z[1], solved[1], 1e-12);
}

TEST(SlidingWindowTest, BlocksWithoutTimeStay) {
  const Chain chain(1);
  SlidingWindow window(UndampedOptions());
  double x[2] = {}, y[2] = {};
  chain.AddMotion(x, y, window.problem());
  chain.AddPrior(x, window.problem());
  window.Add(x, 0.0);
  ASSERT_TRUE(window.Advance(100.0, 1.0));
  EXPECT_TRUE(window.problem()->HasParameterBlock(y));
  EXPECT_EQ(window.last_marginalization().rank, 2);
}

TEST(SlidingWindowTest, AFailureLeavesTheWindowAsItIs) {
  SlidingWindow window;
  double x = 0.0;
  window.problem()->AddParameterBlock(&x, 1);
  window.problem()->SetParameterUpperBound(&x, 0, 1.0);
  window.Add(&x, 0.0);
  EXPECT_FALSE(window.Advance(2.0, 1.0));
  EXPECT_THAT(window.last_marginalization().message,
              testing::HasSubstr("has bounds"));
  EXPECT_TRUE(window.Has(&x));
  EXPECT_TRUE(window.problem()->HasParameterBlock(&x));
}

TEST(SlidingWindowTest, ABlockThatTheProgramRemovedIsForgotten) {
  SlidingWindow window;
  double x = 0.0;
  window.problem()->AddParameterBlock(&x, 1);
  window.Add(&x, 0.0);
  window.problem()->RemoveParameterBlock(&x);
  EXPECT_TRUE(window.Advance(2.0, 1.0));
  EXPECT_FALSE(window.Has(&x));
}

TEST(SlidingWindowTest, SolvingTwicePreparesOnce) {
  const Chain chain(1);
  SlidingWindow window(UndampedOptions());
  double x[2] = {};
  chain.AddPrior(x, window.problem());
  chain.AddMeasurement(0, x, window.problem());
  EXPECT_FALSE(window.Solve().preprocessing_was_kept);
  EXPECT_TRUE(window.Solve().preprocessing_was_kept);
}

TEST(SlidingWindowTest, SparseSolversExtendTheEliminationOrder) {
  constexpr int kNumFrames = 60;
  const Chain chain(kNumFrames);
  std::vector<std::array<double, 2>> states(kNumFrames, {0.0, 0.0});
  SlidingWindow::Options options = UndampedOptions();
  options.solver.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  SlidingWindow window(options);
  int num_extended = 0;
  for (int k = 0; k < kNumFrames; ++k) {
    chain.AddFrame(k, &states, &window);
    num_extended += window.Solve().preprocessing_was_extended ? 1 : 0;
    ASSERT_TRUE(window.Advance(0.5 * k, 4.0));
  }
  EXPECT_GT(num_extended, kNumFrames / 2);
  const VectorXd expected = chain.Smoothed(kNumFrames - 1).back();
  for (int c = 0; c < 2; ++c) {
    EXPECT_NEAR(states.back()[c], expected[c], 1e-10);
  }
}

TEST(SlidingWindow, TimesThatAreNotNumbersAreErrorsAndChangeNothing) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  SlidingWindow window;
  double x = 0.0;
  window.problem()->AddParameterBlock(&x, 1);
  EXPECT_FALSE(window.Add(&x, kNaN));
  EXPECT_FALSE(window.Has(&x));
  EXPECT_TRUE(window.Add(&x, 3.0));
  EXPECT_FALSE(window.Add(&x, kNaN));
  EXPECT_EQ(window.TimeOf(&x), 3.0);
  for (const auto& [time, lag] :
       {std::pair(kNaN, 1.0), std::pair(9.0, -1.0), std::pair(9.0, kNaN)}) {
    EXPECT_FALSE(window.Advance(time, lag));
    EXPECT_NE(window.last_marginalization().message.find("Advance"),
              std::string::npos);
    EXPECT_TRUE(window.Has(&x));
  }
}

TEST(SlidingWindowDeathTest, ChecksItsArguments) {
  SlidingWindow window;
  double x = 0.0;
  EXPECT_DEATH(window.Add(&x, 0.0), "has no parameter block at");
  window.problem()->AddParameterBlock(&x, 1);
  EXPECT_DEATH(window.TimeOf(&x), "no time stamp");
}

}  // namespace
}  // namespace ceres
