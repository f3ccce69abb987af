// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Construction, arithmetic and comparison of Jets, and their place in the
// standard library and in Eigen.

#include "ceres/jet.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

#include "Eigen/Dense"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using J = Jet<double, 2>;
using Eigen::Vector2d;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void ExpectJet(const J& actual, double a, double v0, double v1) {
  EXPECT_DOUBLE_EQ(actual.a, a);
  EXPECT_DOUBLE_EQ(actual.v[0], v0);
  EXPECT_DOUBLE_EQ(actual.v[1], v1);
}

TEST(Jet, Constructors) {
  ExpectJet(J(), 0.0, 0.0, 0.0);
  ExpectJet(J(3.0), 3.0, 0.0, 0.0);
  ExpectJet(J(3.0, 1), 3.0, 0.0, 1.0);
  ExpectJet(J(3.0, Vector2d(1.0, 2.0)), 3.0, 1.0, 2.0);
  ExpectJet(J(3.0, 2.0 * Vector2d(1.0, 2.0)), 3.0, 2.0, 4.0);
  static_assert(J::DIMENSION == 2);
  static_assert(std::is_same_v<J::Scalar, double>);
  static_assert(!std::is_convertible_v<double, J>);
}

TEST(Jet, ArithmeticOfTwoJets) {
  const J x(2.0, Vector2d(3.0, 5.0)), y(4.0, Vector2d(7.0, 11.0));
  ExpectJet(x + y, 6.0, 10.0, 16.0);
  ExpectJet(x - y, -2.0, -4.0, -6.0);
  ExpectJet(x * y, 8.0, 26.0, 42.0);
  ExpectJet(x / y, 0.5, (3.0 * 4.0 - 2.0 * 7.0) / 16.0,
            (5.0 * 4.0 - 2.0 * 11.0) / 16.0);
  ExpectJet(-x, -2.0, -3.0, -5.0);
  EXPECT_EQ(&+x, &x);
}

TEST(Jet, ArithmeticWithScalars) {
  const J x(2.0, Vector2d(3.0, 5.0));
  ExpectJet(x + 4.0, 6.0, 3.0, 5.0);
  ExpectJet(4.0 + x, 6.0, 3.0, 5.0);
  ExpectJet(x - 4.0, -2.0, 3.0, 5.0);
  ExpectJet(4.0 - x, 2.0, -3.0, -5.0);
  ExpectJet(x * 4.0, 8.0, 12.0, 20.0);
  ExpectJet(4.0 * x, 8.0, 12.0, 20.0);
  ExpectJet(x / 4.0, 0.5, 0.75, 1.25);
  ExpectJet(4.0 / x, 2.0, -3.0, -5.0);
}

TEST(Jet, CompoundAssignment) {
  const J x(2.0, Vector2d(3.0, 5.0)), y(4.0, Vector2d(7.0, 11.0));
  J z = x;
  ExpectJet(z += y, 6.0, 10.0, 16.0);
  ExpectJet(z -= y, 2.0, 3.0, 5.0);
  ExpectJet(z *= y, 8.0, 26.0, 42.0);
  ExpectJet(z /= y, 2.0, 3.0, 5.0);
  ExpectJet(z += 4.0, 6.0, 3.0, 5.0);
  ExpectJet(z -= 4.0, 2.0, 3.0, 5.0);
  ExpectJet(z *= 4.0, 8.0, 12.0, 20.0);
  ExpectJet(z /= 4.0, 2.0, 3.0, 5.0);
}

TEST(Jet, CompoundAssignmentOfAJetToItself) {
  const J x(2.0, Vector2d(3.0, 5.0));
  J z = x;
  const J& same = z;
  ExpectJet(z *= same, 4.0, 12.0, 20.0);
  z = x;
  ExpectJet(z /= same, 1.0, 0.0, 0.0);
  z = x;
  ExpectJet(z += same, 4.0, 6.0, 10.0);
  z = x;
  ExpectJet(z -= same, 0.0, 0.0, 0.0);
  z = same;
  ExpectJet(z, 0.0, 0.0, 0.0);
}

