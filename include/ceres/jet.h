// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_JET_H_
#define CERES_PUBLIC_JET_H_

// Dual numbers for forward-mode automatic differentiation.
//
// A Jet is a value a and the vector v of its derivatives with respect to N
// independent variables:
//
//   x = a + v_0 e_0 + ... + v_{N-1} e_{N-1},   where e_i e_j = 0.
//
// Functions of Jets follow from Taylor's theorem, which is the chain rule:
//
//   f(x)    = f(a)      + f'(a) v e,
//   f(x, y) = f(a, b)   + (df/dx(a, b) v + df/dy(a, b) w) e.
//
// A function template that is written for any scalar type therefore gives, at
//   Jet(x_0, 0), Jet(x_1, 1), ..., Jet(x_{N-1}, N-1),
// its value and its gradient. The value has the bits that the function has for
// plain scalars, as far as the compiler does not contract operations.
//
// References: R. Hartley's use of Jets goes back to D. Piponi, "Automatic
// Differentiation, C++ Templates and Photogrammetry", Journal of Graphics Tools
// 9(4), 2004. Griewank and Walther, "Evaluating Derivatives", SIAM, 2008.
//
// The functions of this header have no side effects: Jets are as thread safe as
// doubles.

#include <cmath>
#include <complex>
#include <iostream>  // Programs count on it.
#include <limits>
#include <memory>   // Programs count on it.
#include <numeric>  // Programs count on it.
#include <ostream>
#include <type_traits>
#include <utility>

#include "Eigen/Core"
#include "ceres/internal/jet_derivative.h"
#include "ceres/internal/jet_traits.h"
#include "ceres/internal/port.h"
#include "ceres/jet_fwd.h"

#ifdef CERES_HAS_CPP20
#include <numeric>
#endif

namespace ceres {

// A value and its N derivatives. T is a real scalar: float, double, long
// double, another Jet, or a class that behaves like them. With float and
// double, all functions below work on several derivatives at a time. They also
// omit derivatives that an optimizing compiler knows to be zero. Such
// derivatives stay zero even if the others become infinite or NaN
// (internal/jet_derivative.h).
template <typename T, int N>
struct Jet {
  enum {
    // The number N of derivatives.
    DIMENSION = N
  };
  // The type of the value and of each derivative.
  using Scalar = T;

  // The constant zero.
  CERES_ALWAYS_INLINE Jet() : a() { internal::SetZeroDerivatives(&v); }

  // A constant.
  CERES_ALWAYS_INLINE explicit Jet(const T& value) : a(value) {
    internal::SetZeroDerivatives(&v);
  }

  // A constant from a plain number, for Jets of Jets: a functor's T(0.5) works
  // at every depth.
  template <typename U,
            std::enable_if_t<std::is_arithmetic_v<U> &&
                             internal::JetOperand<T>::kIsJet>* = nullptr>
  CERES_ALWAYS_INLINE explicit Jet(U value) : Jet(T(value)) {}

  // The independent variable number k, 0 <= k < N, at value.
  CERES_ALWAYS_INLINE Jet(const T& value, int k) : a(value) {
    internal::SetUnitDerivatives(k, &v);
  }

  // A value with all its derivatives.
  template <typename Derived>
  CERES_ALWAYS_INLINE Jet(const T& a, const Eigen::DenseBase<Derived>& v)
      : a(a), v(v) {}

  // The value a with the derivatives op(x.v[i]...), 0 <= i < N. For the rules
  // of differentiation below.
  template <typename Op, typename... Jets>
  CERES_ALWAYS_INLINE Jet(const T& a, const Op& op, const Jet& x,
                          const Jets&... more)
      : a(a) {
    internal::MapDerivatives(op, &v, x.v, more.v...);
  }

  // Copies value and derivatives.
  CERES_ALWAYS_INLINE Jet(const Jet& y) : a(y.a) {
    internal::MapDerivatives(internal::JetIdentity(), &v, y.v);
  }

  CERES_ALWAYS_INLINE Jet& operator=(const Jet& y) {
    a = y.a;
    internal::MapDerivatives(internal::JetIdentity(), &v, y.v);
    return *this;
  }

  // Arithmetic with another Jet; see the operators below.
  CERES_ALWAYS_INLINE Jet& operator+=(const Jet& y) {
    return *this = *this + y;
  }
  CERES_ALWAYS_INLINE Jet& operator-=(const Jet& y) {
    return *this = *this - y;
  }
  CERES_ALWAYS_INLINE Jet& operator*=(const Jet& y) {
    return *this = *this * y;
  }
  CERES_ALWAYS_INLINE Jet& operator/=(const Jet& y) {
    return *this = *this / y;
  }

  // Arithmetic with a constant.
  CERES_ALWAYS_INLINE Jet& operator+=(const T& s) {
    a += s;
    return *this;
  }
  CERES_ALWAYS_INLINE Jet& operator-=(const T& s) {
    a -= s;
    return *this;
  }
  CERES_ALWAYS_INLINE Jet& operator*=(const T& s) { return *this = *this * s; }
  CERES_ALWAYS_INLINE Jet& operator/=(const T& s) { return *this = *this / s; }

  // The value.
  T a;

  // The derivatives.
  Eigen::Matrix<T, N, 1> v;

  EIGEN_MAKE_ALIGNED_OPERATOR_NEW
};

// Arithmetic.

// f itself.
template <typename T, int N>
CERES_ALWAYS_INLINE const Jet<T, N>& operator+(const Jet<T, N>& f) {
  return f;
}

// (-f)' = -f'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator-(const Jet<T, N>& f) {
  return Jet<T, N>(-f.a, internal::JetNegate(), f);
}

