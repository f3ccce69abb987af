// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Errors of poses: pose graphs in the plane and in space, relative poses,
// points on planes, priors.

#include <algorithm>
#include <cmath>
#include <vector>

#include "ceres/rotation.h"
#include "ready_made.h"

namespace vesta::python {
namespace {

// residual = U residual for a matrix U of kSize x kSize, row-major, upper
// triangular.
template <int kSize, typename T>
void MultiplyByUpper(const double* upper, T* residual) {
  for (int r = 0; r < kSize; ++r) {
    T sum = upper[r * kSize + r] * residual[r];
    for (int c = r + 1; c < kSize; ++c) {
      sum += upper[r * kSize + c] * residual[c];
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
  const double* measured;  // x, y, yaw
  const double* upper;     // U, 3 x 3

  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    using std::cos;
    using std::sin;
    const T c = cos(a[2]);
    const T s = sin(a[2]);
    const T dx = b[0] - a[0];
    const T dy = b[1] - a[1];
    residual[0] = c * dx + s * dy - measured[0];
    residual[1] = c * dy - s * dx - measured[1];
    residual[2] = WrapAngle(b[2] - a[2] - measured[2]);
    MultiplyByUpper<3>(upper, residual);
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
  const double* measured;  // q, p
  const double* upper;     // U, 6 x 6

  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    const T a_inverse[4] = {a[0], -a[1], -a[2], -a[3]};
    const T moved[3] = {b[4] - a[4], b[5] - a[5], b[6] - a[6]};
    ceres::UnitQuaternionRotatePoint(a_inverse, moved, residual);
    for (int k = 0; k < 3; ++k) residual[k] -= measured[4 + k];
    T between[4];
    ceres::QuaternionProduct(a_inverse, b, between);
    const T inverse[4] = {T(measured[0]), T(-measured[1]), T(-measured[2]),
                          T(-measured[3])};
    T error[4];
    ceres::QuaternionProduct(inverse, between, error);
    const double sign = error[0] < T(0.0) ? -2.0 : 2.0;
    for (int k = 0; k < 3; ++k) residual[3 + k] = sign * error[1 + k];
    MultiplyByUpper<6>(upper, residual);
    return true;
  }
};

// residual = n' (R x + t) - d: the distance of the point x, moved by the pose,
// from the plane n' y = d, times the weight.
struct PointToPlaneError {
  const double* point;
  const double* plane;  // n, d
  double weight;

  template <typename T>
  bool operator()(const T* pose, T* residual) const {
    const T x[3] = {T(point[0]), T(point[1]), T(point[2])};
    T y[3];
    ceres::UnitQuaternionRotatePoint(pose, x, y);
    residual[0] = T(-plane[3]);
    for (int k = 0; k < 3; ++k) residual[0] += plane[k] * (y[k] + pose[4 + k]);
    residual[0] *= weight;
    return true;
  }
};

// residual = A (x - mean), for rows x of any length.
class PriorCost final : public ceres::CostFunction {
 public:
  PriorCost(const BatchSizes* sizes, const double* mean, const double* matrix)
      : CostFunction(sizes->get()), mean_(mean), matrix_(matrix) {}

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    const int n = parameter_block_sizes()[0];
    const int m = num_residuals();
    for (int r = 0; r < m; ++r) {
      residuals[r] = 0.0;
      for (int c = 0; c < n; ++c) {
        residuals[r] += matrix_[r * n + c] * (parameters[0][c] - mean_[c]);
      }
    }
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      std::copy_n(matrix_, m * n, jacobians[0]);
    }
    return true;
  }

 private:
  const double* mean_;
  const double* matrix_;
};

template <typename Error, int kMeasured, int kResiduals, int kPose>
std::shared_ptr<CostBatch> PoseGraphBatch(nb::object measurements,
                                          nb::object uppers) {
  const Rows measured = ReadRows(measurements, kMeasured, "measurements");
  const RowsOrOne upper = ReadRowsOrOne(uppers, kResiduals * kResiduals,
                                        measured.count, "sqrt_information");
  return MakeBatch<Error, kResiduals, kPose, kPose>(
      measured.count, nb::make_tuple(measurements, uppers),
      [measured, upper](int64_t i) {
        return Error{measured[i], upper[i]};
      });
}

std::shared_ptr<CostBatch> PriorBatch(nb::object means, nb::object matrices,
                                      int num_residuals) {
  const DoubleArray array = ReadableArray(means, "means");
  const int64_t n = array.row_size();
  const Rows mean = ReadRows(means, n, "means");
  const RowsOrOne matrix = ReadRowsOrOne(matrices, num_residuals * n,
                                         mean.count, "sqrt_information");
  auto batch = std::make_shared<CostBatch>();
  batch->num_rows = mean.count;
  batch->num_residuals = num_residuals;
  batch->sizes = {static_cast<int>(n)};
  batch->alive = nb::make_tuple(means, matrices);
  auto sizes = std::make_shared<BatchSizes>(num_residuals, batch->sizes);
  batch->new_storage = StorageMaker<PriorCost>(
      [mean, matrix, sizes](int64_t row,
                            std::deque<PriorCost>* rows) -> PriorCost& {
        return rows->emplace_back(sizes.get(), mean[row], matrix[row]);
      });
  return batch;
}

std::shared_ptr<CostBatch> PointToPlaneBatch(nb::object points,
                                             nb::object planes, double weight) {
  const Rows point = ReadRows(points, 3, "points");
  const RowsOrOne plane = ReadRowsOrOne(planes, 4, point.count, "planes");
  return MakeBatch<PointToPlaneError, 1, 7>(
      point.count, nb::make_tuple(points, planes),
      [point, plane, weight](int64_t i) {
        return PointToPlaneError{point[i], plane[i], weight};
      });
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
