// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_PYTHON_SCENE_H_
#define VESTA_PYTHON_SCENE_H_

#include <functional>

#include "ceres/report_scene.h"
#include "common.h"

namespace vesta::python {

// The callback of reports and diagnoses. scene: None, or a Python callable
// whose results vesta._scene.arrays_of takes; it outlives the result.
// Exceptions of the callable pass through.
std::function<ceres::ReportScene()> ToSceneFunction(nb::handle scene);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_SCENE_H_
