// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_TINY_SOLVER_H_
#define CERES_PUBLIC_TINY_SOLVER_H_

// A Levenberg-Marquardt solver for tiny dense problems that are solved in large
// numbers. Header only; needs nothing but Eigen. Allocates no memory if sizes,
// or upper bounds on them, are known at compile time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "Eigen/Dense"
#include "ceres/internal/small_ldlt.h"
#include "ceres/version.h"

namespace ceres {

namespace internal {

// Function::MAX_NUM_RESIDUALS if there is one, else Function::NUM_RESIDUALS;
// and likewise for parameters.
template <typename Function, typename = void>
struct MaxNumResiduals : std::integral_constant<int, Function::NUM_RESIDUALS> {
};
template <typename Function>
struct MaxNumResiduals<Function,
                       std::void_t<decltype(Function::MAX_NUM_RESIDUALS)>>
    : std::integral_constant<int, Function::MAX_NUM_RESIDUALS> {};

template <typename Function, typename = void>
struct MaxNumParameters
    : std::integral_constant<int, Function::NUM_PARAMETERS> {};
template <typename Function>
struct MaxNumParameters<Function,
                        std::void_t<decltype(Function::MAX_NUM_PARAMETERS)>>
    : std::integral_constant<int, Function::MAX_NUM_PARAMETERS> {};

// A dense matrix in column-major order. Eigen wants a matrix of one row, for
// which it makes no difference, to be called row-major.
template <typename Scalar, int kRows, int kCols, int kMaxRows = kRows,
          int kMaxCols = kCols>
using TinyMatrix =
    Eigen::Matrix<Scalar, kRows, kCols,
                  kMaxRows == 1 && kMaxCols != 1 ? Eigen::RowMajor
                                                 : Eigen::ColMajor,
                  kMaxRows, kMaxCols>;

// The class that TinySolver is an alias of.
template <typename Function, int kMaxResiduals, int kMaxParameters,
          typename LinearSolver>
class TinySolverOf {
 public:
  EIGEN_MAKE_ALIGNED_OPERATOR_NEW

  enum {
    NUM_RESIDUALS = Function::NUM_RESIDUALS,
    NUM_PARAMETERS = Function::NUM_PARAMETERS,
    MAX_NUM_RESIDUALS = kMaxResiduals,
    MAX_NUM_PARAMETERS = kMaxParameters
  };
  using Scalar = typename Function::Scalar;
  using ParameterVector =
      Eigen::Matrix<Scalar, NUM_PARAMETERS, 1, 0, MAX_NUM_PARAMETERS, 1>;
  using Parameters = ParameterVector;
  using ResidualVector =
      Eigen::Matrix<Scalar, NUM_RESIDUALS, 1, 0, MAX_NUM_RESIDUALS, 1>;
  using JacobianMatrix = TinyMatrix<Scalar, NUM_RESIDUALS, NUM_PARAMETERS,
                                    MAX_NUM_RESIDUALS, MAX_NUM_PARAMETERS>;
  using HessianMatrix = TinyMatrix<Scalar, NUM_PARAMETERS, NUM_PARAMETERS,
                                   MAX_NUM_PARAMETERS, MAX_NUM_PARAMETERS>;

  // The reason why Solve returned.
  enum Status {
    GRADIENT_TOO_SMALL,            // max |J' f| < gradient_tolerance
    RELATIVE_STEP_SIZE_TOO_SMALL,  // |dx| < t (|x| + t), t parameter_tolerance
    COST_TOO_SMALL,                // 1/2 |f|^2 < cost_threshold
    HIT_MAX_ITERATIONS,            // or the function could not be evaluated
    COST_CHANGE_TOO_SMALL          // change of |f|^2 < function_tolerance
  };

