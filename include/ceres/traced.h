// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_TRACED_H_
#define CERES_PUBLIC_TRACED_H_

// A scalar that records what is computed with it.
//
// FitMany (ceres/fit_many.h) and AutoDiffBatch (ceres/autodiff_batch.h) call a
// functor once with Traced arguments. The record becomes a program that
// computes the functor and its derivatives for many fits or residual blocks at
// a time, in the SIMD lanes of this machine.
//
// Arithmetic, the functions below, and comparisons are recorded. A comparison
// that becomes a bool, as in `if (x < y)`, makes the record valid for arguments
// with the same outcome only. The functor is recorded again where another
// outcome is met. Select(x < y, a, b) computes both and is cheaper if both
// outcomes are frequent.
//
// Accuracy, in units in the last place of the result, measured by
// lanes/lane_math_test: arithmetic and sqrt are exactly rounded, except for a
// division, in FitMany, of what depends on the sample by what does not, which
// is a multiplication by the reciprocal: 2. exp 1, log 1, log1p 3, sin and cos
// 3, atan and atan2 2, erf 2, erfc 6, pow 2 (4 if the result is beyond 1e100 or
// below 1e-100). Other functions are those of the C library, one value at a
// time.
//
// Thread safety: Traced numbers of one record belong to one thread.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/internal/jet_traits.h"
#include "ceres/parallel/detail/language.h"

namespace ceres {

namespace internal::lanes {

class Tape;

// What a program computes from one to four numbers. Comparisons give 1 or 0.
enum class Operation : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kNegate,
  kAbs,
  kSqrt,
  kExp,
  kLog,
  kSin,
  kCos,
  kAtan2,
  kPow,
  kErf,
  kErfc,
  kLog1p,
  kAtan,
  kLess,
  kLessOrEqual,
  kEqual,
  kSelect,  // b if a is not 0, otherwise c
  // Functions of the C library.
  kExpm1,
  kTan,
  kAsin,
  kAcos,
  kSinh,
  kCosh,
  kTanh,
  kFloor,
  kCeil,
  kExp2,
  kLog2,
  kLog10,
  kCbrt,
  kHypot,
  kCopySign,
  kFma,  // a b + c, rounded once
  // What a compiler makes of sums of products. Each operation is rounded.
  kMultiplyAdd,           // a b + c
  kMultiplySubtract,      // a b - c
  kSubtractProduct,       // c - a b
  kSumOfProducts,         // a b + c d
  kDifferenceOfProducts,  // a b - c d
};

}  // namespace internal::lanes

class TracedCondition;

// A number; see the top of this file.
class CERES_EXPORT Traced {
 public:
  // The constant zero.
  Traced() = default;
  // A constant.
  template <typename U, std::enable_if_t<std::is_arithmetic_v<U>>* = nullptr>
  Traced(U value) : value_(static_cast<double>(value)) {}

  // Entry `node` of a record, with the value that it has in this call.
  Traced(internal::lanes::Tape* tape, int node, double value)
      : tape_(tape), node_(node), value_(value) {}

  Traced& operator+=(const Traced& y);
  Traced& operator-=(const Traced& y);
  Traced& operator*=(const Traced& y);
  Traced& operator/=(const Traced& y);

  // The record; null for a constant.
  internal::lanes::Tape* tape() const { return tape_; }
  // The place in the record.
  int node() const { return node_; }
  // The value in this call.
  double value() const { return value_; }

 private:
  internal::lanes::Tape* tape_ = nullptr;
  int node_ = -1;
  double value_ = 0.0;
};

namespace internal {

// Traced is a scalar of Jets.
template <>
struct JetOperand<Traced> {
  using Scalar = Traced;
  static constexpr bool kIsJet = false;
  static constexpr bool kIsNumber = true;
  static constexpr int kNumDerivatives = 0;
};

}  // namespace internal

namespace internal::lanes {

// Records an operation, or computes it if all arguments are constants.
CERES_EXPORT Traced Record(Operation operation, const Traced& a,
                           const Traced& b = Traced(),
                           const Traced& c = Traced());

// Makes the record valid for calls only where `condition` is what it is now.
CERES_EXPORT bool Decide(const Traced& condition);

}  // namespace internal::lanes

// The outcome of a comparison.
class TracedCondition {
 public:
  // The constant `value`.
  TracedCondition(bool value) : number_(value ? 1.0 : 0.0) {}
  // The condition that number, which is 0 or 1, is 1.
  explicit TracedCondition(const Traced& number) : number_(number) {}

