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
// m is kNumResiduals, or the argument num_residuals if that is DYNAMIC. For the
// first h see ceres/numeric_diff_options.h.
template <NumericDiffMethodType kMethod, int kNumResiduals, typename Evaluate>
class FiniteDifferences {
 public:
  // Refers to all arguments. f_at_x has the m values at the coordinates as they
  // are; FORWARD alone reads it.
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
  // Returns false as soon as f cannot be evaluated; jacobian is then
  // unspecified.
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
    const double h = FirstStep(*x);
    if constexpr (kMethod == RIDDERS) {
      limit_.Start(*x, h);
      do {
        if (!Subtract(x, limit_.step())) {
          // f need not be defined where steps longer than the first one lead.
          if (!limit_.step_has_grown()) return nullptr;
          break;
        }
      } while (limit_.Add(difference_.data(), f_below_.data()));
      return limit_.derivative();
    } else {
      return Subtract(x, h) ? difference_.data() : nullptr;
    }
  }

  double FirstStep(double x) const {
    const double smallest = std::sqrt(std::numeric_limits<double>::epsilon());
    if constexpr (kMethod == RIDDERS) {
      const double relative = options_.ridders_relative_initial_step_size;
      return (std::max)({smallest, relative, std::abs(x) * relative});
    } else {
      return (std::max)(smallest, std::abs(x) * options_.relative_step_size);
    }
  }

  // difference_ = the difference by *x with step h.
  bool Subtract(double* x, double h) {
    double* const difference = difference_.data();
    const double* f_below = f_at_x_;
    const double center = *x;
    const double above = center + h;
    double below = center;

    *x = above;
    bool success = EvaluateTo(difference);
    if constexpr (kMethod != FORWARD) {
      below = *x = center - h;
      success = success && EvaluateTo(f_below_.data());
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
    return true;
  }

  // A residual that f leaves alone shows up in the derivative.
  bool EvaluateTo(double* residuals) const {
    std::fill_n(residuals, m(), kImpossibleValue);
    return evaluate_(residuals);
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
