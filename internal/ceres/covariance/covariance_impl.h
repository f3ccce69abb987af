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
#include "ceres/evaluation/active_constraints.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/program.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// The implementation of Covariance (ceres/covariance.h). It keeps what the Get
// functions need. It keeps no pointer to the problem.
//
// J is the Jacobian of the residuals at the problem's values, one column block
// for each variable parameter block, in tangent coordinates. Then
//
//     C = (J'J)^-1                    if J has full column rank
//     C = V S^+2 V',  J = U S V'      otherwise; S^+2 has 1 / s^2 for singular
//                                     values s that count, and 0 for the others
//
// clang-format off
//
//              a     b               values_ holds the wanted blocks of the
//         +-----+-----+-----+        upper triangle, each dense and ROW-major,
//       a | Caa | Cab |     |        one after the other in the order of pairs_
//         +-----+-----+-----+        (by a, then b):
//       b |     | Cbb |     |
//         +-----+-----+-----+           | Caa | Cab | Cbb | ...
//         |     |     |     |        C_ba = C_ab', and blocks of constant
//         +-----+-----+-----+        parameter blocks are zero.
//
// clang-format on
//
// With the derivatives A of active constraints
// (evaluation/active_constraints.h) and a basis Z of the null space of A, the
// covariance is
//
//     C = Z (Z'J'J Z)^-1 Z'      the block of the inverse of [J'J A'; A 0]
//
// and the rows of the Jacobian are those of J, then those of A. SPARSE_QR and
// SPARSE_CHOLESKY take the rows of A as rows of infinite weight in the QR
// factorization. DENSE_SVD has an orthonormal Z, and J Z in place of J.
//
// GetBlock and GetMatrix give C_ab, or in ambient coordinates P_a C_ab P_b'
// with the plus Jacobians P of the manifolds.
//
// clang-format off
//
// | algorithm       | factorization                  | wanted blocks           |
// |-----------------|--------------------------------|-------------------------|
// | SPARSE_QR       | J P = Q R, multifrontal        | by solves with R        |
// | SPARSE_CHOLESKY | J'J = L L', multifrontal       | in the pattern of L by  |
// |                 |                                | Takahashi's equations,  |
// |                 |                                | others by solves with L |
// | DENSE_SVD       | J = U S V'                     | all of C                |
//
// clang-format on
//
// See block_qr.h, normal_inverse.h, dense_pseudo_inverse.h, and for the blocks
// sparse/inverse_solves.h and sparse/selected_inverse.h.
//
// SPARSE_QR fails if a pivot of R is at most column_pivot_threshold.
// SPARSE_CHOLESKY becomes SPARSE_QR if a pivot of J'J is too small. DENSE_SVD
// handles every rank.
//
// Source: Bjorck, Numerical Methods for Least Squares Problems, SIAM 1996,
// chapter 2.
//
// Not thread-safe; const functions may run concurrently.
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
    int num_columns;  // of J; less than tangent_size: bounds hold coordinates
    // Column block of J; -1: constant, or neither a residual nor an active
    // constraint uses it.
    int column;
    // Index into plus_jacobians_; -1: no manifold and no coordinate that bounds
    // hold, or no wanted block.
    int plus_jacobian;
  };
  // Column blocks a <= b, and where C_ab begins in values_.
  struct Pair {
    int a;
    int b;
    int64_t offset;
  };

  void RememberBlocks(const ProblemImpl& problem,
                      const std::vector<ParameterBlock*>& varying);
  bool ComputePairs(const Pairs& pairs,
                    const std::vector<ParameterBlock*>& varying,
                    const ActiveConstraints& constraints, ProblemImpl* problem,
                    std::string* message);
  std::string InvalidOption() const;
  void PlanPairs(const Pairs& pairs);
  bool EvaluatePlusJacobians(const ProblemImpl& problem, const Program& program,
                             std::string* message);
  // is_constraint: by row block; empty if there are no constraints.
  bool Invert(const Execution& execution, const BlockJacobian& jacobian,
              const double* squared_column_norms,
              const std::vector<bool>& is_constraint,
              const std::vector<ParameterBlock*>& varying,
              std::string* message);
  bool InvertByQr(const Execution& execution, const BlockJacobian& jacobian,
                  const double* squared_column_norms,
                  const std::vector<bool>& is_constraint,
                  const std::vector<ParameterBlock*>& varying,
                  std::string* message);
  bool InvertBySvd(const BlockJacobian& jacobian,
                   const std::vector<bool>& is_constraint,
                   std::string* message);
  // Sentences about the directions that make J rank deficient.
  std::string DescribeRankDeficiency(ProblemImpl* problem) const;
  // The places in values_ of the wanted blocks.
  std::vector<InverseBlock> WantedBlocks();

  // FindBlock returns null if the problem has no such block. KnownBlock CHECKs
  // that it has.
  const Block* FindBlock(const double* values) const;
  const Block& KnownBlock(const double* values) const;
  const Pair* FindPair(int column_a, int column_b) const;
  // C_ab times the plus Jacobian of b, if the coordinates of `space` are not
  // the columns of b.
  RowMajor TimesPlusJacobian(const RowMajor& values, const Block& b,
                             Space space) const;
  int Size(const Block& block, Space space) const {
    return space == Space::kAmbient ? block.size : block.tangent_size;
  }
  // Returns false if the pair was not computed. `*pair` is null if one of the
  // blocks is constant.
  bool Find(const Block& a, const Block& b, const Pair** pair) const;
  RowMajor Values(const Block& a, const Block& b, const Pair* pair,
                  Space space) const;
  void CheckComputed() const;

  const Covariance::Options options_;
  bool is_computed_ = false;
  // Whether the factorization found a lower rank than the options say.
  bool is_rank_deficient_ = false;
  std::vector<Block> blocks_;  // by address
  std::vector<Pair> pairs_;    // by a, then b
  std::vector<double> values_;
  std::vector<RowMajor> plus_jacobians_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_COVARIANCE_IMPL_H_
