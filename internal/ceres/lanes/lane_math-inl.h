// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Mathematical functions of vectors of doubles, compiled once per instruction
// set. ceres/traced.h states their accuracy; lanes/lane_math_test measures it.
// Include after hwy/foreach_target.h and hwy/highway.h.
//
// The methods are those of W. J. Cody and W. Waite, "Software Manual for the
// Elementary Functions", 1980: reduce the argument with a constant in parts
// whose products are exact, sum a series for the rest, and put both together.
// The series are Taylor's, with as many terms as a double needs. Without fused
// multiply-add the reductions are exact too, because the parts of the constants
// are short.
//
// Arguments for which a method does not hold are computed by the C library, one
// at a time.

#if defined(CERES_INTERNAL_LANES_LANE_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CERES_INTERNAL_LANES_LANE_MATH_INL_H_
#undef CERES_INTERNAL_LANES_LANE_MATH_INL_H_
#else
#define CERES_INTERNAL_LANES_LANE_MATH_INL_H_
#endif

#include <cmath>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ceres::internal::lanes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, 8>;
using Bits = hn::RebindToUnsigned<Tag>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

HWY_INLINE Vec Number(double x) { return hn::Set(Tag(), x); }

// c[0] + c[1] x + ... + c[N - 1] x^(N - 1) by Horner's rule.
template <int N>
HWY_INLINE Vec Polynomial(Vec x, const double (&c)[N]) {
  Vec sum = Number(c[N - 1]);
  for (int i = N - 2; i >= 0; --i) sum = hn::MulAdd(sum, x, Number(c[i]));
  return sum;
}

// An integer of magnitude below 2^51, as the low bits of a vector of integers.
HWY_INLINE hn::Vec<Bits> LowBits(Vec integer) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
  return hn::BitCast(Bits(), hn::Add(integer, Number(kShift)));
}

// 2^k for integers -1022 <= k <= 1023.
HWY_INLINE Vec PowerOfTwo(Vec k) {
  return hn::BitCast(Tag(),
                     hn::ShiftLeft<52>(LowBits(hn::Add(k, Number(1023.0)))));
}

// The error of the rounded product: a b - product.
HWY_INLINE Vec ProductError(Vec a, Vec b, Vec product) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, product);
#else
  // T. J. Dekker, "A floating-point technique for extending the available
  // precision", 1971. The halves have 26 bits, so that products are exact.
  const auto high = [](Vec x) {
    const auto mask = hn::Set(Bits(), ~((std::uint64_t{1} << 27) - 1));
    return hn::BitCast(Tag(), hn::And(hn::BitCast(Bits(), x), mask));
  };
  const Vec ah = high(a), bh = high(b);
  const Vec al = hn::Sub(a, ah), bl = hn::Sub(b, bh);
  Vec error = hn::Sub(hn::Mul(ah, bh), product);
  error = hn::Add(error, hn::Mul(ah, bl));
  error = hn::Add(error, hn::Mul(al, bh));
  return hn::Add(error, hn::Mul(al, bl));
#endif
}

// Replaces the lanes of `mask` by f(x, y).
template <typename F>
HWY_NOINLINE Vec ReplaceLanes(Mask mask, Vec result, Vec x, Vec y, const F& f) {
  const Tag d;
  HWY_ALIGN double r[8], a[8], b[8], m[8];
  hn::Store(result, d, r);
  hn::Store(x, d, a);
  hn::Store(y, d, b);
  hn::Store(hn::IfThenElseZero(mask, Number(1.0)), d, m);
  for (int i = 0; i < static_cast<int>(hn::MaxLanes(d)); ++i) {
    if (m[i] != 0.0) r[i] = f(a[i], b[i]);
  }
  return hn::Load(d, r);
}

