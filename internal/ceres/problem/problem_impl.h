// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PROBLEM_IMPL_H_
#define CERES_INTERNAL_PROBLEM_PROBLEM_IMPL_H_

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ceres/execution/context_impl.h"
#include "ceres/modelling/parameterization_manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/block_pool.h"
#include "ceres/problem/kept_preprocessing.h"
#include "ceres/problem/last_arguments.h"
#include "ceres/problem/occupied_memory.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/parameter_map.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// What a Problem is made of; see ceres/problem.h for what its functions do and
// check. Evaluation is not here but above, in evaluation/problem_evaluate.cc.
//
// Built for adding millions of blocks: a residual block costs one allocation
// from a pool and a hash look-up per argument, a new parameter block one more.
// Uses of cost and loss functions are counted only once something is removed.
class ProblemImpl {
 public:
  explicit ProblemImpl(const Problem::Options& options);
  ProblemImpl(const ProblemImpl&) = delete;
  ProblemImpl& operator=(const ProblemImpl&) = delete;
  ~ProblemImpl();

  ResidualBlock* AddResidualBlock(CostFunction* cost_function,
                                  LossFunction* loss_function,
                                  double* const* values, int num_values);
  // One after the other, as they stand; `values` holds those of all.
  std::vector<ResidualBlock*> AddResidualBlocks(
      const std::vector<CostFunction*>& cost_functions,
      LossFunction* loss_function, const std::vector<double*>& values);
  ParameterBlock* AddParameterBlock(double* values, int size);
  void SetManifold(ParameterBlock* parameter_block, Manifold* manifold);
  void SetParameterization(ParameterBlock* parameter_block,
                           LocalParameterization* parameterization);
  void RemoveParameterBlock(ParameterBlock* parameter_block);
  void RemoveResidualBlock(ResidualBlock* residual_block);

  // The block at `values`: null if there is none, or CHECKed to exist.
  ParameterBlock* FindParameterBlock(const double* values) const;
  ParameterBlock* GetParameterBlock(const double* values) const;

  // Returns its argument, CHECKed to be a residual block of this problem. Does
  // not read memory that is not the problem's.
  ResidualBlock* GetResidualBlock(ResidualBlock* residual_block) const;

  std::vector<ResidualBlock*> DependentResidualBlocks(
      const ParameterBlock* parameter_block) const;

  // In the problem's order: element i has index() i.
  const std::vector<ParameterBlock*>& parameter_blocks() const {
    return parameter_blocks_;
  }
  const std::vector<ResidualBlock*>& residual_blocks() const {
    return residual_blocks_;
  }
  int num_parameters() const { return num_parameters_; }
  int num_residuals() const { return num_residuals_; }

  const Problem::Options& options() const { return options_; }

  // Changes whenever something else than values of parameters does: blocks are
  // added, removed, set constant or variable, given a manifold or bounds.
  std::int64_t structure_revision() const { return structure_revision_; }
  void NoteStructuralChange() { ++structure_revision_; }

  // Null where no solve has left anything.
  std::unique_ptr<KeptPreprocessing>& kept_preprocessing() {
    return kept_preprocessing_;
  }

  // The context of the options, or else the problem's own, made on first use.
  ContextImpl* context();

 private:
  // Adding a residual block, in two steps; between them its parameter blocks
  // are filled in.
  ResidualBlock* NewResidualBlock(CostFunction* cost_function,
                                  LossFunction* loss_function,
                                  double* const* values, int num_values);
  void FillArguments(double* const* values, ResidualBlock* residual_block);
  void FinishResidualBlock(ResidualBlock* residual_block);
  ParameterBlock* FindOrAddParameterBlock(double* values, int size);
  ParameterBlock* NewParameterBlock(double* values, int size);
  void CheckSize(const ParameterBlock& parameter_block, int size) const;
  [[noreturn]] void FailForOverlap(const double* values, int size) const;
  void AddToDependents(ResidualBlock* residual_block);
  void RemoveFromDependents(ResidualBlock* residual_block);
  void StartCountingUses();
  void CountUses(const ResidualBlock& residual_block);
  void ReleaseUses(const ResidualBlock& residual_block);
  bool OwnsCostFunctions() const;
  bool OwnsLossFunctions() const;

  const Problem::Options options_;
  std::unique_ptr<ContextImpl> own_context_;

  BlockPool parameter_block_pool_;
  BlockPool residual_block_pool_;
  std::vector<ParameterBlock*> parameter_blocks_;
  std::vector<ResidualBlock*> residual_blocks_;
  ParameterMap parameter_map_;
  LastArguments last_arguments_;
  OccupiedMemory occupied_memory_;  // empty without safety checks
  int num_parameters_ = 0;
  int num_residuals_ = 0;
  std::int64_t structure_revision_ = 0;

  // Once counting_uses_, the number of residual blocks that use each object
  // that is owned.
  bool counting_uses_ = false;
  std::unordered_map<const CostFunction*, int> cost_function_uses_;
  std::unordered_map<const LossFunction*, int> loss_function_uses_;
  std::vector<const Manifold*> owned_manifolds_;  // with repetitions
  // One for each parameterization that was ever set.
  std::unordered_map<const LocalParameterization*,
                     std::unique_ptr<ParameterizationManifold>>
      parameterizations_;

  // Points at all of the above and at the context.
  std::unique_ptr<KeptPreprocessing> kept_preprocessing_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PROBLEM_IMPL_H_
