// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MINIMIZER_LINE_SEARCH_LBFGS_H_
#define CERES_INTERNAL_MINIMIZER_LINE_SEARCH_LBFGS_H_

#include <vector>

#include "ceres/execution/execution.h"

namespace ceres::internal {

// The inverse Hessian H0 that BFGS updates begin with.
//
//   kFirstPair   the diagonal D, if there is one, for LBFGS times
//                s'D^-1 s / s'y of the newest pair (J. Barzilai, J. Borwein,
//                Two-Point Step Size Gradient Methods, IMA J. Numer. Anal. 8,
//                1988); otherwise the identity times kFirstInverseCurvature
//                s's / s'y of the first pair
//   kNewestPair  s'y / y'D y of the newest pair times D, the diagonal or the
//                identity (Oren's scaling; J. Nocedal, S. Wright, Numerical
//                Optimization, 2nd ed., (7.20))
enum class InverseHessianScaling { kFirstPair, kNewestPair };

// A step s and the change y of the gradient along it, with their products in
// the metric of a diagonal D, which is the identity if `diagonal` is null.
struct CurvaturePair {
  CurvaturePair(const Execution& execution, int n, const double* s,
                const double* y, const double* diagonal);

  // Whether the curvature s'y is positive above rounding error. An update with
  // another pair would make the Hessian indefinite (Nocedal and Wright, section
  // 6.1).
  bool HasCurvature() const;

  // The inverse of the curvature along s, in the metric of D.
  double InverseCurvature() const { return squared_s / s_dot_y; }

  // The factor of D in the H0 of BFGS. current: the factor so far. is_first:
  // whether there was no pair before.
  double InitialScale(InverseHessianScaling scaling, bool is_first,
                      double current) const;

  double s_dot_y = 0.0;
  double squared_s = 0.0;  // s' D^-1 s
  double squared_y = 0.0;  // y' D y
  bool has_diagonal = false;
};

// The inverse Hessian H of limited-memory BFGS, from the last `rank` pairs
//
//   s = x_next - x,   y = g_next - g,   rho = 1 / s'y.
//
// The two-loop recursion applies H (Nocedal and Wright, algorithm 7.4). A
// product takes about 4 rank n multiplications. Not thread-safe.
class LowRankInverseHessian {
 public:
  // n: number of variables.
  LowRankInverseHessian(const Execution& execution, int n, int rank,
                        InverseHessianScaling scaling);

  // Adds a pair, which replaces the oldest if there are `rank` pairs. Returns
  // false and changes nothing if the pair has no positive curvature. s and y
  // have n values, as the diagonal of D, which may be null.
  bool Update(const double* s, const double* y, const double* diagonal);

  // h_x = H x, with the diagonal D in H0. The first two arrays must not
  // overlap.
  void Multiply(const double* x, double* h_x, const double* diagonal) const;

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
  const InverseHessianScaling scaling_;
  std::vector<Pair> pairs_;  // ring buffer
  int next_ = 0;             // index of the next pair
  double scale_ = 1.0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MINIMIZER_LINE_SEARCH_LBFGS_H_
