// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/string.h>

#include "reprojection.h"

namespace vesta::python {
namespace {

// The camera of "Bundle Adjustment in the Large" (Agarwal et al., 2010):
// angle-axis (3), translation (3), f, k1, k2. It looks along -z, without
// principal point:
//   P = R X + t,  p = -P.xy / P.z,  pixel = f (1 + k1 |p|^2 + k2 |p|^4) p.
struct BalError {
  RowNumbers<2> pixel;
  double weight;

  template <typename T, typename D>
  bool operator()(const T* camera, const T* point, const D* data,
                  T* residual) const {
    T p[3];
    AngleAxisPose::Transform(camera, point, p);
    const T inverse = -1.0 / p[2];
    const T x = p[0] * inverse;
    const T y = p[1] * inverse;
    const T r2 = x * x + y * y;
    const T scale = camera[6] * (1.0 + r2 * (camera[7] + r2 * camera[8]));
    residual[0] = scale * x;
    residual[1] = scale * y;
    WeighPixel(pixel, weight, data, residual);
    return true;
  }
};

std::shared_ptr<CostBatch> BalBatch(nb::object observations, double weight) {
  const Rows pixels = ReadRows(observations, 2, "observations");
  RowData data(pixels.count);
  const BalError error{data.Add<2>(pixels), weight};
  return MakeBatch<2, 9, 3>(error, data);
}

template <typename Pose>
std::shared_ptr<CostBatch> ReprojectionBatch(const std::string& model,
                                             nb::object observations,
                                             double weight) {
  const Rows pixels = ReadRows(observations, 2, "observations");
  return WithModel(model, [&](auto m) {
    using Model = decltype(m);
    RowData data(pixels.count);
    const ReprojectionError<Pose, Model> error{data.Add<2>(pixels), weight};
    return MakeBatch<2, Pose::kSize, 3, Model::kSize>(error, data);
  });
}

}  // namespace

void BindReprojectionCosts(nb::module_& module) {
  module.def("_bal_batch", &BalBatch, nb::arg("observations"),
             nb::arg("weight"));
  module.def(
      "_reprojection_batch",
      [](const std::string& model, nb::object observations, double weight,
         bool quaternions) {
        return quaternions ? ReprojectionBatch<QuaternionPose>(
                                 model, observations, weight)
                           : ReprojectionBatch<AngleAxisPose>(
                                 model, observations, weight);
      },
      nb::arg("model"), nb::arg("observations"), nb::arg("weight"),
      nb::arg("quaternions"));
}

}  // namespace vesta::python
