// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves with little memory (little_memory_scene.h): every kind of minimizer,
// linear solver and preconditioner.

#include <vector>

#include "ceres/solver.h"
#include "ceres/solver/whole_solves/little_memory_scene.h"
#include "ceres/types.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

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

TEST_P(LittleMemorySolve, DenseNormalEquationsAndLapack) {
  ExpectThatEachFailureIsHarmless(SolveWith(DENSE_NORMAL_CHOLESKY, GetParam()));
  for (const LinearSolverType type :
       {DENSE_NORMAL_CHOLESKY, DENSE_QR, DENSE_SCHUR}) {
    ExpectThatEachFailureIsHarmless(
        SolveWith(type, GetParam(), [type](Solver::Options* options) {
          options->dense_linear_algebra_library_type = LAPACK;
          if (type == DENSE_QR) return;
          options->use_mixed_precision_solves = true;
          options->max_num_refinement_iterations = 1;
        }));
  }
}

TEST_P(LittleMemorySolve, SparseLibrariesAndDoglegs) {
  for (const auto library : {EIGEN_SPARSE, SUITE_SPARSE}) {
    ExpectThatEachFailureIsHarmless(SolveWith(
        SPARSE_SCHUR, GetParam(), [library](Solver::Options* options) {
          options->sparse_linear_algebra_library_type = library;
        }));
    ExpectThatEachFailureIsHarmless(
        SolveWith(SPARSE_NORMAL_CHOLESKY, GetParam(),
                  [library](Solver::Options* options) {
                    options->sparse_linear_algebra_library_type = library;
                    options->trust_region_strategy_type = DOGLEG;
                    options->dogleg_type = SUBSPACE_DOGLEG;
                    options->use_nonmonotonic_steps = true;
                  }));
  }
}

TEST_P(LittleMemorySolve, DynamicSparsity) {
  ExpectThatEachFailureIsHarmless(SolveWith(
      SPARSE_NORMAL_CHOLESKY, GetParam(), [](Solver::Options* options) {
        options->dynamic_sparsity = true;
        options->trust_region_strategy_type = DOGLEG;
      }));
}

TEST_P(LittleMemorySolve, Preconditioners) {
  for (const PreconditionerType type :
       {IDENTITY, SCHUR_JACOBI, SCHUR_POWER_SERIES_EXPANSION,
        CLUSTER_TRIDIAGONAL}) {
    ExpectThatEachFailureIsHarmless(SolveWith(
        ITERATIVE_SCHUR, GetParam(), [type](Solver::Options* options) {
          options->preconditioner_type = type;
          options->use_spse_initialization = type == SCHUR_JACOBI;
        }));
  }
  ExpectThatEachFailureIsHarmless(
      SolveWith(ITERATIVE_SCHUR, GetParam(), [](Solver::Options* options) {
        options->preconditioner_type = SCHUR_JACOBI;
        options->use_explicit_schur_complement = true;
      }));
}

TEST_P(LittleMemorySolve, SubsetPreconditioner) {
  const int num_threads = GetParam();
  ExpectThatEachFailureIsHarmless([num_threads](Scene* scene) {
    return SolveWith(CGNR, num_threads, [scene](Solver::Options* options) {
      std::vector<ResidualBlockId> all;
      scene->problem.GetResidualBlocks(&all);
      options->preconditioner_type = SUBSET;
      options->residual_blocks_for_subset_preconditioner.insert(
          all.begin(), all.begin() + 20);
    })(scene);
  });
}

TEST_P(LittleMemorySolve, LineSearches) {
  for (const LineSearchDirectionType direction :
       {STEEPEST_DESCENT, NONLINEAR_CONJUGATE_GRADIENT, BFGS, LBFGS}) {
    ExpectThatEachFailureIsHarmless(
        SolveWith(SPARSE_NORMAL_CHOLESKY, GetParam(),
                  [direction](Solver::Options* options) {
                    options->minimizer_type = LINE_SEARCH;
                    options->line_search_direction_type = direction;
                    if (direction == STEEPEST_DESCENT) {
                      options->line_search_type = ARMIJO;
                    }
                  }));
  }
}

TEST_P(LittleMemorySolve, BoundsAndGradientCheck) {
  const int num_threads = GetParam();
  ExpectThatEachFailureIsHarmless([num_threads](Scene* scene) {
    // A check of gradients makes many allocations for each residual block.
    for (int k = 2; k < Scene::kPoints; ++k) {
      if (!scene->problem.HasParameterBlock(scene->Point(k))) continue;
      scene->problem.RemoveParameterBlock(scene->Point(k));
    }
    scene->problem.SetParameterUpperBound(scene->Point(0), 1, 2.0);
    scene->problem.SetParameterLowerBound(scene->Camera(2), 0, -2.0);
    return SolveWith(SPARSE_SCHUR, num_threads, [](Solver::Options* options) {
      options->check_gradients = true;
      options->max_num_iterations = 1;
    })(scene);
  });
}

// The log, and reports.
TEST_P(LittleMemorySolve, Reports) {
  const int num_threads = GetParam();
  ExpectThatEachFailureIsHarmless([num_threads](Scene* scene) {
    Solver::Options options;
    options.num_threads = num_threads;
    options.max_num_iterations = 2;
    Solver::Summary summary;
    Solve(options, &scene->problem, &summary);
    scene->Remember();
    return summary.IsSolutionUsable() && !summary.FullReport().empty() &&
           !summary.BriefReport().empty();
  });
}

TEST_P(LittleMemorySolve, InnerIterationsAndStateOfEveryIteration) {
  ExpectThatEachFailureIsHarmless(
      SolveWith(SPARSE_SCHUR, GetParam(), [](Solver::Options* options) {
        options->use_inner_iterations = true;
        options->max_num_iterations = 1;
        options->update_state_every_iteration = true;
      }));
}

}  // namespace
}  // namespace ceres::internal
