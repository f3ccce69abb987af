// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Calls with little memory (little_memory_scene.h) that are not a plain solve.

#include <memory>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/autodiff_first_order_function.h"
#include "ceres/covariance.h"
#include "ceres/gradient_problem.h"
#include "ceres/gradient_problem_solver.h"
#include "ceres/incremental_solver.h"
#include "ceres/problem.h"
#include "ceres/solve_many.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/little_memory_scene.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

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

TEST(LittleMemory, CovarianceOfEachKind) {
  for (const CovarianceAlgorithmType type : {DENSE_SVD, SPARSE_QR}) {
    for (const int num_threads : {1, 2}) {
      ExpectThatEachFailureIsHarmless([&](Scene* scene) {
        Covariance::Options options;
        options.algorithm_type = type;
        options.num_threads = num_threads;
        options.null_space_rank = type == DENSE_SVD ? -1 : 0;
        Covariance covariance(options);
        const std::vector<const double*> blocks = {
            scene->Camera(0), scene->Camera(1), scene->Point(2)};
        // Whether the problem has the rank is another question.
        if (!covariance.Compute(blocks, &scene->problem)) return true;
        std::vector<double> matrix(81);
        return covariance.GetCovarianceMatrix(blocks, matrix.data()) &&
               covariance.GetCovarianceBlock(blocks[0], blocks[2],
                                             matrix.data());
      });
    }
  }
}

struct Valley {
  template <typename T>
  bool operator()(const T* x, T* cost) const {
    const T t = x[1] - x[0] * x[0];
    cost[0] = (1.0 - x[0]) * (1.0 - x[0]) + 100.0 * t * t;
    return true;
  }
};

TEST(LittleMemory, GradientProblem) {
  for (const LineSearchDirectionType direction :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, BFGS, LBFGS}) {
    ExpectThatEachFailureIsHarmless([direction](Scene* scene) {
      const GradientProblem problem(
          std::make_unique<AutoDiffFirstOrderFunction<Valley, 2>>(
              std::make_unique<Valley>()));
      GradientProblemSolver::Options options;
      options.line_search_direction_type = direction;
      options.max_num_iterations = 5;
      options.logging_type = SILENT;
      GradientProblemSolver::Summary summary;
      Solve(options, problem, scene->cameras.data(), &summary);
      return summary.IsSolutionUsable();
    });
  }
}

// Prepares, uses what was kept, extends it, and frees it.
TEST(LittleMemory, KeptPreprocessing) {
  for (const LinearSolverType type :
       {SPARSE_NORMAL_CHOLESKY, SPARSE_SCHUR, DENSE_SCHUR, ITERATIVE_SCHUR}) {
    ExpectThatEachFailureIsHarmless([type](Scene* scene) {
      for (; scene->num_steps < 4; ++scene->num_steps) {
        if (scene->num_steps == 2) {
          scene->problem.SetParameterBlockConstant(scene->Camera(3));
        }
        const bool solved = SolveWith(type, 1, [](Solver::Options* options) {
          options->keep_preprocessing = true;
          options->max_num_iterations = 1;
        })(scene);
        if (!solved) return false;
        scene->Remember();
      }
      return true;
    });
  }
}

// Adds cameras to the chain.
void AddLinks(Scene* scene, int count) {
  for (; scene->num_added < count; ++scene->num_added) {
    double* const last = scene->num_added == 0
                             ? scene->Camera(Scene::kCameras - 1)
                             : &scene->more[3 * (scene->num_added - 1)];
    double* const next = &scene->more[3 * scene->num_added];
    auto cost = std::make_unique<AutoDiffCostFunction<Link, 3, 3, 3>>(
        std::make_unique<Link>());
    scene->problem.AddResidualBlock(cost.get(), nullptr, last, next);
    cost.release();
  }
}

TEST(LittleMemory, IncrementalSolver) {
  for (const int num_threads : {1, 2}) {
    ExpectThatEachFailureIsHarmless([num_threads](Scene* scene) {
      if (!scene->state) {
        IncrementalSolver::Options options;
        options.num_threads = num_threads;
        scene->state =
            std::make_shared<IncrementalSolver>(options, &scene->problem);
      }
      auto* const solver = static_cast<IncrementalSolver*>(scene->state.get());
      for (; scene->num_steps < 4; ++scene->num_steps) {
        AddLinks(scene, 2 * scene->num_steps);
        IncrementalSolver::Summary summary;
        solver->Update(&summary);
        if (summary.termination_type == FAILURE) return false;
        scene->Remember();
      }
      return true;
    });
  }
}

TEST(LittleMemory, CompareWithBatch) {
  ExpectThatEachFailureIsHarmless([](Scene* scene) {
    IncrementalSolver solver({}, &scene->problem);
    IncrementalSolver::Summary summary;
    solver.Update(&summary);
    scene->Remember();
    IncrementalSolver::Comparison comparison;
    Solver::Options options;
    options.max_num_iterations = 2;
    options.logging_type = SILENT;
    solver.CompareWithBatch(options, &comparison);
    return summary.termination_type != FAILURE;
  });
}

TEST(LittleMemory, SolveMany) {
  ExpectThatEachFailureIsHarmless([](Scene* scene) {
    if (!scene->state) {
      auto problems = std::make_shared<std::vector<Problem>>(3);
      for (std::size_t k = 0; k < 3; ++k) {
        auto cost = std::make_unique<AutoDiffCostFunction<Link, 3, 3, 3>>(
            std::make_unique<Link>());
        (*problems)[k].AddResidualBlock(
            cost.get(), nullptr, &scene->more[6 * k], &scene->more[6 * k + 3]);
        cost.release();
      }
      scene->state = problems;
    }
    auto& problems = *static_cast<std::vector<Problem>*>(scene->state.get());
    Solver::Options options;
    options.logging_type = SILENT;
    options.num_threads = 2;
    options.max_num_iterations = 2;
    options.linear_solver_type = DENSE_QR;
    std::vector<Solver::Summary> summaries;
    SolveMany(options, {&problems[0], &problems[1], &problems[2]}, &summaries);
    return summaries[0].IsSolutionUsable() && summaries[1].IsSolutionUsable() &&
           summaries[2].IsSolutionUsable();
  });
}

}  // namespace
}  // namespace ceres::internal
