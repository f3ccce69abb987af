// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/subset_preconditioner.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/normal/normal_equations.h"

namespace ceres::internal {
namespace {

// The given rows of `whole`, without elimination. Their row blocks are those of
// the whole Jacobian, where they stay: row blocks of other rows lie in between.
BlockJacobianStructure SelectRows(const BlockJacobianStructure& whole,
                                  const std::vector<int>& rows) {
  BlockJacobianStructure q;
  q.column_offset = whole.column_offset;
  q.row_block_offset.Resize(0);
  for (const int row : rows) {
    const int begin = whole.first_cell[row];
    const int end = whole.first_cell[row + 1];
    q.row_offset.PushBack(q.num_rows() + whole.row_size(row));
    q.row_block_offset.PushBack(whole.row_block_offset[row]);
    q.cell_column.insert(q.cell_column.end(), whole.cell_column.begin() + begin,
                         whole.cell_column.begin() + end);
    for (int c = begin; c < end; ++c) {
      q.cell_position.PushBack(whole.cell_position[c]);
    }
    q.first_cell.PushBack(static_cast<int>(q.cell_column.size()));
  }
  q.row_block_offset.PushBack(whole.num_values());
  return q;
}

class SubsetPreconditioner final : public NormalPreconditioner {
 public:
  SubsetPreconditioner(const SparseCholesky::Options& options,
                       const Execution& execution,
                       const BlockJacobianStructure& structure,
                       const std::vector<int>& rows)
      : execution_(execution),
        structure_(SelectRows(structure, rows)),
        equations_(execution, structure_),
        cholesky_(SparseCholesky::Create(options, equations_.pattern(),
                                         /*group=*/nullptr)),
        values_(equations_.pattern().num_values()),
        negative_gradient_(equations_.pattern().size()) {}

  LinearSolverTermination Update(const BlockJacobian& jacobian,
                                 const double* damping,
                                 std::string* message) override {
    equations_.Assemble(jacobian, damping, values_.data(),
                        negative_gradient_.data());
    const LinearSolverTermination termination =
        cholesky_->Factorize(execution_, values_.data(), message);
    if (termination != LinearSolverTermination::kSuccess) {
      *message = "The SUBSET preconditioner: " + *message;
    }
    return termination;
  }

  void Apply(const double* x, double* y) const override {
    std::string message;
    if (cholesky_->Solve(x, y, &message) != LinearSolverTermination::kSuccess) {
      // Conjugate gradients see it, and fail.
      std::fill_n(y, size(), std::numeric_limits<double>::quiet_NaN());
    }
  }
  int size() const override { return equations_.pattern().size(); }

 private:
  const Execution execution_;
  const BlockJacobianStructure structure_;
  NormalEquations equations_;
  std::unique_ptr<SparseCholesky> cholesky_;
  AlignedBuffer values_;
  AlignedBuffer negative_gradient_;  // of these rows; never read
};

}  // namespace

std::unique_ptr<NormalPreconditioner> CreateSubsetPreconditioner(
    const SparseCholesky::Options& options, const Execution& execution,
    const BlockJacobianStructure& structure, const std::vector<int>& rows) {
  return std::make_unique<SubsetPreconditioner>(options, execution, structure,
                                                rows);
}

}  // namespace ceres::internal
