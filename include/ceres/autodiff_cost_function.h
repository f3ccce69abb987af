// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_AUTODIFF_COST_FUNCTION_H_
#define CERES_PUBLIC_AUTODIFF_COST_FUNCTION_H_

// A cost function whose Jacobian is computed by automatic differentiation.

#include <memory>
#include <type_traits>
#include <utility>

#include "ceres/internal/autodiff.h"
#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/sized_cost_function.h"
#include "ceres/types.h"

namespace ceres {

// The cost function f(x_0, ..., x_{k-1}) that CostFunctor computes. It has
// kNumResiduals residuals and parameter blocks of sizes Ns.... If kNumResiduals
// is DYNAMIC, the constructor takes the number. The functor is written once,
// for any scalar type:
//
//   struct Distance {
//     template <typename T>
//     bool operator()(const T* x, const T* y, T* residuals) const {
//       residuals[0] = x[0] - y[0];
//       residuals[1] = x[1] - y[1];
//       return true;
//     }
//   };
//
//   CostFunction* f = new AutoDiffCostFunction<Distance, 2, 2, 2>(new
//   Distance);
//
// The functor takes one pointer per block, then one to the residuals. It
// returns false when f cannot be evaluated at the point. It is called with T =
// double when no Jacobian is wanted. Otherwise it is called once, for all
// blocks, with T = Jet<double, sum of Ns>. The Jacobian is exact up to
// rounding. Its cost grows with the sum of Ns.
//
// A residual that the functor does not write when it returns true becomes
// kImpossibleValue, and so does its row in every Jacobian; a solver then
// reports it.
//
// Thread safety: the functor is called from several threads at once.
template <typename CostFunctor, int kNumResiduals, int... Ns>
class AutoDiffCostFunction final
    : public SizedCostFunction<kNumResiduals, Ns...> {
 public:
  // Refers to *functor. Deletes it in the end unless ownership is
  // DO_NOT_TAKE_OWNERSHIP.
  explicit AutoDiffCostFunction(CostFunctor* functor,
                                Ownership ownership = TAKE_OWNERSHIP)
      : Base(ownership), functor_(functor) {
    static_assert(kNumResiduals != DYNAMIC,
                  "With DYNAMIC residuals, give their number to the "
                  "constructor.");
  }

  // Sets a number of residuals that is known at run time. If kNumResiduals is
  // not DYNAMIC, num_residuals must equal it. Ownership as above.
  AutoDiffCostFunction(CostFunctor* functor, int num_residuals,
                       Ownership ownership = TAKE_OWNERSHIP)
      : Base(ownership), functor_(functor) {
    if constexpr (kNumResiduals == DYNAMIC) {
      this->set_num_residuals(num_residuals);
    } else {
      internal::DebugCheckThat(num_residuals == kNumResiduals,
                               "The number of residuals differs from the "
                               "template argument.");
    }
  }

  // Takes ownership of the functor.
  explicit AutoDiffCostFunction(std::unique_ptr<CostFunctor> functor)
      : AutoDiffCostFunction(functor.release()) {}

  // Takes ownership of the functor and sets the number of residuals.
  AutoDiffCostFunction(std::unique_ptr<CostFunctor> functor, int num_residuals)
      : AutoDiffCostFunction(functor.release(), num_residuals) {}

  // Makes the functor from args.
  template <typename... Args,
            typename = std::enable_if_t<
                (kNumResiduals != DYNAMIC) &&
                std::is_constructible_v<CostFunctor, Args&&...>>>
  explicit AutoDiffCostFunction(Args&&... args)
      : AutoDiffCostFunction(
            std::make_unique<CostFunctor>(std::forward<Args>(args)...)) {}

  // The moved-from object may only be destroyed or assigned to.
  AutoDiffCostFunction(AutoDiffCostFunction&& other) noexcept
      : Base(std::move(other)),
        functor_(std::exchange(other.functor_, nullptr)) {}
  AutoDiffCostFunction& operator=(AutoDiffCostFunction&& other) noexcept {
    if (this != &other) {
      DeleteOwnFunctor();
      Base::operator=(std::move(other));
      functor_ = std::exchange(other.functor_, nullptr);
    }
    return *this;
  }
  AutoDiffCostFunction(const AutoDiffCostFunction& other) = delete;
  AutoDiffCostFunction& operator=(const AutoDiffCostFunction& other) = delete;
  ~AutoDiffCostFunction() override { DeleteOwnFunctor(); }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    using ParameterDims = typename Base::ParameterDims;
    if (!AnyWanted(jacobians)) {
      return ParameterDims::Call(*functor_, parameters, residuals);
    }
    return internal::AutoDifferentiate<kNumResiduals, ParameterDims>(
        *functor_, parameters, Base::num_residuals(), residuals, jacobians);
  }

  // The functor, which stays with this object.
  const CostFunctor& functor() const { return *functor_; }

 private:
  using Base = SizedCostFunction<kNumResiduals, Ns...>;

  // Not inlined: GCC 12 would warn that a functor on the stack, which is not
  // owned, is deleted.
  [[gnu::noinline]] void DeleteOwnFunctor() {
    if (Base::owns_functor()) delete functor_;
  }

  static bool AnyWanted(double* const* jacobians) {
    if (jacobians == nullptr) return false;
    for (size_t i = 0; i < sizeof...(Ns); ++i) {
      if (jacobians[i] != nullptr) return true;
    }
    return false;
  }

  CostFunctor* functor_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_AUTODIFF_COST_FUNCTION_H_
