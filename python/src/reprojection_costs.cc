// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/string.h>

#include <vector>

#include "ceres/factors/factor_batches.h"
#include "reprojection.h"

namespace vesta::python {
namespace {

// The camera of "Bundle Adjustment in the Large" (Agarwal et al., 2010).
std::shared_ptr<CostBatch> BalBatch(nb::object observations, double weight) {
  const Rows pixels = ReadRows(observations, 2, "observations");
  auto batch = std::make_shared<CostBatch>();
  batch->rows = std::make_shared<ceres::factors::SnavelyBatch>(
      ceres::BatchColumns::Own(
          std::vector<double>(pixels.data, pixels.data + 2 * pixels.count), 2),
      weight);
  return batch;
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
