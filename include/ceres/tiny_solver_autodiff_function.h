// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_TINY_SOLVER_AUTODIFF_FUNCTION_H_
#define CERES_PUBLIC_TINY_SOLVER_AUTODIFF_FUNCTION_H_

#include <limits>

#include "Eigen/Core"
#include "ceres/jet.h"
#include "ceres/tiny_solver.h"
#include "ceres/types.h"  // Programs count on it.

namespace ceres {

// A function for TinySolver whose Jacobian is computed by automatic
// differentiation of CostFunctor:
//
//   struct MyFunctor {
//     template <typename T>
//     bool operator()(const T* parameters, T* residuals) const;
//   };
//
//   using Function = TinySolverAutoDiffFunction<MyFunctor, 2, 3>;
//   MyFunctor my_functor;
//   Function f(my_functor);
//   TinySolver<Function> solver;
//   solver.Solve(f, &x);
//
// kNumResiduals may be Eigen::Dynamic. The functor then has a function int
// NumResiduals() const. Its result is at most kMaxResiduals unless
// kMaxResiduals is Eigen::Dynamic, too.
//
// Thread safety: one object per thread, because the object holds memory for
// Jets.
template <typename CostFunctor, int kNumResiduals, int kNumParameters,
          typename T = double, int kMaxResiduals = kNumResiduals>
class TinySolverAutoDiffFunction {
  static_assert(kNumParameters > 0,
                "The number of parameters must be known at compile time.");

 public:
  // Refers to cost_functor, which must outlive it.
  explicit TinySolverAutoDiffFunction(const CostFunctor& cost_functor)
      : cost_functor_(cost_functor) {
    if constexpr (kNumResiduals == Eigen::Dynamic) {
      num_residuals_ = cost_functor.NumResiduals();
      jet_residuals_.resize(num_residuals_);
    }
  }

  enum {
    // The number of parameters.
    NUM_PARAMETERS = kNumParameters,
    // The number of residuals, or Eigen::Dynamic.
    NUM_RESIDUALS = kNumResiduals,
    // An upper bound on the number of residuals, or Eigen::Dynamic.
    MAX_NUM_RESIDUALS = kMaxResiduals
  };
  // The type of parameters and residuals.
  using Scalar = T;
  // A column-major Jacobian.
  using JacobianMatrix =
      internal::TinyMatrix<Scalar, NUM_RESIDUALS, NUM_PARAMETERS,
                           MAX_NUM_RESIDUALS>;

  // Evaluates the functor. jacobian is null or NumResiduals() x NUM_PARAMETERS,
  // column-major. Returns what the functor returns.
  bool operator()(const T* parameters, T* residuals, T* jacobian) const {
    if (jacobian == nullptr) {
      return cost_functor_(parameters, residuals);
    }
    for (int i = 0; i < kNumParameters; ++i) {
      jet_parameters_[i] = JetT(parameters[i], i);
    }
    for (int r = 0; r < num_residuals_; ++r) {
      jet_residuals_[r] = JetT(std::numeric_limits<Scalar>::quiet_NaN());
    }
    if (!cost_functor_(static_cast<const JetT*>(jet_parameters_),
                       jet_residuals_.data())) {
      return false;
    }
    for (int r = 0; r < num_residuals_; ++r) {
      residuals[r] = jet_residuals_[r].a;
      for (int i = 0; i < kNumParameters; ++i) {
        jacobian[r + num_residuals_ * i] = jet_residuals_[r].v[i];
      }
    }
    return true;
  }

  // The number of residuals.
  int NumResiduals() const { return num_residuals_; }

 private:
  using JetT = Jet<T, kNumParameters>;

  const CostFunctor& cost_functor_;
  int num_residuals_ = kNumResiduals;
  mutable JetT jet_parameters_[kNumParameters];
  mutable Eigen::Matrix<JetT, kNumResiduals, 1, 0, kMaxResiduals, 1>
      jet_residuals_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_TINY_SOLVER_AUTODIFF_FUNCTION_H_
