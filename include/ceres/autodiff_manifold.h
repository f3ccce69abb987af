// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_AUTODIFF_MANIFOLD_H_
#define CERES_PUBLIC_AUTODIFF_MANIFOLD_H_

// A manifold whose Jacobians are computed by automatic differentiation.

#include <algorithm>
#include <array>
#include <memory>

#include "ceres/internal/disable_warnings.h"
#include "ceres/jet.h"
#include "ceres/manifold.h"

namespace ceres {

namespace internal {

// A functor's Plus and Minus as functors of their own, with the scalar type of
// all arguments deduced alike. Refer to the functor.
template <typename Functor>
struct PlusWrapper {
  explicit PlusWrapper(const Functor& functor) : functor(functor) {}

  template <typename T>
  bool operator()(const T* x, const T* delta, T* x_plus_delta) const {
    return functor.Plus(x, delta, x_plus_delta);
  }

  const Functor& functor;
};

template <typename Functor>
struct MinusWrapper {
  explicit MinusWrapper(const Functor& functor) : functor(functor) {}

  template <typename T>
  bool operator()(const T* y, const T* x, T* y_minus_x) const {
    return functor.Minus(y, x, y_minus_x);
  }

  const Functor& functor;
};

}  // namespace internal

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
// For Plus and Minus the functor is called with T = double; for their Jacobians
// once with Jets in delta (at delta = 0) or in y (at y = x), where it must be
// differentiable: beware of the square root of zero.
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
    std::array<double, kTangentSize> zero{};
    const auto x_jets = Constants<JetT, kAmbientSize>(x);
    const auto delta = Variables<JetT, kTangentSize>(zero.data());
    return Differentiate<JetT, kAmbientSize, kTangentSize>(
        internal::PlusWrapper<Functor>(*functor_), x_jets.data(), delta.data(),
        jacobian);
  }

  bool Minus(const double* y, const double* x,
             double* y_minus_x) const override {
    return functor_->Minus(y, x, y_minus_x);
  }

  bool MinusJacobian(const double* x, double* jacobian) const override {
    using JetT = Jet<double, kAmbientSize>;
    const auto y_jets = Variables<JetT, kAmbientSize>(x);
    const auto x_jets = Constants<JetT, kAmbientSize>(x);
    return Differentiate<JetT, kTangentSize, kAmbientSize>(
        internal::MinusWrapper<Functor>(*functor_), y_jets.data(),
        x_jets.data(), jacobian);
  }

  const Functor& functor() const { return *functor_; }

 private:
  template <typename JetT, int kSize>
  static std::array<JetT, kSize> Constants(const double* values) {
    std::array<JetT, kSize> jets;
    for (int i = 0; i < kSize; ++i) jets[i] = JetT(values[i]);
    return jets;
  }

  template <typename JetT, int kSize>
  static std::array<JetT, kSize> Variables(const double* values) {
    std::array<JetT, kSize> jets;
    for (int i = 0; i < kSize; ++i) jets[i] = JetT(values[i], i);
    return jets;
  }

  template <typename JetT, int kNumRows, int kNumCols, typename F>
  static bool Differentiate(const F& f, const JetT* a, const JetT* b,
                            double* jacobian) {
    std::array<JetT, kNumRows> values;
    if (!f(a, b, values.data())) return false;
    for (int row = 0; row < kNumRows; ++row) {
      std::copy_n(values[row].v.data(), kNumCols, jacobian + row * kNumCols);
    }
    return true;
  }

  std::unique_ptr<Functor> functor_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_AUTODIFF_MANIFOLD_H_
