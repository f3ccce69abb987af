// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_PROBLEM_PROBLEM_IMPL_H_
#define CERES_INTERNAL_PROBLEM_PROBLEM_IMPL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ceres/execution/context_impl.h"
#include "ceres/modelling/parameterization_manifold.h"
#include "ceres/problem.h"
#include "ceres/problem/added_batch.h"
#include "ceres/problem/block_pool.h"
#include "ceres/problem/change_journal.h"
#include "ceres/problem/constraint.h"
#include "ceres/problem/kept_preprocessing.h"
#include "ceres/problem/occupied_memory.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/problem/parameter_map.h"
#include "ceres/problem/residual_block.h"

namespace ceres::internal {

// The parameter blocks of the residual block that was added last. The next
// residual block often has some of them at the same positions (a point that
// many cameras see). Such blocks need no look-up.
class LastArguments {
 public:
  // The last block at position k, if it has these values and this size. Else
  // null.
  ParameterBlock* Find(int k, const double* values, int size) const {
    return k < kNumKept && blocks_[k] != nullptr &&
                   blocks_[k]->user_state() == values &&
                   blocks_[k]->size() == size
               ? blocks_[k]
               : nullptr;
  }
  void Set(int k, ParameterBlock* block) {
    if (k < kNumKept) blocks_[k] = block;
  }
  // Must be called before a parameter block is destroyed.
  void Forget() { *this = LastArguments(); }

 private:
  static constexpr int kNumKept = 4;
  ParameterBlock* blocks_[kNumKept] = {};
};

// The implementation of Problem. See ceres/problem.h for what its functions do
// and check. A higher layer implements the functions that evaluate
// (evaluation/problem_evaluate.cc).
//
// Designed for millions of blocks. A residual block costs one allocation from a
// pool and one hash look-up per argument; a new parameter block costs one
// allocation more. Uses of cost and loss functions are counted from the first
// removal on.
class ProblemImpl {
 public:
  explicit ProblemImpl(const Problem::Options& options);
  ProblemImpl(const ProblemImpl&) = delete;
  ProblemImpl& operator=(const ProblemImpl&) = delete;
  ~ProblemImpl();

  ResidualBlock* AddResidualBlock(CostFunction* cost_function,
                                  LossFunction* loss_function,
                                  double* const* values, int num_values);
  // Adds residual blocks in this order. values: the arguments of all of them,
  // one behind the other.
  std::vector<ResidualBlock*> AddResidualBlocks(
      const std::vector<CostFunction*>& cost_functions,
      LossFunction* loss_function, const std::vector<double*>& values);
  // The block at `values`, which is added if there is none.
  ParameterBlock* AddParameterBlock(double* values, int size);
  void SetManifold(ParameterBlock* parameter_block, Manifold* manifold);
  void SetParameterization(ParameterBlock* parameter_block,
                           LocalParameterization* parameterization);
  // Copies the point. Null removes the linearization point.
  void SetLinearizationPoint(ParameterBlock* parameter_block,
                             const double* point);
  void RemoveParameterBlock(ParameterBlock* parameter_block);
  void RemoveResidualBlock(ResidualBlock* residual_block);
  // After this call, removing the parameter block and `num_residual_blocks`
  // residual blocks needs no memory. (A parameter block that is not removed
  // after all loses its place in a kept elimination order.)
  void PrepareToRemove(const ParameterBlock* parameter_block,
                       std::size_t num_residual_blocks);

  // Parameter arrays and residual batches, see ceres/problem.h
  // (residual_batches.cc).
  void AddParameterArray(const ParameterArray& array, Manifold* manifold);
  AddedBatch* AddResidualBatch(std::unique_ptr<ResidualBatch> batch,
                               LossFunction* loss_function,
                               const std::vector<BatchArgument>& arguments);
  void RemoveResidualBatch(AddedBatch* batch);
  // Rows [begin, end) have other values than before. The reader of the journal
  // learns it as a removal and an addition.
  void NoteChangedRows(const AddedBatch& batch, std::int64_t begin,
                       std::int64_t end);
  // Returns its argument after a CHECK that it is a batch of this problem.
  AddedBatch* GetResidualBatch(AddedBatch* batch) const;
  const AddedBatches& residual_batches() const { return residual_batches_; }

