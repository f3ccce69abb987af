// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_WORTH_SHARING_H_
#define CERES_INTERNAL_SOLVER_WORTH_SHARING_H_

#include "ceres/execution/execution.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/solver.h"

namespace ceres::internal {

// False if a solve has nothing that several threads could share, unless its
// cost functions take long: its Jacobian is a single row chunk
// (linear/block_jacobian.h), and its linear systems are small. Making a thread
// pool would take longer than most such solves. Looks at no more residual
// blocks than fit into a row chunk.
bool IsWorthSharing(const Solver::Options& options, const ProblemImpl& problem);

// The threads of such a solve, in the problem's context: made where cost
// functions do take long.
class ThreadsOfProblem final : public ThreadsOnDemand {
 public:
  // Both default to none. `problem` must outlive this.
  ThreadsOfProblem() = default;
  ThreadsOfProblem(ProblemImpl* problem, int num_threads)
      : problem_(problem), num_threads_(num_threads) {}

  int num_threads() const override { return num_threads_; }
  Execution Make(const Execution& serial) override;

 private:
  ProblemImpl* problem_ = nullptr;
  int num_threads_ = 1;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_WORTH_SHARING_H_
