// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INCREMENTAL_INCREMENTAL_CHOLESKY_H_
#define CERES_INTERNAL_SPARSE_INCREMENTAL_INCREMENTAL_CHOLESKY_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <vector>

#include "ceres/base/array_pool.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/sparse/incremental/clique_minimum_degree.h"
#include "ceres/sparse/incremental/dynamic_front.h"
#include "ceres/sparse/incremental/fill_reference.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {

// Minimizes 1/2 x'A x - b'x for a sparse positive definite A that changes.
// A and b are sums of terms; a term couples a few blocks of x. After a change
// of terms, Update factors anew what depends on them and solves.
//
// The factorization is multifrontal. Every front keeps its columns, its update
// matrix and its part of the forward solve. New and removed terms replace the
// affected fronts: those that have a block of such a term as a pivot, and all
// their ancestors. The other fronts form subtrees below the affected fronts,
// which remain as they are. The blocks that were pivots of affected fronts are
// ordered anew (clique_minimum_degree.h), each subtree as a clique of its
// separator.
//
// clang-format off
//
//          affected                              new
//         |        |                            |    |
//     affected   subtree 3        ->          new    subtree 2
//      |     |                               |   |
//  subtree  subtree                    subtree   subtree
//     1        2                          3         1
//
// clang-format on
//
// New values of a term leave the fronts in place: the front that has the term
// and its ancestors become stale, and are eliminated again.
//
// The backward solve goes down from the new and the stale fronts. It enters a
// subtree only where a block of the separator has moved by more than a
// tolerance since the front below used it. Fronts that it has no budget for
// wait for the next Update.
//
// An order of the affected blocks alone can become worse than an order of all
// blocks. Prepare searches for an order of all blocks in pieces
// (fill_reference.h). While the fill exceeds a factor of the fill of that
// order, Update orders stale fronts anew as well, and fronts below that it has
// a budget for.
//
// Source: Kaess, Johannsson, Roberts, Ila, Leonard and Dellaert, iSAM2:
// Incremental smoothing and mapping using the Bayes tree, International Journal
// of Robotics Research 31, 2012, sections 3 and 4. The multifrontal form with
// stored update matrices: Liu, SIAM Review 34, 1992.
//
// Blocks can be damped: A gets an additional diagonal there. A block whose
// pivots are not positive, or as small as rounding errors, is not determined by
// the terms. If the caller says what is large for the block, the elimination of
// its front is repeated with a small diagonal on the block, which holds the
// undetermined part of the solution near zero. The next elimination of the
// front tries without it again.
//
// The work of Update is proportional to the affected and stale fronts and to
// the fronts that the backward solve enters, not to the size of A. It is
// counted in operations (sparse_tuning.h) that follow from the shapes of
// fronts. Bits depend on the sequence of calls, not on the number of threads.
// Not thread-safe. Does not move: fronts are referred to by number.
class IncrementalCholesky {
 public:
  static constexpr int kNone = -1;
  static constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

  // What an update may spend on a better order.
  struct ReorderLimits {
    // More blocks than necessary are ordered anew if the fill exceeds this
    // factor of the best known. 0: no order is searched.
    double fill_factor = 0.0;
    // Operations of fronts that are eliminated for their order alone.
    int64_t most_operations = 0;
  };

  // By block: about the largest eigenvalue of its diagonal block of A, > 0.
  using BlockScale = std::function<double(int block)>;

  struct Report {
    // A block without a positive pivot: A is not positive definite, and the
    // solution is that of the last success. kNone: success. With a BlockScale,
    // only values that are not finite make a block fail.
    int failed_block = kNone;
    int num_fronts_eliminated = 0;
    int num_blocks_eliminated = 0;
    // Fronts that the backward solve computed, those that were eliminated
    // included, and fronts that wait for it.
    int num_fronts_solved = 0;
    int num_fronts_waiting = 0;
    // Operations of the backward solve of fronts that were not eliminated.
    int64_t num_solve_operations = 0;
    // Blocks that were ordered anew for a better order alone, or with new
    // values. What this adds to the operations of Prepare and Reserve; negative
    // if it saves more.
    int num_blocks_reordered = 0;
    int64_t num_reorder_operations = 0;
  };

