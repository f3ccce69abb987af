// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The compression of a dense least-squares problem with many more residuals
// than variables.
//
// With J = Q R, the n + 1 residuals [Q'g; |g - Q Q'g|] with the Jacobian [R; 0]
// have the cost, the gradient and the normal matrix of the m residuals g with
// the Jacobian J. R and Q'g follow from J'J and J'g, which BLAS computes fast:
// D is the diagonal matrix of column norms, L L' = D^-1 J'J D^-1 its Cholesky
// factorization, R = L'D and Q'g = L^-1 D^-1 J'g. Squaring loses digits if J is
// badly conditioned. Scaled columns have norm one, so that the least pivot of L
// is the sine of an angle between a column and those before it.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "common.h"

namespace vesta::python {
namespace {

using Matrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::VectorXd;

// A column is no combination of those before it as long as the sine of its
// angle to them exceeds this bound. About half of the digits are left then.
constexpr double kLeastSine = 1e-4;

double At(const StridedArray& array, int64_t row, int64_t column) {
  return *reinterpret_cast<const double*>(array.data + row * array.strides[0] +
                                          column * array.strides[1]);
}

// Writes Q'g and the norm of the rest to `residuals`, and R to `jacobian`,
// which must be zero. Returns false and writes nothing if J is badly
// conditioned, or J'J is not finite.
bool Compress(nb::handle normal, nb::handle projection, double square,
              nb::handle residuals, nb::handle jacobian) {
  const DoubleArray short_residuals = WritableArray(residuals, "residuals");
  const int64_t n = short_residuals.size - 1;
  const StridedArray products = ReadableStrided(normal, {n, n}, "normal");
  const StridedArray sums = ReadableStrided(projection, {n}, "projection");
  const DoubleArray triangle = WritableArray(jacobian, "jacobian");
  if (triangle.size != (n + 1) * n) {
    RaiseValueError("jacobian: expected an array of shape (n + 1, n).");
  }
  VectorXd norms(n);
  for (int64_t i = 0; i < n; ++i) {
    norms[i] = std::sqrt(At(products, i, i));
    if (!std::isfinite(norms[i]) || norms[i] <= 0.0) return false;
  }
  Matrix scaled(n, n);
  VectorXd projected(n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      scaled(i, j) = At(products, i, j) / (norms[i] * norms[j]);
    }
    projected[i] = At(sums, i, 0) / norms[i];
  }
  const Eigen::LLT<Eigen::Ref<Matrix>, Eigen::Lower> factorization(scaled);
  // Written so that a pivot that is not a number is refused.
  if (factorization.info() != Eigen::Success ||
      !(scaled.diagonal().minCoeff() > kLeastSine) ||
      !scaled.diagonal().allFinite()) {
    return false;
  }
  factorization.matrixL().solveInPlace(projected);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i; j < n; ++j) {
      triangle.data[i * n + j] = scaled(j, i) * norms[j];
    }
    short_residuals.data[i] = projected[i];
  }
  short_residuals.data[n] =
      std::sqrt(std::max(0.0, square - projected.squaredNorm()));
  return true;
}

}  // namespace

void BindCompression(nb::module_& module) {
  module.def("_compress", &Compress, nb::arg("normal"), nb::arg("projection"),
             nb::arg("square"), nb::arg("residuals"), nb::arg("jacobian"));
}

}  // namespace vesta::python
