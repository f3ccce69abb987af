// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated_solver.h"

#include <chrono>

#include "ceres/base/clock.h"
#include "ceres/base/format.h"
#include "ceres/graduated/graduated_solve.h"
#include "ceres/logging/logging.h"
#include "ceres/solver/option_checker.h"

namespace ceres {

bool GraduatedOptions::IsValid(std::string* error) const {
  const internal::OptionChecker check("GraduatedOptions", error);
  return check.Greater(CERES_OPTION(*this, inlier_probability), 0.0) &&
         check.Less(CERES_OPTION(*this, inlier_probability), 1.0) &&
         check.AtLeast(CERES_OPTION(*this, inlier_cost_bound), 0.0) &&
         check.Greater(CERES_OPTION(*this, control_factor), 1.0) &&
         check.AtLeast(CERES_OPTION(*this, max_num_rounds), 1.0) &&
         check.AtLeast(CERES_OPTION(*this, max_num_iterations_per_round),
                       1.0) &&
         check.AtLeast(CERES_OPTION(*this, function_tolerance_per_round),
                       0.0) &&
         check.AtLeast(CERES_OPTION(*this, max_operations_per_factorization),
                       0.0) &&
         check.AtLeast(CERES_OPTION(*this, max_num_checks), 0.0) &&
         check.Greater(CERES_OPTION(*this, cost_tolerance), 0.0);
}

std::string GraduatedSummary::BriefReport() const {
  return internal::Format(
      "Graduated solve: Rounds: %d, Initial cost: %e, Final cost: %e, "
      "Inliers: %d, Outliers: %d, Termination: %s",
      static_cast<int>(rounds.size()), initial_cost, final_cost, num_inliers,
      static_cast<int>(outliers.size()),
      TerminationTypeToString(termination_type));
}

bool GraduatedSummary::IsSolutionUsable() const {
  return termination_type == CONVERGENCE ||
         termination_type == NO_CONVERGENCE || termination_type == USER_SUCCESS;
}

void SolveGraduated(const Solver::Options& options,
                    const GraduatedOptions& graduated_options, Problem* problem,
                    GraduatedSummary* summary) {
  VESTA_CHECK(problem != nullptr)
      << "SolveGraduated needs a problem; it was given null.";
  VESTA_CHECK(summary != nullptr)
      << "SolveGraduated needs a summary; it was given null.";
  internal::ProblemImpl* const impl = problem->mutable_impl();
  for (const ResidualBlockId block :
       graduated_options.certain_residual_blocks) {
    impl->GetResidualBlock(block);
  }
  const auto start = parallel::detail::SteadyNow();
  *summary = GraduatedSummary();
  std::string error = impl->RefuseConstraints("SolveGraduated");
  if (!error.empty() || !options.IsValid(&error) ||
      !graduated_options.IsValid(&error)) {
    summary->message = "Terminating: " + error;
  } else {
    internal::GraduatedSolve(options, graduated_options, problem, summary)
        .Run();
  }
  summary->total_time_in_seconds =
      std::chrono::duration<double>(parallel::detail::SteadyNow() - start)
          .count();
}

}  // namespace ceres