  // The outcome in this call. The record holds for this outcome from now on.
  operator bool() const { return internal::lanes::Decide(number_); }

  // 1 or 0.
  const Traced& number() const { return number_; }

 private:
  Traced number_;
};

// Arithmetic. One side may be a plain number.
inline Traced operator+(const Traced& x) { return x; }
inline Traced operator-(const Traced& x) {
  return internal::lanes::Record(internal::lanes::Operation::kNegate, x);
}
inline Traced operator+(const Traced& x, const Traced& y) {
  return internal::lanes::Record(internal::lanes::Operation::kAdd, x, y);
}
inline Traced operator-(const Traced& x, const Traced& y) {
  return internal::lanes::Record(internal::lanes::Operation::kSubtract, x, y);
}
inline Traced operator*(const Traced& x, const Traced& y) {
  return internal::lanes::Record(internal::lanes::Operation::kMultiply, x, y);
}
inline Traced operator/(const Traced& x, const Traced& y) {
  return internal::lanes::Record(internal::lanes::Operation::kDivide, x, y);
}
inline Traced& Traced::operator+=(const Traced& y) { return *this = *this + y; }
inline Traced& Traced::operator-=(const Traced& y) { return *this = *this - y; }
inline Traced& Traced::operator*=(const Traced& y) { return *this = *this * y; }
inline Traced& Traced::operator/=(const Traced& y) { return *this = *this / y; }

// Comparisons, as for doubles: those with NaN are false, except !=.
inline TracedCondition operator<(const Traced& x, const Traced& y) {
  return TracedCondition(
      internal::lanes::Record(internal::lanes::Operation::kLess, x, y));
}
inline TracedCondition operator<=(const Traced& x, const Traced& y) {
  return TracedCondition(
      internal::lanes::Record(internal::lanes::Operation::kLessOrEqual, x, y));
}
inline TracedCondition operator>(const Traced& x, const Traced& y) {
  return y < x;
}
inline TracedCondition operator>=(const Traced& x, const Traced& y) {
  return y <= x;
}
inline TracedCondition operator==(const Traced& x, const Traced& y) {
  return TracedCondition(
      internal::lanes::Record(internal::lanes::Operation::kEqual, x, y));
}
inline TracedCondition operator!=(const Traced& x, const Traced& y) {
  return TracedCondition(Traced(1.0) - (x == y).number());
}

// Conditions without a decision, for Select: not, and, or.
inline TracedCondition operator!(const TracedCondition& a) {
  return TracedCondition(Traced(1.0) - a.number());
}
inline TracedCondition operator&(const TracedCondition& a,
                                 const TracedCondition& b) {
  return TracedCondition(a.number() * b.number());
}
inline TracedCondition operator|(const TracedCondition& a,
                                 const TracedCondition& b) {
  return !((!a) & (!b));
}

// Returns a if the condition is true, otherwise b. The derivatives are those of
// the number returned. The template is for doubles and Jets, so that a functor
// can be used with all of them.
inline Traced Select(const TracedCondition& condition, const Traced& a,
                     const Traced& b) {
  return internal::lanes::Record(internal::lanes::Operation::kSelect,
                                 condition.number(), a, b);
}
template <typename T, std::enable_if_t<!std::is_same_v<T, Traced>>* = nullptr>
T Select(bool condition, const T& a, const T& b) {
  return condition ? a : b;
}

// Functions, as those of <cmath>.
#define VESTA_TRACED_FUNCTION(name, operation)                                \
  inline Traced name(const Traced& x) {                                       \
    return internal::lanes::Record(internal::lanes::Operation::operation, x); \
  }
VESTA_TRACED_FUNCTION(abs, kAbs)
VESTA_TRACED_FUNCTION(fabs, kAbs)
VESTA_TRACED_FUNCTION(sqrt, kSqrt)
VESTA_TRACED_FUNCTION(exp, kExp)
VESTA_TRACED_FUNCTION(log, kLog)
VESTA_TRACED_FUNCTION(sin, kSin)
VESTA_TRACED_FUNCTION(cos, kCos)
VESTA_TRACED_FUNCTION(erf, kErf)
VESTA_TRACED_FUNCTION(erfc, kErfc)
VESTA_TRACED_FUNCTION(expm1, kExpm1)
VESTA_TRACED_FUNCTION(log1p, kLog1p)
VESTA_TRACED_FUNCTION(tan, kTan)
VESTA_TRACED_FUNCTION(asin, kAsin)
VESTA_TRACED_FUNCTION(acos, kAcos)
VESTA_TRACED_FUNCTION(atan, kAtan)
VESTA_TRACED_FUNCTION(sinh, kSinh)
VESTA_TRACED_FUNCTION(cosh, kCosh)
VESTA_TRACED_FUNCTION(tanh, kTanh)
VESTA_TRACED_FUNCTION(exp2, kExp2)
VESTA_TRACED_FUNCTION(log2, kLog2)
VESTA_TRACED_FUNCTION(log10, kLog10)
VESTA_TRACED_FUNCTION(cbrt, kCbrt)
VESTA_TRACED_FUNCTION(floor, kFloor)
VESTA_TRACED_FUNCTION(ceil, kCeil)
#undef VESTA_TRACED_FUNCTION

}  // namespace ceres

