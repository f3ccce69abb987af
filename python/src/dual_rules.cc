// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The rules are those of any textbook of calculus.

#include "dual_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace vesta::python {
namespace {

// M_PI is not part of C++.
constexpr double kPi = 3.14159265358979323846;

// Writes f(x[i], y[i], i).
template <class F>
void Map(const RulePiece& piece, double* to, const F& f) {
  const double* const x = piece.x.at;
  const double* const y = piece.y.at;
  const bool has_many_y = y != nullptr && !piece.y.is_constant;
  const double first_y = y == nullptr ? 0.0 : *y;
  if (!piece.x.is_constant && !has_many_y) {
    for (int64_t i = 0; i < piece.count; ++i) to[i] = f(x[i], first_y, i);
  } else if (!piece.x.is_constant) {
    for (int64_t i = 0; i < piece.count; ++i) to[i] = f(x[i], y[i], i);
  } else if (has_many_y) {
    const double first_x = *x;
    for (int64_t i = 0; i < piece.count; ++i) to[i] = f(first_x, y[i], i);
  } else if (piece.count > 0) {
    std::fill_n(to, piece.count, f(*x, first_y, 0));
  }
}

template <class F>
Numbers Computed(const RulePiece& piece, double* memory, const F& f) {
  Map(piece, memory, f);
  return {memory, false};
}

// The slope is the same everywhere.
RuleSlopes Constant(double slope) {
  return [slope](const RulePiece&, double* memory) {
    *memory = slope;
    return Numbers{memory, true};
  };
}

// slope(x, z) is the derivative at x, where the value is z.
template <class Value, class Slope>
NamedRule Unary(Value value, Slope slope) {
  NamedRule rule;
  rule.values = [value](const RulePiece& piece, double* z) {
    Map(piece, z, [&](double x, double, int64_t) { return value(x); });
  };
  rule.by_x = [slope](const RulePiece& piece, double* memory) {
    return Computed(piece, memory, [&](double x, double, int64_t i) {
      return slope(x, piece.z[i]);
    });
  };
  return rule;
}

template <class Value>
NamedRule Linear(Value value, double slope) {
  NamedRule rule = Unary(value, [](double, double) { return 0.0; });
  rule.by_x = Constant(slope);
  return rule;
}

template <class Value, class Slope>
NamedRule Slow(Value value, Slope slope) {
  NamedRule rule = Unary(value, slope);
  rule.is_slow = true;
  return rule;
}

// The slope is factor * companion(x); `name` is the companion's.
template <class Value, class Companion>
NamedRule Paired(Value value, Companion companion, const char* name,
                 double factor) {
  NamedRule rule =
      Slow(value, [=](double x, double) { return factor * companion(x); });
  rule.companion = name;
  rule.by_x = [factor, slow = rule.by_x](const RulePiece& piece,
                                         double* memory) {
    if (piece.companion.at == nullptr) return slow(piece, memory);
    RulePiece known;
    known.x = piece.companion;
    known.count = piece.count;
    return Computed(known, memory,
                    [factor](double c, double, int64_t) { return factor * c; });
  };
  return rule;
}

// slope(x, y, z) is a derivative where the value is z.
template <class Slope>
RuleSlopes OfPairs(Slope slope) {
  return [slope](const RulePiece& piece, double* memory) {
    return Computed(piece, memory, [&](double x, double y, int64_t i) {
      return slope(x, y, piece.z[i]);
    });
  };
}

template <class Value>
NamedRule Pairs(Value value, RuleSlopes by_x, RuleSlopes by_y) {
  NamedRule rule;
  rule.num_arguments = 2;
  rule.values = [value](const RulePiece& piece, double* z) {
    Map(piece, z, [&](double x, double y, int64_t) { return value(x, y); });
  };
  rule.by_x = std::move(by_x);
  rule.by_y = std::move(by_y);
  return rule;
}

template <class Value, class ByX, class ByY>
NamedRule Binary(Value value, ByX by_x, ByY by_y) {
  return Pairs(value, OfPairs(by_x), OfPairs(by_y));
}

double Sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }

// As numpy.fmod and numpy.remainder: the remainder has the sign of y.
double Remainder(double x, double y) {
  const double r = std::fmod(x, y);
  if (r == 0.0) return std::copysign(0.0, y);
  return (r < 0.0) == (y < 0.0) ? r : r + y;
}

double LogAddExp(double x, double y) {
  if (x == y) return x + std::log(2.0);
  const double high = x > y ? x : y;
  const double low = x > y ? y : x;
  return std::isnan(x - y) ? x - y : high + std::log1p(std::exp(low - high));
}

