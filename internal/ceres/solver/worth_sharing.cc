// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/worth_sharing.h"

#include <algorithm>
#include <cstdint>

#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {
namespace {

// A dense factorization of as many columns takes 10 us.
constexpr int kMaxSerialParameters = 64;

// At least the doubles of its row block.
std::int64_t SizeOfRowBlock(const ResidualBlock& residual_block) {
  std::int64_t num_columns = 1;
  for (int k = 0; k < residual_block.num_parameter_blocks(); ++k) {
    num_columns += residual_block.parameter_blocks()[k]->size();
  }
  return num_columns * residual_block.num_residuals();
}

}  // namespace

bool IsWorthSharing(const Solver::Options& options,
                    const ProblemImpl& problem) {
  if (options.use_inner_iterations ||
      problem.num_parameters() > kMaxSerialParameters) {
    return true;
  }
  std::int64_t num_values = 0;
  for (const ResidualBlock* residual_block : problem.residual_blocks()) {
    num_values += SizeOfRowBlock(*residual_block);
    if (num_values > kMinRowChunkValues) return true;
  }
  return false;
}

Execution ThreadsOfProblem::Make(const Execution& serial) {
  Execution threads = serial;
  threads.context = problem_->context();
  threads.num_threads =
      std::min(num_threads_, threads.context->thread_pool().RunningLimit());
  if (threads.num_threads > 1) {
    threads.context->EnsureMinimumThreads(threads.num_threads);
  }
  return threads;
}

}  // namespace ceres::internal
