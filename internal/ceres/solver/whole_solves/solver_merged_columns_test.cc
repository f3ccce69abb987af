// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Solves in which parameter blocks become one column block of the Jacobian.

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/evaluation/evaluation_test_utils.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

// Cameras of nine coordinates in three blocks, one of them on a manifold.
class SplitCameras {
 public:
  static constexpr int kNumCameras = 5;
  static constexpr int kNumPoints = 40;

  SplitCameras() {
    for (int c = 0; c < kNumCameras; ++c) {
      positions_[c] = {0.1 * c, -0.2, 0.3};
      rotations_[c] = {0.8, 0.0, 0.6, 0.0};
      lenses_[c] = {0.2, 0.1, -0.1 * c};
      problem_.AddParameterBlock(positions_[c].data(), 3);
      problem_.AddParameterBlock(rotations_[c].data(), 4,
                                 new QuaternionManifold);
      problem_.AddParameterBlock(lenses_[c].data(), 3);
    }
    int seed = 0;
    for (int p = 0; p < kNumPoints; ++p) {
      points_[p] = {0.01 * p, 0.5, -0.02 * p};
      for (int c = p % 2; c < kNumCameras; ++c, ++seed) {
        problem_.AddResidualBlock(new SineCost(2, {3, 4, 3, 3}, seed),
                                  seed % 3 == 0 ? new CauchyLoss(1.0) : nullptr,
                                  positions_[c].data(), rotations_[c].data(),
                                  lenses_[c].data(), points_[p].data());
      }
    }
  }

  // Points first; then cameras, their lenses in a group of their own if
  // `lens_group` is another one.
  std::shared_ptr<ParameterBlockOrdering> Ordering(int lens_group) {
    auto ordering = std::make_shared<ParameterBlockOrdering>();
    for (auto& point : points_) {
      ordering->AddElementToGroup(point.data(), 0);
    }
    for (int c = 0; c < kNumCameras; ++c) {
      ordering->AddElementToGroup(positions_[c].data(), 1);
      ordering->AddElementToGroup(rotations_[c].data(), 1);
      ordering->AddElementToGroup(lenses_[c].data(), lens_group);
    }
    return ordering;
  }

  Problem& problem() { return problem_; }

  std::vector<double> Solution() const {
    std::vector<double> all;
    const auto append = [&all](const auto& blocks) {
      for (const auto& block : blocks) {
        all.insert(all.end(), block.begin(), block.end());
      }
    };
    append(positions_);
    append(rotations_);
    append(lenses_);
    append(points_);
    return all;
  }

 private:
  std::array<std::array<double, 3>, kNumCameras> positions_;
  std::array<std::array<double, 4>, kNumCameras> rotations_;
  std::array<std::array<double, 3>, kNumCameras> lenses_;
  std::array<std::array<double, 3>, kNumPoints> points_;
  Problem problem_;
};

Solver::Options FewSteps(LinearSolverType type) {
  Solver::Options options;
  options.linear_solver_type = type;
  options.max_num_iterations = 6;
  options.logging_type = SILENT;
  return options;
}

std::vector<double> SolveBy(const Solver::Options& options,
                            SplitCameras* cameras, Solver::Summary* summary) {
  *summary = SolveWith(options, &cameras->problem());
  EXPECT_TRUE(summary->IsSolutionUsable()) << summary->message;
  EXPECT_EQ(summary->linear_solver_type_used, options.linear_solver_type);
  return cameras->Solution();
}

TEST(SolverMergedColumns, StepsAreThoseOfASolverThatJoinsNothing) {
  SplitCameras apart;
  Solver::Summary summary;
  const std::vector<double> expected =
      SolveBy(FewSteps(DENSE_QR), &apart, &summary);
  EXPECT_GT(summary.num_successful_steps, 3);
  for (const LinearSolverType type :
       {DENSE_NORMAL_CHOLESKY, SPARSE_NORMAL_CHOLESKY, DENSE_SCHUR,
        SPARSE_SCHUR}) {
    for (const int lens_group : {1, 2}) {
      SCOPED_TRACE(std::string(LinearSolverTypeToString(type)) +
                   ", lenses in " + std::to_string(lens_group));
      SplitCameras merged;
      Solver::Options options = FewSteps(type);
      options.linear_solver_ordering = merged.Ordering(lens_group);
      EXPECT_THAT(SolveBy(options, &merged, &summary),
                  Pointwise(DoubleNear(1e-8), expected));
    }
  }
}

