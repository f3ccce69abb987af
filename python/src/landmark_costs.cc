// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of landmarks that a sensor of a body sees, in the plane and in space.

#include "ceres/factors/planar_groups.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/io/pose_graph.h"
#include "ready_made.h"

namespace vesta::python {
namespace {

// residual = W (l - z): l is the landmark in the frame of the sensor, whose
// pose on the body is `sensor`. Poses in space are q (4: w, x, y, z), p (3),
// those of ceres/factors. Poses in the plane are x, y, yaw, but ceres/factors
// has the angle first.
template <typename Pose>
struct LandmarkError {
  static constexpr int kSize = Pose::kSpaceSize;
  static constexpr int kPose = Pose::kAmbientSize;

  template <typename T, typename D>
  bool operator()(const T* pose, const T* landmark, const D* data,
                  T* residual) const {
    T body_pose[kPose];
    T sensor_pose[kPose];
    for (int k = 0; k < kPose; ++k) {
      const int from = kSize == 2 ? (k + 2) % 3 : k;
      body_pose[k] = pose[from];
      sensor_pose[k] = T(sensor.Get(data, from));
    }
    T in_body[kSize];
    T error[kSize];
    Pose::ActInverse(body_pose, landmark, in_body);
    Pose::ActInverse(sensor_pose, in_body, error);
    for (int k = 0; k < kSize; ++k) error[k] -= measured.Get(data, k);
    for (int r = 0; r < kSize; ++r) {
      residual[r] = root.Get(data, r * kSize) * error[0];
      for (int c = 1; c < kSize; ++c) {
        residual[r] += root.Get(data, r * kSize + c) * error[c];
      }
    }
    return true;
  }

  RowNumbers<kSize> measured;      // z
  RowNumbers<kSize * kSize> root;  // W
  RowNumbers<kPose> sensor;
};

template <typename Pose>
std::shared_ptr<CostBatch> LandmarkBatch(nb::object measurements,
                                         nb::object roots, nb::object sensors) {
  constexpr int kSize = Pose::kSpaceSize;
  constexpr int kPose = Pose::kAmbientSize;
  const Rows measured = ReadRows(measurements, kSize, "measurements");
  const RowsOrOne root =
      ReadRowsOrOne(roots, kSize * kSize, measured.count, "sqrt_information");
  const RowsOrOne sensor =
      ReadRowsOrOne(sensors, kPose, measured.count, "sensors");
  RowData data(measured.count);
  const auto of_measured = data.Add<kSize>(measured);
  const auto of_root = data.Add<kSize * kSize>(root);
  const LandmarkError<Pose> error{of_measured, of_root,
                                  data.Add<kPose>(sensor)};
  return MakeBatch<kSize, kPose, kSize>(error, data);
}

// The upper triangular root of one matrix of n x n numbers; writes it in place.
// Returns false if the matrix is not positive semidefinite.
bool SquareRootInformation(nb::handle matrix, int n) {
  const DoubleArray array = WritableArray(matrix, "information");
  if (n < 1 || n > 6 || array.size != n * n) {
    RaiseValueError("information: expected n x n numbers, n <= 6.");
  }
  double root[36];
  if (!ceres::io::SquareRootInformation(array.data, n, root)) return false;
  for (int i = 0; i < n * n; ++i) array.data[i] = root[i];
  return true;
}

}  // namespace

void BindLandmarkCosts(nb::module_& module) {
  module.def("_landmark_2d_batch", &LandmarkBatch<ceres::factors::SE2>,
             nb::arg("measurements"), nb::arg("sqrt_information"),
             nb::arg("sensors"));
  module.def("_landmark_3d_batch", &LandmarkBatch<ceres::factors::SE3>,
             nb::arg("measurements"), nb::arg("sqrt_information"),
             nb::arg("sensors"));
  module.def("_square_root_information", &SquareRootInformation,
             nb::arg("matrix"), nb::arg("n"));
}

}  // namespace vesta::python