// ln 2 in two parts, of which the first has 32 bits.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// exp(k ln 2 + r) = 2^k exp(r), |r| <= ln 2 / 2. exp(r) = 1 + r + r^2 q(r); q
// interpolates at 10 Chebyshev points, computed with 40 digits, with an error
// of 1.3e-17 in exp(r).
HWY_INLINE Vec Exp(Vec x) {
  constexpr double kSeries[] = {0.5000000000000001,     0.16666666666666669,
                                0.04166666666662413,    0.008333333333330062,
                                0.0013888888917213717,  0.00019841269863053618,
                                2.4801521295954376e-05, 2.7557268459997064e-06,
                                2.7620088445409746e-07, 2.510038549551032e-08};
  // The power of two is a normal number.
  const bool is_regular = hn::AllTrue(Tag(), hn::Lt(hn::Abs(x), Number(708.0)));
  Vec bounded = x;
  // Beyond these the result is infinite or zero.
  if (!is_regular) {
    bounded = hn::Max(hn::Min(x, Number(710.0)), Number(-746.0));
  }
  const Vec k = hn::Round(hn::Mul(bounded, Number(0x1.71547652b82fep0)));
  Vec r = hn::NegMulAdd(k, Number(kLn2High), bounded);
  r = hn::NegMulAdd(k, Number(kLn2Low), r);
  const Vec tail = hn::MulAdd(hn::Mul(r, r), Polynomial(r, kSeries), r);
  Vec result = hn::Add(tail, Number(1.0));
  if (is_regular) return hn::Mul(result, PowerOfTwo(k));
  // In two steps, because 2^k may not be a double. Exact where one step is.
  const Vec half = hn::Round(hn::Mul(k, Number(0.5)));
  result = hn::Mul(result, PowerOfTwo(half));
  result = hn::Mul(result, PowerOfTwo(hn::Sub(k, half)));
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

// x = 2^k m for positive finite x, with m between sqrt(1/2) and sqrt(2).
HWY_INLINE void Decompose(Vec x, Vec* k, Vec* m) {
  const Bits du;
  const Tag d;
  const Mask is_small = hn::Lt(x, Number(std::numeric_limits<double>::min()));
  const Vec normal = hn::IfThenElse(is_small, hn::Mul(x, Number(0x1p54)), x);
  constexpr std::uint64_t kRootOfHalf = 0x3fe6a09e667f3bcdu;
  constexpr std::uint64_t kOne = std::uint64_t{1023} << 52;
  const auto bits = hn::BitCast(du, normal);
  const auto biased =
      hn::ShiftRight<52>(hn::Add(bits, hn::Set(du, kOne - kRootOfHalf)));
  *m = hn::BitCast(
      d, hn::Add(hn::Sub(bits, hn::ShiftLeft<52>(biased)), hn::Set(du, kOne)));
  // An integer below 2^52, put behind the bits of 2^52, is the number 2^52 + i.
  const Vec shifted =
      hn::BitCast(d, hn::Or(biased, hn::Set(du, 0x4330000000000000u)));
  *k = hn::Sub(shifted, Number(0x1p52 + 1023.0));
  *k = hn::IfThenElse(is_small, hn::Sub(*k, Number(54.0)), *k);
}

// 2 / 3, 2 / 5, ...: log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + 2/5 s^2 + ...).
constexpr double kLogSeries[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                                 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17,
                                 2.0 / 19, 2.0 / 21};

// log(2^k (1 + f)) = k ln 2 + 2 s + s R with s = f / (2 + f). Because 2 s =
// f - s f, it is k ln 2 + f - s (f - R), where only a small term is rounded.
HWY_INLINE Vec Log(Vec x) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec k, m;
  Decompose(x, &k, &m);
  const Vec f = hn::Sub(m, Number(1.0));
  const Vec s = hn::Div(f, hn::Add(f, Number(2.0)));
  const Vec t = hn::Mul(s, s);
  const Vec series = hn::Mul(t, Polynomial(t, kLogSeries));
  const Vec small =
      hn::Sub(hn::Mul(k, Number(kLn2Low)), hn::Mul(s, hn::Sub(f, series)));
  Vec result = hn::MulAdd(k, Number(kLn2High), hn::Add(f, small));
  result = hn::IfThenElse(hn::Eq(x, Number(kInfinity)), x, result);
  result = hn::IfThenElse(hn::Eq(x, Number(0.0)), Number(-kInfinity), result);
  const Mask is_number = hn::Ge(x, Number(0.0));
  return hn::IfThenElse(is_number, result,
                        Number(std::numeric_limits<double>::quiet_NaN()));
}

