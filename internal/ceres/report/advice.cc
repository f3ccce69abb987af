// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/advice.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/base/number.h"
#include "ceres/kernels/narrow_qr.h"
#include "ceres/report/problem_advice.h"

namespace ceres::internal {
namespace {

constexpr double kLinearSolverShare = 0.25;
// The default of Solver::Options::function_tolerance.
constexpr double kSmallChange = 1e-6;

int NumSteps(const Solver::Summary& summary) {
  return std::max(0, static_cast<int>(summary.iterations.size()) - 1);
}

double SecondsPerIteration(const Solver::Summary& summary) {
  const int steps = NumSteps(summary);
  return steps > 0 ? summary.minimizer_time_in_seconds / steps : 0.0;
}

double LinearSolverShare(const Solver::Summary& summary) {
  return summary.total_time_in_seconds > 0.0
             ? summary.linear_solver_time_in_seconds /
                   summary.total_time_in_seconds
             : 0.0;
}

MaybeAdvice NotConverged(const AdviceInput& in) {
  const Solver::Summary& s = in.summary;
  if (s.termination_type != NO_CONVERGENCE || NumSteps(s) < 2) return {};
  const IterationSummary& last = s.iterations.back();
  const double change = last.cost_change / (last.cost + last.cost_change);
  // Users who want a fixed number of iterations set tiny tolerances.
  if (!(change > std::max(kSmallChange, in.options.function_tolerance))) {
    return {};
  }
  return Advice{"not_converged", AdviceLevel::kWarning,
                "The solve ended before it converged",
                Format("The last of %d steps reduced the cost by %.2g of "
                       "its value.",
                       NumSteps(s), change),
                "Increase Solver::Options::max_num_iterations or "
                "max_solver_time_in_seconds."};
}

MaybeAdvice RejectedSteps(const AdviceInput& in) {
  // At the solution the cost changes by rounding only, and steps are rejected
  // by chance.
  constexpr double kRelativeRounding = 1e-9;
  int rejected = 0;
  for (const IterationSummary& iteration : in.summary.iterations) {
    const bool counts =
        !iteration.step_is_successful && !(std::abs(iteration.cost_change) <=
                                           kRelativeRounding * iteration.cost);
    rejected += counts ? 1 : 0;
  }
  const int steps = NumSteps(in.summary);
  if (steps < 6 || 2 * rejected < steps) return {};
  return Advice{
      "rejected_steps", AdviceLevel::kWarning, "Many steps were rejected",
      Format("%d of %d steps did not reduce the cost.", rejected, steps),
      "Check the derivatives once with Solver::Options::check_gradients. If "
      "they are right, start nearer to the solution, or with a smaller "
      "initial_trust_region_radius."};
}

bool IsDense(LinearSolverType type) {
  return type == DENSE_QR || type == DENSE_NORMAL_CHOLESKY;
}

bool SuitsSchur(const StructureSection& s) {
  return s.num_columns >= 300 &&
         4 * s.num_eliminated_blocks >= 3 * s.num_column_blocks &&
         2 * s.num_eliminated_columns >= s.num_columns &&
         s.num_remaining_columns > 0;
}

MaybeAdvice BetterLinearSolver(const AdviceInput& in) {
  const StructureSection& s = in.structure;
  const LinearSolverType type = in.summary.linear_solver_type_used;
  const double share = LinearSolverShare(in.summary);
  if (in.summary.minimizer_type == LINE_SEARCH || s.normal_density <= 0.0 ||
      share < kLinearSolverShare) {
    return {};
  }
  const std::string time =
      Format(" The linear solver takes %.0f %% of the time.", 100.0 * share);
  const auto advice = [&](const std::string& better,
                          const std::string& evidence) {
    return Advice{"linear_solver", AdviceLevel::kHint,
                  better + " suits this problem better than " +
                      LinearSolverTypeToString(type),
                  evidence + time,
                  "Set Solver::Options::linear_solver_type to " + better + "."};
  };
  if ((IsDense(type) || type == SPARSE_NORMAL_CHOLESKY) && SuitsSchur(s)) {
    return advice(
        "SPARSE_SCHUR",
        Format("No two of %d parameter blocks, of %d, share a residual block. "
               "Without them %d of %d columns are left.",
               s.num_eliminated_blocks, s.num_column_blocks,
               s.num_remaining_columns, s.num_columns));
  }
  if (IsDense(type) && s.num_columns >= 500 && s.normal_density <= 0.2) {
    return advice("SPARSE_NORMAL_CHOLESKY",
                  Format("J'J has %d columns, and %.2g %% of its entries are "
                         "not zero.",
                         s.num_columns, 100.0 * s.normal_density));
  }
  if ((type == SPARSE_NORMAL_CHOLESKY || type == DENSE_NORMAL_CHOLESKY) &&
      s.num_columns <= kernels::kMaxNarrowPivots) {
    return advice("DENSE_QR",
                  Format("The Jacobian has %s only. DENSE_QR has code of its "
                         "own for at most %d.",
                         CountOf(s.num_columns, "column").c_str(),
                         kernels::kMaxNarrowPivots));
  }
  if (type == DENSE_SCHUR && s.num_remaining_columns >= 1000 &&
      s.schur_density > 0.0 && s.schur_density <= 0.2) {
    return advice("SPARSE_SCHUR",
                  Format("The Schur complement has %d columns, and %.2g %% of "
                         "its entries are not zero.",
                         s.num_remaining_columns, 100.0 * s.schur_density));
  }
  return {};
}

MaybeAdvice LinearIterations(const AdviceInput& in) {
  const LinearSolverType type = in.summary.linear_solver_type_used;
  if (in.summary.minimizer_type == LINE_SEARCH ||
      (type != ITERATIVE_SCHUR && type != CGNR)) {
    return {};
  }
  double sum = 0.0;
  for (const IterationSummary& iteration : in.summary.iterations) {
    sum += iteration.linear_solver_iterations;
  }
  const int steps = NumSteps(in.summary);
  if (steps == 0 || sum / steps < 100.0) return {};
  return Advice{
      "linear_iterations", AdviceLevel::kHint,
      "Conjugate gradients take many iterations",
      Format("%.0f iterations per step on average, with the preconditioner "
             "%s.",
             sum / steps,
             PreconditionerTypeToString(in.summary.preconditioner_type_used)),
      "Set Solver::Options::preconditioner_type to a stronger one, or use a "
      "direct linear_solver_type if memory permits."};
}

// The evaluation is shared by residual blocks: it takes at least the time of
// the longest one.
double SpeedupOfEvaluation(const AdviceInput& in) {
  const double by_blocks = in.scan.longest_seconds > 0.0
                               ? in.scan.seconds / in.scan.longest_seconds
                               : 1.0;
  return std::min<double>(by_blocks, in.time.num_cpus);
}

MaybeAdvice FewThreads(const AdviceInput& in) {
  constexpr double kLongEnough = 1e-3;
  constexpr double kLeastSaving = 0.2;
  const Solver::Summary& s = in.summary;
  const double seconds = SecondsPerIteration(s);
  if (s.num_threads_used != 1 || in.time.num_cpus < 2 ||
      seconds < kLongEnough) {
    return {};
  }
  const double speedup = SpeedupOfEvaluation(in);
  double saved = (1.0 - 1.0 / speedup) *
                 (std::max(0.0, s.residual_evaluation_time_in_seconds) +
                  std::max(0.0, s.jacobian_evaluation_time_in_seconds));
  int threads = static_cast<int>(std::ceil(speedup));
  if (s.linear_solver_time_in_seconds > kLongEnough * NumSteps(s)) {
    saved += (1.0 - 1.0 / in.time.num_cpus) * s.linear_solver_time_in_seconds;
    threads = in.time.num_cpus;
  }
  if (saved < kLeastSaving * s.minimizer_time_in_seconds) return {};
  return Advice{
      "few_threads", AdviceLevel::kHint,
      "More threads can make the solve faster",
      Format("One of %d cpus was used, and an iteration takes %.1f ms. Threads "
             "can save up to %.0f %% of it.",
             in.time.num_cpus, 1e3 * seconds,
             100.0 * saved / s.minimizer_time_in_seconds),
      Format("Set Solver::Options::num_threads to %d. The result has the same "
             "bits.",
             threads)};
}

MaybeAdvice LittleWork(const AdviceInput& in) {
  const double seconds = SecondsPerIteration(in.summary);
  if (in.summary.num_threads_used < 2 || seconds <= 0.0 || seconds > 1e-4) {
    return {};
  }
  return Advice{
      "little_work", AdviceLevel::kHint,
      "There is too little work for several threads",
      Format("An iteration takes %.3g ms, with %d threads.", 1e3 * seconds,
             in.summary.num_threads_used),
      "More threads will not help. Solve many such problems at the same time "
      "with ceres::SolveMany."};
}

}  // namespace

std::vector<Advice> CollectAdvice(const AdviceInput& input) {
  std::vector<Advice> all;
  for (const auto rule :
       {NotEvaluable, NotConverged, RejectedSteps, BeyondLosses, Rank,
        UnusedParameters, Scaling, LargeResiduals, DominatingBlocks, AtBounds,
        BetterLinearSolver, LinearIterations, FewThreads, LittleWork}) {
    MaybeAdvice advice = rule(input);
    if (advice.has_value()) all.push_back(std::move(*advice));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Advice& a, const Advice& b) {
                     return a.level == AdviceLevel::kWarning &&
                            b.level != AdviceLevel::kWarning;
                   });
  return all;
}

}  // namespace ceres::internal
