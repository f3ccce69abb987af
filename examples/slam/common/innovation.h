// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// How well measurements agree with the solution of a problem without them.

#ifndef VESTA_EXAMPLES_SLAM_COMMON_INNOVATION_H_
#define VESTA_EXAMPLES_SLAM_COMMON_INNOVATION_H_

#include <utility>
#include <vector>

#include "Eigen/Cholesky"
#include "Eigen/Core"
#include "ceres/covariance.h"
#include "ceres/problem.h"

namespace ceres::examples {

// The residuals of a block, its Jacobian, and the parameter blocks of the
// Jacobian's columns: those that vary, in tangent coordinates.
struct LinearizedBlock {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  std::vector<const double*> parameters;
};

inline LinearizedBlock Linearized(const Problem& problem,
                                  ResidualBlockId block) {
  using RowMajor =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<double*> arguments;
  problem.GetParameterBlocksForResidualBlock(block, &arguments);
  const int m = problem.GetCostFunctionForResidualBlock(block)->num_residuals();
  LinearizedBlock result;
  result.residuals.resize(m);
  std::vector<RowMajor> parts(arguments.size());
  std::vector<double*> jacobians(arguments.size(), nullptr);
  int num_columns = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (problem.IsParameterBlockConstant(arguments[k])) continue;
    parts[k].resize(m, problem.ParameterBlockTangentSize(arguments[k]));
    jacobians[k] = parts[k].data();
    num_columns += static_cast<int>(parts[k].cols());
    result.parameters.push_back(arguments[k]);
  }
  problem.EvaluateResidualBlock(block, /*apply_loss_function=*/false, nullptr,
                                result.residuals.data(), jacobians.data());
  result.jacobian.resize(m, num_columns);
  int column = 0;
  for (const RowMajor& part : parts) {
    result.jacobian.middleCols(column, part.cols()) = part;
    column += static_cast<int>(part.cols());
  }
  return result;
}

// The normalized innovation f' (I + J C J')^-1 f of each block, where C is the
// covariance of the problem without the blocks. If a block is a measurement of
// the same world with unit variance, its innovation is a chi-square variable
// with as many degrees of freedom as it has residuals (Bar-Shalom, Li,
// Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001,
// section 5.4). Removes the blocks from the problem, which must be at its
// solution without them. Empty: its Jacobian has not full rank.
inline std::vector<double> Innovations(
    const std::vector<ResidualBlockId>& blocks, Problem* problem) {
  std::vector<LinearizedBlock> linearized;
  std::vector<std::pair<const double*, const double*>> pairs;
  for (const ResidualBlockId block : blocks) {
    linearized.push_back(Linearized(*problem, block));
    for (const double* a : linearized.back().parameters) {
      for (const double* b : linearized.back().parameters) {
        if (a <= b) pairs.emplace_back(a, b);
      }
    }
  }
  for (const ResidualBlockId block : blocks) {
    problem->RemoveResidualBlock(block);
  }
  Covariance covariance((Covariance::Options()));
  if (blocks.empty() || !covariance.Compute(pairs, problem)) return {};
  std::vector<double> innovations;
  for (const LinearizedBlock& block : linearized) {
    const auto n = block.jacobian.cols();
    // Symmetric: its order in memory does not matter.
    Eigen::MatrixXd c(n, n);
    covariance.GetCovarianceMatrixInTangentSpace(block.parameters, c.data());
    const Eigen::MatrixXd of_innovation =
        Eigen::MatrixXd::Identity(block.residuals.size(),
                                  block.residuals.size()) +
        block.jacobian * c * block.jacobian.transpose();
    innovations.push_back(
        block.residuals.dot(of_innovation.llt().solve(block.residuals)));
  }
  return innovations;
}

}  // namespace ceres::examples

#endif  // VESTA_EXAMPLES_SLAM_COMMON_INNOVATION_H_
