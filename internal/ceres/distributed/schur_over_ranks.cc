// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/schur_over_ranks.h"

#include <algorithm>
#include <utility>

#include "ceres/distributed/added_time.h"

namespace ceres::internal {

SchurOverRanks::SchurOverRanks(const RankParts& parts)
    : parts_(parts), z_(parts.layout->size()) {}

LinearSolverSummary SchurOverRanks::Solve(const BlockJacobian& /*jacobian*/,
                                          const SolveOptions& options,
                                          double* step) {
  LinearSolverSummary summary;
  const Fault mine = RunPart([&] {
    const AddedTime time(&elimination_seconds_);
    return EliminateLeaves(options);
  });
  Fault worst = parts_.agreement->Settle(Phase::kReducedSystem, mine);
  if (worst.kind != Fault::kNone) {
    summary.termination = LinearSolverTermination::kFailure;
    summary.message = std::move(worst.message);
    return summary;
  }
  summary.termination = LinearSolverTermination::kSuccess;
  summary.num_iterations = 1;
  if (!z_.empty()) summary = SolveReduced(options, z_.data());
  if (summary.termination != LinearSolverTermination::kSuccess &&
      summary.termination != LinearSolverTermination::kNoConvergence) {
    return summary;
  }
  return BackSubstitute(std::move(summary), step);
}

LinearSolverSummary SchurOverRanks::BackSubstitute(LinearSolverSummary summary,
                                                   double* step) {
  const std::vector<int>& offset = parts_.columns->program().delta_offset();
  int column = parts_.columns->RemainingColumns().begin;
  for (const int number : parts_.layout->local_numbers) {
    std::copy_n(z_.data() + parts_.layout->block_offset[number],
                offset[column + 1] - offset[column], step + offset[column]);
    ++column;
  }
  std::vector<double> decreases(parts_.leaves->size(), 0.0);
  const Fault mine = RunPart([&] {
    const AddedTime time(&elimination_seconds_);
    for (std::size_t k = 0; k < decreases.size(); ++k) {
      decreases[k] = (*parts_.leaves)[k]->BackSubstitute(step);
    }
    return Fault();
  });
  (void)parts_.agreement->Settle(Phase::kStep, mine, decreases.data(),
                                 &summary.model_cost_change);
  return summary;
}

std::unique_ptr<SchurOverRanks> CreateSchurOverRanks(
    const SchurSolverOptions& options, const RankParts& parts) {
  return options.method == SchurSolverOptions::Method::kIterative
             ? CreateIterativeSchur(options, parts)
             : CreateGatheredSchur(options, parts);
}

}  // namespace ceres::internal