// log(1 + x), from the logarithm of the rounded sum u: log(u) / (u - 1) changes
// little where u differs from 1 + x. W. Kahan; N. J. Higham, "Accuracy and
// Stability of Numerical Algorithms", 2002, section 1.14.1.
HWY_INLINE Vec Log1p(Vec x) {
  const Vec one = Number(1.0);
  const Vec u = hn::Add(x, one);
  const Vec result = hn::Mul(Log(u), hn::Div(x, hn::Sub(u, one)));
  const Mask is_same =
      hn::Or(hn::Eq(u, one),
             hn::Eq(u, Number(std::numeric_limits<double>::infinity())));
  return hn::IfThenElse(is_same, x, result);
}

// exp(y log x), with the logarithm as a sum of two doubles: the error of one
// double would be multiplied by y log x.
HWY_INLINE Vec Pow(Vec x, Vec y) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec k, m;
  Decompose(x, &k, &m);
  const Vec f = hn::Sub(m, Number(1.0));
  const Vec g = hn::Add(f, Number(2.0));
  const Vec g_low = hn::Sub(f, hn::Sub(g, Number(2.0)));
  // s + s_low = f / (g + g_low).
  const Vec s = hn::Div(f, g);
  const Vec product = hn::Mul(s, g);
  Vec rest = hn::Sub(hn::Sub(f, product), ProductError(s, g, product));
  rest = hn::NegMulAdd(s, g_low, rest);
  const Vec s_low = hn::Div(rest, g);
  const Vec t = hn::Mul(s, s);
  Vec low = hn::Mul(hn::Mul(s, t), Polynomial(t, kLogSeries));
  const Vec twice_low = hn::Add(s_low, s_low);
  low = hn::Add(low, hn::MulAdd(twice_low, t, twice_low));
  // The exact sum of the two large terms: D. E. Knuth, "The Art of Computer
  // Programming", volume 2, section 4.2.2.
  const Vec a = hn::Mul(k, Number(kLn2High));
  const Vec b = hn::Add(s, s);
  const Vec sum = hn::Add(a, b);
  const Vec b_part = hn::Sub(sum, a);
  const Vec error =
      hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part));
  low = hn::Add(error, hn::MulAdd(k, Number(kLn2Low), low));
  const Vec high = hn::Add(sum, low);
  low = hn::Sub(low, hn::Sub(high, sum));
  // The product with y, and the power of both parts.
  const Vec exponent = hn::Mul(y, high);
  Vec correction = hn::MulAdd(y, low, ProductError(y, high, exponent));
  correction =
      hn::IfThenElseZero(hn::Lt(hn::Abs(exponent), Number(750.0)), correction);
  const Vec power = Exp(exponent);
  Vec result = hn::MulAdd(power, correction, power);
  result = hn::IfThenElse(hn::Lt(power, Number(kInfinity)), result, power);
  const Mask is_regular =
      hn::And(hn::And(hn::Gt(x, Number(0.0)), hn::Lt(x, Number(kInfinity))),
              hn::Lt(hn::Abs(y), Number(kInfinity)));
  if (hn::AllTrue(Tag(), is_regular)) return result;
  return ReplaceLanes(hn::Not(is_regular), result, x, y,
                      [](double u, double v) { return std::pow(u, v); });
}

