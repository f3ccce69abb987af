// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The functions of rotation.h are within 4 eps of references in extended
// precision, which apply definitions to the same rounded inputs: the turned
// basis, q p conj(q), the polar decomposition, and products of rotations about
// the coordinate axes. Errors are absolute where results have unit scale, else
// relative to their norm.

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>

#include "Eigen/Core"
#include "Eigen/Geometry"
#include "Eigen/LU"
#include "ceres/constants.h"
#include "ceres/modelling/rotation_test_utils.h"
#include "ceres/rotation.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using Real = long double;
using Vector3L = Eigen::Matrix<Real, 3, 1>;
using Vector4L = Eigen::Matrix<Real, 4, 1>;
using Matrix3L = Eigen::Matrix<Real, 3, 3>;
using RowMajor3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr Real kPi = constants::pi_v<Real>;
constexpr Real kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kNumSamples = 20000;

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

  void ExpectWithin4Epsilon() const {
    EXPECT_LE(error_ / kEpsilon, 4) << description_;
  }

 private:
  Real error_ = 0;
  std::string description_ = "no sample";
};

// Calls f(sample, error) for all samples, and expects the largest error to be
// small.
template <typename F>
void ForEachSample(const F& f) {
  LargestError error;
  for (int sample = 0; sample < kNumSamples; ++sample) f(sample, &error);
  error.ExpectWithin4Epsilon();
}

class RotationAccuracyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::numeric_limits<Real>::digits < 64) {
      GTEST_SKIP() << "long double has no more digits than double";
    }
  }

  // Random axes, the coordinate axes, axes in coordinate planes, and axes close
  // to a coordinate axis.
  Vector3d Axis(int sample) {
    Vector3d axis = random_.Gaussian();
    const int i = sample % 3;
    switch (sample / 3 % 4) {
      case 0:
        axis = (axis[i] < 0 ? -1 : 1) * Vector3d::Unit(i);
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

  Vector3d AngleAxis(int sample) { return Angle(sample) * Axis(sample); }

  double Uniform() { return std::generate_canonical<double, 53>(engine_); }

  RandomRotations random_;
  std::mt19937_64 engine_{2};
};

// ---- References -------------------------------------------------------------

// The columns are the coordinate axes, turned about n by theta.
Matrix3L MatrixOfAngleAxis(const Vector3d& angle_axis) {
  const Vector3L a = angle_axis.cast<Real>();
  const Real theta = a.norm();
  if (theta == 0) {
    return Matrix3L::Identity();
  }
  const Vector3L n = a / theta;
  const Real half_sine = std::sin(theta / 2);
  Matrix3L R;
  for (int i = 0; i < 3; ++i) {
    const Vector3L e = Vector3L::Unit(i);
    const Vector3L along = n[i] * n;
    R.col(i) = e + std::sin(theta) * n.cross(e) -
               2 * half_sine * half_sine * (e - along);
  }
  return R;
}

Vector4L QuaternionOfAngleAxis(const Vector3d& angle_axis) {
  const Vector3L a = angle_axis.cast<Real>();
  const Real theta = a.norm();
  Vector4L q(std::cos(theta / 2), 0, 0, 0);
  if (theta != 0) {
    q.tail<3>() = std::sin(theta / 2) * (a / theta);
  }
  return q;
}

Vector3L AngleAxisOfQuaternion(const Vector4d& quaternion) {
  Vector4L q = quaternion.cast<Real>();
  if (q[0] < 0) {
    q = -q;
  }
  const Real sine = q.tail<3>().norm();
  if (sine == 0) {
    return Vector3L::Zero();
  }
  return 2 * std::atan2(sine, q[0]) * (q.tail<3>() / sine);
}

Vector4L Product(const Vector4L& p, const Vector4L& q) {
  const Vector3L u = p.tail<3>();
  const Vector3L v = q.tail<3>();
  Vector4L pq;
  pq << p[0] * q[0] - u.dot(v), p[0] * v + q[0] * u + u.cross(v);
  return pq;
}

// The vector part of q p conj(q): the turned point times |q|^2.
Vector3L Conjugation(const Vector4L& q, const Vector3L& point) {
  Vector4L p;
  p << 0, point;
  Vector4L conjugate = -q;
  conjugate[0] = q[0];
  return Product(Product(q, p), conjugate).tail<3>();
}

Matrix3L ScaledMatrixOfQuaternion(const Vector4L& q) {
  Matrix3L R;
  for (int i = 0; i < 3; ++i) {
    R.col(i) = Conjugation(q, Vector3L::Unit(i));
  }
  return R;
}

// The rotation that is nearest to a matrix, by Newton's iteration for the polar
// decomposition. Higham, Functions of Matrices, 2008, section 8.3.
Matrix3L NearestRotation(const Matrix3d& matrix) {
  Matrix3L R = matrix.cast<Real>();
  for (int i = 0; i < 4; ++i) {
    const Matrix3L inverse = R.inverse();
    R = (R + inverse.transpose()) / 2;
  }
  return R;
}

Vector3L AngleAxisOfMatrix(const Matrix3d& matrix) {
  const Matrix3L R = NearestRotation(matrix);
  // sin(theta) n and cos(theta).
  const Vector3L s =
      Vector3L(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)) / 2;
  const Real cosine = (R.trace() - 1) / 2;
  if (s.norm() == 0 && cosine > 0) {
    return Vector3L::Zero();
  }
  const Real theta = std::atan2(s.norm(), cosine);
  if (cosine > -0.5L) {
    return theta * (s / s.norm());
  }
  // (1 - cos(theta)) n n' has full precision where s has not.
  const Matrix3L outer =
      (R + R.transpose()) / 2 - cosine * Matrix3L::Identity();
  int largest;
  outer.diagonal().maxCoeff(&largest);
  const Vector3L n = outer.col(largest).normalized();
  return (s.dot(n) < 0 ? -theta : theta) * n;
}

