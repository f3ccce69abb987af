// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Models of fit_many that are compiled functions, of Numba, Cython or C.

#ifndef VESTA_PYTHON_COMPILED_MODEL_H_
#define VESTA_PYTHON_COMPILED_MODEL_H_

#include <nanobind/nanobind.h>

#include "ceres/fit_many.h"
#include "common.h"

namespace vesta::python {

// The residuals f(x, p) - y, where y is the column after num_inputs columns x.
//
// description: the kind and the address of f, the kind and the address of its
// derivatives, 0 for differences. Kinds, which vesta/_fit_many/compiled.py
// tells apart:
//
//   "numbers" double f(double x..., double p...), at most kMostNumbers
//   "sample"  double f(double x, const double* p)
//             void derivatives(double x, const double* p, double* out)
//   "row"     double f(const double* x, const double* p)
//             void derivatives(const double* x, const double* p, double* out)
//   "array"   void f(int64_t n, const double* x, const double* p, double* out)
//             void derivatives(int64_t n, const double* x, const double* p,
//                              double* out)
//
// x of an array: [num_inputs][n]. Derivatives: [num_parameters], or
// [n][num_parameters].
ceres::FitFunction CompiledModel(const nb::tuple& description, int num_inputs,
                                 int num_parameters);

inline constexpr int kMostNumbers = 16;

}  // namespace vesta::python

#endif  // VESTA_PYTHON_COMPILED_MODEL_H_
