// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_REDUNDANCY_H_
#define CERES_INTERNAL_DIAGNOSIS_REDUNDANCY_H_

#include <string>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// Residuals of which at most this part of an error shows count as unchecked: an
// error of 41,000 standard deviations can pass unnoticed.
inline constexpr double kUncheckedRedundancy = 1e-8;

struct RedundancyOptions {
  // Columns that are held, ascending: the pivots of a basis of the null space
  // of J (sparse_basis.h). Directions of single column blocks need not be
  // listed.
  std::vector<int> held_columns;
  // The variance of residuals; 0: it is estimated, r'r / degrees of freedom.
  double variance_factor = 1.0;
  // The probability that a test rejects a residual without error, and that it
  // notices the smallest detectable error. In (0, 1).
  double significance = 0.001;
  double power = 0.8;
  // Up to this number of multiply-adds, all columns are made orthonormal
  // together, and errors are of the order of eps cond(J). Up to 30 times as
  // many if errors are larger than 1e-10 otherwise.
  double max_dense_operations = 1e8;
};

// How well the other row blocks check one row block.
struct RowBlockCheck {
  // The trace of its diagonal block of R: between 0 and its number of
  // residuals. An error e in its residuals shows as R e in them.
  double redundancy = 0.0;
  // The smallest eigenvalue of that block: errors along its eigenvector show
  // least. In [0, 1].
  double smallest_eigenvalue = 0.0;
  // The largest |r_i| / sqrt(variance R_ii) of residuals that are checked.
  double largest_standardized_residual = 0.0;
  // An error of any one residual that is at least this large is noticed with
  // probability `power`: the largest NonCentrality() sqrt(variance / R_ii).
  // Infinite if a residual is unchecked. In units of the residuals.
  double smallest_detectable_error = 0.0;

  // Nothing shows of any error in the row block: it alone determines as many
  // directions as it has residuals.
  bool IsUnchecked() const { return redundancy <= kUncheckedRedundancy; }
  // Nothing shows of errors in some direction. Common: a point that two cameras
  // see is not checked along the epipolar lines.
  bool HasUncheckedDirection() const {
    return smallest_eigenvalue <= kUncheckedRedundancy;
  }
};

struct Redundancy {
  std::vector<RowBlockCheck> row_blocks;
  std::vector<double> diagonal;  // R_ii by residual
  int rank = 0;                  // of J without the held columns
  int degrees_of_freedom = 0;    // residuals - rank; the sum of `diagonal`
  double variance_factor = 1.0;  // as given, or estimated
  // About the largest error of an entry of R.
  double error = 0.0;
};

// Computes the redundancy numbers of row blocks: the diagonal blocks of
//
//     R = I - J (J'J)^+ J',     the projector on the complement of range(J)
//
// To first order, residuals at a minimum are r = R e for errors e of the
// observations. So row blocks with R_bb = 0 hide their own errors: they alone
// determine a direction. Residuals have units of their standard deviation
// (whitened), and J and r are those of a solve: if they are corrected for loss
// functions, R and r are those of the reweighted problem. Then outliers have
// rows near zero, a redundancy near their number of residuals, and small
// residuals. To find outliers by standardized residuals, leave out the losses.
//
// R depends on range(J) alone. This gives the method its freedom:
//
// 1. Held columns. Let J N = 0 for a basis N of the null space, and let its
//    rows N_p in the held columns p be regular. J_p N_p + J_q N_q = 0 gives
//    J_p = - J_q N_q N_p^-1: the other columns q have the range of J. And J_q
//    has full column rank: J_q x = 0 means (0, x) = N c, so N_p c = 0, c = 0.
// 2. Column blocks are made orthonormal, each by a QR factorization with column
//    pivoting: J_b P = Q R1, and Q replaces J_b. Columns that depend on others
//    of their block are left out, which holds the directions of single blocks.
//    The units of parameters, and weak directions of single blocks (the depth
//    of a point), then have no influence.
// 3. With Q of all blocks side by side, R_bb = I - Q_b (Q'Q)^-1 Q_b'. The
//    blocks of (Q'Q)^-1 that row blocks need are in the pattern of Q'Q
//    (sparse/sparse_inverse.h). Errors are about eps max (Q'Q)^-1_jj.
//
// Source: Baarda, A Testing Procedure for Use in Geodetic Networks, 1968;
// Pope, The Statistics of Residuals and the Detection of Outliers, 1976.
//
// jacobian: J and r in tangent coordinates. Memory: one more Jacobian, and the
// factor of J'J. Throws Stopped if execution.stop says so. The bits do not
// depend on the number of threads. Returns false, with a message, if J is not
// finite, if more directions than those held are undetermined, or for lack of
// memory.
[[nodiscard]] bool ComputeRedundancy(const Execution& execution,
                                     const BlockJacobian& jacobian,
                                     const RedundancyOptions& options,
                                     Redundancy* result, std::string* message);

// The shift of a standard normal variable that a two-sided test with this
// significance notices with this power: 4.13 for 0.001 and 0.8. Parameters are
// in (0, 1). The tail beyond the other bound is left out.
double NonCentrality(double significance, double power);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_REDUNDANCY_H_
