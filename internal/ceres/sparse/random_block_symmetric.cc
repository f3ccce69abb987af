// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/random_block_symmetric.h"

#include <random>
#include <set>
#include <utility>

namespace ceres::internal {

Eigen::MatrixXd RandomBlockSymmetric::Dense() const {
  const BlockSymmetricStructure& s = structure;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(s.size(), s.size());
  for (int i = 0; i < s.num_blocks(); ++i) {
    const int rows = s.block_offset[i + 1] - s.block_offset[i];
    for (int e = s.first_entry[i]; e < s.first_entry[i + 1]; ++e) {
      const int j = s.entry_column[e];
      const int columns = s.block_offset[j + 1] - s.block_offset[j];
      for (int k = 0; k < rows * columns; ++k) {
        const int row = s.block_offset[i] + k / columns;
        const int column = s.block_offset[j] + k % columns;
        dense(row, column) = values.data()[s.value_offset[e] + k];
        dense(column, row) = dense(row, column);
      }
    }
  }
  return dense;
}

std::unique_ptr<RandomBlockSymmetric> MakeBlockSymmetric(
    const std::vector<int>& sizes, const std::function<bool(int, int)>& has,
    int seed) {
  auto result = std::make_unique<RandomBlockSymmetric>();
  BlockSymmetricStructure& s = result->structure;
  const int n = static_cast<int>(sizes.size());
  for (const int size : sizes) s.block_offset.push_back(s.size() + size);
  for (int i = 0; i < n; ++i) {
    for (int j = i; j < n; ++j) {
      if (j != i && !has(i, j)) continue;
      s.entry_column.push_back(j);
      s.value_offset.push_back(s.num_values() + sizes[i] * sizes[j]);
    }
    s.first_entry.push_back(static_cast<int>(s.entry_column.size()));
  }
  result->values.Resize(s.num_values());
  std::mt19937 random(seed);
  FillWithRandomValues(&random, result->values.data(), s.num_values());
  // Symmetric diagonal blocks, then each diagonal entry greater than its row.
  for (int i = 0; i < n; ++i) {
    double* block = result->values.data() + s.value_offset[s.first_entry[i]];
    for (int k = 0; k < sizes[i]; ++k) {
      for (int l = 0; l < k; ++l) {
        block[k * sizes[i] + l] = block[l * sizes[i] + k];
      }
      block[k * sizes[i] + k] = 0.0;
    }
  }
  const Eigen::VectorXd sums = result->Dense().cwiseAbs().rowwise().sum();
  for (int i = 0; i < n; ++i) {
    double* block = result->values.data() + s.value_offset[s.first_entry[i]];
    for (int k = 0; k < sizes[i]; ++k) {
      block[k * sizes[i] + k] = 0.5 + sums[s.block_offset[i] + k];
    }
  }
  return result;
}

std::unique_ptr<RandomBlockSymmetric> MakeRandomBlockSymmetric(int num_blocks,
                                                               int max_size,
                                                               int num_edges,
                                                               int seed) {
  std::mt19937 random(seed);
  std::vector<int> sizes(num_blocks);
  for (int& size : sizes) {
    size = std::uniform_int_distribution<int>(1, max_size)(random);
  }
  std::set<std::pair<int, int>> edges;
  std::uniform_int_distribution<int> pick(0, num_blocks - 1);
  for (int k = 0; k < num_edges; ++k)
    edges.insert({pick(random), pick(random)});
  return MakeBlockSymmetric(
      sizes,
      [&edges](int i, int j) {
        return edges.count({i, j}) > 0;
      },
      seed);
}

}  // namespace ceres::internal
