// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// SolveGraduated on a generated pose graph: lanes of a grid, with loop closures
// between neighbouring lanes and false ones between random poses.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ceres/graduated/graduated_test_utils.h"
#include "ceres/graduated_solver.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

constexpr double kPi = 3.14159265358979323846;
using Pose = std::array<double, 3>;  // x, y, yaw

// Pose b as seen from pose a.
Pose Relative(const Pose& a, const Pose& b) {
  const double c = std::cos(a[2]), s = std::sin(a[2]);
  const double dx = b[0] - a[0], dy = b[1] - a[1];
  return {c * dx + s * dy, -s * dx + c * dy, b[2] - a[2]};
}

struct GridOptions {
  int num_false = 0;
  unsigned seed = 1;
  // The standard deviation of errors, as a part of the one that is stated. With
  // 0.8, one inlier in 10^5 is beyond the bound.
  double error = 0.8;
};

// A robot drives along 14 lanes of 14 m, one metre from pose to pose and from
// lane to lane. The stated standard deviations are 0.03 m and 0.01 rad.
class Grid {
 public:
  explicit Grid(const GridOptions& options,
                const Problem::Options& problem_options = Problem::Options())
      : problem(problem_options), options_(options), random_(options.seed) {
    std::vector<Pose> truth;
    for (int i = 0; i < kSide * kSide; ++i) {
      const int lane = i / kSide, place = i % kSide;
      const bool is_backwards = lane % 2 == 1;
      truth.push_back({1.0 * (is_backwards ? kSide - 1 - place : place),
                       1.0 * lane, is_backwards ? kPi : 0.0});
    }
    poses.resize(truth.size());
    poses[0] = truth[0];
    for (int i = 0; i + 1 < kSide * kSide; ++i) {
      const Pose step = Measure(truth[i], truth[i + 1]);
      poses[i + 1] = Compose(poses[i], step);
      certain.insert(Add(i, i + 1, step));
    }
    for (int lane = 0; lane + 1 < kSide; ++lane) {
      for (int place = 1; place < kSide; ++place) {
        const int a = lane * kSide + kSide - 1 - place;
        const int b = (lane + 1) * kSide + place;
        connected_.insert({a, b});
        loops.push_back(Add(a, b, Measure(truth[a], truth[b])));
      }
    }
    num_true = static_cast<int>(loops.size());
    for (int i = 0; i < options.num_false;) i += AddFalse(truth) ? 1 : 0;
    problem.SetParameterBlockConstant(poses[0].data());
  }

  GraduatedSummary Solve(GraduatedOptions graduated_options,
                         int num_threads = 1) {
    graduated_options.certain_residual_blocks = certain;
    return SolveGraduatedWith(SparseOptions(num_threads), graduated_options,
                              &problem);
  }

  // All false loops, and nothing else, are outliers.
  void ExpectRejectsTheFalseOnly(const GraduatedSummary& summary) const {
    EXPECT_EQ(summary.termination_type, CONVERGENCE) << summary.message;
    EXPECT_EQ(summary.outliers, std::vector<ResidualBlockId>(
                                    loops.begin() + num_true, loops.end()));
  }

  static constexpr int kSide = 14;
  Problem problem;
  std::vector<Pose> poses;
  std::unordered_set<ResidualBlockId> certain;
  std::vector<ResidualBlockId> loops;  // true ones first
  int num_true = 0;

 private:
  static Pose Compose(const Pose& a, const Pose& step) {
    const double c = std::cos(a[2]), s = std::sin(a[2]);
    return {a[0] + c * step[0] - s * step[1], a[1] + s * step[0] + c * step[1],
            a[2] + step[2]};
  }
  double Uniform(double low, double high) {
    return low + (high - low) * random_() / 4294967296.0;
  }
  // Almost normal, with variance 1: a sum of twelve.
  double Normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += Uniform(0.0, 1.0);
    return sum;
  }
  Pose Measure(const Pose& a, const Pose& b) {
    Pose step = Relative(a, b);
    step[0] += 0.03 * options_.error * Normal();
    step[1] += 0.03 * options_.error * Normal();
    step[2] += 0.01 * options_.error * Normal();
    return step;
  }
  ResidualBlockId Add(int a, int b, const Pose& step) {
    return problem.AddResidualBlock(
        NewCost<3, 3, 3>([step](const auto* p, const auto* q, auto* r) {
          using std::cos, std::floor, std::sin;
          const auto c = cos(p[2]), s = sin(p[2]);
          const auto dx = q[0] - p[0], dy = q[1] - p[1];
          r[0] = (c * dx + s * dy - step[0]) / 0.03;
          r[1] = (c * dy - s * dx - step[1]) / 0.03;
          const auto angle = q[2] - p[2] - step[2];
          r[2] = (angle - 2 * kPi * floor((angle + kPi) / (2 * kPi))) / 0.01;
        }),
        nullptr, poses[a].data(), poses[b].data());
  }
  // False: at least two metres from the truth.
  bool AddFalse(const std::vector<Pose>& truth) {
    const int a = static_cast<int>(Uniform(0.0, truth.size()));
    const int b = static_cast<int>(Uniform(0.0, truth.size()));
    const Pose step = {Uniform(-14.0, 14.0), Uniform(-14.0, 14.0),
                       Uniform(-kPi, kPi)};
    const Pose is = Relative(truth[a], truth[b]);
    if (b < a + 2 || std::hypot(step[0] - is[0], step[1] - is[1]) < 2.0 ||
        !connected_.insert({a, b}).second) {
      return false;
    }
    loops.push_back(Add(a, b, step));
    return true;
  }

  const GridOptions options_;
  std::mt19937 random_;
  std::set<std::pair<int, int>> connected_;
};

