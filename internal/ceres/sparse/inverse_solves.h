// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_INVERSE_SOLVES_H_
#define CERES_INTERNAL_SPARSE_INVERSE_SOLVES_H_

#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/sparse/front_plan.h"

namespace ceres::internal {

// Computes blocks of C = A^-1 from A = LL' by solves for block columns E_b of
// the identity:
//
//     L Y = E_b       Y has nonzeros only on the path from b to the root
//     L' C_b = Y      a row a of C_b needs only the path from a to the root
//     C_bb = Y'Y
//
// L is the factor of a Cholesky factorization, or R' of a QR factorization.
// Relative errors of C are about eps cond(L).
//
// Source: Gilbert, Predicting Structure in Sparse Matrix Computations, SIAM J.
// Matrix Analysis and Applications 15, 1994. Immutable.
class InverseSolves {
 public:
  // Consecutive scalars of the permuted matrix.
  struct Range {
    int first, size;
  };
  struct Request {
    Range column, row;
    bool is_transposed;  // write C_column,row instead
    double* values;      // C_row,column, ROW-major
  };

  // columns: of all fronts, factored. plan and columns must outlive this.
  InverseSolves(const FrontPlan<double>& plan, const double* columns);

  // Block columns are solved for at the same time, each by one thread. The bits
  // do not depend on the number of threads.
  void Compute(const Execution& execution, std::vector<Request> requests) const;

  // The approximate number of multiply-adds of a solve for num_columns columns
  // that begin in a front.
  double Cost(int front, int num_columns) const {
    return path_cost_[front] * num_columns;
  }
  int FrontOf(int scalar) const { return front_of_[scalar]; }

 private:
  // The memory of one thread.
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
