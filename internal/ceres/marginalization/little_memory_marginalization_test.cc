// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Linearization, marginalization and sliding windows with little memory
// (little_memory_scene.h).

#include <memory>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/linearization.h"
#include "ceres/marginalization.h"
#include "ceres/problem.h"
#include "ceres/sliding_window.h"
#include "ceres/solver/whole_solves/little_memory_scene.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

TEST(LittleMemory, Linearization) {
  ExpectThatEachFailureIsHarmless([](Scene* scene) {
    LinearizationOptions options;
    options.num_threads = 2;
    Linearization linearization;
    return scene->problem.Linearize(options, {}, &linearization) &&
           linearization.num_columns() > 0;
  });
}

TEST(LittleMemory, Marginalization) {
  for (const MarginalizationMethod method :
       {MarginalizationMethod::kBlockQr,
        MarginalizationMethod::kSchurComplement}) {
    for (const int num_threads : {1, 2}) {
      ExpectThatEachFailureIsHarmless([&](Scene* scene) {
        MarginalizationOptions options;
        options.method = method;
        options.num_threads = num_threads;
        options.first_estimate_jacobians = true;
        MarginalizationSummary summary;
        // After a failure the problem is as it was.
        return scene->problem.NumParameterBlocks() ==
                   Scene::kCameras + Scene::kPoints &&
               Marginalize(options, {scene->Camera(0), scene->Point(3)},
                           &scene->problem, &summary);
      });
    }
  }
}

TEST(LittleMemory, SlidingWindow) {
  ExpectThatEachFailureIsHarmless([](Scene* scene) {
    if (!scene->state) {
      SlidingWindow::Options options;
      options.solver.logging_type = SILENT;
      options.solver.max_num_iterations = 2;
      scene->state = std::make_shared<SlidingWindow>(options);
    }
    auto* const window = static_cast<SlidingWindow*>(scene->state.get());
    for (; scene->num_steps < 8; ++scene->num_steps) {
      const int k = scene->num_steps;
      double* const pose = &scene->more[3 * k];
      double* const next = pose + 3;
      if (scene->num_added == k) {
        auto cost = std::make_unique<AutoDiffCostFunction<Link, 3, 3, 3>>(
            std::make_unique<Link>());
        window->problem()->AddResidualBlock(cost.get(), nullptr, pose, next);
        cost.release();
        ++scene->num_added;
      }
      if (!window->Add(pose, k) || !window->Add(next, k + 1)) return false;
      if (!window->Solve().IsSolutionUsable()) return false;
      if (!window->Advance(k, 3.0)) return false;
    }
    return window->num_blocks() == 5;
  });
}

}  // namespace
}  // namespace ceres::internal
