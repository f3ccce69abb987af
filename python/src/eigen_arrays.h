// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Copies between arrays of NumPy and vectors of Eigen.

#ifndef VESTA_PYTHON_EIGEN_ARRAYS_H_
#define VESTA_PYTHON_EIGEN_ARRAYS_H_

#include <nanobind/nanobind.h>

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "common.h"

namespace vesta::python {

// A new array of the shape, in row-major order.
nb::object ToArray(const double* data, const std::vector<int64_t>& shape);
nb::object ToArray(const Eigen::VectorXd& x);
// The numbers of a contiguous array of float64. The name is for messages.
Eigen::VectorXd FromArray(nb::handle object, const char* name);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_EIGEN_ARRAYS_H_
