// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of poses: pose graphs in the plane and in space, relative poses,
// points on planes, priors.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "ceres/autodiff_batch.h"
#include "ceres/factors/factor_batches.h"
#include "ceres/rotation.h"
#include "ready_made.h"

namespace vesta::python {
namespace {

// residual = U residual for a matrix U of kSize x kSize, row-major, upper
// triangular.
template <int kSize, typename T, typename D>
void MultiplyByUpper(const D* U, T* residual) {
  for (int r = 0; r < kSize; ++r) {
    T sum = U[r * kSize + r] * residual[r];
    for (int c = r + 1; c < kSize; ++c) sum += U[r * kSize + c] * residual[c];
    residual[r] = sum;
  }
}

// The angle in [-pi, pi) that differs by whole turns. NormalizeAngle would need
// a record of its own for angles that it leaves.
template <typename T>
T WrapAngle(const T& angle) {
  using std::floor;
  constexpr double kPi = 3.14159265358979323846;
  return angle - 2.0 * kPi * floor((angle + kPi) / (2.0 * kPi));
}

// Poses x, y, yaw. The data are b as seen from a, and U row by row.
//
//   residual = U [R(yaw_a)' (p_b - p_a) - p_ab; wrap(yaw_b - yaw_a - yaw_ab)]
struct PoseGraph2dError {
  template <typename T, typename D>
  bool operator()(const T* a, const T* b, const D* data, T* residual) const {
    using std::cos;
    using std::sin;
    const T c = cos(a[2]);
    const T s = sin(a[2]);
    const T dx = b[0] - a[0];
    const T dy = b[1] - a[1];
    residual[0] = c * dx + s * dy - data[0];
    residual[1] = c * dy - s * dx - data[1];
    residual[2] = WrapAngle(b[2] - a[2] - data[2]);
    MultiplyByUpper<3>(data + 3, residual);
    return true;
  }
};

// Poses q (4: w, x, y, z), p (3). The data are b as seen from a, and U row by
// row.
//
//   residual = U [R(q_a)' (p_b - p_a) - p_ab; 2 vec(q_ab^-1 q_a^-1 q_b)]
//
// with the sign of the quaternion that makes its real part positive: q and -q
// are the same rotation.
struct PoseGraph3dError {
  template <typename T, typename D>
  bool operator()(const T* a, const T* b, const D* data, T* residual) const {
    const T a_inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    const T moved[3] = {b[4] - a[4], b[5] - a[5], b[6] - a[6]};
    ceres::UnitQuaternionRotatePoint(a_inverse, moved, residual);
    for (int k = 0; k < 3; ++k) residual[k] -= data[4 + k];
    T between[4];
    ceres::QuaternionProduct(a_inverse, b, between);
    const T inverse[4] = {T(data[0]), T(-data[1]), T(-data[2]), T(-data[3])};
    T error[4];
    ceres::QuaternionProduct(inverse, between, error);
    const auto is_negative = error[0] < T(0.0);
    for (int k = 0; k < 3; ++k) {
      const T twice = 2.0 * error[1 + k];
      residual[3 + k] = Select(is_negative, -twice, twice);
    }
    MultiplyByUpper<6>(data + 7, residual);
    return true;
  }
};

// residual = A (x - mean), for rows x of any length.
class PriorRows final : public ceres::ResidualBatch {
 public:
  PriorRows(ceres::BatchColumns means, ceres::BatchColumns matrices,
            int num_residuals)
      : ResidualBatch(means.num_rows(), num_residuals, {means.num_columns()}),
        means_(std::move(means)),
        matrices_(std::move(matrices)) {}

  int Evaluate(const ceres::BatchRows& rows,
               const ceres::BatchOutput& output) const override {
    const int n = parameter_block_sizes()[0];
    const int m = num_residuals();
    for (int i = 0; i < rows.count; ++i) {
      const double* const mean = means_.Row(rows.rows[i], nullptr);
      const double* const matrix = matrices_.Row(rows.rows[i], nullptr);
      double* const residuals = output.residuals + i * output.stride;
      for (int r = 0; r < m; ++r) {
        residuals[r] = 0.0;
        for (int c = 0; c < n; ++c) {
          residuals[r] += matrix[r * n + c] * (rows.parameters[i][c] - mean[c]);
        }
      }
      if (output.jacobians != nullptr && output.jacobians[0] != nullptr) {
        std::copy_n(matrix, m * n, output.jacobians[0] + i * output.stride);
      }
    }
    return rows.count;
  }

 private:
  const ceres::BatchColumns means_;  // one table, as matrices_
  const ceres::BatchColumns matrices_;
};

template <typename Error, int kMeasured, int kResiduals, int kPose>
std::shared_ptr<CostBatch> PoseGraphRows(nb::object measurements,
                                         nb::object uppers) {
  const ceres::BatchColumns measured =
      CopyRows(measurements, kMeasured, "measurements");
  return MakeBatch<ceres::AutoDiffBatch<Error, kResiduals, kPose, kPose>>(
      ceres::BatchColumns::Join(
          {measured, CopyRowsOrOne(uppers, kResiduals * kResiduals,
                                   measured.num_rows(), "sqrt_information")}));
}

std::shared_ptr<CostBatch> MakePriorRows(nb::object means, nb::object matrices,
                                         int num_residuals) {
  const int64_t size = ReadableArray(means, "means").row_size();
  const ceres::BatchColumns mean = CopyRows(means, size, "means");
  return MakeBatch<PriorRows>(
      mean,
      CopyRowsOrOne(matrices, num_residuals * size, mean.num_rows(),
                    "sqrt_information"),
      num_residuals);
}

std::shared_ptr<CostBatch> PointToPlaneRows(nb::object points,
                                            nb::object planes, double sigma) {
  const ceres::BatchColumns point = CopyRows(points, 3, "points");
  const int64_t n = point.num_rows();
  return MakeBatch<ceres::factors::PointToPlaneBatch<>>(
      ceres::BatchColumns::Join({point, CopyRowsOrOne(planes, 4, n, "planes"),
                                 ceres::BatchColumns::Shared({sigma}, n)}));
}

}  // namespace

void BindPoseCosts(nb::module_& module) {
  module.def("_pose_graph_2d_batch", &PoseGraphRows<PoseGraph2dError, 3, 3, 3>,
             nb::arg("measurements"), nb::arg("sqrt_information"));
  module.def("_pose_graph_3d_batch", &PoseGraphRows<PoseGraph3dError, 7, 6, 7>,
             nb::arg("measurements"), nb::arg("sqrt_information"));
  module.def("_prior_batch", &MakePriorRows, nb::arg("means"),
             nb::arg("sqrt_information"), nb::arg("num_residuals"));
  module.def("_point_to_plane_batch", &PointToPlaneRows, nb::arg("points"),
             nb::arg("planes"), nb::arg("sigma"));
}

}  // namespace vesta::python
