// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of poses: pose graphs in the plane and in space, relative poses,
// points on planes, priors.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

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
    residual[2] = ceres::factors::NormalizeAngle(T(b[2] - a[2] - data[2]));
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

// residual = A (x - mean), for rows x of any length. The data are the mean, and
// A row by row.
class PriorRows final : public ceres::ResidualBatch {
 public:
  PriorRows(ceres::BatchColumns data, int num_residuals, int size)
      : ResidualBatch(data.num_rows(), num_residuals, {size}),
        data_(std::move(data)) {}

  int Evaluate(const ceres::BatchRows& rows,
               const ceres::BatchOutput& output) const override {
    const int n = parameter_block_sizes()[0];
    const int m = num_residuals();
    std::vector<double> copy(static_cast<size_t>(data_.num_columns()));
    for (int i = 0; i < rows.count; ++i) {
      const double* const mean = data_.Row(rows.rows[i], copy.data());
      const double* const matrix = mean + n;
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
  const ceres::BatchColumns data_;
};

// The data of Gaussians: `size` numbers for each row, and a matrix of
// matrix_size numbers, or one for all rows.
ceres::BatchColumns CopyGaussians(nb::handle means, const char* means_name,
                                  int64_t size, nb::handle matrices,
                                  int64_t matrix_size) {
  const ceres::BatchColumns mean = CopyRows(means, size, means_name);
  return ceres::BatchColumns::Join(
      {mean, CopyRowsOrOne(matrices, matrix_size, mean.num_rows(),
                           "sqrt_information")});
}

template <typename Error, int kMeasured, int kResiduals, int kPose>
std::shared_ptr<CostBatch> PoseGraphRows(nb::object measurements,
                                         nb::object uppers) {
  return MakeBatch<ceres::AutoDiffBatch<Error, kResiduals, kPose, kPose>>(
      CopyGaussians(measurements, "measurements", kMeasured, uppers,
                    kResiduals * kResiduals));
}

std::shared_ptr<CostBatch> MakePriorRows(nb::object means, nb::object matrices,
                                         int num_residuals) {
  const int64_t size = ReadableArray(means, "means").row_size();
  return MakeBatch<PriorRows>(
      CopyGaussians(means, "means", size, matrices, num_residuals * size),
      num_residuals, static_cast<int>(size));
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
