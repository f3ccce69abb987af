// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Computes once per point what many cost functions share.

#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"

namespace {

// [callback]
// y(t) solves y' = -k y^2, y(0) = y0. One pass gives y and its derivatives at
// all times, so a residual block should not make the pass by itself.
class Simulation : public ceres::EvaluationCallback {
 public:
  Simulation(const double* parameters, int num_steps, double h)
      : parameters_(parameters), h_(h), values_(num_steps) {}

  // Called by one thread, while no cost function runs. The parameter blocks
  // hold the point that is evaluated.
  void PrepareForEvaluation(bool /*evaluate_jacobians*/,
                            bool new_evaluation_point) override {
    if (!new_evaluation_point) return;
    ++num_passes_;
    double y = parameters_[0], dy0 = 1.0, dk = 0.0;
    for (Value& value : values_) {  // Euler's method.
      value = {y, dy0, dk};
      const double k = parameters_[1];
      const double change = 1.0 - 2.0 * h_ * k * y;
      dk = dk * change - h_ * y * y;
      dy0 *= change;
      y -= h_ * k * y * y;
    }
  }

  struct Value {
    double y, dy_dy0, dy_dk;
  };
  const Value& at(int step) const { return values_[step]; }
  int num_passes() const { return num_passes_; }

 private:
  const double* parameters_;  // {y0, k}
  double h_;
  std::vector<Value> values_;
  int num_passes_ = 0;
};

// Reads what the callback has computed. Threads only read.
class SampleError : public ceres::SizedCostFunction<1, 2> {
 public:
  SampleError(const Simulation* simulation, int step, double measured)
      : simulation_(simulation), step_(step), measured_(measured) {}

  bool Evaluate(double const* const*, double* residuals,
                double** jacobians) const override {
    const Simulation::Value& value = simulation_->at(step_);
    residuals[0] = value.y - measured_;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = value.dy_dy0;
      jacobians[0][1] = value.dy_dk;
    }
    return true;
  }

 private:
  const Simulation* simulation_;
  int step_;
  double measured_;
};
// [/callback]

}  // namespace

int main() {
  const int num_steps = 2000;
  const double h = 0.001;
  double parameters[2] = {1.0, 1.0};
  Simulation simulation(parameters, num_steps, h);

  // [problem]
  ceres::Problem::Options problem_options;
  problem_options.evaluation_callback = &simulation;  // Outlives the problem.
  ceres::Problem problem(problem_options);
  for (int i = 0; i < num_steps; i += 20) {
    const double exact = 2.0 / (1.0 + 2.0 * 0.7 * h * i);  // y0 = 2, k = 0.7.
    problem.AddResidualBlock(new SampleError(&simulation, i, exact), nullptr,
                             parameters);
  }
  ceres::Solver::Options options;
  options.num_threads = 2;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  // [/problem]
  std::printf("y0 = %.2f, k = %.2f\n", parameters[0], parameters[1]);
  std::printf(
      "residual blocks: %d, at most 2 passes per iteration: %s\n",
      problem.NumResidualBlocks(),
      simulation.num_passes() <= 2 * static_cast<int>(summary.iterations.size())
          ? "yes"
          : "no");
}
