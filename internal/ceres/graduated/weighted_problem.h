// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_GRADUATED_WEIGHTED_PROBLEM_H_
#define CERES_INTERNAL_GRADUATED_WEIGHTED_PROBLEM_H_

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ceres/loss_function.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"

namespace ceres::internal {

// The loss w s, whose weight w >= 0 may change between two solves.
class WeightLoss final : public LossFunction {
 public:
  void Evaluate(double sq_norm, double out[3]) const override;
  void set_weight(double weight) { weight_ = weight; }

 private:
  double weight_ = 1.0;
};

// A copy of a problem, on the same parameter blocks, in which some residual
// blocks have weights in place of their loss functions. A change of weights is
// no change of structure: preprocessing is kept. Residual blocks whose weight
// is 0 when the copy is made are left out.
//
// The copy refers to the cost functions, loss functions and manifolds of the
// problem, which must outlive it and must not change.
class WeightedProblem {
 public:
  // context: of the copy; null: a context of its own. uncertain: the residual
  // blocks that have weights. weights: one of each.
  WeightedProblem(const ProblemImpl& whole, Context* context,
                  const std::vector<ResidualBlock*>& uncertain,
                  const std::vector<double>& weights);
  WeightedProblem(const WeightedProblem&) = delete;
  WeightedProblem& operator=(const WeightedProblem&) = delete;

  Problem* problem() { return &problem_; }

  // Returns whether the copy fits the weights: it has all residual blocks of
  // positive weight, and not too many of weight 0.
  bool Fits(const std::vector<double>& weights) const;

  // The weights of the next solve. The copy must fit them.
  void SetWeights(const std::vector<double>& weights);

  // The residual blocks of the copy that stand for those of the whole. Leaves
  // out residual blocks that are not in the copy.
  std::unordered_set<ResidualBlockId> Counterparts(
      const std::unordered_set<ResidualBlockId>& of_whole) const;

 private:
  void CopyParameterBlocks(const ProblemImpl& whole);

  // One per uncertain block. Declared first: the problem refers to them.
  std::vector<WeightLoss> losses_;
  std::vector<ResidualBlockId> copies_;  // of uncertain blocks, else null
  int num_present_ = 0;
  Problem problem_;
  // In the order of the copy, the residual blocks of the whole.
  std::vector<ResidualBlock*> originals_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_GRADUATED_WEIGHTED_PROBLEM_H_
