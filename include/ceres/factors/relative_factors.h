// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_RELATIVE_FACTORS_H_
#define CERES_PUBLIC_FACTORS_RELATIVE_FACTORS_H_

#include <algorithm>
#include <type_traits>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/similarity_group.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_cost_function.h"

namespace ceres {
namespace internal {

// Whether closed forms of the Jacobians of factors of the group take less than
// a third of the instructions of automatic derivatives
// (scripts/factor_instructions.sh).
template <typename Group>
inline constexpr bool kHasFastJacobians =
    std::is_same_v<Group, factors::SE3> ||
    std::is_same_v<Group, factors::EigenSE3>;

}  // namespace internal

namespace factors {

// The measured element z of a group, W Log(z^-1 x). One block: x. W is the
// square root information of the tangent, whose order is that of the group.
template <typename Group>
class PriorFactor {
 public:
  // The number of residuals.
  static constexpr int kSize = Group::kTangentSize;
  // W: kSize x kSize.
  using Matrix = Eigen::Matrix<double, kSize, kSize>;

  // Copies the kAmbientSize numbers of `measured`.
  PriorFactor(const double* measured, const Matrix& square_root_information)
      : W_(square_root_information) {
    std::copy_n(measured, Group::kAmbientSize, measured_);
  }

  // A cost function for Problem::AddResidualBlock, which takes it over.
  static CostFunction* Create(const double* measured,
                              const Matrix& square_root_information) {
    if constexpr (internal::kHasFastJacobians<Group>) {
      return new internal::FactorCostFunction<PriorFactor, kSize,
                                              Group::kAmbientSize>(
          PriorFactor(measured, square_root_information));
    } else {
      return new AutoDiffCostFunction<PriorFactor, kSize, Group::kAmbientSize>(
          new PriorFactor(measured, square_root_information));
    }
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* x, T* residuals) const {
    T measured[Group::kAmbientSize];
    internal::Convert(measured_, Group::kAmbientSize, measured);
    T error[kSize];
    Group::Minus(x, measured, error);
    internal::Whiten(W_, error, residuals);
    return true;
  }

  // The residuals and their Jacobians, as CostFunction::Evaluate:
  // d Log(z^-1 x Exp(d)) = J_r^-1(Log(z^-1 x)) d.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const {
    double error[kSize];
    Group::Minus(parameters[0], measured_, error);
    internal::Whiten(W_, error, residuals);
    if (jacobians == nullptr || jacobians[0] == nullptr) return true;
    RowMajor J;
    Group::RightJacobianInverse(error, J.data());
    const RowMajor by_tangent = W_ * J;
    Group::RightMultiplyByMinusJacobian(parameters[0], kSize, by_tangent.data(),
                                        jacobians[0]);
    return true;
  }

 private:
  using RowMajor = Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor>;

  double measured_[Group::kAmbientSize];
  Matrix W_;
};

// The measured element z of a group between a and b, that is b seen from a:
// W Log(z^-1 a^-1 b). Two blocks: a, b. W is the square root information of the
// tangent, whose order is that of the group. Odometry and loop closures are
// such factors. Between scalars and vectors use a functor of your own.
template <typename Group>
class BetweenFactor {
 public:
  // The number of residuals.
  static constexpr int kSize = Group::kTangentSize;
  // W: kSize x kSize.
  using Matrix = Eigen::Matrix<double, kSize, kSize>;

  // Copies the kAmbientSize numbers of `measured`.
  BetweenFactor(const double* measured, const Matrix& square_root_information)
      : W_(square_root_information) {
    std::copy_n(measured, Group::kAmbientSize, measured_);
  }

  // A cost function for Problem::AddResidualBlock, which takes it over.
  static CostFunction* Create(const double* measured,
                              const Matrix& square_root_information) {
    constexpr int kAmbient = Group::kAmbientSize;
    if constexpr (internal::kHasFastJacobians<Group>) {
      return new internal::FactorCostFunction<BetweenFactor, kSize, kAmbient,
                                              kAmbient>(
          BetweenFactor(measured, square_root_information));
    } else {
      return new AutoDiffCostFunction<BetweenFactor, kSize, kAmbient, kAmbient>(
          new BetweenFactor(measured, square_root_information));
    }
  }

  // The residuals.
  template <typename T>
  bool operator()(const T* a, const T* b, T* residuals) const {
    T measured[Group::kAmbientSize];
    internal::Convert(measured_, Group::kAmbientSize, measured);
    T between[Group::kAmbientSize];
    T error[kSize];
    Group::Between(a, b, between);
    Group::Minus(between, measured, error);
    internal::Whiten(W_, error, residuals);
    return true;
  }

  // The residuals and their Jacobians, as CostFunction::Evaluate. With the
  // error e, b Exp(d) changes e by J_r^-1(e) d. Since (a Exp(d))^-1 b =
  // a^-1 b Exp(-Adjoint(b^-1 a) d), a Exp(d) changes it by
  // -J_r^-1(e) Adjoint(b^-1 a) d.
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const {
    double between[Group::kAmbientSize];
    double error[kSize];
    Group::Between(parameters[0], parameters[1], between);
    Group::Minus(between, measured_, error);
    internal::Whiten(W_, error, residuals);
    if (jacobians == nullptr) return true;
    RowMajor J;
    Group::RightJacobianInverse(error, J.data());
    const RowMajor by_b = W_ * J;
    if (jacobians[0] != nullptr) {
      double back[Group::kAmbientSize];
      RowMajor adjoint;
      Group::Inverse(between, back);
      Group::Adjoint(back, adjoint.data());
      const RowMajor by_a = -by_b * adjoint;
      Group::RightMultiplyByMinusJacobian(parameters[0], kSize, by_a.data(),
                                          jacobians[0]);
    }
    if (jacobians[1] != nullptr) {
      Group::RightMultiplyByMinusJacobian(parameters[1], kSize, by_b.data(),
                                          jacobians[1]);
    }
    return true;
  }

 private:
  using RowMajor = Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor>;

  double measured_[Group::kAmbientSize];
  Matrix W_;
};

}  // namespace factors
}  // namespace ceres

#endif  // CERES_PUBLIC_FACTORS_RELATIVE_FACTORS_H_
