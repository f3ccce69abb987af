// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/random_schur_jacobian.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "Eigen/SparseCholesky"
#include "Eigen/SparseCore"

namespace ceres::internal {
namespace {

int Draw(std::mt19937* random, const std::vector<int>& sizes) {
  return sizes[std::uniform_int_distribution<size_t>(
      0, sizes.size() - 1)(*random)];
}
int Between(std::mt19937* random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(*random);
}

}  // namespace

void CutEvenly(int num_row_chunks, BlockJacobianStructure* structure) {
  std::vector<int> allowed = structure->eliminated_first_row;
  for (int row = allowed.back() + 1; row <= structure->num_row_blocks();
       ++row) {
    allowed.push_back(row);
  }
  structure->row_chunk_first_row = {0};
  const int last = structure->num_row_blocks();
  for (int s = 1; s < num_row_chunks; ++s) {
    const int row = *std::lower_bound(allowed.begin(), allowed.end(),
                                      last * s / num_row_chunks);
    if (row > structure->row_chunk_first_row.back() && row < last) {
      structure->row_chunk_first_row.push_back(row);
    }
  }
  structure->row_chunk_first_row.push_back(last);
}

std::unique_ptr<RandomJacobian> MakeRandomSchurJacobian(
    const RandomSchurOptions& options) {
  auto result = std::make_unique<RandomJacobian>();
  BlockJacobianStructure& s = result->structure;
  std::mt19937 random(options.seed);
  const auto append_column = [&s](int size) {
    s.column_offset.push_back(s.num_columns() + size);
  };
  for (int p = 0; p < options.num_points; ++p) {
    append_column(Draw(&random, options.point_sizes));
  }
  for (int c = 0; c < options.num_cameras; ++c) {
    append_column(Draw(&random, options.camera_sizes));
  }
  std::vector<int> cameras(options.num_cameras);
  std::iota(cameras.begin(), cameras.end(), options.num_points);
  s.num_eliminated = options.num_points;
  for (int p = 0; p < options.num_points; ++p) {
    std::shuffle(cameras.begin(), cameras.end(), random);
    int next = 0;
    const int rows = Between(&random, 1, options.max_rows_per_point);
    for (int row = 0; row < rows; ++row) {
      const int cells =
          std::min(Between(&random, options.min_cells, options.max_cells),
                   options.num_cameras);
      if (options.repeat_cameras) {
        std::shuffle(cameras.begin(), cameras.end(), random);
        next = 0;
      }
      if (next + cells > options.num_cameras) break;
      std::vector<int> columns = {p};
      columns.insert(columns.end(), cameras.begin() + next,
                     cameras.begin() + next + cells);
      next += cells;
      AppendRowBlock(Draw(&random, options.row_sizes), columns, &s);
    }
    s.eliminated_first_row.push_back(s.num_row_blocks());
  }
  for (int row = 0; row < options.num_other_rows; ++row) {
    std::shuffle(cameras.begin(), cameras.end(), random);
    const int cells = Between(&random, 1, std::min(3, options.num_cameras));
    AppendRowBlock(Draw(&random, options.row_sizes),
                   {cameras.begin(), cameras.begin() + cells}, &s);
  }
  CutEvenly(options.num_row_chunks, &s);
  FillJacobian(&random, result.get());
  result->damping.resize(s.num_columns());
  FillWithRandomValues(&random, result->damping.data(), s.num_columns());
  result->damping = (result->damping.array().abs() + 0.1).matrix();
  return result;
}

Eigen::MatrixXd DenseSchurComplement(const RandomJacobian& problem) {
  using Sparse = Eigen::SparseMatrix<double>;
  const BlockJacobianStructure& s = problem.structure;
  const int num_e = s.column_offset[s.num_eliminated];
  const int num_f = s.num_columns() - num_e;
  const Sparse j = DenseJacobian(problem.jacobian).sparseView();
  Sparse h = j.transpose() * j;
  h += Sparse(problem.damping.array().square().matrix().asDiagonal());
  const Sparse coupling = h.topRightCorner(num_e, num_f);
  const Eigen::SimplicialLDLT<Sparse> points(h.topLeftCorner(num_e, num_e));
  const Sparse correction = coupling.transpose() * points.solve(coupling);
  return Eigen::MatrixXd(h.bottomRightCorner(num_f, num_f)) - correction;
}

}  // namespace ceres::internal
