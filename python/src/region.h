// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The linear model of a dense fit, and its minimizer in a ball.

#ifndef VESTA_PYTHON_REGION_H_
#define VESTA_PYTHON_REGION_H_

#include <Eigen/Core>

namespace vesta::python {

// The linear model of m residuals at a point, reduced to n rows.
//
//   |f + J p|^2 = |q + R p|^2 + const      J = Q R,  q = Q'f
struct ReducedModel {
  Eigen::MatrixXd r;             // n x n, upper triangular
  Eigen::VectorXd q;             // n
  Eigen::VectorXd gradient;      // J'f
  Eigen::VectorXd column_norms;  // |J e_j|

  // The reduction of (J, f), by Householder reflections. Pieces of rows are
  // factored one after the other.
  void Reduce(const Eigen::Ref<const Eigen::MatrixXd>& jacobian,
              const Eigen::VectorXd& residuals);
  // Half the change of |q + R p|^2 from 0 to p.
  double Change(const Eigen::VectorXd& p) const;
};

// min |q + B y|^2 subject to |y| <= radius, for one B and many radii.
//
// By the singular value decomposition of B the minimizer is
//   y(lambda) = -V (S^2 + lambda I)^-1 S U'q,
// where lambda >= 0 is zero, or the root of |y(lambda)| = radius. The root is
// that of 1 / radius - 1 / |y(lambda)|, which is nearly linear, by Newton's
// method with bounds. More, "The Levenberg-Marquardt Algorithm: Implementation
// and Theory", 1978, section 5. Singular values below the precision of B count
// as zeros.
class BallProblem {
 public:
  void Set(const Eigen::MatrixXd& b, const Eigen::VectorXd& q);

  // The minimizer in the ball; *inside tells whether it is the one of the whole
  // space.
  Eigen::VectorXd Minimize(double radius, bool* inside);
  // The largest decrease of |q + B y|^2 over all y, as a root.
  double LargestDecrease() const;

 private:
  Eigen::VectorXd At(double lambda) const;

  Eigen::VectorXd singular_values_;
  Eigen::VectorXd projection_;  // U'q, zero where the singular value is
  Eigen::MatrixXd v_;
  double lambda_ = 0.0;  // of the latest call
};

}  // namespace vesta::python

#endif  // VESTA_PYTHON_REGION_H_
