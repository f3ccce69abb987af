// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The functions of Jets against finite differences in extended precision, and
// their special cases against the mathematics or IEEE 754: zeros of both signs,
// infinities, NaN, the smallest and the largest numbers.

#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ceres/constants.h"
#include "ceres/internal/hypot.h"
#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using J = Jet<double, 3>;
using F = Jet<float, 3>;
using Inner = Jet<double, 1>;
using Nested = Jet<Inner, 1>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

J MakeJet(double a, double v0, double v1, double v2) {
  return J(a, Eigen::Vector3d(v0, v1, v2));
}

// NaN equals NaN here.
bool IsSameNumber(double x, double y) {
  return x == y || (std::isnan(x) && std::isnan(y));
}

void ExpectJet(const J& actual, double a, double v0, double v1, double v2) {
  EXPECT_TRUE(IsSameNumber(actual.a, a) && IsSameNumber(actual.v[0], v0) &&
              IsSameNumber(actual.v[1], v1) && IsSameNumber(actual.v[2], v2))
      << actual << " is not " << MakeJet(a, v0, v1, v2);
}

// A central difference, extrapolated once (Richardson): error of order h^4.
template <typename Function>
double Derivative(const Function& f, double x) {
  const long double h = 1e-4L * std::max(1.0, std::abs(x));
  const auto difference = [&](long double step) {
    return (f(x + step) - f(x - step)) / (2 * step);
  };
  return static_cast<double>((4 * difference(h / 2) - difference(h)) / 3);
}

double Tolerance(double expected, double relative) {
  return relative * std::max(1.0, std::abs(expected));
}

// Checks f, a function template of one argument, at the points: value and first
// derivative with Jets of double and float, second derivative with nested Jets.
template <typename Function>
void ExpectDerivativesMatch(const std::string& name, const Function& f,
                            const std::vector<double>& points) {
  for (const double x : points) {
    SCOPED_TRACE(name + " at " + std::to_string(x));
    const double d = Derivative(f, x);
    const J y = f(MakeJet(x, 1.0, -2.0, 0.0));
    EXPECT_EQ(y.a, f(x));
    EXPECT_NEAR(y.v[0], d, Tolerance(d, 1e-11));
    EXPECT_NEAR(y.v[1], -2.0 * d, Tolerance(d, 2e-11));
    EXPECT_EQ(y.v[2], 0.0);

    const F y_float = f(F(static_cast<float>(x), 1));
    const double d_float = Derivative(f, static_cast<float>(x));
    EXPECT_FLOAT_EQ(y_float.a, f(static_cast<float>(x)));
    EXPECT_NEAR(y_float.v[1], d_float, Tolerance(d_float, 1e-5));

    const auto derivative = [&](long double t) {
      return f(Jet<long double, 1>(t, 0)).v[0];
    };
    const double dd = Derivative(derivative, x);
    const Nested z = f(Nested(Inner(x, 0), 0));
    EXPECT_NEAR(z.a.v[0], d, Tolerance(d, 1e-11));
    EXPECT_NEAR(z.v[0].a, d, Tolerance(d, 1e-11));
    EXPECT_NEAR(z.v[0].v[0], dd, Tolerance(dd, 1e-9));
  }
}

using Points = std::vector<double>;
// (x, derivative at x)
using Slopes = std::vector<std::pair<double, double>>;