// The sine of x + quarter_turns pi / 2. With k quarter turns removed, the rest
// is at most pi / 4.
template <int kQuarterTurns>
HWY_INLINE Vec SineOf(Vec x) {
  // 1 / n!, with alternating signs: of r^3, r^5, ... and of r^4, r^6, ...
  constexpr double kSine[] = {-1.0 / 6,
                              1.0 / 120,
                              -1.0 / 5040,
                              1.0 / 362880,
                              -1.0 / 39916800,
                              1.0 / 6227020800,
                              -1.0 / 1307674368000,
                              1.0 / 355687428096000};
  constexpr double kCosine[] = {
      1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
      1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
  const Bits du;
  const Vec k = hn::Round(hn::Mul(x, Number(0x1.45f306dc9c883p-1)));
  // pi / 2 in parts of 30, 30, 30 and 53 bits.
  Vec r = hn::NegMulAdd(k, Number(0x1.921fb54p0), x);
  r = hn::NegMulAdd(k, Number(0x1.10b46118p-30), r);
  r = hn::NegMulAdd(k, Number(0x1.313198ap-61), r);
  r = hn::NegMulAdd(k, Number(0x1.701b839a25205p-92), r);
  const Vec t = hn::Mul(r, r);
  const Vec sine = hn::MulAdd(hn::Mul(r, t), Polynomial(t, kSine), r);
  const Vec half = hn::Mul(t, Number(0.5));
  const Vec one_minus_half = hn::Sub(Number(1.0), half);
  // What 1 - t / 2 lost to rounding.
  const Vec lost = hn::Sub(hn::Sub(Number(1.0), one_minus_half), half);
  const Vec cosine = hn::Add(
      one_minus_half, hn::MulAdd(hn::Mul(t, t), Polynomial(t, kCosine), lost));
  const auto quarter = hn::Add(LowBits(k), hn::Set(du, kQuarterTurns));
  const auto one = hn::Set(du, 1);
  const Mask is_odd = hn::RebindMask(Tag(), hn::Eq(hn::And(quarter, one), one));
  const auto sign = hn::ShiftLeft<62>(hn::And(quarter, hn::Set(du, 2)));
  const Vec result = hn::IfThenElse(is_odd, cosine, sine);
  return hn::BitCast(Tag(), hn::Xor(hn::BitCast(du, result), sign));
}

// Beyond, products with the parts of pi / 2 are not exact.
constexpr double kLargestAngle = 0x1p21;

HWY_INLINE Vec Sin(Vec x) {
  const Vec result = SineOf<0>(x);
  const Mask is_regular = hn::Lt(hn::Abs(x), Number(kLargestAngle));
  if (hn::AllTrue(Tag(), is_regular)) return result;
  return ReplaceLanes(hn::Not(is_regular), result, x, x,
                      [](double u, double) { return std::sin(u); });
}

HWY_INLINE Vec Cos(Vec x) {
  const Vec result = SineOf<1>(x);
  const Mask is_regular = hn::Lt(hn::Abs(x), Number(kLargestAngle));
  if (hn::AllTrue(Tag(), is_regular)) return result;
  return ReplaceLanes(hn::Not(is_regular), result, x, x,
                      [](double u, double) { return std::cos(u); });
}

// The angle of the point (b, a), a >= 0, b >= 0, between 0 and pi / 2. The
// quotient of the smaller and the larger coordinate is brought below tan(pi /
// 8) by a rotation of the point by pi / 4.
HWY_INLINE Vec AngleInQuadrant(Vec a, Vec b) {
  // (-1)^n / (2 n + 1).
  constexpr double kSeries[] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,
                                -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17,
                                -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25,
                                -1.0 / 27, 1.0 / 29, -1.0 / 31, 1.0 / 33,
                                -1.0 / 35, 1.0 / 37, -1.0 / 39, 1.0 / 41};
  constexpr double kTanOfEighth = 0.41421356237309503;
  constexpr double kQuarterPi = 0x1.921fb54442d18p-1;
  constexpr double kQuarterPiLow = 0x1.1a62633145c07p-55;
  const Mask is_steep = hn::Gt(a, b);
  const Vec less = hn::IfThenElse(is_steep, b, a);
  const Vec more = hn::IfThenElse(is_steep, a, b);
  const Mask is_rotated = hn::Gt(less, hn::Mul(more, Number(kTanOfEighth)));
  const Vec u = hn::Div(hn::IfThenElse(is_rotated, hn::Sub(less, more), less),
                        hn::IfThenElse(is_rotated, hn::Add(less, more), more));
  const Vec t = hn::Mul(u, u);
  const Vec tail = hn::Mul(hn::Mul(u, t), Polynomial(t, kSeries));
  const Vec low = hn::IfThenElseZero(is_rotated, Number(kQuarterPiLow));
  const Vec high = hn::IfThenElseZero(is_rotated, Number(kQuarterPi));
  const Vec rest = hn::Add(u, hn::Add(tail, low));
  const Vec angle = hn::Add(high, rest);
  // pi / 2 - angle, in which the parts of pi cancel exactly.
  const Vec complement = hn::Add(
      hn::Sub(Number(2 * kQuarterPi), high),
      hn::Sub(hn::Sub(Number(2 * kQuarterPiLow), low), hn::Add(u, tail)));
  return hn::IfThenElse(is_steep, complement, angle);
}

