// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// AutoDifferentiate on functions with known Jacobians: block layouts, sizes
// beyond the stack, and independence of the position of a parameter.

#include "ceres/internal/autodiff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ceres/internal/eigen.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// r_i = sum_j sin((i + 1) x_j + j), over the concatenation of all blocks.
template <int... Ns>
struct Waves {
  template <typename T>
  bool Compute(const std::vector<const T*>& blocks, T* r) const {
    using std::sin;
    constexpr int kSizes[] = {Ns...};
    for (int i = 0; i < num_residuals; ++i) {
      r[i] = T(0.0);
      int j = 0;
      for (size_t b = 0; b < blocks.size(); ++b) {
        for (int c = 0; c < kSizes[b]; ++c, ++j) {
          r[i] += sin(T(i + 1.0) * blocks[b][c] + T(1.0 * j));
        }
      }
    }
    return true;
  }

  int num_residuals;
};

template <int N0, int N1, int N2>
struct ThreeBlocks {
  template <typename T>
  bool operator()(const T* x, const T* y, const T* z, T* r) const {
    return waves.Compute({x, y, z}, r);
  }
  Waves<N0, N1, N2> waves;
};

template <int kNumResiduals, int N0, int N1, int N2>
void TestThreeBlocks(int num_residuals) {
  constexpr int kSizes[] = {N0, N1, N2};
  std::vector<double> x(N0 + N1 + N2);
  for (size_t j = 0; j < x.size(); ++j) x[j] = 0.1 * j - 0.3;
  const double* parameters[3] = {&x[0], &x[N0], &x[N0 + N1]};
  std::vector<double> residuals(num_residuals);
  std::vector<std::vector<double>> storage;
  for (int size : kSizes) storage.emplace_back(num_residuals * size);
  double* jacobians[3] = {storage[0].data(), nullptr, storage[2].data()};

  const ThreeBlocks<N0, N1, N2> functor{{num_residuals}};
  EXPECT_TRUE(
      (AutoDifferentiate<kNumResiduals, StaticParameterDims<N0, N1, N2>>(
          functor, parameters, num_residuals, residuals.data(), jacobians)));

  for (int i = 0; i < num_residuals; ++i) {
    double expected = 0;
    for (size_t j = 0; j < x.size(); ++j)
      expected += std::sin((i + 1) * x[j] + j);
    EXPECT_NEAR(residuals[i], expected, 1e-11);
    int j = 0;
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < kSizes[b]; ++c, ++j) {
        if (jacobians[b] == nullptr) continue;
        EXPECT_NEAR(jacobians[b][i * kSizes[b] + c],
                    (i + 1) * std::cos((i + 1) * x[j] + j), 1e-11)
            << "residual " << i << ", block " << b << ", column " << c;
      }
    }
  }
}

TEST(AutoDifferentiate, WritesRowMajorBlocks) {
  TestThreeBlocks<1, 1, 1, 1>(1);
  TestThreeBlocks<2, 9, 3, 1>(2);
  TestThreeBlocks<5, 3, 4, 2>(5);
  TestThreeBlocks<3, 8, 8, 8>(3);
}

TEST(AutoDifferentiate, NumberOfResidualsAtRunTime) {
  TestThreeBlocks<DYNAMIC, 3, 4, 2>(1);
  TestThreeBlocks<DYNAMIC, 3, 4, 2>(20);
  TestThreeBlocks<DYNAMIC, 3, 4, 2>(21);
}

TEST(AutoDifferentiate, ManyParametersAndResiduals) {
  TestThreeBlocks<2, 8, 9, 8>(2);     // Beyond what is made without a loop.
  TestThreeBlocks<2, 20, 20, 11>(2);  // Beyond the stack.
  TestThreeBlocks<21, 3, 2, 1>(21);
  TestThreeBlocks<22, 30, 1, 30>(22);
}

// The reprojection error of a camera (rotation, translation, focal length, two
// distortion coefficients) and a point. Which block holds what is permuted.
template <typename T>
void Reproject(const T* camera, const T* point, T* r) {
  using std::cos;
  using std::sin;
  using std::sqrt;
  const T theta = sqrt(camera[0] * camera[0] + camera[1] * camera[1] +
                       camera[2] * camera[2]);
  const T c = cos(theta), s = sin(theta);
  const T w[3] = {camera[0] / theta, camera[1] / theta, camera[2] / theta};
  const T along =
      (w[0] * point[0] + w[1] * point[1] + w[2] * point[2]) * (1.0 - c);
  T p[3];
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    p[i] = point[i] * c + (w[j] * point[k] - w[k] * point[j]) * s +
           w[i] * along + camera[3 + i];
  }
  const T x = -p[0] / p[2], y = -p[1] / p[2];
  const T r2 = x * x + y * y;
  const T scale = camera[6] * (1.0 + r2 * (camera[7] + camera[8] * r2));
  r[0] = scale * x - 1.5;
  r[1] = scale * y - 2.5;
}

constexpr auto kCameraFirst = [](const auto* camera, const auto* point,
                                 auto* r) {
  Reproject(camera, point, r);
  return true;
};

constexpr std::array<double, 9> kCamera = {0.1, -0.2,  0.3,  1.0, 2.0,
                                           3.0, 500.0, 1e-2, 1e-3};
constexpr std::array<double, 3> kPoint = {0.3, 0.4, 5.0};

