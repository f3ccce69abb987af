// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_JET_FUNCTIONS_H_
#define CERES_PUBLIC_INTERNAL_JET_FUNCTIONS_H_

// The mathematical functions of <cmath> for Jets. Included by ceres/jet.h only,
// which comes first.
//
// The comment above a function is its derivative; f' stands for the derivatives
// of the argument f. Where a function has no derivative, the formula's result
// under IEEE 754 stands: infinite, or not a number.

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "ceres/internal/hypot.h"
#include "ceres/internal/jet_derivative.h"
#include "ceres/internal/jet_numeric_traits.h"
#include "ceres/internal/jet_traits.h"
#include "ceres/internal/port.h"
#include "ceres/jet_fwd.h"

#ifdef CERES_HAS_CPP20
#include <numeric>
#endif

namespace ceres {

// The functions for plain scalars are found in this namespace too, so that code
// in it can call them for both.
using std::abs;
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cbrt;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fdim;
using std::floor;
using std::fma;
using std::fmax;
using std::fmin;
using std::fpclassify;
using std::hypot;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::isnormal;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::norm;
using std::pow;
using std::signbit;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;

// MSVC's standard library has macros or templates of these names that Jets must
// not meet.
#if defined(_MSC_VER) && !defined(__clang__)
inline bool isgreater(double x, double y) { return std::isgreater(x, y); }
inline bool isgreaterequal(double x, double y) {
  return std::isgreaterequal(x, y);
}
inline bool isless(double x, double y) { return std::isless(x, y); }
inline bool islessequal(double x, double y) { return std::islessequal(x, y); }
inline bool islessgreater(double x, double y) {
  return std::islessgreater(x, y);
}
inline bool isunordered(double x, double y) { return std::isunordered(x, y); }
#else
using std::isgreater;
using std::isgreaterequal;
using std::isless;
using std::islessequal;
using std::islessgreater;
using std::isunordered;
#endif

#ifdef CERES_HAS_CPP20
using std::lerp;
using std::midpoint;
#endif

#ifdef CERES_HAS_CPP17_BESSEL_FUNCTIONS
using std::cyl_bessel_j;
#endif

// Absolute value, sign, rounding.

// sign(f) f', where the sign of a zero counts.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> abs(const Jet<T, N>& f) {
  return Jet<T, N>(abs(f.a), internal::JetCombine<T>{copysign(T(1), f.a)}, f);
}

// sign(f) sign(g) f'. Where g is zero the result jumps, and no derivative
// exists: all of them are NaN.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> copysign(const Jet<T, N>& f, const Jet<T, N>& g) {
  const T value = copysign(f.a, g.a);
  if (g.a == T(0)) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    return Jet<T, N>(value, Eigen::Matrix<T, N, 1>::Constant(nan));
  }
  const T slope(signbit(f.a) == signbit(g.a) ? 1 : -1);
  return Jet<T, N>(value, internal::JetCombine<T>{slope, T(0)}, f, g);
}

// 0.
template <typename T, int N>
inline Jet<T, N> floor(const Jet<T, N>& f) {
  return Jet<T, N>(floor(f.a));
}

// 0.
template <typename T, int N>
inline Jet<T, N> ceil(const Jet<T, N>& f) {
  return Jet<T, N>(ceil(f.a));
}

// Exponentials, logarithms, roots.

// exp(f) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> exp(const Jet<T, N>& f) {
  const T value = exp(f.a);
  return Jet<T, N>(value, internal::JetCombine<T>{value}, f);
}

// exp(f) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> expm1(const Jet<T, N>& f) {
  return Jet<T, N>(expm1(f.a), internal::JetCombine<T>{exp(f.a)}, f);
}

// log(2) 2^f f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> exp2(const Jet<T, N>& f) {
  const T value = exp2(f.a);
  return Jet<T, N>(value,
                   internal::JetCombine<T>{
                       value * T(0.693147180559945309417232121458176568)},
                   f);
}

// f' / f.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> log(const Jet<T, N>& f) {
  return Jet<T, N>(log(f.a), internal::JetCombine<T>{T(1) / f.a}, f);
}

// f' / (f log(10)).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> log10(const Jet<T, N>& f) {
  return Jet<T, N>(
      log10(f.a),
      internal::JetCombine<T>{
          T(1) / (f.a * T(2.302585092994045684017991454684364208))},
      f);
}

// f' / (f log(2)).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> log2(const Jet<T, N>& f) {
  return Jet<T, N>(
      log2(f.a),
      internal::JetCombine<T>{
          T(1) / (f.a * T(0.693147180559945309417232121458176568))},
      f);
}

