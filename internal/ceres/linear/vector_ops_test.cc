// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/vector_ops.h"

#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "ceres/execution/context_impl.h"
#include "ceres/internal/eigen.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

Vector RandomVector(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return Vector::NullaryExpr(n, [&] { return uniform(random); });
}

// Lengths around the places where a loop is cut.
const int kLengths[] = {0,    1,    2,    7,     64,    1023,  1024,   1025,
                        2048, 8191, 8192, 16383, 16384, 16385, 100000, 1000003};

class VectorOps : public ::testing::TestWithParam<int> {
 protected:
  VectorOps() {
    context_.EnsureMinimumThreads(GetParam());
    context_.thread_pool().SetRunningLimit(64);
    context_.thread_pool().SetSharing(parallel::Sharing::kAlways);
  }

  Execution exec() { return {&context_, GetParam()}; }

 private:
  ContextImpl context_;
};

TEST_P(VectorOps, SetZeroWritesEveryEntryAndNoOther) {
  for (const int n : kLengths) {
    Vector x = Vector::Constant(n + 2, 3.0);
    SetZero(exec(), n, x.data() + 1);
    EXPECT_EQ(x[0], 3.0);
    EXPECT_EQ(x[n + 1], 3.0);
    EXPECT_TRUE((x.segment(1, n).array() == 0.0).all()) << n;
  }
}

TEST_P(VectorOps, CopyCopies) {
  for (const int n : kLengths) {
    const Vector x = RandomVector(n, 1);
    Vector y = Vector::Zero(n);
    Copy(exec(), n, x.data(), y.data());
    EXPECT_TRUE(x == y) << n;
  }
}

TEST_P(VectorOps, AxpbyIsTheSerialExpressionAlsoInPlace) {
  for (const int n : kLengths) {
    const Vector x = RandomVector(n, 2);
    Vector y = RandomVector(n, 3);
    Vector z = Vector::Zero(n);
    const Vector expected = 1.25 * x - 0.5 * y;
    Axpby(exec(), n, 1.25, x.data(), -0.5, y.data(), z.data());
    EXPECT_TRUE(z == expected) << n;
    Axpby(exec(), n, 1.25, x.data(), -0.5, y.data(), y.data());
    EXPECT_TRUE(y == expected) << n;
  }
}

TEST_P(VectorOps, DotIsTheProductAndHasTheBitsOfOneThread) {
  for (const int n : kLengths) {
    const Vector x = RandomVector(n, 6);
    const Vector y = RandomVector(n, 7);
    long double sum = 0.0L;
    for (int i = 0; i < n; ++i) sum += static_cast<long double>(x[i]) * y[i];
    const double expected = Dot(Execution(), n, x.data(), y.data());
    EXPECT_NEAR(expected, static_cast<double>(sum), 1e-15 * n) << n;
    for (int run = 0; run < 5; ++run) {
      EXPECT_EQ(Dot(exec(), n, x.data(), y.data()), expected);
    }
  }
}

TEST_P(VectorOps, NormIsTheEuclideanNormAndHasTheBitsOfOneThread) {
  for (const int n : kLengths) {
    const Vector x = RandomVector(n, 10);
    const double norm = Norm(exec(), n, x.data());
    EXPECT_EQ(norm, Norm(Execution(), n, x.data()));
    EXPECT_NEAR(norm, x.norm(), 1e-12 * x.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, VectorOps, ::testing::Values(1, 2, 3, 4, 8));

}  // namespace
}  // namespace ceres::internal