HWY_INLINE Vec Atan2(Vec y, Vec x) {
  constexpr double kPi = 0x1.921fb54442d18p1;
  constexpr double kPiLow = 0x1.1a62633145c07p-53;
  const Vec a = hn::Abs(y), b = hn::Abs(x);
  const Vec angle = AngleInQuadrant(a, b);
  const Vec obtuse = hn::Add(Number(kPi), hn::Sub(Number(kPiLow), angle));
  const Vec result =
      hn::CopySign(hn::IfThenElse(hn::Lt(x, Number(0.0)), obtuse, angle), y);
  // Zeros, infinities, and numbers whose sum or quotient is out of range.
  const Vec more = hn::Max(a, b), less = hn::Min(a, b);
  const Mask is_regular =
      hn::And(hn::Lt(more, Number(1e300)),
              hn::And(hn::Gt(less, hn::Mul(more, Number(1e-290))),
                      hn::Gt(less, Number(1e-290))));
  if (hn::AllTrue(Tag(), is_regular)) return result;
  return ReplaceLanes(hn::Not(is_regular), result, y, x,
                      [](double u, double v) { return std::atan2(u, v); });
}

HWY_INLINE Vec Atan(Vec x) {
  const Vec a = hn::Abs(x);
  const Vec result = hn::CopySign(AngleInQuadrant(a, Number(1.0)), x);
  const Mask is_regular = hn::Lt(a, Number(1e300));
  if (hn::AllTrue(Tag(), is_regular)) return result;
  return ReplaceLanes(hn::Not(is_regular), result, x, x,
                      [](double u, double) { return std::atan(u); });
}

