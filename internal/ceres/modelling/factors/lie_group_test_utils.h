// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_MODELLING_FACTORS_LIE_GROUP_TEST_UTILS_H_
#define CERES_INTERNAL_MODELLING_FACTORS_LIE_GROUP_TEST_UTILS_H_

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "Eigen/Core"
#include "ceres/constants.h"

namespace ceres::factors {

// The reference is matrix algebra in long double: the Lie algebra as matrices,
// power series of the exponential function, and commutators.
using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

template <typename G>
using Tangent = Eigen::Matrix<double, G::kTangentSize, 1>;
template <typename G>
using Element = Eigen::Matrix<double, G::kAmbientSize, 1>;
template <typename G>
using Square = Eigen::Matrix<double, G::kTangentSize, G::kTangentSize,
                             G::kTangentSize == 1 ? 0 : Eigen::RowMajor>;

// The matrix of a tangent.
template <typename G>
RealMatrix Hat(const RealVector& v) {
  constexpr int n = G::kSpaceSize;
  RealMatrix m = RealMatrix::Zero(n + 1, n + 1);
  if constexpr (n == 2) {
    m(0, 1) = -v[0];
    m(1, 0) = v[0];
    if (v.size() > 1) m.block(0, 2, 2, 1) = v.segment(1, 2);
  } else {
    m.topLeftCorner(3, 3) << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
    if (v.size() > 3) m.block(0, 3, 3, 1) = v.segment(3, 3);
    if (v.size() > 6) m.topLeftCorner(3, 3).diagonal().setConstant(v[6]);
  }
  return m;
}

// The inverse of Hat.
template <typename G>
RealVector Vee(const RealMatrix& m) {
  RealVector v(static_cast<int>(G::kTangentSize));
  if constexpr (G::kSpaceSize == 2) {
    v[0] = m(1, 0);
    if (v.size() > 1) v.segment(1, 2) = m.block(0, 2, 2, 1);
  } else {
    v.head(3) << (m(2, 1) - m(1, 2)) / 2, (m(0, 2) - m(2, 0)) / 2,
        (m(1, 0) - m(0, 1)) / 2;
    if (v.size() > 3) v.segment(3, 3) = m.block(0, 3, 3, 1);
    if (v.size() > 6) v[6] = m(0, 0);
  }
  return v;
}

// sum of m^k / (k + shift)!.
inline RealMatrix Series(const RealMatrix& m, int shift) {
  RealMatrix term = RealMatrix::Identity(m.rows(), m.rows());
  if (shift == 0) {
    RealMatrix sum = term;
    for (int k = 1; k < 80; ++k) {
      term = (term * m / k).eval();
      sum += term;
    }
    return sum;
  }
  RealMatrix sum = term;
  for (int k = 1; k < 80; ++k) {
    term = (term * m / (k + 1)).eval();
    sum += term;
  }
  return sum;
}

// The matrix of an element, from what it does with points.
template <typename G>
RealMatrix MatrixOf(const Element<G>& x) {
  constexpr int n = G::kSpaceSize;
  const Eigen::Matrix<Real, G::kAmbientSize, 1> exact = x.template cast<Real>();
  RealMatrix m = RealMatrix::Identity(n + 1, n + 1);
  Real origin[n];
  const Real zero[n] = {};
  G::Act(exact.data(), zero, origin);
  for (int col = 0; col < n; ++col) {
    Real unit[n] = {};
    Real image[n];
    unit[col] = 1;
    G::Act(exact.data(), unit, image);
    for (int row = 0; row < n; ++row) {
      m(row, col) = image[row] - origin[row];
      m(row, n) = origin[row];
    }
  }
  return m;
}

// ad(v): the commutators with the basis.
template <typename G>
RealMatrix Commutators(const RealVector& v) {
  constexpr int n = G::kTangentSize;
  RealMatrix result(n, n);
  const RealMatrix hat = Hat<G>(v);
  for (int i = 0; i < n; ++i) {
    const RealMatrix basis = Hat<G>(RealVector::Unit(n, i));
    result.col(i) = Vee<G>(hat * basis - basis * hat);
  }
  return result;
}

// Tangents with rotation angles from 0 to pi, small and large translations and
// scales.
template <typename G>
std::vector<Tangent<G>> Tangents() {
  std::vector<Tangent<G>> result;
  int count = 0;
  for (double angle : {0.0, 1e-200, 1e-12, 1.4e-8, 1.6e-8, 1e-5, 1e-3, 0.1, 0.7,
                       0.999999, 1.000001, 1.5, 2.5, 3.0, constants::pi - 1e-4,
                       constants::pi - 1e-9, constants::pi - 1e-15}) {
    for (double size : {0.0, 1e-9, 1.0}) {
      Tangent<G> v;
      const double phase = 0.7 * ++count;
      const Eigen::Vector3d axis(std::cos(phase), std::sin(phase) * 0.6,
                                 std::sin(phase) * 0.8);
      const double rest[4] = {1.3 * size, -0.4 * size, 0.8 * size, -0.9 * size};
      constexpr int kAngles = G::kSpaceSize == 2 ? 1 : 3;
      for (int i = 0; i < G::kTangentSize; ++i) {
        v[i] = i >= kAngles ? rest[i - kAngles]
                            : angle * (kAngles == 1 ? 1.0 : axis[i]);
      }
      result.push_back(v);
    }
  }
  return result;
}

inline constexpr double kEps = std::numeric_limits<double>::epsilon();

// The largest difference of elements, in eps of the largest element or of
// `unit` if that is larger.
template <typename A, typename B>
double ErrorInEps(const A& computed, const B& exact, double unit = 1.0) {
  const Real size = std::max<Real>(exact.cwiseAbs().maxCoeff(), unit);
  return static_cast<double>(
      (computed.template cast<Real>() - exact).cwiseAbs().maxCoeff() /
      (size * kEps));
}

}  // namespace ceres::factors

#endif  // CERES_INTERNAL_MODELLING_FACTORS_LIE_GROUP_TEST_UTILS_H_
