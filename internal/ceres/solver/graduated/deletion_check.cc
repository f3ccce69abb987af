// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/graduated/deletion_check.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "ceres/covariance.h"

namespace ceres::internal {
namespace {

using RowMajorMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using BlockPair = std::pair<int, int>;

std::vector<ParameterBlock*> VaryingBlocks(const ResidualBlock& block) {
  std::vector<ParameterBlock*> varying;
  for (int k = 0; k < block.num_parameter_blocks(); ++k) {
    ParameterBlock* const argument = block.parameter_blocks()[k];
    if (!argument->IsConstant()) varying.push_back(argument);
  }
  return varying;
}

// The pairs of parameter blocks that residual blocks have in common, by index
// in the problem. Each once, and in an order that no address decides.
std::vector<BlockPair> PairsOf(const std::vector<ResidualBlock*>& blocks) {
  std::vector<BlockPair> pairs;
  for (const ResidualBlock* block : blocks) {
    const std::vector<ParameterBlock*> varying = VaryingBlocks(*block);
    for (const ParameterBlock* a : varying) {
      for (const ParameterBlock* b : varying) {
        if (a->index() <= b->index())
          pairs.emplace_back(a->index(), b->index());
      }
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// Residuals, Jacobian and covariance of one block, and their statistic.
class BlockCheck {
 public:
  // Returns t, or 0 if the block cannot be evaluated.
  double Statistic(const ResidualBlock& block, ResidualBlockId id,
                   const Covariance& covariance, const Problem& problem) {
    const std::vector<ParameterBlock*> varying = VaryingBlocks(block);
    const int m = block.num_residuals();
    std::vector<const double*> addresses;
    int n = 0;
    for (const ParameterBlock* argument : varying) {
      addresses.push_back(argument->user_state());
      n += argument->tangent_size();
    }
    residuals_.resize(m);
    parts_.resize(static_cast<std::size_t>(m) * n);
    jacobian_.resize(m, n);
    covariance_.resize(n, n);
    std::vector<double*> jacobians(block.num_parameter_blocks(), nullptr);
    double* part = parts_.data();
    for (int k = 0; k < block.num_parameter_blocks(); ++k) {
      const ParameterBlock& argument = *block.parameter_blocks()[k];
      if (argument.IsConstant()) continue;
      jacobians[k] = part;
      part += static_cast<std::ptrdiff_t>(m) * argument.tangent_size();
    }
    if (!problem.EvaluateResidualBlock(id, /*apply_loss_function=*/false,
                                       nullptr, residuals_.data(),
                                       jacobians.data()) ||
        !covariance.GetCovarianceMatrixInTangentSpace(addresses,
                                                      covariance_.data())) {
      return 0.0;
    }
    JoinParts(varying);
    return DeletionStatistic(m, n, residuals_.data(), jacobian_.data(),
                             covariance_.data());
  }

 private:
  // The Jacobian of all arguments from those of one argument each.
  void JoinParts(const std::vector<ParameterBlock*>& varying) {
    const double* part = parts_.data();
    int column = 0;
    for (const ParameterBlock* argument : varying) {
      const int size = argument->tangent_size();
      jacobian_.middleCols(column, size) =
          Eigen::Map<const RowMajorMatrix>(part, jacobian_.rows(), size);
      part += jacobian_.rows() * size;
      column += size;
    }
  }

  std::vector<double> residuals_;
  std::vector<double> parts_;
  RowMajorMatrix jacobian_;
  RowMajorMatrix covariance_;
};

}  // namespace

double DeletionStatistic(int m, int n, const double* f, const double* jacobian,
                         const double* covariance) {
  // Less of the variance of a residual is left by the fit, or by rounding.
  constexpr double kDetermined = 1e-6;
  const Eigen::Map<const RowMajorMatrix> j(jacobian, m, n);
  const Eigen::Map<const RowMajorMatrix> c(covariance, n, n);
  const Eigen::Map<const Eigen::VectorXd> residuals(f, m);
  const Eigen::MatrixXd left =
      Eigen::MatrixXd::Identity(m, m) - Eigen::MatrixXd(j * c * j.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(left);
  const Eigen::VectorXd part = eigen.eigenvectors().transpose() * residuals;
  double statistic = 0.0;
  for (int k = 0; k < m; ++k) {
    const double variance = eigen.eigenvalues()[k];
    if (variance > kDetermined) statistic += part[k] * part[k] / variance;
  }
  return statistic;
}

std::vector<double> DeletionNorms(const std::vector<ResidualBlock*>& uncertain,
                                  const RelativeNorms& norms,
                                  const std::vector<double>& weights,
                                  int num_threads, WeightedProblem* weighted) {
  std::vector<int> inliers;
  std::vector<ResidualBlock*> blocks;
  for (int i = 0; i < static_cast<int>(uncertain.size()); ++i) {
    if (weights[i] != 1.0) continue;
    inliers.push_back(i);
    blocks.push_back(uncertain[i]);
  }
  Problem* const problem = weighted->problem();
  const std::vector<ParameterBlock*>& parameter_blocks =
      problem->mutable_impl()->parameter_blocks();
  std::vector<std::pair<const double*, const double*>> pairs;
  for (const auto& [a, b] : PairsOf(blocks)) {
    pairs.emplace_back(parameter_blocks[a]->user_state(),
                       parameter_blocks[b]->user_state());
  }
  Covariance::Options options;
  options.algorithm_type = SPARSE_CHOLESKY;
  options.num_threads = num_threads;
  Covariance covariance(options);
  std::vector<double> deletion_norms(uncertain.size(), 0.0);
  if (pairs.empty() || !covariance.Compute(pairs, problem)) {
    return deletion_norms;
  }
  BlockCheck check;
  for (const int i : inliers) {
    const double t = check.Statistic(*uncertain[i], weighted->CounterpartOf(i),
                                     covariance, *problem);
    deletion_norms[i] = t * norms.InverseBound(i);
  }
  return deletion_norms;
}

}  // namespace ceres::internal
