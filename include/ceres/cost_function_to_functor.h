// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_COST_FUNCTION_TO_FUNCTOR_H_
#define CERES_PUBLIC_COST_FUNCTION_TO_FUNCTOR_H_

// A cost function as a functor, with sizes known at compile time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/dynamic_cost_function.h"  // Programs count on it.
#include "ceres/dynamic_cost_function_to_functor.h"
#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"  // Programs count on it.
#include "ceres/internal/parameter_dims.h"
#include "ceres/jet_fwd.h"  // Programs count on it.
#include "ceres/types.h"

namespace ceres {

// Makes a CostFunction with kNumResiduals residuals (or DYNAMIC) and parameter
// blocks of sizes Ns... callable from a functor that is differentiated
// automatically:
//
//   struct CameraProjection {
//     CameraProjection(const double* intrinsics)
//         : projection_(new IntrinsicProjection) {}
//
//     template <typename T>
//     bool operator()(const T* rotation, const T* translation,
//                     const T* intrinsics, const T* point, T* residual) const {
//       T in_camera[3];
//       RotateAndTranslate(rotation, translation, point, in_camera);
//       return projection_(intrinsics, in_camera, residual);
//     }
//
//     CostFunctionToFunctor<2, 5, 3> projection_;
//   };
//
// For Jets, derivatives are chained through the function's own Jacobians; see
// DynamicCostFunctionToFunctor.
//
// Thread safety: that of Evaluate of the cost function.
template <int kNumResiduals, int... Ns>
class CostFunctionToFunctor {
  static_assert(kNumResiduals > 0 || kNumResiduals == DYNAMIC,
                "The number of residuals must be positive or ceres::DYNAMIC.");

 public:
  // Takes ownership of cost_function. Checks that it is not null and has the
  // sizes of the template arguments.
  explicit CostFunctionToFunctor(CostFunction* cost_function)
      : CostFunctionToFunctor(std::unique_ptr<CostFunction>(cost_function)) {}

  // Takes ownership of cost_function, with the checks above.
  explicit CostFunctionToFunctor(std::unique_ptr<CostFunction> cost_function)
      : cost_functor_(std::move(cost_function)) {
    const CostFunction& function = *cost_functor_.function();
    internal::CheckThat(
        kNumResiduals == DYNAMIC || function.num_residuals() == kNumResiduals,
        "CostFunctionToFunctor: the cost function has ",
        function.num_residuals(), " residuals, and the template argument is ",
        kNumResiduals, ".");
    const std::vector<int32_t>& sizes = function.parameter_block_sizes();
    internal::CheckThat(sizes.size() == sizeof...(Ns),
                        "CostFunctionToFunctor: the cost function has ",
                        static_cast<int>(sizes.size()),
                        " parameter blocks, and the template arguments say ",
                        static_cast<int>(sizeof...(Ns)), ".");
    for (int i = 0; i < ParameterDims::kNumParameterBlocks; ++i) {
      internal::CheckThat(sizes[i] == ParameterDims::SizeOf(i),
                          "CostFunctionToFunctor: parameter block ", i,
                          " of the cost function has size ", sizes[i],
                          ", and the template argument is ",
                          ParameterDims::SizeOf(i), ".");
    }
  }

  // Evaluates the cost function. Takes one pointer per parameter block, then
  // one to the residuals to write. T is double or a Jet. Returns what Evaluate
  // returns.
  template <typename T, typename... Ts>
  bool operator()(const T* p1, Ts*... ps) const {
    static_assert(sizeof...(Ts) == sizeof...(Ns),
                  "Give one pointer per parameter block and one to the "
                  "residuals.");
    static_assert((std::is_same_v<std::remove_const_t<Ts>, T> && ...),
                  "All arguments must have the same scalar type.");
    return Call<T>(std::make_tuple(p1, ps...),
                   std::make_index_sequence<sizeof...(Ns)>());
  }

 private:
  using ParameterDims = internal::StaticParameterDims<Ns...>;

  template <typename T, typename Pointers, std::size_t... Blocks>
  bool Call(const Pointers& pointers, std::index_sequence<Blocks...>) const {
    const std::array<const T*, sizeof...(Ns)> parameters{
        {std::get<Blocks>(pointers)...}};
    T* residuals = std::get<sizeof...(Ns)>(pointers);
    return cost_functor_(parameters.data(), residuals);
  }

  DynamicCostFunctionToFunctor cost_functor_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_COST_FUNCTION_TO_FUNCTOR_H_
