// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "dense_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "trial_steps.h"

namespace vesta::python {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// The largest part of the cost's root that the model may still promise to
// remove where the gradient is below gtol. A gradient has units; this number
// has none.
constexpr double kLargestPromise = 1e-5;

// The part of ftol that may still be missing at the end.
constexpr double kSmallRest = 1e-3;

// The smallest first radius, relative to the norm of the start.
constexpr double kSmallestStart = 0.01;

// The largest change of a variable in the first step, relative to its size. A
// variable that changes its sign, or ends on a bound at zero, often does not
// come back.
constexpr double kLargestFirstChange = 0.9;

class Fitter {
 public:
  Fitter(const FitOptions& options, FitFunction* function, FitPoint* point)
      : options_(options),
        function_(*function),
        x_(*point),
        box_(BoxOf(options)),
        steps_(options.method == FitMethod::kDogbox ? BoxSteps(box_)
                                                    : EllipsoidSteps(box_)) {}

  FitStatus Run() {
    function_.Evaluate(&x_);
    first_cost_ = x_.cost;
    if (!function_.Linearize(x_, &model_)) return FitStatus::kFailure;
    UpdateSteps();
    radius_ = FirstRadius();
    while (true) {
      if (!function_.Continue(x_, iteration_)) return FitStatus::kStopped;
      if (IsStationary()) return FitStatus::kGradient;
      if (status_) return GradientIsSmall() ? FitStatus::kGradient : *status_;
      do {
        if (AtLimit()) return FitStatus::kLimit;
        if (!Step()) return *status_;
      } while (!accepted_);
      if (status_ && !options_.linearizes_result) return *status_;
      UpdateSteps();
      ++iteration_.iteration;
    }
  }

 private:
  static FitBox BoxOf(const FitOptions& options) {
    const bool bounded = options.lower.array().isFinite().any() ||
                         options.upper.array().isFinite().any();
    return {options.lower, options.upper, bounded};
  }

  bool IsLm() const { return options_.method == FitMethod::kLm; }
  bool GradientIsSmall() const {
    return !IsLm() && steps_->optimality() < options_.gtol;
  }
  bool AtLimit() const {
    return function_.evaluations() >= options_.max_evaluations;
  }

  // Writes what steps need at the point.
  void UpdateSteps() {
    if (options_.x_scale.size() > 0) {
      scale_ = options_.x_scale;
    } else {
      largest_norms_ = largest_norms_.size() == 0
                           ? model_.column_norms
                           : largest_norms_.cwiseMax(model_.column_norms);
      scale_ = (largest_norms_.array() > 0.0)
                   .select(largest_norms_.cwiseInverse(), 1.0);
    }
    steps_->Set(model_, x_.x, scale_);
    iteration_.optimality = steps_->optimality();
  }

  // lm: the norm of the start, times a factor (More 1978, section 7).
  // Others: a radius with which the step leaves each variable a part of its
  // size, or which is the size of the smallest variable.
  double FirstRadius() const {
    const double norm = steps_->Norm(x_.x);
    if (!(norm > 0.0)) {
      // Where x_scale is that of the Jacobian, x / x_scale has the unit of f.
      const double unit =
          options_.x_scale.size() > 0 ? 1.0 : x_.residuals.norm();
      return options_.factor * (unit > 0.0 ? unit : 1.0);
    }
    if (IsLm()) return options_.factor * norm;
    const double least = std::max(SmallestSize(norm), kSmallestStart * norm);
    double radius = norm;
    while (radius > least) {
      const TrialStep step = steps_->Compute(radius);
      if (LargestChange(step) <= kLargestFirstChange) break;
      radius = std::max(least, 0.5 * std::min(radius, step.norm));
    }
    return options_.factor * radius;
  }

