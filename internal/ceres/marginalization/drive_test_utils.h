// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MARGINALIZATION_DRIVE_TEST_UTILS_H_
#define CERES_INTERNAL_MARGINALIZATION_DRIVE_TEST_UTILS_H_

#include <array>
#include <cmath>
#include <deque>
#include <random>

#include "ceres/internal/eigen.h"
#include "ceres/marginalization/linear_cost_test_utils.h"
#include "ceres/problem.h"
#include "ceres/sized_cost_function.h"
#include "ceres/sliding_window.h"

namespace ceres::internal {

// The position of a landmark in the frame of a pose (x, y, heading). Counts
// evaluations.
class CountedSight final : public SizedCostFunction<2, 3, 2> {
 public:
  CountedSight(double ahead, double left, long* num_calls)
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
// up to four metres ahead or behind. A frame is solved by two iterations. The
// window has the frames of the last kLag seconds, one frame each second.
class Drive {
 public:
  explicit Drive(const MarginalizationOptions& marginalization)
      : window(MakeOptions(marginalization)) {}

  // Returns false if the window cannot be advanced.
  bool NextFrame() {
    const int k = frame++;
    poses.push_back({1.0 * k, 0.0, 0.0});
    double* const pose = poses.back().data();
    if (k == 0) {
      window.problem()->AddResidualBlock(
          new LinearCost({Matrix::Identity(3, 3)}, Vector::Zero(3)), nullptr,
          pose);
      for (int i = 1; i < kSeen; ++i) landmarks.push_back({i - 5.0, 2.0});
    }
    landmarks.push_back({k + 4.0, 2.0});
    for (int i = 0; i < kSeen; ++i) {
      double* const landmark = landmarks[landmarks.size() - kSeen + i].data();
      window.problem()->AddResidualBlock(
          new CountedSight(i - 4.0 + Noise(), 2.0 + Noise(), &num_calls),
          nullptr, pose, landmark);
      window.Add(landmark, k);
    }
    window.Add(pose, k);
    window.Solve();
    if (!window.Advance(k, kLag)) return false;
    const Problem& problem = *window.problem();
    while (!problem.HasParameterBlock(poses.front().data())) poses.pop_front();
    while (!problem.HasParameterBlock(landmarks.front().data())) {
      landmarks.pop_front();
    }
    return true;
  }

  SlidingWindow window;
  std::deque<std::array<double, 3>> poses;
  std::deque<std::array<double, 2>> landmarks;
  int frame = 0;
  long num_calls = 0;

 private:
  static constexpr int kSeen = 9;
  static constexpr double kLag = 5.5;

  static SlidingWindow::Options MakeOptions(
      const MarginalizationOptions& marginalization) {
    SlidingWindow::Options options;
    options.marginalization = marginalization;
    options.solver.linear_solver_type = DENSE_NORMAL_CHOLESKY;
    options.solver.logging_type = SILENT;
    options.solver.max_num_iterations = 2;
    options.solver.function_tolerance = 0.0;
    options.solver.gradient_tolerance = 0.0;
    options.solver.parameter_tolerance = 0.0;
    return options;
  }
  double Noise() { return 0.02 * (random_() / 4294967296.0 - 0.5); }

  std::mt19937 random_{9};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MARGINALIZATION_DRIVE_TEST_UTILS_H_