// Calls visit(name, f, points, slopes) with every function of one argument. f
// takes Jets and scalars, and is smooth at the points. The slopes are the
// derivatives at zeros, at infinities and at the ends of the domain.
template <typename Visitor>
void ForEachFunction(Visitor&& visit) {
  const Points any = {-3.0, -2.0, -0.1, 0.0, 0.25, 0.75, 2.0, 3.0};
  const Points positive = {0.125, 0.7, 1.0, 3.0, 12.0};
  const Points inside = {-0.875, -0.1, 0.0, 0.5};
  visit("abs", [](const auto& x) { return abs(x); }, Points{-2.5, 0.3, 7.0},
        {{0.0, 1}, {-0.0, -1}, {kInf, 1}, {-kInf, -1}});
  visit("floor", [](const auto& x) { return floor(x); }, Points{-2.5, 0.3, 7.5},
        {{-0.0, 0}, {kInf, 0}, {-kInf, 0}});
  visit("ceil", [](const auto& x) { return ceil(x); }, Points{-2.5, 0.3, 7.5},
        {{-0.0, 0}, {kInf, 0}, {-kInf, 0}});
  visit("exp", [](const auto& x) { return exp(x); }, any,
        {{-kInf, 0}, {-0.0, 1}, {kInf, kInf}});
  visit("exp2", [](const auto& x) { return exp2(x); }, any,
        {{-kInf, 0}, {-0.0, std::log(2.0)}, {kInf, kInf}});
  visit("expm1", [](const auto& x) { return expm1(x); }, any,
        {{-kInf, 0}, {-0.0, 1}, {kInf, kInf}});
  visit("log", [](const auto& x) { return log(x); }, positive,
        {{0.0, kInf}, {kInf, 0}});
  visit("log2", [](const auto& x) { return log2(x); }, positive,
        {{0.0, kInf}, {kInf, 0}});
  visit("log10", [](const auto& x) { return log10(x); }, positive,
        {{0.0, kInf}, {kInf, 0}});
  visit("log1p", [](const auto& x) { return log1p(x); },
        Points{-0.5, 0.0, 0.25, 4.0}, {{-1.0, kInf}, {-0.0, 1}, {kInf, 0}});
  visit("sqrt", [](const auto& x) { return sqrt(x); }, positive,
        {{0.0, kInf}, {kInf, 0}});
  visit("cbrt", [](const auto& x) { return cbrt(x); },
        Points{-8.0, -0.5, 0.25, 27.0},
        {{0.0, kInf}, {-0.0, kInf}, {kInf, 0}, {-kInf, 0}});
  visit("norm", [](const auto& x) { return norm(x); }, any,
        {{0.0, 0}, {kInf, kInf}, {-kInf, -kInf}});
  visit("sin", [](const auto& x) { return sin(x); }, any,
        {{0.0, 1}, {-0.0, 1}, {kInf, kNaN}, {-kInf, kNaN}});
  visit("cos", [](const auto& x) { return cos(x); }, any,
        {{0.0, 0}, {-0.0, 0}, {kInf, kNaN}, {-kInf, kNaN}});
  visit("tan", [](const auto& x) { return tan(x); }, any,
        {{0.0, 1}, {-0.0, 1}, {kInf, kNaN}, {-kInf, kNaN}});
  visit("asin", [](const auto& x) { return asin(x); }, inside,
        {{-1.0, kInf}, {-0.0, 1}, {1.0, kInf}});
  visit("acos", [](const auto& x) { return acos(x); }, inside,
        {{-1.0, -kInf}, {-0.0, -1}, {1.0, -kInf}});
  visit("atan", [](const auto& x) { return atan(x); }, any,
        {{-kInf, 0}, {-0.0, 1}, {kInf, 0}});
  visit("sinh", [](const auto& x) { return sinh(x); }, any,
        {{-kInf, kInf}, {-0.0, 1}, {kInf, kInf}});
  visit("cosh", [](const auto& x) { return cosh(x); }, any,
        {{-kInf, -kInf}, {-0.0, 0}, {kInf, kInf}});
  visit("tanh", [](const auto& x) { return tanh(x); }, any,
        {{-kInf, 0}, {-0.0, 1}, {kInf, 0}});
  visit("erf", [](const auto& x) { return erf(x); }, any,
        {{kInf, 0}, {-kInf, 0}, {-0.0, 2.0 / std::sqrt(constants::pi)}});
  visit("erfc", [](const auto& x) { return erfc(x); }, any,
        {{kInf, 0}, {-kInf, 0}, {-0.0, -2.0 / std::sqrt(constants::pi)}});
}

TEST(JetFunctions, DerivativesMatchDifferences) {
  ForEachFunction(
      [](const char* name, auto f, const Points& points, const Slopes&) {
        ExpectDerivativesMatch(name, f, points);
      });
}

TEST(JetFunctions, DerivativesHaveTheirLimitsAtSpecialValues) {
  ForEachFunction(
      [](const char* name, auto f, const Points&, const Slopes& slopes) {
        for (const auto& [x, slope] : slopes) {
          const double actual = f(J(x, 0)).v[0];
          EXPECT_TRUE(IsSameNumber(actual, slope))
              << "slope " << actual << " of " << name << " at " << x;
        }
      });
}

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

