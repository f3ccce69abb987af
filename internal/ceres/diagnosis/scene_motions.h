// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_SCENE_MOTIONS_H_
#define CERES_INTERNAL_DIAGNOSIS_SCENE_MOTIONS_H_

#include <functional>
#include <vector>

#include "Eigen/Core"
#include "ceres/diagnosis.h"
#include "ceres/diagnosis/gauge.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/report_scene.h"

namespace ceres::internal {

// A combination of directions along which the scene moves as a whole.
struct SceneMotion {
  GaugeKind kind;
  Eigen::VectorXd coefficients;  // Of the directions.
};

// Finds the combinations of undetermined directions along which the scene moves
// by a similarity: translations first, then rotations, then the scale.
//
// With u_k the velocities of all things along direction k (central
// differences), and G the velocities of the seven similarities, the
// combinations c are those with sum c_k u_k in the range of G. Things that no
// direction moves do not count. Empty if so few things move that every motion
// is a similarity, or if the scene changes its size.
//
// Moves values in the user's memory, and restores them. Throws what `scene`
// throws.
std::vector<SceneMotion> FindSceneMotions(
    const std::function<ReportScene()>& scene, const ProblemImpl& problem,
    const std::vector<Direction>& directions);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SCENE_MOTIONS_H_
