// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Every admissible combination of minimizer, strategy, linear solver,
// preconditioner and back end reaches the same minimum, also with inner
// iterations and bounds. Solver::Options::IsValid says what is admissible.

#include "ceres/solver/whole_solves/solver_combinations.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "ceres/constants.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"
#include "gtest/gtest.h"

namespace ceres::internal {
namespace {

// A problem that can be solved again and again. Its parameter blocks are parts
// of one vector.
class Scene {
 public:
  explicit Scene(std::vector<double> start)
      : start_(std::move(start)), values_(start_) {}
  virtual ~Scene() = default;
  virtual void Reset() { values_ = start_; }
  virtual std::vector<double> Parameters() const { return values_; }
  virtual Problem* problem() { return &problem_; }
  double* values(int i) { return &values_[i]; }

 private:
  const std::vector<double> start_;
  std::vector<double> values_;
  Problem problem_;
};

std::unique_ptr<Scene> NewPowell() {
  auto scene = std::make_unique<Scene>(std::vector<double>{3, -1, 0, 1});
  AddPowell(scene->values(0), scene->problem());
  return scene;
}

// A decay as NIST's Misra1a and Chwirut: y = b1 exp(-b2 x) + b3, with errors.
std::unique_ptr<Scene> NewDecay() {
  auto scene = std::make_unique<Scene>(std::vector<double>{1.0, 1.0, 0.5});
  for (int i = 0; i < 40; ++i) {
    const double x = 0.1 * i;
    const double error = 0.05 * std::sin(7.0 * i);
    const double y = 2.0 * std::exp(-1.5 * x) + 1.0 + error;
    scene->problem()->AddResidualBlock(
        NewCost<1, 3>([=](const auto* b, auto* r) {
          using std::exp;
          r[0] = y - (b[0] * exp(-b[1] * x) + b[2]);
        }),
        nullptr, scene->values(0));
  }
  return scene;
}

constexpr int kNumPoses = 12;
constexpr double kTurn = 2.0 * constants::pi / kNumPoses;

std::vector<double> ExactPose(int k) {
  return {2.0 * std::cos(kTurn * k), 2.0 * std::sin(kTurn * k), kTurn * k};
}

// The position of pose b in the frame of pose a.
template <typename T>
void RelativePosition(const T* a, const T* b, T* position) {
  using std::cos;
  using std::sin;
  const T dx = b[0] - a[0];
  const T dy = b[1] - a[1];
  position[0] = cos(a[2]) * dx + sin(a[2]) * dy;
  position[1] = -sin(a[2]) * dx + cos(a[2]) * dy;
}

void AddOdometry(int a, int b, double error, Scene* scene) {
  double exact[2];
  RelativePosition(ExactPose(a).data(), ExactPose(b).data(), exact);
  const double e = error * std::sin(5.0 * a + b);
  const double x = exact[0] + e;
  const double y = exact[1] - e;
  const double heading = kTurn * ((b - a + kNumPoses) % kNumPoses) + 0.5 * e;
  scene->problem()->AddResidualBlock(
      NewCost<3, 3, 3>([=](const auto* p, const auto* q, auto* r) {
        using std::sin;
        RelativePosition(p, q, r);
        r[0] -= x;
        r[1] -= y;
        // The difference of two angles, without a jump.
        r[2] = 2.0 * sin(0.5 * (q[2] - p[2] - heading));
      }),
      nullptr, scene->values(3 * a), scene->values(3 * b));
}

// Twelve poses (x, y, heading) once around a circle, odometry with errors, and
// a loop closed; the first pose is held.
std::unique_ptr<Scene> NewPoseGraph() {
  std::vector<double> start;
  for (int k = 0; k < kNumPoses; ++k) {
    for (const double value : ExactPose(k)) {
      start.push_back(value + 0.1 * std::sin(3.0 * start.size()));
    }
  }
  auto scene = std::make_unique<Scene>(std::move(start));
  for (int k = 0; k < kNumPoses; ++k) {
    AddOdometry(k, (k + 1) % kNumPoses, 0.02, scene.get());
    if (k % 4 == 0) AddOdometry(k, (k + 3) % kNumPoses, 0.01, scene.get());
  }
  scene->problem()->SetParameterBlockConstant(scene->values(0));
  return scene;
}

// Four cameras and 24 points, with errors.
class Bundle final : public Scene {
 public:
  Bundle() : Scene({}), bundle_(4, 24, 0.01) {}
  void Reset() override { bundle_.Reset(); }
  std::vector<double> Parameters() const override { return bundle_.Values(); }
  Problem* problem() override { return &bundle_.problem; }

