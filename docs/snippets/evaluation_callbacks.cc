// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Shows when an evaluation callback is called, and uses several threads in it.

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/parallel/parallel_for.h"
#include "noise.h"

namespace {

// [callback]
// Undistorts the corners of all images once per point. All residuals of a
// corner read the result, with its derivatives by the two parameters of the
// lens.
class Undistortion : public ceres::EvaluationCallback {
 public:
  struct Corner {
    double x, y;                         // Undistorted.
    std::array<double, 2> dx_dk, dy_dk;  // Valid after a call for Jacobians.
  };

  Undistortion(const double* lens, std::vector<std::array<double, 2>> measured)
      : lens_(lens),
        measured_(std::move(measured)),
        corners_(measured_.size()) {}

  void PrepareForEvaluation(bool evaluate_jacobians,
                            bool new_evaluation_point) override {
    // The point is that of the last call: what is there is valid.
    if (!new_evaluation_point && (has_jacobians_ || !evaluate_jacobians)) {
      return;
    }
    const int n = static_cast<int>(corners_.size());
    ceres::parallel::ParallelFor(
        0, n, [&](int i) { Undistort(i, evaluate_jacobians); });
    has_jacobians_ = evaluate_jacobians;
    ++(evaluate_jacobians ? num_with_jacobians_ : num_without_);
  }

  const Corner& corner(int i) const { return corners_[i]; }
  int num_with_jacobians() const { return num_with_jacobians_; }
  int num_without() const { return num_without_; }

 private:
  void Undistort(int i, bool with_jacobians) {
    const auto [x, y] = measured_[i];
    const double r2 = x * x + y * y;
    const double scale = 1.0 + lens_[0] * r2 + lens_[1] * r2 * r2;
    corners_[i].x = scale * x;
    corners_[i].y = scale * y;
    if (!with_jacobians) return;
    corners_[i].dx_dk = {r2 * x, r2 * r2 * x};
    corners_[i].dy_dk = {r2 * y, r2 * r2 * y};
  }

  const double* lens_;
  std::vector<std::array<double, 2>> measured_;
  std::vector<Corner> corners_;
  bool has_jacobians_ = false;
  int num_with_jacobians_ = 0, num_without_ = 0;
};
// [/callback]

// [cost]
// Corners of a straight edge are on a line: the distance of a corner from the
// line through it. The line is {angle, offset}.
class LineError : public ceres::SizedCostFunction<1, 2, 2> {
 public:
  LineError(const Undistortion* undistortion, int corner)
      : undistortion_(undistortion), corner_(corner) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const Undistortion::Corner& corner = undistortion_->corner(corner_);
    const double* line = parameters[1];  // parameters[0]: the lens.
    const double c = std::cos(line[0]), s = std::sin(line[0]);
    const double inverse_sigma = 1.0 / 0.001;
    residuals[0] = inverse_sigma * (c * corner.x + s * corner.y - line[1]);
    if (jacobians == nullptr) return true;
    if (jacobians[0] != nullptr) {
      for (int k = 0; k < 2; ++k) {
        jacobians[0][k] =
            inverse_sigma * (c * corner.dx_dk[k] + s * corner.dy_dk[k]);
      }
    }
    if (jacobians[1] != nullptr) {
      jacobians[1][0] = inverse_sigma * (c * corner.y - s * corner.x);
      jacobians[1][1] = -inverse_sigma;
    }
    return true;
  }

 private:
  const Undistortion* undistortion_;
  int corner_;
};
// [/cost]

using Line = std::array<double, 2>;

// Corners on the lines, as the lens shows them.
std::vector<std::array<double, 2>> Distort(const std::vector<Line>& lines,
                                           const double* lens) {
  Noise noise;
  std::vector<std::array<double, 2>> measured;
  for (const Line& line : lines) {
    for (int i = 0; i < 40; ++i) {
      const double along = -0.9 + 1.8 * i / 39.0;
      const double c = std::cos(line[0]), s = std::sin(line[0]);
      const double x = c * line[1] - s * along + noise.Normal(0.001);
      const double y = s * line[1] + c * along + noise.Normal(0.001);
      double scale = 1.0;  // Fixed-point iteration.
      for (int k = 0; k < 100; ++k) {
        const double r2 = (x * x + y * y) / (scale * scale);
        scale = 1.0 + lens[0] * r2 + lens[1] * r2 * r2;
      }
      measured.push_back({x / scale, y / scale});
    }
  }
  return measured;
}

}  // namespace

int main() {
  std::vector<Line> lines;
  for (double offset : {-0.8, -0.4, 0.1, 0.4, 0.8}) {
    lines.push_back({0.1, offset});
    lines.push_back({1.6, offset});
  }
  const double true_lens[2] = {0.15, 0.03};

  // [problem]
  double lens[2] = {0.0, 0.0};
  Undistortion undistortion(lens, Distort(lines, true_lens));
  ceres::Problem::Options problem_options;
  problem_options.evaluation_callback = &undistortion;
  ceres::Problem problem(problem_options);
  for (int i = 0; i < static_cast<int>(lines.size()) * 40; ++i) {
    problem.AddResidualBlock(new LineError(&undistortion, i), nullptr, lens,
                             lines[i / 40].data());
  }
  ceres::Solver::Options options;
  options.num_threads = 2;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/problem]
  std::printf("lens %.2f %.2f\n", lens[0], lens[1]);

  // [counts]
  std::printf(
      "calls for Jacobians: %s\n",
      undistortion.num_with_jacobians() == summary.num_jacobian_evaluations
          ? "one for each accepted point"
          : "others");
  std::printf("calls without: %s\n",
              undistortion.num_without() == summary.num_residual_evaluations
                  ? "one for each step that is tried"
                  : "others");
  // [/counts]
}
