// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/reduced_system.h"

#include <memory>

#include "ceres/schur/dense_system.h"
#include "ceres/sparse/sparse_cholesky.h"

namespace ceres::internal {
namespace {

class DenseReducedSystem final : public ReducedSystem {
 public:
  DenseReducedSystem(const SchurSolverOptions& options, int size)
      : system_(CreateDenseSystem(options, size)) {}

  LinearSolverSummary Solve(const LinearSolver::SolveOptions& /*options*/,
                            SchurEliminator* eliminator, double* z) override {
    return system_->Solve(*eliminator, z);
  }

 private:
  std::unique_ptr<DenseSystem> system_;
};

class SparseReducedSystem final : public ReducedSystem {
 public:
  SparseReducedSystem(const SchurSolverOptions& options, const SchurPlan& plan,
                      SolveWorkspace* workspace)
      : cholesky_(SparseCholesky::Create(options.sparse, plan.pattern(),
                                         options.elimination_group.empty()
                                             ? nullptr
                                             : &options.elimination_group,
                                         workspace)),
        values_(cholesky_->ReadsValuesInFillFronts() ? workspace : nullptr,
                WorkspaceRegion::kBlockValues),
        rhs_(plan.pattern().size()) {
    values_.Reserve(plan.pattern().num_values());
  }

  LinearSolverSummary Solve(const LinearSolver::SolveOptions& /*options*/,
                            SchurEliminator* eliminator, double* z) override {
    double* const values = values_.data();
    eliminator->AssembleBlocks(values);
    eliminator->AssembleRhs(rhs_.data());
    LinearSolverSummary summary;
    summary.num_iterations = 1;
    summary.termination = cholesky_->FactorizeAndSolve(
        eliminator->execution(), values, rhs_.data(), z, &summary.message);
    return summary;
  }

 private:
  std::unique_ptr<SparseCholesky> cholesky_;
  WorkspaceArray values_;
  AlignedBuffer rhs_;
};

}  // namespace

std::unique_ptr<ReducedSystem> CreateDenseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan) {
  return std::make_unique<DenseReducedSystem>(options, plan.pattern().size());
}

std::unique_ptr<ReducedSystem> CreateSparseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan,
    SolveWorkspace* workspace) {
  return std::make_unique<SparseReducedSystem>(options, plan, workspace);
}

}  // namespace ceres::internal
