// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Arithmetic on derivative parts by pieces against plain loops, at sizes with
// and without partial pieces and at every alignment.

#include "ceres/internal/jet_derivative.h"

#include <limits>
#include <random>
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
template <typename Vector>
void ExpectNear(const Vector& actual, const Vector& expected) {
  using T = typename Vector::Scalar;
  for (int i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 32 * std::numeric_limits<T>::epsilon())
        << "entry " << i << " of " << expected.size();
  }
}

template <typename T, int N>
void TestOperations() {
  using Vector = Eigen::Matrix<T, N, 1>;
  const Vector x = RandomVector<T, N>(1), y = RandomVector<T, N>(2),
               z = RandomVector<T, N>(3);
  const T p = T(1.25), q = T(-0.7), r = T(0.3);
  // Sentinels before and after must survive.
  struct {
    T before = 17;
    Vector result;
    T after = 18;
  } memory;
  Vector* const result = &memory.result;

  MapDerivatives(JetIdentity(), result, x);
  EXPECT_EQ(*result, x);
  MapDerivatives(JetNegate(), result, x);
  EXPECT_EQ(*result, -x);
  MapDerivatives(JetAdd(), result, x, y);
  EXPECT_EQ(*result, x + y);
  MapDerivatives(JetSubtract(), result, x, y);
  EXPECT_EQ(*result, x - y);
  MapDerivatives(JetCombine<T>{p}, result, x);
  EXPECT_EQ(*result, p * x);
  MapDerivatives(JetCombine<T>{p, q}, result, x, y);
  ExpectNear<Vector>(*result, p * x + q * y);
  MapDerivatives(JetCombine<T>{p, q, r}, result, x, y, z);
  ExpectNear<Vector>(*result, p * x + q * y + r * z);
  MapDerivatives(JetCombineAndAdd<T>{p, q}, result, x, y, z);
  ExpectNear<Vector>(*result, p * x + q * y + z);
  MapDerivatives(JetQuotient<T>{p, q}, result, x, y);
  ExpectNear<Vector>(*result, (x - p * y) * q);

  *result = x;
  MapDerivatives(JetCombine<T>{p, q}, result, *result, *result);
  ExpectNear<Vector>(*result, p * x + q * x);
  SetZeroDerivatives(result);
  EXPECT_EQ(*result, Vector::Zero());
  for (int k = 0; k < N; ++k) {
    *result = x;
    SetUnitDerivatives(k, result);
    EXPECT_EQ(*result, Vector::Unit(k));
  }
  EXPECT_EQ(memory.before, T(17));
  EXPECT_EQ(memory.after, T(18));
}

// A derivative's bits must not depend on where in the vector it stands, not
// even in a partial piece, nor on what stands beside it.
template <typename T, int N>
void TestPositions() {
  using Vector = Eigen::Matrix<T, N, 1>;
  const T infinity = std::numeric_limits<T>::infinity();
  const T p = T(1.1), q = T(-0.7), r = T(0.3);
  const auto last_bits = [&](T x, T y, T z, T neighbour, int k) {
    Vector xs = Vector::Constant(neighbour), ys = xs, zs = xs, result;
    xs[k] = x;
    ys[k] = y;
    zs[k] = z;
    MapDerivatives(JetCombine<T>{p, q, r}, &result, xs, ys, zs);
    MapDerivatives(JetQuotient<T>{p, q}, &result, result, ys);
    return result[k];
  };
  for (int seed = 0; seed < 20; ++seed) {
    const auto v = RandomVector<T, 3>(seed);
    const T expected = last_bits(v[0], v[1], v[2], T(0), 0);
    for (int k = 0; k < N; ++k) {
      EXPECT_EQ(last_bits(v[0], v[1], v[2], T(1), k), expected);
      EXPECT_EQ(last_bits(v[0], v[1], v[2], infinity, k), expected);
    }
  }
}

template <typename T, int... kSizes>
void TestSizes() {
  (TestOperations<T, kSizes>(), ...);
  (TestPositions<T, kSizes>(), ...);
}

TEST(JetDerivative, DoublesEqualPlainLoops) {
  TestSizes<double, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 23, 24, 25, 26, 31, 47,
            48, 49, 50, 97>();
}

TEST(JetDerivative, FloatsEqualPlainLoops) {
  TestSizes<float, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 31, 47, 48, 49, 50,
            95, 96, 97, 103>();
}

TEST(JetDerivative, OtherScalarsEqualPlainLoops) {
  TestSizes<long double, 1, 2, 7, 25>();
}

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
