// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Loss functions rho reduce the influence of outliers. A residual block r with
// a loss contributes
//
//   1/2 rho(s),   s = |r|^2,
//
// to the cost; without a loss it contributes 1/2 s. Near s = 0 a loss should
// look like s: rho(0) = 0, rho'(0) = 1. For outliers rho'(s) < 1 and rho''(s) <
// 0. See Triggs, McLauchlan, Hartley and Fitzgibbon, "Bundle Adjustment - A
// Modern Synthesis", 2000, section 3.3, and Huber, "Robust Statistics", 1981.
//
// The scale `a` of the losses below has the unit of |r|. Choose about the
// largest |r| of an inlier. The first derivative is never less than the
// smallest normal double where its formula is positive, so that it can be a
// divisor.
//
// Loss functions are immutable, except LossFunctionWrapper, and may be
// evaluated from several threads at once. One object may serve any number of
// residual blocks.

#ifndef CERES_PUBLIC_LOSS_FUNCTION_H_
#define CERES_PUBLIC_LOSS_FUNCTION_H_

#include <memory>
#include <vector>  // Programs count on it.

#include "ceres/internal/export.h"
#include "ceres/types.h"

namespace ceres {

// The interface of a loss function rho. Implementations must be callable from
// several threads at once.
class CERES_EXPORT LossFunction {
 public:
  virtual ~LossFunction();

  // Writes out = {rho(s), rho'(s), rho''(s)} at s = sq_norm >= 0.
  virtual void Evaluate(double sq_norm, double out[3]) const = 0;
};

namespace internal {

// A loss and how to dispose of it.
using HeldLoss =
    std::unique_ptr<const LossFunction, void (*)(const LossFunction*)>;

}  // namespace internal

// rho(s) = s.
class CERES_EXPORT TrivialLoss final : public LossFunction {
 public:
  // Writes out = {s, 1, 0}.
  void Evaluate(double sq_norm, double* out) const override;
};

// rho(s) = s               for s <= a^2,
//          2 a sqrt(s) - a^2  else.
//
// Grows as |r| for outliers. Convex.
class CERES_EXPORT HuberLoss final : public LossFunction {
 public:
  // The scale a has the unit of |r| and is not 0.
  explicit HuberLoss(double a) : scale_(a) {}
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const double scale_;
};

// rho(s) = 2 a^2 (sqrt(1 + s / a^2) - 1).
//
// A smooth Huber loss.
class CERES_EXPORT SoftLOneLoss final : public LossFunction {
 public:
  // The scale a has the unit of |r| and is not 0.
  explicit SoftLOneLoss(double a) : inverse_square_(1 / (a * a)) {}
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const double inverse_square_;
};

// rho(s) = a^2 log(1 + s / a^2).
class CERES_EXPORT CauchyLoss final : public LossFunction {
 public:
  // The scale a has the unit of |r| and is not 0.
  explicit CauchyLoss(double a)
      : square_(a * a), inverse_square_(1 / square_) {}
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const double square_;
  const double inverse_square_;
};

// rho(s) = a atan(s / a).
//
// The parameter `a` has the unit of s, not of |r|: for outliers rho tends to a
// pi / 2.
class CERES_EXPORT ArctanLoss final : public LossFunction {
 public:
  // The scale a has the unit of s and is not 0.
  explicit ArctanLoss(double a) : scale_(a), inverse_square_(1 / (a * a)) {}
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const double scale_;
  const double inverse_square_;
};

// rho(s) = b log(1 + exp((s - a) / b)) - b log(1 + exp(-a / b)).
//
// Nearly flat below s = a and nearly linear above, with a transition of width
// b. Both parameters have the unit of s. Checks that a >= 0 and b > 0.
class CERES_EXPORT TolerantLoss final : public LossFunction {
 public:
  // The position a and the width b of the transition.
  explicit TolerantLoss(double a, double b);
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const double center_;
  const double width_;
  // b log(1 + exp(-a / b))
  const double at_zero_;
};

// Tukey's biweight:
//
// rho(s) = a^2 / 3 (1 - (1 - s / a^2)^3)  for s <= a^2,
//          a^2 / 3                         else.
//
// Outliers beyond a have no influence at all: rho' = rho'' = 0.
class CERES_EXPORT TukeyLoss final : public LossFunction {
 public:
  // The scale a has the unit of |r| and is not 0.
  explicit TukeyLoss(double a) : square_(a * a) {}
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const double square_;
};

// rho(s) = f(g(s)).
class CERES_EXPORT ComposedLoss final : public LossFunction {
 public:
  // Checks that f and g are not null. Deletes f and g in the end if their
  // ownership is TAKE_OWNERSHIP.
  explicit ComposedLoss(const LossFunction* f, Ownership ownership_f,
                        const LossFunction* g, Ownership ownership_g);
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const internal::HeldLoss outer_;
  const internal::HeldLoss inner_;
};

// The loss a rho(s). Weights residual blocks against each other.
class CERES_EXPORT ScaledLoss final : public LossFunction {
 public:
  // A null rho stands for rho(s) = s. Deletes rho in the end if ownership is
  // TAKE_OWNERSHIP.
  ScaledLoss(const LossFunction* rho, double a, Ownership ownership);
  ScaledLoss(const ScaledLoss&) = delete;
  void operator=(const ScaledLoss&) = delete;
  void Evaluate(double sq_norm, double* out) const override;

 private:
  const internal::HeldLoss loss_;
  const double factor_;
};

// A loss that forwards to another loss, which can be exchanged between two
// solves: first a wide scale, then a narrow one. Losses must not change during
// a solve. SolveGraduated (ceres/graduated_solver.h) changes weights itself.
class CERES_EXPORT LossFunctionWrapper final : public LossFunction {
 public:
  // A null rho stands for rho(s) = s. Deletes rho in the end if ownership is
  // TAKE_OWNERSHIP.
  LossFunctionWrapper(LossFunction* rho, Ownership ownership);
  LossFunctionWrapper(const LossFunctionWrapper&) = delete;
  void operator=(const LossFunctionWrapper&) = delete;
  void Evaluate(double sq_norm, double out[3]) const override;

  // Replaces the loss, with the rules of the constructor. Deletes the former
  // loss if it was owned.
  void Reset(LossFunction* rho, Ownership ownership);

 private:
  internal::HeldLoss loss_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_LOSS_FUNCTION_H_
