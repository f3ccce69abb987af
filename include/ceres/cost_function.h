// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_COST_FUNCTION_H_
#define CERES_PUBLIC_COST_FUNCTION_H_

// A term of a nonlinear least-squares problem: residuals and their Jacobian.

#include <cstdint>
#include <utility>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"

namespace ceres {

// Maps parameter blocks x_0, ..., x_{k-1} (x_i of size n_i) to a vector of
// residuals f(x_0, ..., x_{k-1}) of size m, and gives the Jacobian blocks
// J_i = df / dx_i. A problem is the sum of 1/2 rho(||f||^2) over its terms.
//
// A derived class sets m and the n_i, in its constructor or at the latest
// before the object is given to a Problem, and does not change them afterwards;
// SizedCostFunction does so from template arguments.
//
// Thread safety: the solver calls Evaluate from several threads at once, also
// on one object.
class CERES_EXPORT CostFunction {
 public:
  // No residuals and no parameter blocks.
  CostFunction() = default;
  CostFunction(const CostFunction&) = delete;
  CostFunction& operator=(const CostFunction&) = delete;
  virtual ~CostFunction() = default;

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
  // this point; the solver then tries another one, and fails when the point is
  // the initial one. Every requested entry must be written, with finite values:
  // the solver fills the arrays with ceres::kImpossibleValue before the call
  // and takes what is left of it for a failure.
  virtual bool Evaluate(double const* const* parameters, double* residuals,
                        double** jacobians) const = 0;

  // n_0, ..., n_{k-1}.
  const std::vector<int32_t>& parameter_block_sizes() const {
    return parameter_block_sizes_;
  }

  // m.
  int num_residuals() const { return num_residuals_; }

 protected:
  // The moved-from object has no parameter blocks and no residuals.
  CostFunction(CostFunction&& other) noexcept
      : parameter_block_sizes_(std::move(other.parameter_block_sizes_)),
        num_residuals_(std::exchange(other.num_residuals_, 0)) {
    other.parameter_block_sizes_.clear();
  }
  CostFunction& operator=(CostFunction&& other) noexcept {
    if (this != &other) {
      parameter_block_sizes_ = std::move(other.parameter_block_sizes_);
      other.parameter_block_sizes_.clear();
      num_residuals_ = std::exchange(other.num_residuals_, 0);
    }
    return *this;
  }

  std::vector<int32_t>* mutable_parameter_block_sizes() {
    return &parameter_block_sizes_;
  }

  void set_num_residuals(int num_residuals) { num_residuals_ = num_residuals; }

 private:
  std::vector<int32_t> parameter_block_sizes_;
  int num_residuals_ = 0;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_COST_FUNCTION_H_
