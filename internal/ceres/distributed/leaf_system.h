// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DISTRIBUTED_LEAF_SYSTEM_H_
#define CERES_INTERNAL_DISTRIBUTED_LEAF_SYSTEM_H_

#include <memory>
#include <string>
#include <vector>

#include "ceres/distributed/local_leaf.h"
#include "ceres/distributed/rank_columns.h"
#include "ceres/distributed/shared_layout.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/execution/solve_workspace.h"
#include "ceres/problem/program.h"
#include "ceres/schur/schur_eliminator.h"
#include "ceres/schur/schur_plan.h"
#include "ceres/schur/schur_product.h"
#include "ceres/schur/schur_solvers.h"

namespace ceres::internal {

// The residual blocks of one leaf with their Jacobian, and the elimination of
// its private blocks. Its columns are the leaf's eliminated blocks, then the
// column blocks of the reduced system that it uses (the remaining blocks).
//
// "Rank vectors" have the columns of the rank (rank_columns.h). What a leaf
// computes depends on the leaf alone: not on the rank, and not on the number of
// threads. For one thread at a time.
class LeafSystem {
 public:
  // leaf: its index among the rank's leaves. workspace: of all leaves of the
  // rank, for partial sums. schur: null if no private blocks are eliminated.
  LeafSystem(const Execution& execution, const RankColumns& columns,
             const SharedLayout& layout, int leaf, const LocalLeaf& blocks,
             const SchurSolverOptions* schur, SolveWorkspace* workspace);
  LeafSystem(const LeafSystem&) = delete;
  LeafSystem& operator=(const LeafSystem&) = delete;

  // The numbers of the remaining blocks in the reduced system, ascending.
  const std::vector<int>& remaining() const { return remaining_numbers_; }
  int num_remaining() const { return remaining_size_; }
  // The block structure of the leaf's part of S.
  const BlockSymmetricStructure& pattern() const { return plan_->pattern(); }
  const SchurPlan& plan() const { return *plan_; }
  SchurEliminator& eliminator() { return *eliminator_; }
  int num_residual_blocks() const { return program_.num_row_blocks(); }
  // The Jacobian of the last EvaluateJacobian.
  const BlockJacobian& jacobian() const { return jacobian_; }
  int num_columns() const { return program_.num_delta(); }
  int num_private_columns() const {
    return program_.num_delta() - remaining_size_;
  }
  int num_private_blocks() const { return program_.num_eliminated(); }
  // Where the leaf's private column blocks and columns begin in rank vectors.
  int first_private_block() const {
    return columns_.PrivateColumns(leaf_).begin;
  }
  int first_private_column() const {
    return columns_.program().delta_offset()[first_private_block()];
  }

  // rank_state: a rank vector of points.
  Evaluator::Result EvaluateCost(const double* rank_state, double* cost);
  // Also writes the private part of the gradient and of the column norms to
  // rank vectors of steps. The remaining part is kept.
  Evaluator::Result EvaluateJacobian(const double* rank_state, double* cost,
                                     double* rank_gradient,
                                     double* rank_column_norms);
  // The remaining part of the gradient and of the column norms of the last
  // EvaluateJacobian: for each remaining block both, one behind the other.
  void CopyRemainingSums(double* sums) const;

  // Eliminates with the damping in a rank vector of steps. The damping of a
  // remaining block counts in its home leaf. See SchurEliminator::Eliminate.
  [[nodiscard]] bool Eliminate(const double* rank_damping,
                               std::string* message);
  // The leaf's columns of a rank vector of steps; of a damping, with zeros for
  // the remaining blocks that have another home leaf.
  void LoadStep(const double* rank_step, std::vector<double>* step) const;
  void LoadDamping(const double* rank_damping,
                   std::vector<double>* damping) const;
  // After Eliminate. The blocks of the leaf's part of S, then the right hand
  // side.
  void AssembleSystem(double* values) const;
  // After Eliminate, for products with the leaf's part of S.
  void UpdateProduct() { product_->Update(*eliminator_); }
  const SchurProductOperator& product() const { return *product_; }
  bool forms_products() const { return product_ != nullptr; }

  // After Eliminate. Reads the remaining part of a rank vector of steps, and
  // writes the leaf's private part. Returns the decrease of the leaf's linear
  // model.
  double BackSubstitute(double* rank_step);

  // The decrease of the linear model for a step, and (J x)'(J y).
  double ModelCostChange(const double* rank_step);
  double DotOfProducts(const double* rank_x, const double* rank_y);

 private:
  void LoadState(const double* rank_state);

  const Execution execution_;
  const RankColumns& columns_;
  const int leaf_;
  const std::vector<int> remaining_numbers_;
  // By remaining block: the column block of the rank.
  const std::vector<int> remaining_columns_;
  SolveWorkspace* const workspace_;
  const Program program_;
  Evaluator evaluator_;
  BlockJacobian jacobian_;
  int remaining_size_ = 0;
  std::vector<char> is_home_;  // by remaining block

  std::unique_ptr<SchurPlan> plan_;  // null: nothing to solve
  std::unique_ptr<SchurEliminator> eliminator_;
  std::unique_ptr<SchurProductOperator> product_;  // null: S is assembled

  std::vector<double> state_;
  std::vector<double> gradient_;
  std::vector<double> squared_column_norms_;
  std::vector<double> damping_;
  std::vector<double> step_;
  std::vector<double> other_step_;
  std::vector<double> products_[2];
};

// LeafSystem::remaining() of each leaf.
std::vector<std::vector<int>> RemainingOf(
    const std::vector<std::unique_ptr<LeafSystem>>& leaves);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DISTRIBUTED_LEAF_SYSTEM_H_
