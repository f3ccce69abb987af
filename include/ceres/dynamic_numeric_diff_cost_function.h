// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_DYNAMIC_NUMERIC_DIFF_COST_FUNCTION_H_
#define CERES_PUBLIC_DYNAMIC_NUMERIC_DIFF_COST_FUNCTION_H_

// Numeric differentiation of cost functions whose sizes are known at run time
// only.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "Eigen/Dense"      // Programs count on it.
#include "Eigen/StdVector"  // Programs count on it.
#include "ceres/dynamic_cost_function.h"
#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"  // Programs count on it.
#include "ceres/internal/functor_pointer.h"
#include "ceres/internal/numeric_diff.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/internal/small_buffer.h"
#include "ceres/jet_fwd.h"  // Programs count on it.
#include "ceres/numeric_diff_options.h"
#include "ceres/types.h"

namespace ceres {

// The cost function that CostFunctor computes, with any number of parameter
// blocks of any sizes. CostFunctor is a class derived from CostFunction, or
//
//   struct MyFunctor {
//     bool operator()(double const* const* parameters, double* residuals)
//         const {
//       // parameters[i][j] is value j of block i.
//     }
//   };
//
//   auto* f = new DynamicNumericDiffCostFunction<MyFunctor>(new MyFunctor);
//   f->AddParameterBlock(5);
//   f->AddParameterBlock(10);
//   f->SetNumResiduals(21);
//
// See NumericDiffCostFunction for the methods, their cost, and when Evaluate
// returns false. Evaluate stops the program if the number of residuals has not
// been set or there is no parameter block.
//
// Thread safety: the functor is called from several threads at once.
template <typename CostFunctor, NumericDiffMethodType kMethod = CENTRAL>
class DynamicNumericDiffCostFunction final : public DynamicCostFunction {
 public:
  // Refers to *functor. Deletes it in the end unless ownership is
  // DO_NOT_TAKE_OWNERSHIP.
  explicit DynamicNumericDiffCostFunction(
      const CostFunctor* functor, Ownership ownership = TAKE_OWNERSHIP,
      const NumericDiffOptions& options = NumericDiffOptions())
      : functor_(internal::MakeFunctorPointer(functor, ownership)),
        options_(options) {}

  // Takes ownership of the functor.
  explicit DynamicNumericDiffCostFunction(
      std::unique_ptr<const CostFunctor> functor,
      const NumericDiffOptions& options = NumericDiffOptions())
      : DynamicNumericDiffCostFunction(functor.release(), TAKE_OWNERSHIP,
                                       options) {}

  // Makes the functor from args.
  template <class... Args, typename = std::enable_if_t<
                               std::is_constructible_v<CostFunctor, Args&&...>>>
  explicit DynamicNumericDiffCostFunction(Args&&... args)
      : DynamicNumericDiffCostFunction(
            std::make_unique<CostFunctor>(std::forward<Args>(args)...)) {}

  // The moved-from object may only be destroyed or assigned to.
  DynamicNumericDiffCostFunction(
      DynamicNumericDiffCostFunction&& other) noexcept = default;
  DynamicNumericDiffCostFunction& operator=(
      DynamicNumericDiffCostFunction&& other) noexcept = default;
  DynamicNumericDiffCostFunction(const DynamicNumericDiffCostFunction&) =
      delete;
  DynamicNumericDiffCostFunction& operator=(
      const DynamicNumericDiffCostFunction&) = delete;
  ~DynamicNumericDiffCostFunction() override = default;

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const std::vector<int32_t>& sizes = parameter_block_sizes();
    internal::CheckThat(num_residuals() > 0,
                        "DynamicNumericDiffCostFunction::SetNumResiduals() "
                        "must be called with a positive number before "
                        "Evaluate(); the number of residuals is ",
                        num_residuals(), ".");
    internal::CheckThat(!sizes.empty(),
                        "DynamicNumericDiffCostFunction::AddParameterBlock() "
                        "must be called before Evaluate(); there is no "
                        "parameter block.");
    if (!EvaluateAt(parameters, residuals)) return false;
    if (jacobians == nullptr) return true;

    // Coordinates are moved in a copy.
    constexpr std::size_t kNumOnStack = 64;
    int num_parameters = 0;
    for (const int size : sizes) num_parameters += size;
    internal::SmallBuffer<double, kNumOnStack> copy(num_parameters);
    internal::SmallBuffer<double*, kNumOnStack> blocks(sizes.size());
    double* end = copy.data();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      blocks[i] = end;
      end = std::copy_n(parameters[i], sizes[i], end);
    }
    const auto evaluate = [&](double* r) {
      return EvaluateAt(blocks.data(), r);
    };
    internal::FiniteDifferences<kMethod, DYNAMIC, decltype(evaluate)>
        differences(evaluate, num_residuals(), residuals, options_);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (jacobians[i] != nullptr &&
          !differences.WriteJacobian(blocks[i], sizes[i], jacobians[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  bool EvaluateAt(double const* const* parameters, double* residuals) const {
    return internal::EvaluateResiduals<internal::BlocksOfAnySize>(
        *functor_, parameters, residuals);
  }

  internal::FunctorPointer<const CostFunctor> functor_;
  NumericDiffOptions options_;
};

// Deduces CostFunctor from the functor.
template <typename CostFunctor>
DynamicNumericDiffCostFunction(CostFunctor*)
    -> DynamicNumericDiffCostFunction<CostFunctor>;
template <typename CostFunctor>
DynamicNumericDiffCostFunction(CostFunctor*, Ownership)
    -> DynamicNumericDiffCostFunction<CostFunctor>;
template <typename CostFunctor>
DynamicNumericDiffCostFunction(CostFunctor*, Ownership,
                               const NumericDiffOptions&)
    -> DynamicNumericDiffCostFunction<CostFunctor>;
template <typename CostFunctor>
DynamicNumericDiffCostFunction(std::unique_ptr<CostFunctor>)
    -> DynamicNumericDiffCostFunction<CostFunctor>;
template <typename CostFunctor>
DynamicNumericDiffCostFunction(std::unique_ptr<CostFunctor>,
                               const NumericDiffOptions&)
    -> DynamicNumericDiffCostFunction<CostFunctor>;

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_DYNAMIC_NUMERIC_DIFF_COST_FUNCTION_H_
