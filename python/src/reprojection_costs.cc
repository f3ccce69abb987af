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
  double pixel[2];
  double weight;

  template <typename T>
  bool operator()(const T* camera, const T* point, T* residual) const {
    T p[3];
    AngleAxisPose::Transform(camera, point, p);
    const T inverse = -1.0 / p[2];
    const T x = p[0] * inverse;
    const T y = p[1] * inverse;
    const T r2 = x * x + y * y;
    const T scale = camera[6] * (1.0 + r2 * (camera[7] + r2 * camera[8]));
    residual[0] = weight * (scale * x - pixel[0]);
    residual[1] = weight * (scale * y - pixel[1]);
    return true;
  }
};

std::shared_ptr<CostBatch> BalBatch(nb::object observations, double weight) {
  const Rows pixels = ReadRows(observations, 2, "observations");
  return MakeBatch<BalError, 2, 9, 3>(
      pixels.count, nb::none(), [pixels, weight](int64_t i) {
        return BalError{{pixels[i][0], pixels[i][1]}, weight};
      });
}

template <typename Pose>
std::shared_ptr<CostBatch> ReprojectionBatch(const std::string& model,
                                             nb::object observations,
                                             double weight) {
  const Rows pixels = ReadRows(observations, 2, "observations");
  return WithModel(model, [&](auto m) {
    using Model = decltype(m);
    using Error = ReprojectionError<Pose, Model>;
    return MakeBatch<Error, 2, Pose::kSize, 3, Model::kSize>(
        pixels.count, nb::none(), [pixels, weight](int64_t i) {
          return Error{{pixels[i][0], pixels[i][1]}, weight};
        });
  });
}

}  // namespace

void BindReprojectionCosts(nb::module_& module) {
  // The observations are read when residual blocks are made, not later.
  module.def("_bal_batch", &BalBatch, nb::arg("observations"),
             nb::arg("weight"), nb::keep_alive<0, 1>());
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
      nb::arg("quaternions"), nb::keep_alive<0, 2>());
}

}  // namespace vesta::python
