// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_AUTODIFF_LOCAL_PARAMETERIZATION_H_
#define CERES_PUBLIC_AUTODIFF_LOCAL_PARAMETERIZATION_H_

// For programs written for versions 1.14 to 2.1 of the API; new ones should use
// ceres/autodiff_manifold.h.

#include <array>
#include <memory>

#include "ceres/cost_function.h"  // Programs count on it.
#include "ceres/internal/autodiff.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/local_parameterization.h"

namespace ceres {

// A parameterization whose Jacobian is computed by automatic differentiation of
//
//   template <typename T>
//   bool Functor::operator()(const T* x, const T* delta, T* x_plus_delta)
//   const;
//
// Thread safety: the functor is called from several threads at once.
template <typename Functor, int kGlobalSize, int kLocalSize>
class AutoDiffLocalParameterization : public LocalParameterization {
 public:
  // Default-constructs the functor.
  AutoDiffLocalParameterization() : functor_(std::make_unique<Functor>()) {}

  // Takes ownership of functor.
  explicit AutoDiffLocalParameterization(Functor* functor)
      : functor_(functor) {}

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return (*functor_)(x, delta, x_plus_delta);
  }

  bool ComputeJacobian(const double* x, double* jacobian) const override {
    const std::array<double, kLocalSize> zero{};
    const double* parameters[2] = {x, zero.data()};
    double* jacobians[2] = {nullptr, jacobian};
    std::array<double, kGlobalSize> x_plus_zero;
    using Sizes = internal::StaticParameterDims<kGlobalSize, kLocalSize>;
    return internal::AutoDifferentiate<kGlobalSize, Sizes>(
        *functor_, parameters, kGlobalSize, x_plus_zero.data(), jacobians);
  }

  int GlobalSize() const override { return kGlobalSize; }
  int LocalSize() const override { return kLocalSize; }

  // The functor, which stays with this object.
  const Functor& functor() const { return *functor_; }

 private:
  std::unique_ptr<Functor> functor_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_AUTODIFF_LOCAL_PARAMETERIZATION_H_
