// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_REPORT_SCENE_H_
#define CERES_PUBLIC_REPORT_SCENE_H_

#include <array>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"

namespace ceres {

// Points, poses and edges in space that the parameters of a problem stand for.
// Lengths have any unit.
struct CERES_EXPORT ReportScene {
  // A position with an orientation, for example a camera.
  struct CERES_EXPORT Pose {
    // The origin of the pose's frame, in the frame of the scene.
    std::array<double, 3> position = {0.0, 0.0, 0.0};
    // Unit quaternion w, x, y, z that rotates from the frame of the pose to
    // that of the scene. All zeros: the pose has no orientation, and no axes
    // are drawn.
    std::array<double, 4> orientation = {0.0, 0.0, 0.0, 0.0};
  };

  // Positions of points.
  std::vector<std::array<double, 3>> points;
  // Drawn with their axes.
  std::vector<Pose> poses;
  // Pairs of indices into `poses`, drawn as lines.
  std::vector<std::array<int, 2>> edges;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"
#include "ceres/parallel/detail/language.h"

#endif  // CERES_PUBLIC_REPORT_SCENE_H_
