// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver.h"

#include "ceres/logging/logging.h"
#include "ceres/problem.h"
#include "ceres/solver/solve_call.h"

namespace ceres {

Solver::~Solver() = default;

void Solver::Solve(const Options& options, Problem* problem,
                   Solver::Summary* summary) {
  ceres::Solve(options, problem, summary);
}

void Solve(const Solver::Options& options, Problem* problem,
           Solver::Summary* summary) {
  VESTA_CHECK(problem != nullptr)
      << "Solve needs a problem; it was given null.";
  VESTA_CHECK(summary != nullptr)
      << "Solve needs a summary; it was given null.";
  internal::SolveCall(options, problem->mutable_impl(), summary).Run();
}

}  // namespace ceres
