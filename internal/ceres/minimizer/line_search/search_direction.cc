// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/line_search/search_direction.h"

#include <algorithm>
#include <cmath>

#include "Eigen/Core"
#include "ceres/linear/vector_ops.h"
#include "ceres/minimizer/line_search/lbfgs.h"

namespace ceres::internal {
namespace {

using Vector = std::vector<double>;

void Negate(const Vector& x, Vector* minus_x) {
  for (size_t i = 0; i < x.size(); ++i) {
    (*minus_x)[i] = -x[i];
  }
}

// d_x = D x.
void Scale(const Vector& diagonal, const Vector& x, Vector* d_x) {
  *d_x = x;
  for (size_t i = 0; i < diagonal.size(); ++i) {
    (*d_x)[i] *= diagonal[i];
  }
}

const double* DataOrNull(const Vector& diagonal) {
  return diagonal.empty() ? nullptr : diagonal.data();
}

class SteepestDescent final : public SearchDirection {
 public:
  void Next(const Previous* /*previous*/, const Vector& gradient,
            const Vector& inverse_diagonal, Vector* direction) override {
    Scale(inverse_diagonal, gradient, direction);
    Negate(*direction, direction);
  }
};

class ConjugateGradient final : public SearchDirection {
 public:
  ConjugateGradient(NonlinearConjugateGradientType type,
                    const Execution& execution, int n)
      : type_(type), execution_(execution), n_(n), change_(n) {}

  void Next(const Previous* previous, const Vector& gradient,
            const Vector& inverse_diagonal, Vector* direction) override {
    Scale(inverse_diagonal, gradient, &scaled_);
    if (previous == nullptr) {
      Negate(scaled_, direction);
      return;
    }
    Axpby(execution_, n_, -1.0, scaled_.data(),
          Beta(*previous, gradient, inverse_diagonal),
          previous->direction.data(), direction->data());
    // Far from quadratic the directions lose descent: start over.
    if (!(Dot(gradient, *direction) < 0.0)) {
      Negate(scaled_, direction);
    }
  }

 private:
  double Dot(const Vector& x, const Vector& y) const {
    return internal::Dot(execution_, n_, x.data(), y.data());
  }

  // Reads scaled_ = D g.
  double Beta(const Previous& previous, const Vector& gradient,
              const Vector& inverse_diagonal) {
    Axpby(execution_, n_, 1.0, gradient.data(), -1.0, previous.gradient.data(),
          change_.data());
    Scale(inverse_diagonal, previous.gradient, &scaled_previous_);
    const double previous_square = Dot(previous.gradient, scaled_previous_);
    double beta = 0.0;
    switch (type_) {
      case FLETCHER_REEVES:
        beta = Dot(gradient, scaled_) / previous_square;
        break;
      case POLAK_RIBIERE:
        beta = std::max(0.0, Dot(scaled_, change_) / previous_square);
        break;
      case HESTENES_STIEFEL:
        beta = std::max(
            0.0, Dot(scaled_, change_) / Dot(previous.direction, change_));
        break;
    }
    return std::isfinite(beta) ? beta : 0.0;
  }

  const NonlinearConjugateGradientType type_;
  const Execution execution_;
  const int n_;
  Vector change_;
  Vector scaled_;           // D g
  Vector scaled_previous_;  // D g_previous
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
        InverseHessianScaling scaling)
      : inverse_hessian_(execution, n, rank, scaling) {}

  void Next(const Previous* previous, const Vector& gradient,
            const Vector& inverse_diagonal, Vector* direction) override {
    const double* diagonal = DataOrNull(inverse_diagonal);
    if (previous != nullptr) {
      secant_.Compute(*previous, gradient);
      is_scaled_ = inverse_hessian_.Update(secant_.s.data(), secant_.y.data(),
                                           diagonal) ||
                   is_scaled_;
    }
    inverse_hessian_.Multiply(gradient.data(), direction->data(), diagonal);
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
  Bfgs(const Execution& execution, int n, InverseHessianScaling scaling)
      : execution_(execution),
        inverse_hessian_(Eigen::MatrixXd::Identity(n, n)),
        scaling_(scaling) {}

  void Next(const Previous* previous, const Vector& gradient,
            const Vector& inverse_diagonal, Vector* direction) override {
    const int n = static_cast<int>(gradient.size());
    if (!is_scaled_ && !inverse_diagonal.empty()) {
      inverse_hessian_.diagonal() =
          Eigen::Map<const Eigen::VectorXd>(inverse_diagonal.data(), n);
    }
    if (previous != nullptr) {
      secant_.Compute(*previous, gradient);
      Update(DataOrNull(inverse_diagonal));
    }
    Eigen::Map<Eigen::VectorXd>(direction->data(), n).noalias() =
        -inverse_hessian_ *
        Eigen::Map<const Eigen::VectorXd>(gradient.data(), n);
  }

  bool IsScaled() const override { return is_scaled_; }

 private:
  // H <- (I - rho s y') H (I - rho y s') + rho s s', multiplied out.
  void Update(const double* diagonal) {
    const int n = static_cast<int>(secant_.s.size());
    const Eigen::Map<const Eigen::VectorXd> s(secant_.s.data(), n);
    const Eigen::Map<const Eigen::VectorXd> y(secant_.y.data(), n);
    const CurvaturePair products(execution_, n, s.data(), y.data(), diagonal);
    if (!products.HasCurvature()) {
      return;
    }
    if (!is_scaled_) {
      inverse_hessian_ *= products.InitialScale(scaling_, true, 1.0);
    }
    is_scaled_ = true;
    const double rho = 1.0 / products.s_dot_y;
    const Eigen::VectorXd h_y = inverse_hessian_ * y;
    const Eigen::VectorXd v =
        (0.5 * rho * (rho * y.dot(h_y) + 1.0)) * s - rho * h_y;
    // Symmetric to the last bit: both triangles add the same two products.
    inverse_hessian_ += s * v.transpose() + v * s.transpose();
  }

  const Execution execution_;
  Eigen::MatrixXd inverse_hessian_;
  const InverseHessianScaling scaling_;
  Secant secant_;
  bool is_scaled_ = false;
};

}  // namespace

std::unique_ptr<SearchDirection> CreateSearchDirection(
    const MinimizerOptions& options, const Execution& execution, int n) {
  const InverseHessianScaling scaling =
      options.use_approximate_eigenvalue_bfgs_scaling
          ? InverseHessianScaling::kNewestPair
          : InverseHessianScaling::kFirstPair;
  switch (options.line_search_direction_type) {
    case STEEPEST_DESCENT:
      break;
    case NONLINEAR_CONJUGATE_GRADIENT:
      return std::make_unique<ConjugateGradient>(
          options.nonlinear_conjugate_gradient_type, execution, n);
    case LBFGS:
      return std::make_unique<Lbfgs>(execution, n, options.max_lbfgs_rank,
                                     scaling);
    case BFGS:
      return std::make_unique<Bfgs>(execution, n, scaling);
  }
  return std::make_unique<SteepestDescent>();
}

}  // namespace ceres::internal
