// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Functions of M = lambda I + W, W = [w]x, as polynomials of W (see
// axis_polynomial.h): the scaled rotations of Sim3. With x = |w|^2,
//
//   V = int_0^1 exp(u M) du = A I + B W + C W^2.
//
// On the axis V is A = phi(lambda), phi(z) = (exp(z) - 1) / z; on the plane
// across it V is the complex number D + i theta B = phi(lambda + i theta) with
// D = A - x C. The closed forms of Strasdat ("Local Accuracy and Global
// Consistency for Efficient Visual SLAM", 2012, section 2.4) and of Eade ("Lie
// Groups for 2D and 3D Transformations", 2017) divide by lambda and by theta.
// Here the only divisor is x + lambda^2:
//
//   D = (lambda r + x e c_1) / (x + lambda^2),        e = exp(lambda),
//   B = (lambda e c_1 - r) / (x + lambda^2),          r = e c_0 - 1,
//   C = (A - D + lambda (e c_2 - B)) / (x + lambda^2),
//
// with Stumpff's functions c_n(x) of internal/stumpff.h. The last line is the
// sum of x C = A - D and of lambda C = e c_2 - B, an integration by parts. If
// x + lambda^2 is small, V is the series of phi. Own derivation.

#ifndef CERES_PUBLIC_INTERNAL_SCALED_ROTATION_H_
#define CERES_PUBLIC_INTERNAL_SCALED_ROTATION_H_

#include <cmath>

#include "ceres/internal/axis_polynomial.h"
#include "ceres/internal/stumpff.h"
#include "ceres/jet.h"

namespace ceres::internal {

// The terms of a series of M for x + lambda^2 <= 1, up to rounding; two more
// than values need, for derivatives.
inline constexpr int kScaledRotationTerms = 20;

// The sum of coefficients[k] M^k, k < kScaledRotationTerms, by Horner's scheme.
template <typename T, typename C>
inline AxisPolynomial<T> ScaledRotationSeries(const T& x, const T& lambda,
                                              const C* coefficients) {
  AxisPolynomial<T> sum{T(coefficients[kScaledRotationTerms - 1]), T(0.0),
                        T(0.0)};
  for (int k = kScaledRotationTerms - 2; k >= 0; --k) {
    // W W^2 = -x W.
    const T b = lambda * sum.b + sum.a - x * sum.c;
    sum.c = lambda * sum.c + sum.b;
    sum.b = b;
    sum.a = T(coefficients[k]) + lambda * sum.a;
  }
  return sum;
}

// 1 / (k + shift)!, the coefficients of the series of phi for shift = 1.
template <int shift>
struct InverseFactorials {
  constexpr InverseFactorials() : values() {
    for (int k = 0; k < kScaledRotationTerms; ++k) {
      values[k] = InverseFactorial(k + shift);
    }
  }
  double values[kScaledRotationTerms];
};
template <int shift>
inline constexpr InverseFactorials<shift> kInverseFactorials;

// phi(lambda).
template <typename T>
inline T MeanExponential(const T& lambda) {
  using std::expm1;
  if (lambda * lambda > T(1.0)) return expm1(lambda) / lambda;
  const double* coefficients = kInverseFactorials<1>.values;
  T sum(coefficients[kScaledRotationTerms - 1]);
  for (int k = kScaledRotationTerms - 2; k >= 0; --k) {
    sum = T(coefficients[k]) + lambda * sum;
  }
  return sum;
}

template <typename T>
inline AxisPolynomial<T> ComputeScaledRotationIntegral(const T& x,
                                                       const T& lambda) {
  using std::exp;
  using std::expm1;
  const T squared_norm = x + lambda * lambda;
  if (!(squared_norm > T(1.0))) {
    return ScaledRotationSeries(x, lambda, kInverseFactorials<1>.values);
  }
  T c[3];
  StumpffFunctions<3>(x, c);
  const T e = exp(lambda);
  // e c_0 - 1, without cancellation.
  const T r = expm1(lambda) * c[0] - x * c[2];
  const T inverse = T(1.0) / squared_norm;
  AxisPolynomial<T> V;
  V.a = MeanExponential(lambda);
  V.b = (lambda * e * c[1] - r) * inverse;
  const T D = (lambda * r + x * e * c[1]) * inverse;
  V.c = (V.a - D + lambda * (e * c[2] - V.b)) * inverse;
  return V;
}

// V.
template <typename T>
inline AxisPolynomial<T> ScaledRotationIntegral(const T& x, const T& lambda) {
  return ComputeScaledRotationIntegral(x, lambda);
}

// The same for Jets: V has two arguments, so two derivatives are enough.
template <typename T, int N>
inline AxisPolynomial<Jet<T, N>> ScaledRotationIntegral(
    const Jet<T, N>& x, const Jet<T, N>& lambda) {
  const AxisPolynomial<Jet<T, 2>> V =
      ComputeScaledRotationIntegral(Jet<T, 2>(x.a, 0), Jet<T, 2>(lambda.a, 1));
  const auto chain = [&](const Jet<T, 2>& f) {
    return Jet<T, N>(f.a, f.v[0] * x.v + f.v[1] * lambda.v);
  };
  return {chain(V.a), chain(V.b), chain(V.c)};
}

// The blocks of the left Jacobian of Sim3 that couple rotation and scale with
// the translation v, at w, v and lambda:
//
//   Q = int_0^1 [t(s)]x exp(s W) ds,   u = -int_0^1 t(s) ds,
//
// where t(s) = int_0^s exp(u M) v du is the translation of Exp(s w, s v,
// s lambda). Q is the lower left block of phi([W, 0; [v]x, M]), the sum over i
// and j of M^i [v]x W^j / (i + j + 2)!. With W^3 = -x W, sums over j are
// Stumpff's functions:
//
//   Q = P_0 [v]x + P_1 [v]x W + P_2 [v]x W^2,   u = -P_0 v,
//   P_0 = sum_k M^k / (k + 2)!,   P_n = sum_k c_{k+2+n}(x) M^k.
//
// Arguments are halved until the series converge fast, then doubled by
// J(2 tau) = (J(tau) + Ad(Exp(tau)) J(tau)) / 2. Own derivation.
template <typename T>
class ScaledRotationCoupling {
 public:
  ScaledRotationCoupling(const T w[3], const T v[3], const T& lambda)
      : lambda_(lambda) {
    constexpr int kMostHalvings = 12;  // exp(2^12) is not finite.
    T squared_norm = SquaredNormOf3(w) + lambda * lambda;
    T scale(1.0);
    int num_halvings = 0;
    while (squared_norm > T(1.0) && num_halvings < kMostHalvings) {
      squared_norm *= T(0.25);
      scale *= T(0.5);
      ++num_halvings;
    }
    lambda_ *= scale;
    for (int i = 0; i < 3; ++i) {
      w_[i] = scale * w[i];
      v_[i] = scale * v[i];
    }
    SumSeries();
    for (int i = 0; i < num_halvings; ++i) Double();
  }

