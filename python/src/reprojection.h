// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Reprojection errors for cameras with a pose, a point and intrinsics.

#ifndef VESTA_PYTHON_REPROJECTION_H_
#define VESTA_PYTHON_REPROJECTION_H_

#include <string>

#include "camera_models.h"
#include "ceres/rotation.h"
#include "ready_made.h"

namespace vesta::python {

// A pose maps x to R x + t. kSize numbers: the rotation, then t (3).
struct AngleAxisPose {
  static constexpr int kSize = 6;
  template <typename T>
  static void Transform(const T* pose, const T* x, T* y) {
    ceres::AngleAxisRotatePoint(pose, x, y);
    for (int k = 0; k < 3; ++k) y[k] += pose[3 + k];
  }
};

// A unit quaternion w, x, y, z.
struct QuaternionPose {
  static constexpr int kSize = 7;
  template <typename T>
  static void Transform(const T* pose, const T* x, T* y) {
    ceres::UnitQuaternionRotatePoint(pose, x, y);
    for (int k = 0; k < 3; ++k) y[k] += pose[4 + k];
  }
};

// residual = weight (residual - pixel).
template <typename T, typename D>
void WeighPixel(const RowNumbers<2>& pixel, double weight, const D* data,
                T* residual) {
  for (int k = 0; k < 2; ++k) {
    residual[k] = weight * (residual[k] - pixel.Get(data, k));
  }
}

// residual = weight (projection - pixel), for
//   pose (camera from world), point, intrinsics.
template <typename Pose, typename Model>
struct ReprojectionError {
  RowNumbers<2> pixel;
  double weight;

  template <typename T, typename D>
  bool operator()(const T* pose, const T* point, const T* intrinsics,
                  const D* data, T* residual) const {
    T in_camera[3];
    Pose::Transform(pose, point, in_camera);
    if (!Model::Project(intrinsics, in_camera, residual)) return false;
    WeighPixel(pixel, weight, data, residual);
    return true;
  }
};

// The same for a camera on a rig:
//   pose of the rig (rig from world), pose of the camera on the rig (camera
//   from rig), point, intrinsics.
template <typename Pose, typename Model>
struct RigReprojectionError {
  RowNumbers<2> pixel;
  double weight;

  template <typename T, typename D>
  bool operator()(const T* rig, const T* camera, const T* point,
                  const T* intrinsics, const D* data, T* residual) const {
    T in_rig[3];
    T in_camera[3];
    Pose::Transform(rig, point, in_rig);
    Pose::Transform(camera, in_rig, in_camera);
    if (!Model::Project(intrinsics, in_camera, residual)) return false;
    WeighPixel(pixel, weight, data, residual);
    return true;
  }
};

// Calls function(Model()) for the model of this name.
template <typename Function>
auto WithModel(const std::string& model, Function function) {
  if (model == "pinhole") return function(PinholeModel());
  if (model == "simple_radial") return function(SimpleRadialModel());
  if (model == "radial") return function(RadialModel());
  if (model == "opencv") return function(OpenCvModel());
  if (model == "fisheye") return function(FisheyeModel());
  RaiseValueError(
      "model: expected 'bal', 'pinhole', 'simple_radial', "
      "'radial', 'opencv' or 'fisheye', got '" +
      model + "'.");
}

}  // namespace vesta::python

#endif  // VESTA_PYTHON_REPROJECTION_H_
