// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/scene_motions.h"

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "Eigen/Dense"
#include "ceres/autodiff_cost_function.h"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/cost_of_lambda.h"
#include "ceres/problem.h"
#include "gtest/gtest.h"

namespace ceres {
namespace {

using Kind = DirectionKind;
using Kinds = std::map<Kind, int>;

Kinds KindsOf(const Diagnosis& diagnosis) {
  Kinds kinds;
  for (const Direction& direction : diagnosis.undetermined) {
    ++kinds[direction.kind];
  }
  return kinds;
}

// Points in spherical coordinates: no usual reading of the values.
template <typename T>
void FromSphere(const T* x, T* p) {
  using std::cos;
  using std::exp;
  using std::sin;
  // The logarithm of the distance, and two angles.
  p[0] = exp(x[0]) * cos(x[1]) * cos(x[2]);
  p[1] = exp(x[0]) * cos(x[1]) * sin(x[2]);
  p[2] = exp(x[0]) * sin(x[1]);
}

class SphericalPoints {
 public:
  explicit SphericalPoints(unsigned seed, int num_points = 6) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    x.resize(num_points);
    for (auto& point : x) {
      for (double& value : point) value = uniform(random);
    }
    options.scene = [this] {
      ReportScene scene;
      for (const auto& point : x) {
        scene.points.emplace_back();
        FromSphere(point.data(), scene.points.back().data());
      }
      return scene;
    };
  }

  template <int kResiduals, typename F>
  void MeasurePairs(F f) {
    for (std::size_t a = 0; a < x.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        problem.AddResidualBlock(
            Cost<kResiduals, 3, 3>([f](auto* a, auto* b, auto* r) {
              using T = std::remove_reference_t<decltype(r[0])>;
              T p[3], q[3];
              FromSphere(a, p);
              FromSphere(b, q);
              const T d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
              f(d, r);
            }),
            nullptr, x[a].data(), x[b].data());
      }
    }
  }

  std::vector<std::array<double, 3>> x;
  Problem problem;
  DiagnosisOptions options;
};

TEST(SceneMotions, NamesTranslationsOfUnusualPoints) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SphericalPoints points(seed);
    points.MeasurePairs<3>([](auto* d, auto* r) {
      for (int k = 0; k < 3; ++k) r[k] = d[k] - 1.0;
    });
    const auto before = points.x;
    const Diagnosis diagnosis = Diagnose(points.options, &points.problem);
    EXPECT_EQ(points.x, before);
    EXPECT_EQ(KindsOf(diagnosis), (Kinds{{Kind::kGaugeTranslation, 3}}))
        << diagnosis.ToString();
    points.options.scene = nullptr;
    EXPECT_EQ(KindsOf(Diagnose(points.options, &points.problem))
                  .count(Kind::kGaugeTranslation),
              0u);
  }
}

TEST(SceneMotions, NamesMotionsThatKeepDistances) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SphericalPoints points(seed);
    points.MeasurePairs<1>([](auto* d, auto* r) {
      using std::sqrt;
      r[0] = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 1.0;
    });
    EXPECT_EQ(KindsOf(Diagnose(points.options, &points.problem)),
              (Kinds{{Kind::kGaugeTranslation, 3}, {Kind::kGaugeRotation, 3}}));
  }
}

TEST(SceneMotions, NamesTheScaleOfDirections) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SphericalPoints points(seed);
    points.MeasurePairs<3>([](auto* d, auto* r) {
      using std::sqrt;
      const auto norm = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      for (int k = 0; k < 3; ++k) r[k] = d[k] / norm;
    });
    EXPECT_EQ(KindsOf(Diagnose(points.options, &points.problem)),
              (Kinds{{Kind::kGaugeTranslation, 3}, {Kind::kGaugeScale, 1}}));
  }
}

// Nothing measures the height of one point: it is no motion of the whole.
TEST(SceneMotions, OtherDirectionsKeepTheirKind) {
  SphericalPoints points(3);
  points.MeasurePairs<3>([](auto* d, auto* r) {
    for (int k = 0; k < 3; ++k) r[k] = d[k] - 1.0;
  });
  double a = 2.0;
  double b = 3.0;
  for (double factor : {1.0, 2.0}) {
    points.problem.AddResidualBlock(
        Cost<1, 3, 1, 1>([factor](auto* x, auto* a, auto* b, auto* r) {
          r[0] = factor * a[0] * b[0] + x[0] - x[0];
        }),
        nullptr, points.x[0].data(), &a, &b);
  }
  const Kinds kinds = KindsOf(Diagnose(points.options, &points.problem));
  EXPECT_EQ(kinds.at(Kind::kGaugeTranslation), 3);
  int count = 0;
  for (const auto& [kind, own] : kinds) count += own;
  EXPECT_EQ(count, 4);
}

TEST(SceneMotions, TwoPointsAreTooFewForNames) {
  SphericalPoints points(1, 2);
  points.MeasurePairs<1>([](auto* d, auto* r) { r[0] = d[0] - 1.0; });
  const Kinds kinds = KindsOf(Diagnose(points.options, &points.problem));
  points.options.scene = nullptr;
  EXPECT_EQ(KindsOf(Diagnose(points.options, &points.problem)), kinds);
}

TEST(SceneMotions, ValuesAreRestoredIfTheSceneThrows) {
  SphericalPoints points(1);
  points.MeasurePairs<3>([](auto* d, auto* r) {
    for (int k = 0; k < 3; ++k) r[k] = d[k] - 1.0;
  });
  const auto before = points.x;
  const auto scene = points.options.scene;
  int num_calls = 0;
  points.options.scene = [&] {
    if (++num_calls == 3) throw std::runtime_error("scene");
    return scene();
  };
  EXPECT_THROW(Diagnose(points.options, &points.problem), std::runtime_error);
  EXPECT_EQ(points.x, before);
}

// A pose in the plane as position and complex number. Poses with orientations:
// a rotation turns them, too.
TEST(SceneMotions, NamesRotationsOfUnusualPoses) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  std::vector<std::array<double, 4>> x(4);
  for (auto& pose : x) {
    // Scaled position, the angle first: angle / 2, y / 3, x / 3, and a part
    // that is determined.
    for (double& value : pose) value = uniform(random);
  }
  Problem problem;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < a; ++b) {
      problem.AddResidualBlock(Cost<5, 4, 4>([](auto* a, auto* b, auto* r) {
                                 using std::cos;
                                 using std::sin;
                                 const auto dx = 3.0 * (b[2] - a[2]);
                                 const auto dy = 3.0 * (b[1] - a[1]);
                                 const auto c = cos(2.0 * a[0]);
                                 const auto s = sin(2.0 * a[0]);
                                 r[0] = c * dx + s * dy - 1.0;
                                 r[1] = c * dy - s * dx;
                                 r[2] = b[0] - a[0];
                                 r[3] = a[3];
                                 r[4] = b[3];
                               }),
                               nullptr, x[a].data(), x[b].data());
    }
  }
  DiagnosisOptions options;
  options.scene = [&] {
    ReportScene scene;
    for (const auto& pose : x) {
      ReportScene::Pose shown;
      shown.position = {3.0 * pose[2], 3.0 * pose[1], 0.0};
      shown.orientation = {std::cos(pose[0]), 0.0, 0.0, std::sin(pose[0])};
      scene.poses.push_back(shown);
    }
    return scene;
  };
  EXPECT_EQ(KindsOf(Diagnose(options, &problem)),
            (Kinds{{Kind::kGaugeTranslation, 2}, {Kind::kGaugeRotation, 1}}));
}

}  // namespace
}  // namespace ceres
