// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "bal_problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ceres/rotation.h"
#include "random.h"

namespace ceres::examples {
namespace {

// The rotation takes all of a camera but t, f, k1, k2.
int RotationSize(const BalProblem& problem) { return problem.camera_size - 6; }

bool HasQuaternions(const BalProblem& problem) {
  return problem.camera_size == kQuaternionCameraSize;
}

void GetAngleAxis(const BalProblem& problem, int camera, double angle_axis[3]) {
  const double* rotation = problem.camera(camera);
  if (HasQuaternions(problem)) {
    QuaternionToAngleAxis(rotation, angle_axis);
  } else {
    std::copy_n(rotation, 3, angle_axis);
  }
}

void SetAngleAxis(const double angle_axis[3], int camera, BalProblem* problem) {
  double* rotation = problem->camera(camera);
  if (HasQuaternions(*problem)) {
    AngleAxisToQuaternion(angle_axis, rotation);
  } else {
    std::copy_n(angle_axis, 3, rotation);
  }
}

// t = -R center.
void SetCameraCenter(const double center[3], int camera, BalProblem* problem) {
  double angle_axis[3];
  GetAngleAxis(*problem, camera, angle_axis);
  double* translation = problem->camera(camera) + RotationSize(*problem);
  AngleAxisRotatePoint(angle_axis, center, translation);
  for (int k = 0; k < 3; ++k) translation[k] = -translation[k];
}

// The median of value(0), ..., value(num_values - 1); the upper one of two.
template <typename Value>
double MedianOf(int num_values, const Value& value) {
  std::vector<double> values(static_cast<size_t>(num_values));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = value(static_cast<int>(i));
  }
  const auto median = values.begin() + num_values / 2;
  std::nth_element(values.begin(), median, values.end());
  return *median;
}

void Transform(const Normalization& normalization, BalProblem* problem) {
  const auto apply = [&normalization](double x[3]) {
    for (int k = 0; k < 3; ++k) {
      x[k] = normalization.scale * (x[k] - normalization.center[k]);
    }
  };
  for (int i = 0; i < problem->num_points(); ++i) apply(problem->point(i));
  for (int i = 0; i < problem->num_cameras(); ++i) {
    double center[3];
    CameraCenter(*problem, i, center);
    apply(center);
    SetCameraCenter(center, i, problem);
  }
}

// Copies each camera into a camera of another size: `convert` writes the
// rotation, the other six numbers stay.
template <typename Convert>
void ConvertRotations(int new_camera_size, const Convert& convert,
                      BalProblem* problem) {
  const int num_cameras = problem->num_cameras();
  std::vector<double> converted(static_cast<size_t>(num_cameras) *
                                new_camera_size);
  for (int i = 0; i < num_cameras; ++i) {
    const double* from = problem->camera(i);
    double* to = converted.data() + static_cast<int64_t>(i) * new_camera_size;
    convert(from, to);
    std::copy_n(from + RotationSize(*problem), 6, to + new_camera_size - 6);
  }
  problem->cameras = std::move(converted);
  problem->camera_size = new_camera_size;
}

}  // namespace

void CameraCenter(const BalProblem& problem, int camera, double center[3]) {
  double inverse[3];
  GetAngleAxis(problem, camera, inverse);
  for (double& component : inverse) component = -component;
  AngleAxisRotatePoint(inverse, problem.camera(camera) + RotationSize(problem),
                       center);
  for (int k = 0; k < 3; ++k) center[k] = -center[k];
}

Normalization Normalize(BalProblem* problem) {
  constexpr double kMedianNorm = 100.0;
  Normalization normalization;
  if (problem->num_points() == 0) return normalization;

  double* const center = normalization.center;
  for (int k = 0; k < 3; ++k) {
    center[k] = MedianOf(problem->num_points(),
                         [&](int i) { return problem->point(i)[k]; });
  }
  const double norm = MedianOf(problem->num_points(), [&](int i) {
    const double* x = problem->point(i);
    return std::abs(x[0] - center[0]) + std::abs(x[1] - center[1]) +
           std::abs(x[2] - center[2]);
  });
  // The scale of points that all coincide is arbitrary.
  if (norm > 0.0) normalization.scale = kMedianNorm / norm;
  Transform(normalization, problem);
  return normalization;
}

void Denormalize(const Normalization& normalization, BalProblem* problem) {
  Normalization inverse;
  inverse.scale = 1.0 / normalization.scale;
  for (int k = 0; k < 3; ++k) {
    inverse.center[k] = -normalization.scale * normalization.center[k];
  }
  Transform(inverse, problem);
}

void Perturb(const PerturbationOptions& options, BalProblem* problem) {
  Random random(options.seed);
  if (options.point_sigma > 0.0) {
    for (double& coordinate : problem->points) {
      coordinate += options.point_sigma * random.Normal();
    }
  }
  for (int i = 0; i < problem->num_cameras(); ++i) {
    if (options.rotation_sigma > 0.0) {
      double center[3];
      CameraCenter(*problem, i, center);
      double angle_axis[3];
      GetAngleAxis(*problem, i, angle_axis);
      for (double& component : angle_axis) {
        component += options.rotation_sigma * random.Normal();
      }
      SetAngleAxis(angle_axis, i, problem);
      SetCameraCenter(center, i, problem);
    }
    if (options.translation_sigma > 0.0) {
      double* translation = problem->camera(i) + RotationSize(*problem);
      for (int k = 0; k < 3; ++k) {
        translation[k] += options.translation_sigma * random.Normal();
      }
    }
  }
}

void UseQuaternions(BalProblem* problem) {
  if (HasQuaternions(*problem)) return;
  ConvertRotations(
      kQuaternionCameraSize,
      [](const double* from, double* to) { AngleAxisToQuaternion(from, to); },
      problem);
}

void UseAngleAxis(BalProblem* problem) {
  if (!HasQuaternions(*problem)) return;
  ConvertRotations(
      kAngleAxisCameraSize,
      [](const double* from, double* to) {
        // The optimizer keeps a quaternion's direction, not its length, unless
        // a manifold holds it.
        double length = 0.0;
        for (int k = 0; k < 4; ++k) length += from[k] * from[k];
        length = std::sqrt(length);
        double unit[4];
        for (int k = 0; k < 4; ++k) unit[k] = from[k] / length;
        QuaternionToAngleAxis(unit, to);
      },
      problem);
}

}  // namespace ceres::examples
