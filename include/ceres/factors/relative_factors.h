// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_RELATIVE_FACTORS_H_
#define CERES_PUBLIC_FACTORS_RELATIVE_FACTORS_H_

#include <algorithm>
#include <string>

#include "Eigen/Core"
#include "ceres/autodiff_cost_function.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/similarity_group.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/factors/square_root_information.h"
#include "ceres/internal/factor_cost_function.h"
#include "ceres/internal/factor_data.h"

namespace ceres::factors {

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

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(const double* measured,
                              const Matrix& square_root_information,
                              std::string* error = nullptr) {
    if (!internal::FactorData("PriorFactor")
             .template Element<Group>("measured", measured)
             .FiniteMatrix("square_root_information", square_root_information)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<PriorFactor, kSize, Group::kAmbientSize>(
        new PriorFactor(measured, square_root_information));
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

 private:
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

  // A cost function for Problem::AddResidualBlock, which takes it over. Null if
  // the data are not valid: `error` says why, or the log if it is null.
  static CostFunction* Create(const double* measured,
                              const Matrix& square_root_information,
                              std::string* error = nullptr) {
    if (!internal::FactorData("BetweenFactor")
             .template Element<Group>("measured", measured)
             .FiniteMatrix("square_root_information", square_root_information)
             .IsValid(error)) {
      return nullptr;
    }
    return new AutoDiffCostFunction<BetweenFactor, kSize, Group::kAmbientSize,
                                    Group::kAmbientSize>(
        new BetweenFactor(measured, square_root_information));
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

  // The measured element: kAmbientSize numbers.
  const double* measured() const { return measured_; }
  // W.
  const Matrix& square_root_information() const { return W_; }

 private:
  double measured_[Group::kAmbientSize];
  Matrix W_;
};

}  // namespace ceres::factors

#endif  // CERES_PUBLIC_FACTORS_RELATIVE_FACTORS_H_
