// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/marginalization/row_elimination.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "Eigen/Eigenvalues"
#include "Eigen/QR"

namespace ceres::internal {
namespace {

using PivotedQr = Eigen::ColPivHouseholderQR<ColMajorMatrix>;

// The number of pivots, which do not increase, that exceed the tolerance.
int RankOf(const PivotedQr& qr, double tolerance) {
  const auto pivots = qr.matrixQR().diagonal().cwiseAbs();
  int rank = 0;
  while (rank < pivots.size() && pivots[rank] > tolerance) ++rank;
  return rank;
}

// S = V diag(values) V', without the eigenvalues that do not exceed the
// tolerance.
struct Spectrum {
  Spectrum(const ColMajorMatrix& s, double tolerance) {
    const Eigen::SelfAdjointEigenSolver<ColMajorMatrix> solver(s);
    const Vector& all = solver.eigenvalues();  // ascending
    Eigen::Index dropped = 0;
    while (dropped < all.size() && !(all[dropped] > tolerance)) ++dropped;
    values = all.tail(all.size() - dropped);
    vectors = solver.eigenvectors().rightCols(all.size() - dropped);
  }
  Vector values;
  ColMajorMatrix vectors;
};

}  // namespace

RowElimination::RowElimination(MarginalizationMethod method, double tolerance,
                               std::vector<int> block_sizes,
                               std::vector<RowGroup> groups)
    : method_(method),
      block_sizes_(std::move(block_sizes)),
      tolerance_(tolerance),
      groups_of_block_(block_sizes_.size()) {
  double size = std::accumulate(block_sizes_.begin(), block_sizes_.end(), 0.0);
  for (const RowGroup& group : groups) {
    size += static_cast<double>(group.values.rows());
  }
  if (tolerance_ < 0.0) {
    tolerance_ = 20.0 * size * std::numeric_limits<double>::epsilon();
  }
  for (RowGroup& group : groups) AddGroup(std::move(group));
  ScaleColumns();
}

void RowElimination::AddGroup(RowGroup group) {
  const int index = static_cast<int>(groups_.size());
  for (const int block : group.blocks) groups_of_block_[block].insert(index);
  groups_.push_back(std::move(group));
}

void RowElimination::ScaleColumns() {
  for (const int size : block_sizes_) scale_.push_back(Vector::Zero(size));
  for (const RowGroup& group : groups_) {
    int column = 0;
    for (const int block : group.blocks) {
      scale_[block] += group.values.middleCols(column, block_sizes_[block])
                           .colwise()
                           .squaredNorm()
                           .transpose();
      column += block_sizes_[block];
    }
  }
  for (Vector& scale : scale_) {
    scale = scale.unaryExpr(
        [](double square) { return square > 0.0 ? std::sqrt(square) : 1.0; });
  }
  for (RowGroup& group : groups_) {
    int column = 0;
    for (const int block : group.blocks) {
      auto columns = group.values.middleCols(column, block_sizes_[block]);
      columns = columns * scale_[block].cwiseInverse().asDiagonal();
      column += block_sizes_[block];
    }
  }
}

std::vector<int> RowElimination::UnionOf(const std::vector<int>& groups) const {
  std::vector<int> blocks;
  for (const int group : groups) {
    blocks.insert(blocks.end(), groups_[group].blocks.begin(),
                  groups_[group].blocks.end());
  }
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

int RowElimination::Degree(int block) const {
  const std::set<int>& groups = groups_of_block_[block];
  int degree = 0;
  for (const int other : UnionOf({groups.begin(), groups.end()})) {
    degree += block_sizes_[other];
  }
  return degree;
}

ColMajorMatrix RowElimination::Stack(const std::vector<int>& groups,
                                     const std::vector<int>& blocks) const {
  std::vector<int> column_of_block(block_sizes_.size(), -1);
  int num_columns = 0;
  for (const int block : blocks) {
    column_of_block[block] = num_columns;
    num_columns += block_sizes_[block];
  }
  Eigen::Index num_rows = 0;
  for (const int group : groups) num_rows += groups_[group].values.rows();
  ColMajorMatrix rows = ColMajorMatrix::Zero(num_rows, num_columns + 1);
  Eigen::Index row = 0;
  for (const int g : groups) {
    const RowGroup& group = groups_[g];
    int column = 0;
    for (const int block : group.blocks) {
      rows.block(row, column_of_block[block], group.values.rows(),
                 block_sizes_[block]) =
          group.values.middleCols(column, block_sizes_[block]);
      column += block_sizes_[block];
    }
    rows.col(num_columns).segment(row, group.values.rows()) =
        group.values.col(column);
    row += group.values.rows();
  }
  return rows;
}

void RowElimination::EliminateFirst(int num_blocks) {
  std::set<std::pair<int, int>> queue;  // degree and block
  std::vector<int> degree(num_blocks);
  for (int block = 0; block < num_blocks; ++block) {
    degree[block] = Degree(block);
    queue.emplace(degree[block], block);
  }
  while (!queue.empty()) {
    const int block = queue.begin()->second;
    queue.erase(queue.begin());
    const std::set<int>& groups = groups_of_block_[block];
    const std::vector<int> touched = UnionOf({groups.begin(), groups.end()});
    Eliminate(block);
    for (const int other : touched) {
      if (other >= num_blocks || other == block) continue;
      queue.erase({degree[other], other});
      degree[other] = Degree(other);
      queue.emplace(degree[other], other);
    }
  }
}

void RowElimination::Eliminate(int block) {
  const std::vector<int> groups(groups_of_block_[block].begin(),
                                groups_of_block_[block].end());
  std::vector<int> rest = UnionOf(groups);
  rest.erase(std::remove(rest.begin(), rest.end(), block), rest.end());
  std::vector<int> blocks = {block};
  blocks.insert(blocks.end(), rest.begin(), rest.end());
  if (groups.empty()) return;
  ColMajorMatrix rows = Stack(groups, blocks);
  for (const int group : groups) {
    for (const int other : groups_[group].blocks) {
      groups_of_block_[other].erase(group);
    }
    groups_[group] = RowGroup();
  }
  rows = method_ == MarginalizationMethod::kBlockQr
             ? EliminateByQr(std::move(rows), block_sizes_[block])
             : EliminateBySchur(rows, block_sizes_[block]);
  if (rows.rows() > 0) AddGroup({std::move(rest), std::move(rows)});
}

ColMajorMatrix RowElimination::EliminateByQr(ColMajorMatrix rows,
                                             int num_pivots) {
  const PivotedQr pivots(rows.leftCols(num_pivots));
  const int rank = RankOf(pivots, tolerance_);
  eliminated_rank_ += rank;
  const Eigen::Index num_columns = rows.cols() - num_pivots;
  ColMajorMatrix rest = rows.rightCols(num_columns);
  rest.applyOnTheLeft(pivots.householderQ()
                          .setLength(std::min<Eigen::Index>(rank, rows.rows()))
                          .adjoint());
  rest = rest.bottomRows(rest.rows() - rank).eval();
  if (rest.rows() > num_columns) {
    const Eigen::HouseholderQR<ColMajorMatrix> triangle(rest);
    rest = ColMajorMatrix(triangle.matrixQR()
                              .topRows(num_columns)
                              .triangularView<Eigen::Upper>());
  }
  if (num_columns == 1) {
    least_cost_ += 0.5 * rest.squaredNorm();
    rest.resize(0, 1);
  }
  return rest;
}

ColMajorMatrix RowElimination::EliminateBySchur(const ColMajorMatrix& rows,
                                                int num_pivots) {
  const ColMajorMatrix h = rows.transpose() * rows;
  const Eigen::Index n = h.rows() - num_pivots;
  const Spectrum spectrum(h.topLeftCorner(num_pivots, num_pivots), tolerance_);
  eliminated_rank_ += static_cast<int>(spectrum.values.size());
  const ColMajorMatrix half =
      spectrum.values.cwiseSqrt().cwiseInverse().asDiagonal() *
      (spectrum.vectors.transpose() * h.topRightCorner(num_pivots, n));
  const ColMajorMatrix s = h.bottomRightCorner(n, n) - half.transpose() * half;
  // The rows of a square root of S, the residual included. Its last column is
  // not scaled: it is divided by its norm for the decision on the rank.
  const double norm = std::sqrt(std::max(s(n - 1, n - 1), 0.0));
  const double scale = norm > 0.0 ? norm : 1.0;
  Vector scaling = Vector::Ones(n);
  scaling[n - 1] = 1.0 / scale;
  const Spectrum root(scaling.asDiagonal() * s * scaling.asDiagonal(),
                      tolerance_);
  ColMajorMatrix rest = root.values.cwiseSqrt().asDiagonal() *
                        root.vectors.transpose() *
                        scaling.cwiseInverse().asDiagonal();
  if (n == 1) {
    least_cost_ += 0.5 * rest.squaredNorm();
    rest.resize(0, 1);
  }
  return rest;
}

SquareRoot RowElimination::RootByQr(const ColMajorMatrix& rows) {
  const Eigen::Index n = rows.cols() - 1;
  const PivotedQr qr(rows.leftCols(n));
  const int rank = RankOf(qr, tolerance_);
  SquareRoot root;
  root.a = ColMajorMatrix(
               qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>()) *
           qr.colsPermutation().transpose();
  Vector residual = rows.col(n);
  residual.applyOnTheLeft(qr.householderQ().setLength(rank).adjoint());
  root.b = residual.head(rank);
  least_cost_ += 0.5 * residual.tail(residual.size() - rank).squaredNorm();
  if (rank > 0) {
    const auto pivots = qr.matrixQR().diagonal().head(rank).cwiseAbs();
    root.condition_number = pivots.maxCoeff() / pivots.minCoeff();
  }
  return root;
}

SquareRoot RowElimination::RootBySchur(const ColMajorMatrix& rows) {
  const Eigen::Index n = rows.cols() - 1;
  const ColMajorMatrix a = rows.leftCols(n);
  const Spectrum spectrum(a.transpose() * a, tolerance_);
  SquareRoot root;
  const Vector roots = spectrum.values.cwiseSqrt();
  root.a = roots.asDiagonal() * spectrum.vectors.transpose();
  root.b = roots.cwiseInverse().asDiagonal() *
           (spectrum.vectors.transpose() * (a.transpose() * rows.col(n)));
  least_cost_ +=
      0.5 * std::max(rows.col(n).squaredNorm() - root.b.squaredNorm(), 0.0);
  if (root.rank() > 0) {
    root.condition_number = roots.maxCoeff() / roots.minCoeff();
  }
  return root;
}

SquareRoot RowElimination::TakeRest(int first_block) {
  std::vector<int> groups;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (groups_[g].values.rows() > 0) groups.push_back(static_cast<int>(g));
  }
  std::vector<int> blocks(block_sizes_.size() - first_block);
  std::iota(blocks.begin(), blocks.end(), first_block);
  const ColMajorMatrix rows = Stack(groups, blocks);
  groups_.clear();
  SquareRoot root;
  if (rows.rows() == 0 || rows.cols() == 1) {
    least_cost_ += 0.5 * rows.squaredNorm();
    root.a.resize(0, rows.cols() - 1);
    return root;
  }
  root = method_ == MarginalizationMethod::kBlockQr ? RootByQr(rows)
                                                    : RootBySchur(rows);
  Eigen::Index column = 0;
  for (const int block : blocks) {
    auto columns = root.a.middleCols(column, block_sizes_[block]);
    columns = columns * scale_[block].asDiagonal();
    column += block_sizes_[block];
  }
  return root;
}

}  // namespace ceres::internal
