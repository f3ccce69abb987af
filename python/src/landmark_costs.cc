// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of landmarks that a sensor of a body sees, in the plane and in space.

#include "ceres/factors/factor_batches.h"
#include "ceres/io/pose_graph.h"
#include "ready_made.h"

namespace vesta::python {
namespace {

// x, y, yaw. SE2 has the angle first.
struct PlanarPose {
  static constexpr int kAmbientSize = 3;
  static constexpr int kSpaceSize = 2;

  template <typename T>
  static void ActInverse(const T* x, const T* point, T* result) {
    const T pose[3] = {x[2], x[0], x[1]};
    ceres::factors::SE2::ActInverse(pose, point, result);
  }
};

template <typename Pose>
std::shared_ptr<CostBatch> LandmarkRows(nb::object measurements,
                                        nb::object roots, nb::object sensors) {
  constexpr int kSize = Pose::kSpaceSize;
  const ceres::BatchColumns measured =
      CopyRows(measurements, kSize, "measurements");
  const int64_t n = measured.num_rows();
  return MakeBatch<ceres::factors::LandmarkBatch<Pose>>(
      ceres::BatchColumns::Join(
          {measured, CopyRowsOrOne(roots, kSize * kSize, n, "sqrt_information"),
           CopyRowsOrOne(sensors, Pose::kAmbientSize, n, "sensors")}));
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
  module.def("_landmark_2d_batch", &LandmarkRows<PlanarPose>,
             nb::arg("measurements"), nb::arg("sqrt_information"),
             nb::arg("sensors"));
  module.def("_landmark_3d_batch", &LandmarkRows<ceres::factors::SE3>,
             nb::arg("measurements"), nb::arg("sqrt_information"),
             nb::arg("sensors"));
  module.def("_square_root_information", &SquareRootInformation,
             nb::arg("matrix"), nb::arg("n"));
}

}  // namespace vesta::python
