// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_AUTODIFF_FIRST_ORDER_FUNCTION_H_
#define CERES_PUBLIC_AUTODIFF_FIRST_ORDER_FUNCTION_H_

// A function of several variables whose gradient is computed by automatic
// differentiation.

#include <memory>
#include <type_traits>
#include <utility>

#include "ceres/first_order_function.h"
#include "ceres/internal/autodiff.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/functor_pointer.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/types.h"

namespace ceres {

// The function R^kNumParameters -> R that FirstOrderFunctor computes:
//
//   struct Quadratic {
//     template <typename T>
//     bool operator()(const T* x, T* cost) const {
//       cost[0] = x[0] * x[0] + x[1] * x[1];
//       return true;
//     }
//   };
//
//   FirstOrderFunction* f =
//       new AutoDiffFirstOrderFunction<Quadratic, 2>(new Quadratic);
//
// The functor returns false when it cannot be evaluated at the point. It is
// called with T = double when no gradient is wanted, and otherwise once with T
// = Jet<double, kNumParameters>.
//
// Thread safety: the functor is called from several threads at once.
template <typename FirstOrderFunctor, int kNumParameters>
class AutoDiffFirstOrderFunction final : public FirstOrderFunction {
 public:
  static_assert(kNumParameters > 0,
                "The number of parameters must be positive.");

  // Refers to *functor. Deletes it in the end unless ownership is
  // DO_NOT_TAKE_OWNERSHIP.
  explicit AutoDiffFirstOrderFunction(FirstOrderFunctor* functor,
                                      Ownership ownership = TAKE_OWNERSHIP)
      : functor_(internal::MakeFunctorPointer(functor, ownership)) {}

  // Takes ownership of the functor.
  explicit AutoDiffFirstOrderFunction(
      std::unique_ptr<FirstOrderFunctor> functor)
      : AutoDiffFirstOrderFunction(functor.release()) {}

  // Makes the functor from args.
  template <typename... Args,
            typename = std::enable_if_t<
                std::is_constructible_v<FirstOrderFunctor, Args&&...>>>
  explicit AutoDiffFirstOrderFunction(Args&&... args)
      : AutoDiffFirstOrderFunction(
            std::make_unique<FirstOrderFunctor>(std::forward<Args>(args)...)) {}

  // The moved-from object may only be destroyed or assigned to.
  AutoDiffFirstOrderFunction(AutoDiffFirstOrderFunction&& other) noexcept =
      default;
  AutoDiffFirstOrderFunction& operator=(
      AutoDiffFirstOrderFunction&& other) noexcept = default;
  AutoDiffFirstOrderFunction(const AutoDiffFirstOrderFunction&) = delete;
  AutoDiffFirstOrderFunction& operator=(const AutoDiffFirstOrderFunction&) =
      delete;
  ~AutoDiffFirstOrderFunction() override = default;

  bool Evaluate(const double* const parameters, double* cost,
                double* gradient) const override {
    if (gradient == nullptr) return (*functor_)(parameters, cost);
    // The gradient is the Jacobian of one residual.
    return internal::AutoDifferentiate<
        1, internal::StaticParameterDims<kNumParameters>>(
        *functor_, &parameters, 1, cost, &gradient);
  }

  int NumParameters() const override { return kNumParameters; }

  // The functor, which stays with this object.
  const FirstOrderFunctor& functor() const { return *functor_; }

 private:
  internal::FunctorPointer<FirstOrderFunctor> functor_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_AUTODIFF_FIRST_ORDER_FUNCTION_H_