  IncrementalCholesky() = default;
  IncrementalCholesky(const IncrementalCholesky&) = delete;
  IncrementalCholesky& operator=(const IncrementalCholesky&) = delete;

  // Returns the number of a block of `size` > 0 scalars. Numbers of removed
  // blocks are used again. A block without terms is not part of A.
  int AddBlock(int size);
  // The block must have no terms.
  void RemoveBlock(int block);

  // Adds a term on distinct blocks. Returns its number; numbers of removed
  // terms are used again. The values are undefined until they are set.
  int AddTerm(const std::vector<int>& blocks);
  void RemoveTerm(int term);

  // Orders the affected blocks, after all changes of blocks and terms. Until
  // the next Update, only values of terms can change. Returns the operations of
  // eliminating the affected blocks, and of the search for a better order.
  int64_t Prepare(const ReorderLimits& limits);
  // The operations that new values of these terms add to the next Update, after
  // those of earlier calls; kNone if they are more than `most`. Otherwise the
  // terms must change before the next Update.
  int64_t Reserve(const std::vector<int>& terms, int64_t most);
  // What Reserve({term}) would have returned when ForgetPaths was called last.
  void ForgetPaths();
  int64_t PathOperations(int term);
  // To set the values of a term: PackedSystemSize(n) values for the n scalars
  // of its blocks, in the order given to AddTerm. First the lower triangle of
  // the term's matrix, column by column without gaps, then its right-hand side.
  double* ChangeTerm(int term);
  // The values of a term.
  const double* TermValues(int term) const {
    return terms_[term].values.data();
  }

  // A gets diag(diagonal), >= 0, at this block. Null: no longer. The operations
  // that this adds to the next Update, as Reserve.
  int64_t SetDamping(int block, const double* diagonal);
  // 1/2 x'Dx of the solution x and of a block's damping D.
  double DampingEnergy(int block) const;

  // Factors and solves. Prepares without a search for a better order if Prepare
  // was not called. After a failure, the next Update eliminates the affected
  // and stale fronts once more. tolerance: see above; >= 0. A better order and
  // the backward solve of fronts that are not eliminated have at most
  // most_operations + FirstWaitingOperations().
  // scale: see above; none: an undetermined block is a failure.
  Report Update(const Execution& execution, double tolerance,
                int64_t most_operations = kUnlimited,
                const BlockScale& scale = nullptr);

  // Whether the last elimination of the block had to determine it, and the
  // number of such blocks.
  bool IsUndetermined(int block) const {
    return blocks_[block].is_undetermined;
  }
  int num_undetermined() const { return num_undetermined_; }

  // The operations of the backward solve of the front that waits longest. 0: no
  // front waits.
  int64_t FirstWaitingOperations();

  // The scalars of the solution. Zero before the first Update.
  const double* Solution(int block) const {
    return solution_.data() + blocks_[block].offset;
  }
  // Sets the solution of a block to zero, because what x is relative to has
  // moved. All terms of the block must change before the next Update.
  void ResetSolution(int block);
  // The blocks whose solution the last Update computed.
  const std::vector<int>& solved_blocks() const { return solved_blocks_; }
  // The minimum of 1/2 x'A x - b'x, with damping: exact for tolerance 0.
  double minimum() const { return -energy_; }

  int num_fronts() const { return num_fronts_; }
  // Scalars of the columns of all fronts.
  int64_t factor_size() const { return factor_size_; }
  // Operations of eliminating all fronts.
  int64_t factor_operations() const { return factor_operations_; }

  // The fill, factor_size() per scalar of the matrix, over that of the best
  // order that is known. 0: none is known.
  double fill_ratio() const;

 private:
  struct Block {
    int size = 0;
    int offset = 0;  // in solution_
    int front = kNone;
    int num_terms = 0;
    int node = kNone;      // in graph_, during Prepare, or in the plan's graph
    int place = 0;         // in the front that is assembled
    int64_t rank = 0;      // ascends in the order of elimination
    bool is_last = false;  // of a term that was added since the last Update
    bool is_damped = false;
    bool is_undetermined = false;
  };
  struct Term {
    std::vector<int> blocks;
    std::vector<double> values;
    int front = kNone;
    bool exists = false;
    bool is_new = false;  // added since the last Update
  };

