// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Stumpff's functions of x = theta^2,
//
//   c_n(x) = sum over k of (-x)^k / (2 k + n)!,
//
// are the coefficients of the exponential maps of rotations and of their
// Jacobians: c_0 = cos(theta), c_1 = sin(theta) / theta,
// c_2 = (1 - cos(theta)) / theta^2, c_3 = (theta - sin(theta)) / theta^3. They
// are analytic: nothing here is singular at theta = 0. They satisfy
//
//   c_n = 1 / n! - x c_{n+2},     dc_n / dx = (n c_{n+2} - c_{n+1}) / 2.
//
// Stumpff, "Himmelsmechanik I", 1959; Danby, "Fundamentals of Celestial
// Mechanics", 2nd edition, section 6.9. The derivative follows from the series.

#ifndef CERES_PUBLIC_INTERNAL_STUMPFF_H_
#define CERES_PUBLIC_INTERNAL_STUMPFF_H_

#include <cmath>

#include "ceres/jet.h"

namespace ceres::internal {

constexpr double InverseFactorial(int n) {
  double result = 1.0;
  for (int i = 2; i <= n; ++i) {
    result /= i;
  }
  return result;
}

// n! times the first kTerms + 1 terms of c_n, by Horner's scheme.
template <int n, int kTerms, typename T>
inline T ScaledStumpffSeries(const T& x) {
  if constexpr (kTerms == 0) {
    return T(1.0);
  } else {
    constexpr double kRatio = 1.0 / ((n + 1) * (n + 2));
    return T(1.0) - x * T(kRatio) * ScaledStumpffSeries<n + 2, kTerms - 1>(x);
  }
}

// c[n] = c_n(x) for 0 <= n < kCount, with errors of a few eps.
template <int kCount, typename T>
inline void StumpffFunctions(const T& x, T* c) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  static_assert(kCount >= 3, "There are closed forms for the first three.");
  if (x > T(1.0)) {
    // Half angles: 1 - cos(theta) would cancel.
    const T theta = sqrt(x);
    const T half_sine = sin(T(0.5) * theta);
    const T half_cosine = cos(T(0.5) * theta);
    const T twice_squared = T(2.0) * half_sine * half_sine;
    c[0] = T(1.0) - twice_squared;
    c[1] = T(2.0) * half_sine * half_cosine / theta;
    c[2] = twice_squared / x;
    for (int n = 3; n < kCount; ++n) {
      c[n] = (T(InverseFactorial(n - 2)) - c[n - 2]) / x;
    }
    return;
  }
  // The recurrence loses no digits in this direction.
  constexpr int kTerms = 9;
  constexpr int kLast = kCount - 1;
  c[kLast] = T(InverseFactorial(kLast)) * ScaledStumpffSeries<kLast, kTerms>(x);
  c[kLast - 1] = T(InverseFactorial(kLast - 1)) *
                 ScaledStumpffSeries<kLast - 1, kTerms>(x);
  for (int n = kLast - 2; n >= 0; --n) {
    c[n] = T(InverseFactorial(n)) - x * c[n + 2];
  }
}

// dc_n / dx.
template <typename T>
inline T StumpffDerivative(int n, const T* c) {
  return T(0.5) * (T(static_cast<double>(n)) * c[n + 2] - c[n + 1]);
}

// The same for a Jet: two more functions of the value give the derivatives.
template <int kCount, typename T, int N>
inline void StumpffFunctions(const Jet<T, N>& x, Jet<T, N>* c) {
  T values[kCount + 2];
  StumpffFunctions<kCount + 2>(x.a, values);
  for (int n = 0; n < kCount; ++n) {
    c[n] = x * StumpffDerivative(n, values);
    c[n].a = values[n];
  }
}

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_STUMPFF_H_
