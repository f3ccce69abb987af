// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linear/random_jacobian.h"

#include <algorithm>
#include <vector>

#include "ceres/linear/dense_test_utils.h"

namespace ceres::internal {

void FillWithRandomValues(std::mt19937* random, double* values, int64_t n) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int64_t i = 0; i < n; ++i) values[i] = uniform(*random);
}

void FillJacobian(std::mt19937* random, RandomJacobian* problem) {
  const int64_t num_values = problem->structure.num_values();
  problem->jacobian.structure = &problem->structure;
  problem->jacobian.values.Resize(num_values);
  FillWithRandomValues(random, problem->jacobian.values.data(), num_values);
}

std::unique_ptr<RandomJacobian> MakeRandomJacobian(
    const RandomJacobianOptions& options) {
  auto result = std::make_unique<RandomJacobian>();
  BlockJacobianStructure& structure = result->structure;
  std::mt19937 random(options.seed);
  const auto upto = [&random](int n) {
    return std::uniform_int_distribution<int>(1, n)(random);
  };
  for (int b = 0; b < options.num_column_blocks; ++b) {
    structure.column_offset.push_back(structure.num_columns() +
                                      upto(options.max_column_size));
  }
  std::vector<int> blocks(options.num_column_blocks);
  for (size_t b = 0; b < blocks.size(); ++b) blocks[b] = static_cast<int>(b);
  for (int row = 0; row < options.num_row_blocks; ++row) {
    std::shuffle(blocks.begin(), blocks.end(), random);
    const int cells = upto(std::min<int>(options.max_cells, blocks.size()));
    AppendRowBlock(upto(options.max_row_size),
                   {blocks.begin(), blocks.begin() + cells}, &structure);
  }
  CutIntoRowChunks(&structure);
  FillJacobian(&random, result.get());
  result->damping.resize(structure.num_columns());
  FillWithRandomValues(&random, result->damping.data(),
                       structure.num_columns());
  result->damping = (result->damping.array().abs() + 0.1).matrix();
  return result;
}

std::unique_ptr<RandomJacobian> MakeTallRandomJacobian(int seed) {
  RandomJacobianOptions options;
  options.num_column_blocks = 4 + 5 * (seed % 6);
  options.num_row_blocks = 12 * options.num_column_blocks;
  options.seed = seed;
  return MakeRandomJacobian(options);
}

Eigen::MatrixXd DenseJacobian(const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(s.num_rows(), s.num_columns());
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int b = s.cell_column[c];
      const double* cell = jacobian.row_block(row) + s.cell_position[c];
      for (int i = 0; i < s.row_size(row); ++i) {
        for (int j = 0; j < s.column_size(b); ++j) {
          dense(s.row_offset[row] + i, s.column_offset[b] + j) =
              cell[i * s.column_size(b) + j];
        }
      }
    }
  }
  return dense;
}

Eigen::VectorXd DenseResiduals(const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  Eigen::VectorXd residuals(s.num_rows());
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    std::copy_n(jacobian.row_block(row), s.row_size(row),
                residuals.data() + s.row_offset[row]);
  }
  return residuals;
}

Eigen::VectorXd DenseStep(const BlockJacobian& jacobian,
                          const double* damping) {
  const Eigen::MatrixXd j = DenseJacobian(jacobian);
  const Eigen::Index n = j.cols();
  Eigen::MatrixXd stacked(j.rows() + n, n);
  stacked.topRows(j.rows()) = j;
  stacked.bottomRows(n).setZero();
  if (damping != nullptr) {
    stacked.bottomRows(n).diagonal() =
        Eigen::Map<const Eigen::VectorXd>(damping, n);
  }
  Eigen::VectorXd right_hand_side = Eigen::VectorXd::Zero(j.rows() + n);
  right_hand_side.head(j.rows()) = -DenseResiduals(jacobian);
  return DenseLeastSquares(stacked, right_hand_side);
}

double DenseModelCostChange(const BlockJacobian& jacobian,
                            const Eigen::VectorXd& step) {
  const Eigen::VectorXd r = DenseResiduals(jacobian);
  return 0.5 * r.squaredNorm() -
         0.5 * (DenseJacobian(jacobian) * step + r).squaredNorm();
}

}  // namespace ceres::internal
