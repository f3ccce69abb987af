// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/support_check.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
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

// The covariances of pairs of parameter blocks. Null without full rank.
std::unique_ptr<Covariance> CovarianceOf(const std::vector<BlockPair>& pairs,
                                         const CheckedProblem& problem) {
  Problem* const weighted = problem.weighted->problem();
  const std::vector<ParameterBlock*>& parameter_blocks =
      weighted->mutable_impl()->parameter_blocks();
  std::vector<std::pair<const double*, const double*>> addresses;
  for (const auto& [a, b] : pairs) {
    addresses.emplace_back(parameter_blocks[a]->user_state(),
                           parameter_blocks[b]->user_state());
  }
  Covariance::Options options;
  options.algorithm_type = SPARSE_CHOLESKY;
  options.num_threads = problem.num_threads;
  auto covariance = std::make_unique<Covariance>(options);
  if (addresses.empty() || !covariance->Compute(addresses, weighted)) {
    return nullptr;
  }
  return covariance;
}

// Residuals and Jacobian of one block.
class BlockCheck {
 public:
  BlockCheck(const Problem& whole, ResidualBlock* id)
      : varying_(VaryingBlocks(*id)), residuals_(id->num_residuals()) {
    const ResidualBlock& block = *id;
    const int m = block.num_residuals();
    int n = 0;
    for (const ParameterBlock* argument : varying_) {
      n += argument->tangent_size();
    }
    jacobian_.resize(m, n);
    std::vector<double> parts(static_cast<std::size_t>(m) * n);
    std::vector<double*> jacobians(block.num_parameter_blocks(), nullptr);
    double* part = parts.data();
    for (int k = 0; k < block.num_parameter_blocks(); ++k) {
      const ParameterBlock& argument = *block.parameter_blocks()[k];
      if (argument.IsConstant()) continue;
      jacobians[k] = part;
      part += static_cast<std::ptrdiff_t>(m) * argument.tangent_size();
    }
    is_valid_ =
        whole.EvaluateResidualBlock(id, /*apply_loss_function=*/false, nullptr,
                                    residuals_.data(), jacobians.data());
    JoinParts(parts.data());
  }

  bool is_valid() const { return is_valid_; }

  // Returns t.
  double Statistic(Side side, const Covariance& covariance) const {
    std::vector<const double*> addresses;
    for (const ParameterBlock* argument : varying_) {
      addresses.push_back(argument->user_state());
    }
    RowMajorMatrix c(jacobian_.cols(), jacobian_.cols());
    if (!addresses.empty()) {
      covariance.GetCovarianceMatrixInTangentSpace(addresses, c.data());
    }
    return Statistic(side, c);
  }

  // A bound below t of an outlier that needs no covariances of two different
  // parameter blocks: (sum_k A_k) (sum_k A_k)' <= K sum_k A_k A_k' for K terms.
  double LowerBound(const Covariance& covariance) const {
    const double num_terms = static_cast<double>(varying_.size());
    RowMajorMatrix c = RowMajorMatrix::Zero(jacobian_.cols(), jacobian_.cols());
    int column = 0;
    for (const ParameterBlock* argument : varying_) {
      const int size = argument->tangent_size();
      RowMajorMatrix own(size, size);
      covariance.GetCovarianceBlockInTangentSpace(
          argument->user_state(), argument->user_state(), own.data());
      c.block(column, column, size, size) = num_terms * own;
      column += size;
    }
    return Statistic(Side::kOutlier, c);
  }

 private:
  double Statistic(Side side, const RowMajorMatrix& covariance) const {
    return SupportStatistic(side, static_cast<int>(jacobian_.rows()),
                            static_cast<int>(jacobian_.cols()),
                            residuals_.data(), jacobian_.data(),
                            covariance.data());
  }

  // The Jacobian of all arguments from those of one argument each.
  void JoinParts(const double* part) {
    int column = 0;
    for (const ParameterBlock* argument : varying_) {
      const int size = argument->tangent_size();
      jacobian_.middleCols(column, size) =
          Eigen::Map<const RowMajorMatrix>(part, jacobian_.rows(), size);
      part += jacobian_.rows() * size;
      column += size;
    }
  }

  const std::vector<ParameterBlock*> varying_;
  std::vector<double> residuals_;
  RowMajorMatrix jacobian_;
  bool is_valid_ = false;
};