  // The smallest size of a variable that is not zero, as a norm.
  double SmallestSize(double norm) const {
    double least = norm;
    VectorXd along = VectorXd::Zero(x_.x.size());
    for (Index j = 0; j < along.size(); ++j) {
      if (x_.x[j] == 0.0) continue;
      along[j] = x_.x[j];
      least = std::min(least, steps_->Norm(along));
      along[j] = 0.0;
    }
    return least;
  }

  // Relative to the sizes of the variables that are not zero.
  double LargestChange(const TrialStep& step) const {
    double largest = 0.0;
    for (Index j = 0; j < x_.x.size(); ++j) {
      if (x_.x[j] == 0.0) continue;
      largest = std::max(largest, std::abs(step.p[j] / x_.x[j]));
    }
    return largest;
  }

  // lm: the largest cosine of the residuals and a column of J.
  // Others: the gradient, unless the model promises a decrease that counts.
  // Where residuals vanish it promises all of the cost: the step counts there.
  bool IsStationary() const {
    const double size = std::sqrt(2.0 * x_.cost);
    if (!IsLm()) {
      return GradientIsSmall() &&
             (x_.cost <= kEpsilon * kEpsilon * first_cost_ ||
              steps_->promise() <=
                  std::max(options_.gtol, kLargestPromise) * size ||
              NewtonStepIsSmall());
    }
    if (size == 0.0) return true;
    double cosine = 0.0;
    for (Index j = 0; j < model_.gradient.size(); ++j) {
      if (model_.column_norms[j] == 0.0) continue;
      cosine = std::max(
          cosine, std::abs(model_.gradient[j]) / model_.column_norms[j] / size);
    }
    return cosine <= std::max(options_.gtol, kEpsilon);
  }

  // The cost has not the digits to show what the step promises.
  bool IsLost(const TrialStep& step) const {
    return step.predicted <= kEpsilon * x_.cost;
  }

  // The minimizer of the model is as near as xtol demands, relative to x.
  bool NewtonStepIsSmall() const {
    const TrialStep step = steps_->Compute(radius_);
    return step.inside && step.p.cwiseQuotient(scale_).norm() <=
                              options_.xtol * x_.x.cwiseQuotient(scale_).norm();
  }

  // Tries a step. Takes it if it decreases the cost, and sets accepted_. Sets
  // status_ if the fit has converged. False: there is no step.
  bool Step() {
    accepted_ = false;
    const TrialStep step = steps_->Compute(radius_);
    FitPoint trial;
    trial.x = steps_->Move(x_.x, step);
    if (trial.x == x_.x || !(step.predicted > 0.0)) {
      status_ = !std::isfinite(step.predicted) ? FitStatus::kFailure
                : GradientIsSmall()            ? FitStatus::kGradient
                                               : FitStatus::kStep;
      return false;
    }
    function_.Evaluate(&trial);
    const double decrease = x_.cost - trial.cost;
    const double quality = (decrease - step.barrier) / step.predicted;
    UpdateRadius(step, decrease, quality);
    accepted_ =
        IsLm() ? quality >= 1e-4 : std::isfinite(decrease) && decrease > 0.0;
    status_ = Converged(step, trial.x - x_.x, decrease, quality);
    const bool is_last = status_ && !options_.linearizes_result;
    if (accepted_ && !is_last && !function_.Linearize(trial, &model_)) {
      // The function has no derivative there: back, to a smaller step.
      accepted_ = false;
      status_.reset();
      radius_ = 0.25 * step.norm;
      if (!function_.Linearize(x_, &model_)) status_ = FitStatus::kFailure;
    }
    if (accepted_) {
      iteration_.cost_change = decrease;
      iteration_.step_norm = (trial.x - x_.x).norm();
      std::swap(x_, trial);
    }
    return accepted_ || !status_;
  }

