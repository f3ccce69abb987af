// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Powell's singular function (M. J. D. Powell, "An iterative method for finding
// stationary values of a function of several variables", 1962):
//
//   1/2 ((x1 + 10 x2)^2 + 5 (x3 - x4)^2 + (x2 - 2 x3)^4 + 10 (x1 - x4)^4)
//
// Each residual is w (a + k b)^p of two unknowns a and b.

#ifndef VESTA_EXAMPLES_POWELL_H_
#define VESTA_EXAMPLES_POWELL_H_

#include <cmath>

#include "ceres/autodiff_cost_function.h"
#include "ceres/problem.h"

namespace ceres::examples {

// w (a + k b)^p with p = kPower, 1 or 2.
template <int kPower>
struct PowellTerm {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    static_assert(kPower == 1 || kPower == 2);
    const T sum = a[0] + k * b[0];
    residual[0] = w * sum;
    if constexpr (kPower == 2) residual[0] *= sum;
    return true;
  }

  double w;
  double k;
};

// A residual block of two parameter blocks of size one.
template <int kPower>
void AddPowellTerm(PowellTerm<kPower> term, double* a, double* b,
                   Problem* problem) {
  using Term = PowellTerm<kPower>;
  problem->AddResidualBlock(
      new AutoDiffCostFunction<Term, 1, 1, 1>(new Term(term)), nullptr, a, b);
}

// All four terms, a parameter block for each unknown.
inline void AddPowellTerms(double* x1, double* x2, double* x3, double* x4,
                           Problem* problem) {
  AddPowellTerm(PowellTerm<1>{1.0, 10.0}, x1, x2, problem);
  AddPowellTerm(PowellTerm<1>{std::sqrt(5.0), -1.0}, x3, x4, problem);
  AddPowellTerm(PowellTerm<2>{1.0, -2.0}, x2, x3, problem);
  AddPowellTerm(PowellTerm<2>{std::sqrt(10.0), -1.0}, x1, x4, problem);
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_POWELL_H_
