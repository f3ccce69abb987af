// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_COVARIANCE_IMPL_H_
#define CERES_INTERNAL_COVARIANCE_COVARIANCE_IMPL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "ceres/covariance.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// What a Covariance is made of; see ceres/covariance.h. It keeps everything
// that the Get functions need, and nothing of the problem.
class CovarianceImpl {
 public:
  using Pairs = std::vector<std::pair<const double*, const double*>>;
  enum class Space { kAmbient, kTangent };

  explicit CovarianceImpl(const Covariance::Options& options)
      : options_(options) {}

  bool Compute(const Pairs& pairs, ProblemImpl* problem);
  bool Compute(const std::vector<const double*>& blocks, ProblemImpl* problem);
  bool GetBlock(const double* a, const double* b, Space space,
                double* values) const;
  bool GetMatrix(const std::vector<const double*>& blocks, Space space,
                 double* values) const;

 private:
  using RowMajor =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  // A parameter block of the problem of the last Compute.
  struct Block {
    const double* values;
    int size;
    int tangent_size;
    int column;  // column block of J; -1: constant
    // PlusJacobian, where there is a manifold and the covariance is known.
    int plus_jacobian;
  };
  // Column blocks a <= b, and where their covariance stands.
  struct Pair {
    int a;
    int b;
    int64_t offset;
  };

  void RememberBlocks(const ProblemImpl& problem);
  bool ComputePairs(const Pairs& pairs, ProblemImpl* problem,
                    std::string* message);
  std::string InvalidOption() const;
  void PlanPairs(const Pairs& pairs);
  bool EvaluatePlusJacobians(const ProblemImpl& problem,
                             const std::vector<ParameterBlock*>& varying,
                             std::string* message);
  bool Invert(const Execution& execution, const BlockJacobian& jacobian,
              const double* squared_column_norms,
              const std::vector<ParameterBlock*>& varying,
              std::string* message);
  bool InvertByQr(const Execution& execution, const BlockJacobian& jacobian,
                  const double* squared_column_norms,
                  const std::vector<ParameterBlock*>& varying,
                  std::string* message);
  bool InvertBySvd(const BlockJacobian& jacobian, std::string* message);
  // Where values_ has what was asked for.
  std::vector<InverseBlock> WantedBlocks();

  // Null: not of the problem. The other CHECKs.
  const Block* FindBlock(const double* values) const;
  const Block& KnownBlock(const double* values) const;
  const Pair* FindPair(int column_a, int column_b) const;
  int Size(const Block& block, Space space) const {
    return space == Space::kAmbient ? block.size : block.tangent_size;
  }
  // False if the pair was not computed.
  bool Find(const Block& a, const Block& b, const Pair** pair) const;
  RowMajor Values(const Block& a, const Block& b, const Pair* pair,
                  Space space) const;
  void CheckComputed() const;

  const Covariance::Options options_;
  bool is_computed_ = false;
  std::vector<Block> blocks_;  // by address
  std::vector<Pair> pairs_;    // by a, then b
  std::vector<double> values_;
  std::vector<RowMajor> plus_jacobians_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_COVARIANCE_IMPL_H_
