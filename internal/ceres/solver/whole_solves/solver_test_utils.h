// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// For tests: small problems with known minima.

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SOLVER_TEST_UTILS_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SOLVER_TEST_UTILS_H_

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
#include "ceres/execution/context_impl.h"
#include "ceres/manifold.h"
#include "ceres/problem.h"
#include "ceres/rotation.h"
#include "ceres/solver.h"

namespace ceres::internal {

inline Solver::Summary SolveWith(const Solver::Options& options,
                                 Problem* problem) {
  Solver::Summary summary;
  Solve(options, problem, &summary);
  return summary;
}

inline Solver::Options DenseQrOptions() {
  Solver::Options options;
  options.linear_solver_type = DENSE_QR;
  return options;
}

// Tolerances that are tight enough to compare results digit by digit.
inline Solver::Options TightDenseQrOptions() {
  Solver::Options options = DenseQrOptions();
  options.max_num_iterations = 200;
  options.function_tolerance = 1e-16;
  options.gradient_tolerance = 1e-12;
  options.parameter_tolerance = 1e-14;
  return options;
}

// A functor for AutoDiffCostFunction from a function that writes the residuals.
template <typename Write>
struct ResidualWriter {
  template <typename... Arguments>
  bool operator()(Arguments... arguments) const {
    write(arguments...);
    return true;
  }
  Write write;
};

// A cost function from a generic lambda, with the sizes of its residuals and of
// its arguments:
//
//   NewCost<1, 2>([](const auto* x, auto* r) { r[0] = x[0] * x[1]; });
template <int... kSizes, typename Write>
CostFunction* NewCost(Write write) {
  using Functor = ResidualWriter<Write>;
  return new AutoDiffCostFunction<Functor, kSizes...>(
      new Functor{std::move(write)});
}

// One residual: weight (x_0 - target).
template <int kSize = 1>
CostFunction* NewSpring(double target, double weight = 1.0) {
  return NewCost<1, kSize>(
      [=](const auto* x, auto* r) { r[0] = weight * (x[0] - target); });
}

// Rosenbrock's valley as two residuals; the minimum, 0, is at (1, 1).
inline CostFunction* NewRosenbrock() {
  return NewCost<2, 2>([](const auto* x, auto* r) {
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
  });
}

// Rosenbrock's valley from the usual start.
struct Valley {
  explicit Valley(const Problem::Options& options = Problem::Options())
      : problem(options) {
    problem.AddResidualBlock(NewRosenbrock(), nullptr, x);
  }
  bool IsAtStart() const { return x[0] == -1.2 && x[1] == 1.0; }

  double x[2] = {-1.2, 1.0};
  Problem problem;
};

// Adds the four terms of Powell's singular function (1962). x[0] to x[3] are a
// parameter block each. The minimum is 0 at x = 0, where the Jacobian has rank
// 2.
inline void AddPowell(double* x, Problem* problem) {
  const auto add = [&](auto term, int a, int b) {
    problem->AddResidualBlock(NewCost<1, 1, 1>(term), nullptr, x + a, x + b);
  };
  add([](auto* a, auto* b, auto* r) { r[0] = a[0] + 10.0 * b[0]; }, 0, 1);
  add([](auto* a, auto* b, auto* r) { r[0] = std::sqrt(5.0) * (a[0] - b[0]); },
      2, 3);
  add([](auto* a, auto* b,
         auto* r) { r[0] = (a[0] - 2.0 * b[0]) * (a[0] - 2.0 * b[0]); },
      1, 2);
  add([](auto* a, auto* b,
         auto* r) { r[0] = std::sqrt(10.0) * ((a[0] - b[0]) * (a[0] - b[0])); },
      0, 3);
}

// Runs a number of threads, however few CPUs there are, and shares every loop
// between them, even if this does not pay.
struct SharingContext {
  explicit SharingContext(int num_threads) {
    context.thread_pool().SetRunningLimit(num_threads);
    context.thread_pool().SetSharing(parallel::Sharing::kAlways);
    problem_options.context = &context;
  }
  ContextImpl context;
  Problem::Options problem_options;  // with this context
};

// A bundle adjustment with cameras of 6 parameters (angle axis, translation),
// the first camera constant, and points of 3 parameters. Without noise its
// minimum is 0. A camera observes each of its points num_observations_each
// times: large values give many residuals for several threads, and few
// parameters.
class SmallBundle {
 public:
  explicit SmallBundle(int num_cameras = 4, int num_points = 24,
                       double noise = 0.0,
                       Problem::Options options = Problem::Options(),
                       int num_observations_each = 1)
      : cameras(6 * num_cameras),
        points(3 * num_points),
        problem(std::move(options)) {
    MakeScene();
    for (int p = 0; p < num_points; ++p) {
      for (int c = 0; c < num_cameras; ++c) {
        // Most cameras see most points; two always do.
        if (c > 1 && (p + c) % 5 == 0) continue;
        for (int i = 0; i < num_observations_each; ++i) {
          AddObservation(c, p, noise);
        }
      }
    }
    problem.SetParameterBlockConstant(camera(0));
    // Fixes the scale.
    problem.AddResidualBlock(NewSpring(camera(1)[3]), nullptr, &scale_anchor_);
    problem.SetParameterBlockConstant(&scale_anchor_);
    problem.SetManifold(camera(1), new SubsetManifold(6, {3}));
    Perturb();
    start_cameras = cameras;
    start_points = points;
  }