// The uncertain blocks of weight 0 whose parameter blocks all have blocks of
// other weights.
std::vector<int> Outliers(const CheckedProblem& problem) {
  std::vector<bool> is_out(problem.whole.NumResidualBlocks(), false);
  for (std::size_t i = 0; i < problem.weights.size(); ++i) {
    is_out[problem.uncertain[i]->index()] = problem.weights[i] == 0.0;
  }
  std::vector<bool> is_determined(problem.whole.NumParameterBlocks(), false);
  std::vector<ResidualBlockId> all;
  problem.whole.GetResidualBlocks(&all);
  for (const ResidualBlock* block : all) {
    if (is_out[block->index()]) continue;
    for (const ParameterBlock* argument : VaryingBlocks(*block)) {
      is_determined[argument->index()] = true;
    }
  }
  std::vector<int> outliers;
  for (std::size_t i = 0; i < problem.weights.size(); ++i) {
    if (problem.weights[i] != 0.0) continue;
    const std::vector<ParameterBlock*> varying =
        VaryingBlocks(*problem.uncertain[i]);
    if (std::all_of(varying.begin(), varying.end(),
                    [&](const ParameterBlock* argument) {
                      return is_determined[argument->index()];
                    })) {
      outliers.push_back(static_cast<int>(i));
    }
  }
  return outliers;
}

std::vector<ResidualBlock*> BlocksAt(const std::vector<int>& places,
                                     const std::vector<ResidualBlock*>& all) {
  std::vector<ResidualBlock*> blocks;
  for (const int i : places) blocks.push_back(all[i]);
  return blocks;
}

}  // namespace

double SupportStatistic(Side side, int m, int n, const double* f,
                        const double* jacobian, const double* covariance) {
  // Less of the variance of a residual is left by the fit, or by rounding.
  constexpr double kDetermined = 1e-6;
  const Eigen::Map<const RowMajorMatrix> j(jacobian, m, n);
  const Eigen::Map<const RowMajorMatrix> c(covariance, n, n);
  const Eigen::Map<const Eigen::VectorXd> residuals(f, m);
  const double sign = side == Side::kInlier ? -1.0 : 1.0;
  const Eigen::MatrixXd variances =
      Eigen::MatrixXd::Identity(m, m) +
      sign * Eigen::MatrixXd(j * c * j.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(variances);
  const Eigen::VectorXd part = eigen.eigenvectors().transpose() * residuals;
  double statistic = 0.0;
  for (int k = 0; k < m; ++k) {
    const double variance = eigen.eigenvalues()[k];
    if (variance > kDetermined) statistic += part[k] * part[k] / variance;
  }
  return statistic;
}

std::vector<double> DeletionNorms(const CheckedProblem& problem) {
  std::vector<double> deletion_norms(problem.weights.size(), 0.0);
  std::vector<int> inliers;
  for (std::size_t i = 0; i < problem.weights.size(); ++i) {
    if (problem.weights[i] == 1.0) inliers.push_back(static_cast<int>(i));
  }
  const std::unique_ptr<Covariance> covariance =
      CovarianceOf(PairsOf(BlocksAt(inliers, problem.uncertain)), problem);
  if (covariance == nullptr) return deletion_norms;
  for (const int i : inliers) {
    const BlockCheck check(problem.whole, problem.uncertain[i]);
    if (!check.is_valid()) continue;
    deletion_norms[i] = check.Statistic(Side::kInlier, *covariance) *
                        problem.norms.InverseBound(i);
  }
  return deletion_norms;
}

std::vector<double> AdditionNorms(const CheckedProblem& problem) {
  std::vector<double> addition_norms(problem.weights.size(),
                                     std::numeric_limits<double>::infinity());
  const std::vector<int> outliers = Outliers(problem);
  std::vector<BlockPair> own;
  for (const auto& pair : PairsOf(BlocksAt(outliers, problem.uncertain))) {
    if (pair.first == pair.second) own.push_back(pair);
  }
  std::unique_ptr<Covariance> covariance = CovarianceOf(own, problem);
  if (covariance == nullptr) return addition_norms;
  std::vector<int> candidates;
  for (const int i : outliers) {
    const BlockCheck check(problem.whole, problem.uncertain[i]);
    if (check.is_valid() &&
        check.LowerBound(*covariance) * problem.norms.InverseBound(i) <= 1.0) {
      candidates.push_back(i);
    }
  }
  covariance =
      CovarianceOf(PairsOf(BlocksAt(candidates, problem.uncertain)), problem);
  if (covariance == nullptr) return addition_norms;
  for (const int i : candidates) {
    const BlockCheck check(problem.whole, problem.uncertain[i]);
    addition_norms[i] = check.Statistic(Side::kOutlier, *covariance) *
                        problem.norms.InverseBound(i);
  }
  return addition_norms;
}

}  // namespace ceres::internal