Vector4L QuaternionOfMatrix(const Matrix3d& matrix) {
  const Vector3L a = AngleAxisOfMatrix(matrix);
  const Real theta = a.norm();
  Vector4L q(std::cos(theta / 2), 0, 0, 0);
  if (theta != 0) {
    q.tail<3>() = std::sin(theta / 2) * (a / theta);
  }
  return q;
}

// ---- Angle-axis vectors -----------------------------------------------------

TEST_F(RotationAccuracyTest, AngleAxisToRotationMatrix) {
  ForEachSample([this](int sample, LargestError* error) {
    const Vector3d angle_axis = AngleAxis(sample);
    error->Add(angle_axis.transpose(), ToMatrix(angle_axis),
               MatrixOfAngleAxis(angle_axis));
  });
}

TEST_F(RotationAccuracyTest, AngleAxisToQuaternion) {
  ForEachSample([this](int sample, LargestError* error) {
    const Vector3d angle_axis = AngleAxis(sample);
    error->Add(angle_axis.transpose(), ToQuaternion(angle_axis),
               QuaternionOfAngleAxis(angle_axis));
  });
}

TEST_F(RotationAccuracyTest, AngleAxisRotatePoint) {
  ForEachSample([this](int sample, LargestError* error) {
    const Vector3d angle_axis = AngleAxis(sample);
    const Vector3d point = random_.Gaussian();
    Vector3d rotated;
    AngleAxisRotatePoint(angle_axis.data(), point.data(), rotated.data());
    error->Add(angle_axis.transpose(), rotated,
               MatrixOfAngleAxis(angle_axis) * point.cast<Real>(),
               point.norm());
  });
}

// ---- Quaternions ------------------------------------------------------------

TEST_F(RotationAccuracyTest, QuaternionToAngleAxis) {
  ForEachSample([this](int sample, LargestError* error) {
    const double sign = sample % 2 == 0 ? 1 : -1;
    const Vector4d q = sign * ToQuaternion(AngleAxis(sample));
    const Vector3L expected = AngleAxisOfQuaternion(q);
    error->Add(q.transpose(), ToAngleAxis(q), expected, expected.norm());
  });
}

TEST_F(RotationAccuracyTest, QuaternionToScaledRotation) {
  ForEachSample([this](int /*sample*/, LargestError* error) {
    const Vector4d q = std::exp(20 * Uniform() - 10) * random_.UnitQuaternion();
    RowMajor3d actual;
    QuaternionToScaledRotation(q.data(), actual.data());
    error->Add(q.transpose(), actual, ScaledMatrixOfQuaternion(q.cast<Real>()),
               q.squaredNorm());
  });
}

TEST_F(RotationAccuracyTest, QuaternionToRotation) {
  ForEachSample([this](int sample, LargestError* error) {
    const Vector4d q = (sample % 2 == 0 ? 1 : std::exp(20 * Uniform() - 10)) *
                       ToQuaternion(AngleAxis(sample / 2));
    RowMajor3d actual;
    QuaternionToRotation(q.data(), actual.data());
    const Vector4L unit = q.cast<Real>().normalized();
    error->Add(q.transpose(), actual, ScaledMatrixOfQuaternion(unit));
  });
}