// NaN propagates, as in numpy.maximum.
double Maximum(double x, double y) { return x >= y || std::isnan(x) ? x : y; }
double Minimum(double x, double y) { return x <= y || std::isnan(x) ? x : y; }

// x^y is constant for y = 0, and its derivative by y is zero for x = 0, y > 0.
double PowerByBase(double x, double y, double z) {
  if (y == 0.0) return 0.0;
  // z / x has lost digits where z is near the ends of the range.
  constexpr double kSmall = std::numeric_limits<double>::min() * 1e16;
  const double size = std::abs(z);
  if (size > kSmall && size <= std::numeric_limits<double>::max()) {
    return y * (z / x);
  }
  return y * std::pow(x, y - 1.0);
}
double PowerByExponent(double x, double, double z) {
  return x == 0.0 ? 0.0 : z * std::log(x);
}

NamedRule Power() {
  NamedRule rule = Binary(
      [](double x, double y) { return y == 2.0 ? x * x : std::pow(x, y); },
      PowerByBase, PowerByExponent);
  rule.is_slow = true;
  rule.by_x = [any = rule.by_x](const RulePiece& piece, double* memory) {
    if (!piece.y.is_constant || *piece.y.at != 2.0) return any(piece, memory);
    return Computed(piece, memory,
                    [](double x, double, int64_t) { return 2.0 * x; });
  };
  return rule;
}

Numbers InverseOfSecond(const RulePiece& piece, double* memory) {
  RulePiece divisors;
  divisors.x = {piece.y.at, false};
  divisors.count = piece.y.is_constant ? 1 : piece.count;
  Map(divisors, memory, [](double y, double, int64_t) { return 1.0 / y; });
  return {memory, piece.y.is_constant};
}

using Rules = std::unordered_map<std::string, NamedRule>;

void AddPowersAndParts(Rules* rules) {
  const double log2 = std::log(2.0);
  const double log10 = std::log(10.0);
  const auto sign = [](double x, double) { return Sign(x); };
  Rules& r = *rules;
  r["negative"] = Linear([](double x) { return -x; }, -1.0);
  r["positive"] = Linear([](double x) { return x; }, 1.0);
  r["conjugate"] = r["positive"];
  r["absolute"] = Unary([](double x) { return std::abs(x); }, sign);
  r["fabs"] = r["absolute"];
  r["square"] = Unary([](double x) { return x * x; },
                      [](double x, double) { return 2.0 * x; });
  r["reciprocal"] = Unary([](double x) { return 1.0 / x; },
                          [](double, double z) { return -z * z; });
  r["sqrt"] = Unary([](double x) { return std::sqrt(x); },
                    [](double, double z) { return 0.5 / z; });
  r["cbrt"] = Slow([](double x) { return std::cbrt(x); },
                   [](double, double z) { return 1.0 / (3.0 * z * z); });
  r["exp"] = Slow([](double x) { return std::exp(x); },
                  [](double, double z) { return z; });
  r["exp2"] = Slow([](double x) { return std::exp2(x); },
                   [log2](double, double z) { return z * log2; });
  r["expm1"] = Slow([](double x) { return std::expm1(x); },
                    [](double, double z) { return z + 1.0; });
  r["log"] = Slow([](double x) { return std::log(x); },
                  [](double x, double) { return 1.0 / x; });
  r["log2"] = Slow([](double x) { return std::log2(x); },
                   [log2](double x, double) { return 1.0 / (x * log2); });
  r["log10"] = Slow([](double x) { return std::log10(x); },
                    [log10](double x, double) { return 1.0 / (x * log10); });
  r["log1p"] = Slow([](double x) { return std::log1p(x); },
                    [](double x, double) { return 1.0 / (1.0 + x); });
}

