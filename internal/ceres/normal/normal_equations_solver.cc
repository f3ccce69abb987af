// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/normal_equations_solver.h"

#include <algorithm>
#include <cstdint>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/loops.h"
#include "ceres/kernels/front_layout.h"
#include "ceres/linear/column_sums.h"
#include "ceres/normal/gathered_cholesky.h"
#include "ceres/normal/normal_equations.h"
#include "ceres/schur/dense_system.h"

namespace ceres::internal {
namespace {

// The blocks of J'J + D'D and -J'r, as they were gathered last.
class GatheredSource final : public DenseSource {
 public:
  GatheredSource(const Execution& execution,
                 const BlockJacobianStructure& structure)
      : execution_(execution),
        equations_(execution, structure),
        values_(equations_.pattern().num_values()),
        rhs_(equations_.pattern().size()) {}

  void Gather(const BlockJacobian& jacobian, const double* damping) {
    equations_.Assemble(jacobian, damping, values_.data(), rhs_.data());
  }

  const Execution& execution() const override { return execution_; }

  void AssembleDense(double* matrix) const override {
    const int n = equations_.pattern().size();
    Copy([matrix, n](int row, int column) {
      return matrix + std::int64_t{row} * n + column;
    });
  }
  // Row r of the upper triangle is column r of the front.
  void AssembleFront(double* front) const override {
    const int n = equations_.pattern().size();
    Copy([front, n](int row, int column) {
      return front + kernels::PivotPosition<double>(n, column, row);
    });
  }
  void AssembleRhs(double* rhs) const override {
    std::copy_n(rhs_.data(), rhs_.size(), rhs);
  }

 private:
  // place: (row, column) of the upper triangle -> where it goes.
  template <typename Place>
  void Copy(const Place& place) const {
    ParallelFor(execution_, 0, equations_.pattern().num_blocks(),
                [&](int block_row) { CopyRow(block_row, place); });
  }
  template <typename Place>
  void CopyRow(int i, const Place& place) const {
    const BlockSymmetricStructure& s = equations_.pattern();
    const int row_end = s.block_offset[i + 1];
    if (s.first_entry[i + 1] - s.first_entry[i] < s.num_blocks() - i) {
      // A factorization has filled what no product reaches.
      for (int row = s.block_offset[i]; row < row_end; ++row) {
        for (int column = row_end; column < s.size(); ++column) {
          *place(row, column) = 0.0;
        }
      }
    }
    for (int k = s.first_entry[i]; k < s.first_entry[i + 1]; ++k) {
      const int j = s.entry_column[k];
      const double* value = values_.data() + s.value_offset[k];
      for (int row = s.block_offset[i]; row < row_end; ++row) {
        for (int column = s.block_offset[j]; column < s.block_offset[j + 1];
             ++column) {
          *place(row, column) = *value++;
        }
      }
    }
  }

  const Execution execution_;
  NormalEquations equations_;
  AlignedBuffer values_;
  AlignedBuffer rhs_;
};

// (J'J + D'D) step = -J'r by a dense Cholesky factorization of the gathered
// blocks. At least one column, and nothing eliminated.
class DenseNormalEquationsSolver final : public LinearSolver {
 public:
  DenseNormalEquationsSolver(const SchurSolverOptions& options,
                             const Execution& execution,
                             const BlockJacobianStructure& structure)
      : source_(execution, structure),
        system_(CreateDenseSystem(options, structure.num_columns())) {}

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    source_.Gather(jacobian, options.damping);
    // A factorization is not interrupted.
    CheckStop(source_.execution());
    LinearSolverSummary summary = system_->Solve(source_, step);
    if (summary.termination == LinearSolverTermination::kSuccess) {
      summary.model_cost_change =
          ModelCostChange(source_.execution(), jacobian, step);
    }
    return summary;
  }

 private:
  GatheredSource source_;
  std::unique_ptr<DenseSystem> system_;
};

// The same by a sparse Cholesky factorization.
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
    return std::make_unique<DenseNormalEquationsSolver>(options, execution,
                                                        structure);
  }
  std::unique_ptr<LinearSolver> gathered =
      CreateGatheredCholeskySolver(options, execution, structure);
  if (gathered != nullptr) return gathered;
  return std::make_unique<SparseNormalEquationsSolver>(options, execution,
                                                       structure);
}

}  // namespace ceres::internal
