// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INCREMENTAL_DYNAMIC_FRONT_H_
#define CERES_INTERNAL_SPARSE_INCREMENTAL_DYNAMIC_FRONT_H_

#include <cstdint>
#include <vector>

#include "ceres/base/array_pool.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/front_kernels.h"

namespace ceres::internal {

// Operations (sparse_tuning.h) of the elimination of a front, with its forward
// and backward solve, and of the backward solve alone.
int64_t EliminationCost(int width, int below);
int64_t SolveCost(int width, int below);

// A front of an incremental factorization. It owns its columns and its update
// matrix (kernels/front_layout.h), so that its parent can be eliminated anew
// without it. Notation: p are the pivots, b the rows below.
struct DynamicFront {
  double* columns() const { return memory.data(); }
  double* update() const { return columns() + columns_size; }
  // L_pp^-1 of the right-hand side, in whole panels.
  double* forward() const { return update() + update_size; }
  // What the front adds to the right-hand side of its ancestors.
  double* below_rhs() const { return forward() + padded_width; }
  // The solution of the rows below at the last backward solve. The padding is
  // zero.
  double* used() const { return below_rhs() + padded_below; }

  // Sets the shape. The memory comes from the pool; it is not initialised.
  void Allocate(int new_width, int new_below, ArrayPool<double>* pool);
  // Leaves an empty front that keeps the capacity of its lists.
  void Release(ArrayPool<double>* pool);

  bool exists = false;
  bool is_affected = false;  // to be replaced
  bool is_new = false;       // by the update that runs
  bool is_stale = false;     // to be eliminated, as are all its ancestors
  bool is_waiting = false;   // for the backward solve
  int64_t first_rank = 0;    // place of the first pivot in the elimination
  int parent = -1;           // -1: a root
  std::vector<int> children;
  std::vector<int> terms;  // those whose first pivot is here
  std::vector<int> pivots, below_blocks;
  int width = 0, below = 0;
  double energy = 0.0;  // 1/2 |forward|^2

  int64_t columns_size = 0, update_size = 0;
  int padded_width = 0, padded_below = 0;
  LineArray<double> memory;
};

// The lower triangle of a symmetric matrix, column by column without gaps, and
// after it a right-hand side.
constexpr int PackedSystemSize(int n) { return n * (n + 1) / 2 + n; }

// Fills and eliminates one front (Duff and Reid, ACM Transactions on
// Mathematical Software 9, 1983). The rows of children and terms may be in any
// order in the front: their order changes when ancestors are ordered anew. The
// object keeps its work space. Not thread-safe.
class FrontAssembly {
 public:
  // Sets the front to zero.
  void Start(DynamicFront* front);
  // Adds the update matrix of a child, which must not change until Eliminate.
  // place: the row in the front by row of the child, pivots first.
  void AddChild(const DynamicFront& child, const std::vector<int>& place);
  // Adds a packed matrix with its right-hand side, which must not change until
  // Eliminate.
  void AddPacked(const double* values, const std::vector<int>& place);
  // Adds a number to the diagonal of each pivot. The numbers must not change
  // until Eliminate.
  void AddDiagonal(const double* values) { added_diagonal_ = values; }
  // Eliminates the pivots. Returns kNoFailedPivot, or the first pivot that is
  // not positive or that the rounding errors of its elimination may have made.
  // Threads of `execution` share wide fronts; the bits do not
  // depend on their number.
  [[nodiscard]] int Eliminate(const Execution& execution);

 private:
  struct Part {
    const DynamicFront* child;  // null: packed values
    const double* values;
    int first_place, num_rows;
    int first_segment, num_segments;
    bool is_ascending;
    int num_pivot_rows;  // if ascending
  };

  template <typename F>
  void ForDiagonal(const F& f);
  int FindFailedPivot(const Execution& execution);
  void AddColumns(const Part& part);
  void AddUpdates(const Part& part);
  template <typename Value>
  void Scatter(const Part& part, bool to_columns, const Value& value);
  kernels::FrontMap MapOf(const Part& part) const;

  DynamicFront* front_ = nullptr;
  const double* added_diagonal_ = nullptr;
  std::vector<double> assembled_diagonal_;
  std::vector<Part> parts_;
  std::vector<int> place_;
  std::vector<kernels::FrontSegment> segments_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INCREMENTAL_DYNAMIC_FRONT_H_
