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
#include <utility>
#include <vector>

#include "ceres/autodiff_cost_function.h"
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

// One residual: weight (x - target).
struct Spring {
  template <typename T>
  bool operator()(const T* x, T* residual) const {
    residual[0] = weight * (x[0] - target);
    return true;
  }
  double target = 0.0;
  double weight = 1.0;
};

inline CostFunction* NewSpring(double target, double weight = 1.0) {
  return new AutoDiffCostFunction<Spring, 1, 1>(new Spring{target, weight});
}

// Rosenbrock's valley as two residuals; the minimum, 0, is at (1, 1).
struct Rosenbrock {
  template <typename T>
  bool operator()(const T* x, T* residuals) const {
    residuals[0] = 10.0 * (x[1] - x[0] * x[0]);
    residuals[1] = 1.0 - x[0];
    return true;
  }
};

inline CostFunction* NewRosenbrock() {
  return new AutoDiffCostFunction<Rosenbrock, 2, 2>(new Rosenbrock);
}

// One term of Powell's singular function (1962).
template <int kTerm>
struct PowellTerm {
  template <typename T>
  bool operator()(const T* a, const T* b, T* residual) const {
    if constexpr (kTerm == 1) residual[0] = a[0] + 10.0 * b[0];
    if constexpr (kTerm == 2) residual[0] = std::sqrt(5.0) * (a[0] - b[0]);
    if constexpr (kTerm == 3) residual[0] = Square(a[0] - 2.0 * b[0]);
    if constexpr (kTerm == 4) {
      residual[0] = std::sqrt(10.0) * Square(a[0] - b[0]);
    }
    return true;
  }
  template <typename T>
  static T Square(const T& x) {
    return x * x;
  }
};

template <int kTerm>
void AddPowellTerm(double* a, double* b, Problem* problem) {
  using Term = PowellTerm<kTerm>;
  problem->AddResidualBlock(new AutoDiffCostFunction<Term, 1, 1, 1>(new Term),
                            nullptr, a, b);
}

// Adds the four terms. x[0] to x[3] are a parameter block each. The minimum is
// 0 at x = 0, where the Jacobian has rank 2.
inline void AddPowell(double* x, Problem* problem) {
  AddPowellTerm<1>(x, x + 1, problem);
  AddPowellTerm<2>(x + 2, x + 3, problem);
  AddPowellTerm<3>(x + 1, x + 2, problem);
  AddPowellTerm<4>(x, x + 3, problem);
}

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
  struct Reprojection {
    template <typename T>
    bool operator()(const T* camera, const T* point, T* residuals) const {
      T p[3];
      AngleAxisRotatePoint(camera, point, p);
      const T depth = p[2] + camera[5];
      residuals[0] = (p[0] + camera[3]) / depth - u;
      residuals[1] = (p[1] + camera[4]) / depth - v;
      return true;
    }
    double u;
    double v;
  };

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

  void AddObservation(int c, int p, double noise) {
    double exact[2];
    Reprojection{0.0, 0.0}(camera(c), point(p), exact);
    problem.AddResidualBlock(
        new AutoDiffCostFunction<Reprojection, 2, 6, 3>(new Reprojection{
            exact[0] + noise * Draw(), exact[1] + noise * Draw()}),
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

// Returns whether two arrays have the same bits.
inline bool SameBits(const std::vector<double>& a,
                     const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_SOLVER_TEST_UTILS_H_
