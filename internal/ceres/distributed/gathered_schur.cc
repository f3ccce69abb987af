// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <string>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/distributed/added_time.h"
#include "ceres/distributed/block_pattern.h"
#include "ceres/distributed/gathered_system.h"
#include "ceres/distributed/schur_over_ranks.h"
#include "ceres/distributed/tree_sum.h"

namespace ceres::internal {
namespace {

std::vector<std::vector<int>> SystemEntries(
    const RankParts& parts, const BlockSymmetricStructure& pattern) {
  std::vector<std::vector<int>> entries;
  for (const auto& leaf : *parts.leaves) {
    entries.push_back(SystemEntriesOf(*leaf, pattern));
  }
  return entries;
}

// By entry, +1: the blocks of S, then those of the right hand side.
std::vector<std::int64_t> FirstValues(const SharedLayout& layout,
                                      const BlockSymmetricStructure& pattern) {
  std::vector<std::int64_t> first = pattern.value_offset;
  for (int i = 0; i < layout.num_blocks(); ++i) {
    first.push_back(pattern.num_values() + layout.block_offset[i + 1]);
  }
  return first;
}

// S and b are gathered on the root, which factors S and sends z to all ranks.
class GatheredSchur final : public SchurOverRanks {
 public:
  GatheredSchur(const SchurSolverOptions& options, const RankParts& parts)
      : SchurOverRanks(parts),
        pattern_(UnionOfPatterns(parts.ranks, *parts.layout, *parts.leaves)),
        sum_(parts.ranks, parts.layout->tree, parts.layout->local_leaves,
             SystemEntries(parts, pattern_),
             FirstValues(*parts.layout, pattern_), parts.execution) {
    if (parts.ranks->is_root() && pattern_.size() > 0) {
      system_ =
          std::make_unique<GatheredSystem>(options, parts.execution, pattern_);
      values_.resize(sum_.size());
    }
    description_ = Format(
        "gathered on rank 0 and factored there by a %s Cholesky "
        "factorization, as linear_solver_type asks: %d columns, %lld blocks, "
        "%.2g MB",
        options.method == SchurSolverOptions::Method::kDense ? "dense"
                                                             : "sparse",
        pattern_.size(), static_cast<long long>(pattern_.entry_column.size()),
        8e-6 * static_cast<double>(sum_.size()));
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
                 values_.data());
    LinearSolverSummary summary;
    const Fault mine = RunPart([&] {
      if (system_ != nullptr) {
        const AddedTime time(&reduced_seconds_);
        summary = system_->Solve(values_.data(), z);
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
  std::vector<double> values_;              // on the root
};

}  // namespace

std::unique_ptr<SchurOverRanks> CreateGatheredSchur(
    const SchurSolverOptions& options, const RankParts& parts) {
  return std::make_unique<GatheredSchur>(options, parts);
}

}  // namespace ceres::internal