// f' / (1 + f).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> log1p(const Jet<T, N>& f) {
  return Jet<T, N>(log1p(f.a), internal::JetCombine<T>{T(1) / (T(1) + f.a)}, f);
}

// f' / (2 sqrt(f)).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> sqrt(const Jet<T, N>& f) {
  const T value = sqrt(f.a);
  return Jet<T, N>(value, internal::JetCombine<T>{T(1) / (T(2) * value)}, f);
}

// f' / (3 cbrt(f)^2).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> cbrt(const Jet<T, N>& f) {
  const T value = cbrt(f.a);
  return Jet<T, N>(value,
                   internal::JetCombine<T>{T(1) / (T(3) * value * value)}, f);
}

// Trigonometric and hyperbolic functions, and their inverses.

// -sin(f) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> cos(const Jet<T, N>& f) {
  return Jet<T, N>(cos(f.a), internal::JetCombine<T>{-sin(f.a)}, f);
}

// cos(f) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> sin(const Jet<T, N>& f) {
  return Jet<T, N>(sin(f.a), internal::JetCombine<T>{cos(f.a)}, f);
}

// (1 + tan(f)^2) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> tan(const Jet<T, N>& f) {
  const T value = tan(f.a);
  return Jet<T, N>(value, internal::JetCombine<T>{T(1) + value * value}, f);
}

// -f' / sqrt(1 - f^2).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> acos(const Jet<T, N>& f) {
  return Jet<T, N>(acos(f.a),
                   internal::JetCombine<T>{-T(1) / sqrt(T(1) - f.a * f.a)}, f);
}

// f' / sqrt(1 - f^2).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> asin(const Jet<T, N>& f) {
  return Jet<T, N>(asin(f.a),
                   internal::JetCombine<T>{T(1) / sqrt(T(1) - f.a * f.a)}, f);
}

// f' / (1 + f^2).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> atan(const Jet<T, N>& f) {
  return Jet<T, N>(atan(f.a),
                   internal::JetCombine<T>{T(1) / (T(1) + f.a * f.a)}, f);
}

// cosh(f) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> sinh(const Jet<T, N>& f) {
  return Jet<T, N>(sinh(f.a), internal::JetCombine<T>{cosh(f.a)}, f);
}

// sinh(f) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> cosh(const Jet<T, N>& f) {
  return Jet<T, N>(cosh(f.a), internal::JetCombine<T>{sinh(f.a)}, f);
}

// (1 - tanh(f)^2) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> tanh(const Jet<T, N>& f) {
  const T value = tanh(f.a);
  return Jet<T, N>(value, internal::JetCombine<T>{T(1) - value * value}, f);
}

namespace internal {

// Whether a sum of squares has lost no digits to underflow, and has a
// reciprocal.
template <typename T>
CERES_ALWAYS_INLINE bool IsSafeSquare(const T& square) {
  using Scalar = std::decay_t<decltype(BottomScalar(square))>;
  constexpr Scalar kLeast = std::numeric_limits<Scalar>::min() /
                            std::numeric_limits<Scalar>::epsilon();
  return BottomScalar(square) > kLeast && BottomScalar(square) < 1 / kLeast;
}

// The derivatives of atan2(g, f) by g and f.
template <typename T>
struct Atan2Slopes {
  T by_g;
  T by_f;
};

// For squares that overflow or underflow. With the larger coordinate s,
// f / (f^2 + g^2) = (f / s) / ((f / s)^2 + (g / s)^2) / s.
template <typename T>
CERES_NEVER_INLINE Atan2Slopes<T> ScaledAtan2Slopes(const T& g, const T& f) {
  const T s = abs(f) < abs(g) ? g : f;
  const T x = f / s;
  const T y = g / s;
  const T d = T(1) / (x * x + y * y);
  return {d * x / s, -y * d / s};
}

}  // namespace internal

// The angle of the point (f, g): (f g' - g f') / (f^2 + g^2).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> atan2(const Jet<T, N>& g, const Jet<T, N>& f) {
  const T square = f.a * f.a + g.a * g.a;
  const T d = T(1) / square;
  internal::Atan2Slopes<T> slopes{d * f.a, -g.a * d};
  if (!internal::IsSafeSquare(square)) {
    slopes = internal::ScaledAtan2Slopes(g.a, f.a);
  }
  return Jet<T, N>(atan2(g.a, f.a),
                   internal::JetCombine<T>{slopes.by_g, slopes.by_f}, g, f);
}

