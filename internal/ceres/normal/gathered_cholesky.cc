// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/normal/gathered_cholesky.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/loops.h"
#include "ceres/execution/stop_signal.h"
#include "ceres/kernels/front_gather.h"
#include "ceres/linear/column_sums.h"
#include "ceres/sparse/native_cholesky.h"
#include "ceres/sparse/normal_pattern.h"

namespace ceres::internal {
namespace {

// The common size of all rows and column blocks, or 0.
int CommonSize(const BlockJacobianStructure& s) {
  if (s.num_column_blocks() == 0) return 0;
  const int size = s.column_size(0);
  for (int b = 0; b < s.num_column_blocks(); ++b) {
    if (s.column_size(b) != size) return 0;
  }
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (s.row_size(row) != size) return 0;
  }
  return size;
}

bool Fits(const BlockJacobianStructure& s, const FrontPlan<double>& plan) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  int64_t size = 0;
  for (const Front& front : plan.fronts) {
    size = std::max(
        size, kernels::FrontColumnsSize<double>(front.width, front.below));
  }
  return s.num_values() <= kMost && size <= kMost;
}

class GatheredCholeskySolver final : public LinearSolver {
 public:
  GatheredCholeskySolver(const Execution& execution,
                         const BlockJacobianStructure& structure,
                         const CellsByColumn& cells,
                         std::unique_ptr<NativeFactor<double>> factor)
      : execution_(execution),
        size_(structure.column_size(0)),
        factor_(std::move(factor)),
        negative_gradient_(structure.num_columns()) {
    MakePlan(structure, cells);
    FindPairs(structure);
  }

  LinearSolverSummary Solve(const BlockJacobian& jacobian,
                            const SolveOptions& options,
                            double* step) override {
    CheckStop(execution_);
    kernels::GatherView view;
    view.size = size_;
    view.values = jacobian.values.data();
    view.blocks = blocks_.data();
    view.terms = terms_.data();
    view.products = products_.data();
    view.num_terms = static_cast<int>(terms_.size()) - 1;
    const auto gather = [&](int s, double* columns) {
      const Front& front = factor_->plan().fronts[s];
      const int begin = front.first_column / size_;
      kernels::GatherFront(view, options.damping, begin,
                           begin + front.width / size_, front.width, columns,
                           negative_gradient_.data());
    };
    LinearSolverSummary summary;
    summary.num_iterations = 1;
    summary.termination = factor_->GatherFactorizeAndSolve(
        execution_, gather, negative_gradient_.data(), step, &summary.message);
    if (summary.termination == LinearSolverTermination::kSuccess) {
      summary.model_cost_change = Decrease(view, jacobian, step);
    }
    return summary;
  }

 private:
  // The decrease of the model, by row chunks.
  double Decrease(const kernels::GatherView& view,
                  const BlockJacobian& jacobian, const double* step) const {
    if (pairs_.empty()) return ModelCostChange(execution_, jacobian, step);
    const std::vector<int>& first_row = jacobian.structure->row_chunk_first_row;
    return ParallelReduce(
        execution_, 0, jacobian.structure->num_row_chunks(), 0.0,
        [&](IndexRange row_chunks) {
          return kernels::PairsModelCostChange(view, pairs_.data(),
                                               first_row[row_chunks.begin],
                                               first_row[row_chunks.end], step);
        },
        [](double a, double b) { return a + b; });
  }

  // By rows, if each has one cell or two.
  void FindPairs(const BlockJacobianStructure& s) {
    pairs_.reserve(s.num_row_blocks());
    for (int row = 0; row < s.num_row_blocks(); ++row) {
      const int begin = s.first_cell[row];
      const int num_cells = s.first_cell[row + 1] - begin;
      if (num_cells < 1 || num_cells > 2) {
        pairs_.clear();
        return;
      }
      const int row_block = static_cast<int>(s.row_block_offset[row]);
      kernels::RowBlockOfPair& pair =
          pairs_.emplace_back(kernels::RowBlockOfPair{row_block, {}, {-1, -1}});
      for (int c = 0; c < num_cells; ++c) {
        pair.cell[c] = row_block + s.cell_position[begin + c];
        pair.column[c] = s.column_offset[s.cell_column[begin + c]];
      }
    }
  }

