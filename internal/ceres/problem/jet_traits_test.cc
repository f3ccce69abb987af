// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Types computed at compile time: what may meet in an operation on Jets, sizes
// of parameter blocks, sequences of integers.

#include "ceres/internal/jet_traits.h"

#include <string>
#include <type_traits>
#include <utility>

#include "ceres/internal/integer_sequence_algorithm.h"
#include "ceres/internal/parameter_dims.h"
#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using J0 = Jet<double, 2>;
using J1 = Jet<float, 2>;
using J2 = Jet<double, 3>;
using Nested = Jet<J2, 2>;

TEST(JetTraits, RecognizesJets) {
  static_assert(AreAnyJet_v<J0> && AreAnyJet_v<double, J0> &&
                AreAnyJet_v<Nested>);
  static_assert(!AreAnyJet_v<> && !AreAnyJet_v<double, int>);
  static_assert(std::is_same_v<UnderlyingScalar_t<J1>, float>);
  static_assert(std::is_same_v<UnderlyingScalar_t<Nested>, double>);
  static_assert(std::is_same_v<UnderlyingScalar_t<int>, int>);
  static_assert(Rank_v<std::string> == -1 && Rank_v<double> == 0);
  static_assert(Rank_v<J2> == 3 && Rank_v<Nested> == 2);
  static_assert(
      std::is_same_v<Ranks_t<J0, int>, std::integer_sequence<int, 2, 0>>);
  static_assert(AreAllSame_v<int, int, int> && !AreAllSame_v<int, long>);
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

TEST(JetTraits, PromotableOperandsShareSizeOnly) {
  static_assert(PromotableJetOperands_v<J0, int>);
  static_assert(PromotableJetOperands_v<J0, J1>);
  static_assert(!PromotableJetOperands_v<J0, J2>);
  static_assert(!PromotableJetOperands_v<int, double>);
  static_assert(!PromotableJetOperands_v<J0, std::string>);
}

TEST(JetTraits, AsScalarReachesTheBottom) {
  const Nested x(J2(7.0, 1), 0);
  EXPECT_EQ(&AsScalar(x), &x.a.a);
  const int i = 3;
  EXPECT_EQ(&AsScalar(i), &i);
}

TEST(IntegerSequence, ExclusiveScan) {
  static_assert(
      std::is_same_v<ExclusiveScan<std::integer_sequence<int, 2, 3, 4>>,
                     std::integer_sequence<int, 0, 2, 5>>);
  static_assert(std::is_same_v<ExclusiveScan<std::integer_sequence<int>>,
                               std::integer_sequence<int>>);
}

TEST(IntegerSequence, RemoveValue) {
  using Seq = std::integer_sequence<int, 0, 1, 0, 2>;
  static_assert(
      std::is_same_v<RemoveValue_t<Seq, 0>, std::integer_sequence<int, 1, 2>>);
  static_assert(std::is_same_v<RemoveValue_t<Seq, 5>, Seq>);
}

TEST(IntegerSequence, EqualityOfAllElements) {
  static_assert(AreAllEqual_v<int, 3> && AreAllEqual_v<int, 3, 3>);
  static_assert(!AreAllEqual_v<int, 3, 4>);
  static_assert(IsEmptyOrAreAllEqual_v<std::integer_sequence<int>>);
  static_assert(IsEmptyOrAreAllEqual_v<std::integer_sequence<int, 1, 1>>);
  static_assert(!IsEmptyOrAreAllEqual_v<std::integer_sequence<int, 1, 2>>);
}

TEST(ParameterDims, CountsAndOffsets) {
  using Dims = StaticParameterDims<2, 3, 4>;
  static_assert(Dims::kIsValid && !Dims::kIsDynamic);
  static_assert(Dims::kNumParameterBlocks == 3 && Dims::kNumParameters == 9);
  static_assert(Dims::GetDim(0) == 2 && Dims::GetDim(2) == 4);
  static_assert(DynamicParameterDims::kIsDynamic);
  static_assert(DynamicParameterDims::kNumParameters == 0);
  double x[9];
  const auto blocks = Dims::GetUnpackedParameters(x);
  EXPECT_EQ(blocks[0], x);
  EXPECT_EQ(blocks[1], x + 2);
  EXPECT_EQ(blocks[2], x + 5);
}

}  // namespace
}  // namespace ceres::internal