template <typename T>
void ExpectValuesOfScalars() {
  ForEachFunction([](const char* name, auto f, const Points&, const Slopes&) {
    for (const T x : SpecialValues<T>()) {
      EXPECT_TRUE(IsSame<T>(f(Jet<T, 2>(x, 0)).a, f(x))) << name << " at " << x;
    }
  });
}

TEST(JetFunctions, SpecialValuesAreThoseOfTheScalars) {
  ExpectValuesOfScalars<double>();
  ExpectValuesOfScalars<float>();
}

TEST(JetFunctions, NaNGoesThroughButForWhatIsConstantInPieces) {
  ForEachFunction([](const std::string& name, auto f, const Points&,
                     const Slopes&) {
    const J y = f(J(kNaN, 0));
    EXPECT_TRUE(std::isnan(y.a)) << name;
    const bool in_pieces = name == "abs" || name == "floor" || name == "ceil";
    EXPECT_EQ(std::isnan(y.v[0]), !in_pieces) << name;
  });
}

TEST(JetFunctions, SpecialValuesOfTwoArgumentsHaveTheValuesOfTheScalars) {
  for (const double x : SpecialValues<double>()) {
    for (const double y : SpecialValues<double>()) {
      SCOPED_TRACE(std::to_string(x) + ", " + std::to_string(y));
      const J f(x, 0);
      const J g(y, 1);
      EXPECT_TRUE(IsSame(atan2(f, g).a, std::atan2(x, y)));
      EXPECT_TRUE(IsSame(hypot(f, g).a, std::hypot(x, y)));
      EXPECT_TRUE(IsSame(copysign(f, g).a, std::copysign(x, y)));
      // std::fdim of MinGW-w64 is NaN for equal infinities.
      EXPECT_TRUE(IsSame(fdim(f, g).a, x <= y ? 0.0 : x - y));
      EXPECT_TRUE(IsSame(fma(f, g, f).a, std::fma(x, y, x)));
      // The maximum of two zeros may have either sign.
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

TEST(JetPow, SpecialValuesHaveTheValuesOfTheScalars) {
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

// Checks f(u, v, w) along a curve on which all arguments vary.
template <typename Function>
void ExpectDerivativesMatchAlongACurve(const char* name, const Function& f) {
  const auto along_curve = [&f](const auto& x) {
    using T = std::decay_t<decltype(x)>;
    return f(x * x, T(0.75) - x, x);
  };
  ExpectDerivativesMatch(name, along_curve, {-1.25, -0.25, 0.375, 2.0});
}

TEST(JetFunctions, SeveralArguments) {
  ExpectDerivativesMatchAlongACurve(
      "atan2",
      [](const auto& u, const auto& v, const auto&) { return atan2(u, v); });
  ExpectDerivativesMatchAlongACurve(
      "hypot",
      [](const auto& u, const auto& v, const auto&) { return hypot(u, v); });
  ExpectDerivativesMatchAlongACurve(
      "copysign",
      [](const auto& u, const auto& v, const auto&) { return copysign(u, v); });
  ExpectDerivativesMatchAlongACurve(
      "fmax",
      [](const auto& u, const auto& v, const auto&) { return fmax(u, v); });
  ExpectDerivativesMatchAlongACurve(
      "fmin",
      [](const auto& u, const auto& v, const auto&) { return fmin(u, v); });
  ExpectDerivativesMatchAlongACurve(
      "fdim",
      [](const auto& u, const auto& v, const auto&) { return fdim(u, v); });
  ExpectDerivativesMatchAlongACurve(
      "pow",
      [](const auto& u, const auto& v, const auto&) { return pow(u, v); });
  ExpectDerivativesMatchAlongACurve(
      "hypot of three", [](const auto& u, const auto& v, const auto& w) {
        return internal::Hypot(u, v, w);
      });
  ExpectDerivativesMatchAlongACurve(
      "fma",
      [](const auto& u, const auto& v, const auto& w) { return fma(u, v, w); });
#ifdef CERES_HAS_CPP20
  ExpectDerivativesMatchAlongACurve(
      "lerp", [](const auto& u, const auto& v, const auto& w) {
        return lerp(u, v, w);
      });
  ExpectDerivativesMatchAlongACurve(
      "midpoint",
      [](const auto& u, const auto& v, const auto&) { return midpoint(u, v); });
#endif
}

#if defined(CERES_HAS_CPP17_BESSEL_FUNCTIONS) || \
    defined(CERES_HAS_POSIX_BESSEL_FUNCTIONS)
TEST(JetFunctions, BesselFunctionsOfIntegerOrder) {
  for (const double x : {-3.0, 0.0, 0.25, 2.0, 11.0}) {
    SCOPED_TRACE(x);
    // J_0' = -J_1, J_1' = (J_0 - J_2) / 2, J_3' = (J_2 - J_4) / 2.
    const J j(x, 1);
    EXPECT_EQ(BesselJ0(j).a, BesselJ0(x));
    EXPECT_NEAR(BesselJ0(j).v[1], -BesselJ1(x), 1e-14);
    EXPECT_EQ(BesselJ1(j).a, BesselJ1(x));
    EXPECT_NEAR(BesselJ1(j).v[1], (BesselJ0(x) - BesselJn(2, x)) / 2, 1e-14);
    EXPECT_EQ(BesselJn(3, j).a, BesselJn(3, x));
    EXPECT_NEAR(BesselJn(3, j).v[1], (BesselJn(2, x) - BesselJn(4, x)) / 2,
                1e-14);
    EXPECT_EQ(BesselJn(3, j).v[0], 0.0);
    const double step = 1e-5;
    EXPECT_NEAR(BesselJn(0, j).v[1],
                (BesselJ0(x + step) - BesselJ0(x - step)) / (2 * step), 1e-9);
    // x^2 J_0'' + x J_0' + x^2 J_0 = 0, Bessel's equation.
    const Nested n = BesselJ0(Nested(Inner(x, 0), 0));
    EXPECT_NEAR(x * x * n.v[0].v[0] + x * n.v[0].a + x * x * n.a.a, 0.0, 1e-12);
  }
}
#endif

#ifdef CERES_HAS_CPP17_BESSEL_FUNCTIONS
TEST(JetFunctions, BesselFunctionsOfRealOrder) {
  for (const double order : {0.0, 0.25, 1.0, 2.5}) {
    for (const double x : {0.25, 2.0, 7.0}) {
      SCOPED_TRACE(x);
      const J y = cyl_bessel_j(order, MakeJet(x, 1.0, -2.0, 0.0));
      const double step = 1e-5;
      const double d = (std::cyl_bessel_j(order, x + step) -
                        std::cyl_bessel_j(order, x - step)) /
                       (2 * step);
      EXPECT_EQ(y.a, std::cyl_bessel_j(order, x));
      EXPECT_NEAR(y.v[0], d, 1e-9);
      EXPECT_NEAR(y.v[1], -2 * d, 1e-9);
      EXPECT_EQ(y.v[2], 0.0);
    }
  }
}
#endif

TEST(JetFunctions, AbsoluteValueOfZeroIsPositive) {
  EXPECT_FALSE(std::signbit(abs(J(-0.0, 1)).a));
}

TEST(JetFunctions, CopysignMultipliesSigns) {
  for (const double f : {-2.0, -0.0, 0.0, 3.0}) {
    for (const double g : {-5.0, 4.0}) {
      const J y = copysign(J(f, 0), J(g, 1));
      EXPECT_EQ(y.a, std::copysign(f, g));
      EXPECT_EQ(y.v[0], std::copysign(1.0, f) * std::copysign(1.0, g));
      EXPECT_EQ(y.v[1], 0.0);
    }
  }
}

TEST(JetFunctions, CopysignHasNoDerivativeWhereTheSignChanges) {
  for (const double zero : {0.0, -0.0}) {
    for (const J& g : {J(zero, 1), J(zero)}) {
      const J y = copysign(J(2.0, 0), g);
      EXPECT_EQ(y.a, std::copysign(2.0, zero));
      EXPECT_TRUE(y.v.array().isNaN().all());
    }
  }
}

TEST(JetFunctions, HypotNeitherOverflowsNorHasADerivativeAtTheOrigin) {
  const J y = hypot(J(3e300, 0), J(4e300, 1));
  EXPECT_DOUBLE_EQ(y.a, 5e300);
  EXPECT_DOUBLE_EQ(y.v[0], 0.6);
  EXPECT_DOUBLE_EQ(y.v[1], 0.8);
  EXPECT_DOUBLE_EQ(hypot(J(1e-200, 0), J(0.0, 1)).v[0], 1.0);
  EXPECT_TRUE(std::isnan(hypot(J(0.0, 0), J(0.0, 1)).v[0]));
  const J z = hypot(J(2e300, 0), J(3e300, 1), J(6e300, 2));
  EXPECT_DOUBLE_EQ(z.a, 7e300);
  EXPECT_DOUBLE_EQ(z.v[2], 6.0 / 7.0);
}

TEST(JetFunctions, FmaRoundsOnce) {
  const double x = 1.0 + 0x1p-30;
  const J y = fma(J(x, 0), J(x, 1), J(-1.0 - 0x1p-29, 2));
  EXPECT_EQ(y.a, 0x1p-60);
  EXPECT_EQ(y.v, Eigen::Vector3d(x, x, 1.0));
}

TEST(JetFunctions, MaximumTakesTheJetOfTheGreater) {
  const J x = MakeJet(1.0, 1.0, 2.0, 3.0), y = MakeJet(2.0, 7.0, 8.0, 9.0);
  for (const J& maximum : {fmax(x, y), fmax(y, x), fmax(-5.0, y)}) {
    ExpectJet(maximum, 2.0, 7.0, 8.0, 9.0);
  }
  for (const J& minimum : {fmin(x, y), fmin(y, x), fmin(5.0, x)}) {
    ExpectJet(minimum, 1.0, 1.0, 2.0, 3.0);
  }
  ExpectJet(fmax(x, 5.0), 5.0, 0.0, 0.0, 0.0);
  ExpectJet(fmin(x, -5.0), -5.0, 0.0, 0.0, 0.0);
  EXPECT_EQ(fmax(x, MakeJet(kInf, 1.0, 0.0, 0.0)).a, kInf);
}

TEST(JetFunctions, MaximumOfEqualsIsTheAverage) {
  const J x = MakeJet(1.0, 1.0, 2.0, 3.0), y = MakeJet(1.0, 7.0, 8.0, 9.0);
  ExpectJet(fmax(x, y), 1.0, 4.0, 5.0, 6.0);
  ExpectJet(fmin(x, y), 1.0, 4.0, 5.0, 6.0);
  ExpectJet(fmin(x, 1.0), 1.0, 0.5, 1.0, 1.5);
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_EQ(fmax(J(kMax, 0), J(kMax, 1)).a, kMax);
}

TEST(JetFunctions, MaximumTakesNaNForMissing) {
  const J x = MakeJet(1.0, 1.0, 2.0, 3.0);
  for (const J& nan : {J(kNaN, 0), J(kNaN)}) {
    EXPECT_EQ(fmax(x, nan).v, x.v);
    EXPECT_EQ(fmax(nan, x).v, x.v);
    EXPECT_EQ(fmin(x, nan).v, x.v);
    EXPECT_EQ(fmin(nan, x).v, x.v);
    EXPECT_TRUE(isnan(fmin(nan, nan)));
    EXPECT_TRUE(isnan(fmax(nan, kNaN)));
  }
}

TEST(JetFunctions, PositiveDifference) {
  const J x = MakeJet(1.0, 1.0, 2.0, 3.0), y = MakeJet(3.0, 7.0, 8.0, 9.0);
  ExpectJet(fdim(y, x), 2.0, 6.0, 6.0, 6.0);
  ExpectJet(fdim(x, y), 0.0, 0.0, 0.0, 0.0);
  ExpectJet(fdim(x, x), 0.0, 0.0, 0.0, 0.0);
  ExpectJet(fdim(5.0, x), 4.0, -1.0, -2.0, -3.0);
  ExpectJet(fdim(x, 0.5), 0.5, 1.0, 2.0, 3.0);
  EXPECT_TRUE(isnan(fdim(x, J(kNaN))));
  EXPECT_TRUE(isnan(fdim(kNaN, x)));
}

TEST(JetPow, ConstantExponent) {
  ExpectDerivativesMatch("x^2.5", [](const auto& x) { return pow(x, 2.5); },
                         {0.25, 1.0, 3.0});
  ExpectDerivativesMatch("x^3", [](const auto& x) { return pow(x, 3); },
                         {-2.0, -0.25, 1.0, 3.0});
  ExpectDerivativesMatch("x^-1.5", [](const auto& x) { return pow(x, -1.5); },
                         {0.25, 1.0, 3.0});
}

TEST(JetPow, ConstantExponentAtZero) {
  ExpectJet(pow(J(0.0, 1), 2.0), 0.0, 0.0, 0.0, 0.0);
  ExpectJet(pow(J(0.0, 1), 1.0), 0.0, 0.0, 1.0, 0.0);
  ExpectJet(pow(J(0.0, 1), 0.0), 1.0, 0.0, 0.0, 0.0);
  EXPECT_EQ(pow(J(0.0, 1), 0.5).v[1], kInf);
  EXPECT_EQ(pow(J(0.0, 1), -1.0).a, kInf);
  EXPECT_EQ(pow(J(0.0, 1), -1.0).v[1], -kInf);
}

TEST(JetPow, DerivativeIsExactWhereThePowerUnderflowsOrOverflows) {
  // (1e-170)^2 is zero in double, its derivative is not.
  EXPECT_EQ(pow(J(1e-170, 0), 2.0).a, 0.0);
  EXPECT_DOUBLE_EQ(pow(J(1e-170, 0), 2.0).v[0], 2e-170);
  EXPECT_DOUBLE_EQ(pow(J(1e-160, 0), 2.0).v[0], 2e-160);
  EXPECT_EQ(pow(J(1e200, 0), 2.0).a, kInf);
  EXPECT_DOUBLE_EQ(pow(J(1e200, 0), 2.0).v[0], 2e200);
}

TEST(JetPow, ConstantBase) {
  ExpectDerivativesMatch("2.5^x",
                         [](const auto& x) {
                           using T = std::decay_t<decltype(x)>;
                           if constexpr (std::is_arithmetic_v<T>) {
                             return pow(T(2.5), x);
                           } else {
                             return pow(typename T::Scalar(2.5), x);
                           }
                         },
                         {-2.0, 0.0, 0.25, 3.0});
}

TEST(JetPow, ConstantBaseZero) {
  ExpectJet(pow(0.0, J(2.0, 1)), 0.0, 0.0, 0.0, 0.0);
  ExpectJet(pow(0.0, J(0.5, 1)), 0.0, 0.0, 0.0, 0.0);
  EXPECT_EQ(pow(0.0, J(0.0, 1)).a, 1.0);
  EXPECT_EQ(pow(0.0, J(0.0, 1)).v[1], -kInf);
  EXPECT_EQ(pow(0.0, J(-1.0, 1)).a, kInf);
  EXPECT_EQ(pow(0.0, J(-1.0, 1)).v[1], -kInf);
}

TEST(JetPow, ConstantNegativeBase) {
  ExpectJet(pow(-2.0, J(3.0, 1)), -8.0, 0.0, kNaN, 0.0);
  ExpectJet(pow(-2.0, J(3.0)), -8.0, 0.0, 0.0, 0.0);
  EXPECT_TRUE(isnan(pow(-2.0, J(2.5, 1))));
}

TEST(JetPow, BothVary) {
  ExpectJet(pow(J(2.0, 0), J(3.0, 1)), 8.0, 12.0, 8.0 * std::log(2.0), 0.0);
}

TEST(JetPow, BothVaryAtBaseZero) {
  ExpectJet(pow(J(0.0, 0), J(2.0, 1)), 0.0, 0.0, 0.0, 0.0);
  ExpectJet(pow(J(0.0, 0), J(1.0, 1)), 0.0, 1.0, 0.0, 0.0);
  EXPECT_FALSE(std::isfinite(pow(J(0.0, 0), J(0.5, 1)).v[0]));
  EXPECT_EQ(pow(J(0.0, 0), J(-1.0, 1)).a, kInf);
}

TEST(JetPow, BothVaryAtNegativeBase) {
  ExpectJet(pow(J(-2.0, 0), J(3.0, 1)), -8.0, 12.0, kNaN, 0.0);
  ExpectJet(pow(J(-2.0, 0), J(3.0)), -8.0, 12.0, 0.0, 0.0);
  EXPECT_TRUE(isnan(pow(J(-2.0, 0), J(2.5, 1))));
}

TEST(JetFunctions, ClassificationLooksAtTheValue) {
  J finite(1.0);
  finite.v.setConstant(kNaN);
  EXPECT_TRUE(isfinite(finite));
  EXPECT_TRUE(isnormal(finite));
  EXPECT_FALSE(isnan(finite));
  EXPECT_FALSE(isinf(finite));
  EXPECT_FALSE(isfinite(J(kInf, 0)));
  EXPECT_TRUE(isinf(J(-kInf, 0)));
  EXPECT_TRUE(isnan(J(kNaN, 0)));
  EXPECT_FALSE(isnormal(J(1e-310, 0)));
  EXPECT_TRUE(signbit(J(-0.0, 0)));
  EXPECT_FALSE(signbit(J(0.0, 0)));
  EXPECT_EQ(fpclassify(J(1e-310, 0)), FP_SUBNORMAL);
  EXPECT_EQ(fpclassify(J(0.0, 0)), FP_ZERO);
  EXPECT_EQ(fpclassify(J(kNaN, 0)), FP_NAN);
}

TEST(JetFunctions, QuietComparisons) {
  const J one(1.0, 0), two(2.0, 1), nan(kNaN, 2);
  EXPECT_TRUE(isless(one, two) && isless(one, 2.0) && isless(1.0, two));
  EXPECT_TRUE(islessequal(one, one) && islessequal(one, 1.0));
  EXPECT_TRUE(isgreater(two, one) && isgreater(two, 1.0));
  EXPECT_TRUE(isgreaterequal(two, two) && isgreaterequal(2.0, two));
  EXPECT_TRUE(islessgreater(one, two) && !islessgreater(one, one));
  EXPECT_TRUE(isunordered(one, nan) && isunordered(kNaN, two));
  EXPECT_FALSE(isunordered(one, two));
  EXPECT_FALSE(isless(one, nan) || isgreater(one, nan));
  EXPECT_FALSE(islessequal(nan, nan) || isgreaterequal(nan, nan));
  EXPECT_FALSE(islessgreater(one, nan));
}

// Code in namespace ceres, and users' with using-declarations, calls functions
// without qualification for doubles and Jets alike.
TEST(JetFunctions, AreFoundForDoublesToo) {
  EXPECT_EQ(ceres::sqrt(4.0), 2.0);
  EXPECT_EQ(ceres::pow(2.0, 3.0), 8.0);
  EXPECT_EQ(ceres::fmax(1.0, 2.0), 2.0);
  EXPECT_EQ(ceres::norm(3.0), 9.0);
  EXPECT_TRUE(ceres::isfinite(1.0));
  EXPECT_EQ(ceres::hypot(2.0, 3.0, 6.0), 7.0);
}

// atan2(s y, s x) = atan2(y, x): the derivatives by s y and s x are those of s
// = 1, divided by s.
TEST(JetFunctions, Atan2HasItsDerivativesAtEveryMagnitude) {
  using Jet2 = Jet<double, 2>;
  for (const double y : {0.6, -0.3, 0.0, 1e-200}) {
    for (const double x : {-0.8, 0.2}) {
      const Jet2 expected = atan2(Jet2(y, 0), Jet2(x, 1));
      for (const double size :
           {1e-300, 1e-200, 1e-155, 1e-150, 1.0, 1e150, 1e155, 1e200, 1e300}) {
        const Jet2 result = atan2(Jet2(size * y, 0), Jet2(size * x, 1));
        for (int i = 0; i < 2; ++i) {
          EXPECT_NEAR(result.v[i] * size, expected.v[i],
                      1e-14 * std::abs(expected.v[i]) + 1e-16)
              << y << " " << x << " " << size;
        }
      }
    }
  }
  const Jet<float, 2> of_floats =
      atan2(Jet<float, 2>(3e-25f, 0), Jet<float, 2>(4e-25f, 1));
  EXPECT_NEAR(of_floats.v[0] * 1e-25f, 0.16f, 1e-6f);
}

}  // namespace
}  // namespace ceres