  // Blocks in the order of elimination, terms in the order of rows.
  void MakePlan(const BlockJacobianStructure& s, const CellsByColumn& cells) {
    const FrontPlan<double>& plan = factor_->plan();
    // By block: the first of its columns in the permuted matrix.
    std::vector<int> place(s.num_column_blocks());
    for (size_t k = 0; k < plan.permutation.size(); k += size_) {
      place[plan.permutation[k] / size_] = static_cast<int>(k);
    }
    blocks_.reserve(place.size() + 1);
    terms_.reserve(cells.cells.size() + 1);
    products_.reserve(cells.cells.size());
    for (const Front& front : plan.fronts) {
      for (int k = 0; k < front.width; k += size_) {
        const int column = plan.permutation[front.first_column + k];
        blocks_.push_back({static_cast<int>(terms_.size()),
                           PositionInFront(front, front.first_column + k, k),
                           column});
        AppendTerms(s, cells, column / size_, front, place);
      }
    }
    blocks_.push_back({static_cast<int>(terms_.size()), 0, 0});
    terms_.push_back({0, 0, static_cast<int>(products_.size())});
  }

  void AppendTerms(const BlockJacobianStructure& s, const CellsByColumn& cells,
                   int block, const Front& front,
                   const std::vector<int>& place) {
    for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
      const auto [row, cell] = cells.cells[k];
      terms_.push_back({static_cast<int>(s.row_block_offset[row]),
                        s.cell_position[cell],
                        static_cast<int>(products_.size())});
      for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
        const int other = place[s.cell_column[c]];
        if (other <= place[block]) continue;
        products_.push_back(
            {PositionInFront(front, other, place[block] - front.first_column),
             s.cell_position[c]});
      }
    }
  }

  // The place of an element (row of the permuted matrix, column of the front).
  int PositionInFront(const Front& front, int row, int column) const {
    const int pivot_row = row - front.first_column;
    if (pivot_row < front.width) {
      return static_cast<int>(
          kernels::PivotPosition<double>(front.width, pivot_row, column));
    }
    const auto begin = factor_->plan().row.begin() + front.row_begin;
    const auto found = std::lower_bound(begin, begin + front.below, row);
    return static_cast<int>(kernels::BelowPosition<double>(
        front.width, static_cast<int>(found - begin), column));
  }

  const Execution execution_;
  const int size_;
  std::unique_ptr<NativeFactor<double>> factor_;
  std::vector<kernels::GatherBlock> blocks_;
  std::vector<kernels::GatherTerm> terms_;
  std::vector<kernels::GatherProduct> products_;
  std::vector<kernels::RowBlockOfPair> pairs_;  // empty: rows are longer
  AlignedBuffer negative_gradient_;
};

}  // namespace

std::unique_ptr<LinearSolver> CreateGatheredCholeskySolver(
    const SchurSolverOptions& options, const Execution& execution,
    const BlockJacobianStructure& structure) {
  const SparseCholesky::Options& sparse = options.sparse;
  if (sparse.library != NATIVE_SPARSE || sparse.single_precision ||
      sparse.num_refinement_iterations > 0) {
    return nullptr;
  }
  const int size = CommonSize(structure);
  if (size != 3 && size != 6) return nullptr;
  const CellsByColumn cells(structure);
  const BlockSymmetricStructure pattern = NormalPattern(structure, cells);
  std::unique_ptr<NativeFactor<double>> factor = CreateNativeFactor(
      sparse, pattern,
      options.elimination_group.empty() ? nullptr : &options.elimination_group,
      FrontEntries::kNone);
  // Positions have 32 bits here.
  if (!factor->has_plan() || !Fits(structure, factor->plan())) return nullptr;
  return std::make_unique<GatheredCholeskySolver>(execution, structure, cells,
                                                  std::move(factor));
}

}  // namespace ceres::internal
