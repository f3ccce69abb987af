// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_NUMERIC_DIFF_FIRST_ORDER_FUNCTION_H_
#define CERES_PUBLIC_NUMERIC_DIFF_FIRST_ORDER_FUNCTION_H_

// A function of several variables whose gradient is computed by finite
// differences.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "Eigen/Dense"      // Programs count on it.
#include "Eigen/StdVector"  // Programs count on it.
#include "ceres/first_order_function.h"
#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"  // Programs count on it.
#include "ceres/internal/functor_pointer.h"
#include "ceres/internal/numeric_diff.h"
#include "ceres/internal/small_buffer.h"
#include "ceres/jet_fwd.h"  // Programs count on it.
#include "ceres/numeric_diff_options.h"
#include "ceres/types.h"

namespace ceres {

// The function R^n -> R that FirstOrderFunctor computes,
//
//   struct Quadratic {
//     bool operator()(const double* x, double* cost) const;
//   };
//
//   FirstOrderFunction* f =
//       new NumericDiffFirstOrderFunction<Quadratic, CENTRAL, 4>(
//           new Quadratic);
//
// with n = kNumParameters. If kNumParameters is DYNAMIC, the constructor takes
// n. The functor returns false when it cannot be evaluated at the point. See
// NumericDiffCostFunction for the methods, and for when Evaluate returns false.
//
// Thread safety: the functor is called from several threads at once.
template <typename FirstOrderFunctor, NumericDiffMethodType kMethod,
          int kNumParameters = DYNAMIC>
class NumericDiffFirstOrderFunction final : public FirstOrderFunction {
 public:
  static_assert(kNumParameters > 0 || kNumParameters == DYNAMIC,
                "The number of parameters must be positive or ceres::DYNAMIC.");

  // For a number of parameters that is known at compile time. Refers to
  // *functor. Deletes it in the end unless ownership is DO_NOT_TAKE_OWNERSHIP.
  explicit NumericDiffFirstOrderFunction(
      FirstOrderFunctor* functor, Ownership ownership = TAKE_OWNERSHIP,
      const NumericDiffOptions& options = NumericDiffOptions())
      : NumericDiffFirstOrderFunction(
            internal::MakeFunctorPointer(functor, ownership), options) {}

  // Takes ownership of the functor.
  explicit NumericDiffFirstOrderFunction(
      std::unique_ptr<FirstOrderFunctor> functor,
      const NumericDiffOptions& options = NumericDiffOptions())
      : NumericDiffFirstOrderFunction(functor.release(), TAKE_OWNERSHIP,
                                      options) {}

  // Makes the functor from args.
  template <class... Args,
            typename = std::enable_if_t<
                (kNumParameters != DYNAMIC) &&
                std::is_constructible_v<FirstOrderFunctor, Args&&...>>>
  explicit NumericDiffFirstOrderFunction(Args&&... args)
      : NumericDiffFirstOrderFunction(
            std::make_unique<FirstOrderFunctor>(std::forward<Args>(args)...)) {}

  // With a number of parameters that is known at run time, and positive. When
  // kNumParameters is not DYNAMIC, it must equal num_parameters.
  explicit NumericDiffFirstOrderFunction(
      FirstOrderFunctor* functor, int num_parameters,
      Ownership ownership = TAKE_OWNERSHIP,
      const NumericDiffOptions& options = NumericDiffOptions())
      : functor_(internal::MakeFunctorPointer(functor, ownership)),
        num_parameters_(num_parameters),
        options_(options) {
    internal::CheckThat(
        num_parameters > 0 &&
            (kNumParameters == DYNAMIC || num_parameters == kNumParameters),
        "NumericDiffFirstOrderFunction: the number of parameters must be "
        "positive, and that of the type unless this is DYNAMIC; it is ",
        num_parameters, ".");
  }

  // The unique_ptr cannot keep what it pointed at when ownership is
  // DO_NOT_TAKE_OWNERSHIP: the functor is then never deleted.
  explicit NumericDiffFirstOrderFunction(
      std::unique_ptr<FirstOrderFunctor> functor, int num_parameters,
      Ownership ownership = TAKE_OWNERSHIP,
      const NumericDiffOptions& options = NumericDiffOptions())
      : NumericDiffFirstOrderFunction(functor.release(), num_parameters,
                                      ownership, options) {}

  // The moved-from object may only be destroyed or assigned to.
  NumericDiffFirstOrderFunction(
      NumericDiffFirstOrderFunction&& other) noexcept = default;
  NumericDiffFirstOrderFunction& operator=(
      NumericDiffFirstOrderFunction&& other) noexcept = default;
  NumericDiffFirstOrderFunction(const NumericDiffFirstOrderFunction&) = delete;
  NumericDiffFirstOrderFunction& operator=(
      const NumericDiffFirstOrderFunction&) = delete;
  ~NumericDiffFirstOrderFunction() override = default;

  bool Evaluate(const double* const parameters, double* cost,
                double* gradient) const override {
    if (!(*functor_)(parameters, cost)) return false;
    if (gradient == nullptr) return true;

    // Coordinates are moved in a copy.
    constexpr std::size_t kNumOnStack = 64;
    internal::SmallBuffer<double, kNumOnStack> x(num_parameters_);
    std::copy_n(parameters, num_parameters_, x.data());
    const auto evaluate = [&](double* cost_at_x) {
      return (*functor_)(static_cast<const double*>(x.data()), cost_at_x);
    };
    // The gradient is the Jacobian of one residual.
    internal::FiniteDifferences<kMethod, 1, decltype(evaluate)> differences(
        evaluate, 1, cost, options_);
    return differences.WriteJacobian(x.data(), num_parameters_, gradient);
  }

  int NumParameters() const override { return num_parameters_; }

  // The functor, which stays with this object.
  const FirstOrderFunctor& functor() const { return *functor_; }

 private:
  NumericDiffFirstOrderFunction(
      internal::FunctorPointer<FirstOrderFunctor> functor,
      const NumericDiffOptions& options)
      : functor_(std::move(functor)),
        num_parameters_(kNumParameters),
        options_(options) {
    static_assert(kNumParameters != DYNAMIC,
                  "With DYNAMIC parameters, give their number to the "
                  "constructor.");
  }

  internal::FunctorPointer<FirstOrderFunctor> functor_;
  int num_parameters_;
  NumericDiffOptions options_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_NUMERIC_DIFF_FIRST_ORDER_FUNCTION_H_
