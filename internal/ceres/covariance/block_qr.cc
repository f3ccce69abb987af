// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/block_qr.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "ceres/covariance/constraint_elimination.h"
#include "ceres/execution/loops.h"
#include "ceres/kernels/householder.h"
#include "ceres/logging/logging.h"
#include "ceres/sparse/sparse_inverse.h"

namespace ceres::internal {
namespace {

FrontPlan<double> PlanFronts(const BlockSymmetricStructure& pattern,
                             const std::vector<int>& elimination_order) {
  const int n = pattern.num_blocks();
  VESTA_CHECK_EQ(static_cast<int>(elimination_order.size()), n);
  std::vector<int> node_of_block(n);
  std::iota(node_of_block.begin(), node_of_block.end(), 0);
  const SymmetricGraph graph = GraphOfBlocks(pattern);
  return {pattern, node_of_block,
          FindSupernodes(graph, NodeWeights(pattern, node_of_block, n),
                         elimination_order),
          FrontEntries::kNone};
}

int NumColumns(const Front& front) { return front.width + front.below; }

// The weight of the rows of A in R. Its square is beyond all numbers, products
// with R and its inverse are not.
constexpr double kInfiniteWeight = 0x1p600;

using Rows =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Rows> Cell(const BlockJacobian& jacobian, int row, int cell) {
  const BlockJacobianStructure& s = *jacobian.structure;
  return {jacobian.row_block(row) + s.cell_position[cell], s.row_size(row),
          s.column_size(s.cell_column[cell])};
}

// The norms of the rows of a row block.
Eigen::VectorXd RowNorms(const BlockJacobian& jacobian, int row) {
  const BlockJacobianStructure& s = *jacobian.structure;
  Eigen::VectorXd norms = Eigen::VectorXd::Zero(s.row_size(row));
  for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
    const Eigen::VectorXd own = Cell(jacobian, row, c).rowwise().stableNorm();
    for (Eigen::Index i = 0; i < norms.size(); ++i) {
      norms(i) = std::hypot(norms(i), own(i));
    }
  }
  return norms;
}

}  // namespace

BlockQr::BlockQr(const BlockJacobianStructure& structure,
                 const BlockSymmetricStructure& normal_pattern,
                 const std::vector<int>& elimination_order,
                 std::vector<bool> is_constraint)
    : structure_(structure),
      plan_(PlanFronts(normal_pattern, elimination_order)),
      is_constraint_(std::move(is_constraint)),
      position_(InversePermutation(plan_.permutation)) {
  AssignRowsToFronts();
  FindLevels();
}

int BlockQr::FirstColumn(int row_block) const {
  const BlockJacobianStructure& s = structure_;
  int first = s.num_columns();
  for (int c = s.first_cell[row_block]; c < s.first_cell[row_block + 1]; ++c) {
    const int block = s.cell_column[c];
    if (s.column_size(block) == 0) continue;
    first = std::min(first, position_[s.column_offset[block]]);
  }
  return first;
}

void BlockQr::AssignRowsToFronts() {
  std::vector<int> front_of(structure_.num_columns());
  for (size_t f = 0; f < plan_.fronts.size(); ++f) {
    std::fill_n(front_of.begin() + plan_.fronts[f].first_column,
                plan_.fronts[f].width, static_cast<int>(f));
  }
  first_row_.assign(plan_.fronts.size() + 1, 0);
  std::vector<int> front_of_row(structure_.num_row_blocks(), -1);
  for (int row = 0; row < structure_.num_row_blocks(); ++row) {
    const int first = FirstColumn(row);
    if (first == structure_.num_columns()) continue;
    front_of_row[row] = front_of[first];
    ++first_row_[front_of[first] + 1];
  }
  std::partial_sum(first_row_.begin(), first_row_.end(), first_row_.begin());
  row_.resize(first_row_.back());
  std::vector<int> next(first_row_.begin(), first_row_.end() - 1);
  for (int row = 0; row < structure_.num_row_blocks(); ++row) {
    if (front_of_row[row] >= 0) row_[next[front_of_row[row]]++] = row;
  }
}

void BlockQr::FindLevels() {
  std::vector<int> height(plan_.fronts.size(), 0);
  for (size_t f = 0; f < plan_.fronts.size(); ++f) {
    if (height[f] >= static_cast<int>(levels_.size())) levels_.emplace_back();
    levels_[height[f]].push_back(static_cast<int>(f));
    const int parent = plan_.fronts[f].parent;
    if (parent >= 0) height[parent] = std::max(height[parent], height[f] + 1);
  }
}

