// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Errors of the functions of rotation.h against references in extended
// precision, which apply definitions to the same rounded inputs. Errors are
// absolute where results have unit scale, else relative to their norm.

#ifndef CERES_INTERNAL_MODELLING_ROTATION_ACCURACY_TEST_UTILS_H_
#define CERES_INTERNAL_MODELLING_ROTATION_ACCURACY_TEST_UTILS_H_

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "Eigen/Core"
#include "ceres/constants.h"
#include "ceres/modelling/rotation_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {

using Real = long double;
using Vector3L = Eigen::Matrix<Real, 3, 1>;
using Vector4L = Eigen::Matrix<Real, 4, 1>;
using Matrix3L = Eigen::Matrix<Real, 3, 3>;
using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

inline constexpr Real kPi = constants::pi_v<Real>;
inline constexpr Real kEpsilon = std::numeric_limits<double>::epsilon();
inline constexpr int kNumSamples = 20000;

// The largest error of a function over all samples, with its sample.
class LargestError {
 public:
  template <typename Sample, typename Actual, typename Expected>
  void Add(const Sample& sample, const Actual& actual, const Expected& expected,
           Real scale = 1) {
    const Real error =
        (actual.template cast<Real>() - expected).cwiseAbs().maxCoeff() / scale;
    if (error <= error_) {
      return;
    }
    error_ = error;
    std::ostringstream text;
    text.precision(17);
    text << "sample\n"
         << sample << "\nactual\n"
         << actual << "\nexpected\n"
         << expected;
    description_ = text.str();
  }

  ~LargestError() { EXPECT_LE(error_ / kEpsilon, 4) << description_; }

 private:
  Real error_ = 0;
  std::string description_ = "no sample";
};

class RotationAccuracyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::numeric_limits<Real>::digits < 64) {
      GTEST_SKIP() << "long double has no more digits than double";
    }
  }

  // Random axes, the coordinate axes, axes in coordinate planes, and axes close
  // to a coordinate axis.
  Eigen::Vector3d Axis(int sample) {
    Eigen::Vector3d axis = random_.Gaussian();
    const int i = sample % 3;
    switch (sample / 3 % 4) {
      case 0:
        axis = (axis[i] < 0 ? -1 : 1) * Eigen::Vector3d::Unit(i);
        break;
      case 1:
        axis[i] = 0;
        break;
      case 2:
        axis[i] *= std::pow(10, 12 * Uniform());
        break;
      default:
        break;
    }
    return axis.normalized();
  }

  // Small angles of any order of magnitude, ordinary ones, those around the
  // change of formulas at sqrt(eps), and angles close to pi.
  double Angle(int sample) {
    switch (sample / 12 % 5) {
      case 0:
        return std::pow(10, -300 * Uniform());
      case 1:
        return std::pow(10, -9 * Uniform());
      case 2:
        return 1.3e-8 + 4e-9 * Uniform();
      case 3:
        return constants::pi - std::pow(10, -17 * Uniform());
      default:
        return constants::pi * Uniform();
    }
  }

  Eigen::Vector3d AngleAxis(int sample) { return Angle(sample) * Axis(sample); }

  double Uniform() { return std::generate_canonical<double, 53>(engine_); }

  RandomRotations random_;
  std::mt19937_64 engine_{2};
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_MODELLING_ROTATION_ACCURACY_TEST_UTILS_H_