  double* camera(int c) { return &cameras[6 * c]; }
  double* point(int p) { return &points[3 * p]; }
  int num_cameras() const { return static_cast<int>(cameras.size()) / 6; }
  int num_points() const { return static_cast<int>(points.size()) / 3; }

  // The values of all cameras and points.
  std::vector<double> Values() const {
    std::vector<double> values = cameras;
    values.insert(values.end(), points.begin(), points.end());
    return values;
  }
  void Reset() {
    cameras = start_cameras;
    points = start_points;
  }

  // An ordering with the points in group 0 and the cameras in group 1.
  std::shared_ptr<ParameterBlockOrdering> PointsFirst() {
    auto ordering = std::make_shared<ParameterBlockOrdering>();
    for (int p = 0; p < num_points(); ++p) {
      ordering->AddElementToGroup(point(p), 0);
    }
    for (int c = 0; c < num_cameras(); ++c) {
      ordering->AddElementToGroup(camera(c), 1);
    }
    return ordering;
  }

  std::vector<double> cameras;
  std::vector<double> points;
  std::vector<double> start_cameras;
  std::vector<double> start_points;
  Problem problem;

 private:
  // Returns a value in [-1, 1), which is the same on every platform.
  double Draw() { return random_() / 2147483648.0 - 1.0; }

  void MakeScene() {
    for (int c = 0; c < num_cameras(); ++c) {
      double* values = camera(c);
      for (int k = 0; k < 3; ++k) values[k] = 0.2 * Draw();
      values[3] = 0.5 * c;
      values[4] = 0.3 * Draw();
      values[5] = 6.0 + Draw();
    }
    for (double& value : points) value = 1.5 * Draw();
  }

  template <typename T>
  static void Project(const T* camera, const T* point, T* image) {
    T p[3];
    AngleAxisRotatePoint(camera, point, p);
    const T depth = p[2] + camera[5];
    image[0] = (p[0] + camera[3]) / depth;
    image[1] = (p[1] + camera[4]) / depth;
  }

  void AddObservation(int c, int p, double noise) {
    double exact[2];
    Project(camera(c), point(p), exact);
    const double u = exact[0] + noise * Draw();
    const double v = exact[1] + noise * Draw();
    problem.AddResidualBlock(
        NewCost<2, 6, 3>([=](const auto* camera, const auto* point, auto* r) {
          Project(camera, point, r);
          r[0] -= u;
          r[1] -= v;
        }),
        nullptr, camera(c), point(p));
  }

  void Perturb() {
    for (int i = 6; i < static_cast<int>(cameras.size()); ++i) {
      if (i != 9) cameras[i] += 0.02 * Draw();
    }
    for (double& value : points) value += 0.05 * Draw();
  }

  double scale_anchor_ = 0.5;
  std::mt19937 random_{17};
};

// Names the instances of a test whose parameter is a linear solver.
struct NameOfLinearSolver {
  template <typename Info>
  std::string operator()(const Info& info) const {
    return LinearSolverTypeToString(info.param);
  }
};

// Returns whether two arrays have the same bits.
inline bool SameBits(const std::vector<double>& a,
                     const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SOLVER_TEST_UTILS_H_