int BlockQr::ColumnInFront(const Front& front, int column) const {
  if (column < front.first_column + front.width) {
    return column - front.first_column;
  }
  const auto begin = plan_.row.begin() + front.row_begin;
  return front.width +
         static_cast<int>(std::lower_bound(begin, begin + front.below, column) -
                          begin);
}

std::optional<BlockQr::DependentColumn> BlockQr::Factorize(
    const Execution& execution, const BlockJacobian& jacobian,
    double tolerance) {
  columns_.Resize(plan_.columns_size);
  remainders_.clear();
  remainders_.resize(plan_.fronts.size());
  if (!is_constraint_.empty()) MeasureColumns(jacobian);
  for (const std::vector<int>& level : levels_) {
    ParallelFor(execution, 0, static_cast<int>(level.size()),
                [&](int i) { FactorizeFront(jacobian, tolerance, level[i]); });
    for (const int f : level) {
      if (remainders_[f].dependent_column >= 0) return Describe(f);
    }
  }
  return std::nullopt;
}

void BlockQr::FactorizeFront(const BlockJacobian& jacobian, double tolerance,
                             int f) {
  if (HasConstraints(f)) {
    FactorizeConstrainedFront(jacobian, tolerance, f);
    return;
  }
  const Front& front = plan_.fronts[f];
  Remainder& remainder = remainders_[f];
  const int num_columns = NumColumns(front);
  const Staircase rows = SortRows(f);
  const int num_rows = rows.num_rows();
  AlignedBuffer buffer(static_cast<size_t>(num_rows) * num_columns);
  Assemble(jacobian, f, rows, buffer.data());
  // A full triangle if that makes fewer rows.
  const bool is_triangular = num_rows > num_columns;
  Triangularize(rows,
                std::min(num_rows, is_triangular ? num_columns : front.width),
                num_columns, buffer.data());

  for (int k = 0; k < front.width; ++k) {
    const double pivot =
        k < num_rows ? std::abs(buffer.data()[k + int64_t{k} * num_rows]) : 0.0;
    if (pivot > tolerance) continue;
    remainder.dependent_column = k;
    remainder.pivot = pivot;
    return;
  }
  KeepPivotRows(front, buffer.data(), num_rows);
  remainder.is_triangular = is_triangular;
  remainder.num_rows = std::min(num_rows, num_columns) - front.width;
  KeepRemainder(front, buffer.data(), num_rows, &remainder);
  ReleaseChildren(f);
}

void BlockQr::ReleaseChildren(int f) {
  const Front& front = plan_.fronts[f];
  for (int c = front.first_child; c < front.end_child; ++c) {
    remainders_[plan_.child[c]] = Remainder();
  }
}

void BlockQr::MeasureColumns(const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = structure_;
  std::vector<double> squares(s.num_columns(), 0.0);
  constraint_norms_.assign(s.num_columns(), 0.0);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const bool is_constraint = IsConstraint(row);
    const Eigen::VectorXd norms = RowNorms(jacobian, row);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const auto cell = Cell(jacobian, row, c);
      for (Eigen::Index j = 0; j < cell.cols(); ++j) {
        const auto column =
            s.column_offset[s.cell_column[c]] + static_cast<int>(j);
        double& sum = is_constraint ? constraint_norms_[position_[column]]
                                    : squares[column];
        for (Eigen::Index i = 0; i < cell.rows(); ++i) {
          const double divisor =
              is_constraint && norms(i) > 0.0 ? norms(i) : 1.0;
          const double entry = cell(i, j) / divisor;
          sum += entry * entry;
        }
      }
    }
  }
  for (double& norm : constraint_norms_) norm = std::sqrt(norm);
  largest_norm_ = std::sqrt(
      squares.empty() ? 0.0
                      : *std::max_element(squares.begin(), squares.end()));
}

bool BlockQr::HasConstraints(int f) const {
  if (is_constraint_.empty()) return false;
  const Front& front = plan_.fronts[f];
  for (int r = first_row_[f]; r < first_row_[f + 1]; ++r) {
    if (IsConstraint(row_[r])) return true;
  }
  for (int c = front.first_child; c < front.end_child; ++c) {
    if (remainders_[plan_.child[c]].growth.size() > 0) return true;
  }
  return false;
}

