// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// For tests of SolveGraduated: problems with outliers whose solutions are
// known.

#ifndef CERES_INTERNAL_GRADUATED_GRADUATED_TEST_UTILS_H_
#define CERES_INTERNAL_GRADUATED_GRADUATED_TEST_UTILS_H_

#include <unordered_set>
#include <vector>

#include "ceres/graduated_solver.h"
#include "ceres/problem.h"
#include "ceres/solver.h"
#include "ceres/solver/whole_solves/solver_test_utils.h"

namespace ceres::internal {

// Measurements of one number. Inliers are near 10, outliers are far away.
class Mean {
 public:
  static constexpr int kNumInliers = 9;
  Mean() {
    for (const double value : {9.8, 10.1, 9.9, 10.3, 10.0, 9.7, 10.2, 10.05,
                               9.95, 30.0, 42.0, 28.0, -25.0, 90.0, 31.0}) {
      values.push_back(value);
      blocks.push_back(problem.AddResidualBlock(NewSpring(value), nullptr, &x));
    }
  }
  double MeanOfInliers() const {
    double sum = 0.0;
    for (int i = 0; i < kNumInliers; ++i) sum += values[i];
    return sum / kNumInliers;
  }

  double x = 60.0;
  Problem problem;
  std::vector<double> values;
  std::vector<ResidualBlockId> blocks;
};

// All measurements may be outliers, and the start is as wrong as they are.
inline GraduatedOptions MeanOptions() {
  GraduatedOptions options;
  options.start = GraduatedStart::kAllInliers;
  return options;
}

inline GraduatedSummary SolveGraduatedWith(
    const Solver::Options& options, const GraduatedOptions& graduated_options,
    Problem* problem) {
  GraduatedSummary summary;
  SolveGraduated(options, graduated_options, problem, &summary);
  return summary;
}

// A chain of steps of length 1 with loop closures, of which some are false. The
// steps drift.
class Chain {
 public:
  explicit Chain(int num_false,
                 const Problem::Options& options = Problem::Options())
      : problem(options), x(61) {
    for (int i = 0; i < 60; ++i) {
      x[i + 1] = x[i] + Step(i);
      certain.insert(Add(i, i + 1, Step(i), 0.1));
    }
    for (int i = 0; i + 20 <= 60; i += 2) {
      loops.push_back(Add(i, i + 20, 20.0, 0.1));
    }
    for (int i = 0; i < num_false; ++i) {
      loops.push_back(Add(i, 60 - 2 * i, 7.0 * i - 90.0, 0.1));
    }
    problem.SetParameterBlockConstant(&x[0]);
    start = x;
  }
  static double Step(int i) { return i % 3 == 0 ? 1.1 : 1.02; }

  ResidualBlockId Add(int a, int b, double difference, double sigma) {
    return problem.AddResidualBlock(
        NewCost<1, 1, 1>([=](const auto* p, const auto* q, auto* r) {
          r[0] = (q[0] - p[0] - difference) / sigma;
        }),
        nullptr, &x[a], &x[b]);
  }
  GraduatedOptions Options() const {
    GraduatedOptions options;
    options.certain_residual_blocks = certain;
    return options;
  }

  Problem problem;
  std::vector<double> x;
  std::vector<double> start;
  std::unordered_set<ResidualBlockId> certain;
  std::vector<ResidualBlockId> loops;
};

inline Solver::Options SparseOptions(int num_threads = 1) {
  Solver::Options options;
  options.linear_solver_type = SPARSE_NORMAL_CHOLESKY;
  options.function_tolerance = 1e-14;
  options.num_threads = num_threads;
  return options;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_GRADUATED_TEST_UTILS_H_
