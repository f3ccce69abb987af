// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Fits a circle to points, by their distances from it:
//
//   circle_fit [--robust_threshold=0.5] < points.txt
//
// The first line of the input is the initial circle, "x y r"; each further one
// is a point, "x y".
//
// Prints: x : 2.5 -> 2.99
// Prints: r : 1 -> 4.99

#include <cmath>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/io/token_reader.h"
#include "gflags/gflags.h"

DEFINE_double(robust_threshold, 0.0,
              "Scale of a Cauchy loss, in the points' unit. 0: squares.");

namespace ceres::examples {
namespace {

struct Point {
  double x;
  double y;
};

struct Input {
  double x;
  double y;
  double r;
  std::vector<Point> points;
};

// residual = distance of the point from the centre - r.
class DistanceFromCircle {
 public:
  explicit DistanceFromCircle(const Point& point) : point_(point) {}

  template <typename T>
  bool operator()(const T* x, const T* y, const T* r, T* residual) const {
    using std::sqrt;
    const T dx = point_.x - x[0];
    const T dy = point_.y - y[0];
    const T squared_distance = dx * dx + dy * dy;
    // The distance has no derivative at the centre; zero is as good as any.
    residual[0] = -r[0];
    if (squared_distance != 0.0) residual[0] += sqrt(squared_distance);
    return true;
  }

 private:
  Point point_;
};

bool ParseInput(const std::string& text, Input* input, std::string* error) {
  io::TokenReader reader(text, "standard input");
  bool good = reader.ReadDouble("the initial x of the centre", &input->x) &&
              reader.ReadDouble("the initial y of the centre", &input->y) &&
              reader.ReadDouble("the initial radius", &input->r);
  if (good && input->r <= 0.0) {
    good = reader.Fail("expected a positive initial radius");
  }
  while (good && !reader.AtEnd()) {
    Point point;
    good = reader.ReadDouble("the x of a point", &point.x) &&
           reader.ReadDouble("the y of a point", &point.y);
    input->points.push_back(point);
  }
  constexpr size_t kMinNumPoints = 3;
  if (good && input->points.size() < kMinNumPoints) {
    good = reader.Fail("expected at least 3 points after the initial circle");
  }
  *error = reader.error();
  return good;
}

// The exit status.
int Run() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  Input input;
  std::string error;
  if (!ParseInput(text, &input, &error)) {
    std::cerr << error << "\n";
    return 1;
  }
  double x = input.x;
  double y = input.y;
  double r = input.r;

  Problem problem;
  // The problem owns it and deletes it once.
  LossFunction* loss = FLAGS_robust_threshold > 0.0
                           ? new CauchyLoss(FLAGS_robust_threshold)
                           : nullptr;
  for (const Point& point : input.points) {
    problem.AddResidualBlock(
        new AutoDiffCostFunction<DistanceFromCircle, 1, 1, 1, 1>(
            new DistanceFromCircle(point)),
        loss, &x, &y, &r);
  }
  // The circle of radius -r is the same one, at other distances.
  problem.SetParameterLowerBound(&r, 0, 0.0);

  Solver::Options options;
  options.max_num_iterations = 500;
  options.linear_solver_type = DENSE_QR;
  Solver::Summary summary;
  Solve(options, &problem, &summary);

  std::cout << summary.BriefReport() << "\n";
  std::cout << "x : " << input.x << " -> " << x << "\n";
  std::cout << "y : " << input.y << " -> " << y << "\n";
  std::cout << "r : " << input.r << " -> " << r << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}

}  // namespace
}  // namespace ceres::examples

int main(int argc, char** argv) {
  gflags::SetUsageMessage("circle_fit [flags] < POINTS");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (FLAGS_robust_threshold < 0.0) {
    std::cerr << "--robust_threshold must not be negative.\n";
    return 1;
  }
  return ceres::examples::Run();
}
