// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_INVERSE_COLUMNS_H_
#define CERES_INTERNAL_COVARIANCE_INVERSE_COLUMNS_H_

#include <vector>

#include "Eigen/Core"
#include "ceres/covariance/front_tree.h"
#include "ceres/execution/execution.h"

namespace ceres::internal {

// Blocks of C = (R'R)^-1 for the R of a multifrontal QR factorization. For a
// block column b of the identity
//
//   R' Y = E_b    has nonzeros in the ancestors of b only: the path to the root
//   R  C_b = Y    at row a needs C_b in the ancestors of a only
//   C_bb = Y'Y
//
// (Gilbert, SIAM J. Matrix Anal. Appl. 15, 1994), so that of a large R only a
// few fronts are read. Immutable.
class InverseColumns {
 public:
  // Blocks by position in the order of elimination, row <= column.
  struct Request {
    int column;
    int row;
    double* values;      // C_row,column, ROW-major
    bool is_transposed;  // write C_column,row instead
  };

  // `factors[f]`: the pivot rows of front f, COLUMN-major. Both must outlive
  // it.
  InverseColumns(const FrontTree& tree,
                 const std::vector<const double*>& factors)
      : tree_(tree), factors_(factors) {}

  // Columns are computed at the same time, each by one thread.
  void Compute(const Execution& execution, std::vector<Request> requests) const;

 private:
  using RowMajor =
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using ConstColumnMajor = Eigen::Map<const Eigen::MatrixXd>;

  // What one thread works with; all but `x` is per front.
  struct Workspace {
    RowMajor x;     // rows by position
    RowMajor rest;  // the rows of a front that are not pivots
    std::vector<bool> is_needed;
    std::vector<int> needed;  // ascending
  };

  void ComputeColumn(const Request* begin, const Request* end,
                     Workspace* workspace) const;
  void AddPath(int block, Workspace* workspace) const;
  void SolveTransposed(int block, Workspace* workspace) const;
  void Solve(Workspace* workspace) const;
  void Diagonal(int block, const RowMajor& x, Eigen::MatrixXd* diagonal) const;

  int BlockSize(int block) const {
    return tree_.scalar_offset[block + 1] - tree_.scalar_offset[block];
  }
  ConstColumnMajor R(int f) const {
    return {factors_[f], tree_.fronts[f].num_pivot_columns(),
            tree_.fronts[f].num_columns()};
  }
  auto Pivots(int f, RowMajor* x) const {
    const QrFront& front = tree_.fronts[f];
    return x->middleRows(tree_.scalar_offset[front.first_pivot],
                         front.num_pivot_columns());
  }

  const FrontTree& tree_;
  const std::vector<const double*>& factors_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_INVERSE_COLUMNS_H_
