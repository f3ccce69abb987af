// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FRONT_PLAN_H_
#define CERES_INTERNAL_SPARSE_FRONT_PLAN_H_

#include <cstdint>
#include <vector>

#include "ceres/kernels/front_kernels.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/supernodes.h"

namespace ceres::internal {

// Multifrontal Cholesky factorization A = LL' of a sparse symmetric positive
// definite matrix.
//
// The columns of L are cut into supernodes (supernodes.h). Supernode s has
// `width` columns, the pivots p, and `below` rows b below them; it is factored
// as one dense symmetric matrix, its front:
//
// clang-format off
//                 p       b               p     the pivots: the columns of s, `width` of them
//             [ F_pp        ]  p          b     the rows of L below them, `below` of them
//     F_s  =  [             ]             A_s   the entries of A in the columns of s
//             [ F_bp   F_bb ]  b          U_c   update matrix of a child c; its rows are among p and b
//
//     F_s         =  A_s + sum of U_c over the children c of s
//     L_pp L_pp'  =  F_pp                 dense Cholesky factorization
//     L_bp        =  F_bp L_pp^-T
//     U_s         =  F_bb - L_bp L_bp'    update matrix, added to the front of the parent
//
//     memory:   [ L_pp | L_bp ], the columns of a front; those of all fronts are the factor
//               U_s, on a stack of the thread or in a buffer of its own (FrontTask)
//
//     tree:         s5              parent of s: the supernode of the first row below s
//                  /  \             order s1 s2 s3 s4 s5: children before parents
//                s3    s4
//               /  \                (s1 and s2 are independent of s4)
//             s1    s2
// clang-format on
//
// A front is factored after its children; fronts of different subtrees at the
// same time. Every element is a sum in a fixed order: the plan depends on the
// structure alone, and results have the same bits for every number of threads.
//
// Source: Duff and Reid, ACM Transactions on Mathematical Software 9, 1983;
// Liu, The Multifrontal Method for Sparse Matrix Solution: Theory and Practice,
// SIAM Review 34, 1992. kernels/front_layout.h is the layout of columns and
// update matrices, kernels/front_kernels.h the arithmetic.

// The place of a block of A in the columns of its front.
struct FrontEntry {
  int64_t source;  // of the block, among the block values
  int64_t target;  // of its first element, among the columns of the front
  int num_rows, num_columns;
  bool is_transposed;  // the stored block is the transpose of this block
};

struct Front {
  int first_column;  // the first pivot, in the permuted matrix
  int width, below;
  int parent;             // -1: none
  int64_t columns_begin;  // of its columns, among the columns of all fronts
  int64_t row_begin;      // of its rows below, in FrontPlan::row and ::position
  int num_pivot_rows;     // rows below that are pivots of the parent
  int first_segment, end_segment;
  int first_entry, end_entry;
  int first_child, end_child;  // into FrontPlan::child
  // The place of its update matrix. >= 0: its begin in stack (depth % 2) of the
  // thread that runs the task. -1: the update matrix has a buffer of its own.
  int64_t stack_begin;
  int depth;  // within its task
};

// A task: one thread factors the fronts [first, last) in order. Update matrices
// that a front of another task needs have buffers of their own; all others are
// on the stacks of the thread.
struct FrontTask {
  int first, last;
  int parent;           // task, -1: none
  bool has_wide_front;  // one front, large enough to share between threads
};

// kNone: the plan has no entries, because all factorizations gather
// (NativeFactor::Gather).
enum class FrontEntries { kPlaced, kNone };

// The symbolic phase of a multifrontal factorization: everything that depends
// on the structure alone. T: double or float, the type of the factor.
// Immutable; thread-safe.
template <typename T>
struct FrontPlan {
  // merged_into: the node of each block. supernodes: those of the graph of
  // nodes.
  FrontPlan(const BlockSymmetricStructure& structure,
            const std::vector<int>& merged_into, const Supernodes& supernodes,
            FrontEntries blocks = FrontEntries::kPlaced);

  std::vector<int> permutation;  // of the scalars: k -> row of the matrix
  std::vector<Front> fronts;     // children before parents
  std::vector<int> child;
  std::vector<int> row;       // of the permuted matrix
  std::vector<int> position;  // of the row in the front of the parent
  std::vector<kernels::FrontSegment> segments;
  std::vector<FrontEntry> entries;
  std::vector<FrontTask> tasks;  // children before parents
  int64_t columns_size = 0;
  int64_t stack_size[2] = {0, 0};
  // Scalars of the update matrices that have buffers of their own: all of them,
  // and the most that exist at one time if one thread runs all tasks.
  int64_t updates_size = 0;
  int64_t updates_peak = 0;
  double num_operations = 0.0;  // multiplications with additions

 private:
  void PlaceRows(const Supernodes& supernodes,
                 const std::vector<int>& node_offset);
  void MapToParent(Front* front);
  void PlaceEntries(const BlockSymmetricStructure& structure,
                    const std::vector<int>& block_place);
  void CutIntoTasks();
  void PlaceUpdates(const FrontTask& task);
  void CountUpdates();
};

extern template struct FrontPlan<double>;
extern template struct FrontPlan<float>;

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_FRONT_PLAN_H_
