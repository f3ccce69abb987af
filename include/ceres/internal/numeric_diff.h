// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_NUMERIC_DIFF_H_
#define CERES_PUBLIC_INTERNAL_NUMERIC_DIFF_H_

// Numeric differentiation of functors, one coordinate at a time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "ceres/cost_function.h"
#include "ceres/internal/ridders_extrapolation.h"
#include "ceres/internal/small_buffer.h"
#include "ceres/numeric_diff_options.h"
#include "ceres/types.h"

namespace ceres::internal {

// The residuals at the blocks x, by a functor of blocks of ParameterDims or by
// a class derived from CostFunction. Returns what it returns.
template <typename ParameterDims, typename Functor>
bool EvaluateResiduals(const Functor& functor, double const* const* x,
                       double* residuals) {
  if constexpr (std::is_base_of_v<CostFunction, Functor>) {
    return functor.Evaluate(x, residuals, nullptr);
  } else {
    return ParameterDims::Call(functor, x, residuals);
  }
}

// Differences of a function f: R^n -> R^m by single coordinates.
//
// Evaluate is a functor bool(double* residuals). It computes f at coordinates
// that it knows, and returns false if it cannot. The differences move these
// coordinates, one at a time, and put them back.
//
//   FORWARD   (f(x + h e_j) - f(x)) / h
//   CENTRAL   (f(x + h e_j) - f(x - h e_j)) / (2 h)
//   RIDDERS   central differences, extrapolated to h = 0
//
// f may have no value at a point, at the end of its domain or beyond: Evaluate
// returns false, or a residual is not finite. Differences then are one-sided:
//
//   FORWARD   (f(x) - f(x - h e_j)) / h
//   CENTRAL   the derivative at x of the parabola through x, x + a, x + 2 a,
//             with a = h e_j or -h e_j; of the line through x and x + a if f
//             has no value at x + 2 a
//   RIDDERS   a shorter first step; if that does not help, as CENTRAL
//
// If f has no value on either side, h is shortened several times.
//
// m is kNumResiduals, or the argument num_residuals if that is DYNAMIC. For the
// first h see ceres/numeric_diff_options.h.
template <NumericDiffMethodType kMethod, int kNumResiduals, typename Evaluate>
class FiniteDifferences {
 public:
  // Refers to all arguments. f_at_x has the m values at the coordinates as they
  // are.
  FiniteDifferences(const Evaluate& evaluate, int num_residuals,
                    const double* f_at_x, const NumericDiffOptions& options)
      : evaluate_(evaluate),
        num_residuals_(num_residuals),
        f_at_x_(f_at_x),
        options_(options),
        difference_(m()),
        f_below_(m()),
        limit_(m(), options) {}

  // Writes the row-major m x size Jacobian by the coordinates x[0], x[1], ...
  // Returns false as soon as f has values neither above nor below a coordinate;
  // jacobian is then unspecified.
  bool WriteJacobian(double* x, int size, double* jacobian) {
    for (int j = 0; j < size; ++j) {
      const double* const column = Differentiate(x + j);
      if (column == nullptr) return false;
      for (int r = 0; r < m(); ++r) jacobian[r * size + j] = column[r];
    }
    return true;
  }

 private:
  int m() const {
    return kNumResiduals == DYNAMIC ? num_residuals_ : kNumResiduals;
  }

  // The derivative by *x; null if f cannot be evaluated.
  const double* Differentiate(double* x) {
    if constexpr (kMethod == RIDDERS) {
      constexpr double kShrink = 1.0 / 8;
      const double shortest = StepOfDifference(*x);
      double h = FirstStepOfRidders(*x);
      do {
        if (const double* const limit = Extrapolate(x, h)) return limit;
        h *= kShrink;
      } while (h > shortest);
      return SubtractOneSided(x, shortest) ? difference_.data() : nullptr;
    } else {
      const double h = StepOfDifference(*x);
      return Subtract(x, h) || SubtractOneSided(x, h) ? difference_.data()
                                                      : nullptr;
    }
  }

  // Null if f has no value at a distance of h.
  const double* Extrapolate(double* x, double h) {
    limit_.Start(*x, h);
    do {
      if (!Subtract(x, limit_.step())) {
        // f need not be defined where steps longer than the first one lead.
        if (!limit_.step_has_grown()) return nullptr;
        break;
      }
    } while (limit_.Add(difference_.data(), f_below_.data()));
    // The extrapolation shortens steps by itself if differences are infinite.
    return AreFinite(limit_.derivative()) ? limit_.derivative() : nullptr;
  }

