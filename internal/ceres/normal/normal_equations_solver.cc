// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations_solver.h"

#include "ceres/execution/aligned_buffer.h"
#include "ceres/linear/column_sums.h"
#include "ceres/normal/dense_normal_equations.h"
#include "ceres/normal/gathered_cholesky.h"
#include "ceres/normal/normal_equations.h"

namespace ceres::internal {
namespace {

// Nothing to eliminate, and a sparse factorization.
class SparseNormalEquationsSolver final : public LinearSolver {
 public:
  SparseNormalEquationsSolver(const SchurSolverOptions& options,
                              const Execution& execution,
                              const BlockJacobianStructure& structure)
      : execution_(execution),
        equations_(execution, structure),
        cholesky_(SparseCholesky::Create(options.sparse, equations_.pattern(),
                                         options.elimination_group.empty()
                                             ? nullptr
                                             : &options.elimination_group)),
        values_(equations_.pattern().num_values()),
        rhs_(equations_.pattern().size()) {}

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    equations_.Assemble(jacobian, options.damping, values_.data(), rhs_.data());
    // A factorization is not interrupted.
    CheckStop(execution_);
    LinearSolverSummary summary;
    summary.num_iterations = 1;
    summary.termination = cholesky_->FactorizeAndSolve(
        execution_, values_.data(), rhs_.data(), step, &summary.message);
    if (summary.termination == LinearSolverTermination::kSuccess) {
      summary.model_cost_change = ModelCostChange(execution_, jacobian, step);
    }
    return summary;
  }

 private:
  const Execution execution_;
  NormalEquations equations_;
  std::unique_ptr<SparseCholesky> cholesky_;
  AlignedBuffer values_;
  AlignedBuffer rhs_;
};

}  // namespace

std::unique_ptr<LinearSolver> CreateNormalEquationsSolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure, SolveWorkspace* workspace) {
  if (options.method == SchurSolverOptions::Method::kIterative ||
      structure.num_columns() == 0 ||
      !NormalEquations::AreWorthGathering(structure)) {
    return CreateSchurSolver(options, execution, structure, workspace);
  }
  if (options.method == SchurSolverOptions::Method::kDense) {
    return CreateDenseNormalEquationsSolver(options, execution, structure);
  }
  std::unique_ptr<LinearSolver> gathered =
      CreateGatheredCholeskySolver(options, execution, structure);
  if (gathered != nullptr) return gathered;
  return std::make_unique<SparseNormalEquationsSolver>(options, execution,
                                                       structure);
}

}  // namespace ceres::internal