TEST_F(RotationAccuracyTest, UnitQuaternionRotatePoint) {
  ForEachSample([this](int sample, LargestError* error) {
    const Vector4d q = QuaternionOfAngleAxis(AngleAxis(sample)).cast<double>();
    const Vector3d point = random_.Gaussian();
    Vector3d rotated;
    UnitQuaternionRotatePoint(q.data(), point.data(), rotated.data());
    const Vector4L unit = q.cast<Real>().normalized();
    error->Add(q.transpose(), rotated, Conjugation(unit, point.cast<Real>()),
               point.norm());
  });
}

TEST_F(RotationAccuracyTest, QuaternionRotatePoint) {
  ForEachSample([this](int sample, LargestError* error) {
    const Vector4d q =
        std::exp(20 * Uniform() - 10) * ToQuaternion(AngleAxis(sample));
    const Vector3d point = random_.Gaussian();
    Vector3d rotated;
    QuaternionRotatePoint(q.data(), point.data(), rotated.data());
    const Vector4L unit = q.cast<Real>().normalized();
    error->Add(q.transpose(), rotated, Conjugation(unit, point.cast<Real>()),
               point.norm());
  });
}

TEST_F(RotationAccuracyTest, QuaternionProduct) {
  ForEachSample([this](int /*sample*/, LargestError* error) {
    const Vector4d p = std::exp(4 * Uniform()) * random_.UnitQuaternion();
    const Vector4d q = random_.UnitQuaternion();
    Vector4d pq;
    QuaternionProduct(p.data(), q.data(), pq.data());
    error->Add(p.transpose(), pq, Product(p.cast<Real>(), q.cast<Real>()),
               p.norm() * q.norm());
  });
}

// ---- Matrices ---------------------------------------------------------------

TEST_F(RotationAccuracyTest, RotationMatrixToQuaternion) {
  ForEachSample([this](int sample, LargestError* error) {
    const Matrix3d R = MatrixOfAngleAxis(AngleAxis(sample)).cast<double>();
    Vector4d q;
    RotationMatrixToQuaternion(R.data(), q.data());
    const Vector4L expected = QuaternionOfMatrix(R);
    // Both quaternions of a rotation are right.
    const double sign = q.dot(expected.cast<double>()) < 0 ? -1 : 1;
    error->Add(R, Vector4d(sign * q), expected);
  });
}

TEST_F(RotationAccuracyTest, RotationMatrixToAngleAxis) {
  ForEachSample([this](int sample, LargestError* error) {
    const Matrix3d R = MatrixOfAngleAxis(AngleAxis(sample)).cast<double>();
    const Vector3d angle_axis = ToAngleAxis(R);
    const Vector3L expected = AngleAxisOfMatrix(R);
    // Within rounding of a half turn either direction of the axis is right.
    const bool is_half_turn = kPi - expected.norm() < kEpsilon;
    const double sign =
        is_half_turn && angle_axis.dot(expected.cast<double>()) < 0 ? -1 : 1;
    error->Add(R, Vector3d(sign * angle_axis), expected, expected.norm());
  });
}

TEST_F(RotationAccuracyTest, CrossProductAndDotProduct) {
  LargestError cross_error;
  LargestError dot_error;
  for (int sample = 0; sample < kNumSamples; ++sample) {
    const Vector3d x = random_.Gaussian();
    // Every other pair is nearly parallel.
    const Vector3d y = sample % 2 == 0 ? random_.Gaussian()
                                       : Vector3d(x + 1e-9 * random_.Axis());
    Vector3d cross;
    CrossProduct(x.data(), y.data(), cross.data());
    const Real scale = x.norm() * y.norm();
    cross_error.Add(x.transpose(), cross,
                    x.cast<Real>().cross(y.cast<Real>()).eval(), scale);
    using Scalar1 = Eigen::Matrix<double, 1, 1>;
    using Scalar1L = Eigen::Matrix<Real, 1, 1>;
    dot_error.Add(x.transpose(), Scalar1(DotProduct(x.data(), y.data())),
                  Scalar1L(x.cast<Real>().dot(y.cast<Real>())), scale);
  }
  cross_error.ExpectWithin4Epsilon();
  dot_error.ExpectWithin4Epsilon();
}

// ---- Euler angles -----------------------------------------------------------

