// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/graduated/weighted_problem.h"

#include <limits>

#include "ceres/logging/logging.h"

namespace ceres::internal {
namespace {

Problem::Options CopyOptions(const ProblemImpl& whole, Context* context) {
  Problem::Options options;
  options.cost_function_ownership = DO_NOT_TAKE_OWNERSHIP;
  options.loss_function_ownership = DO_NOT_TAKE_OWNERSHIP;
  options.manifold_ownership = DO_NOT_TAKE_OWNERSHIP;
  // The problem has checked its blocks.
  options.disable_all_safety_checks = true;
  options.context = context;
  options.evaluation_callback = whole.options().evaluation_callback;
  return options;
}

}  // namespace

void WeightLoss::Evaluate(double sq_norm, double out[3]) const {
  out[0] = weight_ * sq_norm;
  out[1] = weight_;
  out[2] = 0.0;
}

WeightedProblem::WeightedProblem(const ProblemImpl& whole, Context* context,
                                 const std::vector<ResidualBlock*>& uncertain,
                                 const std::vector<double>& weights)
    : losses_(uncertain.size()),
      copies_(uncertain.size(), nullptr),
      problem_(CopyOptions(whole, context)) {
  VESTA_CHECK_EQ(uncertain.size(), weights.size());
  CopyParameterBlocks(whole);
  constexpr int kCertain = -1;
  std::vector<int> place(whole.residual_blocks().size(), kCertain);
  for (int i = 0; i < static_cast<int>(uncertain.size()); ++i) {
    place[uncertain[i]->index()] = i;
  }
  std::vector<double*> values;
  for (ResidualBlock* block : whole.residual_blocks()) {
    const int i = place[block->index()];
    if (i != kCertain && weights[i] == 0.0) continue;
    LossFunction* loss = const_cast<LossFunction*>(block->loss_function());
    if (i != kCertain) {
      ++num_present_;
      losses_[i].set_weight(weights[i]);
      loss = &losses_[i];
    }
    values.clear();
    for (int k = 0; k < block->num_parameter_blocks(); ++k) {
      values.push_back(block->parameter_blocks()[k]->user_state());
    }
    const ResidualBlockId copy = problem_.AddResidualBlock(
        const_cast<CostFunction*>(block->cost_function()), loss, values);
    if (i != kCertain) copies_[i] = copy;
    originals_.push_back(block);
  }
}

void WeightedProblem::CopyParameterBlocks(const ProblemImpl& whole) {
  constexpr double kUnbounded = std::numeric_limits<double>::max();
  for (const ParameterBlock* block : whole.parameter_blocks()) {
    double* const values = block->user_state();
    problem_.AddParameterBlock(values, block->size());
    if (block->manifold() != nullptr) {
      problem_.SetManifold(values, const_cast<Manifold*>(block->manifold()));
    }
    if (block->IsConstant()) problem_.SetParameterBlockConstant(values);
    for (int k = 0; block->has_bounds() && k < block->size(); ++k) {
      if (block->LowerBound(k) > -kUnbounded) {
        problem_.SetParameterLowerBound(values, k, block->LowerBound(k));
      }
      if (block->UpperBound(k) < kUnbounded) {
        problem_.SetParameterUpperBound(values, k, block->UpperBound(k));
      }
    }
  }
}

bool WeightedProblem::Fits(const std::vector<double>& weights) const {
  // A block of weight 0 costs time and fill in each solve, and a new copy the
  // preprocessing of one.
  constexpr int kMaxIdlePart = 5;
  int num_idle = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0.0 && copies_[i] == nullptr) return false;
    if (weights[i] == 0.0 && copies_[i] != nullptr) ++num_idle;
  }
  return num_idle <= num_present_ / kMaxIdlePart;
}

void WeightedProblem::SetWeights(const std::vector<double>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    losses_[i].set_weight(weights[i]);
  }
}

std::unordered_set<ResidualBlockId> WeightedProblem::Counterparts(
    const std::unordered_set<ResidualBlockId>& of_whole) const {
  std::unordered_set<ResidualBlockId> counterparts;
  if (of_whole.empty()) return counterparts;
  std::vector<ResidualBlockId> copies;
  problem_.GetResidualBlocks(&copies);
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (of_whole.count(originals_[i]) != 0) counterparts.insert(copies[i]);
  }
  return counterparts;
}

}  // namespace ceres::internal
