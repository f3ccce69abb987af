// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_COVARIANCE_BLOCK_QR_H_
#define CERES_INTERNAL_COVARIANCE_BLOCK_QR_H_

#include <optional>
#include <vector>

#include "Eigen/Core"
#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/front_plan.h"
#include "ceres/sparse/inverse_block.h"

namespace ceres::internal {

// A multifrontal Householder QR factorization J P = Q R of a block-sparse J of
// full column rank (Davis, Algorithm 915, ACM Transactions on Mathematical
// Software 38, 2011), and blocks of (J'J)^-1 = P (R'R)^-1 P'. Neither Q nor J'J
// is formed.
//
// The pattern of R' is that of the Cholesky factor of J'J (George and Heath,
// Linear Algebra and its Applications 34, 1980). The fronts are therefore those
// of a Cholesky factorization (sparse/front_plan.h). A front holds the row
// blocks of J whose first column is one of its pivots, and the rows that its
// children leave:
//
// clang-format off
//
//                          pivots   below
//     rows of J          [   A        B   ]         [  A  B  ]   [ R  S ]
//     rows of children   [   0 or A   B   ]      Q' [  .  .  ] = [ 0  T ]
//
// clang-format on
//
// [R S]' is stored as the front's columns of a Cholesky factor L = R'
// (kernels/front_layout.h). The rows of T go to the parent.
//
// Row blocks can be constraints: rows of infinite weight. Then J is [A; J] with
// the rows A of the constraints, and C is the block of the inverse of the KKT
// matrix
//
// clang-format off
//
//     [ J'J  A' ]^-1     [ C  . ]
//     [ A    0  ]      = [ .  . ]
//
// clang-format on
//
// A front first brings its rows of A to row echelon form. Their pivot columns
// are eliminated from its rows of J, and those of J are factored in the other
// columns (constraint_elimination.h). Rows of A without pivot in the front go
// to the parent. Rows of A that depend on others vanish. Rows of R that come
// from A are stored times a power of two that is so large that the solves with
// R find the limit of infinite weight.
//
// Fronts of one height in the tree are factored at the same time, each by one
// thread. The bits do not depend on the number of threads. Not thread-safe.
class BlockQr {
 public:
  // A column that depends on the columns that are eliminated before it.
  struct DependentColumn {
    int block;     // column block of J
    int column;    // within the block
    double pivot;  // norm of the part orthogonal to the columns before it
  };

  // `normal_pattern`: of NormalPattern(structure). `elimination_order[k]`: the
  // column block to eliminate as k-th; the fronts take them in a postorder of
  // the elimination tree. `is_constraint`: by row block; empty: none.
  // `structure` must outlive this.
  BlockQr(const BlockJacobianStructure& structure,
          const BlockSymmetricStructure& normal_pattern,
          const std::vector<int>& elimination_order,
          std::vector<bool> is_constraint = {});

  // Returns a dependent column, if there is one: a column whose part orthogonal
  // to the columns before it has at most the norm `tolerance`; more if the
  // elimination of constraints has made columns larger than those of J. It is
  // the same for every number of threads. Then there is no factorization, and
  // ComputeInverseBlocks must not be called. Returns nothing if J has full
  // rank.
  [[nodiscard]] std::optional<DependentColumn> Factorize(
      const Execution& execution, const BlockJacobian& jacobian,
      double tolerance);

  // Fills blocks of (J'J)^-1, or of C, named by column blocks of J, by solves
  // with R
  // (sparse/inverse_solves.h). Diagonal blocks are symmetric to the last bit.
  void ComputeInverseBlocks(const Execution& execution,
                            const std::vector<InverseBlock>& blocks) const;

  const FrontPlan<double>& plan() const { return plan_; }

 private:
  // The rows that a front leaves to its parent, or why it has no factorization.
  struct Remainder {
    AlignedBuffer values;  // T, COLUMN-major
    int num_rows = 0;
    bool is_triangular = false;
    int dependent_column = -1;  // in the front
    double pivot = 0.0;
    // Rows of A, and how much larger than all columns of J the columns below
    // the front have become. Empty if the subtree has no constraints.
    Eigen::MatrixXd constraints;
    Eigen::VectorXd growth;
  };

  // The rows of a front, sorted by the first column where they may not be zero.
  struct Staircase {
    std::vector<int> place;  // of each row: those of J, then of the children
    std::vector<int> end;    // by column: how many rows begin there or before
    int num_rows() const { return static_cast<int>(place.size()); }
  };

  void AssignRowsToFronts();
  void FindLevels();
  // The first column of the permuted J that a row block may not be zero in;
  // num_columns(): none.
  int FirstColumn(int row_block) const;
  int ColumnInFront(const Front& front, int column) const;
  // The columns of the parent's front that the rows below a front belong to.
  const int* ColumnsInParent(const Front& front) const {
    return plan_.position.data() + front.row_begin;
  }

  bool IsConstraint(int row_block) const {
    return !is_constraint_.empty() && is_constraint_[row_block];
  }
  void MeasureColumns(const BlockJacobian& jacobian);
  void FactorizeFront(const BlockJacobian& jacobian, double tolerance, int f);
  // For a front with rows of A.
  void FactorizeConstrainedFront(const BlockJacobian& jacobian,
                                 double tolerance, int f);
  bool HasConstraints(int f) const;
  Eigen::MatrixXd GatherConstraints(const BlockJacobian& jacobian, int f) const;
  Eigen::VectorXd NegligiblePivots(const Front& front) const;
  static Staircase CopyColumns(const Eigen::MatrixXd& j,
                               const std::vector<int>& columns,
                               AlignedBuffer* values);
  Eigen::VectorXd GatherGrowth(int f, const Eigen::MatrixXd& rows) const;
  void ReleaseChildren(int f);
  Staircase SortRows(int f) const;
  void Assemble(const BlockJacobian& jacobian, int f, const Staircase& rows,
                double* values) const;
  static void Triangularize(const Staircase& rows, int num_pivots,
                            int num_columns, double* values);
  void KeepPivotRows(const Front& front, const double* values, int num_rows);
  static void KeepRemainder(const Front& front, const double* values,
                            int num_rows, Remainder* remainder);
  DependentColumn Describe(int f) const;

  const BlockJacobianStructure& structure_;
  const FrontPlan<double> plan_;
  const std::vector<bool> is_constraint_;
  // By permuted column: of the rows of A, each scaled to norm 1.
  std::vector<double> constraint_norms_;
  double largest_norm_ = 0.0;   // of the columns of J, without A
  std::vector<int> position_;   // of the columns of J among the permuted ones
  std::vector<int> first_row_;  // by front, +1: into row_
  std::vector<int> row_;        // row blocks of J
  // Fronts by height: the children of levels_[h] are in lower levels.
  std::vector<std::vector<int>> levels_;
  AlignedBuffer columns_;  // of all fronts: R'
  std::vector<Remainder> remainders_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_COVARIANCE_BLOCK_QR_H_