// (x x' + y y') / hypot(x, y).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> hypot(const Jet<T, N>& x, const Jet<T, N>& y) {
  const T value = hypot(x.a, y.a);
  return Jet<T, N>(value, internal::JetCombine<T>{x.a / value, y.a / value}, x,
                   y);
}

// (x x' + y y' + z z') / hypot(x, y, z).
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> hypot(const Jet<T, N>& x, const Jet<T, N>& y,
                                    const Jet<T, N>& z) {
  const T value = internal::Hypot(x.a, y.a, z.a);
  return Jet<T, N>(
      value, internal::JetCombine<T>{x.a / value, y.a / value, z.a / value}, x,
      y, z);
}

// Error functions.

// 2 / sqrt(pi) exp(-f^2) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> erf(const Jet<T, N>& f) {
  return Jet<T, N>(
      erf(f.a),
      internal::JetCombine<T>{T(1.128379167095512573896158903121545172) *
                              exp(-f.a * f.a)},
      f);
}

// -2 / sqrt(pi) exp(-f^2) f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> erfc(const Jet<T, N>& f) {
  return Jet<T, N>(
      erfc(f.a),
      internal::JetCombine<T>{-T(1.128379167095512573896158903121545172) *
                              exp(-f.a * f.a)},
      f);
}

// Squares and sums of products.

// The square: 2 f f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> norm(const Jet<T, N>& f) {
  return Jet<T, N>(norm(f.a), internal::JetCombine<T>{T(2) * f.a}, f);
}

// x y + z, rounded once: y x' + x y' + z'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> fma(const Jet<T, N>& x, const Jet<T, N>& y,
                                  const Jet<T, N>& z) {
  return Jet<T, N>(fma(x.a, y.a, z.a), internal::JetCombineAndAdd<T>{y.a, x.a},
                   x, y, z);
}

#ifdef CERES_HAS_CPP20
// a + t (b - a): (1 - t) a' + t b' + (b - a) t'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> lerp(const Jet<T, N>& a, const Jet<T, N>& b,
                                   const Jet<T, N>& t) {
  return Jet<T, N>(lerp(a.a, b.a, t.a),
                   internal::JetCombine<T>{T(1) - t.a, t.a, b.a - a.a}, a, b,
                   t);
}

// (a + b) / 2 without overflow: (a' + b') / 2.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> midpoint(const Jet<T, N>& a, const Jet<T, N>& b) {
  return Jet<T, N>(midpoint(a.a, b.a), internal::JetCombine<T>{T(0.5), T(0.5)},
                   a, b);
}
#endif  // CERES_HAS_CPP20

// Classification and quiet comparisons, of the values. In a comparison, one
// side may be a scalar.

template <typename T, int N>
inline bool isfinite(const Jet<T, N>& f) {
  return isfinite(f.a);
}

template <typename T, int N>
inline bool isinf(const Jet<T, N>& f) {
  return isinf(f.a);
}

template <typename T, int N>
inline bool isnan(const Jet<T, N>& f) {
  return isnan(f.a);
}

template <typename T, int N>
inline bool isnormal(const Jet<T, N>& f) {
  return isnormal(f.a);
}

template <typename T, int N>
inline bool signbit(const Jet<T, N>& f) {
  return signbit(f.a);
}

template <typename T, int N>
inline int fpclassify(const Jet<T, N>& f) {
  return fpclassify(f.a);
}

template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline bool isless(const Lhs& f, const Rhs& g) {
  return isless(internal::BottomScalar(f), internal::BottomScalar(g));
}

template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline bool isgreater(const Lhs& f, const Rhs& g) {
  return isgreater(internal::BottomScalar(f), internal::BottomScalar(g));
}

template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline bool islessequal(const Lhs& f, const Rhs& g) {
  return islessequal(internal::BottomScalar(f), internal::BottomScalar(g));
}

template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline bool islessgreater(const Lhs& f, const Rhs& g) {
  return islessgreater(internal::BottomScalar(f), internal::BottomScalar(g));
}

template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline bool isgreaterequal(const Lhs& f, const Rhs& g) {
  return isgreaterequal(internal::BottomScalar(f), internal::BottomScalar(g));
}

template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline bool isunordered(const Lhs& f, const Rhs& g) {
  return isunordered(internal::BottomScalar(f), internal::BottomScalar(g));
}

// Maximum, minimum, positive difference. One side may be a scalar.

namespace internal {

// The average of two Jets with equal values. The value stays even where half of
// it underflows.
template <typename T, int N>
inline Jet<T, N> AverageOfEquals(const Jet<T, N>& x, const Jet<T, N>& y) {
  Jet<T, N> average = x * T(0.5) + y * T(0.5);
  if constexpr (JetOperand<T>::kIsJet) {
    average.a = AverageOfEquals(x.a, y.a);
  } else {
    average.a = x.a;
  }
  return average;
}

}  // namespace internal

