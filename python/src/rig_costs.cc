// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <nanobind/stl/string.h>

#include "reprojection.h"

namespace vesta::python {
namespace {

template <typename Pose>
std::shared_ptr<CostBatch> RigBatch(const std::string& model,
                                    nb::object observations, double weight) {
  const Rows pixels = ReadRows(observations, 2, "observations");
  return WithModel(model, [&](auto m) {
    using Model = decltype(m);
    RowData data(pixels.count);
    const RigReprojectionError<Pose, Model> error{data.Add<2>(pixels), weight};
    return MakeBatch<2, Pose::kSize, Pose::kSize, 3, Model::kSize>(error, data);
  });
}

}  // namespace

void BindRigCosts(nb::module_& module) {
  module.def(
      "_rig_batch",
      [](const std::string& model, nb::object observations, double weight,
         bool quaternions) {
        return quaternions
                   ? RigBatch<QuaternionPose>(model, observations, weight)
                   : RigBatch<AngleAxisPose>(model, observations, weight);
      },
      nb::arg("model"), nb::arg("observations"), nb::arg("weight"),
      nb::arg("quaternions"));
}

}  // namespace vesta::python
