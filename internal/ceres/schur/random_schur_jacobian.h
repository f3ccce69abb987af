// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_RANDOM_SCHUR_JACOBIAN_H_
#define CERES_INTERNAL_SCHUR_RANDOM_SCHUR_JACOBIAN_H_

// For tests: random block Jacobians with eliminated blocks, and S by Eigen.

#include <memory>
#include <vector>

#include "ceres/linear/random_jacobian.h"

namespace ceres::internal {

// For tests: the sizes of a random Jacobian with eliminated blocks.
struct RandomSchurOptions {
  int num_points = 20;
  int num_cameras = 6;
  // Sizes are drawn from these lists.
  std::vector<int> point_sizes = {3};
  std::vector<int> camera_sizes = {9};
  std::vector<int> row_sizes = {2};
  int max_rows_per_point = 6;
  // The number of remaining cells of a point's row, of distinct blocks.
  int min_cells = 1;
  int max_cells = 1;
  // Whether two rows of a point may touch the same block.
  bool repeat_cameras = false;
  int num_other_rows = 0;  // rows that touch no point
  int num_row_chunks = 3;  // no chunk ends within the rows of a point
  int seed = 1;
};

// Cuts rows between points into at most num_row_chunks row chunks of equal
// counts.
void CutEvenly(int num_row_chunks, BlockJacobianStructure* structure);

std::unique_ptr<RandomJacobian> MakeRandomSchurJacobian(
    const RandomSchurOptions& options);

// S = F'F - F'E (E'E)^-1 E'F, with damping, computed by Eigen's sparse matrices
// without knowledge of blocks: the reference of tests.
Eigen::MatrixXd DenseSchurComplement(const RandomJacobian& problem);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_RANDOM_SCHUR_JACOBIAN_H_
