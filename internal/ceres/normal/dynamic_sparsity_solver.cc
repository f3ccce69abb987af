// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/dynamic_sparsity_solver.h"

#include <algorithm>
#include <vector>

#include "ceres/logging/logging.h"
#include "ceres/normal/normal_equations_solver.h"

namespace ceres::internal {
namespace {

// Wider column blocks are split.
constexpr int kMaxColumns = 8;

class DynamicSparsitySolver final : public LinearSolver {
 public:
  DynamicSparsitySolver(const SchurSolverOptions& options,
                        const Execution& execution,
                        const BlockJacobianStructure& structure)
      : options_(options), execution_(execution), structure_(structure) {
    VESTA_CHECK_EQ(structure.num_eliminated, 0);
    // Groups constrain an ordering that is not fixed here.
    options_.elimination_group.clear();
    for (int b = 0; b < structure.num_column_blocks(); ++b) {
      first_part_.push_back(static_cast<int>(column_offset_.size()) - 1);
      const int size = structure.column_size(b);
      const int part = size > kMaxColumns ? 1 : size;
      for (int j = part; j <= size; j += part) {
        column_offset_.push_back(structure.column_offset[b] + j);
      }
    }
    first_part_.push_back(static_cast<int>(column_offset_.size()) - 1);
  }

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    BlockJacobianStructure nonzero;
    FindNonzeros(jacobian, &nonzero);
    BlockJacobian packed;
    packed.structure = &nonzero;
    packed.values.Resize(nonzero.num_values());
    Pack(jacobian, &packed);
    return CreateNormalEquationsSolver(options_, execution_, nonzero)
        ->Solve(packed, options, step);
  }

 private:
  // Calls body(part, values, stride) for each part of a row's cells, values
  // being the first entry of the part in the row block, stride the distance
  // between its rows.
  template <typename F>
  void VisitParts(const BlockJacobian& jacobian, int row, F&& body) const {
    const BlockJacobianStructure& s = structure_;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int b = s.cell_column[c];
      const double* cell = jacobian.row_block(row) + s.cell_position[c];
      for (int part = first_part_[b]; part < first_part_[b + 1]; ++part) {
        body(part, cell + column_offset_[part] - s.column_offset[b],
             s.column_size(b));
      }
    }
  }

  bool IsZero(int num_rows, int part, const double* values, int stride) const {
    const int size = column_offset_[part + 1] - column_offset_[part];
    for (int i = 0; i < num_rows; ++i) {
      for (int j = 0; j < size; ++j) {
        if (values[i * stride + j] != 0.0) return false;
      }
    }
    return true;
  }

  void FindNonzeros(const BlockJacobian& jacobian,
                    BlockJacobianStructure* nonzero) {
    nonzero->column_offset = column_offset_;
    std::vector<int> parts;
    for (int row = 0; row < structure_.num_row_blocks(); ++row) {
      const int num_rows = structure_.row_size(row);
      parts.clear();
      VisitParts(jacobian, row,
                 [&](int part, const double* values, int stride) {
                   if (!IsZero(num_rows, part, values, stride))
                     parts.push_back(part);
                 });
      AppendRowBlock(num_rows, parts, nonzero);
    }
    CutIntoRowChunks(nonzero);
  }

  void Pack(const BlockJacobian& jacobian, BlockJacobian* packed) const {
    const BlockJacobianStructure& p = *packed->structure;
    for (int row = 0; row < structure_.num_row_blocks(); ++row) {
      const int num_rows = structure_.row_size(row);
      double* next = std::copy_n(jacobian.row_block(row), num_rows,
                                 packed->row_block(row));
      int cell = p.first_cell[row];
      VisitParts(
          jacobian, row, [&](int part, const double* values, int stride) {
            if (cell == p.first_cell[row + 1] || p.cell_column[cell] != part) {
              return;
            }
            ++cell;
            for (int i = 0; i < num_rows; ++i) {
              next =
                  std::copy_n(values + i * stride, p.column_size(part), next);
            }
          });
    }
  }

  SchurSolverOptions options_;
  const Execution execution_;
  const BlockJacobianStructure& structure_;
  // The parts of column block b are [first_part_[b], first_part_[b + 1]).
  std::vector<int> first_part_;
  std::vector<int> column_offset_ = {0};  // of the parts
};

}  // namespace

std::unique_ptr<LinearSolver> CreateDynamicSparsitySolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure) {
  return std::make_unique<DynamicSparsitySolver>(options, execution, structure);
}

}  // namespace ceres::internal
