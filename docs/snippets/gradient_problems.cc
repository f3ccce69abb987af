// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Minimizes functions that are no sums of squares.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "ceres/ceres.h"

namespace {

// [likelihood]
struct Sample {
  double hours;   // Of study.
  double passed;  // 1 or 0.
};

// The negative logarithm of the likelihood of a logistic regression: the
// probability to pass is 1 / (1 + exp(-(a + b hours))).
struct NegativeLogLikelihood {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    cost[0] = T(0.0);
    for (const Sample& sample : samples) {
      const T z = x[0] + x[1] * sample.hours;
      // log(1 + exp(z)), without overflow for large z.
      cost[0] += (z > 0.0 ? z + log1p(exp(-z)) : log1p(exp(z)));
      cost[0] -= sample.passed * z;
    }
    return true;
  }

  const std::vector<Sample>& samples;
};
// [/likelihood]

void FitLikelihood() {
  // [solve]
  const std::vector<Sample> samples = {{0.5, 0},  {1.0, 0}, {1.5, 0}, {2.0, 0},
                                       {2.25, 1}, {2.5, 0}, {3.0, 1}, {3.5, 0},
                                       {4.0, 1},  {4.5, 1}, {5.0, 1}, {5.5, 1}};
  ceres::GradientProblem problem(
      new ceres::AutoDiffFirstOrderFunction<NegativeLogLikelihood, 2>(
          new NegativeLogLikelihood{samples}));

  ceres::GradientProblemSolver::Options options;
  options.max_num_iterations = 100;
  ceres::GradientProblemSolver::Summary summary;
  double x[2] = {0.0, 0.0};
  ceres::Solve(options, problem, x, &summary);
  // [/solve]
  std::printf("a = %.2f, b = %.2f, %s\n", x[0], x[1],
              ceres::TerminationTypeToString(summary.termination_type));
}

// [function]
// The energy of a chain of `size` springs of growing stiffness, with a
// hardening term, and its gradient by hand.
class Chain : public ceres::FirstOrderFunction {
 public:
  explicit Chain(int size) : size_(size) {}
  int NumParameters() const override { return size_; }

  bool Evaluate(const double* x, double* cost,
                double* gradient) const override {
    cost[0] = 0.0;
    if (gradient != nullptr) std::fill_n(gradient, size_, 0.0);
    for (int i = 0; i + 1 < size_; ++i) {
      const double stretch = x[i + 1] - x[i] - 1.0;
      const double stiffness = 1.0 + 0.1 * i;
      cost[0] += stiffness * (std::cosh(stretch) - 1.0);
      if (gradient == nullptr) continue;
      gradient[i] -= stiffness * std::sinh(stretch);
      gradient[i + 1] += stiffness * std::sinh(stretch);
    }
    cost[0] += 0.5 * x[0] * x[0];  // Holds the first end at 0.
    if (gradient != nullptr) gradient[0] += x[0];
    return true;
  }

 private:
  int size_;
};
// [/function]

void CompareDirections(bool with_counts) {
  const struct {
    const char* name;
    ceres::LineSearchDirectionType type;
  } directions[] = {
      {"LBFGS", ceres::LBFGS},
      {"BFGS", ceres::BFGS},
      {"NONLINEAR_CONJUGATE_GRADIENT", ceres::NONLINEAR_CONJUGATE_GRADIENT},
      {"STEEPEST_DESCENT", ceres::STEEPEST_DESCENT}};
  for (const auto& direction : directions) {
    // [directions]
    const int size = 100;
    ceres::GradientProblem problem(new Chain(size));
    ceres::GradientProblemSolver::Options options;
    options.line_search_direction_type = direction.type;
    options.max_num_iterations = 1000;
    options.function_tolerance = 1e-12;
    options.logging_type = ceres::SILENT;
    ceres::GradientProblemSolver::Summary summary;
    std::vector<double> x(size, 0.0);
    ceres::Solve(options, problem, x.data(), &summary);
    // [/directions]
    std::printf("%-28s %s\n", direction.name,
                ceres::TerminationTypeToString(summary.termination_type));
    if (with_counts) {
      std::printf("  %d iterations, %d gradients, cost %.0e\n",
                  static_cast<int>(summary.iterations.size()) - 1,
                  summary.num_gradient_evaluations, summary.final_cost);
    }
  }
}

// [manifold]
// x'Ax: its minimum over unit vectors is the smallest eigenvalue of A.
struct Rayleigh {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    cost[0] = 2.0 * x[0] * x[0] + 3.0 * x[1] * x[1] + 4.0 * x[2] * x[2] -
              2.0 * x[0] * x[1] - 2.0 * x[1] * x[2];
    return true;
  }
};

double SmallestEigenvalue() {
  ceres::GradientProblem problem(
      new ceres::AutoDiffFirstOrderFunction<Rayleigh, 3>(new Rayleigh),
      new ceres::SphereManifold<3>());
  double x[3] = {1.0, 0.0, 0.0};
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(ceres::GradientProblemSolver::Options(), problem, x, &summary);
  return summary.final_cost;
}
// [/manifold]

}  // namespace

// Any argument: prints counts, too.
int main(int argc, char**) {
  FitLikelihood();
  CompareDirections(/*with_counts=*/argc > 1);
  std::printf("smallest eigenvalue: %.4f\n", SmallestEigenvalue());
}
