// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "scene.h"

#include <algorithm>
#include <cstdint>

namespace vesta::python {
namespace {

// The rows of an array of the shape (n, kSize), which is C-contiguous.
template <typename Array, size_t kSize>
void CopyRow(const Array& array, int64_t row, std::array<double, kSize>* to) {
  std::copy_n(array.data + row * static_cast<int64_t>(kSize), kSize,
              to->begin());
}

ceres::ReportScene ToScene(nb::handle arrays) {
  ceres::ReportScene scene;
  const DoubleArray points = ReadableArray(arrays[0], "points");
  scene.points.resize(static_cast<size_t>(points.size / 3));
  for (size_t k = 0; k < scene.points.size(); ++k) {
    CopyRow(points, static_cast<int64_t>(k), &scene.points[k]);
  }
  const DoubleArray positions = ReadableArray(arrays[1], "positions");
  const DoubleArray orientations = ReadableArray(arrays[2], "orientations");
  scene.poses.resize(static_cast<size_t>(positions.size / 3));
  for (size_t k = 0; k < scene.poses.size(); ++k) {
    ceres::ReportScene::Pose& pose = scene.poses[k];
    CopyRow(positions, static_cast<int64_t>(k), &pose.position);
    CopyRow(orientations, static_cast<int64_t>(k), &pose.orientation);
  }
  const IndexArray edges = ReadableIndices(arrays[3], "edges");
  for (int64_t k = 0; k + 1 < edges.size; k += 2) {
    scene.edges.push_back(
        {static_cast<int>(edges.data[k]), static_cast<int>(edges.data[k + 1])});
  }
  return scene;
}

}  // namespace

std::function<ceres::ReportScene()> ToSceneFunction(nb::handle scene) {
  if (scene.is_none()) return nullptr;
  if (PyCallable_Check(scene.ptr()) == 0) {
    RaiseTypeError("scene: expected a function, got " + TypeName(scene) + ".");
  }
  return [scene] {
    const nb::gil_scoped_acquire gil;
    return ToScene(
        nb::module_::import_("vesta._scene").attr("arrays_of")(scene()));
  };
}

}  // namespace vesta::python
