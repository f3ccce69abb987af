// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_LITTLE_MEMORY_SCENE_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_LITTLE_MEMORY_SCENE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/base/testing/failing_allocations.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"

// For one source of a test program: walks through every allocation of a call of
// the API. In run n the n-th one fails, in whatever thread. The call throws
// std::bad_alloc, returns a failure, or did without the memory. If it has
// failed, the parameters are as before. The same call on the same objects then
// succeeds, and nothing is leaked.

namespace ceres::internal {

using parallel::testing_internal::FailingAllocation;
using parallel::testing_internal::num_live_allocations;

struct Observation {
  template <typename T>
  bool operator()(const T* camera, const T* point, T* r) const {
    r[0] = camera[0] + point[0] * camera[1] - T(x);
    r[1] = camera[2] * point[1] + point[2] - T(y);
    return true;
  }
  double x, y;
};

struct Link {
  template <typename T>
  bool operator()(const T* a, const T* b, T* r) const {
    for (int i = 0; i < 3; ++i) r[i] = a[i] - b[i] - 0.1 * a[i] * a[i];
    return true;
  }
};

// Cameras in a chain, and points that all of them see.
struct Scene {
  Scene() : cameras(3 * kCameras), points(3 * kPoints) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> value(-1.0, 1.0);
    for (auto* values : {&cameras, &points}) {
      for (double& x : *values) x = value(random);
    }
    for (int p = 0; p < kPoints; ++p) {
      for (int c = 0; c < kCameras; ++c) {
        auto* const cost = new AutoDiffCostFunction<Observation, 2, 3, 3>(
            new Observation{value(random), value(random)});
        LossFunction* const loss = p % 3 == 0 ? new HuberLoss(0.5) : nullptr;
        problem.AddResidualBlock(cost, loss, Camera(c), Point(p));
      }
    }
    for (int c = 1; c < kCameras; ++c) {
      problem.AddResidualBlock(
          new AutoDiffCostFunction<Link, 3, 3, 3>(new Link), nullptr,
          Camera(c - 1), Camera(c));
    }
    problem.SetManifold(Camera(1), new SubsetManifold(3, {1}));
    Remember();
  }

  // Keeps the values of the parameters, without memory. For calls that consist
  // of steps: at the end of each.
  void Remember() {
    remembered_cameras = cameras;
    remembered_points = points;
  }
  bool IsAsRemembered() const {
    return cameras == remembered_cameras && points == remembered_points;
  }
  double* Camera(int k) { return &cameras[3 * static_cast<std::size_t>(k)]; }
  double* Point(int k) { return &points[3 * static_cast<std::size_t>(k)]; }

  static constexpr int kCameras = 4;
  static constexpr int kPoints = 12;
  std::vector<double> cameras;
  std::vector<double> points;
  std::vector<double> more = std::vector<double>(60);
  std::vector<double> remembered_cameras;
  std::vector<double> remembered_points;
  Problem problem;
  // What a call of several steps keeps.
  int num_steps = 0;
  int num_added = 0;
  std::shared_ptr<void> state;
};

// Returns whether all went well. A call that consists of steps continues after
// the last step that went well.
using Call = std::function<bool(Scene*)>;

// Run n. and_later: all later allocations fail, too. Sets has_failed: whether
// the call had an n-th allocation. Returns the number of allocations that are
// left over.
inline std::int64_t RunWithFailure(const Call& call, int n, bool and_later,
                                   bool* has_failed) {
  const std::int64_t live = num_live_allocations;
  {
    Scene scene;
    bool has_ended = false;
    {
      const FailingAllocation failing(n, and_later);
      try {
        has_ended = call(&scene);
      } catch (const std::bad_alloc&) {
      }
      *has_failed = failing.HasFailed();
    }
    if (!has_ended) {
      EXPECT_TRUE(scene.IsAsRemembered()) << "allocation " << n;
      EXPECT_TRUE(call(&scene)) << "allocation " << n;
    }
  }
  return num_live_allocations - live;
}

inline void ExpectThatEachFailureIsHarmless(const Call& call) {
  constexpr int kMostAllocations = 5000;
  {
    Scene scene;
    ASSERT_TRUE(call(&scene));
  }
  for (const bool and_later : {false, true}) {
    bool has_failed = true;
    int n = 0;
    while (has_failed && !::testing::Test::HasFailure() &&
           ++n < kMostAllocations) {
      // The runtime keeps nodes, queues and workers, but does not need more of
      // them each time.
      constexpr int kMostAttempts = 10;
      int attempt = 0;
      while (RunWithFailure(call, n, and_later, &has_failed) > 0) {
        ASSERT_LT(++attempt, kMostAttempts) << "a leak, allocation " << n;
      }
    }
    ASSERT_LT(n, kMostAllocations);
  }
}

inline Call SolveWith(
    LinearSolverType linear_solver, int num_threads,
    const std::function<void(Solver::Options*)>& change = nullptr) {
  return [=](Scene* scene) {
    Solver::Options options;
    options.linear_solver_type = linear_solver;
    options.num_threads = num_threads;
    options.max_num_iterations = 3;
    options.logging_type = SILENT;
    if (change) change(&options);
    Solver::Summary summary;
    Solve(options, &scene->problem, &summary);
    return summary.IsSolutionUsable();
  };
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_LITTLE_MEMORY_SCENE_H_