  static double SmallestStep() {
    return std::sqrt(std::numeric_limits<double>::epsilon());
  }
  double FirstStepOfRidders(double x) const {
    const double relative = options_.ridders_relative_initial_step_size;
    return (std::max)({SmallestStep(), relative, std::abs(x) * relative});
  }
  double StepOfDifference(double x) const {
    return (std::max)(SmallestStep(),
                      std::abs(x) * options_.relative_step_size);
  }

  // difference_ = the difference by *x with step h. Returns whether f has
  // values there; for RIDDERS they may be infinite.
  bool Subtract(double* x, double h) {
    double* const difference = difference_.data();
    const double* f_below = f_at_x_;
    const double center = *x;
    const double above = center + h;
    double below = center;

    bool success = EvaluateAt(x, above, difference);
    if constexpr (kMethod != FORWARD) {
      below = center - h;
      success = success && EvaluateAt(x, below, f_below_.data());
      f_below = f_below_.data();
    }
    *x = center;
    if (!success) return false;

    // The actual distance of the two points, not twice the step, which their
    // rounding to doubles has changed.
    const double distance = above - below;
    for (int r = 0, n = m(); r < n; ++r) {
      difference[r] = (difference[r] - f_below[r]) / distance;
    }
    return kMethod == RIDDERS || AreFinite(difference);
  }

  // difference_ = the one-sided difference by *x with step h or a shorter one,
  // on the side where f has a value. Returns false if f cannot be evaluated.
  // If values are not finite on any side, neither is the difference.
  bool SubtractOneSided(double* x, double h) {
    constexpr double kShrink = 1.0 / 1024;
    constexpr int kMaxNumTrials = 5;
    const double center = *x;
    Outcome outcome = Outcome::kFailed;
    for (int i = 0; i < kMaxNumTrials && center + h > center; ++i) {
      outcome = SubtractFromCenter(x, center, h);
      if (outcome == Outcome::kFinite) break;
      outcome = SubtractFromCenter(x, center, -h);
      if (outcome == Outcome::kFinite) break;
      h *= kShrink;
    }
    *x = center;
    return outcome != Outcome::kFailed;
  }

  // Leaves *x anywhere.
  enum class Outcome { kFailed, kNotFinite, kFinite };
  Outcome SubtractFromCenter(double* x, double center, double step) {
    double* const difference = difference_.data();
    if (!EvaluateAt(x, center + step, difference)) return Outcome::kFailed;
    // The steps as the rounding to doubles has changed them.
    const double a = (center + step) - center;
    for (int r = 0, n = m(); r < n; ++r) {
      difference[r] = (difference[r] - f_at_x_[r]) / a;
    }
    if (!AreFinite(difference)) return Outcome::kNotFinite;
    if constexpr (kMethod != FORWARD) {
      const double b = (center + 2.0 * step) - center;
      double* const further = f_below_.data();
      if (EvaluateAt(x, center + 2.0 * step, further) && AreFinite(further)) {
        for (int r = 0, n = m(); r < n; ++r) {
          const double slope = (further[r] - f_at_x_[r]) / b;
          difference[r] += (difference[r] - slope) * (a / (b - a));
        }
      }
    }
    return Outcome::kFinite;
  }

  // Moves *x. A residual that f leaves alone shows up in the derivative.
  bool EvaluateAt(double* x, double moved, double* residuals) const {
    *x = moved;
    std::fill_n(residuals, m(), kImpossibleValue);
    return evaluate_(residuals);
  }

  // Whether all of m values are finite: 0 times one that is not is NaN.
  bool AreFinite(const double* values) const {
    double sum = 0.0;
    for (int r = 0, n = m(); r < n; ++r) sum += 0.0 * values[r];
    return sum == 0.0;
  }

  // In place of the extrapolation where there is none.
  struct NoLimit {
    NoLimit(int /*m*/, const NumericDiffOptions& /*options*/) {}
  };
  using Limit =
      std::conditional_t<kMethod == RIDDERS, RiddersExtrapolation, NoLimit>;

  static constexpr int kMaxNumResidualsOnStack = 32;
  using Residuals = SmallBuffer<double, kMaxNumResidualsOnStack>;

  const Evaluate& evaluate_;
  const int num_residuals_;
  const double* const f_at_x_;
  const NumericDiffOptions& options_;
  Residuals difference_;
  Residuals f_below_;
  Limit limit_;
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_NUMERIC_DIFF_H_