// (f + g)' = f' + g'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator+(const Jet<T, N>& f,
                                        const Jet<T, N>& g) {
  return Jet<T, N>(f.a + g.a, internal::JetAdd(), f, g);
}

// (f + s)' = f' for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator+(const Jet<T, N>& f, T s) {
  return Jet<T, N>(f.a + s, internal::JetIdentity(), f);
}

// (s + f)' = f' for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator+(T s, const Jet<T, N>& f) {
  return Jet<T, N>(s + f.a, internal::JetIdentity(), f);
}

// (f - g)' = f' - g'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator-(const Jet<T, N>& f,
                                        const Jet<T, N>& g) {
  return Jet<T, N>(f.a - g.a, internal::JetSubtract(), f, g);
}

// (f - s)' = f' for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator-(const Jet<T, N>& f, T s) {
  return Jet<T, N>(f.a - s, internal::JetIdentity(), f);
}

// (s - f)' = -f' for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator-(T s, const Jet<T, N>& f) {
  return Jet<T, N>(s - f.a, internal::JetNegate(), f);
}

// (f g)' = g f' + f g'.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator*(const Jet<T, N>& f,
                                        const Jet<T, N>& g) {
  return Jet<T, N>(f.a * g.a, internal::JetCombine<T>{f.a, g.a}, g, f);
}

// (f s)' = s f' for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator*(const Jet<T, N>& f, T s) {
  return Jet<T, N>(f.a * s, internal::JetCombine<T>{s}, f);
}

// (s f)' = s f' for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator*(T s, const Jet<T, N>& f) {
  return Jet<T, N>(s * f.a, internal::JetCombine<T>{s}, f);
}

// (f / g)' = (f' - (f / g) g') / g.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator/(const Jet<T, N>& f,
                                        const Jet<T, N>& g) {
  const T quotient = f.a / g.a;
  return Jet<T, N>(quotient, internal::JetQuotient<T>{quotient, T(1) / g.a}, f,
                   g);
}

// (s / g)' = -(s / g) / g g' for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator/(T s, const Jet<T, N>& g) {
  const T quotient = s / g.a;
  return Jet<T, N>(quotient, internal::JetCombine<T>{-quotient * (T(1) / g.a)},
                   g);
}

// (f / s)' = f' / s for a constant s.
template <typename T, int N>
CERES_ALWAYS_INLINE Jet<T, N> operator/(const Jet<T, N>& f, T s) {
  return Jet<T, N>(f.a / s, internal::JetCombine<T>{T(1) / s}, f);
}

// Comparisons look at values only. One side may be a scalar of any type.

// Returns whether the value of f < the value of g.
template <typename Lhs, typename Rhs,
          std::enable_if_t<PromotableJetOperands_v<Lhs, Rhs>>* = nullptr>
constexpr bool operator<(const Lhs& f, const Rhs& g) noexcept(
    noexcept(internal::BottomScalar(f) < internal::BottomScalar(g))) {
  return internal::BottomScalar(f) < internal::BottomScalar(g);
}

// Returns whether the value of f <= the value of g.
template <typename Lhs, typename Rhs,
          std::enable_if_t<PromotableJetOperands_v<Lhs, Rhs>>* = nullptr>
constexpr bool operator<=(const Lhs& f, const Rhs& g) noexcept(
    noexcept(internal::BottomScalar(f) <= internal::BottomScalar(g))) {
  return internal::BottomScalar(f) <= internal::BottomScalar(g);
}

// Returns whether the value of f > the value of g.
template <typename Lhs, typename Rhs,
          std::enable_if_t<PromotableJetOperands_v<Lhs, Rhs>>* = nullptr>
constexpr bool operator>(const Lhs& f, const Rhs& g) noexcept(
    noexcept(internal::BottomScalar(f) > internal::BottomScalar(g))) {
  return internal::BottomScalar(f) > internal::BottomScalar(g);
}

// Returns whether the value of f >= the value of g.
template <typename Lhs, typename Rhs,
          std::enable_if_t<PromotableJetOperands_v<Lhs, Rhs>>* = nullptr>
constexpr bool operator>=(const Lhs& f, const Rhs& g) noexcept(
    noexcept(internal::BottomScalar(f) >= internal::BottomScalar(g))) {
  return internal::BottomScalar(f) >= internal::BottomScalar(g);
}

// Returns whether the value of f == the value of g.
template <typename Lhs, typename Rhs,
          std::enable_if_t<PromotableJetOperands_v<Lhs, Rhs>>* = nullptr>
constexpr bool operator==(const Lhs& f, const Rhs& g) noexcept(
    noexcept(internal::BottomScalar(f) == internal::BottomScalar(g))) {
  return internal::BottomScalar(f) == internal::BottomScalar(g);
}

// Returns whether the value of f != the value of g.
template <typename Lhs, typename Rhs,
          std::enable_if_t<PromotableJetOperands_v<Lhs, Rhs>>* = nullptr>
constexpr bool operator!=(const Lhs& f, const Rhs& g) noexcept(
    noexcept(internal::BottomScalar(f) != internal::BottomScalar(g))) {
  return internal::BottomScalar(f) != internal::BottomScalar(g);
}

// Prints "[a ; v0, v1, ...]".
template <typename T, int N>
std::ostream& operator<<(std::ostream& s, const Jet<T, N>& z) {
  s << "[" << z.a << " ; ";
  for (int i = 0; i < N; ++i) {
    s << (i == 0 ? "" : ", ") << z.v[i];
  }
  return s << "]";
}

}  // namespace ceres

#include "ceres/internal/jet_functions.h"
#include "ceres/internal/jet_numeric_traits.h"

#endif  // CERES_PUBLIC_JET_H_
