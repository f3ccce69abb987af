// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/search_direction.h"

#include <algorithm>
#include <cmath>

#include "Eigen/Core"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/lbfgs.h"

namespace ceres::internal {
namespace {

using Vector = std::vector<double>;

void Negate(const Vector& x, Vector* minus_x) {
  for (size_t i = 0; i < x.size(); ++i) {
    (*minus_x)[i] = -x[i];
  }
}

class SteepestDescent final : public SearchDirection {
 public:
  void Next(const Previous* /*previous*/, const Vector& gradient,
            Vector* direction) override {
    Negate(gradient, direction);
  }
};

class ConjugateGradient final : public SearchDirection {
 public:
  ConjugateGradient(NonlinearConjugateGradientType type,
                    const Execution& execution, int n)
      : type_(type), execution_(execution), n_(n), change_(n) {}

  void Next(const Previous* previous, const Vector& gradient,
            Vector* direction) override {
    if (previous == nullptr) {
      Negate(gradient, direction);
      return;
    }
    Axpby(execution_, n_, -1.0, gradient.data(), Beta(*previous, gradient),
          previous->direction.data(), direction->data());
    // Far from quadratic the directions lose descent: start over.
    if (!(Dot(gradient, *direction) < 0.0)) {
      Negate(gradient, direction);
    }
  }

 private:
  double Dot(const Vector& x, const Vector& y) const {
    return internal::Dot(execution_, n_, x.data(), y.data());
  }

  double Beta(const Previous& previous, const Vector& gradient) {
    Axpby(execution_, n_, 1.0, gradient.data(), -1.0, previous.gradient.data(),
          change_.data());
    double beta = 0.0;
    switch (type_) {
      case FLETCHER_REEVES:
        beta =
            Dot(gradient, gradient) / Dot(previous.gradient, previous.gradient);
        break;
      case POLAK_RIBIERE:
        beta = std::max(0.0, Dot(gradient, change_) /
                                 Dot(previous.gradient, previous.gradient));
        break;
      case HESTENES_STIEFEL:
        beta = std::max(
            0.0, Dot(gradient, change_) / Dot(previous.direction, change_));
        break;
    }
    return std::isfinite(beta) ? beta : 0.0;
  }

  const NonlinearConjugateGradientType type_;
  const Execution execution_;
  const int n_;
  Vector change_;
};

// s and y of a step.
struct Secant {
  void Compute(const SearchDirection::Previous& previous,
               const Vector& gradient) {
    const size_t n = gradient.size();
    s.resize(n);
    y.resize(n);
    for (size_t i = 0; i < n; ++i) {
      s[i] = previous.step_size * previous.direction[i];
      y[i] = gradient[i] - previous.gradient[i];
    }
  }
  Vector s;
  Vector y;
};

class Lbfgs final : public SearchDirection {
 public:
  Lbfgs(const Execution& execution, int n, int rank,
        LowRankInverseHessian::Scaling scaling)
      : inverse_hessian_(execution, n, rank, scaling) {}

  void Next(const Previous* previous, const Vector& gradient,
            Vector* direction) override {
    if (previous != nullptr) {
      secant_.Compute(*previous, gradient);
      is_scaled_ =
          inverse_hessian_.Update(secant_.s.data(), secant_.y.data()) ||
          is_scaled_;
    }
    inverse_hessian_.Multiply(gradient.data(), direction->data());
    Negate(*direction, direction);
  }

  bool IsScaled() const override { return is_scaled_; }

 private:
  LowRankInverseHessian inverse_hessian_;
  Secant secant_;
  bool is_scaled_ = false;
};

class Bfgs final : public SearchDirection {
 public:
  enum class Scaling { kNone, kFirstPair };

  Bfgs(int n, Scaling scaling)
      : inverse_hessian_(Eigen::MatrixXd::Identity(n, n)), scaling_(scaling) {}

  void Next(const Previous* previous, const Vector& gradient,
            Vector* direction) override {
    if (previous != nullptr) {
      secant_.Compute(*previous, gradient);
      Update();
    }
    const int n = static_cast<int>(gradient.size());
    Eigen::Map<Eigen::VectorXd>(direction->data(), n).noalias() =
        -inverse_hessian_ *
        Eigen::Map<const Eigen::VectorXd>(gradient.data(), n);
  }

  bool IsScaled() const override { return is_scaled_; }

 private:
  // H <- (I - rho s y') H (I - rho y s') + rho s s', multiplied out.
  void Update() {
    const int n = static_cast<int>(secant_.s.size());
    const Eigen::Map<const Eigen::VectorXd> s(secant_.s.data(), n);
    const Eigen::Map<const Eigen::VectorXd> y(secant_.y.data(), n);
    const double s_dot_y = s.dot(y);
    if (!HasCurvature(s_dot_y, s.norm(), y.norm())) {
      return;
    }
    // (6.20), before the first update.
    if (!is_scaled_ && scaling_ == Scaling::kFirstPair) {
      inverse_hessian_ *= s_dot_y / y.squaredNorm();
    }
    is_scaled_ = true;
    const double rho = 1.0 / s_dot_y;
    const Eigen::VectorXd h_y = inverse_hessian_ * y;
    const Eigen::VectorXd v =
        (0.5 * rho * (rho * y.dot(h_y) + 1.0)) * s - rho * h_y;
    // Symmetric to the last bit: both triangles add the same two products.
    inverse_hessian_ += s * v.transpose() + v * s.transpose();
  }

  Eigen::MatrixXd inverse_hessian_;
  const Scaling scaling_;
  Secant secant_;
  bool is_scaled_ = false;
};

}  // namespace

std::unique_ptr<SearchDirection> CreateSearchDirection(
    const MinimizerOptions& options, const Execution& execution, int n) {
  const bool scale = options.use_approximate_eigenvalue_bfgs_scaling;
  switch (options.line_search_direction_type) {
    case STEEPEST_DESCENT:
      break;
    case NONLINEAR_CONJUGATE_GRADIENT:
      return std::make_unique<ConjugateGradient>(
          options.nonlinear_conjugate_gradient_type, execution, n);
    case LBFGS:
      return std::make_unique<Lbfgs>(
          execution, n, options.max_lbfgs_rank,
          scale ? LowRankInverseHessian::Scaling::kNewestPair
                : LowRankInverseHessian::Scaling::kNone);
    case BFGS:
      return std::make_unique<Bfgs>(
          n, scale ? Bfgs::Scaling::kFirstPair : Bfgs::Scaling::kNone);
  }
  return std::make_unique<SteepestDescent>();
}

}  // namespace ceres::internal
