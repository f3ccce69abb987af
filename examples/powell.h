// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Powell's singular function (M. J. D. Powell, "An iterative method for finding
// stationary values of a function of several variables", 1962): the four terms
//
//   f1 = x1 + 10 x2                f2 = sqrt(5) (x3 - x4)
//   f3 = (x2 - 2 x3)^2             f4 = sqrt(10) (x1 - x4)^2

#ifndef VESTA_EXAMPLES_POWELL_H_
#define VESTA_EXAMPLES_POWELL_H_

#include <cmath>

#include "ceres/autodiff_cost_function.h"
#include "ceres/problem.h"

namespace ceres::examples {

struct PowellF1 {
  template <typename T>
  bool operator()(const T* x1, const T* x2, T* residual) const {
    residual[0] = x1[0] + 10.0 * x2[0];
    return true;
  }
};

struct PowellF2 {
  template <typename T>
  bool operator()(const T* x3, const T* x4, T* residual) const {
    residual[0] = std::sqrt(5.0) * (x3[0] - x4[0]);
    return true;
  }
};

struct PowellF3 {
  template <typename T>
  bool operator()(const T* x2, const T* x3, T* residual) const {
    const T difference = x2[0] - 2.0 * x3[0];
    residual[0] = difference * difference;
    return true;
  }
};

struct PowellF4 {
  template <typename T>
  bool operator()(const T* x1, const T* x4, T* residual) const {
    const T difference = x1[0] - x4[0];
    residual[0] = std::sqrt(10.0) * difference * difference;
    return true;
  }
};

// A residual of two parameter blocks of size one.
template <typename Functor>
void AddPowellTerm(double* a, double* b, Problem* problem) {
  problem->AddResidualBlock(
      new AutoDiffCostFunction<Functor, 1, 1, 1>(new Functor), nullptr, a, b);
}

// All four terms, a parameter block for each unknown.
inline void AddPowellTerms(double* x1, double* x2, double* x3, double* x4,
                           Problem* problem) {
  AddPowellTerm<PowellF1>(x1, x2, problem);
  AddPowellTerm<PowellF2>(x3, x4, problem);
  AddPowellTerm<PowellF3>(x2, x3, problem);
  AddPowellTerm<PowellF4>(x1, x4, problem);
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_POWELL_H_
