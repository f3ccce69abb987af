// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_REPORT_ADVICE_H_
#define CERES_INTERNAL_REPORT_ADVICE_H_

#include <vector>

#include "ceres/problem.h"
#include "ceres/report/problem_scan.h"
#include "ceres/report/report_data.h"
#include "ceres/report/residual_section.h"
#include "ceres/solver.h"

namespace ceres::internal {

// The input of the rules. `scan` is with Jacobians, at the end of the solve.
struct AdviceInput {
  const Solver::Options& options;
  const Solver::Summary& summary;
  const ProblemScan& scan;
  const StructureSection& structure;
  const TimeSection& time;
  const ResidualSection& residuals;
  const DiagnosisSection& diagnosis;
  const ReportNames& names;
  Problem* problem;
};

// Advice by rules, warnings first. Each rule is a function of the input that
// gives evidence in numbers:
//
//   rule                 gives advice if
//   -------------------  ---------------------------------------------------
//   not_evaluable        a residual block cannot be evaluated at the end
//   not_converged        the solve ended at a limit and the cost still fell
//   rejected_steps       at least half of at least 6 steps were rejected
//   linear_solver        another linear solver suits the structure, and the
//                        linear solver takes a quarter of the time
//   linear_iterations    conjugate gradients take 100 iterations on average
//   few_threads          one thread was used, more cpus are there, an
//                        iteration takes more than 1 ms, and threads can share
//                        enough of it to save a fifth of the time
//   little_work          several threads were used, and an iteration takes
//                        less than 0.1 ms
//   scaling              the norms of columns of the Jacobian differ by a
//                        factor of more than 10^8
//   bounds               parameters are at bounds
//   dominating_blocks    one per cent of the residual blocks (at least one, of
//                        at least 20) has more than half of the cost
//   large_residuals      half of the residual blocks of a kind have residuals
//                        of more than 10, though the solve converged
//   rank                 the diagnosis has undetermined directions besides
//                        columns of zeros
//   beyond_losses        all residual blocks of a parameter block have weight 0
//   unused_parameters    parameters have no effect on the residuals
std::vector<Advice> CollectAdvice(const AdviceInput& input);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_REPORT_ADVICE_H_
