// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Arithmetic on derivative parts by pieces against plain loops, at sizes with
// and without partial pieces and at every alignment.

#include "ceres/internal/jet_derivative.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "ceres/jet.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

template <typename T, int N>
Eigen::Matrix<T, N, 1> RandomVector(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> uniform(-2, 2);
  Eigen::Matrix<T, N, 1> x;
  for (int i = 0; i < N; ++i) x[i] = uniform(random);
  return x;
}

// Equal to within a rounding: a compiler may contract to fused multiply-adds.
template <typename T>
void ExpectNear(const T* actual, const std::vector<T>& expected) {
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 16 * std::numeric_limits<T>::epsilon())
        << "entry " << i << " of " << expected.size();
  }
}

// op by pieces against op entry by entry. Memory on both sides, and the result
// when it is one of the inputs, are checked too.
template <typename Op, typename Vector, typename... More>
void TestOperation(const Op& op, const Vector& x, const More&... more) {
  using T = typename Vector::Scalar;
  std::vector<T> expected;
  for (int i = 0; i < x.size(); ++i) expected.push_back(op(x[i], more[i]...));
  struct {
    T before = 17;
    Vector result;
    T after = 18;
  } memory;
  MapDerivatives(op, &memory.result, x, more...);
  ExpectNear(memory.result.data(), expected);
  Vector in_place = x;
  MapDerivatives(op, &in_place, in_place, more...);
  ExpectNear(in_place.data(), expected);
  EXPECT_EQ(memory.before, T(17));
  EXPECT_EQ(memory.after, T(18));
}

template <typename T, int N>
void TestOperations() {
  const auto x = RandomVector<T, N>(1), y = RandomVector<T, N>(2),
             z = RandomVector<T, N>(3);
  const T p = T(1.25), q = T(-0.7), r = T(0.3);
  TestOperation(JetIdentity(), x);
  TestOperation(JetNegate(), x);
  TestOperation(JetAdd(), x, y);
  TestOperation(JetSubtract(), x, y);
  TestOperation(JetCombine<T>{p}, x);
  TestOperation(JetCombine<T>{p, q}, x, y);
  TestOperation(JetCombine<T>{p, q, r}, x, y, z);
  TestOperation(JetCombineAndAdd<T>{p, q}, x, y, z);
  TestOperation(JetQuotient<T>{p, q}, x, y);
}

template <typename T, int N>
void TestZeroAndUnits() {
  auto x = RandomVector<T, N>(1);
  SetZeroDerivatives(&x);
  EXPECT_TRUE((x.array() == T(0)).all());
  for (int k = 0; k < N; ++k) {
    x.setConstant(T(5));
    SetUnitDerivatives(k, &x);
    EXPECT_EQ(x[k], T(1));
    EXPECT_EQ(x.cwiseAbs().sum(), T(1));
  }
}

// A derivative's bits must not depend on where in the vector it stands, not
// even in a partial piece, nor on what stands beside it.
template <typename T, int N>
void TestPositions() {
  using Vector = Eigen::Matrix<T, N, 1>;
  const T p = T(1.1), q = T(-0.7), r = T(0.3);
  const auto compute = [&](const Eigen::Matrix<T, 3, 1>& entries, T neighbour,
                           int k) {
    Vector x = Vector::Constant(neighbour), y = x, z = x, result;
    x[k] = entries[0];
    y[k] = entries[1];
    z[k] = entries[2];
    MapDerivatives(JetCombine<T>{p, q, r}, &result, x, y, z);
    MapDerivatives(JetQuotient<T>{p, q}, &result, result, y);
    return result[k];
  };
  for (int seed = 0; seed < 20; ++seed) {
    const auto entries = RandomVector<T, 3>(seed);
    const T expected = compute(entries, T(0), 0);
    for (int k = 0; k < N; ++k) {
      EXPECT_EQ(compute(entries, T(1), k), expected);
      EXPECT_EQ(compute(entries, std::numeric_limits<T>::infinity(), k),
                expected);
    }
  }
}

template <typename T, int... kSizes>
void TestSizes() {
  (TestOperations<T, kSizes>(), ...);
  (TestZeroAndUnits<T, kSizes>(), ...);
  (TestPositions<T, kSizes>(), ...);
}

