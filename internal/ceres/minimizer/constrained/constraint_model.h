// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINT_MODEL_H_
#define CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINT_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ceres/evaluation/constraint_function.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/program.h"

namespace ceres::internal {

// The coordinates of all constraints of a program, in one list, and their rows
// in the block Jacobian. Coordinate i has value c_i, bounds l_i and u_i,
// multiplier lambda_i and penalty rho_i; see constraint_function.h. A is the
// derivative of c in tangent coordinates. Not thread-safe.
class ConstraintModel {
 public:
  // Which bound the model holds a coordinate to.
  enum Side : char { kLower = -1, kNone = 0, kUpper = 1 };

  // functions: those of rows of `program`. All arguments must outlive this.
  ConstraintModel(const Program& program,
                  const BlockJacobianStructure& structure,
                  const std::vector<ConstraintFunction*>& functions);

  int size() const { return static_cast<int>(lower.size()); }

  // By coordinate. The functions have multipliers and penalties after Publish.
  std::vector<double> lower;
  std::vector<double> upper;
  std::vector<double> values;  // c at the point of the Jacobian
  std::vector<double> multipliers;
  std::vector<double> penalties;
  // By coordinate: false if it is a bound of a parameter block.
  std::vector<bool> is_constraint;

  double Clamp(int i, double z) const {
    return std::min(std::max(z, lower[i]), upper[i]);
  }
  double Shifted(int i, const std::vector<double>& c) const {
    return c[i] + multipliers[i] / penalties[i];
  }
  // The bound of a side that is not kNone.
  double Bound(int i, Side side) const {
    return side == kLower ? lower[i] : upper[i];
  }
  // kUpper for equalities.
  Side SideOf(int i, double z) const {
    if (z > upper[i] || lower[i] == upper[i]) return kUpper;
    return z < lower[i] ? kLower : kNone;
  }

  // Hands multipliers, penalties and the multipliers of the curvature to the
  // functions.
  void Publish(const std::vector<double>& curvature_multipliers);
  // Takes c and A from the functions and from the Jacobian that was evaluated
  // last.
  void TakeJacobian(const BlockJacobian& jacobian);
  // c at the trial point.
  void GetTrialValues(std::vector<double>* trial) const;

  // Writes the rows of coordinate i: sqrt(rho_i) (z_i - bound) and its
  // derivatives, or zeros if its side is kNone.
  void WriteRows(const std::vector<Side>& sides, BlockJacobian* jacobian) const;

  // Curvature rows of negative sign, N, follow in the same order of
  // constraints: product = N step; and residuals of these rows.
  int num_negative_rows() const { return num_negative_rows_; }
  void MultiplyNegative(const double* step, std::vector<double>* product) const;
  // The negative rows in the Jacobian become zero, until the next TakeJacobian.
  void DropNegativeRows(BlockJacobian* jacobian);
  void WriteNegativeResiduals(const std::vector<double>& residuals,
                              BlockJacobian* jacobian) const;

  // product = A step.
  void Multiply(const double* step, std::vector<double>* product) const;
  // y_j += sum_i factors_i A_ij, or factors_i A_ij^2.
  void AddTransposed(const std::vector<double>& factors, double* y) const;
  void AddSquares(const std::vector<double>& factors, double* y) const;
  // marks[j]: whether column j of the num_columns may have a derivative in a
  // chosen coordinate.
  void MarkColumns(const std::vector<bool>& is_chosen, int num_columns,
                   std::vector<bool>* marks) const;
  // By coordinate, sum_j A_ij^2 and sum_j A_ij^2 scale_j.
  void RowNorms(const double* scale, std::vector<double>* squared_norms,
                std::vector<double>* scaled) const;

  // 1/2 sum_i rho_i t_i^2 at values c.
  double Penalty(const std::vector<double>& c) const;
  // sum_i factors_i |c_i - clamp(z_i)|^2: zero if c is feasible and each
  // multiplier belongs to an active bound.
  double Defect(const std::vector<double>& factors,
                const std::vector<double>& c) const;
  double Violation(int i, const std::vector<double>& c) const;

  // By row block: whether the rows are a constraint's.
  bool IsConstraintRow(int row) const { return is_row_[row]; }

 private:
  struct Block {
    ConstraintFunction* function;
    int row;             // row block
    int first;           // coordinate
    std::int64_t saved;  // its row block in saved_
  };
  // Calls f(coordinate, column, derivative) for all entries of A.
  template <typename F>
  void ForEachEntry(const F& f) const;

  const BlockJacobianStructure& structure_;
  std::vector<Block> blocks_;
  std::vector<bool> is_row_;
  int num_negative_rows_ = 0;
  std::vector<double> saved_;  // row blocks, whose derivatives are scaled
  std::vector<double> scale_;  // by coordinate: sqrt(rho) of the saved rows
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_CONSTRAINED_CONSTRAINT_MODEL_H_
