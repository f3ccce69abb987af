// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_TRACED_H_
#define CERES_PUBLIC_TRACED_H_

// A scalar that records what is computed with it.
//
// FitMany (ceres/fit_many.h) calls a functor once with Traced arguments. The
// record becomes a program that computes the functor and its derivatives for
// many fits at a time, in the SIMD lanes of this machine.
//
// Arithmetic, the functions below, and comparisons are recorded. A comparison
// that becomes a bool, as in `if (x < y)`, makes the record valid for arguments
// with the same outcome only. FitMany records the functor again where another
// outcome is met. Select(x < y, a, b) computes both and is cheaper if both
// outcomes are frequent.
//
// Accuracy, in units in the last place of the result, measured by
// fits/lane_math_test: arithmetic and sqrt are exactly rounded, except for a
// division of what depends on the sample by what does not, which is a
// multiplication by the reciprocal: 2. exp 1, log 1, log1p 3, sin and cos 3,
// atan and atan2 2, erf 2, erfc 6, pow 2 (4 if the result is beyond 1e100 or
// below 1e-100). Other functions are those of the C library, one value at a
// time.
//
// Thread safety: Traced numbers of one record belong to one thread.

#include <cstdint>
#include <type_traits>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/parallel/detail/language.h"

namespace ceres {

namespace internal::fits {

class Tape;

// What a program computes from one to three numbers. Comparisons give 1 or 0.
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
};

}  // namespace internal::fits

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
  Traced(internal::fits::Tape* tape, int node, double value)
      : tape_(tape), node_(node), value_(value) {}

  Traced& operator+=(const Traced& y);
  Traced& operator-=(const Traced& y);
  Traced& operator*=(const Traced& y);
  Traced& operator/=(const Traced& y);

  // The record; null for a constant.
  internal::fits::Tape* tape() const { return tape_; }
  // The place in the record.
  int node() const { return node_; }
  // The value in this call.
  double value() const { return value_; }

 private:
  internal::fits::Tape* tape_ = nullptr;
  int node_ = -1;
  double value_ = 0.0;
};

namespace internal::fits {

// Records an operation, or computes it if all arguments are constants.
CERES_EXPORT Traced Record(Operation operation, const Traced& a,
                           const Traced& b = Traced(),
                           const Traced& c = Traced());

// Makes the record valid for calls only where `condition` is what it is now.
CERES_EXPORT bool Decide(const Traced& condition);

}  // namespace internal::fits

// The outcome of a comparison.
class TracedCondition {
 public:
  // The constant `value`.
  TracedCondition(bool value) : number_(value ? 1.0 : 0.0) {}
  // The condition that number, which is 0 or 1, is 1.
  explicit TracedCondition(const Traced& number) : number_(number) {}

  // The outcome in this call. The record holds for this outcome from now on.
  operator bool() const { return internal::fits::Decide(number_); }

  // 1 or 0.
  const Traced& number() const { return number_; }

 private:
  Traced number_;
};

// Arithmetic. One side may be a plain number.
inline Traced operator+(const Traced& x) { return x; }
inline Traced operator-(const Traced& x) {
  return internal::fits::Record(internal::fits::Operation::kNegate, x);
}
inline Traced operator+(const Traced& x, const Traced& y) {
  return internal::fits::Record(internal::fits::Operation::kAdd, x, y);
}
inline Traced operator-(const Traced& x, const Traced& y) {
  return internal::fits::Record(internal::fits::Operation::kSubtract, x, y);
}
inline Traced operator*(const Traced& x, const Traced& y) {
  return internal::fits::Record(internal::fits::Operation::kMultiply, x, y);
}
inline Traced operator/(const Traced& x, const Traced& y) {
  return internal::fits::Record(internal::fits::Operation::kDivide, x, y);
}
inline Traced& Traced::operator+=(const Traced& y) { return *this = *this + y; }
inline Traced& Traced::operator-=(const Traced& y) { return *this = *this - y; }
inline Traced& Traced::operator*=(const Traced& y) { return *this = *this * y; }
inline Traced& Traced::operator/=(const Traced& y) { return *this = *this / y; }

// Comparisons, as for doubles: those with NaN are false, except !=.
inline TracedCondition operator<(const Traced& x, const Traced& y) {
  return TracedCondition(
      internal::fits::Record(internal::fits::Operation::kLess, x, y));
}
inline TracedCondition operator<=(const Traced& x, const Traced& y) {
  return TracedCondition(
      internal::fits::Record(internal::fits::Operation::kLessOrEqual, x, y));
}
inline TracedCondition operator>(const Traced& x, const Traced& y) {
  return y < x;
}
inline TracedCondition operator>=(const Traced& x, const Traced& y) {
  return y <= x;
}
inline TracedCondition operator==(const Traced& x, const Traced& y) {
  return TracedCondition(
      internal::fits::Record(internal::fits::Operation::kEqual, x, y));
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
  return internal::fits::Record(internal::fits::Operation::kSelect,
                                condition.number(), a, b);
}
template <typename T, std::enable_if_t<!std::is_same_v<T, Traced>>* = nullptr>
T Select(bool condition, const T& a, const T& b) {
  return condition ? a : b;
}

// Functions, as those of <cmath>.
#define VESTA_TRACED_FUNCTION(name, operation)                              \
  inline Traced name(const Traced& x) {                                     \
    return internal::fits::Record(internal::fits::Operation::operation, x); \
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
VESTA_TRACED_FUNCTION(floor, kFloor)
VESTA_TRACED_FUNCTION(ceil, kCeil)
#undef VESTA_TRACED_FUNCTION

}  // namespace ceres

// Doxygen takes the macros above for a part of what follows in a namespace.
namespace ceres {

// The angle of the point (x, y), in (-pi, pi].
inline Traced atan2(const Traced& y, const Traced& x) {
  return internal::fits::Record(internal::fits::Operation::kAtan2, y, x);
}
// The square root of x^2 + y^2, without protection against overflow.
inline Traced hypot(const Traced& x, const Traced& y) {
  return sqrt(x * x + y * y);
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

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_TRACED_H_
