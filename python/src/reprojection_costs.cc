// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/string.h>

#include "ceres/factors/factor_batches.h"
#include "ready_made.h"

namespace vesta::python {
namespace {

using namespace ceres::factors;  // NOLINT(google-build-using-namespace)

// Calls function(Camera()) for the camera model of this name.
template <typename Function>
auto WithCamera(const std::string& model, Function function) {
  if (model == "pinhole") return function(PinholeCamera());
  if (model == "simple_radial") return function(SimpleRadialCamera());
  if (model == "radial") return function(RadialCamera());
  if (model == "opencv") return function(OpenCV4Camera());
  if (model == "fisheye") return function(FisheyeCamera());
  RaiseValueError(
      "model: expected 'bal', 'pinhole', 'simple_radial', "
      "'radial', 'opencv' or 'fisheye', got '" +
      model + "'.");
}

// `data` are u, v, sigma.
template <typename Pose>
std::shared_ptr<CostBatch> MakeReprojection(const std::string& model,
                                            const ceres::BatchColumns& data,
                                            bool rig) {
  return WithCamera(model, [&](auto camera) {
    using Camera = decltype(camera);
    return rig ? MakeBatch<RigReprojectionBatch<Camera, Pose>>(data)
               : MakeBatch<ReprojectionBatch<Camera, Pose>>(data);
  });
}

std::shared_ptr<CostBatch> ReprojectionRows(const std::string& model,
                                            nb::object observations,
                                            double sigma, bool quaternions,
                                            bool rig) {
  const ceres::BatchColumns pixels = CopyRows(observations, 2, "observations");
  const ceres::BatchColumns data = ceres::BatchColumns::Join(
      {pixels, ceres::BatchColumns::Shared({sigma}, pixels.num_rows())});
  return quaternions ? MakeReprojection<InversePose<SE3>>(model, data, rig)
                     : MakeReprojection<AngleAxisInversePose>(model, data, rig);
}

}  // namespace

void BindReprojectionCosts(nb::module_& module) {
  module.def(
      "_bal_batch",
      [](nb::object observations, double sigma) {
        return MakeBatch<SnavelyBatch>(
            CopyRows(observations, 2, "observations"), 1.0 / sigma);
      },
      nb::arg("observations"), nb::arg("sigma"));
  module.def("_reprojection_batch", &ReprojectionRows, nb::arg("model"),
             nb::arg("observations"), nb::arg("sigma"), nb::arg("quaternions"),
             nb::arg("rig"));
}

}  // namespace vesta::python