  // Sets limited_: the step was short because the radius is, which now grows.
  void UpdateRadius(const TrialStep& step, double decrease, double quality) {
    const double before = radius_;
    if (!step.inside && step.norm > 0.95 * before && IsLost(step) &&
        decrease == 0.0) {
      // The cost has not the digits to show the step.
      limited_ = true;
      radius_ *= 1e3;
      return;
    }
    if (!std::isfinite(decrease)) {
      radius_ = 0.25 * step.norm;
    } else if (IsLm()) {
      if (iteration_.iteration == 0) radius_ = std::min(radius_, step.norm);
      UpdateAsMore(step, decrease, quality);
    } else if (quality < 0.25) {
      radius_ = 0.25 * step.norm;
    } else if (quality > 0.75 && step.norm > 0.95 * radius_) {
      radius_ *= 2.0;
    }
    limited_ = !step.inside && step.norm > 0.95 * before && radius_ > before;
    // The error of the model, relative to the decrease, is proportional to the
    // radius. Where it is far from what is allowed, the radius was no good
    // guess.
    const double error = std::max(std::abs(1.0 - quality), 1e-6);
    if (limited_ && error < 1e-3) radius_ = before * 0.01 / error;
  }

  // More 1978, section 7: a small quality shrinks the radius to the minimum of
  // the parabola through both costs and the slope, within [0.1, 0.5].
  void UpdateAsMore(const TrialStep& step, double decrease, double quality) {
    if (quality <= 0.25) {
      double shrink = 0.5;
      if (decrease < 0.0) {
        const double slope = model_.gradient.dot(step.p);
        shrink = std::max(0.1, 0.5 * slope / (slope + decrease));
      }
      radius_ = shrink * std::min(radius_, 10.0 * step.norm);
    } else if (quality >= 0.75 || step.inside) {
      radius_ = 2.0 * step.norm;
    }
  }

  std::optional<FitStatus> Converged(const TrialStep& step, const VectorXd& p,
                                     double decrease, double quality) const {
    bool cost = false;
    bool small = false;
    if (!std::isfinite(decrease) || limited_) return std::nullopt;
    if (IsLm()) {
      const double ftol = std::max(options_.ftol, kEpsilon) * x_.cost;
      cost = std::abs(decrease) <= ftol && step.predicted <= ftol &&
             quality <= 2.0;
      const double now = steps_->Norm(accepted_ ? VectorXd(x_.x + p) : x_.x);
      small = radius_ <= std::max(options_.xtol, kEpsilon) * now;
    } else {
      // With linear convergence this part of the decrease is still to come.
      const double rest = std::abs(decrease * (1.0 - quality));
      const double ftol = options_.ftol * x_.cost;
      // No test asks for more digits than the cost has.
      const double small_rest = std::max(kSmallRest * ftol, kEpsilon * x_.cost);
      cost = decrease < ftol && quality > 0.25 && rest <= small_rest;
      const double norm = p.cwiseQuotient(scale_).norm();
      const double size = x_.x.cwiseQuotient(scale_).norm();
      small = norm < options_.xtol * (options_.xtol + size);
      // A larger radius would not help, and a smaller one would come back.
      if (!accepted_ && IsLost(step)) {
        cost = options_.ftol > 0.0;
        small = small || !cost;
      }
    }
    if (cost) return small ? FitStatus::kCostAndStep : FitStatus::kCost;
    if (small) return FitStatus::kStep;
    return std::nullopt;
  }

  const FitOptions& options_;
  FitFunction& function_;
  FitPoint& x_;
  const FitBox box_;
  std::unique_ptr<TrialSteps> steps_;
  ReducedModel model_;
  VectorXd largest_norms_;
  VectorXd scale_;
  double radius_ = 0.0;
  double first_cost_ = 0.0;
  FitIteration iteration_;
  bool accepted_ = false;
  bool limited_ = false;
  std::optional<FitStatus> status_;
};

}  // namespace

FitStatus Fit(const FitOptions& options, FitFunction* function,
              FitPoint* point) {
  return Fitter(options, function, point).Run();
}

}  // namespace vesta::python
