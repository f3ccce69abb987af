// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations_solver.h"

#include <algorithm>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/linear/column_sums.h"
#include "ceres/logging/logging.h"
#include "ceres/normal/gathered_cholesky.h"
#include "ceres/normal/normal_equations.h"
#include "ceres/schur/direct_system.h"

namespace ceres::internal {
namespace {

// J'J + D'D and -J'r, gathered by row.
class NormalSource final : public BlockSource {
 public:
  NormalSource(const Execution& execution,
               const BlockJacobianStructure& structure)
      : execution_(execution),
        equations_(execution, structure),
        rhs_(structure.num_columns()) {}

  // Names the system that is assembled from now on.
  void Read(const BlockJacobian& jacobian, const double* damping) {
    jacobian_ = &jacobian;
    damping_ = damping;
  }

  const Execution& execution() const override { return execution_; }
  const BlockSymmetricStructure& pattern() const override {
    return equations_.pattern();
  }
  const double* Blocks(WorkspaceArray* memory) override {
    equations_.Assemble(*jacobian_, damping_, memory->data(), rhs_.data());
    return memory->data();
  }
  void AssembleRhs(double* rhs) override {
    std::copy_n(rhs_.data(), rhs_.size(), rhs);
  }

 private:
  const Execution execution_;
  NormalEquations equations_;
  AlignedBuffer rhs_;
  const BlockJacobian* jacobian_ = nullptr;
  const double* damping_ = nullptr;
};

// (J'J + D'D) step = -J'r. At least one column, and nothing eliminated.
class NormalEquationsSolver final : public LinearSolver {
 public:
  NormalEquationsSolver(const SchurSolverOptions& options,
                        const Execution& execution,
                        const BlockJacobianStructure& structure)
      : source_(execution, structure),
        system_(CreateDirectSystem(options, source_.pattern(),
                                   /*workspace=*/nullptr)) {}

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    source_.Read(jacobian, options.damping);
    LinearSolverSummary summary = system_->Solve(&source_, step);
    if (summary.termination == LinearSolverTermination::kSuccess) {
      summary.model_cost_change =
          ModelCostChange(source_.execution(), jacobian, step);
    }
    return summary;
  }

 private:
  NormalSource source_;
  std::unique_ptr<DirectSystem> system_;
};

}  // namespace

std::unique_ptr<LinearSolver> CreateNormalEquationsSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure, SolveWorkspace* workspace) {
  VESTA_CHECK_EQ(structure.num_eliminated, 0);
  VESTA_CHECK(options.method != SchurSolverOptions::Method::kIterative);
  if (structure.num_columns() == 0 ||
      !NormalEquations::AreWorthGathering(structure)) {
    return CreateSchurSolver(options, execution, structure, workspace);
  }
  if (options.method == SchurSolverOptions::Method::kSparse) {
    std::unique_ptr<LinearSolver> gathered =
        CreateGatheredCholeskySolver(options, execution, structure);
    if (gathered != nullptr) return gathered;
  }
  return std::make_unique<NormalEquationsSolver>(options, execution, structure);
}

}  // namespace ceres::internal