// The greater Jet. If both values are equal, the average of the two Jets. A NaN
// is treated as a missing argument.
template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline decltype(auto) fmax(const Lhs& x, const Rhs& y) {
  using J = std::common_type_t<Lhs, Rhs>;
  if (isnan(y) || isgreater(x, y)) return J(x);
  if (isnan(x) || isless(x, y)) return J(y);
  return internal::AverageOfEquals(J(x), J(y));
}

// The derivative of the smaller one; otherwise as fmax.
template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline decltype(auto) fmin(const Lhs& x, const Rhs& y) {
  using J = std::common_type_t<Lhs, Rhs>;
  if (isnan(y) || isless(x, y)) return J(x);
  if (isnan(x) || isgreater(x, y)) return J(y);
  return internal::AverageOfEquals(J(x), J(y));
}

// f - g where f is greater than g, the constant zero where it is not, and NaN
// where one of them is NaN.
template <typename Lhs, typename Rhs,
          std::enable_if_t<CompatibleJetOperands_v<Lhs, Rhs>>* = nullptr>
inline std::common_type_t<Lhs, Rhs> fdim(const Lhs& f, const Rhs& g) {
  using Result = std::common_type_t<Lhs, Rhs>;
  if (islessequal(f, g)) return Result();
  if (isgreater(f, g)) return Result(f) - Result(g);
  return std::numeric_limits<Result>::quiet_NaN();
}

// Bessel functions of the first kind.

#if defined(CERES_HAS_CPP17_BESSEL_FUNCTIONS) || \
    defined(CERES_HAS_POSIX_BESSEL_FUNCTIONS)

// J_n(x) for n >= 0.
inline double BesselJn(int n, double x) {
#if defined(_MSC_VER) && defined(CERES_HAS_POSIX_BESSEL_FUNCTIONS)
  return _jn(n, x);
#elif defined(CERES_HAS_POSIX_BESSEL_FUNCTIONS)
  return ::jn(n, x);
#else
  // Defined for x >= 0 only; J_n is even or odd as n is.
  const double value = std::cyl_bessel_j(n, std::abs(x));
  return x < 0.0 && n % 2 != 0 ? -value : value;
#endif
}

inline double BesselJ0(double x) { return BesselJn(0, x); }
inline double BesselJ1(double x) { return BesselJn(1, x); }

// J_0' = -J_1. Abramowitz and Stegun, 9.1.28.
template <typename T, int N>
inline Jet<T, N> BesselJ0(const Jet<T, N>& f) {
  const T d = -T(BesselJ1(f.a));
  return Jet<T, N>(T(BesselJ0(f.a)), internal::JetCombine<T>{d}, f);
}

// J_n' = (J_{n-1} - J_{n+1}) / 2. Abramowitz and Stegun, 9.1.27.
template <typename T, int N>
inline Jet<T, N> BesselJn(int n, const Jet<T, N>& f) {
  if (n == 0) return BesselJ0(f);
  const T d = T(0.5) * (T(BesselJn(n - 1, f.a)) - T(BesselJn(n + 1, f.a)));
  return Jet<T, N>(T(BesselJn(n, f.a)), internal::JetCombine<T>{d}, f);
}

template <typename T, int N>
inline Jet<T, N> BesselJ1(const Jet<T, N>& f) {
  return BesselJn(1, f);
}

#endif

#ifdef CERES_HAS_CPP17_BESSEL_FUNCTIONS
// J_v of real order v >= 0, for f >= 0. J_v' is (J_{v-1} - J_{v+1}) / 2, which
// for orders below 1 is rewritten as v / f J_v - J_{v+1} to keep orders from
// becoming negative. Abramowitz and Stegun, 9.1.27.
template <typename T, int N>
inline Jet<T, N> cyl_bessel_j(double v, const Jet<T, N>& f) {
  const T value = T(cyl_bessel_j(v, f.a));
  const T next = T(cyl_bessel_j(v + 1, f.a));
  T d = -next;
  if (v >= 1) {
    d = T(0.5) * (T(cyl_bessel_j(v - 1, f.a)) - next);
  } else if (v > 0) {
    d = T(v) / f.a * value - next;
  }
  return Jet<T, N>(value, internal::JetCombine<T>{d}, f);
}
#endif  // CERES_HAS_CPP17_BESSEL_FUNCTIONS

// Powers.

