// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Every admissible combination of minimizer, strategy, linear solver,
// preconditioner and back end reaches the same minimum. What is admissible,
// Solver::Options::IsValid says.

#include "ceres/solver/whole_solves/solver_combinations.h"

#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A problem that can be solved again and again.
class Scene {
 public:
  virtual ~Scene() = default;
  virtual void Reset() = 0;
  virtual std::vector<double> Parameters() const = 0;
  virtual Problem* problem() = 0;
};

// One whose parameter blocks are pieces of one vector.
class VectorScene : public Scene {
 public:
  void Reset() override { values_ = start_; }
  std::vector<double> Parameters() const override { return values_; }
  Problem* problem() override { return &problem_; }

 protected:
  explicit VectorScene(std::vector<double> start)
      : start_(std::move(start)), values_(start_) {}

  const std::vector<double> start_;
  std::vector<double> values_;
  Problem problem_;
};

class Powell final : public VectorScene {
 public:
  Powell() : VectorScene({3.0, -1.0, 0.0, 1.0}) {
    AddPowell(values_.data(), &problem_);
  }
};

// A decay as NIST's Misra1a and Chwirut: y = b1 exp(-b2 x) + b3, with errors.
class Decay final : public VectorScene {
 public:
  Decay() : VectorScene({1.0, 1.0, 0.5}) {
    for (int i = 0; i < 40; ++i) {
      const double x = 0.1 * i;
      const double error = 0.05 * std::sin(7.0 * i);
      problem_.AddResidualBlock(
          new AutoDiffCostFunction<Sample, 1, 3>(
              new Sample{x, 2.0 * std::exp(-1.5 * x) + 1.0 + error}),
          nullptr, values_.data());
    }
  }

 private:
  struct Sample {
    template <typename T>
    bool operator()(const T* b, T* residual) const {
      using std::exp;
      residual[0] = y - (b[0] * exp(-b[1] * x) + b[2]);
      return true;
    }
    double x;
    double y;
  };
};

// Twelve poses (x, y, heading) once around a circle, odometry with errors, and
// a loop closed; the first pose is held.
class PoseGraph final : public VectorScene {
 public:
  PoseGraph() : VectorScene(StartPoses()) {
    for (int k = 0; k < kNumPoses; ++k) {
      Add(k, (k + 1) % kNumPoses, 0.02);
      if (k % 4 == 0) Add(k, (k + 3) % kNumPoses, 0.01);
    }
    problem_.SetParameterBlockConstant(values_.data());
  }

 private:
  static constexpr int kNumPoses = 12;
  static constexpr double kTurn = 2.0 * M_PI / kNumPoses;

  static std::vector<double> ExactPose(int k) {
    return {2.0 * std::cos(kTurn * k), 2.0 * std::sin(kTurn * k), kTurn * k};
  }
  static std::vector<double> StartPoses() {
    std::vector<double> poses;
    for (int k = 0; k < kNumPoses; ++k) {
      for (const double value : ExactPose(k)) {
        poses.push_back(value + 0.1 * std::sin(3.0 * poses.size()));
      }
    }
    return poses;
  }

  // The pose of b seen from a.
  struct Relative {
    template <typename T>
    bool operator()(const T* a, const T* b, T* residuals) const {
      using std::cos;
      using std::sin;
      const T dx = b[0] - a[0];
      const T dy = b[1] - a[1];
      residuals[0] = cos(a[2]) * dx + sin(a[2]) * dy - x;
      residuals[1] = -sin(a[2]) * dx + cos(a[2]) * dy - y;
      // Of the difference of two angles, without a jump.
      residuals[2] = 2.0 * sin(0.5 * (b[2] - a[2] - heading));
      return true;
    }
    double x = 0.0;
    double y = 0.0;
    double heading = 0.0;
  };

