// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_CONSTRAINT_FUNCTION_H_
#define CERES_INTERNAL_EVALUATION_CONSTRAINT_FUNCTION_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ceres/cost_function.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {

// clang-format off
// The cost function of the rows of one constraint l <= c(x) <= u in the
// augmented Lagrangian. With penalties rho and multipliers lambda, which the
// minimizer sets, coordinate i of c has
//
//   z_i = c_i + lambda_i / rho_i       t_i = z_i - clamp(z_i, l_i, u_i)
//   residual  sqrt(rho_i) t_i          derivatives  sqrt(rho_i) dc_i/dx
//
// t_i is zero where the coordinate is inactive. The derivatives are written all
// the same: the minimizer decides which coordinates its model has.
//
// Below these rows are rows whose residuals are zero. Their derivatives R are
// the curvature of the constraint,
//
//   R'SR = sum_i pi_i d2c_i/dx2,     S diagonal, -1 or 1
//
// The first num_negative_rows() of them have the sign -1. J'J of the other rows
// and R'SR approximate the Hessian of the Lagrangian. pi are multipliers that
// the minimizer sets; if they are zero, R is. The second derivatives are
// differences of first ones, in ambient coordinates, at points within the bounds
// of the parameter blocks. Linear functions need no differences: after the first
// ones, R is zero until the derivatives have changed from one evaluation to the
// next.
//
// M. Hestenes, Multiplier and Gradient Methods, JOTA 4, 1969. M. Powell, A
// Method for Nonlinear Constraints in Minimization Problems, in Optimization
// (R. Fletcher, ed.), 1969. R. T. Rockafellar, A Dual Approach to Solving
// Nonlinear Programming Problems by Unconstrained Optimization, Mathematical
// Programming 5, 1973 (inequalities).
// clang-format on
//
// One evaluation at a time. The evaluation that is accepted or rejected next
// writes values(): a Jacobian's evaluation those with derivatives, another one
// those of the trial.
class ConstraintFunction final : public CostFunction {
 public:
  // function: computes c. It and the parameter blocks must outlive this.
  ConstraintFunction(const CostFunction& function, std::string label,
                     std::vector<double> lower, std::vector<double> upper,
                     const std::vector<ParameterBlock*>& blocks);

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

  // The number of coordinates of c.
  int size() const { return static_cast<int>(lower_.size()); }
  const std::string& label() const { return label_; }
  const std::vector<double>& lower() const { return lower_; }
  const std::vector<double>& upper() const { return upper_; }

  // The constraint's function, for messages.
  const CostFunction& function() const { return function_; }

  // Forgets what evaluations have left, multipliers, and penalties.
  void Reset();

  // Vectors of size() numbers.
  std::vector<double>& penalties() { return penalties_; }
  std::vector<double>& multipliers() { return multipliers_; }
  std::vector<double>& curvature_multipliers() { return curvature_; }
  // How many curvature rows, the first ones, count negatively.
  int num_negative_rows() const { return num_negative_rows_; }
  // c at the last point whose Jacobian was evaluated, and at the last point
  // that was evaluated without.
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& trial_values() const { return trial_values_; }

 private:
  bool IsValid(const double* residuals, double** jacobians) const;
  void AddCurvature(double const* const* parameters, double** jacobians) const;
  bool DifferentiateTwice(double const* const* parameters,
                          const std::vector<double>& jacobian,
                          std::vector<double>* hessian) const;
  void CompareDerivatives(double** jacobians) const;

  const CostFunction& function_;
  const std::string label_;
  const std::vector<double> lower_;
  const std::vector<double> upper_;
  const std::vector<ParameterBlock*> blocks_;
  std::vector<std::size_t> varying_;  // indices of blocks_
  int num_varying_ = 0;               // ambient coordinates of these
  bool has_curvature_rows_ = false;
  std::vector<double> penalties_;
  std::vector<double> multipliers_;
  std::vector<double> curvature_;
  mutable std::vector<double> values_;
  mutable std::vector<double> trial_values_;
  // The derivatives of the last evaluation of a Jacobian: rows of c, columns of
  // varying coordinates.
  mutable std::vector<double> derivatives_;
  mutable bool is_nonlinear_ = false;
  mutable bool has_been_differentiated_ = false;  // twice
  mutable int num_negative_rows_ = 0;
};

// The coordinates of a parameter block that have bounds, as a constraint's
// function.
class SelectedCoordinates final : public CostFunction {
 public:
  SelectedCoordinates(int size, std::vector<int> coordinates);
  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override;

 private:
  const std::vector<int> coordinates_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_CONSTRAINT_FUNCTION_H_