TEST(SolverMergedColumns, CamerasInPartsGetTheKernelsOfWholeOnes) {
  // Lenses that the user puts into a group of their own stay apart: 6 and 3.
  for (const auto& [lens_group, structure] :
       {std::pair(1, "2,3,9"), std::pair(2, "2,3,d")}) {
    SplitCameras cameras;
    Solver::Options options = FewSteps(SPARSE_SCHUR);
    options.linear_solver_ordering = cameras.Ordering(lens_group);
    Solver::Summary summary;
    SolveBy(options, &cameras, &summary);
    EXPECT_EQ(summary.schur_structure_used, structure);
  }
}

// A preconditioner with the diagonal block of a whole camera takes fewer
// iterations than one with the blocks of its parts.
TEST(SolverMergedColumns, PreconditionersHaveTheBlocksOfWholeCameras) {
  for (const PreconditionerType preconditioner : {JACOBI, SCHUR_JACOBI}) {
    int num_iterations[2] = {};
    for (const int lens_group : {1, 2}) {
      SplitCameras cameras;
      Solver::Options options = FewSteps(ITERATIVE_SCHUR);
      options.preconditioner_type = preconditioner;
      options.eta = 1e-6;
      options.linear_solver_ordering = cameras.Ordering(lens_group);
      Solver::Summary summary;
      SolveBy(options, &cameras, &summary);
      EXPECT_EQ(summary.schur_structure_used,
                lens_group == 1 ? "2,3,9" : "2,3,d");
      for (const IterationSummary& iteration : summary.iterations) {
        num_iterations[lens_group - 1] += iteration.linear_solver_iterations;
      }
    }
    EXPECT_LT(num_iterations[0], num_iterations[1]);
  }
}

// One residual block of many tiny parameter blocks, of which one is eliminated,
// and others of two of them, which separates these two from their neighbours.
class TinyBlocks {
 public:
  TinyBlocks(int num_blocks, int size, int num_residuals)
      : x_(num_blocks, std::vector<double>(size, 0.1)) {
    std::vector<double*> all;
    for (std::vector<double>& block : x_) all.push_back(block.data());
    const std::vector<int> sizes(num_blocks, size);
    for (const int seed : {1, 2}) {
      problem_.AddResidualBlock(new SineCost(num_residuals, sizes, seed),
                                nullptr, all);
    }
    problem_.AddResidualBlock(new SineCost(2, {size, size}, 3), nullptr, all[5],
                              all[9]);
  }

  std::vector<double> SolveBy(LinearSolverType type) {
    Solver::Options options = FewSteps(type);
    options.eta = 1e-12;
    options.max_linear_solver_iterations = 1000;
    // Few residuals: without damping, the steps would not be determined.
    options.initial_trust_region_radius = options.max_trust_region_radius = 1.0;
    const Solver::Summary summary = SolveWith(options, &problem_);
    EXPECT_EQ(summary.linear_solver_type_used, type);
    EXPECT_GT(summary.num_successful_steps, 3);
    std::vector<double> solution;
    for (const std::vector<double>& block : x_) {
      solution.insert(solution.end(), block.begin(), block.end());
    }
    return solution;
  }

 private:
  std::vector<std::vector<double>> x_;
  Problem problem_;
};

TEST(SolverMergedColumns, ManyTinyBlocksTakeTheStepsOfADenseSolver) {
  for (const int size : {1, 2, 3}) {
    for (const int num_residuals : {1, 5}) {
      TinyBlocks dense(40, size, num_residuals);
      TinyBlocks iterative(40, size, num_residuals);
      EXPECT_THAT(iterative.SolveBy(ITERATIVE_SCHUR),
                  Pointwise(DoubleNear(1e-5), dense.SolveBy(DENSE_QR)));
    }
  }
}

TEST(SolverMergedColumns, KeptPreprocessingKeepsThem) {
  SplitCameras once;
  SplitCameras twice;
  Solver::Options options = FewSteps(SPARSE_NORMAL_CHOLESKY);
  Solver::Summary summary;
  SolveBy(options, &once, &summary);
  const std::vector<double> expected = SolveBy(options, &once, &summary);
  options.keep_preprocessing = true;
  SolveBy(options, &twice, &summary);
  const std::vector<double> again = SolveBy(options, &twice, &summary);
  EXPECT_TRUE(summary.preprocessing_was_kept);
  EXPECT_EQ(again, expected);
}

}  // namespace
}  // namespace ceres::internal