// One inlier in 10^5 is beyond the bound.
GraduatedOptions WideBounds() {
  GraduatedOptions options;
  options.inlier_probability = 1.0 - 1e-5;
  return options;
}

GraduatedOptions LimitedFill() {
  GraduatedOptions options = WideBounds();
  options.max_operations_per_factorization = 1e5;
  return options;
}

class GridTest : public testing::TestWithParam<int> {};

TEST_P(GridTest, RejectsFalseLoopsAndKeepsTrueOnes) {
  for (const unsigned seed : {1, 2, 3}) {
    Grid grid({GetParam(), seed});
    const GraduatedSummary summary = grid.Solve(GraduatedOptions());
    grid.ExpectRejectsTheFalseOnly(summary);
    EXPECT_EQ(summary.variance_factor, 1.0) << seed;
  }
}

TEST_P(GridTest, RejectsFalseLoopsWithLittleFill) {
  for (const unsigned seed : {1, 2, 3}) {
    Grid grid({GetParam(), seed});
    const GraduatedSummary summary = grid.Solve(LimitedFill());
    grid.ExpectRejectsTheFalseOnly(summary);
    EXPECT_GT(summary.rounds.front().num_left_out, 0);
    for (const GraduatedSummary::Round& round : summary.rounds) {
      if (round.num_left_out == 0) continue;
      EXPECT_LE(round.num_operations, 6e5);
    }
    EXPECT_EQ(summary.rounds.back().num_left_out, 0);
  }
}

TEST_P(GridTest, FindsThatStandardDeviationsAreTooLarge) {
  for (const unsigned seed : {1, 2, 3}) {
    Grid grid({GetParam(), seed, /*error=*/0.2});
    const GraduatedSummary summary = grid.Solve(WideBounds());
    grid.ExpectRejectsTheFalseOnly(summary);
    EXPECT_NEAR(summary.variance_factor, 0.04, 0.01) << seed;
  }
}

// 169 true loops: 10, 30, 50 % of all loops are false.
INSTANTIATE_TEST_SUITE_P(, GridTest, testing::Values(19, 72, 169));

TEST(SolveGraduatedOnGrid, HasTheSameBitsForEveryNumberOfThreads) {
  std::vector<Pose> reference;
  for (const int num_threads : {1, 2, 4}) {
    SharingContext context(num_threads);
    Grid grid({72, 1, /*error=*/0.2}, context.problem_options);
    const GraduatedSummary summary = grid.Solve(LimitedFill(), num_threads);
    grid.ExpectRejectsTheFalseOnly(summary);
    if (num_threads == 1) reference = grid.poses;
    for (std::size_t i = 0; i < reference.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        ASSERT_EQ(grid.poses[i][k], reference[i][k]) << num_threads << " " << i;
      }
    }
  }
}

TEST(SolveGraduatedOnGrid, GemanMcClureEndsWithAllBlocks) {
  Grid grid({72, 1});
  GraduatedOptions options = LimitedFill();
  options.loss = GraduatedLoss::kGemanMcClure;
  const GraduatedSummary summary = grid.Solve(options);
  grid.ExpectRejectsTheFalseOnly(summary);
  EXPECT_TRUE(
      std::any_of(summary.rounds.begin(), summary.rounds.end(),
                  [](const auto& round) { return round.num_left_out > 0; }));
  EXPECT_EQ(summary.rounds.back().num_left_out, 0);
  EXPECT_EQ(summary.rounds.back().num_zero_weights, 0);
}

TEST(SolveGraduatedOnGrid, LeavesNothingOutWithAnInfiniteLimit) {
  Grid grid({169, 1});
  GraduatedOptions options;
  options.max_operations_per_factorization =
      std::numeric_limits<double>::infinity();
  const GraduatedSummary summary = grid.Solve(options);
  grid.ExpectRejectsTheFalseOnly(summary);
  for (const GraduatedSummary::Round& round : summary.rounds) {
    EXPECT_EQ(round.num_left_out, 0);
    EXPECT_EQ(round.num_operations, 0.0);
  }
}

TEST(SolveGraduatedOnGrid, KeepsTrueLoopsWithoutErrors) {
  Grid grid({72, 1, /*error=*/0.0});
  grid.ExpectRejectsTheFalseOnly(grid.Solve(GraduatedOptions()));
}

TEST(SolveGraduatedOnGrid, KeepsStatedDeviationsOnRequest) {
  Grid grid({19, 1, /*error=*/0.2});
  GraduatedOptions options;
  options.estimate_variance_factor = false;
  EXPECT_EQ(grid.Solve(options).variance_factor, 1.0);
  options = GraduatedOptions();
  options.inlier_cost_bound = 8.0;
  EXPECT_EQ(grid.Solve(options).variance_factor, 1.0);
}

}  // namespace
}  // namespace ceres::internal
