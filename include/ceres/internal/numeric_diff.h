// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_NUMERIC_DIFF_H_
#define CERES_PUBLIC_INTERNAL_NUMERIC_DIFF_H_

// Numeric differentiation of functors, one coordinate at a time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/internal/array_selector.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/internal/ridders_extrapolation.h"
#include "ceres/internal/variadic_evaluate.h"
#include "ceres/numeric_diff_options.h"
#include "ceres/types.h"

namespace ceres::internal {

// The first step of coordinate x; see ceres/numeric_diff_options.h.
template <NumericDiffMethodType kMethod>
double NumericDiffStep(double x, const NumericDiffOptions& options) {
  const double relative_step = kMethod == RIDDERS
                                   ? options.ridders_relative_initial_step_size
                                   : options.relative_step_size;
  double min_step = std::sqrt(std::numeric_limits<double>::epsilon());
  if (kMethod == RIDDERS) min_step = (std::max)(min_step, relative_step);
  return (std::max)(min_step, std::abs(x) * relative_step);
}

// The Jacobian, with respect to one parameter block, of what CostFunctor
// computes: a functor over blocks of ParameterDims, one over an array of
// pointers to blocks (DynamicParameterDims), or a CostFunction.
//
// kNumResiduals, kParameterBlock (its index) and kParameterBlockSize may be
// DYNAMIC; the arguments of the same names tell them then.
template <typename CostFunctor, NumericDiffMethodType kMethod,
          int kNumResiduals, typename ParameterDims, int kParameterBlock,
          int kParameterBlockSize>
struct NumericDiff {
  static constexpr int kMaxNumResidualsOnStack = 32;
  using Residuals =
      ArraySelector<double, kNumResiduals, kMaxNumResidualsOnStack>;

  // Writes the row-major num_residuals x parameter_block_size Jacobian.
  //
  //   residuals_at_eval_point   the functor's value; read by FORWARD only.
  //   parameters                the evaluation point. Its values are changed
  //                             meanwhile and restored.
  //
  // Returns false as soon as the functor does; jacobian is then unspecified.
  static bool EvaluateJacobianForParameterBlock(
      const CostFunctor* functor, const double* residuals_at_eval_point,
      const NumericDiffOptions& options, int num_residuals,
      int parameter_block_index, int parameter_block_size, double** parameters,
      double* jacobian) {
    const int block =
        kParameterBlock != DYNAMIC ? kParameterBlock : parameter_block_index;
    const int size = kParameterBlockSize != DYNAMIC ? kParameterBlockSize
                                                    : parameter_block_size;
    const int m = kNumResiduals != DYNAMIC ? kNumResiduals : num_residuals;

    Residuals column(m), scratch(m);
    [[maybe_unused]] RiddersExtrapolation ridders(kMethod == RIDDERS ? m : 0,
                                                  options);
    for (int j = 0; j < size; ++j) {
      double* x = parameters[block] + j;
      const double step = NumericDiffStep<kMethod>(*x, options);
      bool success;
      if constexpr (kMethod == RIDDERS) {
        success = EvaluateRiddersJacobianColumn(*functor, step, m, parameters,
                                                x, &ridders, scratch.data(),
                                                column.data());
      } else {
        success = EvaluateJacobianColumn(*functor, step, m,
                                         residuals_at_eval_point, parameters, x,
                                         scratch.data(), column.data());
      }
      if (!success) return false;
      for (int r = 0; r < m; ++r) jacobian[r * size + j] = column[r];
    }
    return true;
  }

  // The derivative by the coordinate *x, which is one of those in parameters,
  // by a central difference, or a forward one for kMethod = FORWARD.
  static bool EvaluateJacobianColumn(const CostFunctor& functor, double step,
                                     int num_residuals,
                                     const double* residuals_at_eval_point,
                                     double** parameters, double* x,
                                     double* scratch, double* column) {
    const double center = *x;
    const double right = center + step;
    const double left = kMethod == FORWARD ? center : center - step;

    *x = right;
    bool success = Call(functor, num_residuals, parameters, column);
    const double* at_left = residuals_at_eval_point;
    if constexpr (kMethod != FORWARD) {
      *x = left;
      success = success && Call(functor, num_residuals, parameters, scratch);
      at_left = scratch;
    }
    *x = center;
    if (!success) return false;

    // What lies between the two points in fact, not twice the step, which their
    // rounding to doubles has changed.
    const double distance = right - left;
    for (int r = 0; r < num_residuals; ++r) {
      column[r] = (column[r] - at_left[r]) / distance;
    }
    return true;
  }

  // The same by Ridders' method, from the initial step. Where the functor fails
  // at a step that is longer, the result so far counts.
  static bool EvaluateRiddersJacobianColumn(const CostFunctor& functor,
                                            double step, int num_residuals,
                                            double** parameters, double* x,
                                            RiddersExtrapolation* ridders,
                                            double* scratch, double* column) {
    ridders->Start(*x, step);
    do {
      if (!EvaluateJacobianColumn(functor, ridders->step(), num_residuals,
                                  nullptr, parameters, x, scratch, column)) {
        if (!ridders->step_has_grown()) return false;
        break;
      }
      // The functor's values at *x - step() are still in scratch.
    } while (ridders->Add(column, scratch));
    std::copy_n(ridders->derivative(), num_residuals, column);
    return true;
  }

 private:
  // A residual that the functor leaves alone shows up in the derivative.
  static bool Call(const CostFunctor& functor, int num_residuals,
                   double** parameters, double* residuals) {
    std::fill_n(residuals, num_residuals, kImpossibleValue);
    return VariadicEvaluate<ParameterDims>(
        functor, static_cast<double const* const*>(parameters), residuals);
  }
};

// The Jacobians with respect to all parameter blocks of ParameterDims.
template <typename ParameterDims>
struct EvaluateJacobianForParameterBlocks {
  // Computes those whose pointer in jacobians is not null. For the arguments
  // and the result see NumericDiff.
  template <NumericDiffMethodType kMethod, int kNumResiduals,
            typename CostFunctor>
  static bool Apply(const CostFunctor* functor,
                    const double* residuals_at_eval_point,
                    const NumericDiffOptions& options, int num_residuals,
                    double** parameters, double** jacobians) {
    return ApplyToEach<kMethod, kNumResiduals>(
        functor, residuals_at_eval_point, options, num_residuals, parameters,
        jacobians,
        std::make_integer_sequence<int, ParameterDims::kNumParameterBlocks>());
  }

 private:
  template <NumericDiffMethodType kMethod, int kNumResiduals,
            typename CostFunctor, int... kBlocks>
  static bool ApplyToEach(const CostFunctor* functor,
                          const double* residuals_at_eval_point,
                          const NumericDiffOptions& options, int num_residuals,
                          double** parameters, double** jacobians,
                          std::integer_sequence<int, kBlocks...>) {
    return (... &&
            (jacobians[kBlocks] == nullptr ||
             NumericDiff<CostFunctor, kMethod, kNumResiduals, ParameterDims,
                         kBlocks, ParameterDims::GetDim(kBlocks)>::
                 EvaluateJacobianForParameterBlock(
                     functor, residuals_at_eval_point, options, num_residuals,
                     kBlocks, ParameterDims::GetDim(kBlocks), parameters,
                     jacobians[kBlocks])));
  }
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_NUMERIC_DIFF_H_