  // The last element, which is removed, or `otherwise` if there is none.
  static int PopOr(std::vector<int>* list, int otherwise);
  void TouchBlock(int block);

  // Of Prepare.
  void CollectAffected();
  void OrderAffected();
  void CollectNodes();
  void CollectCliques();
  void AddCliqueOfTerm(int term);
  int64_t CostOfForest() const;
  int64_t SearchOrder();
  int64_t TakeSnapshot();

  // Of Update.
  int64_t OrderMore(int64_t most_operations);
  int64_t AffectStale();
  int64_t AffectBelow(int64_t most_operations);
  void ReplaceAffected();
  void ReleaseAffected();
  int NewFront();
  void BuildFronts();
  void LinkFronts();
  void FinishStructure();
  bool MustEliminate(const DynamicFront& front) const {
    return front.is_stale || (is_prepared_ && front.is_affected);
  }
  // Return the block that failed, or kNone.
  int EliminateFronts(const Execution& execution);
  int EliminateFront(const Execution& execution, DynamicFront* front);
  void CollectDamping(const DynamicFront& front);
  int AssembleAndEliminate(const Execution& execution, DynamicFront* front);
  int DetermineBlocks(const Execution& execution, int block,
                      DynamicFront* front);
  void MarkDetermined(int block, bool is_determined);
  void CollectEliminated();
  const std::vector<int>& PlacesOf(const std::vector<int>& blocks);
  void SolveEliminated();
  void SolveWaiting(double tolerance, int64_t most_operations);
  void LetChildrenWait(const DynamicFront& front);
  void StopWaiting(DynamicFront* front);
  void SolveFront(DynamicFront* front);
  bool HasMoved(const DynamicFront& front, double tolerance) const;
  void FinishUpdate(bool succeeded);

  std::vector<Block> blocks_;
  std::vector<Term> terms_;
  std::vector<DynamicFront> fronts_;
  std::vector<int> free_blocks_, free_terms_, free_fronts_;
  std::vector<std::vector<int>> free_offsets_;  // by size
  std::vector<double> solution_, damping_;      // by scalar
  ArrayPool<double> memory_;
  double energy_ = 0.0;
  int num_fronts_ = 0;
  int64_t factor_size_ = 0, num_scalars_ = 0, factor_operations_ = 0;
  int64_t next_rank_ = 0;

  // What changed since the last Update: terms, blocks without a front, fronts
  // that have a block of a term that was added or removed.
  std::vector<int> new_terms_, new_blocks_, touched_fronts_;
  // Fronts that are stale, some perhaps no longer.
  std::vector<int> stale_fronts_;
  bool is_prepared_ = false;
  // By front: operations of the path to the root; kNone: not known.
  std::vector<int64_t> path_operations_;
  std::vector<int> path_;

  // Of the Prepare or the Update that runs.
  std::vector<int> affected_;                // fronts
  std::vector<int> nodes_;                   // block by node
  std::vector<int> clique_terms_, orphans_;  // cliques: terms, then orphans
  CliqueGraph graph_;
  CliqueMinimumDegree ordering_;
  CliqueForest forest_;
  std::vector<int> new_fronts_;  // by front of the forest

  // The better order.
  ReorderLimits limits_;
  FillReference reference_;
  // Scalars of the matrix at which the next search begins.
  int64_t next_search_ = sparse_tuning::kScalarsBetweenOrderings;
  int pause_ = 0, num_pauses_ = 0;  // updates
  int num_blocks_reordered_ = 0;

  // Of the Update that runs.
  std::vector<int> eliminated_;  // fronts, children before parents
  FrontAssembly assembly_;
  const BlockScale* scale_ = nullptr;
  std::vector<double> diagonal_;               // of the front that is repeated
  int num_undetermined_ = 0, num_damped_ = 0;  // blocks
  std::vector<int> places_;
  AlignedBuffer pivot_solution_;
  // Fronts that wait for the backward solve, in this order. Some perhaps no
  // longer.
  std::deque<int> waiting_;
  int num_waiting_ = 0;
  std::vector<int> solved_blocks_;
  int num_fronts_solved_ = 0;
  int64_t solve_operations_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INCREMENTAL_INCREMENTAL_CHOLESKY_H_
