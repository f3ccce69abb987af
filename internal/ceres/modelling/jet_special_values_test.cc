// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The functions of Jets where IEEE 754 has something to say: at zeros of both
// signs, infinities, NaN, the smallest and the largest numbers. Values are
// those of the functions of scalars, derivatives the limits of the derivative
// where there are any. And identities between functions, which must hold for
// derivatives too.

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename T>
std::vector<T> SpecialValues() {
  using Limits = std::numeric_limits<T>;
  return {T(0),
          -T(0),
          T(1),
          -T(1),
          Limits::denorm_min(),
          -Limits::denorm_min(),
          Limits::min(),
          Limits::max(),
          Limits::lowest(),
          Limits::infinity(),
          -Limits::infinity(),
          Limits::quiet_NaN()};
}

// Equal including the sign of a zero; NaN only to NaN.
template <typename T>
bool IsSame(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

// Calls visit(name, f) with every function of one argument, which takes Jets
// and scalars.
template <typename Visitor>
void ForEachFunction(Visitor&& visit) {
  visit("abs", [](const auto& x) { return abs(x); });
  visit("acos", [](const auto& x) { return acos(x); });
  visit("asin", [](const auto& x) { return asin(x); });
  visit("atan", [](const auto& x) { return atan(x); });
  visit("cbrt", [](const auto& x) { return cbrt(x); });
  visit("ceil", [](const auto& x) { return ceil(x); });
  visit("cos", [](const auto& x) { return cos(x); });
  visit("cosh", [](const auto& x) { return cosh(x); });
  visit("erf", [](const auto& x) { return erf(x); });
  visit("erfc", [](const auto& x) { return erfc(x); });
  visit("exp", [](const auto& x) { return exp(x); });
  visit("exp2", [](const auto& x) { return exp2(x); });
  visit("expm1", [](const auto& x) { return expm1(x); });
  visit("floor", [](const auto& x) { return floor(x); });
  visit("log", [](const auto& x) { return log(x); });
  visit("log10", [](const auto& x) { return log10(x); });
  visit("log1p", [](const auto& x) { return log1p(x); });
  visit("log2", [](const auto& x) { return log2(x); });
  visit("norm", [](const auto& x) { return norm(x); });
  visit("sin", [](const auto& x) { return sin(x); });
  visit("sinh", [](const auto& x) { return sinh(x); });
  visit("sqrt", [](const auto& x) { return sqrt(x); });
  visit("tan", [](const auto& x) { return tan(x); });
  visit("tanh", [](const auto& x) { return tanh(x); });
}

template <typename T>
void ExpectValuesOfScalars() {
  ForEachFunction([](const char* name, auto f) {
    for (const T x : SpecialValues<T>()) {
      EXPECT_TRUE(IsSame<T>(f(Jet<T, 2>(x, 0)).a, f(x))) << name << " at " << x;
    }
  });
}

TEST(JetSpecialValues, ValuesAreThoseOfTheScalars) {
  ExpectValuesOfScalars<double>();
  ExpectValuesOfScalars<float>();
}

TEST(JetSpecialValues, NaNGoesThroughButForWhatIsConstantInPieces) {
  ForEachFunction([](const std::string& name, auto f) {
    const Jet<double, 1> y = f(Jet<double, 1>(kNaN, 0));
    EXPECT_TRUE(std::isnan(y.a)) << name;
    const bool in_pieces = name == "abs" || name == "floor" || name == "ceil";
    EXPECT_EQ(std::isnan(y.v[0]), !in_pieces) << name;
  });
}

// (x, derivative at x)
using Slopes = std::vector<std::pair<double, double>>;

template <typename Function>
void ExpectSlopes(const char* name, const Function& f, const Slopes& slopes) {
  for (const auto& [x, slope] : slopes) {
    EXPECT_EQ(f(Jet<double, 1>(x, 0)).v[0], slope) << name << " at " << x;
  }
}

TEST(JetSpecialValues, SlopesAtZerosAndInfinities) {
  const double ln2 = std::log(2.0);
  ExpectSlopes("abs", [](const auto& x) { return abs(x); },
               {{0.0, 1}, {-0.0, -1}, {kInf, 1}, {-kInf, -1}});
  ExpectSlopes("floor", [](const auto& x) { return floor(x); },
               {{-0.0, 0}, {kInf, 0}, {-kInf, 0}});
  ExpectSlopes("ceil", [](const auto& x) { return ceil(x); },
               {{-0.0, 0}, {kInf, 0}, {-kInf, 0}});
  ExpectSlopes("exp", [](const auto& x) { return exp(x); },
               {{-kInf, 0}, {-0.0, 1}, {kInf, kInf}});
  ExpectSlopes("expm1", [](const auto& x) { return expm1(x); },
               {{-kInf, 0}, {-0.0, 1}, {kInf, kInf}});
  ExpectSlopes("exp2", [](const auto& x) { return exp2(x); },
               {{-kInf, 0}, {-0.0, ln2}, {kInf, kInf}});
  ExpectSlopes("log", [](const auto& x) { return log(x); },
               {{0.0, kInf}, {kInf, 0}});
  ExpectSlopes("log2", [](const auto& x) { return log2(x); },
               {{0.0, kInf}, {kInf, 0}});
  ExpectSlopes("log10", [](const auto& x) { return log10(x); },
               {{0.0, kInf}, {kInf, 0}});
  ExpectSlopes("log1p", [](const auto& x) { return log1p(x); },
               {{-1.0, kInf}, {-0.0, 1}, {kInf, 0}});
  ExpectSlopes("sqrt", [](const auto& x) { return sqrt(x); },
               {{0.0, kInf}, {kInf, 0}});
  ExpectSlopes("cbrt", [](const auto& x) { return cbrt(x); },
               {{0.0, kInf}, {-0.0, kInf}, {kInf, 0}, {-kInf, 0}});
  ExpectSlopes("norm", [](const auto& x) { return norm(x); },
               {{0.0, 0}, {kInf, kInf}, {-kInf, -kInf}});
  ExpectSlopes("erf", [](const auto& x) { return erf(x); },
               {{kInf, 0}, {-kInf, 0}, {-0.0, 2.0 / std::sqrt(M_PI)}});
  ExpectSlopes("erfc", [](const auto& x) { return erfc(x); },
               {{kInf, 0}, {-kInf, 0}, {-0.0, -2.0 / std::sqrt(M_PI)}});
}

TEST(JetSpecialValues, SlopesOfTrigonometricAndHyperbolicFunctions) {
  ExpectSlopes("sin", [](const auto& x) { return sin(x); },
               {{0.0, 1}, {-0.0, 1}});
  ExpectSlopes("cos", [](const auto& x) { return cos(x); },
               {{0.0, 0}, {-0.0, 0}});
  ExpectSlopes("tan", [](const auto& x) { return tan(x); },
               {{0.0, 1}, {-0.0, 1}});
  ExpectSlopes("asin", [](const auto& x) { return asin(x); },
               {{-1.0, kInf}, {-0.0, 1}, {1.0, kInf}});
  ExpectSlopes("acos", [](const auto& x) { return acos(x); },
               {{-1.0, -kInf}, {-0.0, -1}, {1.0, -kInf}});
  ExpectSlopes("atan", [](const auto& x) { return atan(x); },
               {{-kInf, 0}, {-0.0, 1}, {kInf, 0}});
  ExpectSlopes("sinh", [](const auto& x) { return sinh(x); },
               {{-kInf, kInf}, {-0.0, 1}, {kInf, kInf}});
  ExpectSlopes("cosh", [](const auto& x) { return cosh(x); },
               {{-kInf, -kInf}, {-0.0, 0}, {kInf, kInf}});
  ExpectSlopes("tanh", [](const auto& x) { return tanh(x); },
               {{-kInf, 0}, {-0.0, 1}, {kInf, 0}});
  for (const double x : {kInf, -kInf}) {
    EXPECT_TRUE(std::isnan(sin(Jet<double, 1>(x, 0)).v[0]));
    EXPECT_TRUE(std::isnan(cos(Jet<double, 1>(x, 0)).v[0]));
    EXPECT_TRUE(std::isnan(tan(Jet<double, 1>(x, 0)).v[0]));
  }
}

TEST(JetSpecialValues, FunctionsOfTwoArgumentsHaveTheValuesOfTheScalars) {
  using J = Jet<double, 2>;
  for (const double x : SpecialValues<double>()) {
    for (const double y : SpecialValues<double>()) {
      SCOPED_TRACE(std::to_string(x) + ", " + std::to_string(y));
      const J f(x, 0);
      const J g(y, 1);
      EXPECT_TRUE(IsSame(atan2(f, g).a, std::atan2(x, y)));
      EXPECT_TRUE(IsSame(hypot(f, g).a, std::hypot(x, y)));
      EXPECT_TRUE(IsSame(copysign(f, g).a, std::copysign(x, y)));
      EXPECT_TRUE(IsSame(fdim(f, g).a, std::fdim(x, y)));
      EXPECT_TRUE(IsSame(fma(f, g, f).a, std::fma(x, y, x)));
      // Where a maximum is of two zeros, its sign is anybody's.
      if (x == 0.0 && y == 0.0) {
        EXPECT_EQ(fmax(f, g).a, 0.0);
        EXPECT_EQ(fmin(f, g).a, 0.0);
      } else {
        EXPECT_TRUE(IsSame(fmax(f, g).a, std::fmax(x, y)));
        EXPECT_TRUE(IsSame(fmin(f, g).a, std::fmin(x, y)));
      }
      EXPECT_EQ(isless(f, g), std::isless(x, y));
      EXPECT_EQ(isunordered(f, g), std::isunordered(x, y));
      EXPECT_EQ(f == g, x == y);
      EXPECT_EQ(f < g, x < y);
    }
  }
}

TEST(JetSpecialValues, PowersHaveTheValuesOfTheScalars) {
  using J = Jet<double, 2>;
  for (const double x : SpecialValues<double>()) {
    for (const double y : SpecialValues<double>()) {
      SCOPED_TRACE(std::to_string(x) + ", " + std::to_string(y));
      EXPECT_TRUE(IsSame(pow(J(x, 0), y).a, std::pow(x, y)));
      // A zero that comes of a base of zero has no sign.
      const double expected = x == 0.0 && y > 0.0 ? 0.0 : std::pow(x, y);
      EXPECT_TRUE(IsSame(pow(x, J(y, 1)).a, expected));
      EXPECT_TRUE(x == 0.0 || IsSame(pow(J(x, 0), J(y, 1)).a, expected));
    }
  }
}

using Inner = Jet<double, 1>;
using Outer = Jet<Inner, 1>;
Outer Constant(double value) { return Outer(Inner(value)); }

// Both sides are equal as functions, so values and derivatives of the first and
// second order are.
template <typename Left, typename Right>
void ExpectIdentity(const char* name, const Left& left, const Right& right,
                    const std::vector<double>& points) {
  for (const double x : points) {
    const Outer a = left(Outer(Inner(x, 0), 0));
    const Outer b = right(Outer(Inner(x, 0), 0));
    const auto tolerance = [](double value) {
      return 1e-13 * std::max(1.0, std::abs(value));
    };
    EXPECT_NEAR(a.a.a, b.a.a, tolerance(b.a.a)) << name << " at " << x;
    EXPECT_NEAR(a.v[0].a, b.v[0].a, tolerance(b.v[0].a)) << name << " at " << x;
    EXPECT_NEAR(a.v[0].v[0], b.v[0].v[0], 10.0 * tolerance(b.v[0].v[0]))
        << name << " at " << x;
  }
}

TEST(JetIdentities, ExponentialsAndLogarithms) {
  const auto identity = [](const auto& x) { return x; };
  const std::vector<double> any = {-2.0, -0.5, 0.25, 3.0};
  const std::vector<double> positive = {0.125, 0.5, 1.0, 7.0};
  ExpectIdentity(
      "log exp", [](const auto& x) { return log(exp(x)); }, identity, any);
  ExpectIdentity(
      "log1p expm1", [](const auto& x) { return log1p(expm1(x)); }, identity,
      any);
  ExpectIdentity(
      "exp2 log2", [](const auto& x) { return exp2(log2(x)); }, identity,
      positive);
  ExpectIdentity(
      "log10", [](const auto& x) { return log10(x); },
      [](const auto& x) { return log(x) / Constant(std::log(10.0)); },
      positive);
  ExpectIdentity(
      "square of sqrt", [](const auto& x) { return norm(sqrt(x)); }, identity,
      positive);
  ExpectIdentity(
      "cube of cbrt", [](const auto& x) { return cbrt(x) * cbrt(x) * cbrt(x); },
      identity, any);
  ExpectIdentity(
      "x^x", [](const auto& x) { return pow(x, x); },
      [](const auto& x) { return exp(x * log(x)); }, positive);
}

TEST(JetIdentities, TrigonometricAndHyperbolic) {
  const auto one = [](const auto&) { return Constant(1.0); };
  const auto identity = [](const auto& x) { return x; };
  const std::vector<double> any = {-1.25, -0.5, 0.25, 1.5};
  const std::vector<double> inside = {-0.75, -0.25, 0.125, 0.5};
  ExpectIdentity(
      "sin^2 + cos^2",
      [](const auto& x) { return norm(sin(x)) + norm(cos(x)); }, one, any);
  ExpectIdentity(
      "cosh^2 - sinh^2",
      [](const auto& x) { return norm(cosh(x)) - norm(sinh(x)); }, one, any);
  ExpectIdentity(
      "tan", [](const auto& x) { return tan(x); },
      [](const auto& x) { return sin(x) / cos(x); }, any);
  ExpectIdentity(
      "tanh", [](const auto& x) { return tanh(x); },
      [](const auto& x) { return sinh(x) / cosh(x); }, any);
  ExpectIdentity(
      "asin sin", [](const auto& x) { return asin(sin(x)); }, identity, any);
  ExpectIdentity(
      "atan tan", [](const auto& x) { return atan(tan(x)); }, identity, any);
  ExpectIdentity(
      "asin + acos", [](const auto& x) { return asin(x) + acos(x); },
      [](const auto&) { return Constant(M_PI_2); }, inside);
  ExpectIdentity(
      "atan2", [](const auto& x) { return atan2(sin(x), cos(x)); }, identity,
      any);
  ExpectIdentity(
      "hypot", [](const auto& x) { return hypot(x, x * x + Constant(1.0)); },
      [](const auto& x) { return sqrt(norm(x) + norm(x * x + Constant(1.0))); },
      any);
  ExpectIdentity(
      "erf + erfc", [](const auto& x) { return erf(x) + erfc(x); }, one, any);
}

}  // namespace
}  // namespace ceres
