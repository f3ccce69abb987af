// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_BLOCK_QR_H_
#define CERES_INTERNAL_COVARIANCE_BLOCK_QR_H_

#include <optional>
#include <vector>

#include "ceres/covariance/front_tree.h"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// J P = Q R for a block-sparse J of full column rank by multifrontal
// Householder QR (Davis, Algorithm 915, ACM Trans. Math. Softw. 38, 2011), Q
// not kept, and blocks of (J'J)^-1 = P (R'R)^-1 P'. J'J is never formed.
//
// Fronts of one height in the tree are factored at the same time, each by one
// thread, and so are the columns of the inverse: the bits do not depend on the
// number of threads. Not thread-safe.
class BlockQr {
 public:
  // A column that depends on those eliminated before it.
  struct DependentColumn {
    int block;     // column block of J
    int column;    // within it
    double pivot;  // its part orthogonal to the columns before; 0: no rows
  };

  // `structure` must outlive this.
  BlockQr(const BlockJacobianStructure& structure,
          const std::vector<int>& elimination_order);

  // A column whose part orthogonal to those before it is not longer than
  // `tolerance` is dependent; one of them is returned, the same for every
  // number of threads, and nothing else may be called then. Nothing: full rank.
  [[nodiscard]] std::optional<DependentColumn> Factorize(
      const Execution& execution, const BlockJacobian& jacobian,
      double tolerance);

  // Fills blocks of (J'J)^-1, by column blocks of J. Each costs what R holds on
  // the paths of its two blocks to the root; blocks that share the one that is
  // eliminated later share work. The blocks on the diagonal are symmetric to
  // the last bit.
  void ComputeInverseBlocks(const Execution& execution,
                            const std::vector<InverseBlock>& blocks) const;

  const FrontTree& tree() const { return tree_; }

 private:
  struct Factor {
    AlignedBuffer r;     // pivot rows of the front, COLUMN-major
    AlignedBuffer rest;  // what goes to the parent, COLUMN-major
    int num_rest_rows = 0;
    bool is_rest_triangular = false;
    int dependent_column = -1;
    double pivot = 0.0;
  };

  // The rows of a front, sorted by the first column where they may not be zero.
  struct Staircase {
    std::vector<int> place;  // of each row: those of J, then of the children
    std::vector<int> end;    // by column: how many rows begin there or before
    int num_rows() const { return static_cast<int>(place.size()); }
  };

  void FactorizeFront(const BlockJacobian& jacobian, double tolerance, int f);
  Staircase SortRows(const QrFront& front) const;
  void Assemble(const BlockJacobian& jacobian, const QrFront& front,
                const Staircase& rows, double* values) const;
  static void Triangularize(const Staircase& rows, int num_pivots,
                            int num_columns, double* values);
  static void Keep(const QrFront& front, const double* values, int num_rows,
                   Factor* factor);
  DependentColumn Describe(int f) const;

  const BlockJacobianStructure& structure_;
  const FrontTree tree_;
  std::vector<Factor> factors_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_BLOCK_QR_H_
