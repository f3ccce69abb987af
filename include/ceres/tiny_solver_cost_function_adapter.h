// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_TINY_SOLVER_COST_FUNCTION_ADAPTER_H_
#define CERES_PUBLIC_TINY_SOLVER_COST_FUNCTION_ADAPTER_H_

#include "Eigen/Core"
#include "ceres/cost_function.h"
#include "ceres/internal/check.h"
#include "ceres/tiny_solver.h"

namespace ceres {

// A CostFunction of one parameter block as a function for TinySolver:
//
//   const MyCostFunction cost_function;
//   using Function = TinySolverCostFunctionAdapter<2, 3>;
//   Function f(cost_function);
//   TinySolver<Function> solver;
//   solver.Solve(f, &x);
//
// Sizes may be Eigen::Dynamic. They are then the sizes of the cost function, at
// most kMaxResiduals and kMaxParameters unless these are Eigen::Dynamic, too.
//
// Thread safety: one object per thread, because the object holds memory for the
// Jacobian.
template <
    int kNumResiduals = Eigen::Dynamic, int kNumParameters = Eigen::Dynamic,
    int kMaxResiduals = kNumResiduals, int kMaxParameters = kNumParameters>
class TinySolverCostFunctionAdapter {
 public:
  // The type of parameters and residuals.
  using Scalar = double;
  // Sizes, and upper bounds on sizes. Each may be Eigen::Dynamic.
  enum ComponentSizeType {
    // The number of parameters.
    NUM_PARAMETERS = kNumParameters,
    // The number of residuals.
    NUM_RESIDUALS = kNumResiduals,
    // An upper bound on the number of parameters.
    MAX_NUM_PARAMETERS = kMaxParameters,
    // An upper bound on the number of residuals.
    MAX_NUM_RESIDUALS = kMaxResiduals
  };

  // A Jacobian in the given storage order.
  template <int Layout>
  using JacobianMatrix =
      Eigen::Matrix<Scalar, NUM_RESIDUALS, NUM_PARAMETERS, Layout,
                    MAX_NUM_RESIDUALS, MAX_NUM_PARAMETERS>;

  // Refers to cost_function, which must outlive it. Checks that it has one
  // parameter block, and the sizes of the template arguments.
  explicit TinySolverCostFunctionAdapter(const CostFunction& cost_function)
      : cost_function_(cost_function) {
    internal::CheckThat(
        cost_function.parameter_block_sizes().size() == 1,
        "TinySolver needs a cost function with one parameter "
        "block; this one has ",
        static_cast<int>(cost_function.parameter_block_sizes().size()), ".");
    CheckSize("residuals", NumResiduals(), kNumResiduals, kMaxResiduals);
    CheckSize("parameters", NumParameters(), kNumParameters, kMaxParameters);
    row_major_jacobian_.resize(NumResiduals(), NumParameters());
  }

  // Evaluates the cost function. jacobian is null or NumResiduals() x
  // NumParameters(), column-major. Returns what Evaluate returns.
  bool operator()(const double* parameters, double* residuals,
                  double* jacobian) const {
    if (jacobian == nullptr) {
      return cost_function_.Evaluate(&parameters, residuals, nullptr);
    }
    double* row_major = row_major_jacobian_.data();
    if (!cost_function_.Evaluate(&parameters, residuals, &row_major)) {
      return false;
    }
    const int num_residuals = NumResiduals();
    const int num_parameters = NumParameters();
    for (int r = 0; r < num_residuals; ++r) {
      for (int i = 0; i < num_parameters; ++i) {
        jacobian[r + num_residuals * i] = row_major[r * num_parameters + i];
      }
    }
    return true;
  }

  // Sizes of the cost function.
  int NumResiduals() const { return cost_function_.num_residuals(); }
  int NumParameters() const {
    return cost_function_.parameter_block_sizes()[0];
  }

 private:
  static void CheckSize(const char* what, int actual, int expected, int max) {
    internal::CheckThat(expected == Eigen::Dynamic || actual == expected,
                        "The cost function's number of ", what, " is ", actual,
                        ", and the template argument is ", expected, ".");
    internal::CheckThat(max == Eigen::Dynamic || actual <= max,
                        "The cost function's number of ", what, " is ", actual,
                        ", more than the maximum of ", max, ".");
  }

  const CostFunction& cost_function_;
  // Its layout is row-major whatever Eigen calls it: see data().
  mutable internal::TinyMatrix<Scalar, kNumResiduals, kNumParameters,
                               kMaxResiduals, kMaxParameters>
      row_major_jacobian_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_TINY_SOLVER_COST_FUNCTION_ADAPTER_H_
