// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The steps of finite differences.

#ifndef VESTA_PYTHON_DIFFERENCE_STEPS_H_
#define VESTA_PYTHON_DIFFERENCE_STEPS_H_

#include <Eigen/Core>

namespace vesta::python {

struct DifferenceRule {
  Eigen::VectorXd lower;
  Eigen::VectorXd upper;
  // Typical sizes of the variables, for those that are zero. Empty: 1.
  Eigen::VectorXd sizes;
  // Steps relative to |x|, for all variables or for each. Empty: from the
  // precision of the function.
  Eigen::VectorXd relative;
};

enum class DifferenceScheme { kForward, kCentral, kComplex };

struct DifferenceStep {
  double h = 0.0;
  // kCentral: x + h and x - h. Else x + h, and x + 2 h for kCentral.
  bool two_sided = false;
};

// The step of variable j at x, which stays within the bounds.
//
// |h| = r |x|, and r size where x is zero. With a function of precision eps,
// the errors of rounding and truncation are balanced by r = eps^(1/2) for
// one-sided differences and eps^(1/3) for central ones. Dennis and Schnabel,
// "Numerical Methods for Unconstrained Optimization and Nonlinear Equations",
// 1983, 5.4.
DifferenceStep StepOf(const DifferenceRule& rule, DifferenceScheme scheme,
                      double precision, Eigen::Index j, double x);

// Finds the step of a forward difference.
//
// A step relative to a tiny x may not change the function, or change it by
// rounding only: x = 1e-9 where x = 1 is usual. The step then grows until the
// change has some digits, at most to that of a variable of typical size.
class DifferenceSearch {
 public:
  DifferenceSearch(const DifferenceRule& rule, double precision, Eigen::Index j,
                   double x);

  double h() const { return h_; }
  // Takes the largest change and the largest value of the function. False: the
  // difference must be taken again, with another step.
  bool IsLargeEnough(double change, double value);

 private:
  double precision_;
  double h_;
  double previous_ = 0.0;
  double limit_;
  double growth_ = 1e3;
};

}  // namespace vesta::python

#endif  // VESTA_PYTHON_DIFFERENCE_STEPS_H_