  void Add(int a, int b, double error) {
    double exact[3];
    Relative{}(ExactPose(a).data(), ExactPose(b).data(), exact);
    const double e = error * std::sin(5.0 * a + b);
    problem_.AddResidualBlock(
        new AutoDiffCostFunction<Relative, 3, 3, 3>(
            new Relative{exact[0] + e, exact[1] - e,
                         kTurn * ((b - a + kNumPoses) % kNumPoses) + 0.5 * e}),
        nullptr, &values_[3 * a], &values_[3 * b]);
  }
};

// Four cameras and 24 points, with errors.
class Bundle final : public Scene {
 public:
  Bundle() : bundle_(4, 24, 0.01) {}
  void Reset() override { bundle_.Reset(); }
  std::vector<double> Parameters() const override {
    std::vector<double> all = bundle_.cameras;
    all.insert(all.end(), bundle_.points.begin(), bundle_.points.end());
    return all;
  }
  Problem* problem() override { return &bundle_.problem; }

 private:
  SmallBundle bundle_;
};

template <typename T>
class CombinationsTest : public testing::Test {
 protected:
  CombinationsTest() {
    NameSubset(*scene_.problem(), &base_);
    minimum_ = SolveWith(TightDenseQrOptions(), scene_.problem()).final_cost;
    minimizer_ = scene_.Parameters();
  }

  // Part of what can be gained that was not.
  double Shortfall(const Solver::Options& options) {
    scene_.Reset();
    const Solver::Summary summary = SolveWith(options, scene_.problem());
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    return (summary.final_cost - minimum_) / (summary.initial_cost - minimum_);
  }

  double Distance() const {
    const std::vector<double> found = scene_.Parameters();
    double distance = 0.0;
    for (size_t i = 0; i < found.size(); ++i) {
      distance = std::max(distance, std::abs(found[i] - minimizer_[i]));
    }
    return distance;
  }

  Solver::Options base_ = OptionsToCompare();
  T scene_;
  double minimum_ = 0.0;
  std::vector<double> minimizer_;
};

using Scenes = testing::Types<Powell, Decay, PoseGraph, Bundle>;

class SceneName {
 public:
  template <typename T>
  static std::string GetName(int) {
    return std::is_same_v<T, Powell>      ? "Powell"
           : std::is_same_v<T, Decay>     ? "Decay"
           : std::is_same_v<T, PoseGraph> ? "PoseGraph"
                                          : "Bundle";
  }
};

TYPED_TEST_SUITE(CombinationsTest, Scenes, SceneName);

TYPED_TEST(CombinationsTest, TrustRegionsReachTheMinimum) {
  std::set<LinearSolverType> solvers;
  for (const Solver::Options& options : TrustRegionCombinations(this->base_)) {
    SCOPED_TRACE(Describe(options));
    solvers.insert(options.linear_solver_type);
    // Inexact steps end where they find no more decrease to speak of.
    const double allowed = IsIterative(options) ? 1e-9 : 1e-10;
    EXPECT_LT(std::abs(this->Shortfall(options)), allowed);
    EXPECT_LT(this->Distance(), 1e-3);
  }
  EXPECT_EQ(solvers.size(), 7u) << "every linear solver";
}

TYPED_TEST(CombinationsTest, LineSearchesReachTheMinimum) {
  this->base_.max_num_iterations = 3000;
  std::set<LineSearchDirectionType> directions;
  for (const Solver::Options& options : LineSearchCombinations(this->base_)) {
    SCOPED_TRACE(Describe(options));
    directions.insert(options.line_search_direction_type);
    const bool is_quasi_newton = options.line_search_direction_type == BFGS ||
                                 options.line_search_direction_type == LBFGS;
    // The others are slow where the Hessian is ill-conditioned, which no
    // number of iterations that a test has time for makes up for.
    EXPECT_LT(std::abs(this->Shortfall(options)),
              is_quasi_newton ? 1e-9 : 1e-2);
  }
  EXPECT_EQ(directions.size(), 4u) << "every direction";
}

}  // namespace
}  // namespace ceres::internal