  // Q, by columns.
  const T (&Q() const)[3][3] { return Q_; }
  const T (&u() const)[3] { return u_; }

 private:
  // [v]x W = w v^T - (w.v) I, and [v]x W^2 = w (v x w)^T - (w.v) W.
  void SumSeries() {
    const T x = SquaredNormOf3(w_);
    T c[kScaledRotationTerms + 4];
    StumpffFunctions<kScaledRotationTerms + 4>(x, c);
    const AxisPolynomial<T> P[3] = {
        ScaledRotationSeries(x, lambda_, kInverseFactorials<2>.values),
        ScaledRotationSeries(x, lambda_, c + 3),
        ScaledRotationSeries(x, lambda_, c + 4)};
    const T dot = w_[0] * v_[0] + w_[1] * v_[1] + w_[2] * v_[2];
    T cross[3];
    Cross(v_, w_, cross);
    for (int col = 0; col < 3; ++col) {
      const T unit[3] = {T(col == 0 ? 1.0 : 0.0), T(col == 1 ? 1.0 : 0.0),
                         T(col == 2 ? 1.0 : 0.0)};
      T factors[3][3];
      Cross(v_, unit, factors[0]);
      Cross(w_, unit, factors[2]);
      for (int i = 0; i < 3; ++i) {
        factors[1][i] = w_[i] * v_[col] - dot * unit[i];
        factors[2][i] = w_[i] * cross[col] - dot * factors[2][i];
        Q_[col][i] = T(0.0);
      }
      for (int n = 0; n < 3; ++n) {
        P[n].Multiply(w_, factors[n], factors[n]);
        for (int i = 0; i < 3; ++i) Q_[col][i] += factors[n][i];
      }
    }
    P[0].Multiply(w_, v_, u_);
    for (int i = 0; i < 3; ++i) u_[i] = -u_[i];
  }

  // Q <- (Q + [t]x R J + s R Q) / 2,   u <- (u - t + s R u) / 2.
  void Double() {
    using std::exp;
    const T x = SquaredNormOf3(w_);
    T c[4];
    StumpffFunctions<4>(x, c);
    const T s = exp(lambda_);
    const AxisPolynomial<T> R{T(1.0), c[1], c[2]};
    const AxisPolynomial<T> RJ = R.Times(x, {T(1.0), c[2], c[3]});
    const AxisPolynomial<T> sR{s, s * c[1], s * c[2]};
    T matrix[9];
    RJ.Write(w_, 3, matrix);
    T t[3];
    ScaledRotationIntegral(x, lambda_).Multiply(w_, v_, t);
    for (int col = 0; col < 3; ++col) {
      const T column[3] = {matrix[col], matrix[3 + col], matrix[6 + col]};
      T turned[3];
      T moved[3];
      sR.Multiply(w_, Q_[col], turned);
      Cross(t, column, moved);
      for (int i = 0; i < 3; ++i) {
        Q_[col][i] = T(0.5) * (Q_[col][i] + moved[i] + turned[i]);
      }
    }
    T turned[3];
    sR.Multiply(w_, u_, turned);
    for (int i = 0; i < 3; ++i) {
      u_[i] = T(0.5) * (u_[i] - t[i] + turned[i]);
      w_[i] += w_[i];
      v_[i] += v_[i];
    }
    lambda_ += lambda_;
  }

  T w_[3];
  T v_[3];
  T lambda_;
  T Q_[3][3];
  T u_[3];
};

}  // namespace ceres::internal

#endif  // CERES_PUBLIC_INTERNAL_SCALED_ROTATION_H_
