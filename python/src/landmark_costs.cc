// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of landmarks that a sensor of a body sees, in the plane and in space.

#include "Eigen/Core"
#include "ceres/factors/landmark.h"
#include "ceres/io/pose_graph.h"
#include "ready_made.h"

namespace vesta::python {
namespace {

// residual = U (l - z): l is the landmark in the frame of the sensor.
// Poses in space are q (4: w, x, y, z), p (3), those of ceres/factors.
template <typename Pose>
struct LandmarkError {
  template <typename T>
  bool operator()(const T* pose, const T* landmark, T* residual) const {
    return factor(pose, landmark, residual);
  }

  ceres::factors::LandmarkFactor<Pose> factor;
};

// Poses in the plane are x, y, yaw.
template <>
struct LandmarkError<ceres::factors::SE2> {
  template <typename T>
  bool operator()(const T* pose, const T* landmark, T* residual) const {
    const T angle_first[3] = {pose[2], pose[0], pose[1]};
    return factor(angle_first, landmark, residual);
  }

  ceres::factors::LandmarkFactor<ceres::factors::SE2> factor;
};

template <typename Pose>
std::shared_ptr<CostBatch> LandmarkBatch(nb::object measurements,
                                         nb::object roots, nb::object sensors) {
  using Factor = ceres::factors::LandmarkFactor<Pose>;
  constexpr int kSize = Factor::kSize;
  constexpr int kPose = Pose::kAmbientSize;
  const Rows measured = ReadRows(measurements, kSize, "measurements");
  const RowsOrOne root =
      ReadRowsOrOne(roots, kSize * kSize, measured.count, "sqrt_information");
  const RowsOrOne sensor =
      ReadRowsOrOne(sensors, kPose, measured.count, "sensors");
  return MakeBatch<LandmarkError<Pose>, kSize, kPose, kSize>(
      measured.count, nb::make_tuple(measurements, roots, sensors),
      [measured, root, sensor](int64_t i) {
        const double* s = sensor[i];
        double angle_first[7];
        for (int k = 0; k < kPose; ++k) {
          angle_first[k] = kSize == 2 ? s[(k + 2) % 3] : s[k];
        }
        const Eigen::Map<
            const Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor>>
            W(root[i]);
        return LandmarkError<Pose>{Factor(typename Factor::Vector(measured[i]),
                                          typename Factor::Matrix(W),
                                          angle_first)};
      });
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
