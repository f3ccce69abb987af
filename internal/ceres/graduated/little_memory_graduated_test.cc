// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Robust estimation with little memory (little_memory_scene.h).

#include "ceres/graduated_solver.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/little_memory_scene.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(LittleMemory, GraduatedSolver) {
  for (const GraduatedLoss loss :
       {GraduatedLoss::kTruncatedSquares, GraduatedLoss::kGemanMcClure}) {
    ExpectThatEachFailureIsHarmless([loss](Scene* scene) {
      Solver::Options options;
      options.logging_type = SILENT;
      GraduatedOptions graduated;
      graduated.loss = loss;
      graduated.max_num_rounds = 2;
      graduated.max_num_iterations_per_round = 1;
      GraduatedSummary summary;
      SolveGraduated(options, graduated, &scene->problem, &summary);
      return summary.IsSolutionUsable();
    });
  }
}

}  // namespace
}  // namespace ceres::internal