namespace internal {

// The derivative of f^g by f, g f^(g - 1), given f^g.
template <typename T>
inline T PowDerivative(const T& f, const T& g, const T& power) {
  if (g == T(0)) return T(0);
  // A division costs a tenth of a call to pow, and is as precise unless the
  // power has overflowed or lost digits to underflow.
  if (isnormal(power)) return g * (power / f);
  return g * pow(f, g - T(1));
}

// Whether a negative number to the power of g is a real number.
template <typename T>
inline bool IsIntegral(const T& g) {
  return g == floor(g);
}

// NaN where the exponent varies: a negative base has no power there.
template <typename T, int N>
inline void InvalidateWhereExponentVaries(const Jet<T, N>& g, Jet<T, N>* h) {
  for (int i = 0; i < N; ++i) {
    if (g.v[i] != T(0)) h->v[i] = std::numeric_limits<T>::quiet_NaN();
  }
}

}  // namespace internal

// f^g for a constant exponent: g f^(g - 1) f'.
template <typename T, int N>
inline Jet<T, N> pow(const Jet<T, N>& f, double g) {
  const T value = T(pow(f.a, T(g)));
  return Jet<T, N>(
      value, internal::JetCombine<T>{internal::PowDerivative(f.a, T(g), value)},
      f);
}

// f^g for a constant base: log(f) f^g g'. Special cases:
//   f = 0, g > 0             zero, without derivatives.
//   f < 0, g an integer      derivatives are NaN where g varies, 0 elsewhere.
template <typename T, int N>
inline Jet<T, N> pow(T f, const Jet<T, N>& g) {
  if (f == T(0) && g.a > T(0)) return Jet<T, N>();
  const T value = pow(f, g.a);
  if (f < T(0) && internal::IsIntegral(g.a)) {
    Jet<T, N> h(value);
    internal::InvalidateWhereExponentVaries(g, &h);
    return h;
  }
  return Jet<T, N>(value, internal::JetCombine<T>{log(f) * value}, g);
}

// f^g: g f^(g - 1) f' + log(f) f^g g'. Special cases:
//   f = 0, g > 1             zero, without derivatives.
//   f = 0, g = 1             f.
//   f < 0, g an integer      g f^(g - 1) f', and NaN where g varies.
template <typename T, int N>
inline Jet<T, N> pow(const Jet<T, N>& f, const Jet<T, N>& g) {
  if (f.a == T(0) && g.a > T(1)) return Jet<T, N>();
  if (f.a == T(0) && g.a == T(1)) return f;
  const T value = pow(f.a, g.a);
  const T by_f = internal::PowDerivative(f.a, g.a, value);
  if (f.a < T(0) && internal::IsIntegral(g.a)) {
    Jet<T, N> h(value, internal::JetCombine<T>{by_f}, f);
    internal::InvalidateWhereExponentVaries(g, &h);
    return h;
  }
  return Jet<T, N>(value, internal::JetCombine<T>{by_f, log(f.a) * value}, f,
                   g);
}

// Deprecated names of the functions for classification.

CERES_DEPRECATED_WITH_MSG("Use ceres::isfinite instead.")
inline bool IsFinite(double x) { return std::isfinite(x); }

template <typename T, int N>
CERES_DEPRECATED_WITH_MSG("Use ceres::isfinite instead.")
inline bool IsFinite(const Jet<T, N>& f) {
  return isfinite(f.a);
}

CERES_DEPRECATED_WITH_MSG("Use ceres::isinf instead.")
inline bool IsInfinite(double x) { return std::isinf(x); }

template <typename T, int N>
CERES_DEPRECATED_WITH_MSG("Use ceres::isinf instead.")
inline bool IsInfinite(const Jet<T, N>& f) {
  return isinf(f.a);
}

CERES_DEPRECATED_WITH_MSG("Use ceres::isnan instead.")
inline bool IsNaN(double x) { return std::isnan(x); }

template <typename T, int N>
CERES_DEPRECATED_WITH_MSG("Use ceres::isnan instead.")
inline bool IsNaN(const Jet<T, N>& f) {
  return isnan(f.a);
}

CERES_DEPRECATED_WITH_MSG("Use ceres::isnormal instead.")
inline bool IsNormal(double x) { return std::isnormal(x); }

template <typename T, int N>
CERES_DEPRECATED_WITH_MSG("Use ceres::isnormal instead.")
inline bool IsNormal(const Jet<T, N>& f) {
  return isnormal(f.a);
}

}  // namespace ceres

#endif  // CERES_PUBLIC_INTERNAL_JET_FUNCTIONS_H_