// erfc(x) for x >= 1: M. M. Shepherd and J. G. Laframboise, "Chebyshev
// approximation of (1 + 2x) exp(x^2) erfc x in 0 <= x < infinity", Mathematics
// of Computation 36, 1981: a polynomial in (x - 3.75) / (x + 3.75). The
// coefficients are those of the interpolation at 22 Chebyshev points of x >= 1,
// computed with 50 digits; the error is 8e-18.
HWY_INLINE Vec ErfcTail(Vec x) {
  constexpr double kSeries[] = {
      1.2375126308378275,     -0.14024059858554708,   0.0035854154854614113,
      0.08227673849015806,    -0.10880393014155053,   0.09230432115987308,
      -0.058693398594691304,  0.028362277429180446,   -0.009746579493111265,
      0.0017556257284218509,  0.00029371319899121464, -0.00029015312881037336,
      5.165100830901826e-05,  2.237966174248386e-05,  -1.144817849690542e-05,
      -9.600738827480076e-07, 1.7536955184470437e-06, -7.993987185985226e-08,
      -2.509931564219546e-07, 4.1733326097901436e-08, 2.5529670104035725e-08,
      -7.733848758560268e-09};
  constexpr double kCenter = 3.75;
  const Vec bounded = hn::Min(x, Number(30.0));
  const Vec t = hn::Div(hn::Sub(bounded, Number(kCenter)),
                        hn::Add(bounded, Number(kCenter)));
  // x^2 = h^2 + (x - h) (x + h), where h has 26 bits and h^2 is exact.
  const auto mask = hn::Set(Bits(), ~((std::uint64_t{1} << 27) - 1));
  const Vec h = hn::BitCast(Tag(), hn::And(hn::BitCast(Bits(), bounded), mask));
  const Vec rest = hn::Mul(hn::Sub(bounded, h), hn::Add(bounded, h));
  const Vec bell = hn::Mul(Exp(hn::Neg(hn::Mul(h, h))), Exp(hn::Neg(rest)));
  const Vec factor = hn::Div(Polynomial(t, kSeries),
                             hn::MulAdd(bounded, Number(2.0), Number(1.0)));
  return hn::Mul(factor, bell);
}

// Taylor's series of erf(x) / x in x^2, for |x| <= 1. M. Abramowitz and I. A.
// Stegun, "Handbook of Mathematical Functions", 1964, 7.1.5.
HWY_INLINE Vec ErfSeries(Vec x) {
  constexpr double kScale = 1.1283791670955126;  // 2 / sqrt(pi)
  constexpr double kSeries[] = {
      // The first term is added last, without its rounding error.
      -kScale / 3,
      kScale / (5 * 2.0),
      -kScale / (7 * 6.0),
      kScale / (9 * 24.0),
      -kScale / (11 * 120.0),
      kScale / (13 * 720.0),
      -kScale / (15 * 5040.0),
      kScale / (17 * 40320.0),
      -kScale / (19 * 362880.0),
      kScale / (21 * 3628800.0),
      -kScale / (23 * 39916800.0),
      kScale / (25 * 479001600.0),
      -kScale / (27 * 6227020800.0),
      kScale / (29 * 87178291200.0),
      -kScale / (31 * 1307674368000.0),
      kScale / (33 * 20922789888000.0),
      -kScale / (35 * 355687428096000.0),
      kScale / (37 * 6402373705728000.0)};
  const Vec t = hn::Mul(x, x);
  const Vec tail = hn::Mul(t, Polynomial(t, kSeries));
  // 2 / sqrt(pi) - 1, so that the sum is x + x (...).
  return hn::MulAdd(x, hn::Add(Number(0.12837916709551256), tail), x);
}

HWY_INLINE Vec Erf(Vec x) {
  const Vec a = hn::Abs(x);
  const Vec tail = hn::Sub(Number(1.0), ErfcTail(a));
  const Vec result = hn::IfThenElse(hn::Lt(a, Number(1.0)), ErfSeries(x),
                                    hn::CopySign(tail, x));
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

HWY_INLINE Vec Erfc(Vec x) {
  const Vec a = hn::Abs(x);
  const Vec tail = ErfcTail(a);
  const Vec outside =
      hn::IfThenElse(hn::Lt(x, Number(0.0)), hn::Sub(Number(2.0), tail), tail);
  const Vec inside = hn::Sub(Number(1.0), ErfSeries(x));
  const Vec result = hn::IfThenElse(hn::Lt(a, Number(1.0)), inside, outside);
  return hn::IfThenElse(hn::Eq(x, x), result, x);
}

}  // namespace HWY_NAMESPACE
}  // namespace ceres::internal::lanes
HWY_AFTER_NAMESPACE();

#endif  // CERES_INTERNAL_LANES_LANE_MATH_INL_H_
