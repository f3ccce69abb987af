// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_FACTORS_FACTOR_BATCHES_H_
#define CERES_PUBLIC_FACTORS_FACTOR_BATCHES_H_

// Factors as batches: many residual blocks, computed in SIMD lanes. Each but
// SnavelyBatch is an AutoDiffBatch. Its data columns stand in the comment. For
// example, with rows u, v and one sigma for all of them:
//
//   auto batch = std::make_unique<
//       factors::ReprojectionBatch<factors::OpenCVCamera>>(
//       BatchColumns::Join({BatchColumns(pixels, num_rows, 2),
//                           BatchColumns::Shared({0.5}, num_rows)}));
//
// The data are not examined, as Create of the factors does. A row whose
// residuals or derivatives are not finite fails.

#include "ceres/autodiff_batch.h"
#include "ceres/batch_columns.h"
#include "ceres/factors/camera_models.h"
#include "ceres/factors/planar_groups.h"
#include "ceres/factors/similarity_group.h"
#include "ceres/factors/spatial_groups.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"
#include "ceres/residual_batch.h"
#include "ceres/rotation.h"

namespace ceres {
namespace internal {

// T(data[i]).
template <typename T, typename D>
inline void ConvertData(const D* data, int size, T* to) {
  for (int i = 0; i < size; ++i) to[i] = T(data[i]);
}

// residuals = W error, W being row-major in the data.
template <int kSize, typename T, typename D>
inline void WhitenByData(const D* W, const T* error, T* residuals) {
  for (int i = 0; i < kSize; ++i) {
    T sum = T(W[kSize * i]) * error[0];
    for (int j = 1; j < kSize; ++j) sum += T(W[kSize * i + j]) * error[j];
    residuals[i] = sum;
  }
}

// residual = (pixel - observed) / sigma, the data being u, v, sigma.
template <typename T, typename D>
inline void WeighPixelByData(const D* data, T* pixel) {
  const D weight = D(1.0) / data[2];
  for (int i = 0; i < 2; ++i) pixel[i] = T(weight) * (pixel[i] - T(data[i]));
}

}  // namespace internal

namespace factors {

// The camera of "Bundle adjustment in the large" (Agarwal et al., 2010), which
// looks along -z. Blocks: the camera (angle-axis, translation, f, k1, k2), the
// point. Data: the observed u, v. See examples/snavely_reprojection_error.h.
struct SnavelyReprojection {
  // projection - observed, in pixels.
  template <typename T, typename D>
  bool operator()(const T* camera, const T* point, const D* data,
                  T* residuals) const {
    T p[3];
    AngleAxisRotatePoint(camera, point, p);
    for (int k = 0; k < 3; ++k) p[k] += camera[3 + k];
    const T inverse_depth = T(-1.0) / p[2];
    const T x = p[0] * inverse_depth;
    const T y = p[1] * inverse_depth;
    const T radius2 = x * x + y * y;
    const T scale =
        camera[6] * (T(1.0) + radius2 * (camera[7] + camera[8] * radius2));
    residuals[0] = scale * x - T(data[0]);
    residuals[1] = scale * y - T(data[1]);
    return true;
  }
};
// The residual blocks of this functor, with derivatives in closed form, which
// takes half the time of AutoDiffBatch. A row differs from the residual block
// that AutoDiffCostFunction makes of the functor by a few units in the last
// place of the largest residual and of the largest derivative.
//
// Thread safety: Evaluate may be called from several threads.
class CERES_EXPORT SnavelyBatch final : public ResidualBatch {
 public:
  // Columns u and v, one row for each residual block. Residuals are multiplied
  // by `weight`, such as 1 / sigma.
  explicit SnavelyBatch(BatchColumns observed, double weight = 1.0);
  int Evaluate(const BatchRows& rows, const BatchOutput& output) const override;

