// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_COST_FUNCTION_H_
#define CERES_PUBLIC_COST_FUNCTION_H_

// A term of a nonlinear least-squares problem: residuals and their Jacobian.

#include <cstdint>
#include <utility>
#include <vector>

#include "ceres/internal/cost_function_sizes.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"

namespace ceres {

// Maps parameter blocks x_0, ..., x_{k-1} (x_i of size n_i) to a vector of
// residuals f(x_0, ..., x_{k-1}) of size m, and gives the Jacobian blocks
// J_i = df / dx_i. A problem is the sum of 1/2 rho(||f||^2) over its terms.
//
// A derived class sets m and the n_i in its constructor, or at the latest
// before the object is given to a Problem, and does not change them afterwards.
// SizedCostFunction sets them from template arguments.
//
// Thread safety: the solver calls Evaluate from several threads at once, also
// on one object.
class CERES_EXPORT CostFunction {
 public:
  // No residuals and no parameter blocks.
  CostFunction() : CostFunction(internal::SharedSizes<0>()) {}
  CostFunction(const CostFunction&) = delete;
  CostFunction& operator=(const CostFunction&) = delete;
  virtual ~CostFunction() {
    if (!sizes_->is_shared) delete sizes_;
  }

  // Computes the residuals and the Jacobian blocks that are asked for.
  //
  //   parameters[i]   x_i, n_i values, in the order of parameter_block_sizes().
  //   residuals       m values to write; never null when the solver calls.
  //   jacobians       null when only residuals are wanted. Otherwise k
  //                   pointers; jacobians[i] is null when J_i is not wanted
  //                   (x_i is held constant), else it is an m x n_i matrix to
  //                   write, row-major:
  //                     jacobians[i][r * n_i + c] = df[r] / dx_i[c].
  //
  // The caller owns all arrays. Returns false when f cannot be evaluated at
  // this point; the solver then tries another point, or fails if the point is
  // the initial one. Every requested entry must be written, with finite values:
  // the solver fills the arrays with ceres::kImpossibleValue before the call
  // and treats entries that keep this value as a failure.
  virtual bool Evaluate(double const* const* parameters, double* residuals,
                        double** jacobians) const = 0;

  // The sizes n_0, ..., n_{k-1} of the parameter blocks.
  const std::vector<int32_t>& parameter_block_sizes() const {
    return sizes_->parameter_blocks;
  }

  // The number m of residuals.
  int num_residuals() const { return sizes_->num_residuals; }

 protected:
  // For types whose objects all have the same sizes. Refers to shared_sizes,
  // which is never deleted.
  explicit CostFunction(const internal::CostFunctionSizes* shared_sizes)
      : sizes_(shared_sizes) {}

  // The moved-from object has no parameter blocks and no residuals.
  CostFunction(CostFunction&& other) noexcept
      : sizes_(std::exchange(other.sizes_, internal::SharedSizes<0>())) {}
  CostFunction& operator=(CostFunction&& other) noexcept {
    if (this != &other) {
      if (!sizes_->is_shared) delete sizes_;
      sizes_ = std::exchange(other.sizes_, internal::SharedSizes<0>());
    }
    return *this;
  }

  // The sizes of this object, to be changed. The list that
  // parameter_block_sizes() returned before may be another list, which does not
  // change.
  std::vector<int32_t>* mutable_parameter_block_sizes() {
    return &MutableSizes()->parameter_blocks;
  }

  // Sets m.
  void set_num_residuals(int num_residuals) {
    MutableSizes()->num_residuals = num_residuals;
  }

  // The sizes of this object: those that the constructor was given if they have
  // not been changed.
  const internal::CostFunctionSizes* cost_function_sizes() const {
    return sizes_;
  }

  // For classes that refer to a functor: whether the object deletes the
  // functor.
  bool owns_functor() const { return sizes_->owns_functor; }

 private:
  internal::CostFunctionSizes* MutableSizes() {
    if (sizes_->is_shared) {
      auto* const own = new internal::CostFunctionSizes(*sizes_);
      own->is_shared = false;
      sizes_ = own;
    }
    // Own ones are made here, and not const.
    return const_cast<internal::CostFunctionSizes*>(sizes_);
  }

  const internal::CostFunctionSizes* sizes_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_COST_FUNCTION_H_
