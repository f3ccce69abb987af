// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LBFGS_H_
#define CERES_INTERNAL_MINIMIZER_LBFGS_H_

#include <vector>

#include "ceres/execution/execution.h"

namespace ceres::internal {

// Whether the pair (s, y) has positive curvature s'y above rounding error. An
// update with another pair would make the Hessian indefinite (J. Nocedal, S.
// Wright, Numerical Optimization, 2nd ed., section 6.1). s_dot_y = s'y.
bool HasCurvature(double s_dot_y, double s_norm, double y_norm);

// The inverse Hessian H of limited-memory BFGS, from the last `rank` pairs
//
//   s = x_next - x,   y = g_next - g,   rho = 1 / s'y.
//
// The two-loop recursion applies H (Nocedal and Wright, algorithm 7.4). H_0 is
// the identity, or the identity times s'y / y'y of the newest pair ((7.20);
// Oren's scaling). A product takes about 4 rank n multiplications. Not
// thread-safe.
class LowRankInverseHessian {
 public:
  enum class Scaling { kNone, kNewestPair };

  // n: number of variables.
  LowRankInverseHessian(const Execution& execution, int n, int rank,
                        Scaling scaling);

  // Adds a pair, which replaces the oldest if there are `rank` pairs. Returns
  // false and changes nothing if the pair has no positive curvature. s and y
  // have n values.
  bool Update(const double* s, const double* y);

  // h_x = H x. The two arrays must not overlap.
  void Multiply(const double* x, double* h_x) const;

 private:
  struct Pair {
    std::vector<double> s;
    std::vector<double> y;
    double s_dot_y;
  };
  // The i-th newest pair.
  const Pair& Newest(int i) const;

  const Execution execution_;
  const int n_;
  const int rank_;
  const Scaling scaling_;
  std::vector<Pair> pairs_;  // ring buffer
  int next_ = 0;             // index of the next pair
  double scale_ = 1.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LBFGS_H_
