// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INVERSE_SOLVES_H_
#define CERES_INTERNAL_SPARSE_INVERSE_SOLVES_H_

#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/sparse/front_plan.h"

namespace ceres::internal {

// Any blocks of C = A^-1 from A = LL', by solves for the columns E_b that they
// are in:
//
//     L Y = E_b       has nonzeros on the path from b to the root only
//     L' C_b = Y      at a row a needs the path from a to the root only
//     C_bb = Y'Y
//
// (Gilbert, SIAM J. Matrix Anal. Appl. 15, 1994.) Immutable.
class InverseSolves {
 public:
  // Scalars of the permuted matrix.
  struct Range {
    int first, size;
  };
  struct Request {
    Range column, row;
    bool is_transposed;  // write C_column,row instead
    double* values;      // C_row,column, ROW-major
  };

  // columns: of all fronts, factored. Both must outlive this.
  InverseSolves(const FrontPlan<double>& plan, const double* columns);

  // Columns are solved for at the same time, each by one thread: the same bits
  // for every number of them.
  void Compute(const Execution& execution, std::vector<Request> requests) const;

  // Of a block's columns: multiplications with additions, about.
  double Cost(int front, int num_columns) const {
    return path_cost_[front] * num_columns;
  }
  int FrontOf(int scalar) const { return front_of_[scalar]; }

 private:
  // What one thread works with.
  struct Workspace {
    std::vector<double> x;        // column after column
    AlignedBuffer pivots, below;  // of a front
    std::vector<bool> is_needed;  // by front
    std::vector<int> needed;      // ascending
  };

  void Solve(const Request* begin, const Request* end,
             Workspace* workspace) const;
  void AddPath(int front, Workspace* workspace) const;
  void SolveForward(int front, int num_columns, Workspace* workspace) const;
  void SolveBackward(int num_columns, Workspace* workspace) const;
  void WriteDiagonal(const Request& request, const Workspace& workspace) const;

  const FrontPlan<double>& plan_;
  const double* const columns_;
  std::vector<int> front_of_;      // by scalar
  std::vector<double> path_cost_;  // by front: of one column
  int max_width_ = 0, max_below_ = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_INVERSE_SOLVES_H_