// The rows of A of the front, scaled to norm 1, and those of its children.
Eigen::MatrixXd BlockQr::GatherConstraints(const BlockJacobian& jacobian,
                                           int f) const {
  const BlockJacobianStructure& s = structure_;
  const Front& front = plan_.fronts[f];
  Eigen::Index num_rows = 0;
  for (int r = first_row_[f]; r < first_row_[f + 1]; ++r) {
    if (IsConstraint(row_[r])) num_rows += s.row_size(row_[r]);
  }
  for (int c = front.first_child; c < front.end_child; ++c) {
    num_rows += remainders_[plan_.child[c]].constraints.rows();
  }
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(num_rows, NumColumns(front));
  Eigen::Index place = 0;
  for (int r = first_row_[f]; r < first_row_[f + 1]; ++r) {
    const int row = row_[r];
    if (!IsConstraint(row)) continue;
    const Eigen::VectorXd norms = RowNorms(jacobian, row);
    const Eigen::VectorXd divisors = (norms.array() > 0.0).select(norms, 1.0);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int block = s.cell_column[c];
      const int size = s.column_size(block);
      if (size == 0) continue;
      a.block(place, ColumnInFront(front, position_[s.column_offset[block]]),
              s.row_size(row), size) =
          divisors.cwiseInverse().asDiagonal() * Cell(jacobian, row, c);
    }
    place += s.row_size(row);
  }
  for (int c = front.first_child; c < front.end_child; ++c) {
    const Front& child = plan_.fronts[plan_.child[c]];
    const Eigen::MatrixXd& rows = remainders_[plan_.child[c]].constraints;
    for (int j = 0; j < child.below && rows.rows() > 0; ++j) {
      a.block(place, ColumnsInParent(child)[j], rows.rows(), 1) = rows.col(j);
    }
    place += rows.rows();
  }
  return a;
}

// How much larger than the largest column of J the columns of a front have
// been; at least 1. rows: those of J after the elimination.
Eigen::VectorXd BlockQr::GatherGrowth(int f,
                                      const Eigen::MatrixXd& rows) const {
  const Front& front = plan_.fronts[f];
  Eigen::VectorXd growth = Eigen::VectorXd::Ones(NumColumns(front));
  if (largest_norm_ > 0.0) {
    growth = growth.cwiseMax(rows.colwise().norm().transpose() / largest_norm_);
  }
  for (int c = front.first_child; c < front.end_child; ++c) {
    const Front& child = plan_.fronts[plan_.child[c]];
    const Eigen::VectorXd& below = remainders_[plan_.child[c]].growth;
    for (Eigen::Index j = 0; j < below.size(); ++j) {
      double& own = growth(ColumnsInParent(child)[j]);
      own = std::max(own, below(j));
    }
  }
  return growth;
}

// Copies the given columns of rows of J, sorted by the first column where they
// are not zero. Rows of zeros are left out.
BlockQr::Staircase BlockQr::CopyColumns(const Eigen::MatrixXd& j,
                                        const std::vector<int>& columns,
                                        AlignedBuffer* values) {
  const auto num_columns = static_cast<int>(columns.size());
  std::vector<std::pair<int, int>> order;
  Staircase rows;
  rows.end.assign(num_columns, 0);
  for (int i = 0; i < j.rows(); ++i) {
    int first = 0;
    while (first < num_columns && j(i, columns[first]) == 0.0) ++first;
    if (first == num_columns) continue;
    order.emplace_back(first, i);
    ++rows.end[first];
  }
  std::sort(order.begin(), order.end());
  std::partial_sum(rows.end.begin(), rows.end.end(), rows.end.begin());
  rows.place.resize(order.size());
  std::iota(rows.place.begin(), rows.place.end(), 0);
  values->Resize(order.size() * num_columns);
  double* to = values->data();
  for (const int column : columns) {
    for (const auto& [first, row] : order) *to++ = j(row, column);
  }
  return rows;
}

// The pivots of A that are not above these norms are zero. By column of the
// front.
Eigen::VectorXd BlockQr::NegligiblePivots(const Front& front) const {
  Eigen::VectorXd norms(NumColumns(front));
  for (int j = 0; j < norms.size(); ++j) {
    const int column = j < front.width
                           ? front.first_column + j
                           : plan_.row[front.row_begin + j - front.width];
    norms(j) = kDependentConstraint * constraint_norms_[column];
  }
  return norms;
}