// Doxygen takes the macros above for a part of what follows in a namespace.
namespace ceres {

// The angle of the point (x, y), in (-pi, pi].
inline Traced atan2(const Traced& y, const Traced& x) {
  return internal::lanes::Record(internal::lanes::Operation::kAtan2, y, x);
}
// The square root of x^2 + y^2, in FitMany without protection against overflow.
inline Traced hypot(const Traced& x, const Traced& y) {
  return internal::lanes::Record(internal::lanes::Operation::kHypot, x, y);
}
inline Traced hypot(const Traced& x, const Traced& y, const Traced& z) {
  return hypot(hypot(x, y), z);
}
// x y + z, rounded once.
inline Traced fma(const Traced& x, const Traced& y, const Traced& z) {
  return internal::lanes::Record(internal::lanes::Operation::kFma, x, y, z);
}
// The square of x.
inline Traced norm(const Traced& x) { return x * x; }
// The magnitude of x with the sign of y.
inline Traced copysign(const Traced& x, const Traced& y) {
  return internal::lanes::Record(internal::lanes::Operation::kCopySign, x, y);
}
// A constant exponent that is a small integer or a half becomes multiplications
// or a square root.
CERES_EXPORT Traced pow(const Traced& x, const Traced& y);

// The greater number, and the smaller one. A NaN is treated as a missing
// argument.
inline Traced fmax(const Traced& x, const Traced& y) {
  return Select((y < x) | (y != y), x, y);
}
inline Traced fmin(const Traced& x, const Traced& y) {
  return Select((x < y) | (y != y), x, y);
}

// Classification, and comparisons that are false for NaN.
inline TracedCondition isnan(const Traced& x) { return x != x; }
inline TracedCondition isinf(const Traced& x) {
  return abs(x) == Traced(std::numeric_limits<double>::infinity());
}
inline TracedCondition isfinite(const Traced& x) {
  return abs(x) <= Traced((std::numeric_limits<double>::max)());
}
inline TracedCondition isnormal(const Traced& x) {
  return isfinite(x) & (abs(x) >= (std::numeric_limits<double>::min)());
}
inline TracedCondition signbit(const Traced& x) {
  return copysign(Traced(1.0), x) < Traced(0.0);
}
inline TracedCondition isless(const Traced& x, const Traced& y) {
  return x < y;
}
inline TracedCondition islessequal(const Traced& x, const Traced& y) {
  return x <= y;
}
inline TracedCondition isgreater(const Traced& x, const Traced& y) {
  return y < x;
}
inline TracedCondition isgreaterequal(const Traced& x, const Traced& y) {
  return y <= x;
}
inline TracedCondition islessgreater(const Traced& x, const Traced& y) {
  return (x < y) | (y < x);
}
inline TracedCondition isunordered(const Traced& x, const Traced& y) {
  return isnan(x) | isnan(y);
}

}  // namespace ceres

namespace std {

// The limits are those of double, as constants.
template <>
struct numeric_limits<ceres::Traced> : numeric_limits<double> {
  static ceres::Traced(max)() { return (numeric_limits<double>::max)(); }
  static ceres::Traced(min)() { return (numeric_limits<double>::min)(); }
  static ceres::Traced lowest() { return numeric_limits<double>::lowest(); }
  static ceres::Traced epsilon() { return numeric_limits<double>::epsilon(); }
  static ceres::Traced round_error() {
    return numeric_limits<double>::round_error();
  }
  static ceres::Traced denorm_min() {
    return numeric_limits<double>::denorm_min();
  }
  static ceres::Traced infinity() { return numeric_limits<double>::infinity(); }
  static ceres::Traced quiet_NaN() {
    return numeric_limits<double>::quiet_NaN();
  }
  static ceres::Traced signaling_NaN() {
    return numeric_limits<double>::signaling_NaN();
  }
};

}  // namespace std

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_TRACED_H_