Matrix3L MatrixAbout(int axis, Real angle) {
  Matrix3L R = Matrix3L::Identity();
  const int j = (axis + 1) % 3;
  const int k = (axis + 2) % 3;
  R(j, j) = R(k, k) = std::cos(angle);
  R(k, j) = std::sin(angle);
  R(j, k) = -R(k, j);
  return R;
}

// The product of rotations about fixed axes, the first one rightmost.
Matrix3L MatrixOfEulerAngles(const int axes[3], const Vector3L& angles) {
  return MatrixAbout(axes[2], angles[2]) * MatrixAbout(axes[1], angles[1]) *
         MatrixAbout(axes[0], angles[0]);
}

template <typename EulerSystem>
class EulerAccuracyTest : public RotationAccuracyTest {
 protected:
  static constexpr bool kIsProper = std::is_same_v<EulerSystem, ExtrinsicZXZ>;
  static constexpr int kZYX[3] = {2, 1, 0};
  static constexpr int kZXZ[3] = {2, 0, 2};

  static Matrix3L Reference(const Vector3L& angles) {
    return MatrixOfEulerAngles(kIsProper ? kZXZ : kZYX, angles);
  }

  // In the ranges of RotationMatrixToEulerAngles. Every other middle angle is
  // close to gimbal lock.
  Vector3d Angles(int sample) {
    const double pi = constants::pi;
    const double distance =
        sample % 2 == 0 ? pi / 2 * Uniform() : std::pow(10, -7 * Uniform());
    const double sign = sample % 4 < 2 ? 1 : -1;
    const double middle = kIsProper ? (sign > 0 ? distance : pi - distance)
                                    : sign * (pi / 2 - distance);
    return {pi * (2 * Uniform() - 1), middle, pi * (2 * Uniform() - 1)};
  }
};

using EulerSystems = ::testing::Types<ExtrinsicZYX, ExtrinsicZXZ>;
TYPED_TEST_SUITE(EulerAccuracyTest, EulerSystems);

TYPED_TEST(EulerAccuracyTest, EulerAnglesToRotation) {
  ForEachSample([this](int sample, LargestError* error) {
    const Vector3d angles = this->Angles(sample);
    RowMajor3d actual;
    EulerAnglesToRotation<TypeParam>(angles.data(), actual.data());
    error->Add(angles.transpose(), actual,
               this->Reference(angles.template cast<Real>()));
  });
}

// Close to gimbal lock the matrix determines the sum or difference of the outer
// angles only: the angles are exact for a matrix that is this close.
TYPED_TEST(EulerAccuracyTest, RotationMatrixToEulerAngles) {
  ForEachSample([this](int sample, LargestError* error) {
    const RowMajor3d R =
        this->Reference(this->Angles(sample).template cast<Real>())
            .template cast<double>();
    Vector3d angles;
    RotationMatrixToEulerAngles<TypeParam>(R.data(), angles.data());
    error->Add(angles.transpose(), R,
               this->Reference(angles.template cast<Real>()));
  });
}

// All angles are well determined if the outer ones are.
TYPED_TEST(EulerAccuracyTest, RotationMatrixToEulerAnglesFarFromGimbalLock) {
  ForEachSample([this](int sample, LargestError* error) {
    Vector3d expected = this->Angles(2 * sample);
    const double sine =
        this->kIsProper ? std::sin(expected[1]) : std::cos(expected[1]);
    if (sine < 0.5) return;
    const RowMajor3d R =
        this->Reference(expected.template cast<Real>()).template cast<double>();
    Vector3d angles;
    RotationMatrixToEulerAngles<TypeParam>(R.data(), angles.data());
    error->Add(expected.transpose(), angles, expected.template cast<Real>());
  });
}

TEST_F(RotationAccuracyTest, EulerAnglesToRotationMatrix) {
  static constexpr int kXYZ[3] = {0, 1, 2};
  ForEachSample([this](int sample, LargestError* error) {
    Vector3d degrees;
    for (double& angle : degrees) {
      angle = sample % 2 == 0 ? 360 * Uniform() - 180
                              : 15 * std::round(24 * Uniform() - 12);
    }
    RowMajor3d actual;
    EulerAnglesToRotationMatrix(degrees.data(), 3, actual.data());
    error->Add(degrees.transpose(), actual,
               MatrixOfEulerAngles(kXYZ, degrees.cast<Real>() * (kPi / 180)));
  });
}

}  // namespace
}  // namespace ceres::internal
