// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The same residual with automatic, numeric and analytic derivatives.

#include <cmath>
#include <cstdio>

#include "ceres/ceres.h"
#include "ceres/gradient_checker.h"

namespace {

int num_calls = 0;  // Of the functors. This program has one thread.

// [automatic]
// y = a exp(-k t), parameters {a, k}. A template: automatic derivatives.
struct Decay {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    ++num_calls;
    residual[0] = x[0] * exp(-x[1] * t) - y;
    return true;
  }

  double t, y;
};
// [/automatic]

// [numeric]
// Only doubles: numeric derivatives.
struct DecayOfDoubles {
  bool operator()(const double* x, double* residual) const {
    ++num_calls;
    residual[0] = x[0] * std::exp(-x[1] * t) - y;
    return true;
  }

  double t, y;
};
// [/numeric]

// [analytic]
// Analytic derivatives. Jacobians are row-major: residuals x parameters.
class AnalyticDecay : public ceres::SizedCostFunction<1, 2> {
 public:
  AnalyticDecay(double t, double y) : t_(t), y_(y) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    ++num_calls;
    const double a = parameters[0][0], k = parameters[0][1];
    const double e = std::exp(-k * t_);
    residuals[0] = a * e - y_;
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][0] = e;
      jacobians[0][1] = -a * t_ * e;
    }
    return true;
  }

 private:
  double t_, y_;
};
// [/analytic]

// [wrong]
class WrongDecay : public AnalyticDecay {
 public:
  using AnalyticDecay::AnalyticDecay;

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    AnalyticDecay::Evaluate(parameters, residuals, jacobians);
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      jacobians[0][1] = -jacobians[0][1];  // A wrong sign.
    }
    return true;
  }
};
// [/wrong]

void Print(const char* what, const ceres::CostFunction& cost) {
  const double x[2] = {3.0, 0.5};
  const double* parameters[1] = {x};
  double residual, jacobian[2];
  double* jacobians[1] = {jacobian};
  num_calls = 0;
  cost.Evaluate(parameters, &residual, jacobians);
  std::printf("%-10s %8.5f  %8.5f %8.5f  %5d\n", what, residual, jacobian[0],
              jacobian[1], num_calls);
}

// [check]
void Check(const char* what, const ceres::CostFunction& cost) {
  const double x[2] = {3.0, 0.5};
  const double* parameters[1] = {x};
  const ceres::GradientChecker checker(&cost, nullptr,
                                       ceres::NumericDiffOptions());
  ceres::GradientChecker::ProbeResults results;
  const bool ok = checker.Probe(parameters, 1e-8, &results);
  // results.error_log names the residual and the coordinate.
  std::printf("%-8s derivatives are %s, largest relative error: %.1f\n", what,
              ok ? "right" : "wrong", results.maximum_relative_error);
}
// [/check]

}  // namespace

int main() {
  const double t = 2.0, y = 1.2;
  std::printf("              r      dr/da    dr/dk   calls\n");
  // [make]
  const ceres::AutoDiffCostFunction<Decay, 1, 2> automatic(new Decay{t, y});
  const ceres::NumericDiffCostFunction<DecayOfDoubles, ceres::FORWARD, 1, 2>
      forward(new DecayOfDoubles{t, y});
  const ceres::NumericDiffCostFunction<DecayOfDoubles, ceres::CENTRAL, 1, 2>
      central(new DecayOfDoubles{t, y});
  const AnalyticDecay analytic(t, y);
  // [/make]
  Print("automatic", automatic);
  Print("forward", forward);
  Print("central", central);
  Print("analytic", analytic);
  Check("analytic", analytic);
  Check("wrong", WrongDecay(t, y));
}
