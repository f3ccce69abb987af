// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INCREMENTAL_CHOLESKY_H_
#define CERES_INTERNAL_SPARSE_INCREMENTAL_CHOLESKY_H_

#include <cstdint>
#include <vector>

#include "ceres/base/array_pool.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/sparse/clique_ordering.h"
#include "ceres/sparse/dynamic_front.h"

namespace ceres::internal {

// Minimizes 1/2 x'A x - b'x for a sparse positive definite A that changes.
// A and b are sums of terms; a term couples a few blocks of x. After a change
// of terms, Update factors anew what depends on them and solves.
//
// The factorization is multifrontal. Every front keeps its columns, its update
// matrix and its part of the forward solve. Update replaces the affected
// fronts: those that have a block of a changed term as a pivot, and all their
// ancestors. The other fronts form subtrees below the affected fronts, which
// remain as they are. The blocks that were pivots of affected fronts are
// ordered anew (clique_ordering.h), each subtree as a clique of its separator.
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
// The backward solve goes down from the new fronts. It enters a subtree only
// where a block of the separator has moved by more than a tolerance since the
// front below used it.
//
// Source: Kaess, Johannsson, Roberts, Ila, Leonard and Dellaert, iSAM2:
// Incremental smoothing and mapping using the Bayes tree, International Journal
// of Robotics Research 31, 2012, sections 3 and 4. The multifrontal form with
// stored update matrices: Liu, SIAM Review 34, 1992.
//
// The work of Update is proportional to the affected fronts and to the fronts
// that the backward solve enters, not to the size of A. Bits depend on the
// sequence of calls, not on the number of threads. Not thread-safe. Does not
// move: fronts are referred to by number.
class IncrementalCholesky {
 public:
  static constexpr int kNone = -1;

  struct Report {
    // A block without a positive pivot: A is not positive definite, and the
    // solution is that of the last success. kNone: success.
    int failed_block = kNone;
    int num_fronts_eliminated = 0;
    int num_blocks_eliminated = 0;
    // Fronts that the backward solve computed, the new ones included.
    int num_fronts_solved = 0;
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
  // To set the values of a term: PackedSize(n) values for the n scalars of its
  // blocks, in the order given to AddTerm. First the lower triangle of the
  // term's matrix, column by column without gaps, then its right-hand side.
  double* ChangeTerm(int term);

  // Factors and solves. After a failure, the next Update eliminates the
  // affected fronts once more. tolerance: see above; >= 0.
  Report Update(const Execution& execution, double tolerance);

  // The scalars of the solution. Zero before the first Update.
  const double* Solution(int block) const {
    return solution_.data() + blocks_[block].offset;
  }
  // Sets the solution of a block to zero, because what x is relative to has
  // moved. All terms of the block must change before the next Update.
  void ResetSolution(int block);
  // The blocks whose solution the last Update computed.
  const std::vector<int>& solved_blocks() const { return solved_blocks_; }
  // The minimum of 1/2 x'A x - b'x: exact for tolerance 0.
  double minimum() const { return -energy_; }

  int num_fronts() const { return num_fronts_; }
  // Scalars of the columns of all fronts.
  int64_t factor_size() const { return factor_size_; }

 private:
  struct Block {
    int size = 0;
    int offset = 0;  // in solution_
    int front = kNone;
    int num_terms = 0;
    int node = kNone;      // in graph_, during Update
    int place = 0;         // in the front that is assembled
    bool is_last = false;  // of a term that was added since the last Update
  };
  struct Term {
    std::vector<int> blocks;
    std::vector<double> values;
    bool exists = false;
    bool is_new = false;  // added since the last Update
  };

  // The last element, which is removed, or `otherwise` if there is none.
  static int PopOr(std::vector<int>* list, int otherwise);
  void TouchBlock(int block);
  void CollectAffected();
  void CollectNodes();
  void CollectCliques();
  void AddCliqueOfTerm(int term);
  void ReleaseAffected();
  int NewFront();
  void BuildFronts();
  // Return the block that failed, or kNone.
  int EliminateFronts(const Execution& execution);
  int EliminateFront(const Execution& execution, DynamicFront* front);
  const std::vector<int>& PlacesOf(const std::vector<int>& blocks);
  void SolveNewFronts(double tolerance);
  void SolveFront(DynamicFront* front);
  bool HasMoved(const DynamicFront& front, double tolerance) const;
  void FinishUpdate();

  std::vector<Block> blocks_;
  std::vector<Term> terms_;
  std::vector<DynamicFront> fronts_;
  std::vector<int> free_blocks_, free_terms_, free_fronts_;
  std::vector<std::vector<int>> free_offsets_;  // by size
  std::vector<double> solution_;
  ArrayPool<double> memory_;
  double energy_ = 0.0;
  int num_fronts_ = 0;
  int64_t factor_size_ = 0;

  // What changed since the last Update.
  // Blocks without a front; fronts that have a block of a changed term.
  std::vector<int> new_terms_, new_blocks_, touched_fronts_;

  // Of the Update that runs.
  std::vector<int> affected_;                // fronts
  std::vector<int> nodes_;                   // block by node
  std::vector<int> clique_terms_, orphans_;  // cliques: terms, then orphans
  CliqueGraph graph_;
  CliqueOrdering ordering_;
  CliqueForest forest_;
  std::vector<int> new_fronts_;  // by front of the forest
  FrontAssembly assembly_;
  std::vector<int> places_;
  AlignedBuffer pivot_solution_;
  std::vector<int> stack_, solved_blocks_;
  int num_fronts_solved_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INCREMENTAL_CHOLESKY_H_