  // The options of Solve. Tolerances are absolute, except parameter_tolerance;
  // see Status.
  struct Options {
    // The limit on steps tried.
    int max_num_iterations = 50;
    // Stop when the max-norm of the gradient with respect to the scaled
    // parameters is less; see Status.
    Scalar gradient_tolerance = Scalar(1e-10);
    // The limit of RELATIVE_STEP_SIZE_TOO_SMALL.
    Scalar parameter_tolerance = Scalar(1e-8);
    // The limits of COST_CHANGE_TOO_SMALL and of COST_TOO_SMALL.
    Scalar function_tolerance = Scalar(1e-6);
    Scalar cost_threshold = std::numeric_limits<Scalar>::epsilon();
    // The inverse of the initial damping.
    Scalar initial_trust_region_radius = Scalar(1e4);
  };

  // The result of Solve.
  struct Summary {
    // 1/2 |f(x)|^2 at both ends; -1 if f could not be evaluated at the start.
    Scalar initial_cost = Scalar(-1);
    Scalar final_cost = Scalar(-1);
    // Max-norm of the gradient at the last accepted point, with respect to the
    // scaled parameters.
    Scalar gradient_max_norm = Scalar(-1);
    // The number of steps tried.
    int iterations = -1;
    // The reason why Solve returned.
    Status status = HIT_MAX_ITERATIONS;
  };

  // Evaluates the function at x, which becomes the accepted point: residuals,
  // Jacobian, gradient and normal equations. Returns false, with everything as
  // it was, if it cannot be evaluated. The first call after the object was made
  // or Solve was called sets the scale of the columns.
  bool Update(const Function& function, const ParameterVector& x) {
    Resize(function);
    Linearization& next = linearizations_[1 - accepted_];
    if (!function(x.data(), next.residuals.data(), next.jacobian.data())) {
      return false;
    }
    accepted_ = 1 - accepted_;
    cost_ = next.residuals.squaredNorm() / Scalar(2);
    normal_matrix_.noalias() = next.jacobian.transpose() * next.jacobian;
    descent_.noalias() = -(next.jacobian.transpose() * next.residuals);
    if (!is_scaled_) {
      column_scale_ =
          (Scalar(1) + normal_matrix_.diagonal().array().sqrt()).inverse();
      is_scaled_ = true;
    }
    descent_.array() *= column_scale_.array();
    normal_matrix_.array() *=
        (column_scale_ * column_scale_.transpose()).array();
    summary.gradient_max_norm = descent_.array().abs().maxCoeff();
    return true;
  }

  // Minimizes from *x_and_min, which becomes the best point found. Returns
  // `summary`.
  const Summary& Solve(const Function& function, ParameterVector* x_and_min) {
    ParameterVector& x = *x_and_min;
    summary = Summary();
    summary.iterations = 0;
    is_scaled_ = false;
    if (!Update(function, x)) return summary;
    summary.initial_cost = summary.final_cost = cost_;
    if (IsOptimal()) return summary;

    damping_diagonal_.setConstant(Scalar(1e-6));
    Scalar damping = Scalar(1) / options.initial_trust_region_radius;
    Scalar growth(2);
    while (summary.iterations < options.max_num_iterations) {
      ++summary.iterations;
      ComputeStep(damping);
      const Scalar tolerance = options.parameter_tolerance;
      if (step_.norm() < tolerance * (x.norm() + tolerance)) {
        return Finish(RELATIVE_STEP_SIZE_TOO_SMALL);
      }

      const Scalar old_cost = cost_;
      const Scalar gain = TryStep(function, x, damping);
      if (gain > Scalar(0) && Update(function, x_new_)) {
        x = x_new_;
        if (std::abs(Scalar(2) * (old_cost - cost_)) <
            options.function_tolerance) {
          return Finish(COST_CHANGE_TOO_SMALL);
        }
        if (IsOptimal()) return summary;
        const Scalar t = Scalar(2) * gain - Scalar(1);
        damping *= (std::max)(Scalar(1) / Scalar(3), Scalar(1) - t * t * t);
        growth = Scalar(2);
      } else {
        damping *= growth;
        growth *= Scalar(2);
      }
    }
    return Finish(HIT_MAX_ITERATIONS);
  }

  // Residuals and Jacobian at the last accepted point. The Jacobian is with
  // respect to the parameters, not the scaled ones.
  ResidualVector Residuals() const {
    return linearizations_[accepted_].residuals;
  }
  JacobianMatrix Jacobian() const {
    return linearizations_[accepted_].jacobian;
  }

