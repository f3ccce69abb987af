// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_DYNAMIC_AUTODIFF_COST_FUNCTION_H_
#define CERES_PUBLIC_DYNAMIC_AUTODIFF_COST_FUNCTION_H_

// Automatic differentiation of cost functions whose sizes are known at run time
// only.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/dynamic_cost_function.h"
#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/functor_pointer.h"
#include "ceres/internal/small_buffer.h"
#include "ceres/jet.h"
#include "ceres/types.h"

namespace ceres {

// The cost function that CostFunctor computes, with any number of parameter
// blocks of any sizes:
//
//   struct MyFunctor {
//     template <typename T>
//     bool operator()(T const* const* parameters, T* residuals) const {
//       // parameters[i][j] is value j of block i.
//     }
//   };
//
//   auto* f = new DynamicAutoDiffCostFunction<MyFunctor, 4>(new MyFunctor);
//   f->AddParameterBlock(5);
//   f->AddParameterBlock(10);
//   f->SetNumResiduals(21);
//
// The functor returns false when it cannot be evaluated at the point. It is
// called with T = double when no Jacobian is wanted. Otherwise derivatives are
// computed for Stride columns of the Jacobian at a time, by a call with
// T = Jet<double, Stride> each; columns of blocks whose Jacobian is not wanted
// (constant ones) are left out. A large Stride means fewer calls that cost more
// each; multiples of 4 suit processors' vector units. Where sizes are known at
// compile time, AutoDiffCostFunction is faster.
//
// A residual that the functor does not write when it returns true becomes
// kImpossibleValue, and so does its row in every Jacobian; a solver then
// reports it.
//
// Evaluate stops the program if the number of residuals has not been set.
//
// Thread safety: the functor is called from several threads at once.
template <typename CostFunctor, int Stride = 4>
class DynamicAutoDiffCostFunction final : public DynamicCostFunction {
  static_assert(Stride > 0, "The stride must be positive.");

 public:
  // Refers to *functor, and deletes it in the end unless ownership is
  // DO_NOT_TAKE_OWNERSHIP.
  explicit DynamicAutoDiffCostFunction(CostFunctor* functor,
                                       Ownership ownership = TAKE_OWNERSHIP)
      : functor_(internal::MakeFunctorPointer(functor, ownership)) {}

  // Takes ownership of the functor.
  explicit DynamicAutoDiffCostFunction(std::unique_ptr<CostFunctor> functor)
      : DynamicAutoDiffCostFunction(functor.release()) {}

  // Makes the functor from args.
  template <typename... Args,
            typename = std::enable_if_t<
                std::is_constructible_v<CostFunctor, Args&&...>>>
  explicit DynamicAutoDiffCostFunction(Args&&... args)
      : DynamicAutoDiffCostFunction(
            std::make_unique<CostFunctor>(std::forward<Args>(args)...)) {}

  // The moved-from object may only be destroyed or assigned to.
  DynamicAutoDiffCostFunction(DynamicAutoDiffCostFunction&& other) noexcept =
      default;
  DynamicAutoDiffCostFunction& operator=(
      DynamicAutoDiffCostFunction&& other) noexcept = default;
  DynamicAutoDiffCostFunction(const DynamicAutoDiffCostFunction&) = delete;
  DynamicAutoDiffCostFunction& operator=(const DynamicAutoDiffCostFunction&) =
      delete;
  ~DynamicAutoDiffCostFunction() override = default;

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    internal::CheckThat(num_residuals() > 0,
                        "DynamicAutoDiffCostFunction::SetNumResiduals() must "
                        "be called with a positive number before Evaluate(); "
                        "the number of residuals is ",
                        num_residuals(), ".");
    const Columns columns = WantedColumns(jacobians);
    if (columns.empty()) {
      return (*functor_)(parameters, residuals);
    }
    return EvaluateWithJets(parameters, columns, residuals, jacobians);
  }

  // The functor, which stays with this object.
  const CostFunctor& functor() const { return *functor_; }

 private:
  using JetT = Jet<double, Stride>;

  // A column of the Jacobian: coordinate `offset` of parameter block `block`,
  // which is number `position` among all coordinates of all blocks.
  struct Column {
    int block;
    int offset;
    int position;
  };
  using Columns = std::vector<Column>;

  Columns WantedColumns(double* const* jacobians) const {
    Columns columns;
    if (jacobians == nullptr) return columns;
    int position = 0;
    for (std::size_t i = 0; i < parameter_block_sizes().size(); ++i) {
      const int size = parameter_block_sizes()[i];
      for (int j = 0; jacobians[i] != nullptr && j < size; ++j) {
        columns.push_back({static_cast<int>(i), j, position + j});
      }
      position += size;
    }
    return columns;
  }

  bool EvaluateWithJets(double const* const* parameters, const Columns& columns,
                        double* residuals, double** jacobians) const {
    const std::vector<int32_t>& sizes = parameter_block_sizes();
    int num_parameters = 0;
    for (const int size : sizes) num_parameters += size;

    constexpr std::size_t kNumOnStack = 32;
    internal::SmallBuffer<JetT, kNumOnStack> inputs(num_parameters);
    internal::SmallBuffer<const JetT*, kNumOnStack> blocks(sizes.size());
    internal::SmallBuffer<JetT, kNumOnStack> outputs(num_residuals());
    JetT* input = inputs.data();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      blocks[i] = input;
      for (int j = 0; j < sizes[i]; ++j) *input++ = JetT(parameters[i][j]);
    }

    JetT unwritten(kImpossibleValue);
    unwritten.v.setConstant(kImpossibleValue);
    const int num_columns = static_cast<int>(columns.size());
    for (int begin = 0; begin < num_columns; begin += Stride) {
      const int end = std::min(begin + Stride, num_columns);
      for (int k = begin; k < end; ++k) {
        inputs[columns[k].position].v[k - begin] = 1.0;
      }
      std::fill(outputs.begin(), outputs.end(), unwritten);
      if (!(*functor_)(blocks.data(), outputs.data())) return false;
      for (int k = begin; k < end; ++k) {
        const Column& column = columns[k];
        inputs[column.position].v[k - begin] = 0.0;
        const int stride = sizes[column.block];
        double* jacobian = jacobians[column.block] + column.offset;
        for (int r = 0; r < num_residuals(); ++r) {
          jacobian[r * stride] = outputs[r].v[k - begin];
        }
      }
    }
    for (int r = 0; r < num_residuals(); ++r) residuals[r] = outputs[r].a;
    return true;
  }

  internal::FunctorPointer<CostFunctor> functor_;
};

// Deduces CostFunctor from the functor.
template <typename CostFunctor>
DynamicAutoDiffCostFunction(CostFunctor*)
    -> DynamicAutoDiffCostFunction<CostFunctor>;
template <typename CostFunctor>
DynamicAutoDiffCostFunction(CostFunctor*, Ownership)
    -> DynamicAutoDiffCostFunction<CostFunctor>;
template <typename CostFunctor>
DynamicAutoDiffCostFunction(std::unique_ptr<CostFunctor>)
    -> DynamicAutoDiffCostFunction<CostFunctor>;

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_DYNAMIC_AUTODIFF_COST_FUNCTION_H_