void BlockQr::FactorizeConstrainedFront(const BlockJacobian& jacobian,
                                        double tolerance, int f) {
  const Front& front = plan_.fronts[f];
  Remainder& remainder = remainders_[f];
  Eigen::MatrixXd a = GatherConstraints(jacobian, f);
  const std::vector<int> pivots = ReduceToEchelon(NegligiblePivots(front), &a);
  const auto num_held = static_cast<int>(
      std::lower_bound(pivots.begin(), pivots.end(), front.width) -
      pivots.begin());

  const Staircase given = SortRows(f);
  Eigen::MatrixXd j(given.num_rows(), NumColumns(front));
  Assemble(jacobian, f, given, j.data());
  EliminateColumns(a, pivots, num_held, j);
  const Eigen::VectorXd growth = GatherGrowth(f, j);

  // The front without the columns that have pivots of A.
  Front reduced = front;
  reduced.width -= num_held;
  std::vector<int> columns;
  for (int k = 0; k < NumColumns(front); ++k) {
    if (!std::binary_search(pivots.begin(), pivots.begin() + num_held, k)) {
      columns.push_back(k);
    }
  }
  AlignedBuffer values;
  const Staircase rows = CopyColumns(j, columns, &values);
  const int num_rows = rows.num_rows();
  const int num_columns = NumColumns(reduced);
  const bool is_triangular = num_rows > num_columns;
  Triangularize(rows,
                std::min(num_rows, is_triangular ? num_columns : reduced.width),
                num_columns, values.data());
  Eigen::MatrixXd r = Eigen::MatrixXd::Zero(front.width, NumColumns(front));
  for (int i = 0; i < num_held; ++i) {
    r.row(pivots[i]) = kInfiniteWeight * a.row(i);
  }
  for (int i = 0; i < reduced.width; ++i) {
    for (int k = i; i < num_rows && k < num_columns; ++k) {
      r(columns[i], columns[k]) = values.data()[i + int64_t{k} * num_rows];
    }
    const double pivot = std::abs(r(columns[i], columns[i]));
    if (pivot > tolerance * growth(columns[i])) continue;
    remainder.dependent_column = columns[i];
    remainder.pivot = pivot;
    return;
  }
  KeepPivotRows(front, r.data(), front.width);
  remainder.is_triangular = is_triangular;
  remainder.num_rows = std::min(num_rows, num_columns) - reduced.width;
  KeepRemainder(reduced, values.data(), num_rows, &remainder);
  remainder.constraints = a.bottomRightCorner(a.rows() - num_held, front.below);
  remainder.growth = growth.tail(front.below);
  ReleaseChildren(f);
}

// The rows of J and of the children by the column of the front where they
// begin.
BlockQr::Staircase BlockQr::SortRows(int f) const {
  const Front& front = plan_.fronts[f];
  std::vector<int> first_column;
  for (int r = first_row_[f]; r < first_row_[f + 1]; ++r) {
    if (IsConstraint(row_[r])) continue;
    first_column.insert(first_column.end(), structure_.row_size(row_[r]),
                        FirstColumn(row_[r]) - front.first_column);
  }
  for (int c = front.first_child; c < front.end_child; ++c) {
    const int child = plan_.child[c];
    const int* const columns = ColumnsInParent(plan_.fronts[child]);
    const Remainder& remainder = remainders_[child];
    for (int i = 0; i < remainder.num_rows; ++i) {
      first_column.push_back(columns[remainder.is_triangular ? i : 0]);
    }
  }
  Staircase rows;
  rows.end.assign(NumColumns(front), 0);
  for (const int column : first_column) ++rows.end[column];
  std::vector<int> next(NumColumns(front), 0);
  for (int j = 1; j < NumColumns(front); ++j) {
    next[j] = rows.end[j - 1];
    rows.end[j] += rows.end[j - 1];
  }
  rows.place.reserve(first_column.size());
  for (const int column : first_column) rows.place.push_back(next[column]++);
  return rows;
}