// The solver compares costs that were computed with and without Jacobian.
TEST(Jet, ValuesHaveTheBitsOfPlainArithmetic) {
  double x = 0.1, y = 0.7;
  for (int i = 0; i < 100; ++i) {
    x = 1.1 * x + 0.01;
    y = 0.9 * y + 0.3;
    EXPECT_EQ((J(x, 0) / J(y, 1)).a, x / y);
    EXPECT_EQ((J(x, 0) * J(y, 1)).a, x * y);
    EXPECT_EQ((x / J(y, 1)).a, x / y);
    EXPECT_EQ((J(x, 0) / y).a, x / y);
  }
}

TEST(Jet, ComparisonsLookAtValuesOnly) {
  const J one(1.0, 0), also_one(1.0, 1), two(2.0, 0);
  EXPECT_TRUE(one == also_one && one <= also_one && one >= also_one);
  EXPECT_FALSE(one != also_one || one < also_one || one > also_one);
  EXPECT_TRUE(one < two && one <= two && one != two);
  EXPECT_FALSE(one > two || one >= two || one == two);
}

TEST(Jet, ComparisonsWithScalarsOfAnyType) {
  const J one(1.0, 0);
  EXPECT_TRUE(one == 1 && 1 == one && one == 1.0f && 1u == one);
  EXPECT_TRUE(one < 2 && 0 < one && one <= 1.0L && 1.0f >= one);
  EXPECT_TRUE(one != 3 && 3.0 != one && one > -1 && 2 > one);
  using Nested = Jet<J, 2>;
  const Nested x(J(1.0, 0), 1);
  EXPECT_TRUE(x == 1.0 && x < 2 && Nested(J(1.0, 1), 0) == x);
}

TEST(Jet, ComparisonsWithNaNAreFalse) {
  const J one(1.0), nan(kNaN);
  EXPECT_FALSE(one == nan || one < nan || one > nan || one <= nan ||
               one >= nan);
  EXPECT_TRUE(one != nan && nan != nan);
}

TEST(Jet, ComparisonsAreForJetsAndScalarsOnly) {
  static_assert(PromotableJetOperands_v<J, int>);
  static_assert(!PromotableJetOperands_v<J, std::string>);
  static_assert(!PromotableJetOperands_v<J, Jet<double, 3>>);
  const J x;
  static_assert(noexcept(x < x)&& noexcept(x == 1)&& noexcept(2.0 >= x));
}

TEST(Jet, Print) {
  std::ostringstream s;
  s << J(1.5, Vector2d(2.0, -3.0)) << Jet<double, 1>(1.0, 0);
  EXPECT_EQ(s.str(), "[1.5 ; 2, -3][1 ; 1]");
}

// The product rule twice: (x y)'' by x and y is 1, (x^3)'' is 6 x.
TEST(Jet, JetsOfJetsGiveSecondDerivatives) {
  using Nested = Jet<J, 2>;
  const Nested x(J(2.0, 0), 0), y(J(5.0, 1), 1);
  const Nested z = x * x * x + x * y / (y * y);
  EXPECT_DOUBLE_EQ(z.a.a, 8.0 + 2.0 / 5.0);
  EXPECT_DOUBLE_EQ(z.v[0].v[0], 12.0);
  EXPECT_DOUBLE_EQ(z.v[0].v[1], -1.0 / 25.0);
  EXPECT_DOUBLE_EQ(z.v[1].v[0], -1.0 / 25.0);
  EXPECT_DOUBLE_EQ(z.v[1].v[1], 2.0 * 2.0 / 125.0);
  EXPECT_EQ(Nested(2).a.a, 2.0);
}

