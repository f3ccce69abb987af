// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Powell's singular function (M. J. D. Powell, "An iterative method for finding
// stationary values of a function of several variables", 1962): minimise
// 1/2 (f1^2 + f2^2 + f3^2 + f4^2) with
//
//   f1 = x1 + 10 x2                f2 = sqrt(5) (x3 - x4)
//   f3 = (x2 - 2 x3)^2             f4 = sqrt(10) (x1 - x4)^2
//
// from (3, -1, 0, 1). The minimum is 0 at the origin, where the Jacobian is
// singular, so convergence is linear.
//
// Prints: Termination: *CONVERGENCE

#include <cmath>
#include <iostream>

#include "ceres/ceres.h"
#include "gflags/gflags.h"
#include "glog/logging.h"

DEFINE_string(minimizer, "trust_region", "trust_region or line_search.");

namespace {

struct F1 {
  template <typename T>
  bool operator()(const T* x1, const T* x2, T* residual) const {
    residual[0] = x1[0] + 10.0 * x2[0];
    return true;
  }
};

struct F2 {
  template <typename T>
  bool operator()(const T* x3, const T* x4, T* residual) const {
    residual[0] = std::sqrt(5.0) * (x3[0] - x4[0]);
    return true;
  }
};

struct F3 {
  template <typename T>
  bool operator()(const T* x2, const T* x3, T* residual) const {
    const T difference = x2[0] - 2.0 * x3[0];
    residual[0] = difference * difference;
    return true;
  }
};

struct F4 {
  template <typename T>
  bool operator()(const T* x1, const T* x4, T* residual) const {
    const T difference = x1[0] - x4[0];
    residual[0] = std::sqrt(10.0) * difference * difference;
    return true;
  }
};

// Adds a residual of two parameter blocks of size one.
template <typename Functor>
void AddTerm(double* a, double* b, ceres::Problem* problem) {
  problem->AddResidualBlock(
      new ceres::AutoDiffCostFunction<Functor, 1, 1, 1>(new Functor), nullptr,
      a, b);
}

}  // namespace

int main(int argc, char** argv) {
  google::InitGoogleLogging(argv[0]);
  gflags::ParseCommandLineFlags(&argc, &argv, true);

  double x1 = 3.0;
  double x2 = -1.0;
  double x3 = 0.0;
  double x4 = 1.0;
  ceres::Problem problem;
  AddTerm<F1>(&x1, &x2, &problem);
  AddTerm<F2>(&x3, &x4, &problem);
  AddTerm<F3>(&x2, &x3, &problem);
  AddTerm<F4>(&x1, &x4, &problem);

  ceres::Solver::Options options;
  if (!ceres::StringToMinimizerType(FLAGS_minimizer, &options.minimizer_type)) {
    std::cerr << "--minimizer=" << FLAGS_minimizer
              << " is neither trust_region nor line_search.\n";
    return 1;
  }
  options.max_num_iterations = 100;
  options.linear_solver_type = ceres::DENSE_QR;
  options.minimizer_progress_to_stdout = true;

  std::cout << "Initial x1 = " << x1 << ", x2 = " << x2 << ", x3 = " << x3
            << ", x4 = " << x4 << "\n";
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  std::cout << summary.FullReport() << "\n";
  std::cout << "Final x1 = " << x1 << ", x2 = " << x2 << ", x3 = " << x3
            << ", x4 = " << x4 << "\n";
  return summary.IsSolutionUsable() ? 0 : 1;
}
