// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Work and memory of a frame of a SlidingWindow, by counts.

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <new>
#include <random>

#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"
#include "ceres/marginalization/linear_cost_test_utils.h"
#include "ceres/problem.h"
#include "ceres/sized_cost_function.h"
#include "ceres/sliding_window.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

// Counts the bytes of memory in use. Each piece has its size in front.
std::atomic<long> bytes_in_use{0};
constexpr std::size_t kFront = 16;

void* operator new(std::size_t size) {
  void* memory = std::malloc(size + kFront);
  if (memory == nullptr) throw std::bad_alloc();
  *static_cast<std::size_t*>(memory) = size;
  bytes_in_use += static_cast<long>(size);
  return static_cast<char*>(memory) + kFront;
}
void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  void* const front = static_cast<char*>(memory) - kFront;
  bytes_in_use -= static_cast<long>(*static_cast<std::size_t*>(front));
  std::free(front);
}
void operator delete(void* memory, std::size_t) noexcept {
  operator delete(memory);
}

namespace ceres {
namespace {

using internal::LinearCost;

// The distance of a pose (x, y, heading) to a landmark, and its bearing; counts
// evaluations.
class Sight final : public SizedCostFunction<2, 3, 2> {
 public:
  Sight(double ahead, double left, long* num_calls)
      : ahead_(ahead), left_(left), num_calls_(*num_calls) {}
  bool Evaluate(double const* const* x, double* r,
                double** jacobians) const override {
    ++num_calls_;
    const double c = std::cos(x[0][2]), s = std::sin(x[0][2]);
    const double dx = x[1][0] - x[0][0], dy = x[1][1] - x[0][1];
    r[0] = c * dx + s * dy - ahead_;
    r[1] = -s * dx + c * dy - left_;
    if (jacobians == nullptr) return true;
    if (jacobians[0] != nullptr) {
      MatrixRef(jacobians[0], 2, 3) << -c, -s, -s * dx + c * dy, s, -c,
          -c * dx - s * dy;
    }
    if (jacobians[1] != nullptr) MatrixRef(jacobians[1], 2, 2) << c, s, -s, c;
    return true;
  }

 private:
  const double ahead_, left_;
  long& num_calls_;
};

// A vehicle drives along a line of landmarks, one every metre, and sees those
// up to four metres ahead or behind. Memory of blocks is used again.
class Drive {
 public:
  explicit Drive(const SlidingWindow::Options& options) : window(options) {}

  void NextFrame() {
    const int k = frame++;
    poses.push_back({1.0 * k, 0.0, 0.0});
    double* const pose = poses.back().data();
    if (k == 0) {
      window.problem()->AddResidualBlock(
          new LinearCost({Matrix::Identity(3, 3)}, Vector::Zero(3)), nullptr,
          pose);
    }
    if (k == 0) {
      for (int i = -4; i < 4; ++i) landmarks.push_back({1.0 * i, 2.0});
    }
    landmarks.push_back({k + 4.0, 2.0});
    const int first = static_cast<int>(landmarks.size()) - 9;
    for (int i = 0; i < 9; ++i) {
      double* const landmark = landmarks[first + i].data();
      window.problem()->AddResidualBlock(
          new Sight(i - 4.0 + Noise(), 2.0 + Noise(), &num_calls), nullptr,
          pose, landmark);
      window.Add(landmark, k);
    }
    window.Add(pose, k);
    num_iterations += window.Solve().num_successful_steps;
    ASSERT_TRUE(window.Advance(k, 5.5))
        << window.last_marginalization().message;
    while (!window.problem()->HasParameterBlock(poses.front().data())) {
      poses.pop_front();
    }
    while (!window.problem()->HasParameterBlock(landmarks.front().data())) {
      landmarks.pop_front();
    }
  }
  double Noise() { return 0.02 * (random() / 4294967296.0 - 0.5); }

  SlidingWindow window;
  std::deque<std::array<double, 3>> poses;
  std::deque<std::array<double, 2>> landmarks;
  std::mt19937 random{9};
  int frame = 0;
  long num_calls = 0;
  long num_iterations = 0;
};

SlidingWindow::Options DriveOptions() {
  SlidingWindow::Options options;
  options.solver.linear_solver_type = DENSE_NORMAL_CHOLESKY;
  options.solver.logging_type = SILENT;
  options.solver.max_num_iterations = 2;
  options.solver.function_tolerance = 0.0;
  options.solver.gradient_tolerance = 0.0;
  options.solver.parameter_tolerance = 0.0;
  return options;
}

TEST(SlidingWindowGrowthTest, WorkAndMemoryOfAFrameDoNotGrow) {
  for (const bool first_estimates : {false, true}) {
    SlidingWindow::Options options = DriveOptions();
    options.marginalization.first_estimate_jacobians = first_estimates;
    Drive drive(options);
    for (int k = 0; k < 100; ++k) drive.NextFrame();
    Problem* const problem = drive.window.problem();
    const int num_parameter_blocks = problem->NumParameterBlocks();
    const int num_residual_blocks = problem->NumResidualBlocks();
    const int num_residuals = problem->NumResiduals();
    const int rank = drive.window.last_marginalization().rank;
    long most_calls = 0;
    for (int k = 0; k < 100; ++k) {
      const long before = drive.num_calls;
      drive.NextFrame();
      most_calls = std::max(most_calls, drive.num_calls - before);
    }
    const long bytes_before = bytes_in_use;
    for (int k = 0; k < 2000; ++k) {
      const long before = drive.num_calls;
      drive.NextFrame();
      EXPECT_LE(drive.num_calls - before, most_calls) << k;
      EXPECT_EQ(problem->NumParameterBlocks(), num_parameter_blocks);
      EXPECT_EQ(problem->NumResidualBlocks(), num_residual_blocks);
      EXPECT_EQ(problem->NumResiduals(), num_residuals);
      EXPECT_EQ(drive.window.last_marginalization().rank, rank);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    EXPECT_LE(bytes_in_use, bytes_before + 4096);
    // The drive is along the x axis. Nothing has drifted away.
    EXPECT_NEAR(drive.poses.back()[0], drive.frame - 1.0, 5.0);
  }
}

TEST(SlidingWindowGrowthTest, ManifoldsThatAreSharedTakeNoMemoryOfAFrame) {
  SlidingWindow window;
  auto* a = new SubsetManifold(2, {0});
  auto* b = new SubsetManifold(2, {1});
  double x[2], y[2];
  long before = 0;
  for (int k = 0; k < 20000; ++k) {
    if (k == 10000) before = bytes_in_use;
    window.problem()->AddParameterBlock(x, 2, a);
    window.problem()->AddParameterBlock(y, 2, b);
    window.Add(x, k);
    window.Add(y, k);
    ASSERT_TRUE(window.Advance(k + 1, 0.5));
  }
  EXPECT_LE(bytes_in_use, before);
}

}  // namespace
}  // namespace ceres
