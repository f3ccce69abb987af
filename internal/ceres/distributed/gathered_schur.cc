// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <string>
#include <utility>
#include <vector>

#include "ceres/distributed/added_time.h"
#include "ceres/distributed/block_pattern.h"
#include "ceres/distributed/gathered_system.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/distributed/tree_sum.h"

namespace ceres::internal {
namespace {

// S and b are gathered on the root, which factors S and sends z to all ranks.
class GatheredSchur final : public SchurOverRanks {
 public:
  GatheredSchur(const SchurSolverOptions& options,
                const BlockSymmetricStructure& pattern, const RankParts& parts)
      : SchurOverRanks(parts),
        pattern_(pattern),
        sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
             SystemEntriesOf(*parts.leaves, pattern_), SystemPlaces(pattern_),
             parts.execution) {
    if (parts.ranks->is_root() && pattern_.size() > 0) {
      system_ = std::make_unique<GatheredSystem>(options, parts.execution,
                                                 pattern_, parts.workspace);
    }
  }

 private:
  Fault EliminateLeaves(const SolveOptions& options) override {
    Fault fault;
    sum_.SumLocal([&](int k, double* values) {
      LeafSystem& leaf = *(*parts_.leaves)[k];
      if (fault.kind != Fault::kNone) return;
      if (!leaf.Eliminate(options.damping, &fault.message)) {
        fault.kind = Fault::kRejected;
        return;
      }
      leaf.AssembleSystem(values);
    });
    return fault;
  }

  LinearSolverSummary SolveReduced(const SolveOptions& /*options*/,
                                   double* z) override {
    sum_.Combine(Phase::kReducedSystem, TreeSum::Destination::kRoot,
                 system_ != nullptr ? system_->values() : nullptr);
    LinearSolverSummary summary;
    const Fault mine = RunPart([&] {
      if (system_ != nullptr) {
        const AddedTime time(&reduced_seconds_);
        summary = system_->Solve(z);
      }
      return Fault();
    });
    (void)parts_.agreement->Settle(Phase::kStep, mine);
    double termination = static_cast<double>(summary.termination);
    parts_.ranks->Broadcast(Phase::kStep, RankGroup::kRoot, 1, &termination);
    summary.termination =
        static_cast<LinearSolverTermination>(static_cast<int>(termination));
    summary.num_iterations = 1;
    if (summary.termination == LinearSolverTermination::kSuccess) {
      parts_.ranks->Broadcast(Phase::kStep, RankGroup::kRoot,
                              parts_.layout->size(), z);
    } else {
      parts_.ranks->Broadcast(Phase::kStep, RankGroup::kRoot, &summary.message);
    }
    return summary;
  }

  const BlockSymmetricStructure pattern_;
  TreeSum sum_;
  std::unique_ptr<GatheredSystem> system_;  // null: not the root
};

}  // namespace

std::unique_ptr<SchurOverRanks> CreateGatheredSchur(
    const SchurSolverOptions& options, const BlockSymmetricStructure& pattern,
    const RankParts& parts) {
  return std::make_unique<GatheredSchur>(options, pattern, parts);
}

}  // namespace ceres::internal