  // Constraints, see ceres/problem.h (constraint.cc).
  Constraint* AddConstraint(const CostFunction* cost_function,
                            std::vector<double> lower,
                            std::vector<double> upper,
                            const std::vector<double*>& values);
  void RemoveConstraint(Constraint* constraint);
  // Returns its argument after a CHECK that it is a constraint of this problem.
  Constraint* GetConstraint(Constraint* constraint) const;
  // Element i has index i.
  const std::vector<std::unique_ptr<Constraint>>& constraints() const {
    return constraints_;
  }

  // For functions that do not take constraints: empty, or a message that names
  // the function, if the problem has constraints.
  std::string RefuseConstraints(const char* function) const;

  // The block at `values`. If there is none: null, or a failed CHECK.
  ParameterBlock* FindParameterBlock(const double* values) const;
  ParameterBlock* GetParameterBlock(const double* values) const;

  // Returns its argument after a CHECK that it is a residual block of this
  // problem. Does not read memory that is not the problem's.
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
  // The number of parameter blocks with a linearization point.
  int num_linearization_points() const { return num_linearization_points_; }

  const Problem::Options& options() const { return options_; }
  void SetEvaluationCallback(EvaluationCallback* evaluation_callback) {
    NoteStructuralChange();
    options_.evaluation_callback = evaluation_callback;
  }

  // Changes whenever the problem changes in more than the values of parameters:
  // blocks are added, removed, set constant or variable, given a manifold or
  // bounds; or another evaluation callback is set.
  std::int64_t structure_revision() const { return structure_revision_; }
  // CHECKs that the problem is not being solved: the solver has pointers to its
  // blocks.
  void NoteStructuralChange() {
    CheckIsNotBeingSolved();
    ++structure_revision_;
  }
  // For changes that keep the structure.
  void CheckIsNotBeingSolved() const {
    if (is_being_solved_.load(std::memory_order_relaxed)) FailForEdit();
  }

  // While an object exists, the problem is being solved: it must not be edited,
  // solved again or destroyed, neither by user code that the solver calls nor
  // by another thread. CHECKs. Evaluation remains possible.
  class BeingSolved {
   public:
    explicit BeingSolved(ProblemImpl* problem);
    BeingSolved(const BeingSolved&) = delete;
    BeingSolved& operator=(const BeingSolved&) = delete;
    ~BeingSolved() { problem_.is_being_solved_ = false; }

   private:
    ProblemImpl& problem_;
  };

  // For constant, variable, a manifold or bounds. Before the change.
  void NoteChange(const ParameterBlock* parameter_block) {
    NoteStructuralChange();
    if (journal_ != nullptr) journal_->NoteChanged(parameter_block);
  }
  // A bound was set. Never undone.
  void NoteBounds() { may_have_bounds_ = true; }
  bool may_have_bounds() const { return may_have_bounds_; }
  // Structural changes are noted in the journal, which is not owned. Null: in
  // none.
  void SetJournal(ChangeJournal* journal) { journal_ = journal; }
  const ChangeJournal* journal() const { return journal_; }

  // Null: no solve has left anything.
  std::unique_ptr<KeptPreprocessing>& kept_preprocessing() {
    return kept_preprocessing_;
  }

  // The context of the options. Else a context that the problem owns, made on
  // first use.
  ContextImpl* context();

 private:
  [[noreturn]] static void FailForEdit();