TEST(AutoDifferentiate, ReprojectionErrorAgainstFiniteDifferences) {
  std::array<double, 9> camera = kCamera;
  std::array<double, 3> point = kPoint;
  const double* parameters[2] = {camera.data(), point.data()};
  double r[2], jc[18], jp[6];
  double* jacobians[2] = {jc, jp};
  ASSERT_TRUE((AutoDifferentiate<2, StaticParameterDims<9, 3>>(
      kCameraFirst, parameters, 2, r, jacobians)));
  double expected[2];
  Reproject(camera.data(), point.data(), expected);
  EXPECT_DOUBLE_EQ(r[0], expected[0]);
  EXPECT_DOUBLE_EQ(r[1], expected[1]);
  for (int j = 0; j < 12; ++j) {
    double* x = j < 9 ? &camera[j] : &point[j - 9];
    const double kept = *x, step = 1e-6 * std::max(1.0, std::abs(kept));
    double above[2], below[2];
    *x = kept + step;
    Reproject(camera.data(), point.data(), above);
    *x = kept - step;
    Reproject(camera.data(), point.data(), below);
    *x = kept;
    for (int i = 0; i < 2; ++i) {
      const double d = (above[i] - below[i]) / (2 * step);
      EXPECT_NEAR(j < 9 ? jc[9 * i + j] : jp[3 * i + j - 9], d,
                  1e-7 * std::max(1.0, std::abs(d)));
    }
  }
}

// GCC may contract an expression differently beside constants if the build uses
// fused multiply-adds: then, to rounding.
void ExpectSameBits(const double* x, const double* y, int size) {
  for (int i = 0; i < size; ++i) {
#ifdef __FMA__
    EXPECT_NEAR(x[i], y[i], 1e-13 * std::max(1.0, std::abs(x[i]))) << i;
#else
    EXPECT_EQ(x[i], y[i]) << i;
#endif
  }
}

TEST(AutoDifferentiate, BitsDoNotDependOnThePositionOfAParameter) {
  const double unused[1] = {1.0};
  const double* camera = kCamera.data();
  const double* point = kPoint.data();
  const double* camera_first[2] = {camera, point};
  const double* point_first[2] = {point, camera};
  const double* unused_first[3] = {unused, camera, point};
  const auto point_first_functor = [](const auto* p, const auto* c, auto* r) {
    return kCameraFirst(c, p, r);
  };
  const auto unused_first_functor = [](const auto*, const auto* c,
                                       const auto* p, auto* r) {
    return kCameraFirst(c, p, r);
  };
  double r[3][2], jc[3][18], jp[3][6], ju[2];
  double* jacobians[3][3] = {
      {jc[0], jp[0], nullptr}, {jp[1], jc[1], nullptr}, {ju, jc[2], jp[2]}};
  ASSERT_TRUE((AutoDifferentiate<2, StaticParameterDims<9, 3>>(
      kCameraFirst, camera_first, 2, r[0], jacobians[0])));
  ASSERT_TRUE((AutoDifferentiate<2, StaticParameterDims<3, 9>>(
      point_first_functor, point_first, 2, r[1], jacobians[1])));
  ASSERT_TRUE((AutoDifferentiate<2, StaticParameterDims<1, 9, 3>>(
      unused_first_functor, unused_first, 2, r[2], jacobians[2])));
  for (int other = 1; other < 3; ++other) {
    ExpectSameBits(r[0], r[other], 2);
    ExpectSameBits(jc[0], jc[other], 18);
    ExpectSameBits(jp[0], jp[other], 6);
  }
  EXPECT_EQ(ju[0], 0.0);
  EXPECT_EQ(ju[1], 0.0);
}

TEST(AutoDifferentiate, LeavesOutputsAloneOnFailure) {
  const auto failing = [](const auto* x, auto* r) {
    r[0] = x[0];
    return false;
  };
  const double x = 3.0;
  const double* parameters[1] = {&x};
  double r = 17.0, j = 18.0;
  double* jacobians[1] = {&j};
  EXPECT_FALSE((AutoDifferentiate<1, StaticParameterDims<1>>(
      failing, parameters, 1, &r, jacobians)));
  EXPECT_EQ(r, 17.0);
  EXPECT_EQ(j, 18.0);
}

TEST(AutoDifferentiate, ExceptionsPassThrough) {
  const auto throwing = [](const auto*, auto*) -> bool { throw 42; };
  const double x = 3.0;
  const double* parameters[1] = {&x};
  double r = 0, j = 0;
  double* jacobians[1] = {&j};
  EXPECT_THROW((AutoDifferentiate<1, StaticParameterDims<1>>(
                   throwing, parameters, 1, &r, jacobians)),
               int);
}

// With floats, and with Jets as scalars: the Hessian of x^2 y.
TEST(AutoDifferentiate, OtherScalars) {
  const auto functor = [](const auto* x, auto* r) {
    r[0] = x[0] * x[0] * x[1];
    return true;
  };
  const float x[2] = {3.0f, 5.0f};
  const float* parameters[1] = {x};
  float r = 0, j[2];
  float* jacobians[1] = {j};
  EXPECT_TRUE((AutoDifferentiate<1, StaticParameterDims<2>>(functor, parameters,
                                                            1, &r, jacobians)));
  EXPECT_EQ(r, 45.0f);
  EXPECT_EQ(j[0], 30.0f);
  EXPECT_EQ(j[1], 9.0f);

  using J = Jet<double, 2>;
  const J y[2] = {J(3.0, 0), J(5.0, 1)};
  const J* jet_parameters[1] = {y};
  J value, gradient[2];
  J* gradients[1] = {gradient};
  EXPECT_TRUE((AutoDifferentiate<1, StaticParameterDims<2>>(
      functor, jet_parameters, 1, &value, gradients)));
  EXPECT_EQ(gradient[0].v, Eigen::Vector2d(10.0, 6.0));
  EXPECT_EQ(gradient[1].v, Eigen::Vector2d(6.0, 0.0));
}

}  // namespace
}  // namespace ceres::internal
