// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Walks through every allocation of solves and of other calls of the API: in
// run n the n-th one fails, in whatever thread. The call throws std::bad_alloc,
// or did without the memory. Then the parameters are as before, nothing is
// leaked, and the problem can be solved.

#include <cstdint>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/covariance.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/parallel/testing/failing_allocations.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

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
  }
  double* Camera(int k) { return &cameras[static_cast<std::size_t>(3 * k)]; }
  double* Point(int k) { return &points[static_cast<std::size_t>(3 * k)]; }

  static constexpr int kCameras = 4;
  static constexpr int kPoints = 12;
  std::vector<double> cameras;
  std::vector<double> points;
  std::vector<double> more = std::vector<double>(60);
  Problem problem;
};

// Returns whether the call has changed parameters as it should.
using Call = std::function<bool(Scene*)>;

void ExpectThatEachFailureIsHarmless(const Call& call) {
  constexpr int kMostAllocations = 5000;
  {
    Scene scene;
    ASSERT_TRUE(call(&scene));
  }
  bool has_failed = true;
  int n = 0;
  while (has_failed && ++n < kMostAllocations) {
    const std::int64_t live = num_live_allocations;
    {
      Scene scene;
      const std::vector<double> cameras = scene.cameras;
      const std::vector<double> points = scene.points;
      bool has_ended = false;
      {
        const FailingAllocation failing(n);
        try {
          has_ended = call(&scene);
        } catch (const std::bad_alloc&) {
        }
        has_failed = failing.HasFailed();
      }
      if (!has_ended) {
        ASSERT_EQ(scene.cameras, cameras) << "allocation " << n;
        ASSERT_EQ(scene.points, points) << "allocation " << n;
      }
      if (n % 8 == 0) {
        Solver::Summary summary;
        Solve({}, &scene.problem, &summary);
        ASSERT_TRUE(summary.IsSolutionUsable()) << "allocation " << n;
      }
    }
    // The runtime may have kept nodes, queues and workers.
    ASSERT_LE(num_live_allocations, live + 12) << "allocation " << n;
  }
  ASSERT_LT(n, kMostAllocations);
}

Call SolveWith(LinearSolverType linear_solver, int num_threads,
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

class LittleMemorySolve : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, LittleMemorySolve, ::testing::Values(1, 2));

TEST_P(LittleMemorySolve, Dense) {
  ExpectThatEachFailureIsHarmless(SolveWith(DENSE_QR, GetParam()));
  ExpectThatEachFailureIsHarmless(SolveWith(DENSE_SCHUR, GetParam()));
}

TEST_P(LittleMemorySolve, Sparse) {
  ExpectThatEachFailureIsHarmless(
      SolveWith(SPARSE_NORMAL_CHOLESKY, GetParam()));
  ExpectThatEachFailureIsHarmless(SolveWith(SPARSE_SCHUR, GetParam()));
}

TEST_P(LittleMemorySolve, Iterative) {
  ExpectThatEachFailureIsHarmless(SolveWith(CGNR, GetParam()));
  ExpectThatEachFailureIsHarmless(
      SolveWith(ITERATIVE_SCHUR, GetParam(), [](Solver::Options* options) {
        options->preconditioner_type = CLUSTER_JACOBI;
      }));
}

TEST_P(LittleMemorySolve, LineSearch) {
  ExpectThatEachFailureIsHarmless(SolveWith(
      SPARSE_NORMAL_CHOLESKY, GetParam(),
      [](Solver::Options* options) { options->minimizer_type = LINE_SEARCH; }));
}

TEST_P(LittleMemorySolve, InnerIterationsAndStateOfEveryIteration) {
  ExpectThatEachFailureIsHarmless(
      SolveWith(SPARSE_SCHUR, GetParam(), [](Solver::Options* options) {
        options->use_inner_iterations = true;
        options->update_state_every_iteration = true;
      }));
}

// Calls that leave the parameters as they are.
TEST(LittleMemory, Evaluate) {
  ExpectThatEachFailureIsHarmless([](Scene* scene) {
    double cost = 0.0;
    std::vector<double> residuals, gradient;
    CRSMatrix jacobian;
    return scene->problem.Evaluate({}, &cost, &residuals, &gradient, &jacobian);
  });
}

TEST(LittleMemory, CovarianceOfTwoBlocks) {
  ExpectThatEachFailureIsHarmless([](Scene* scene) {
    Covariance covariance({});
    const std::vector<std::pair<const double*, const double*>> blocks = {
        {scene->Camera(0), scene->Camera(3)}};
    // Whether the problem has the rank is another question.
    covariance.Compute(blocks, &scene->problem);
    return true;
  });
}

TEST(LittleMemory, ChangesOfTheProblem) {
  ExpectThatEachFailureIsHarmless([](Scene* scene) {
    std::vector<double>& more = scene->more;
    for (int k = 0; k < 20; ++k) {
      scene->problem.AddParameterBlock(&more[3 * k], 3);
      scene->problem.SetParameterLowerBound(&more[3 * k], 0, -1.0);
    }
    for (int k = 0; k < 20; ++k) {
      scene->problem.RemoveParameterBlock(&more[3 * k]);
    }
    return true;
  });
}

}  // namespace
}  // namespace ceres::internal
