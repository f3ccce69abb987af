// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_SPHERE_MANIFOLD_FUNCTIONS_H_
#define CERES_PUBLIC_INTERNAL_SPHERE_MANIFOLD_FUNCTIONS_H_

// What SphereManifold and LineManifold have in common.

#include <cmath>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/internal/householder_vector.h"

namespace ceres::internal {

template <int N>
using AmbientVector = Eigen::Matrix<double, N, 1>;

// Coordinates at a point x of a sphere in R^n: the reflection
// H = I - beta v v' with H x = |x| e_n. Its first n - 1 columns span the
// tangent space. N is n or Eigen::Dynamic.
template <int N>
struct SphereFrame {
  SphereFrame(const double* point, int size)
      : x(Eigen::Map<const AmbientVector<N>>(point, size)),
        norm(x.stableNorm()),
        v(size) {
    ComputeHouseholderVector(x, &v, &beta);
  }

  // H y.
  AmbientVector<N> Reflect(const AmbientVector<N>& y) const {
    return ApplyHouseholderVector(y, v, beta);
  }

  // H [delta; last]. delta has size - 1 values.
  AmbientVector<N> FromTangent(const double* delta, double last) const {
    AmbientVector<N> y(x.size());
    const Eigen::Index n = x.size() - 1;
    y.head(n) = Eigen::Map<const Eigen::VectorXd>(delta, n);
    y[n] = last;
    return Reflect(y);
  }

  // H_ij.
  double Entry(Eigen::Index i, Eigen::Index j) const {
    return (i == j ? 1.0 : 0.0) - beta * v[i] * v[j];
  }

  // Writes scale times the first n - 1 columns of H, or their transpose, into a
  // row-major matrix with rows of `stride` entries.
  void WriteTangentBasis(double scale, int stride, double* matrix) const {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      for (Eigen::Index j = 0; j + 1 < x.size(); ++j) {
        matrix[i * stride + j] = scale * Entry(i, j);
      }
    }
  }
  void WriteTransposedTangentBasis(double scale, int stride,
                                   double* matrix) const {
    for (Eigen::Index j = 0; j + 1 < x.size(); ++j) {
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        matrix[j * stride + i] = scale * Entry(i, j);
      }
    }
  }

  AmbientVector<N> x;
  double norm;
  AmbientVector<N> v;
  double beta;
};

// x_plus_delta = |x| H [sin|delta| / |delta| delta; cos|delta|].
template <int N>
void ComputeSphereManifoldPlus(const SphereFrame<N>& frame, const double* delta,
                               double* x_plus_delta) {
  const Eigen::Index n = frame.x.size() - 1;
  const Eigen::Map<const Eigen::VectorXd> tangent(delta, n);
  Eigen::Map<AmbientVector<N>> result(x_plus_delta, n + 1);
  const double angle = tangent.stableNorm();
  if (angle == 0.0) {
    result = frame.x;
    return;
  }
  AmbientVector<N> y(n + 1);
  y.head(n) = (std::sin(angle) / angle) * tangent;
  y[n] = std::cos(angle);
  result = frame.norm * frame.Reflect(y);
}

// d Plus(x, delta) / d delta at delta = 0, that is |x| times the first n - 1
// columns of H, into a matrix with rows of `stride` entries.
template <int N>
void ComputeSphereManifoldPlusJacobian(const SphereFrame<N>& frame, int stride,
                                       double* jacobian) {
  frame.WriteTangentBasis(frame.norm, stride, jacobian);
}

// y_minus_x = atan2(|h_head|, h_last) / |h_head| h_head with h = H y / |x|. Of
// the many shortest ways to the opposite of x, takes that along the last
// tangent axis.
template <int N>
void ComputeSphereManifoldMinus(const SphereFrame<N>& frame, const double* y,
                                double* y_minus_x) {
  const Eigen::Index n = frame.x.size() - 1;
  const AmbientVector<N> h =
      frame.Reflect(Eigen::Map<const AmbientVector<N>>(y, n + 1) / frame.norm);
  Eigen::Map<Eigen::VectorXd> result(y_minus_x, n);
  const double sine = h.head(n).stableNorm();
  if (sine == 0.0) {
    result.setZero();
    result[n - 1] = h[n] < 0.0 ? constants::pi : 0.0;
    return;
  }
  result = (std::atan2(sine, h[n]) / sine) * h.head(n);
}

// d Minus(y, x) / d y at y = x, that is the first n - 1 rows of H over |x|,
// into a matrix with rows of `stride` entries.
template <int N>
void ComputeSphereManifoldMinusJacobian(const SphereFrame<N>& frame, int stride,
                                        double* jacobian) {
  frame.WriteTransposedTangentBasis(1.0 / frame.norm, stride, jacobian);
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_SPHERE_MANIFOLD_FUNCTIONS_H_
