// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FIRST_ORDER_FUNCTION_H_
#define CERES_PUBLIC_FIRST_ORDER_FUNCTION_H_

#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres {

// A function f: R^n -> R with its gradient, to be minimized by a
// GradientProblemSolver.
//
// Thread safety: Evaluate may be called from several threads at once.
class CERES_EXPORT FirstOrderFunction {
 public:
  virtual ~FirstOrderFunction();

  // Computes f and, unless gradient is null, its gradient.
  //
  //   parameters   x, NumParameters() values.
  //   cost         f(x), one value to write; never null.
  //   gradient     null, or NumParameters() values to write: df / dx_i.
  //
  // The caller owns all arrays. Returns false when f cannot be evaluated at x.
  virtual bool Evaluate(const double* const parameters, double* cost,
                        double* gradient) const = 0;

  // The number n of parameters.
  virtual int NumParameters() const = 0;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_FIRST_ORDER_FUNCTION_H_