  // Read by Solve; change it before.
  Options options;
  // The result of the last Solve.
  Summary summary;

 private:
  // Residuals and Jacobian of a point. The Jacobian is with respect to the
  // parameters, not the scaled ones.
  struct Linearization {
    ResidualVector residuals;
    JacobianMatrix jacobian;
  };

  const Summary& Finish(Status status) {
    summary.status = status;
    summary.final_cost = cost_;
    return summary;
  }

  bool IsOptimal() {
    if (summary.gradient_max_norm < options.gradient_tolerance) {
      Finish(GRADIENT_TOO_SMALL);
      return true;
    }
    if (cost_ < options.cost_threshold) {
      Finish(COST_TOO_SMALL);
      return true;
    }
    return false;
  }

  // Solves (J'J + damping D) scaled_step = -J'f.
  void ComputeStep(Scalar damping) {
    damped_matrix_ = normal_matrix_;
    for (Eigen::Index i = 0; i < damped_matrix_.rows(); ++i) {
      const Scalar diagonal = (std::min)(normal_matrix_(i, i), Scalar(1e32));
      damping_diagonal_[i] = (std::max)(damping_diagonal_[i], diagonal);
      damped_matrix_(i, i) += damping * damping_diagonal_[i];
    }
    SolveForStep();
    step_ = column_scale_.array() * scaled_step_.array();
  }

  void SolveForStep() {
    // Eigen's general code is slow for these sizes.
    constexpr int kMaxUnrolledSize = 6;
    constexpr int kSize = NUM_PARAMETERS;
    if constexpr (std::is_same_v<LinearSolver, Eigen::LDLT<HessianMatrix>> &&
                  kSize != Eigen::Dynamic && kSize <= kMaxUnrolledSize) {
      if (SolveByLdlt<kSize>(damped_matrix_, descent_, &scaled_step_)) {
        return;
      }
    }
    linear_solver_.compute(damped_matrix_);
    scaled_step_ = linear_solver_.solve(descent_);
  }

  // Sets x_new_ = x + step. Returns by how much |f|^2 falls, relative to what
  // the linear model promises: s'(-2 J'f - J'J s) = s'(damping D s - J'f), s
  // being the scaled step. A value that is not positive if the step is to be
  // rejected.
  Scalar TryStep(const Function& function, const ParameterVector& x,
                 Scalar damping) {
    x_new_ = x + step_;
    if (!function(x_new_.data(), candidate_.data(), nullptr)) {
      return Scalar(-1);
    }
    const Scalar change = Scalar(2) * cost_ - candidate_.squaredNorm();
    const Scalar model_change =
        (scaled_step_.array() *
         (damping * damping_diagonal_.array() * scaled_step_.array() +
          descent_.array()))
            .sum();
    return change / model_change;
  }

  // Does nothing if the sizes are those of the last time.
  void Resize(const Function& function) {
    int num_residuals = NUM_RESIDUALS;
    int num_parameters = NUM_PARAMETERS;
    if constexpr (int{NUM_RESIDUALS} == Eigen::Dynamic) {
      num_residuals = function.NumResiduals();
    }
    if constexpr (int{NUM_PARAMETERS} == Eigen::Dynamic) {
      num_parameters = function.NumParameters();
    }
    candidate_.resize(num_residuals);
    for (Linearization& linearization : linearizations_) {
      linearization.residuals.resize(num_residuals);
      linearization.jacobian.resize(num_residuals, num_parameters);
    }
    for (ParameterVector* vector :
         {&x_new_, &step_, &scaled_step_, &column_scale_, &descent_,
          &damping_diagonal_}) {
      vector->resize(num_parameters);
    }
    normal_matrix_.resize(num_parameters, num_parameters);
    damped_matrix_.resize(num_parameters, num_parameters);
  }

  LinearSolver linear_solver_;

  // The accepted point x, and a buffer for the next point: a function may write
  // and then fail.
  Linearization linearizations_[2];
  int accepted_ = 0;

