// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_AUTODIFF_MANIFOLD_H_
#define CERES_PUBLIC_AUTODIFF_MANIFOLD_H_

// A manifold whose Jacobians are computed by automatic differentiation.

#include <algorithm>
#include <array>
#include <memory>

#include "ceres/cost_function.h"  // Programs count on it.
#include "ceres/internal/disable_warnings.h"
#include "ceres/jet.h"
#include "ceres/manifold.h"

namespace ceres {

// The manifold that Functor describes, of kAmbientSize coordinates and
// kTangentSize degrees of freedom:
//
//   struct Euclidean3 {
//     template <typename T>
//     bool Plus(const T* x, const T* delta, T* x_plus_delta) const {
//       for (int i = 0; i < 3; ++i) x_plus_delta[i] = x[i] + delta[i];
//       return true;
//     }
//     template <typename T>
//     bool Minus(const T* y, const T* x, T* y_minus_x) const {
//       for (int i = 0; i < 3; ++i) y_minus_x[i] = y[i] - x[i];
//       return true;
//     }
//   };
//
//   using Manifold3 = AutoDiffManifold<Euclidean3, 3, 3>;
//
// The functor is called with T = double for Plus and Minus. For their Jacobians
// it is called once with Jets in delta (at delta = 0) or in y (at y = x), and
// must be differentiable there: beware of the square root of zero.
//
// Thread safety: the functor is called from several threads at once.
template <typename Functor, int kAmbientSize, int kTangentSize>
class AutoDiffManifold final : public Manifold {
 public:
  // Default-constructs the functor.
  AutoDiffManifold() : functor_(std::make_unique<Functor>()) {}

  // Takes ownership of functor.
  explicit AutoDiffManifold(Functor* functor) : functor_(functor) {}

  int AmbientSize() const override { return kAmbientSize; }
  int TangentSize() const override { return kTangentSize; }

  bool Plus(const double* x, const double* delta,
            double* x_plus_delta) const override {
    return functor_->Plus(x, delta, x_plus_delta);
  }

  bool PlusJacobian(const double* x, double* jacobian) const override {
    using JetT = Jet<double, kTangentSize>;
    const auto constant_x = Constants<JetT, kAmbientSize>(x);
    const auto plus = [&](const JetT* delta, JetT* x_plus_delta) {
      return functor_->Plus(constant_x.data(), delta, x_plus_delta);
    };
    const std::array<double, kTangentSize> zero{};
    return Differentiate<JetT, kAmbientSize>(plus, zero.data(), jacobian);
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    return functor_->Minus(y, x, y_minus_x);
  }

  bool MinusJacobian(const double* x, double* jacobian) const override {
    using JetT = Jet<double, kAmbientSize>;
    const auto constant_x = Constants<JetT, kAmbientSize>(x);
    const auto minus_x = [&](const JetT* y, JetT* y_minus_x) {
      return functor_->Minus(y, constant_x.data(), y_minus_x);
    };
    return Differentiate<JetT, kTangentSize>(minus_x, x, jacobian);
  }

  // The functor, which stays with this object.
  const Functor& functor() const { return *functor_; }

 private:
  template <typename JetT, int kSize>
  static std::array<JetT, kSize> Constants(const double* values) {
    std::array<JetT, kSize> jets;
    for (int i = 0; i < kSize; ++i) jets[i] = JetT(values[i]);
    return jets;
  }

  // The Jacobian of f, which has kNumRows values, at `point`.
  template <typename JetT, int kNumRows, typename F>
  static bool Differentiate(const F& f, const double* point, double* jacobian) {
    constexpr int kNumCols = JetT::DIMENSION;
    std::array<JetT, kNumCols> variables;
    for (int c = 0; c < kNumCols; ++c) variables[c] = JetT(point[c], c);
    std::array<JetT, kNumRows> values;
    if (!f(variables.data(), values.data())) return false;
    for (const JetT& value : values) {
      jacobian = std::copy_n(value.v.data(), kNumCols, jacobian);
    }
    return true;
  }

  std::unique_ptr<Functor> functor_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_AUTODIFF_MANIFOLD_H_
