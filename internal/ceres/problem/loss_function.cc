// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/loss_function.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "glog/logging.h"

namespace ceres {
namespace {

// Solvers divide by sqrt(rho'), which may underflow for extreme outliers.
double AtLeastMinNormal(double rho1) {
  return std::max(std::numeric_limits<double>::min(), rho1);
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

void EvaluateIdentity(double s, double rho[3]) {
  rho[0] = s;
  rho[1] = 1.0;
  rho[2] = 0.0;
}

}  // namespace

LossFunction::~LossFunction() = default;

void TrivialLoss::Evaluate(double s, double rho[3]) const {
  EvaluateIdentity(s, rho);
}

void HuberLoss::Evaluate(double s, double rho[3]) const {
  if (s <= b_) {
    EvaluateIdentity(s, rho);
    return;
  }
  const double r = std::sqrt(s);
  rho[0] = 2.0 * a_ * r - b_;
  rho[1] = AtLeastMinNormal(a_ / r);
  rho[2] = -rho[1] / (2.0 * s);
}

void SoftLOneLoss::Evaluate(double s, double rho[3]) const {
  const double sum = 1.0 + s * c_;
  const double root = std::sqrt(sum);
  // 2 b (root - 1) without its cancellation for small s.
  rho[0] = 2.0 * s / (root + 1.0);
  rho[1] = AtLeastMinNormal(1.0 / root);
  rho[2] = -(c_ * rho[1]) / (2.0 * sum);
}

void CauchyLoss::Evaluate(double s, double rho[3]) const {
  const double inverse = 1.0 / (1.0 + s * c_);
  rho[0] = b_ * LogOnePlus(s * c_);
  rho[1] = AtLeastMinNormal(inverse);
  rho[2] = -c_ * (inverse * inverse);
}

void ArctanLoss::Evaluate(double s, double rho[3]) const {
  const double inverse = 1.0 / (1.0 + s * s * b_);
  rho[0] = a_ * std::atan2(s, a_);
  rho[1] = AtLeastMinNormal(inverse);
  rho[2] = -2.0 * s * b_ * (inverse * inverse);
}

TolerantLoss::TolerantLoss(double a, double b)
    : a_(a), b_(b), c_(b * std::log1p(std::exp(-a / b))) {
  CHECK_GE(a, 0.0) << "TolerantLoss(a, b) needs a >= 0.";
  CHECK_GT(b, 0.0) << "TolerantLoss(a, b) needs b > 0.";
}

void TolerantLoss::Evaluate(double s, double rho[3]) const {
  // Beyond this, log(1 + exp(x)) = x to double precision.
  constexpr double kLog2Pow53 = 36.7368005696771;
  const double x = (s - a_) / b_;
  if (x > kLog2Pow53) {
    rho[0] = s - a_ - c_;
    rho[1] = 1.0;
    rho[2] = 0.0;
    return;
  }
  const double e = std::exp(x);
  const double logistic = e / (1.0 + e);
  rho[0] = b_ * std::log1p(e) - c_;
  rho[1] = AtLeastMinNormal(logistic);
  rho[2] = logistic / (b_ * (1.0 + e));
}

void TukeyLoss::Evaluate(double s, double rho[3]) const {
  if (s > a_squared_) {
    rho[0] = a_squared_ / 3.0;
    rho[1] = 0.0;
    rho[2] = 0.0;
    return;
  }
  const double t = s / a_squared_;
  const double value = 1.0 - t;
  // a^2 / 3 (1 - value^3), expanded so that it does not cancel for small s.
  rho[0] = s * (1.0 - t + t * t / 3.0);
  rho[1] = value * value;
  rho[2] = -2.0 / a_squared_ * value;
}

ComposedLoss::ComposedLoss(const LossFunction* f, Ownership ownership_f,
                           const LossFunction* g, Ownership ownership_g)
    : f_(f), g_(g), ownership_f_(ownership_f), ownership_g_(ownership_g) {
  CHECK(f_ != nullptr) << "ComposedLoss(f, g): f must not be null.";
  CHECK(g_ != nullptr) << "ComposedLoss(f, g): g must not be null.";
}

ComposedLoss::~ComposedLoss() {
  const bool same_object_owned_twice = f_ == g_ &&
                                       ownership_f_ == TAKE_OWNERSHIP &&
                                       ownership_g_ == TAKE_OWNERSHIP;
  if (ownership_f_ == DO_NOT_TAKE_OWNERSHIP || same_object_owned_twice) {
    f_.release();
  }
  if (ownership_g_ == DO_NOT_TAKE_OWNERSHIP) {
    g_.release();
  }
}

void ComposedLoss::Evaluate(double s, double rho[3]) const {
  double rho_f[3];
  double rho_g[3];
  g_->Evaluate(s, rho_g);
  f_->Evaluate(rho_g[0], rho_f);
  rho[0] = rho_f[0];
  rho[1] = rho_f[1] * rho_g[1];
  rho[2] = rho_f[2] * rho_g[1] * rho_g[1] + rho_f[1] * rho_g[2];
}

ScaledLoss::ScaledLoss(const LossFunction* rho, double a, Ownership ownership)
    : rho_(rho), a_(a), ownership_(ownership) {}

ScaledLoss::~ScaledLoss() {
  if (ownership_ == DO_NOT_TAKE_OWNERSHIP) {
    rho_.release();
  }
}

void ScaledLoss::Evaluate(double s, double rho[3]) const {
  if (rho_ == nullptr) {
    EvaluateIdentity(s, rho);
  } else {
    rho_->Evaluate(s, rho);
  }
  rho[0] *= a_;
  rho[1] *= a_;
  rho[2] *= a_;
}

LossFunctionWrapper::LossFunctionWrapper(LossFunction* rho, Ownership ownership)
    : rho_(rho), ownership_(ownership) {}

LossFunctionWrapper::~LossFunctionWrapper() {
  if (ownership_ == DO_NOT_TAKE_OWNERSHIP) {
    rho_.release();
  }
}

void LossFunctionWrapper::Evaluate(double s, double rho[3]) const {
  if (rho_ == nullptr) {
    EvaluateIdentity(s, rho);
  } else {
    rho_->Evaluate(s, rho);
  }
}

void LossFunctionWrapper::Reset(LossFunction* rho, Ownership ownership) {
  // Resetting to the loss that is held only changes who owns it.
  if (ownership_ == DO_NOT_TAKE_OWNERSHIP || rho == rho_.get()) {
    rho_.release();
  }
  rho_.reset(rho);
  ownership_ = ownership;
}

}  // namespace ceres
