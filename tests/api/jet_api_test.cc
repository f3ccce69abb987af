// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Compiled as C++20, which has functions that C++17 has not.

#include <cmath>
#include <complex>
#include <limits>
#include <sstream>
#include <type_traits>

#include "Eigen/Core"
#include "ceres/internal/port.h"
#include "ceres/jet.h"
#include "ceres/jet_fwd.h"
#include "gtest/gtest.h"
#include "of_type.h"

namespace ceres {
namespace {

using J = Jet<double, 2>;

// Derivatives are tested beside the code; here, that each name is there.
TEST(JetH, HasAScalarAndADerivative) {
  static_assert(std::is_same_v<J, Jet<double, 2>>);
  static_assert(J::DIMENSION == 2);
  static_assert(std::is_same_v<J::Scalar, double>);
  const J y(3.0, 1);
  EXPECT_EQ(y.a, OfType{3.0});
  EXPECT_EQ(y.v, OfType<Eigen::Vector2d>{Eigen::Vector2d(0.0, 1.0)});
  EXPECT_EQ(J().a, 0.0);
  EXPECT_EQ(J(4.0).v, Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(J(4.0, Eigen::Vector2d(5.0, 6.0)).v[0], 5.0);
}

TEST(JetH, HasArithmetic) {
  const J x(2.0, 0);
  const J y(3.0, 1);
  EXPECT_EQ(operator+(x, y), x + y);
  EXPECT_EQ(operator-(x, y).a, -1.0);
  EXPECT_EQ(operator-(x).v[0], -1.0);
  EXPECT_EQ(operator*(x, y).v[1], 2.0);
  EXPECT_EQ(operator/(y, 2.0).a, 1.5);
  J z = x;
  z += y;
  z -= 1.0;
  z *= x;
  z /= 4.0;
  EXPECT_EQ(z.a, 2.0);
  EXPECT_TRUE(x < y && x <= 2 && y > 2.5 && y >= x && x == 2.0 && x != y);
  std::ostringstream stream;
  operator<<(stream, x);
  EXPECT_EQ(stream.str().substr(0, 2), "[2");
}

TEST(JetH, HasFunctionsOfOneArgument) {
  const J x(0.5, 0);
  EXPECT_EQ(abs(x).a, std::abs(x.a));
  EXPECT_EQ(acos(x).a, std::acos(x.a));
  EXPECT_EQ(asin(x).a, std::asin(x.a));
  EXPECT_EQ(atan(x).a, std::atan(x.a));
  EXPECT_EQ(cbrt(x).a, std::cbrt(x.a));
  EXPECT_EQ(ceil(x).a, std::ceil(x.a));
  EXPECT_EQ(cos(x).a, std::cos(x.a));
  EXPECT_EQ(cosh(x).a, std::cosh(x.a));
  EXPECT_EQ(erf(x).a, std::erf(x.a));
  EXPECT_EQ(erfc(x).a, std::erfc(x.a));
  EXPECT_EQ(exp(x).a, std::exp(x.a));
  EXPECT_EQ(exp2(x).a, std::exp2(x.a));
  EXPECT_EQ(expm1(x).a, std::expm1(x.a));
  EXPECT_EQ(floor(x).a, std::floor(x.a));
  EXPECT_EQ(log(x).a, std::log(x.a));
  EXPECT_EQ(log10(x).a, std::log10(x.a));
  EXPECT_EQ(log1p(x).a, std::log1p(x.a));
  EXPECT_EQ(log2(x).a, std::log2(x.a));
  EXPECT_EQ(sin(x).a, std::sin(x.a));
  EXPECT_EQ(sinh(x).a, std::sinh(x.a));
  EXPECT_EQ(sqrt(x).a, std::sqrt(x.a));
  EXPECT_EQ(tan(x).a, std::tan(x.a));
  EXPECT_EQ(tanh(x).a, std::tanh(x.a));
  EXPECT_EQ(norm(x).a, 0.25);
  EXPECT_EQ(BesselJ0(J(0.0, 0)).a, 1.0);
  EXPECT_EQ(BesselJ1(J(0.0, 0)).v[0], 0.5);
  EXPECT_EQ(BesselJn(2, J(0.0, 0)).a, 0.0);
#ifdef CERES_HAS_CPP17_BESSEL_FUNCTIONS
  EXPECT_NEAR(cyl_bessel_j(0.0, x).a, BesselJ0(0.5), 1e-15);
#endif
}

TEST(JetH, HasFunctionsOfSeveralArguments) {
  const J x(3.0, 0);
  const J y(4.0, 1);
  EXPECT_EQ(atan2(x, y).a, std::atan2(3.0, 4.0));
  EXPECT_EQ(copysign(x, J(-1.0)).a, -3.0);
  EXPECT_EQ(fdim(y, x).a, 1.0);
  EXPECT_EQ(fma(x, y, y).a, 16.0);
  EXPECT_EQ(fmax(x, y).a, 4.0);
  EXPECT_EQ(fmin(x, 2.0).a, 2.0);
  EXPECT_EQ(hypot(x, y).a, 5.0);
  EXPECT_EQ(hypot(x, y, J(0.0)).a, 5.0);
  EXPECT_EQ(pow(x, 2.0).a, 9.0);
  EXPECT_EQ(pow(2.0, x).a, 8.0);
  EXPECT_EQ(pow(x, y).a, 81.0);
#ifdef CERES_HAS_CPP20
  EXPECT_EQ(lerp(x, y, J(0.5)).a, 3.5);
  EXPECT_EQ(midpoint(x, y).v[1], 0.5);
#endif
}

TEST(JetH, HasClassifications) {
  const J one(1.0);
  const J two(2.0);
  const J nan(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(fpclassify(one), FP_NORMAL);
  EXPECT_TRUE(isfinite(one) && isnormal(one) && isnan(nan) && !isinf(one));
  EXPECT_TRUE(signbit(-one));
  EXPECT_TRUE(isless(one, two) && islessequal(one, 1.0));
  EXPECT_TRUE(isgreater(two, one) && isgreaterequal(two, two));
  EXPECT_TRUE(islessgreater(one, two) && isunordered(one, nan));
  CERES_DISABLE_DEPRECATED_WARNING
  EXPECT_TRUE(IsFinite(one) && IsNormal(one) && IsNaN(nan) && !IsInfinite(one));
  EXPECT_TRUE(IsFinite(1.0) && !IsNormal(1e-310) && IsNaN(nan.a));
  EXPECT_TRUE(IsInfinite(one / 0.0) && IsInfinite(1.0 / 0.0));
  CERES_RESTORE_DEPRECATED_WARNING
}

void ExpectConstant(const J& jet, double value) {
  EXPECT_EQ(jet.a, value);
  EXPECT_EQ(jet.v, Eigen::Vector2d(0.0, 0.0));
}

TEST(JetH, HasNumericLimits) {
  using Of = std::numeric_limits<J>;
  using OfDouble = std::numeric_limits<double>;
  static_assert(Of::is_specialized);
  static_assert(Of::is_signed == OfDouble::is_signed);
  static_assert(Of::is_integer == OfDouble::is_integer);
  static_assert(Of::is_exact == OfDouble::is_exact);
  static_assert(Of::has_infinity == OfDouble::has_infinity);
  static_assert(Of::has_quiet_NaN == OfDouble::has_quiet_NaN);
  static_assert(Of::has_signaling_NaN == OfDouble::has_signaling_NaN);
  static_assert(Of::is_iec559 == OfDouble::is_iec559);
  static_assert(Of::is_bounded == OfDouble::is_bounded);
  static_assert(Of::is_modulo == OfDouble::is_modulo);
  static_assert(Of::has_denorm == OfDouble::has_denorm);
  static_assert(Of::round_style == OfDouble::round_style);
  static_assert(Of::digits == OfDouble::digits);
  static_assert(Of::digits10 == OfDouble::digits10);
  static_assert(Of::max_digits10 == OfDouble::max_digits10);
  static_assert(Of::radix == OfDouble::radix);
  static_assert(Of::min_exponent == OfDouble::min_exponent);
  static_assert(Of::min_exponent10 == OfDouble::min_exponent10);
  static_assert(Of::max_exponent == OfDouble::max_exponent);
  static_assert(Of::max_exponent10 == OfDouble::max_exponent10);
  static_assert(Of::traps == OfDouble::traps);
  static_assert(Of::tinyness_before == OfDouble::tinyness_before);
  ExpectConstant(Of::min(), OfDouble::min());
  ExpectConstant(Of::lowest(), OfDouble::lowest());
  ExpectConstant(Of::epsilon(), OfDouble::epsilon());
  ExpectConstant(Of::round_error(), OfDouble::round_error());
  ExpectConstant(Of::infinity(), OfDouble::infinity());
  ExpectConstant(Of::denorm_min(), OfDouble::denorm_min());
  ExpectConstant(Of::max(), OfDouble::max());
  EXPECT_TRUE(isnan(Of::quiet_NaN()));
  EXPECT_TRUE(isnan(Of::signaling_NaN()));
}

TEST(JetH, HasTraits) {
  static_assert(std::is_same_v<std::common_type_t<J, float>, J>);
  static_assert(std::is_same_v<std::common_type<J, J>::type, J>);
  using Traits = Eigen::NumTraits<J>;
  static_assert(std::is_same_v<Traits::Real, J>);
  static_assert(std::is_same_v<Traits::NonInteger, J>);
  static_assert(std::is_same_v<Traits::Nested, J>);
  static_assert(std::is_same_v<Traits::Literal, J>);
  static_assert(Traits::IsComplex == 0 && Traits::IsInteger == 0);
  static_assert(Traits::IsSigned == 1 && Traits::HasFloatingPoint == 1);
  static_assert(Traits::ReadCost == 1 && Traits::AddCost == 1);
  static_assert(Traits::MulCost == 3 && Traits::RequireInitialization == 1);
  EXPECT_EQ(Traits::dummy_precision().a, 1e-12);
  EXPECT_EQ(Traits::digits10(), std::numeric_limits<double>::digits10);
  EXPECT_EQ(Traits::max_digits10(), std::numeric_limits<double>::max_digits10);
  EXPECT_EQ(Traits::highest().a, std::numeric_limits<double>::max());
  EXPECT_EQ(Traits::lowest(), std::numeric_limits<double>::lowest());
  EXPECT_EQ(Traits::epsilon(), std::numeric_limits<double>::epsilon());
  EXPECT_TRUE(isinf(Traits::infinity()) && isnan(Traits::quiet_NaN()));
  using Sum = Eigen::internal::scalar_sum_op<J, double>;
  static_assert(
      std::is_same_v<Eigen::ScalarBinaryOpTraits<J, double, Sum>::ReturnType,
                     J>);
}

TEST(JetFwdH, DeclaresJet) { static_assert(std::is_class_v<Jet<float, 3>>); }

}  // namespace
}  // namespace ceres