  // The steps of adding a residual block: New, FillArguments, MakeRoomInLists,
  // Finish.
  ResidualBlock* NewResidualBlock(CostFunction* cost_function,
                                  LossFunction* loss_function,
                                  double* const* values, int num_values);
  void FillArguments(double* const* values, ResidualBlock* residual_block);
  void MakeRoomInLists(const ResidualBlock& residual_block);
  void FinishResidualBlock(ResidualBlock* residual_block);
  void TakeBack(std::size_t first, std::size_t first_parameter_block) noexcept;
  void TakeBackParameterBlocks(std::size_t first) noexcept;
  void FreeResidualBlock(ResidualBlock* residual_block) noexcept;
  void EraseParameterBlock(ParameterBlock* parameter_block) noexcept;
  ParameterBlock* NewParameterBlock(double* values, int size);
  void CheckSize(const ParameterBlock& parameter_block, int size) const;
  [[noreturn]] void FailForOverlap(const double* values, int size) const;
  void AddToDependents(ResidualBlock* residual_block);
  void RemoveFromDependents(ResidualBlock* residual_block);
  void StartCountingUses();
  void CountUses(const ResidualBlock& residual_block);
  void UncountUses(const ResidualBlock& residual_block);
  void ReleaseUses(const ResidualBlock& residual_block);
  // Removes one use of an object. Deletes the object if this was its last use.
  template <typename T>
  static void Release(const T* object,
                      std::unordered_map<const T*, int>* uses) {
    const auto it = uses->find(object);
    if (--it->second > 0) return;
    uses->erase(it);
    delete object;
  }
  void DeleteOwnedCostFunctions();
  void DeleteOwnedLossFunctions();
  class BatchColumn;
  BatchColumn ColumnOf(const BatchArgument& argument, int k, int size,
                       std::int64_t num_rows);
  void OwnLossOfEmptyBatch(const LossFunction* loss_function);
  void AddRows(const std::vector<BatchColumn>& columns,
               LossFunction* loss_function, const AddedBatch& batch);
  void RemoveConstraintsOf(const ParameterBlock* parameter_block);
  void OwnManifold(const Manifold* manifold) noexcept;
  bool OwnsCostFunctions() const;
  // Whether the cost function of a block is deleted with its last use. A batch
  // owns those of its rows.
  bool OwnsCostFunctionOf(const ResidualBlock& residual_block) const {
    return OwnsCostFunctions() && !residual_block.is_batch_row();
  }
  bool OwnsLossFunctions() const;

  Problem::Options options_;
  std::unique_ptr<ContextImpl> own_context_;

  BlockPool parameter_block_pool_;
  BlockPool residual_block_pool_;
  std::vector<ParameterBlock*> parameter_blocks_;
  std::vector<ResidualBlock*> residual_blocks_;
  std::vector<std::unique_ptr<Constraint>> constraints_;
  // The constraints in constraints_, to tell a pointer to a removed one.
  std::unordered_set<const Constraint*> known_constraints_;
  AddedBatches residual_batches_;
  std::unordered_set<const AddedBatch*> known_batches_;  // in residual_batches_
  // Owned. Each entry is a use, until the problem is destroyed.
  std::vector<const LossFunction*> losses_of_empty_batches_;
  ParameterMap parameter_map_;
  LastArguments last_arguments_;
  OccupiedMemory occupied_memory_;  // empty without safety checks
  int num_parameters_ = 0;
  int num_residuals_ = 0;
  int num_linearization_points_ = 0;
  std::atomic<bool> is_being_solved_{false};
  std::int64_t structure_revision_ = 0;
  bool may_have_bounds_ = false;
  ChangeJournal* journal_ = nullptr;

  // The number of residual blocks that use each owned object, if
  // counting_uses_.
  bool counting_uses_ = false;
  std::unordered_map<const CostFunction*, int> cost_function_uses_;
  std::unordered_map<const LossFunction*, int> loss_function_uses_;
  // With repetitions, less than max_owned_manifolds_ entries.
  std::vector<const Manifold*> owned_manifolds_;
  std::size_t max_owned_manifolds_ = 4096;
  // By parameterization that was set at some time.
  std::unordered_map<const LocalParameterization*,
                     std::unique_ptr<ParameterizationManifold>>
      parameterizations_;

  // Declared last: it points to the members above and to the context.
  std::unique_ptr<KeptPreprocessing> kept_preprocessing_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_PROBLEM_PROBLEM_IMPL_H_