 private:
  SmallBundle bundle_;
};

struct NamedScene {
  const char* name;
  std::function<std::unique_ptr<Scene>()> create;
};

class CombinationsTest : public testing::TestWithParam<NamedScene> {
 protected:
  CombinationsTest() {
    NameSubset(*scene_->problem(), &base_);
    minimum_ = SolveWith(TightDenseQrOptions(), scene_->problem()).final_cost;
    minimizer_ = scene_->Parameters();
  }

  // The part that is missing of the largest possible decrease of the cost.
  double Shortfall(const Solver::Options& options) {
    scene_->Reset();
    const Solver::Summary summary = SolveWith(options, scene_->problem());
    EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
    return (summary.final_cost - minimum_) / (summary.initial_cost - minimum_);
  }

  double Distance() const {
    const std::vector<double> found = scene_->Parameters();
    double distance = 0.0;
    for (size_t i = 0; i < found.size(); ++i) {
      distance = std::max(distance, std::abs(found[i] - minimizer_[i]));
    }
    return distance;
  }

  void ExpectMinimum(const std::vector<Solver::Options>& combinations) {
    std::set<LinearSolverType> solvers;
    for (const Solver::Options& options : combinations) {
      SCOPED_TRACE(Describe(options));
      solvers.insert(options.linear_solver_type);
      // Inexact steps end when they decrease the cost little.
      const double allowed = IsIterative(options) ? 1e-9 : 1e-10;
      EXPECT_LT(std::abs(Shortfall(options)), allowed);
      EXPECT_LT(Distance(), 1e-3);
    }
    EXPECT_EQ(solvers.size(), 7u) << "every linear solver";
  }

  Solver::Options base_ = OptionsToCompare();
  std::unique_ptr<Scene> scene_ = GetParam().create();
  double minimum_ = 0.0;
  std::vector<double> minimizer_;
};

INSTANTIATE_TEST_SUITE_P(Scenes, CombinationsTest,
                         testing::Values(NamedScene{"Powell", NewPowell},
                                         NamedScene{"Decay", NewDecay},
                                         NamedScene{"PoseGraph", NewPoseGraph},
                                         NamedScene{"Bundle",
                                                    std::make_unique<Bundle>}),
                         [](const auto& info) { return info.param.name; });

TEST_P(CombinationsTest, TrustRegionsReachTheMinimum) {
  ExpectMinimum(TrustRegionCombinations(base_));
}

TEST_P(CombinationsTest, InnerIterationsReachTheMinimum) {
  base_.use_inner_iterations = true;
  ExpectMinimum(SolversAndStrategies(base_).Valid());
}

TEST_P(CombinationsTest, LineSearchesReachTheMinimum) {
  base_.max_num_iterations = 3000;
  std::set<LineSearchDirectionType> directions;
  for (const bool scaled : {false, true}) {
    base_.use_approximate_eigenvalue_bfgs_scaling = scaled;
    for (const Solver::Options& options : LineSearchCombinations(base_)) {
      SCOPED_TRACE(Describe(options));
      directions.insert(options.line_search_direction_type);
      const bool is_quasi_newton = options.line_search_direction_type == BFGS ||
                                   options.line_search_direction_type == LBFGS;
      if (scaled && !is_quasi_newton) continue;
      // The other directions are slow if the Hessian is ill-conditioned. No
      // number of iterations that a test has time for makes up for it.
      EXPECT_LT(std::abs(Shortfall(options)), is_quasi_newton ? 1e-9 : 1e-2);
    }
  }
  EXPECT_EQ(directions.size(), 4u) << "every direction";
}

// The minimum of Rosenbrock's function with x_0 <= 1/2 is at (1/2, 1/4), with
// x_1 <= 1/4 as well; f = 1/4.
TEST(BoundedCombinations, StopAtTheRightBound) {
  Solver::Options base = OptionsToCompare();
  base.eta = 1e-6;
  for (const bool inner : {false, true}) {
    base.use_inner_iterations = inner;
    for (const Solver::Options& options : SolversAndStrategies(base).Valid()) {
      SCOPED_TRACE(Describe(options));
      Valley valley;
      valley.problem.SetParameterUpperBound(valley.x, 0, 0.5);
      const Solver::Summary summary = SolveWith(options, &valley.problem);
      EXPECT_TRUE(summary.IsSolutionUsable()) << summary.FullReport();
      EXPECT_NEAR(valley.x[0], 0.5, 1e-6);
      EXPECT_NEAR(valley.x[1], 0.25, 1e-6);
      EXPECT_NEAR(summary.final_cost, 0.125, 1e-8);
    }
  }
}

}  // namespace
}  // namespace ceres::internal
