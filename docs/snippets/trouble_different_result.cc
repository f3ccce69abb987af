// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Why two solves may end with different results.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"

namespace {

// [minima]
// The distance of a point on the line y = 0.3 from two landmarks.
struct Range {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    using std::sqrt;
    const T dx = x[0] - landmark_x;
    const double dy = 0.3 - landmark_y;
    residual[0] = sqrt(dx * dx + dy * dy) - measured;
    return true;
  }
  double landmark_x, landmark_y, measured;
};
// [/minima]

// [valley]
// Rosenbrock's valley, with the minimum at (1, 1), and a residual that stays.
struct Valley {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = 10.0 * (x[1] - x[0] * x[0]);
    residual[1] = 1.0 - x[0];
    residual[2] = T(outlier);
    return true;
  }
  double outlier;
};
// [/valley]

struct Exponential {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    using std::exp;
    residual[0] = exp(x[0] * t) + x[1] - std::cos(t);
    return true;
  }
  double t;
};

void TwoMinima(double start) {
  using Cost = ceres::AutoDiffCostFunction<Range, 1, 1>;
  double x = start;
  ceres::Problem problem;
  problem.AddResidualBlock(new Cost(new Range{0.0, 0.0, 2.0}), nullptr, &x);
  problem.AddResidualBlock(new Cost(new Range{0.5, 1.0, 1.7}), nullptr, &x);
  ceres::Solver::Summary summary;
  ceres::Solve(ceres::Solver::Options(), &problem, &summary);
  std::printf("start %4.1f: x = %5.2f, cost %.4f\n", start, x,
              summary.final_cost);
}

// The cost along the line, for a picture.
void PrintCosts() {
  std::printf("\ncosts: x, cost\n");
  for (int i = -30; i <= 30; ++i) {
    const double x = 0.1 * i;
    double cost = 0.0;
    for (const Range& range : {Range{0.0, 0.0, 2.0}, Range{0.5, 1.0, 1.7}}) {
      double residual;
      range(&x, &residual);
      cost += 0.5 * residual * residual;
    }
    std::printf("%4.1f %5.3f\n", x, cost);
  }
}

void StopEarly(double outlier, double function_tolerance) {
  using Cost = ceres::AutoDiffCostFunction<Valley, 3, 2>;
  double x[2] = {-1.2, 1.0};
  ceres::Problem problem;
  problem.AddResidualBlock(new Cost(new Valley{outlier}), nullptr, x);
  ceres::Solver::Options options;
  options.function_tolerance = function_tolerance;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::printf("outlier %4.0f, function_tolerance %.0e: x = %.2f %.2f, %s\n",
              outlier, function_tolerance, x[0], x[1],
              ceres::TerminationTypeToString(summary.termination_type));
}

// [threads]
std::vector<double> Solve(int num_threads) {
  using Cost = ceres::AutoDiffCostFunction<Exponential, 1, 2>;
  std::vector<double> x = {0.0, 0.0};
  ceres::Problem problem;
  for (int i = 0; i < 10000; ++i) {
    problem.AddResidualBlock(new Cost(new Exponential{1e-4 * i}), nullptr,
                             x.data());
  }
  ceres::Solver::Options options;
  options.num_threads = num_threads;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return x;
}
// [/threads]

void PrintCost() {
  using Cost = ceres::AutoDiffCostFunction<Range, 1, 1>;
  double x = 2.0;
  ceres::Problem problem;
  problem.AddResidualBlock(new Cost(new Range{0.0, 0.3, 5.0}),
                           new ceres::HuberLoss(1.0), &x);
  ceres::Problem::EvaluateOptions options;
  double with_loss, without_loss;
  problem.Evaluate(options, &with_loss, nullptr, nullptr, nullptr);
  options.apply_loss_function = false;
  problem.Evaluate(options, &without_loss, nullptr, nullptr, nullptr);
  std::printf("residual 3: squared 9, cost %.1f, with HuberLoss(1) %.1f\n",
              without_loss, with_loss);
}

}  // namespace

int main() {
  std::printf("-- two minima\n");
  TwoMinima(-1.0);
  TwoMinima(1.0);
  std::printf("-- a large residual that does not change\n");
  StopEarly(0.0, 1e-6);
  StopEarly(3000.0, 1e-6);
  StopEarly(3000.0, 1e-15);
  std::printf("-- what the cost is\n");
  PrintCost();
  std::printf("-- threads\n");
  std::printf("1 and 4 threads give the same bits: %s\n",
              Solve(1) == Solve(4) ? "yes" : "no");
  PrintCosts();
}
