// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_INTERNAL_TRACED_JET_H_
#define CERES_PUBLIC_INTERNAL_TRACED_JET_H_

// Jets of Traced numbers: a functor that is called with them records its values
// and its derivatives, by the formulas of ceres/jet.h. A program made of the
// record has the bits of a functor that is called with Jets of doubles, as far
// as operations have the same bits.
//
// Derivatives that are constant zeros are left out, as jet_derivative.h does.
// Factors of one and minus one, which seeds have, are left out too; this
// changes no bit.

#include <limits>
#include <type_traits>

#include "Eigen/Core"
#include "ceres/jet.h"
#include "ceres/traced.h"

namespace ceres {
namespace internal {

inline bool IsConstant(const Traced& x, double value) {
  return x.tape() == nullptr && x.value() == value;
}

}  // namespace internal

// The functions of jet_derivative.h for entries of type Traced. In this
// namespace, because the templates there find them by their argument.

// p x, for a derivative x.
inline Traced JetProduct(const Traced& p, const Traced& x) {
  if (internal::IsConstant(x, 0.0) || internal::IsConstant(p, 1.0)) return x;
  if (internal::IsConstant(x, 1.0)) return p;
  if (internal::IsConstant(x, -1.0)) return -p;
  if (internal::IsConstant(p, -1.0)) return -x;
  return p * x;
}

inline Traced JetSum(const Traced& x, const Traced& y) {
  if (internal::IsConstant(x, 0.0)) return y;
  if (internal::IsConstant(y, 0.0)) return x;
  return x + y;
}

inline Traced JetDifference(const Traced& x, const Traced& y) {
  if (internal::IsConstant(x, 0.0)) return -y;
  if (internal::IsConstant(y, 0.0)) return x;
  return x - y;
}

// Arithmetic of Jets and plain numbers, which are constants.
#define VESTA_TRACED_JET_OPERATOR(op)                             \
  template <typename U, int N,                                    \
            std::enable_if_t<std::is_arithmetic_v<U>>* = nullptr> \
  Jet<Traced, N> operator op(const Jet<Traced, N>& x, U y) {      \
    return x op Traced(y);                                        \
  }                                                               \
  template <typename U, int N,                                    \
            std::enable_if_t<std::is_arithmetic_v<U>>* = nullptr> \
  Jet<Traced, N> operator op(U x, const Jet<Traced, N>& y) {      \
    return Traced(x) op y;                                        \
  }
VESTA_TRACED_JET_OPERATOR(+)
VESTA_TRACED_JET_OPERATOR(-)
VESTA_TRACED_JET_OPERATOR(*)
VESTA_TRACED_JET_OPERATOR(/)
#undef VESTA_TRACED_JET_OPERATOR

// Comparisons of values, as conditions. So Select needs no decision.
#define VESTA_TRACED_JET_COMPARISON(op)                                    \
  template <int N>                                                         \
  TracedCondition operator op(const Jet<Traced, N>& x,                     \
                              const Jet<Traced, N>& y) {                   \
    return x.a op y.a;                                                     \
  }                                                                        \
  template <typename U, int N,                                             \
            std::enable_if_t<std::is_convertible_v<U, Traced>>* = nullptr> \
  TracedCondition operator op(const Jet<Traced, N>& x, const U& y) {       \
    return x.a op Traced(y);                                               \
  }                                                                        \
  template <typename U, int N,                                             \
            std::enable_if_t<std::is_convertible_v<U, Traced>>* = nullptr> \
  TracedCondition operator op(const U& x, const Jet<Traced, N>& y) {       \
    return Traced(x) op y.a;                                               \
  }
VESTA_TRACED_JET_COMPARISON(<)
VESTA_TRACED_JET_COMPARISON(<=)
VESTA_TRACED_JET_COMPARISON(>)
VESTA_TRACED_JET_COMPARISON(>=)
VESTA_TRACED_JET_COMPARISON(==)
VESTA_TRACED_JET_COMPARISON(!=)
#undef VESTA_TRACED_JET_COMPARISON

// Functions of a Jet and a plain number.
template <int N>
Jet<Traced, N> pow(double x, const Jet<Traced, N>& y) {
  return pow(Traced(x), y);
}
template <int N>
auto fmax(const Jet<Traced, N>& x, double y) {
  return fmax(x, Traced(y));
}
template <int N>
auto fmax(double x, const Jet<Traced, N>& y) {
  return fmax(Traced(x), y);
}
template <int N>
auto fmin(const Jet<Traced, N>& x, double y) {
  return fmin(x, Traced(y));
}
template <int N>
auto fmin(double x, const Jet<Traced, N>& y) {
  return fmin(Traced(x), y);
}

// The one of ceres/jet.h compares with compile-time constants.
template <int N>
Jet<Traced, N> atan2(const Jet<Traced, N>& g, const Jet<Traced, N>& f) {
  constexpr double kLeast = std::numeric_limits<double>::min() /
                            std::numeric_limits<double>::epsilon();
  const Traced square = f.a * f.a + g.a * g.a;
  const Traced d = Traced(1.0) / square;
  internal::Atan2Slopes<Traced> slopes{d * f.a, -g.a * d};
  if (!(square > kLeast) || !(square < 1.0 / kLeast)) {
    slopes = internal::ScaledAtan2Slopes(g.a, f.a);
  }
  return Jet<Traced, N>(atan2(g.a, f.a),
                        internal::JetCombine<Traced>{slopes.by_g, slopes.by_f},
                        g, f);
}

// As Select of Traced numbers, value and derivatives.
template <int N>
Jet<Traced, N> Select(const TracedCondition& condition, const Jet<Traced, N>& a,
                      const Jet<Traced, N>& b) {
  Jet<Traced, N> result(Select(condition, a.a, b.a));
  for (int i = 0; i < N; ++i) {
    const bool is_zero =
        internal::IsConstant(a.v[i], 0.0) && internal::IsConstant(b.v[i], 0.0);
    if (!is_zero) result.v[i] = Select(condition, a.v[i], b.v[i]);
  }
  return result;
}

}  // namespace ceres

namespace Eigen {

// Lets Eigen compute with matrices of Traced numbers, and of their Jets.
template <>
struct NumTraits<ceres::Traced> : GenericNumTraits<ceres::Traced> {
  static int digits10() { return NumTraits<double>::digits10(); }
  static int max_digits10() {
    return std::numeric_limits<double>::max_digits10;
  }
  static ceres::Traced dummy_precision() { return 1e-12; }
  enum { RequireInitialization = 1, HasFloatingPoint = 1 };
};

template <typename BinaryOp>
struct ScalarBinaryOpTraits<ceres::Traced, double, BinaryOp> {
  using ReturnType = ceres::Traced;
};
template <typename BinaryOp>
struct ScalarBinaryOpTraits<double, ceres::Traced, BinaryOp> {
  using ReturnType = ceres::Traced;
};

}  // namespace Eigen

#endif  // CERES_PUBLIC_INTERNAL_TRACED_JET_H_