 private:
  const BatchColumns observed_;
  const double weight_;
};

// ReprojectionFactor. Blocks: pose, point, intrinsics. Data: u, v, sigma.
template <typename Camera, typename Pose = SE3>
struct Reprojection {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* pose, const T* point, const T* intrinsics,
                  const D* data, T* residuals) const {
    T local[3];
    Pose::ActInverse(pose, point, local);
    if (!Camera::Project(intrinsics, local, residuals)) return false;
    internal::WeighPixelByData(data, residuals);
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
template <typename Camera, typename Pose = SE3>
using ReprojectionBatch =
    AutoDiffBatch<Reprojection<Camera, Pose>, 2, Pose::kAmbientSize, 3,
                  Camera::kNumIntrinsics>;

// RigReprojectionFactor. Blocks: pose, extrinsics, point, intrinsics. Data: u,
// v, sigma.
template <typename Camera, typename Pose = SE3>
struct RigReprojection {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* pose, const T* extrinsics, const T* point,
                  const T* intrinsics, const D* data, T* residuals) const {
    T body[3];
    T local[3];
    Pose::ActInverse(pose, point, body);
    Pose::ActInverse(extrinsics, body, local);
    if (!Camera::Project(intrinsics, local, residuals)) return false;
    internal::WeighPixelByData(data, residuals);
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
template <typename Camera, typename Pose = SE3>
using RigReprojectionBatch =
    AutoDiffBatch<RigReprojection<Camera, Pose>, 2, Pose::kAmbientSize,
                  Pose::kAmbientSize, 3, Camera::kNumIntrinsics>;

// PriorFactor. Block: x. Data: the measured element, then W row by row.
template <typename Group>
struct Prior {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* x, const D* data, T* residuals) const {
    T measured[Group::kAmbientSize];
    internal::ConvertData(data, Group::kAmbientSize, measured);
    T error[Group::kTangentSize];
    Group::Minus(x, measured, error);
    internal::WhitenByData<Group::kTangentSize>(data + Group::kAmbientSize,
                                                error, residuals);
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
template <typename Group>
using PriorBatch =
    AutoDiffBatch<Prior<Group>, Group::kTangentSize, Group::kAmbientSize>;

// BetweenFactor. Blocks: a, b. Data: the measured element, then W row by row.
template <typename Group>
struct Between {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* a, const T* b, const D* data, T* residuals) const {
    T measured[Group::kAmbientSize];
    internal::ConvertData(data, Group::kAmbientSize, measured);
    T between[Group::kAmbientSize];
    T error[Group::kTangentSize];
    Group::Between(a, b, between);
    Group::Minus(between, measured, error);
    internal::WhitenByData<Group::kTangentSize>(data + Group::kAmbientSize,
                                                error, residuals);
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
template <typename Group>
using BetweenBatch = AutoDiffBatch<Between<Group>, Group::kTangentSize,
                                   Group::kAmbientSize, Group::kAmbientSize>;

// LandmarkFactor. Blocks: pose, landmark. Data: z, then W row by row, then the
// pose s of the sensor in the frame of the body.
template <typename Pose>
struct Landmark {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* pose, const T* landmark, const D* data,
                  T* residuals) const {
    constexpr int kSize = Pose::kSpaceSize;
    T sensor[Pose::kAmbientSize];
    internal::ConvertData(data + kSize + kSize * kSize, Pose::kAmbientSize,
                          sensor);
    T in_body[kSize];
    T error[kSize];
    Pose::ActInverse(pose, landmark, in_body);
    Pose::ActInverse(sensor, in_body, error);
    for (int i = 0; i < kSize; ++i) error[i] -= T(data[i]);
    internal::WhitenByData<kSize>(data + kSize, error, residuals);
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
template <typename Pose>
using LandmarkBatch = AutoDiffBatch<Landmark<Pose>, Pose::kSpaceSize,
                                    Pose::kAmbientSize, Pose::kSpaceSize>;

// PointToPlaneFactor. Block: pose. Data: the point of the body, the unit normal
// n of the plane, its distance n.q from the origin, sigma.
template <typename Pose = SE3>
struct PointToPlane {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* pose, const D* data, T* residuals) const {
    T point[3];
    internal::ConvertData(data, 3, point);
    T moved[3];
    Pose::Act(pose, point, moved);
    const T distance = T(data[3]) * moved[0] + T(data[4]) * moved[1] +
                       T(data[5]) * moved[2] - T(data[6]);
    residuals[0] = T(D(1.0) / data[7]) * distance;
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
template <typename Pose = SE3>
using PointToPlaneBatch =
    AutoDiffBatch<PointToPlane<Pose>, 1, Pose::kAmbientSize>;

// RangeFactor. Blocks: pose, landmark. Data: the range, sigma.
template <typename Pose>
struct Range {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* pose, const T* landmark, const D* data,
                  T* residuals) const {
    using std::sqrt;
    constexpr int kPosition = Pose::kAmbientSize - Pose::kSpaceSize;
    T squared = T(0.0);
    for (int i = 0; i < Pose::kSpaceSize; ++i) {
      const T offset = landmark[i] - pose[kPosition + i];
      squared += offset * offset;
    }
    if (!(squared > T(0.0))) return false;
    residuals[0] = T(D(1.0) / data[1]) * (sqrt(squared) - T(data[0]));
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
template <typename Pose>
using RangeBatch =
    AutoDiffBatch<Range<Pose>, 1, Pose::kAmbientSize, Pose::kSpaceSize>;

// PlanarBearingFactor. Blocks: pose, landmark. Data: the bearing, sigma.
struct PlanarBearing {
  // Writes the residuals of a row. Returns false where they are not defined.
  template <typename T, typename D>
  bool operator()(const T* pose, const T* landmark, const D* data,
                  T* residuals) const {
    using std::atan2;
    const T offset[2] = {landmark[0] - pose[1], landmark[1] - pose[2]};
    if (!(offset[0] * offset[0] + offset[1] * offset[1] > T(0.0))) return false;
    const T angle = atan2(offset[1], offset[0]) - pose[0] - T(data[0]);
    residuals[0] = T(D(1.0) / data[1]) * NormalizeAngle(angle);
    return true;
  }
};
// The batch of this functor: a residual block for each row of data.
using PlanarBearingBatch = AutoDiffBatch<PlanarBearing, 1, 3, 2>;

}  // namespace factors
}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_FACTORS_FACTOR_BATCHES_H_