TEST(Jet, CommonType) {
  static_assert(std::is_same_v<std::common_type_t<J, double>, J>);
  static_assert(std::is_same_v<std::common_type_t<int, J>, J>);
  static_assert(std::is_same_v<std::common_type_t<J, J>, J>);
  static_assert(std::is_same_v<std::common_type_t<J, Jet<float, 2>>, J>);
  static_assert(std::is_same_v<std::common_type_t<Jet<float, 2>, double>, J>);
  static_assert(
      std::is_same_v<std::common_type_t<Jet<J, 3>, double>, Jet<J, 3>>);
}

// A matrix of Jets: its values, and its derivatives by the two variables.
template <int kSize>
struct JetMatrix {
  using Values = Eigen::Matrix<double, kSize, kSize>;
  Eigen::Matrix<J, kSize, kSize> jets;
  Values a, d0, d1;

  explicit JetMatrix(unsigned seed) {
    std::srand(seed);
    a = Values::Random() + 3.0 * Values::Identity();
    d0 = Values::Random();
    d1 = Values::Random();
    for (int i = 0; i < kSize * kSize; ++i) {
      jets(i) = J(a(i), Vector2d(d0(i), d1(i)));
    }
  }
};

template <typename Jets, typename A, typename D0, typename D1>
void ExpectMatrix(const Jets& product, const A& a, const D0& d0, const D1& d1) {
  const auto jets = product.eval();
  for (int i = 0; i < jets.rows(); ++i) {
    for (int k = 0; k < jets.cols(); ++k) {
      EXPECT_NEAR(jets(i, k).a, a(i, k), 1e-13);
      EXPECT_NEAR(jets(i, k).v[0], d0(i, k), 1e-13);
      EXPECT_NEAR(jets(i, k).v[1], d1(i, k), 1e-13);
    }
  }
}

TEST(JetInEigen, MatrixProduct) {
  const JetMatrix<5> x(1), y(2);
  ExpectMatrix(x.jets * y.jets, (x.a * y.a).eval(),
               (x.d0 * y.a + x.a * y.d0).eval(),
               (x.d1 * y.a + x.a * y.d1).eval());
}

TEST(JetInEigen, LargeMatrixProductUsesTheBlockedKernel) {
  const JetMatrix<24> x(3), y(4);
  const Eigen::Matrix<J, Eigen::Dynamic, Eigen::Dynamic> xd = x.jets,
                                                         yd = y.jets;
  ExpectMatrix(xd * yd, (x.a * y.a).eval(), (x.d0 * y.a + x.a * y.d0).eval(),
               (x.d1 * y.a + x.a * y.d1).eval());
}

TEST(JetInEigen, InverseByLu) {
  // (A^-1)' = -A^-1 A' A^-1.
  const JetMatrix<6> x(5);
  const JetMatrix<6>::Values inverse = x.a.inverse();
  ExpectMatrix(x.jets.lu().inverse(), inverse,
               (-inverse * x.d0 * inverse).eval(),
               (-inverse * x.d1 * inverse).eval());
}

TEST(JetInEigen, ProductWithScalars) {
  const JetMatrix<3> x(6);
  ExpectMatrix(x.jets * 2.0, 2.0 * x.a, 2.0 * x.d0, 2.0 * x.d1);
  ExpectMatrix(2.0 * x.jets, 2.0 * x.a, 2.0 * x.d0, 2.0 * x.d1);
  ExpectMatrix(x.jets / 2.0, x.a / 2.0, x.d0 / 2.0, x.d1 / 2.0);
}

TEST(JetInEigen, ProductWithAMatrixOfScalars) {
  const JetMatrix<3> x(7);
  const Eigen::Matrix3d m = Eigen::Matrix3d::Random();
  ExpectMatrix(x.jets * m, (x.a * m).eval(), (x.d0 * m).eval(),
               (x.d1 * m).eval());
  ExpectMatrix(m * x.jets, (m * x.a).eval(), (m * x.d0).eval(),
               (m * x.d1).eval());
}

