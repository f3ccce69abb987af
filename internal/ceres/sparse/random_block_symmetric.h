// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_RANDOM_BLOCK_SYMMETRIC_H_
#define CERES_INTERNAL_SPARSE_RANDOM_BLOCK_SYMMETRIC_H_

// For tests and benchmarks: random block-sparse symmetric positive definite
// matrices.

#include <functional>
#include <memory>
#include <vector>

#include "Eigen/Core"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/linear/random_jacobian.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

struct RandomBlockSymmetric {
  BlockSymmetricStructure structure;
  AlignedBuffer values;

  Eigen::MatrixXd Dense() const;
};

// has(i, j), i < j: whether block (i, j) is stored. Diagonally dominant.
std::unique_ptr<RandomBlockSymmetric> MakeBlockSymmetric(
    const std::vector<int>& sizes, const std::function<bool(int, int)>& has,
    int seed);

// Matrices of twelve blocks whose elimination trees have different shapes.
struct TreeShape {
  const char* name;
  bool (*has)(int i, int j);  // of MakeBlockSymmetric

  std::unique_ptr<RandomBlockSymmetric> Make() const {
    return MakeBlockSymmetric({3, 1, 6, 2, 9, 3, 3, 4, 1, 7, 6, 6}, has, 7);
  }
};
inline constexpr TreeShape kTreeShapes[] = {
    {"diagonal", [](int, int) { return false; }},
    {"dense", [](int, int) { return true; }},
    {"chain", [](int i, int j) { return j == i + 1; }},
    {"ring", [](int i, int j) { return j == i + 1 || j - i == 11; }},
    {"arrow, hub first", [](int i, int) { return i == 0; }},
    {"arrow, hub last", [](int, int j) { return j == 11; }},
    {"two dense parts", [](int i, int j) { return i % 2 == j % 2; }},
    {"forest", [](int i, int j) { return j == i + 1 && j % 4 != 0; }},
    {"band", [](int i, int j) { return j <= i + 3; }},
};

// A matrix with blocks of random sizes from 1 to max_size, and about num_edges
// random blocks off the diagonal.
std::unique_ptr<RandomBlockSymmetric> MakeRandomBlockSymmetric(int num_blocks,
                                                               int max_size,
                                                               int num_edges,
                                                               int seed);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_RANDOM_BLOCK_SYMMETRIC_H_
