// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_DYNAMIC_COST_FUNCTION_TO_FUNCTOR_H_
#define CERES_PUBLIC_DYNAMIC_COST_FUNCTION_TO_FUNCTOR_H_

// A cost function as a functor, with sizes known at run time.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "Eigen/Core"  // Programs count on it.
#include "ceres/cost_function.h"
#include "ceres/dynamic_cost_function.h"  // Programs count on it.
#include "ceres/internal/check.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/small_buffer.h"

namespace ceres {

// Makes a CostFunction f callable from a functor that is differentiated
// automatically, so that parts with hand-written or numeric derivatives can be
// mixed with automatic ones:
//
//   struct MyFunctor {
//     MyFunctor() : projection_(new MyProjection) {}
//
//     template <typename T>
//     bool operator()(T const* const* parameters, T* residuals) const {
//       T in_camera[3];
//       RotateAndTranslate(parameters[0], parameters[1], in_camera);
//       const T* inputs[] = {in_camera, parameters[2]};
//       return projection_(inputs, residuals);
//     }
//
//     DynamicCostFunctionToFunctor projection_;
//   };
//
// For Jets, derivatives are chained: with J_i the Jacobian of f with respect to
// its block i, and v a derivative part,
//
//   residual.a = f(x.a),   residual.v = sum_i J_i x_i.v.
//
// Thread safety: that of Evaluate of the cost function.
class DynamicCostFunctionToFunctor {
 public:
  // Takes ownership of cost_function, which must not be null.
  explicit DynamicCostFunctionToFunctor(CostFunction* cost_function)
      : DynamicCostFunctionToFunctor(
            std::unique_ptr<CostFunction>(cost_function)) {}

  // Takes ownership of cost_function, which must not be null.
  explicit DynamicCostFunctionToFunctor(
      std::unique_ptr<CostFunction> cost_function)
      : cost_function_(std::move(cost_function)) {
    internal::CheckThat(cost_function_ != nullptr,
                        "CostFunctionToFunctor needs a cost function; it was "
                        "given null.");
  }

  // Evaluates the cost function. parameters has one pointer per parameter
  // block; residuals are written. Returns what Evaluate returns.
  bool operator()(double const* const* parameters, double* residuals) const {
    return cost_function_->Evaluate(parameters, residuals, nullptr);
  }

  // Evaluates the cost function and its Jacobians, and chains the derivatives
  // of the inputs. Returns what Evaluate returns.
  template <typename JetT>
  bool operator()(JetT const* const* inputs, JetT* output) const {
    const std::vector<int32_t>& sizes = cost_function_->parameter_block_sizes();
    const int num_blocks = static_cast<int>(sizes.size());
    const int num_residuals = cost_function_->num_residuals();
    int num_parameters = 0;
    for (const int size : sizes) num_parameters += size;

    constexpr std::size_t kNumOnStack = 128;
    internal::SmallBuffer<double, kNumOnStack> values(
        num_parameters + num_residuals * (1 + num_parameters));
    constexpr std::size_t kNumBlocksOnStack = 32;
    internal::SmallBuffer<const double*, kNumBlocksOnStack> parameters(
        num_blocks);
    internal::SmallBuffer<double*, kNumBlocksOnStack> jacobians(num_blocks);
    double* end = values.data();
    for (int i = 0; i < num_blocks; ++i) {
      parameters[i] = end;
      for (int j = 0; j < sizes[i]; ++j) *end++ = inputs[i][j].a;
    }
    double* residuals = end;
    end += num_residuals;
    for (int i = 0; i < num_blocks; ++i) {
      jacobians[i] = end;
      end += num_residuals * sizes[i];
    }

    if (!cost_function_->Evaluate(parameters.data(), residuals,
                                  jacobians.data())) {
      return false;
    }
    for (int r = 0; r < num_residuals; ++r) {
      output[r] = JetT(residuals[r]);
      for (int i = 0; i < num_blocks; ++i) {
        const double* row = jacobians[i] + r * sizes[i];
        for (int j = 0; j < sizes[i]; ++j) {
          output[r].v += row[j] * inputs[i][j].v;
        }
      }
    }
    return true;
  }

  // The cost function. It stays owned by this object.
  CostFunction* function() const noexcept { return cost_function_.get(); }

 private:
  std::unique_ptr<CostFunction> cost_function_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_DYNAMIC_COST_FUNCTION_TO_FUNCTOR_H_
