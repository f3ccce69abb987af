// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The rules are those of any textbook of calculus.

#include "dual_rules.h"

#include <cmath>

namespace vesta::python {
namespace {

// M_PI is not part of C++.
constexpr double kPi = 3.14159265358979323846;

// slope(x, z) is the derivative at x, where the value is z.
template <class Value, class Slope>
NamedRule Unary(Value value, Slope slope) {
  return {1, [value, slope](const double* x, const double*, int64_t count,
                            double* z, double* by_x, double*) {
            for (int64_t i = 0; i < count; ++i) z[i] = value(x[i]);
            if (by_x == nullptr) return;
            for (int64_t i = 0; i < count; ++i) by_x[i] = slope(x[i], z[i]);
          }};
}

// by_x(x, y, z) and by_y(x, y, z) are the derivatives where the value is z.
template <class Value, class ByX, class ByY>
NamedRule Binary(Value value, ByX by_x, ByY by_y) {
  return {2,
          [value, by_x, by_y](const double* x, const double* y, int64_t count,
                              double* z, double* to_x, double* to_y) {
            for (int64_t i = 0; i < count; ++i) z[i] = value(x[i], y[i]);
            for (int64_t i = 0; to_x != nullptr && i < count; ++i) {
              to_x[i] = by_x(x[i], y[i], z[i]);
            }
            for (int64_t i = 0; to_y != nullptr && i < count; ++i) {
              to_y[i] = by_y(x[i], y[i], z[i]);
            }
          }};
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
double PowerByBase(double x, double y, double) {
  if (y == 2.0) return 2.0 * x;
  return y == 0.0 ? 0.0 : y * std::pow(x, y - 1.0);
}
double PowerByExponent(double x, double, double z) {
  return x == 0.0 ? 0.0 : z * std::log(x);
}

NamedRule Power() {
  return Binary(
      [](double x, double y) { return y == 2.0 ? x * x : std::pow(x, y); },
      PowerByBase, PowerByExponent);
}

using Rules = std::unordered_map<std::string, NamedRule>;

void AddPowersAndParts(Rules* rules) {
  const double log2 = std::log(2.0);
  const double log10 = std::log(10.0);
  const auto one = [](double, double) { return 1.0; };
  const auto sign = [](double x, double) { return Sign(x); };
  Rules& r = *rules;
  r["negative"] =
      Unary([](double x) { return -x; }, [](double, double) { return -1.0; });
  r["positive"] = Unary([](double x) { return x; }, one);
  r["conjugate"] = r["positive"];
  r["absolute"] = Unary([](double x) { return std::abs(x); }, sign);
  r["fabs"] = r["absolute"];
  r["square"] = Unary([](double x) { return x * x; },
                      [](double x, double) { return 2.0 * x; });
  r["reciprocal"] = Unary([](double x) { return 1.0 / x; },
                          [](double, double z) { return -z * z; });
  r["sqrt"] = Unary([](double x) { return std::sqrt(x); },
                    [](double, double z) { return 0.5 / z; });
  r["cbrt"] = Unary([](double x) { return std::cbrt(x); },
                    [](double, double z) { return 1.0 / (3.0 * z * z); });
  r["exp"] = Unary([](double x) { return std::exp(x); },
                   [](double, double z) { return z; });
  r["exp2"] = Unary([](double x) { return std::exp2(x); },
                    [log2](double, double z) { return z * log2; });
  r["expm1"] = Unary([](double x) { return std::expm1(x); },
                     [](double, double z) { return z + 1.0; });
  r["log"] = Unary([](double x) { return std::log(x); },
                   [](double x, double) { return 1.0 / x; });
  r["log2"] = Unary([](double x) { return std::log2(x); },
                    [log2](double x, double) { return 1.0 / (x * log2); });
  r["log10"] = Unary([](double x) { return std::log10(x); },
                     [log10](double x, double) { return 1.0 / (x * log10); });
  r["log1p"] = Unary([](double x) { return std::log1p(x); },
                     [](double x, double) { return 1.0 / (1.0 + x); });
}

void AddTrigonometry(Rules* rules) {
  Rules& r = *rules;
  r["sin"] = Unary([](double x) { return std::sin(x); },
                   [](double x, double) { return std::cos(x); });
  r["cos"] = Unary([](double x) { return std::cos(x); },
                   [](double x, double) { return -std::sin(x); });
  r["tan"] = Unary([](double x) { return std::tan(x); },
                   [](double, double z) { return 1.0 + z * z; });
  r["arcsin"] =
      Unary([](double x) { return std::asin(x); },
            [](double x, double) { return 1.0 / std::sqrt(1.0 - x * x); });
  r["arccos"] =
      Unary([](double x) { return std::acos(x); },
            [](double x, double) { return -1.0 / std::sqrt(1.0 - x * x); });
  r["arctan"] = Unary([](double x) { return std::atan(x); },
                      [](double x, double) { return 1.0 / (1.0 + x * x); });
  r["sinh"] = Unary([](double x) { return std::sinh(x); },
                    [](double x, double) { return std::cosh(x); });
  r["cosh"] = Unary([](double x) { return std::cosh(x); },
                    [](double x, double) { return std::sinh(x); });
  r["tanh"] = Unary([](double x) { return std::tanh(x); },
                    [](double, double z) { return 1.0 - z * z; });
  r["arcsinh"] =
      Unary([](double x) { return std::asinh(x); },
            [](double x, double) { return 1.0 / std::sqrt(x * x + 1.0); });
  r["arccosh"] =
      Unary([](double x) { return std::acosh(x); },
            [](double x, double) { return 1.0 / std::sqrt(x * x - 1.0); });
  r["arctanh"] = Unary([](double x) { return std::atanh(x); },
                       [](double x, double) { return 1.0 / (1.0 - x * x); });
  const double degree = kPi / 180.0;
  r["deg2rad"] = Unary([degree](double x) { return x * degree; },
                       [degree](double, double) { return degree; });
  r["radians"] = r["deg2rad"];
  const double radian = 180.0 / kPi;
  r["rad2deg"] = Unary([radian](double x) { return x * radian; },
                       [radian](double, double) { return radian; });
  r["degrees"] = r["rad2deg"];
}

void AddArithmetic(Rules* rules) {
  const auto one = [](double, double, double) { return 1.0; };
  Rules& r = *rules;
  r["add"] = Binary([](double x, double y) { return x + y; }, one, one);
  r["subtract"] = Binary([](double x, double y) { return x - y; }, one,
                         [](double, double, double) { return -1.0; });
  r["multiply"] = Binary([](double x, double y) { return x * y; },
                         [](double, double y, double) { return y; },
                         [](double x, double, double) { return x; });
  r["divide"] = Binary([](double x, double y) { return x / y; },
                       [](double, double y, double) { return 1.0 / y; },
                       [](double, double y, double z) { return -z / y; });
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
  r["fmod"] =
      Binary([](double x, double y) { return std::fmod(x, y); }, one,
             [](double x, double y, double) { return -std::trunc(x / y); });
  r["remainder"] = Binary(Remainder, one, [](double x, double y, double) {
    return -std::floor(x / y);
  });
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