// Derivatives that the compiler knows to be zero, where kZeros has a bit, among
// others: op leaves them out of pieces, but not of single entries.
template <int kZeros, typename T, int N>
CERES_ALWAYS_INLINE Eigen::Matrix<T, N, 1> Argument(int k) {
  Eigen::Matrix<T, N, 1> x;
  SetZeroDerivatives(&x);
  return (kZeros >> k) % 2 != 0 ? x : RandomVector<T, N>(k);
}

template <int kZeros, typename Op, int... kArguments>
void TestKnownZeros(const Op& op, std::integer_sequence<int, kArguments...>) {
  constexpr int kSize = 9;
  using Vector = Eigen::Matrix<double, kSize, 1>;
  const std::array<Vector, sizeof...(kArguments)> x = {
      Argument<kZeros, double, kSize>(kArguments)...};
  std::vector<double> expected;
  for (int i = 0; i < kSize; ++i) expected.push_back(op(x[kArguments][i]...));
  Vector result;
  MapDerivatives(op, &result, Argument<kZeros, double, kSize>(kArguments)...);
  ExpectNear(result.data(), expected);
}

template <int kNumArguments, typename Op, int... kZeros>
void TestPatternsOfZeros(const Op& op, std::integer_sequence<int, kZeros...>) {
  constexpr auto kArguments = std::make_integer_sequence<int, kNumArguments>();
  (TestKnownZeros<kZeros>(op, kArguments), ...);
}

template <int kNumArguments, typename Op>
void TestAllPatternsOfZeros(const Op& op) {
  TestPatternsOfZeros<kNumArguments>(
      op, std::make_integer_sequence<int, 1 << kNumArguments>());
}

TEST(JetDerivative, KnownZerosChangeNoFiniteResult) {
  const double p = 1.25, q = -0.7, r = 0.3;
  TestAllPatternsOfZeros<1>(JetNegate());
  TestAllPatternsOfZeros<2>(JetAdd());
  TestAllPatternsOfZeros<2>(JetSubtract());
  TestAllPatternsOfZeros<1>(JetCombine<double>{p});
  TestAllPatternsOfZeros<2>(JetCombine<double>{p, q});
  TestAllPatternsOfZeros<3>(JetCombine<double>{p, q, r});
  TestAllPatternsOfZeros<3>(JetCombineAndAdd<double>{p, q});
  TestAllPatternsOfZeros<2>(JetQuotient<double>{p, q});
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(JetDerivative, ZerosThatMayBeOthersFollowTheRulesOfInfinity) {
  volatile double zero = 0.0;
  Jet<double, 8> x(1.0, 0);
  x.v[7] = zero;
  const Jet<double, 8> y = x * kInfinity;
  EXPECT_EQ(y.v[0], kInfinity);
  EXPECT_TRUE(std::isnan(y.v[7]));
}

#if defined(__OPTIMIZE__) && !defined(__clang__) && defined(__GNUC__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(JetDerivative, KnownZerosStayZeroBesideInfinity) {
  const Jet<double, 8> x(1.0, 0);
  const Jet<double, 8> y = x * kInfinity;
  EXPECT_EQ(y.v[0], kInfinity);
  for (int k = 4; k < 8; ++k) EXPECT_EQ(y.v[k], 0.0);
}
#endif

// Partial pieces, whole pieces, aligned or not, and loops over runs of pieces.
TEST(JetDerivative, PiecesOfDoublesEqualPlainLoops) {
  TestSizes<double, 1, 2, 7, 25>();
}

TEST(JetDerivative, PiecesOfFloatsEqualPlainLoops) {
  TestSizes<float, 3, 4, 50>();
}

TEST(JetDerivative, OtherScalars) { TestSizes<long double, 3>(); }

TEST(JetDerivative, JetsInPackedArraysKeepTheirNeighbours) {
  // Jet<double, 3> has the alignment of a double: every address occurs.
  std::vector<Jet<double, 3>> jets(9);
  for (int i = 0; i < 9; ++i) jets[i] = Jet<double, 3>(i + 1.0, i % 3);
  for (int i = 1; i < 8; ++i) jets[i] = jets[i - 1] * jets[i + 1];
  EXPECT_EQ(jets[0].v, Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(jets[1].a, 1.0 * 3.0);
  EXPECT_EQ(jets[1].v, Eigen::Vector3d(3, 0, 1));
  EXPECT_EQ(jets[8].v, Eigen::Vector3d(0, 0, 1));
}

}  // namespace
}  // namespace ceres::internal
