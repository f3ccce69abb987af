// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WHOLE_SOLVES_METAMORPHIC_TEST_UTILS_H_
#define CERES_INTERNAL_SOLVER_WHOLE_SOLVES_METAMORPHIC_TEST_UTILS_H_

#include <string>
#include <vector>

#include "ceres/ceres.h"
#include "ceres/solver/whole_solves/random_fit.h"
#include "ceres/solver/whole_solves/random_fit_problem.h"

// For tests: two problems that are one fit, spelled in two ways, must have one
// answer. T. Chen, S. Cheung, S. Yiu, Metamorphic Testing: A New Approach for
// Generating Next Test Cases, 1998.

namespace ceres::internal {

struct NamedOptions {
  std::string name;
  Solver::Options options;
};

// Every strategy with every linear solver that it takes; those with DENSE_QR
// alone.
const std::vector<NamedOptions>& AllMinimizers();
const std::vector<NamedOptions>& DenseMinimizers();

// num_seeds fits of each kind, one in four without noise.
std::vector<RandomFit> RandomFits(int num_seeds);

// What a solve of a fit, changed, gives.
struct Outcome {
  std::vector<double> parameters;  // natural, as all below
  double initial_cost;
  double final_cost;
  Solver::Summary summary;
};

Outcome SolveChanged(const RandomFit& fit, const Change& change,
                     const Solver::Options& options,
                     const std::vector<double>* near = nullptr);

// How the answers of solves differ from the answers of the same solves without
// the change. Each count is expected to be zero.
struct Differences {
  int num_solves = 0;
  // The cost is above 1.001 times the other cost, and by more than the rounding
  // of residuals that vanish.
  int num_worse = 0;
  // One solve ends with CONVERGENCE, the other does not.
  int num_unlike_ends = 0;
  // The predictions for the data differ by more than a small part of the
  // residuals. By first-order analysis a parameter then differs by no more than
  // this part of the standard deviation that Covariance gives for it, scaled by
  // the norm of the residuals.
  int num_moved = 0;
  // For the closing note.
  int num_iterations = 0;
  int num_iterations_unchanged = 0;
  std::string first;  // describes the first difference

  bool none() const {
    return num_worse == 0 && num_unlike_ends == 0 && num_moved == 0;
  }
};

// Counts how an outcome differs from that of the unchanged problem.
void CountDifferences(const RandomFit& fit, const Change& change,
                      const std::string& what, const Outcome& unchanged,
                      const Outcome& changed, Differences* differences);

// Solves every fit with every minimizer in two spellings.
Differences Compare(const std::vector<RandomFit>& fits,
                    const std::vector<NamedOptions>& minimizers,
                    const Change& unchanged, const Change& changed);

std::ostream& operator<<(std::ostream& stream, const Differences& differences);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WHOLE_SOLVES_METAMORPHIC_TEST_UTILS_H_