  // At the accepted point. J' J and -J' f are those of the scaled Jacobian.
  Scalar cost_{};
  HessianMatrix normal_matrix_;
  ParameterVector descent_;

  bool is_scaled_ = false;
  ParameterVector column_scale_;
  // D.
  ParameterVector damping_diagonal_;

  // For the step that is tried.
  ParameterVector step_, scaled_step_, x_new_;
  HessianMatrix damped_matrix_;
  ResidualVector candidate_;
};

template <typename Function, int kMaxParameters>
using TinyLdlt = Eigen::LDLT<
    TinyMatrix<typename Function::Scalar, Function::NUM_PARAMETERS,
               Function::NUM_PARAMETERS, kMaxParameters, kMaxParameters>>;

}  // namespace internal

#if defined(VESTA_TINY_SOLVER_2_3) || CERES_VERSION_MINOR == 3
// The solver with the template parameters of Ceres 2.3; see below.
template <typename Function,
          int kMaxResiduals = internal::MaxNumResiduals<Function>::value,
          int kMaxParameters = internal::MaxNumParameters<Function>::value,
          typename LinearSolver = internal::TinyLdlt<Function, kMaxParameters>>
using TinySolver = internal::TinySolverOf<Function, kMaxResiduals,
                                          kMaxParameters, LinearSolver>;
#else
// Minimizes 1/2 |f(x)|^2, f: R^n -> R^m, without constraints.
//
// Function computes f and its Jacobian:
//
//   struct MyFunction {
//     using Scalar = double;
//     enum { NUM_RESIDUALS = m, NUM_PARAMETERS = n };
//     // residuals has m values. jacobian is null or m x n, column-major:
//     //   jacobian[r + m * c] = df[r] / dx[c].
//     // Returns false if f cannot be evaluated at parameters.
//     bool operator()(const double* parameters, double* residuals,
//                     double* jacobian) const;
//   };
//
// m and n may be Eigen::Dynamic. Then it also has int NumResiduals() const or
// int NumParameters() const; and, optionally, MAX_NUM_RESIDUALS and
// MAX_NUM_PARAMETERS in the enum, upper bounds for which memory is reserved.
// See tiny_solver_autodiff_function.h and tiny_solver_cost_function_adapter.h
// for ready-made functions.
//
//   TinySolver<MyFunction> solver;
//   TinySolver<MyFunction>::Parameters x = ...;
//   solver.Solve(MyFunction(), &x);
//
// Template parameters: Ceres 2.3 has the upper bounds before the linear solver.
//
//   2.2   TinySolver<Function, LinearSolver>
//   2.3   TinySolver<Function, kMaxResiduals, kMaxParameters, LinearSolver>
//
// TinySolver<Function> is the same type in both. The list is that of the
// version in ceres/version.h. A source file that is compiled with
// VESTA_TINY_SOLVER_2_3 has that of 2.3:
//
//   target_compile_definitions(app PRIVATE VESTA_TINY_SOLVER_2_3)
//
// One name cannot take both in one source file: a template parameter is either
// a type or a value, and C++ has no overloads of class and alias templates.
// Files of both kinds can be linked into one program.
//
// LinearSolver solves the damped normal equations by compute(A) and solve(b),
// as Eigen's dense decompositions do.
//
// Method: Madsen, Nielsen and Tingleff, "Methods for Non-Linear Least Squares
// Problems", 2nd edition, 2004, algorithm 3.16, with columns scaled by
// 1 / (1 + |column|) of the initial Jacobian, and damping along the largest
// diagonal that J'J has had so far, within [1e-6, 1e32]: More, "The
// Levenberg-Marquardt algorithm: implementation and theory", 1978, section 6.
//
// Thread safety: one object per thread; Function's operator() is called in
// Solve only.
template <typename Function,
          typename LinearSolver = internal::TinyLdlt<
              Function, internal::MaxNumParameters<Function>::value>>
using TinySolver =
    internal::TinySolverOf<Function, internal::MaxNumResiduals<Function>::value,
                           internal::MaxNumParameters<Function>::value,
                           LinearSolver>;
#endif

}  // namespace ceres

#endif  // CERES_PUBLIC_TINY_SOLVER_H_
