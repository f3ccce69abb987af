// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Types computed at compile time: what may meet in an operation on Jets.

#include "ceres/internal/jet_traits.h"

#include <string>
#include <type_traits>

#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using J0 = Jet<double, 2>;
using J1 = Jet<float, 2>;
using J2 = Jet<double, 3>;
using Nested = Jet<J2, 2>;

TEST(JetTraits, OperandsAreJetsScalarsOrNeither) {
  static_assert(JetOperand<J0>::kIsJet && JetOperand<Nested>::kIsJet);
  static_assert(!JetOperand<double>::kIsJet && JetOperand<double>::kIsNumber);
  static_assert(!JetOperand<std::string>::kIsNumber);
  static_assert(std::is_same_v<JetOperand<J1>::Scalar, float>);
  static_assert(std::is_same_v<JetOperand<Nested>::Scalar, double>);
  static_assert(std::is_same_v<JetOperand<int>::Scalar, int>);
  static_assert(JetOperand<J2>::kNumDerivatives == 3);
  static_assert(JetOperand<Nested>::kNumDerivatives == 2);
}

TEST(JetTraits, CompatibleOperandsShareScalarAndSize) {
  static_assert(CompatibleJetOperands_v<J0, J0>);
  static_assert(CompatibleJetOperands_v<J0, double>);
  static_assert(CompatibleJetOperands_v<double, J0>);
  static_assert(CompatibleJetOperands_v<double, Nested>);
  static_assert(!CompatibleJetOperands_v<J0, int>);
  static_assert(!CompatibleJetOperands_v<J0, J1>);
  static_assert(!CompatibleJetOperands_v<J0, J2>);
  static_assert(!CompatibleJetOperands_v<double, double>);
  static_assert(!CompatibleJetOperands_v<J0, std::string>);
}

TEST(JetTraits, NoOperandsAreNeitherCompatibleNorPromotable) {
  static_assert(!CompatibleJetOperands_v<>);
  static_assert(!PromotableJetOperands_v<>);
  static_assert(!CompatibleJetOperands<>::value);
}

TEST(JetTraits, AllJetsAmongManyOperandsAgreeInSize) {
  static_assert(PromotableJetOperands_v<int, J0, double, J1>);
  static_assert(!PromotableJetOperands_v<double, J0, float, J2>);
  static_assert(CompatibleJetOperands_v<double, J0, J0>);
  static_assert(!CompatibleJetOperands_v<J0, double, J2>);
}

TEST(JetTraits, PromotableOperandsShareSizeOnly) {
  static_assert(PromotableJetOperands_v<J0, int>);
  static_assert(PromotableJetOperands_v<J0, J1>);
  static_assert(!PromotableJetOperands_v<J0, J2>);
  static_assert(!PromotableJetOperands_v<int, double>);
  static_assert(!PromotableJetOperands_v<J0, std::string>);
}

TEST(JetTraits, BottomScalarIsTheValueOfTheInnermostJet) {
  const Nested x(J2(7.0, 1), 0);
  EXPECT_EQ(&BottomScalar(x), &x.a.a);
  const int i = 3;
  EXPECT_EQ(&BottomScalar(i), &i);
}

}  // namespace
}  // namespace ceres::internal
