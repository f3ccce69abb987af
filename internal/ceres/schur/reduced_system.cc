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

SparseCholesky::Options WithFactorPlacedLater(SparseCholesky::Options options) {
  options.factor_is_placed_later = true;
  return options;
}

class SparseReducedSystem final : public ReducedSystem {
 public:
  SparseReducedSystem(const SchurSolverOptions& options, const SchurPlan& plan)
      : cholesky_(SparseCholesky::Create(
            WithFactorPlacedLater(options.sparse), plan.pattern(),
            options.elimination_group.empty() ? nullptr
                                              : &options.elimination_group)) {
    values_ = cholesky_->MemoryForValues();
    if (values_ == nullptr) {
      own_values_.Resize(plan.pattern().num_values());
      values_ = own_values_.data();
    }
    rhs_.Resize(plan.pattern().size());
  }

  // The factor is needed only once S is assembled from the copies.
  void ShareMemory(SchurEliminator* eliminator) override {
    const int64_t size = cholesky_->FactorSize();
    if (size > 0) cholesky_->PlaceFactor(eliminator->LendCopies(size));
  }

  LinearSolverSummary Solve(const LinearSolver::SolveOptions& /*options*/,
                            SchurEliminator* eliminator, double* z) override {
    eliminator->AssembleBlocks(values_);
    eliminator->AssembleRhs(rhs_.data());
    LinearSolverSummary summary;
    summary.num_iterations = 1;
    summary.termination = cholesky_->FactorizeAndSolve(
        eliminator->execution(), values_, rhs_.data(), z, &summary.message);
    return summary;
  }

 private:
  std::unique_ptr<SparseCholesky> cholesky_;
  double* values_;
  AlignedBuffer own_values_;  // where the factorization has no memory for them
  AlignedBuffer rhs_;
};

}  // namespace

std::unique_ptr<ReducedSystem> CreateDenseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan) {
  return std::make_unique<DenseReducedSystem>(options, plan.pattern().size());
}

std::unique_ptr<ReducedSystem> CreateSparseReducedSystem(
    const SchurSolverOptions& options, const SchurPlan& plan) {
  return std::make_unique<SparseReducedSystem>(options, plan);
}

}  // namespace ceres::internal
