// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_NUMERIC_DIFF_COST_FUNCTION_H_
#define CERES_PUBLIC_NUMERIC_DIFF_COST_FUNCTION_H_

// A cost function whose Jacobian is computed by finite differences.

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

#include "Eigen/Dense"      // Programs count on it.
#include "Eigen/StdVector"  // Programs count on it.
#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"  // Programs count on it.
#include "ceres/internal/functor_pointer.h"
#include "ceres/internal/numeric_diff.h"
#include "ceres/internal/small_buffer.h"
#include "ceres/jet_fwd.h"  // Programs count on it.
#include "ceres/numeric_diff_options.h"
#include "ceres/sized_cost_function.h"
#include "ceres/types.h"

namespace ceres {

// The cost function that CostFunctor computes, with kNumResiduals residuals and
// parameter blocks of sizes Ns.... If kNumResiduals is DYNAMIC, the constructor
// takes the number. CostFunctor is either a functor of doubles,
//
//   struct Distance {
//     bool operator()(const double* x, const double* y, double* residuals)
//         const;
//   };
//   CostFunction* f =
//       new NumericDiffCostFunction<Distance, CENTRAL, 2, 2, 2>(new Distance);
//
// with one pointer per block and then one to the residuals, or a class derived
// from CostFunction. The residuals of such a class are differentiated; its own
// Jacobians are not used. The functor returns false when it cannot be evaluated
// at the point.
//
// kMethod is the formula of column j of the Jacobian. h depends on
// NumericDiffOptions, and e_j is a unit vector:
//
//   FORWARD   (f(x + h e_j) - f(x)) / h, one evaluation; fast and coarse.
//   CENTRAL   (f(x + h e_j) - f(x - h e_j)) / (2 h), two evaluations.
//   RIDDERS   central differences extrapolated to h = 0, up to
//             2 max_num_ridders_extrapolations evaluations; accurate.
//
// Coordinates are ambient: on a manifold, f must be defined near it. If a
// functor can be written as a template, use AutoDiffCostFunction, which is
// exact and faster.
//
// Near the end of its domain, the functor may return false or give values that
// are not finite on one side of a coordinate. The difference then is one-sided
// (internal/numeric_diff.h). Evaluate returns false if the functor returns
// false at the point, or has values neither above nor below it.
//
// Thread safety: the functor is called from several threads at once.
template <typename CostFunctor, NumericDiffMethodType kMethod = CENTRAL,
          int kNumResiduals = 0, int... Ns>
class NumericDiffCostFunction final
    : public SizedCostFunction<kNumResiduals, Ns...> {
 public:
  // Refers to *functor. Deletes it in the end unless ownership is
  // DO_NOT_TAKE_OWNERSHIP. If kNumResiduals is DYNAMIC, num_residuals is the
  // number of residuals and must not be negative. Otherwise it must equal
  // kNumResiduals.
  explicit NumericDiffCostFunction(
      CostFunctor* functor, Ownership ownership = TAKE_OWNERSHIP,
      int num_residuals = kNumResiduals,
      const NumericDiffOptions& options = NumericDiffOptions())
      : functor_(internal::MakeFunctorPointer(functor, ownership)),
        options_(options) {
    if constexpr (kNumResiduals == DYNAMIC) {
      internal::CheckThat(num_residuals >= 0,
                          "A NumericDiffCostFunction with DYNAMIC residuals "
                          "needs their number; it was given ",
                          num_residuals, ".");
      this->set_num_residuals(num_residuals);
    } else {
#ifndef NDEBUG
      internal::CheckThat(num_residuals == kNumResiduals,
                          "The number of residuals, ", num_residuals,
                          ", differs from the template argument, ",
                          kNumResiduals, ".");
#endif
    }
  }

  // Takes ownership of the functor. num_residuals as above.
  explicit NumericDiffCostFunction(
      std::unique_ptr<CostFunctor> functor, int num_residuals = kNumResiduals,
      const NumericDiffOptions& options = NumericDiffOptions())
      : NumericDiffCostFunction(functor.release(), TAKE_OWNERSHIP,
                                num_residuals, options) {}

  // Makes the functor from args.
  template <class... Args, typename = std::enable_if_t<
                               (kNumResiduals != DYNAMIC) &&
                               std::is_constructible_v<CostFunctor, Args&&...>>>
  explicit NumericDiffCostFunction(Args&&... args)
      : NumericDiffCostFunction(
            std::make_unique<CostFunctor>(std::forward<Args>(args)...)) {}

  // The moved-from object may only be destroyed or assigned to.
  NumericDiffCostFunction(NumericDiffCostFunction&& other) noexcept = default;
  NumericDiffCostFunction& operator=(NumericDiffCostFunction&& other) noexcept =
      default;
  NumericDiffCostFunction(const NumericDiffCostFunction&) = delete;
  NumericDiffCostFunction& operator=(const NumericDiffCostFunction&) = delete;
  ~NumericDiffCostFunction() override = default;

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    if (!internal::EvaluateResiduals<ParameterDims>(*functor_, parameters,
                                                    residuals)) {
      return false;
    }
    if (jacobians == nullptr) return true;

    // Coordinates are moved in a copy.
    constexpr int kMaxNumOnStack = 64;
    internal::SmallBuffer<double, kMaxNumOnStack> copy(
        ParameterDims::kNumParameters);
    const auto blocks = ParameterDims::SplitIntoBlocks(copy.data());
    const auto evaluate = [&](double* r) {
      return internal::EvaluateResiduals<ParameterDims>(*functor_,
                                                        blocks.data(), r);
    };
    internal::FiniteDifferences<kMethod, kNumResiduals, decltype(evaluate)>
        differences(evaluate, this->num_residuals(), residuals, options_);
    for (int i = 0; i < ParameterDims::kNumParameterBlocks; ++i) {
      std::copy_n(parameters[i], ParameterDims::SizeOf(i), blocks[i]);
    }
    for (int i = 0; i < ParameterDims::kNumParameterBlocks; ++i) {
      if (jacobians[i] != nullptr &&
          !differences.WriteJacobian(blocks[i], ParameterDims::SizeOf(i),
                                     jacobians[i])) {
        return false;
      }
    }
    return true;
  }

  // The functor, which stays with this object.
  const CostFunctor& functor() const { return *functor_; }

 private:
  using ParameterDims =
      typename SizedCostFunction<kNumResiduals, Ns...>::ParameterDims;

  internal::FunctorPointer<CostFunctor> functor_;
  NumericDiffOptions options_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_NUMERIC_DIFF_COST_FUNCTION_H_
