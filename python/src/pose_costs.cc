// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of poses: pose graphs in the plane and in space, relative poses,
// points on planes, priors.

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "ceres/rotation.h"
#include "ready_made.h"

namespace vesta::python {
namespace {

// residual = U residual for a matrix U of kSize x kSize, row-major, upper
// triangular.
template <int kSize, typename T, typename D>
void MultiplyByUpper(const RowNumbers<kSize * kSize>& upper, const D* data,
                     T* residual) {
  for (int r = 0; r < kSize; ++r) {
    T sum = upper.Get(data, r * kSize + r) * residual[r];
    for (int c = r + 1; c < kSize; ++c) {
      sum += upper.Get(data, r * kSize + c) * residual[c];
    }
    residual[r] = sum;
  }
}

// The angle in [-pi, pi) that differs by whole turns.
template <typename T>
T WrapAngle(const T& angle) {
  using std::floor;
  constexpr double kPi = 3.14159265358979323846;
  return angle - 2.0 * kPi * floor((angle + kPi) / (2.0 * kPi));
}

// Poses x, y, yaw. The measurement is b as seen from a.
//
//   residual = U [R(yaw_a)' (p_b - p_a) - p_ab; wrap(yaw_b - yaw_a - yaw_ab)]
struct PoseGraph2dError {
  RowNumbers<3> measured;  // x, y, yaw
  RowNumbers<9> upper;     // U

  template <typename T, typename D>
  bool operator()(const T* a, const T* b, const D* data, T* residual) const {
    using std::cos;
    using std::sin;
    const T c = cos(a[2]);
    const T s = sin(a[2]);
    const T dx = b[0] - a[0];
    const T dy = b[1] - a[1];
    residual[0] = c * dx + s * dy - measured.Get(data, 0);
    residual[1] = c * dy - s * dx - measured.Get(data, 1);
    residual[2] = WrapAngle(b[2] - a[2] - measured.Get(data, 2));
    MultiplyByUpper<3>(upper, data, residual);
    return true;
  }
};

// Poses q (4: w, x, y, z), p (3). The measurement is b as seen from a.
//
//   residual = U [R(q_a)' (p_b - p_a) - p_ab; 2 vec(q_ab^-1 q_a^-1 q_b)]
//
// with the sign of the quaternion that makes its real part positive: q and -q
// are the same rotation.
struct PoseGraph3dError {
  RowNumbers<7> measured;  // q, p
  RowNumbers<36> upper;    // U

  template <typename T, typename D>
  bool operator()(const T* a, const T* b, const D* data, T* residual) const {
    const T a_inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    const T moved[3] = {b[4] - a[4], b[5] - a[5], b[6] - a[6]};
    ceres::UnitQuaternionRotatePoint(a_inverse, moved, residual);
    for (int k = 0; k < 3; ++k) residual[k] -= measured.Get(data, 4 + k);
    T between[4];
    ceres::QuaternionProduct(a_inverse, b, between);
    const T inverse[4] = {T(measured.Get(data, 0)), T(-measured.Get(data, 1)),
                          T(-measured.Get(data, 2)), T(-measured.Get(data, 3))};
    T error[4];
    ceres::QuaternionProduct(inverse, between, error);
    const auto is_negative = error[0] < T(0.0);
    for (int k = 0; k < 3; ++k) {
      const T twice = 2.0 * error[1 + k];
      residual[3 + k] = Select(is_negative, -twice, twice);
    }
    MultiplyByUpper<6>(upper, data, residual);
    return true;
  }
};

// residual = n' (R x + t) - d: the distance of the point x, moved by the pose,
// from the plane n' y = d, times the weight.
struct PointToPlaneError {
  RowNumbers<3> point;
  RowNumbers<4> plane;  // n, d
  double weight;

  template <typename T, typename D>
  bool operator()(const T* pose, const D* data, T* residual) const {
    const T x[3] = {T(point.Get(data, 0)), T(point.Get(data, 1)),
                    T(point.Get(data, 2))};
    T y[3];
    ceres::UnitQuaternionRotatePoint(pose, x, y);
    residual[0] = T(-plane.Get(data, 3));
    for (int k = 0; k < 3; ++k) {
      residual[0] += plane.Get(data, k) * (y[k] + pose[4 + k]);
    }
    residual[0] *= weight;
    return true;
  }
};

// residual = A (x - mean), for rows x of any length.
class PriorRows final : public ceres::ResidualBatch {
 public:
  PriorRows(const Rows& means, const RowsOrOne& matrices, int num_residuals)
      : ResidualBatch(means.count, num_residuals,
                      {static_cast<int>(means.columns)}),
        means_(means),
        matrices_(matrices) {}

  int Evaluate(const ceres::BatchRows& rows,
               const ceres::BatchOutput& output) const override {
    const int n = parameter_block_sizes()[0];
    const int m = num_residuals();
    for (int i = 0; i < rows.count; ++i) {
      const double* const mean = means_[rows.rows[i]];
      const double* const matrix = matrices_[rows.rows[i]];
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
  const Rows means_;
  const RowsOrOne matrices_;
};

template <typename Error, int kMeasured, int kResiduals, int kPose>
std::shared_ptr<CostBatch> PoseGraphBatch(nb::object measurements,
                                          nb::object uppers) {
  const Rows measured = ReadRows(measurements, kMeasured, "measurements");
  const RowsOrOne upper = ReadRowsOrOne(uppers, kResiduals * kResiduals,
                                        measured.count, "sqrt_information");
  RowData data(measured.count);
  const auto of_measured = data.Add<kMeasured>(measured);
  const Error error{of_measured, data.Add<kResiduals * kResiduals>(upper)};
  return MakeBatch<kResiduals, kPose, kPose>(error, data);
}

std::shared_ptr<CostBatch> PriorBatch(nb::object means, nb::object matrices,
                                      int num_residuals) {
  const DoubleArray array = ReadableArray(means, "means");
  const int64_t n = array.row_size();
  const Rows mean = ReadRows(means, n, "means");
  const RowsOrOne matrix = ReadRowsOrOne(matrices, num_residuals * n,
                                         mean.count, "sqrt_information");
  auto batch = std::make_shared<CostBatch>();
  batch->rows = std::make_shared<PriorRows>(mean, matrix, num_residuals);
  batch->alive = nb::make_tuple(means, matrices);
  return batch;
}

std::shared_ptr<CostBatch> PointToPlaneBatch(nb::object points,
                                             nb::object planes, double weight) {
  const Rows point = ReadRows(points, 3, "points");
  const RowsOrOne plane = ReadRowsOrOne(planes, 4, point.count, "planes");
  RowData data(point.count);
  const auto of_point = data.Add<3>(point);
  const PointToPlaneError error{of_point, data.Add<4>(plane), weight};
  return MakeBatch<1, 7>(error, data);
}

}  // namespace

void BindPoseCosts(nb::module_& module) {
  module.def("_pose_graph_2d_batch", &PoseGraphBatch<PoseGraph2dError, 3, 3, 3>,
             nb::arg("measurements"), nb::arg("sqrt_information"));
  module.def("_pose_graph_3d_batch", &PoseGraphBatch<PoseGraph3dError, 7, 6, 7>,
             nb::arg("measurements"), nb::arg("sqrt_information"));
  module.def("_prior_batch", &PriorBatch, nb::arg("means"),
             nb::arg("sqrt_information"), nb::arg("num_residuals"));
  module.def("_point_to_plane_batch", &PointToPlaneBatch, nb::arg("points"),
             nb::arg("planes"), nb::arg("weight"));
}

}  // namespace vesta::python