void BlockQr::Assemble(const BlockJacobian& jacobian, int f,
                       const Staircase& rows, double* values) const {
  const Front& front = plan_.fronts[f];
  const int64_t num_rows = rows.num_rows();
  std::fill_n(values, num_rows * NumColumns(front), 0.0);
  const BlockJacobianStructure& s = structure_;
  const int* place = rows.place.data();
  for (int r = first_row_[f]; r < first_row_[f + 1]; ++r) {
    const int row = row_[r];
    if (IsConstraint(row)) continue;
    const int row_size = s.row_size(row);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int block = s.cell_column[c];
      const int size = s.column_size(block);
      if (size == 0) continue;
      const double* cell = jacobian.row_block(row) + s.cell_position[c];
      double* const columns =
          values +
          num_rows * ColumnInFront(front, position_[s.column_offset[block]]);
      for (int i = 0; i < row_size; ++i) {
        for (int j = 0; j < size; ++j) {
          columns[place[i] + j * num_rows] = *cell++;
        }
      }
    }
    place += row_size;
  }
  for (int c = front.first_child; c < front.end_child; ++c) {
    const Front& child = plan_.fronts[plan_.child[c]];
    const Remainder& remainder = remainders_[plan_.child[c]];
    const int* const columns = ColumnsInParent(child);
    const double* source = remainder.values.data();
    for (int j = 0; j < child.below; ++j) {
      double* const destination = values + columns[j] * num_rows;
      for (int i = 0; i < remainder.num_rows; ++i) {
        destination[place[i]] = *source++;
      }
    }
    place += remainder.num_rows;
  }
}

// Panel by panel, each with no more rows than begin before its end: where rows
// begin late, as those of triangular children do, this saves much of the work.
void BlockQr::Triangularize(const Staircase& rows, int num_pivots,
                            int num_columns, double* values) {
  constexpr int kPanel = 16;
  const int64_t num_rows = rows.num_rows();
  for (int first = 0; first < num_pivots; first += kPanel) {
    const int end = std::min(first + kPanel, num_pivots);
    kernels::TallMatrix panel;
    panel.values = values + first + first * num_rows;
    panel.stride = rows.num_rows();
    panel.num_rows = std::max(rows.end[end - 1], end) - first;
    panel.num_dense_rows = panel.num_rows;
    panel.num_pivots = end - first;
    panel.num_columns = num_columns - first;
    kernels::HouseholderTriangularize(panel);
  }
}

// Column k of L = R' is row k of [R S]; 1 / R_kk stands in the place of L_kk.
void BlockQr::KeepPivotRows(const Front& front, const double* values,
                            int num_rows) {
  const int width = front.width;
  double* const columns = columns_.data() + front.columns_begin;
  std::fill_n(columns, kernels::FrontColumnsSize<double>(width, front.below),
              0.0);
  for (int j = 0; j < NumColumns(front); ++j) {
    const double* const source = values + int64_t{j} * num_rows;
    double* const row =
        columns + (j < width
                       ? kernels::PivotPosition<double>(width, j, 0)
                       : kernels::BelowPosition<double>(width, j - width, 0));
    const int num_pivots = std::min(j + 1, width);
    for (int k = 0; k < num_pivots; ++k) {
      row[k * kernels::kFrontStrip<double>] = source[k];
    }
    if (j < width) {
      row[j * kernels::kFrontStrip<double>] = 1.0 / source[j];
    }
  }
}

void BlockQr::KeepRemainder(const Front& front, const double* values,
                            int num_rows, Remainder* remainder) {
  const int kept = remainder->num_rows;
  if (kept == 0) return;
  remainder->values.Resize(static_cast<size_t>(kept) * front.below);
  double* destination = remainder->values.data();
  for (int j = 0; j < front.below; ++j, destination += kept) {
    const int filled = remainder->is_triangular ? std::min(j + 1, kept) : kept;
    std::copy_n(values + front.width + int64_t{j + front.width} * num_rows,
                filled, destination);
    std::fill(destination + filled, destination + kept, 0.0);
  }
}

BlockQr::DependentColumn BlockQr::Describe(int f) const {
  const Remainder& remainder = remainders_[f];
  const int column = plan_.permutation[plan_.fronts[f].first_column +
                                       remainder.dependent_column];
  const std::vector<int>& offset = structure_.column_offset;
  const int block =
      static_cast<int>(std::upper_bound(offset.begin(), offset.end(), column) -
                       offset.begin() - 1);
  return {block, column - offset[block], remainder.pivot};
}

void BlockQr::ComputeInverseBlocks(
    const Execution& execution, const std::vector<InverseBlock>& blocks) const {
  internal::ComputeInverseBlocks(execution, structure_.column_offset, plan_,
                                 columns_.data(), InverseMethod::kSolves,
                                 blocks);
}

}  // namespace ceres::internal