void AddTrigonometry(Rules* rules) {
  Rules& r = *rules;
  r["sin"] = Paired([](double x) { return std::sin(x); },
                    [](double x) { return std::cos(x); }, "cos", 1.0);
  r["cos"] = Paired([](double x) { return std::cos(x); },
                    [](double x) { return std::sin(x); }, "sin", -1.0);
  r["tan"] = Slow([](double x) { return std::tan(x); },
                  [](double, double z) { return 1.0 + z * z; });
  r["arcsin"] =
      Slow([](double x) { return std::asin(x); },
           [](double x, double) { return 1.0 / std::sqrt(1.0 - x * x); });
  r["arccos"] =
      Slow([](double x) { return std::acos(x); },
           [](double x, double) { return -1.0 / std::sqrt(1.0 - x * x); });
  r["arctan"] = Slow([](double x) { return std::atan(x); },
                     [](double x, double) { return 1.0 / (1.0 + x * x); });
  r["sinh"] = Paired([](double x) { return std::sinh(x); },
                     [](double x) { return std::cosh(x); }, "cosh", 1.0);
  r["cosh"] = Paired([](double x) { return std::cosh(x); },
                     [](double x) { return std::sinh(x); }, "sinh", 1.0);
  r["tanh"] = Slow([](double x) { return std::tanh(x); },
                   [](double, double z) { return 1.0 - z * z; });
  r["arcsinh"] =
      Slow([](double x) { return std::asinh(x); },
           [](double x, double) { return 1.0 / std::sqrt(x * x + 1.0); });
  r["arccosh"] =
      Slow([](double x) { return std::acosh(x); },
           [](double x, double) { return 1.0 / std::sqrt(x * x - 1.0); });
  r["arctanh"] = Slow([](double x) { return std::atanh(x); },
                      [](double x, double) { return 1.0 / (1.0 - x * x); });
  const double degree = kPi / 180.0;
  r["deg2rad"] = Linear([degree](double x) { return x * degree; }, degree);
  r["radians"] = r["deg2rad"];
  const double radian = 180.0 / kPi;
  r["rad2deg"] = Linear([radian](double x) { return x * radian; }, radian);
  r["degrees"] = r["rad2deg"];
}

void AddArithmetic(Rules* rules) {
  Rules& r = *rules;
  r["add"] = Pairs([](double x, double y) { return x + y; }, Constant(1.0),
                   Constant(1.0));
  r["subtract"] = Pairs([](double x, double y) { return x - y; }, Constant(1.0),
                        Constant(-1.0));
  r["multiply"] =
      Pairs([](double x, double y) { return x * y; },
            [](const RulePiece& piece, double*) { return piece.y; },
            [](const RulePiece& piece, double*) { return piece.x; });
  r["divide"] =
      Pairs([](double x, double y) { return x / y; }, InverseOfSecond,
            OfPairs([](double, double y, double z) { return -z / y; }));
  r["power"] = Power();
  r["float_power"] = r["power"];
  r["maximum"] = Binary(
      Maximum, [](double x, double y, double) { return x >= y; },
      [](double x, double y, double) { return !(x >= y); });
  r["minimum"] = Binary(
      Minimum, [](double x, double y, double) { return x <= y; },
      [](double x, double y, double) { return !(x <= y); });
  r["fmax"] = Binary([](double x, double y) { return std::fmax(x, y); },
                     [](double x, double, double z) { return x == z; },
                     [](double x, double, double z) { return x != z; });
  r["fmin"] = Binary([](double x, double y) { return std::fmin(x, y); },
                     [](double x, double, double z) { return x == z; },
                     [](double x, double, double z) { return x != z; });
  r["fmod"] = Pairs(
      [](double x, double y) { return std::fmod(x, y); }, Constant(1.0),
      OfPairs([](double x, double y, double) { return -std::trunc(x / y); }));
  r["remainder"] = Pairs(
      Remainder, Constant(1.0),
      OfPairs([](double x, double y, double) { return -std::floor(x / y); }));
}

void AddPairs(Rules* rules) {
  Rules& r = *rules;
  r["arctan2"] =
      Binary([](double y, double x) { return std::atan2(y, x); },
             [](double y, double x, double) { return x / (x * x + y * y); },
             [](double y, double x, double) { return -y / (x * x + y * y); });
  // The distance has no derivative at 0; 0 is one of its subgradients.
  r["hypot"] =
      Binary([](double x, double y) { return std::hypot(x, y); },
             [](double x, double, double z) { return z == 0.0 ? 0.0 : x / z; },
             [](double, double y, double z) { return z == 0.0 ? 0.0 : y / z; });
  r["copysign"] =
      Binary([](double x, double y) { return std::copysign(x, y); },
             [](double x, double, double z) { return x == z ? 1.0 : -1.0; },
             [](double, double, double) { return 0.0; });
  r["logaddexp"] = Binary(
      LogAddExp, [](double x, double, double z) { return std::exp(x - z); },
      [](double, double y, double z) { return std::exp(y - z); });
  for (const char* slow : {"arctan2", "hypot", "logaddexp"}) {
    r[slow].is_slow = true;
  }
}

}  // namespace

const std::unordered_map<std::string, NamedRule>& DualRules() {
  static const Rules* const rules = [] {
    auto* result = new Rules;
    AddPowersAndParts(result);
    AddTrigonometry(result);
    AddArithmetic(result);
    AddPairs(result);
    return result;
  }();
  return *rules;
}

}  // namespace vesta::python
