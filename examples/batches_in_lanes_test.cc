// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// Whole solves of residual batches that compute in SIMD lanes: the same bits
// whatever the number of threads, with every number and change of rows.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_batch.h"
#include "ceres/ceres.h"
#include "ceres/execution/context_impl.h"
#include "ceres/factors/factor_batches.h"
#include "ceres/solve_many.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ceres::examples {
namespace {

using testing::HasSubstr;

class BatchesInLanes : public testing::Test {
 protected:
  BatchesInLanes() {
    context_.thread_pool().SetRunningLimit(8);
    context_.thread_pool().SetSharing(parallel::Sharing::kAlways);
    problem_options_.context = &context_;
    options_.max_num_iterations = 4;
    options_.logging_type = SILENT;
    options_.linear_solver_type = DENSE_SCHUR;
  }
  static Solver::Summary SolveIt(const Solver::Options& options,
                                 Problem* problem) {
    Solver::Summary summary;
    Solve(options, problem, &summary);
    return summary;
  }

  internal::ContextImpl context_;
  Problem::Options problem_options_;
  Solver::Options options_;
};

// A small bundle adjustment with batches that compute in lanes, with rows that
// are off, weighted and removed, and empty batches.
struct LaneBundle {
  explicit LaneBundle(int num_rows, Problem::Options options = {})
      : problem(options) {
    for (int i = 0; i < kCameras; ++i) {
      cameras.insert(cameras.end(), {0.01 * i, -0.02 * i, 0.1, 0.1 * i, 0.2,
                                     -5.0, 500.0, 0.01, 0.001});
    }
    for (int i = 0; i < kPoints; ++i) {
      for (int k = 0; k < 3; ++k) {
        points.push_back(0.1 * ((7 * i + 5 * k) % 11) - 0.5);
      }
    }
    for (int i = 0; i < num_rows; ++i) {
      camera_of.push_back(i % kCameras);
      point_of.push_back((i / kCameras) % kPoints);
      factors::SnavelyReprojection()(&cameras[9 * camera_of[i]],
                                     &points[3 * point_of[i]], Zeros(),
                                     AddPixel());
      pixels[2 * i] += 0.3 * ((13 * i) % 7 - 3.0);
      weights.push_back(1.0 + 0.1 * (i % 4));
    }
    for (double& x : points) x += 0.02;
    const ParameterArray all_cameras =
        problem.AddParameterArray(cameras.data(), kCameras, 9);
    const ParameterArray all_points =
        problem.AddParameterArray(points.data(), kPoints, 3);
    const BatchColumns columns(pixels.data(), num_rows, 2);
    snavely = problem.AddResidualBatch(
        std::make_unique<factors::SnavelyBatch>(columns), new HuberLoss(2.0),
        {{all_cameras, camera_of}, {all_points, point_of}});
    using Traced = AutoDiffBatch<factors::SnavelyReprojection, 2, 9, 3>;
    traced = problem.AddResidualBatch(
        std::make_unique<Traced>(columns), nullptr,
        {{all_cameras, camera_of}, {all_points, point_of}});
    problem.AddResidualBatch(
        std::make_unique<Traced>(BatchColumns(pixels.data(), 0, 2)),
        new HuberLoss(1.0), {cameras.data(), points.data()});
  }

  static const double* Zeros() {
    static constexpr double kZeros[2] = {};
    return kZeros;
  }
  double* AddPixel() {
    pixels.resize(pixels.size() + 2);
    return &pixels[pixels.size() - 2];
  }
  void Change() {
    problem.SetResidualBatchWeights(snavely, weights.data());
    const auto num_rows = static_cast<std::int64_t>(weights.size());
    for (std::int64_t i = 1; i < num_rows; i += 17) {
      problem.SetRowActive(traced, i, false);
    }
    for (std::int64_t i = 2; i < num_rows; i += 23) {
      problem.RemoveResidualBlock(problem.GetResidualBlockForRow(snavely, i));
    }
  }
  std::vector<double> Values() const {
    std::vector<double> all = cameras;
    all.insert(all.end(), points.begin(), points.end());
    return all;
  }

  static constexpr int kCameras = 6;
  static constexpr int kPoints = 60;
  std::vector<double> cameras, points, pixels, weights;
  std::vector<std::int32_t> camera_of, point_of;
  Problem problem;
  ResidualBatchId snavely = nullptr, traced = nullptr;
};

TEST_F(BatchesInLanes, HaveTheSameBitsForEveryNumberOfThreads) {
  // One row, part of a block of lanes, a block and one row, and many.
  for (const int num_rows : {0, 1, 7, 65, 360, 2000}) {
    for (const bool is_changed : {false, true}) {
      std::vector<double> expected;
      for (const int num_threads : {1, 2, 4, 8}) {
        LaneBundle bundle(num_rows, problem_options_);
        if (is_changed) bundle.Change();
        options_.num_threads = num_threads;
        const Solver::Summary summary = SolveIt(options_, &bundle.problem);
        EXPECT_TRUE(summary.IsSolutionUsable()) << summary.message;
        std::vector<double> values = bundle.Values();
        values.push_back(summary.final_cost);
        if (expected.empty()) expected = values;
        EXPECT_EQ(values, expected)
            << num_rows << " rows, " << num_threads << " threads";
      }
    }
  }
}

TEST_F(BatchesInLanes, NameTheRowWhoseDataAreNotNumbers) {
  for (const int bad : {0, 63, 64, 300}) {
    LaneBundle bundle(360, problem_options_);
    bundle.pixels[2 * bad + 1] = std::numeric_limits<double>::quiet_NaN();
    const Solver::Summary summary = SolveIt(options_, &bundle.problem);
    EXPECT_EQ(summary.termination_type, FAILURE);
    EXPECT_THAT(summary.message, HasSubstr("row " + std::to_string(bad) +
                                           " of residual batch 0"));
    // A row that is off is not evaluated.
    for (const ResidualBatchId batch : {bundle.snavely, bundle.traced}) {
      bundle.problem.SetRowActive(batch, bad, false);
    }
    EXPECT_TRUE(SolveIt(options_, &bundle.problem).IsSolutionUsable());
  }
}

TEST_F(BatchesInLanes, SolveManyHasTheBitsOfSingleSolves) {
  constexpr int kProblems = 12;
  std::vector<std::unique_ptr<LaneBundle>> many, single;
  std::vector<Problem*> problems;
  for (int i = 0; i < kProblems; ++i) {
    many.push_back(std::make_unique<LaneBundle>(30 * i));
    single.push_back(std::make_unique<LaneBundle>(30 * i));
    many.back()->Change();
    single.back()->Change();
    problems.push_back(&many.back()->problem);
  }
  options_.num_threads = 4;
  std::vector<Solver::Summary> summaries;
  SolveMany(options_, problems, &summaries);
  options_.num_threads = 1;
  for (int i = 0; i < kProblems; ++i) {
    const Solver::Summary summary = SolveIt(options_, &single[i]->problem);
    EXPECT_EQ(summary.final_cost, summaries[i].final_cost);
    EXPECT_EQ(many[i]->Values(), single[i]->Values());
  }
}

}  // namespace
}  // namespace ceres::examples
