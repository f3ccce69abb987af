// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_RANDOM_JACOBIAN_H_
#define CERES_INTERNAL_LINEAR_RANDOM_JACOBIAN_H_

// For tests and benchmarks: random block Jacobians, dense reference
// computations, and contexts that run as many threads as a test asks for.

#include <memory>
#include <random>

#include "Eigen/Core"
#include "ceres/execution/context_impl.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

struct RandomJacobian {
  BlockJacobianStructure structure;
  BlockJacobian jacobian;
  Eigen::VectorXd damping;
};

struct RandomJacobianOptions {
  int num_column_blocks = 7;
  int max_column_size = 5;
  int num_row_blocks = 60;
  int max_row_size = 4;
  int max_cells = 3;
  int seed = 1;
};

void FillWithRandomValues(std::mt19937* random, double* values, int64_t n);

// Allocates the Jacobian of a structure that is complete; random values.
void FillJacobian(std::mt19937* random, RandomJacobian* problem);

// Blocks of random sizes from 1 on; a row block touches 1 to max_cells distinct
// column blocks. Nothing is eliminated.
std::unique_ptr<RandomJacobian> MakeRandomJacobian(
    const RandomJacobianOptions& options);

// A Jacobian with 4 to 29 column blocks and many more rows, which for the seeds
// of the tests has full rank.
std::unique_ptr<RandomJacobian> MakeTallRandomJacobian(int seed);

Eigen::MatrixXd DenseJacobian(const BlockJacobian& jacobian);

Eigen::VectorXd DenseResiduals(const BlockJacobian& jacobian);

// argmin |J x + r|^2 + |D x|^2, by a rank-revealing factorization.
Eigen::VectorXd DenseStep(const BlockJacobian& jacobian, const double* damping);

double DenseModelCostChange(const BlockJacobian& jacobian,
                            const Eigen::VectorXd& step);

// A context whose threads all run at the same time, also on fewer CPUs.
class TestThreads {
 public:
  explicit TestThreads(int num_threads) : num_threads_(num_threads) {
    context_.thread_pool().SetRunningLimit(num_threads);
    context_.EnsureMinimumThreads(num_threads);
  }
  Execution execution() { return {&context_, num_threads_}; }

 private:
  int num_threads_;
  ContextImpl context_;
};

// Whether f(execution) returns the same for every number of threads.
template <typename F>
bool HasSameBitsForAllThreads(const F& f) {
  const auto expected = f(Execution());
  for (const int num_threads : {1, 2, 3, 4, 8}) {
    TestThreads threads(num_threads);
    if (!(f(threads.execution()) == expected)) return false;
  }
  return true;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_RANDOM_JACOBIAN_H_
