// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LBFGS_H_
#define CERES_INTERNAL_MINIMIZER_LBFGS_H_

#include <vector>

#include "ceres/execution/execution.h"

namespace ceres::internal {

// Whether (s, y) carries positive curvature that is more than rounding; without
// it an update would spoil positive definiteness (Nocedal and Wright, Numerical
// Optimization, 2nd ed., section 6.1). s_dot_y = s'y.
bool HasCurvature(double s_dot_y, double s_norm, double y_norm);

// The inverse Hessian H of limited-memory BFGS: the last `rank` pairs
//
//   s = x_next - x,   y = g_next - g,   rho = 1 / s'y,
//
// applied by the two-loop recursion (Nocedal and Wright, algorithm 7.4). H_0 is
// the identity, or s'y / y'y times it with the newest pair ((7.20); Oren's
// scaling). Cost of a product: 4 rank n.
class LowRankInverseHessian {
 public:
  enum class Scaling { kNone, kNewestPair };

  // n: number of variables.
  LowRankInverseHessian(const Execution& execution, int n, int rank,
                        Scaling scaling);

  // Adds a pair and forgets the oldest beyond the rank. False, and nothing is
  // changed, if it has no curvature. s and y have n values.
  bool Update(const double* s, const double* y);

  // h_x = H x. May not coincide.
  void Multiply(const double* x, double* h_x) const;

 private:
  struct Pair {
    std::vector<double> s;
    std::vector<double> y;
    double s_dot_y;
  };
  // The i-th newest.
  const Pair& Newest(int i) const;

  const Execution execution_;
  const int n_;
  const int rank_;
  const Scaling scaling_;
  std::vector<Pair> pairs_;  // a ring
  int next_ = 0;             // where the next pair goes
  double scale_ = 1.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LBFGS_H_
