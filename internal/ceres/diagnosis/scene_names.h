// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_SCENE_NAMES_H_
#define CERES_INTERNAL_DIAGNOSIS_SCENE_NAMES_H_

#include <vector>

#include "ceres/diagnosis.h"
#include "ceres/diagnosis/diagnosed_problem.h"
#include "ceres/diagnosis/direction_kinds.h"
#include "ceres/diagnosis/direction_writer.h"

namespace ceres::internal {

// Names gauge freedoms of a part by the motions of the user's scene. norms: of
// the columns.
void NameSceneMotions(const DiagnosisOptions& options,
                      const DiagnosedProblem& problem,
                      const std::vector<double>& norms,
                      const DirectionWriter& writer, int part,
                      std::vector<FoundDirection>* directions);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SCENE_NAMES_H_
