// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/gathered_system.h"

#include <algorithm>

namespace ceres::internal {
namespace {

// The blocks of the upper triangle, followed by the right hand side.
class GivenBlocks final : public BlockSource {
 public:
  GivenBlocks(const Execution& execution,
              const BlockSymmetricStructure& pattern, const double* values)
      : execution_(execution), pattern_(pattern), values_(values) {}

  const Execution& execution() const override { return execution_; }
  const BlockSymmetricStructure& pattern() const override { return pattern_; }
  const double* Blocks(WorkspaceArray* /*memory*/) override { return values_; }
  void AssembleRhs(double* rhs) override {
    std::copy_n(values_ + pattern_.num_values(), pattern_.size(), rhs);
  }

 private:
  const Execution& execution_;
  const BlockSymmetricStructure& pattern_;
  const double* const values_;
};

}  // namespace

GatheredSystem::GatheredSystem(const SchurSolverOptions& options,
                               const Execution& execution,
                               const BlockSymmetricStructure& pattern,
                               SolveWorkspace* workspace)
    : execution_(execution),
      pattern_(pattern),
      workspace_(workspace),
      system_(CreateDirectSystem(options, pattern, workspace)),
      values_(system_->ReadsBlocksInFillFronts() ? workspace : nullptr,
              WorkspaceRegion::kBlockValues) {
  values_.Reserve(pattern.num_values() + pattern.size());
}

double* GatheredSystem::values() {
  EnterPhase(workspace_, SolvePhase::kAssemble);
  return values_.data();
}

LinearSolverSummary GatheredSystem::Solve(double* z) {
  GivenBlocks source(execution_, pattern_, values_.data());
  return system_->Solve(&source, z);
}

}  // namespace ceres::internal
