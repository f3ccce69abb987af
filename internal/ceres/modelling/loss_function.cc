// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/loss_function.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ceres/logging/logging.h"

namespace ceres {
namespace {

// A function of one variable at one point: its value, slope and curvature.
struct Expansion {
  double value;
  double slope;
  double curvature;
};

Expansion Identity(double s) { return {s, 1.0, 0.0}; }

// outer(inner(s)), with outer expanded at inner.value.
Expansion Compose(const Expansion& outer, const Expansion& inner) {
  return {outer.value, outer.slope * inner.slope,
          outer.slope * inner.curvature +
              outer.curvature * inner.slope * inner.slope};
}

// A null loss is the identity.
Expansion Expand(const LossFunction* loss, double s) {
  if (loss == nullptr) return Identity(s);
  double out[3];
  loss->Evaluate(s, out);
  return {out[0], out[1], out[2]};
}

void Write(const Expansion& rho, double out[3]) {
  out[0] = rho.value;
  out[1] = rho.slope;
  out[2] = rho.curvature;
}

// Solvers divide by the root of a slope, which may underflow for extreme
// outliers.
double Divisible(double slope) {
  return std::max(std::numeric_limits<double>::min(), slope);
}

// log(1 + x) for x >= 0, to a few units in the last place and in half the time
// of log1p: the rounding of 1 + x is divided out (W. Kahan; Goldberg, "What
// Every Computer Scientist Should Know About Floating-Point Arithmetic", 1991,
// theorem 4).
double LogOnePlus(double x) {
  const double sum = 1.0 + x;
  if (x > 1.0) return std::log(sum);
  return sum == 1.0 ? x : std::log(sum) * (x / (sum - 1.0));
}

internal::HeldLoss Hold(const LossFunction* loss, Ownership ownership) {
  if (ownership == TAKE_OWNERSHIP) {
    return {loss, [](const LossFunction* owned) { delete owned; }};
  }
  return {loss, [](const LossFunction*) {}};
}

}  // namespace

LossFunction::~LossFunction() = default;

void TrivialLoss::Evaluate(double s, double out[3]) const {
  Write(Identity(s), out);
}

// Beyond the scale a, the slope is the weight w = a / |r|, and
// rho = 2 a |r| - a^2, rho'' = -w / (2 s).
void HuberLoss::Evaluate(double s, double out[3]) const {
  const double square = scale_ * scale_;
  if (s > square) {
    const double norm = std::sqrt(s);
    const double weight = Divisible(scale_ / norm);
    Write({2.0 * scale_ * norm - square, weight, -0.5 * weight / s}, out);
  } else {
    Write(Identity(s), out);
  }
}

// With q = sqrt(1 + s / a^2): rho = 2 a^2 (q - 1) = 2 s / (1 + q), which does
// not cancel for small s, rho' = 1 / q, rho'' = -rho' / (2 a^2 q^2).
void SoftLOneLoss::Evaluate(double s, double out[3]) const {
  const double q_squared = 1.0 + inverse_square_ * s;
  const double q = std::sqrt(q_squared);
  const double weight = Divisible(1.0 / q);
  Write({2.0 * s / (1.0 + q), weight,
         -0.5 * (inverse_square_ * weight) / q_squared},
        out);
}

// With t = s / a^2: rho = a^2 log(1 + t), rho' = 1 / (1 + t),
// rho'' = -rho'^2 / a^2.
void CauchyLoss::Evaluate(double s, double out[3]) const {
  const double t = inverse_square_ * s;
  const double weight = 1.0 / (1.0 + t);
  Write({square_ * LogOnePlus(t), Divisible(weight),
         -(weight * weight) * inverse_square_},
        out);
}

// The point (a, s) is seen from the origin under the angle u. With
// tan(u) = s / a: rho = a u, rho' = cos(u)^2, rho'' = -2 s cos(u)^4 / a^2.
void ArctanLoss::Evaluate(double s, double out[3]) const {
  const double angle = std::atan2(s, scale_);
  const double cos_squared = 1.0 / (1.0 + s * s * inverse_square_);
  Write({scale_ * angle, Divisible(cos_squared),
         -2.0 * s * inverse_square_ * (cos_squared * cos_squared)},
        out);
}

TolerantLoss::TolerantLoss(double a, double b)
    : center_(a), width_(b), at_zero_(b * std::log1p(std::exp(-a / b))) {
  VESTA_CHECK_GE(a, 0.0) << "TolerantLoss(a, b) needs a >= 0.";
  VESTA_CHECK_GT(b, 0.0) << "TolerantLoss(a, b) needs b > 0.";
}

// With x = (s - a) / b, rho is b log(1 + exp(x)) but for a constant, and
//
//   log(1 + exp(x)) = max(x, 0) + log(1 + e),   e = exp(-|x|) <= 1,
//
// does not overflow. The slope is the logistic function of x: e / (1 + e) for
// x <= 0, and what is missing to 1 for x > 0.
void TolerantLoss::Evaluate(double s, double out[3]) const {
  const double excess = s - center_;
  const double e = std::exp(-std::abs(excess) / width_);
  const double small = e / (1.0 + e);
  Write({std::max(excess, 0.0) + (width_ * std::log1p(e) - at_zero_),
         Divisible(excess > 0.0 ? 1.0 - small : small),
         small / (width_ * (1.0 + e))},
        out);
}

void TukeyLoss::Evaluate(double s, double out[3]) const {
  if (s > square_) {
    Write({square_ / 3.0, 0.0, 0.0}, out);
    return;
  }
  const double t = s / square_;
  const double rest = 1.0 - t;
  // a^2 / 3 (1 - rest^3), expanded so that it does not cancel for small s.
  Write({s * (1.0 - t + t * t / 3.0), rest * rest, -2.0 / square_ * rest}, out);
}

ComposedLoss::ComposedLoss(const LossFunction* f, Ownership ownership_f,
                           const LossFunction* g, Ownership ownership_g)
    : outer_(Hold(f, ownership_f)),
      // One object that is given twice is deleted once.
      inner_(Hold(g, f == g && ownership_f == TAKE_OWNERSHIP
                         ? DO_NOT_TAKE_OWNERSHIP
                         : ownership_g)) {
  VESTA_CHECK(f != nullptr) << "ComposedLoss(f, g): f must not be null.";
  VESTA_CHECK(g != nullptr) << "ComposedLoss(f, g): g must not be null.";
}

void ComposedLoss::Evaluate(double s, double out[3]) const {
  const Expansion inner = Expand(inner_.get(), s);
  Write(Compose(Expand(outer_.get(), inner.value), inner), out);
}

ScaledLoss::ScaledLoss(const LossFunction* rho, double a, Ownership ownership)
    : loss_(Hold(rho, ownership)), factor_(a) {}

void ScaledLoss::Evaluate(double s, double out[3]) const {
  const Expansion loss = Expand(loss_.get(), s);
  Write(Compose({factor_ * loss.value, factor_, 0.0}, loss), out);
}

LossFunctionWrapper::LossFunctionWrapper(LossFunction* rho, Ownership ownership)
    : loss_(Hold(rho, ownership)) {}

void LossFunctionWrapper::Evaluate(double s, double out[3]) const {
  Write(Expand(loss_.get(), s), out);
}

void LossFunctionWrapper::Reset(LossFunction* rho, Ownership ownership) {
  // The loss that is held already only changes its owner.
  if (rho == loss_.get()) loss_.release();
  loss_ = Hold(rho, ownership);
}

}  // namespace ceres
