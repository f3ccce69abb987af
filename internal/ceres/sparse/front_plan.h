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

// A block of the matrix in the columns of its front.
struct FrontEntry {
  int64_t source;  // among the block values
  int64_t target;  // of its first element, among the front's columns
  int num_rows, num_columns;
  bool is_transposed;  // the stored block is the mirror of this one
};

struct Front {
  int first_column;  // of its pivots, in the permuted matrix
  int width, below;
  int parent;             // -1: none
  int64_t columns_begin;  // among all fronts' columns
  int64_t row_begin;      // into FrontPlan::row and ::position, `below` long
  int num_pivot_rows;     // of the rows below: those that are parent's pivots
  int first_segment, end_segment;
  int first_entry, end_entry;
  int first_child, end_child;  // into FrontPlan::child
  // Where its update matrix is: >= 0: in stack number depth % 2 of the thread
  // that works on its task, as deep. -1: in a buffer of its own.
  int64_t stack_begin;
  int depth;
};

// Fronts [first, last), one after the other in one thread. Its last fronts'
// update matrices have buffers of their own; all others are consumed within.
struct FrontTask {
  int first, last;
  int parent;           // task, -1: none
  bool has_wide_front;  // one front, large enough to share between threads
};

// kNone: nobody will ask where blocks of a matrix go.
enum class FrontEntries { kPlaced, kNone };

// All of a multifrontal Cholesky factorization that does not depend on the
// values: made once, read by all threads. T: of the factor.
//
// The cut into tasks, and so everything else, depends on the structure alone.
template <typename T>
struct FrontPlan {
  // merged_into: the node of each block. supernodes: of the nodes' graph.
  FrontPlan(const BlockSymmetricStructure& structure,
            const std::vector<int>& merged_into, const Supernodes& supernodes,
            FrontEntries blocks = FrontEntries::kPlaced);

  std::vector<int> permutation;  // of the scalars: k -> row of the matrix
  std::vector<Front> fronts;     // children before parents
  std::vector<int> child;
  std::vector<int> row;       // of the permuted matrix
  std::vector<int> position;  // of the same in the parent's front
  std::vector<kernels::FrontSegment> segments;
  std::vector<FrontEntry> entries;
  std::vector<FrontTask> tasks;  // children before parents
  int64_t columns_size = 0;
  int64_t stack_size[2] = {0, 0};
  // Of the update matrices that have buffers of their own: all together, and
  // those that are needed at the same time where one thread does all tasks.
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
