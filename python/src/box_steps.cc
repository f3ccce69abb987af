// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// In y = x / scale the trust region is the box |dy_j| <= radius. The bounds cut
// off a part, and leave a box. The path goes from zero to the minimizer along
// the gradient, and on to the minimizer of the model; the step is where the
// path leaves the box. Variables at a bound that the negative gradient points
// to stay there.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "trial_steps.h"

namespace vesta::python {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Box final : public TrialSteps {
 public:
  explicit Box(const FitBox& box) : box_(box) {}

  void Set(const ReducedModel& model, const VectorXd& x,
           const VectorXd& scale) override {
    model_ = &model;
    scale_ = scale;
    const VectorXd& g = model.gradient;
    free_.clear();
    optimality_ = 0.0;
    for (Index j = 0; j < x.size(); ++j) {
      const bool held = (x[j] <= box_.lower[j] && g[j] > 0.0) ||
                        (x[j] >= box_.upper[j] && g[j] < 0.0);
      if (held) continue;
      free_.push_back(j);
      optimality_ = std::max(optimality_, std::abs(g[j]));
    }
    const Index n = static_cast<Index>(free_.size());
    b_.resize(x.size(), n);
    descent_.resize(n);
    below_.resize(n);
    above_.resize(n);
    newton_.setZero(n);
    promise_ = 0.0;
    for (Index k = 0; k < n; ++k) {
      const Index j = free_[k];
      b_.col(k) = model.r.col(j) * scale[j];
      descent_[k] = -g[j] * scale[j];
      below_[k] = (box_.lower[j] - x[j]) / scale[j];
      above_[k] = (box_.upper[j] - x[j]) / scale[j];
    }
    if (n == 0) return;
    ball_.Set(b_, model.q);
    bool inside;
    newton_ = ball_.Minimize(kInfinity, &inside);
    promise_ = ball_.LargestDecrease();
  }

  TrialStep Compute(double radius) override {
    TrialStep step;
    const VectorXd y = Dogleg(radius, &step.inside);
    step.p = ToStep(y);
    step.predicted = -model_->Change(step.p);
    step.norm = y.size() > 0 ? y.lpNorm<Eigen::Infinity>() : 0.0;
    if (step.inside || y.size() == 0) return step;
    bool inside;
    const VectorXd z =
        ball_.Minimize(radius, &inside).cwiseMin(above_).cwiseMax(below_);
    const VectorXd p = ToStep(z);
    if (const double predicted = -model_->Change(p);
        predicted > step.predicted) {
      step.p = p;
      step.predicted = predicted;
      step.norm = z.lpNorm<Eigen::Infinity>();
    }
    return step;
  }

  VectorXd Move(const VectorXd& x, const TrialStep& step) const override {
    constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
    VectorXd moved = x + step.p;
    for (Index j = 0; j < x.size(); ++j) {
      const double rounding =
          kRounding * std::max(std::abs(x[j]), std::abs(step.p[j]));
      if (moved[j] <= box_.lower[j] + rounding && step.p[j] < 0.0) {
        moved[j] = box_.lower[j];
      }
      if (moved[j] >= box_.upper[j] - rounding && step.p[j] > 0.0) {
        moved[j] = box_.upper[j];
      }
    }
    return moved;
  }

  double Norm(const VectorXd& x) const override {
    return x.cwiseQuotient(scale_).lpNorm<Eigen::Infinity>();
  }
  double optimality() const override { return optimality_; }
  double promise() const override { return promise_; }

 private:
  // p of the free variables y.
  VectorXd ToStep(const VectorXd& y) const {
    VectorXd p = VectorXd::Zero(scale_.size());
    for (Index k = 0; k < y.size(); ++k) {
      p[free_[k]] = y[k] * scale_[free_[k]];
    }
    return p;
  }

  // The largest t for which from + t r is in the box of the radius.
  double Way(const VectorXd& from, const VectorXd& r, double radius) const {
    double way = kInfinity;
    for (Index k = 0; k < r.size(); ++k) {
      if (r[k] == 0.0) continue;
      const double edge = r[k] > 0.0 ? std::min(radius, above_[k])
                                     : std::max(-radius, below_[k]);
      way = std::min(way, std::max(0.0, (edge - from[k]) / r[k]));
    }
    return way;
  }

  VectorXd Dogleg(double radius, bool* inside) const {
    const VectorXd zero = VectorXd::Zero(newton_.size());
    *inside = Way(zero, newton_, radius) >= 1.0;
    if (*inside) return newton_;
    const double curvature = (b_ * descent_).squaredNorm();
    const double least =
        curvature > 0.0 ? descent_.squaredNorm() / curvature : kInfinity;
    const double way = Way(zero, descent_, radius);
    if (way <= least) {
      return std::isfinite(way) ? VectorXd(way * descent_) : zero;
    }
    const VectorXd cauchy = least * descent_;
    const VectorXd rest = newton_ - cauchy;
    return cauchy + std::min(1.0, Way(cauchy, rest, radius)) * rest;
  }

  const FitBox& box_;
  const ReducedModel* model_ = nullptr;
  VectorXd scale_;
  BallProblem ball_;
  std::vector<Index> free_;
  Eigen::MatrixXd b_;  // R times the scale, columns of free variables
  VectorXd descent_;   // the negative gradient in y
  VectorXd newton_;    // the minimizer of the model
  VectorXd below_;     // the bounds, seen from the point
  VectorXd above_;
  double optimality_ = 0.0;
  double promise_ = 0.0;
};

}  // namespace

std::unique_ptr<TrialSteps> BoxSteps(const FitBox& box) {
  return std::make_unique<Box>(box);
}

}  // namespace vesta::python