TEST(JetInEigen, NormAndQuaternion) {
  const Eigen::Matrix<J, 2, 1> x(J(3.0, 0), J(4.0, 1));
  ExpectJet(x.norm(), 5.0, 0.6, 0.8);
  ExpectJet(x.squaredNorm(), 25.0, 6.0, 8.0);
  ExpectJet(x.normalized()[0], 0.6, 0.128, -0.096);
  EXPECT_TRUE((x.array() > J(2.0)).all());

  // Rotating by the half-angle h about z turns (1, 0, 0) by 2 h.
  const J h(0.25, 0);
  const Eigen::Quaternion<J> q(cos(h), J(0.0), J(0.0), sin(h));
  const Eigen::Matrix<J, 3, 1> p = q * Eigen::Matrix<J, 3, 1>::UnitX();
  EXPECT_NEAR(p[0].a, std::cos(0.5), 1e-15);
  EXPECT_NEAR(p[1].v[0], 2 * std::cos(0.5), 1e-15);
}

// ---- Traits: the kinds of operands that may meet in an operation ------------

using J1 = Jet<float, 2>;
using J2 = Jet<double, 3>;
using NestedJ2 = Jet<J2, 2>;

TEST(JetTraits, OperandsAreJetsScalarsOrNeither) {
  static_assert(internal::JetOperand<J>::kIsJet &&
                internal::JetOperand<NestedJ2>::kIsJet);
  static_assert(!internal::JetOperand<double>::kIsJet &&
                internal::JetOperand<double>::kIsNumber);
  static_assert(!internal::JetOperand<std::string>::kIsNumber);
  static_assert(std::is_same_v<internal::JetOperand<J1>::Scalar, float>);
  static_assert(std::is_same_v<internal::JetOperand<NestedJ2>::Scalar, double>);
  static_assert(std::is_same_v<internal::JetOperand<int>::Scalar, int>);
  static_assert(internal::JetOperand<J2>::kNumDerivatives == 3);
  static_assert(internal::JetOperand<NestedJ2>::kNumDerivatives == 2);
}

TEST(JetTraits, CompatibleOperandsShareScalarAndSize) {
  static_assert(CompatibleJetOperands_v<J, J>);
  static_assert(CompatibleJetOperands_v<J, double>);
  static_assert(CompatibleJetOperands_v<double, J>);
  static_assert(CompatibleJetOperands_v<double, NestedJ2>);
  static_assert(!CompatibleJetOperands_v<J, int>);
  static_assert(!CompatibleJetOperands_v<J, J1>);
  static_assert(!CompatibleJetOperands_v<J, J2>);
  static_assert(!CompatibleJetOperands_v<double, double>);
  static_assert(!CompatibleJetOperands_v<J, std::string>);
}

TEST(JetTraits, NoOperandsAreNeitherCompatibleNorPromotable) {
  static_assert(!CompatibleJetOperands_v<>);
  static_assert(!PromotableJetOperands_v<>);
  static_assert(!CompatibleJetOperands<>::value);
}

TEST(JetTraits, AllJetsAmongManyOperandsAgreeInSize) {
  static_assert(PromotableJetOperands_v<int, J, double, J1>);
  static_assert(!PromotableJetOperands_v<double, J, float, J2>);
  static_assert(CompatibleJetOperands_v<double, J, J>);
  static_assert(!CompatibleJetOperands_v<J, double, J2>);
}

TEST(JetTraits, PromotableOperandsShareSizeOnly) {
  static_assert(PromotableJetOperands_v<J, int>);
  static_assert(PromotableJetOperands_v<J, J1>);
  static_assert(!PromotableJetOperands_v<J, J2>);
  static_assert(!PromotableJetOperands_v<int, double>);
  static_assert(!PromotableJetOperands_v<J, std::string>);
}

TEST(JetTraits, BottomScalarIsTheValueOfTheInnermostJet) {
  const NestedJ2 x(J2(7.0, 1), 0);
  EXPECT_EQ(&internal::BottomScalar(x), &x.a.a);
  const int i = 3;
  EXPECT_EQ(&internal::BottomScalar(i), &i);
}

}  // namespace
}  // namespace ceres
