// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "eigen_arrays.h"

#include <algorithm>

namespace vesta::python {

using Eigen::VectorXd;

nb::object ToArray(const double* data, const std::vector<int64_t>& shape) {
  double* to;
  nb::object array = NewArray(shape, &to);
  int64_t size = 1;
  for (const int64_t n : shape) size *= n;
  std::copy_n(data, size, to);
  return array;
}

nb::object ToArray(const VectorXd& x) { return ToArray(x.data(), {x.size()}); }

VectorXd FromArray(nb::handle object, const char* name) {
  const DoubleArray array = ReadableArray(object, name);
  return Eigen::Map<const VectorXd>(array.data, array.size);
}

}  // namespace vesta::python
