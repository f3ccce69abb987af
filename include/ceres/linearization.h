// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_LINEARIZATION_H_
#define CERES_PUBLIC_LINEARIZATION_H_

// The linearization of a problem at the current values of its parameter blocks.
// An extension: see docs/solving/extensions.md.

#include <memory>
#include <vector>

#include "ceres/crs_matrix.h"
#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/eigen.h"
#include "ceres/internal/export.h"
#include "ceres/problem.h"

namespace ceres {

namespace internal {
struct LinearizationData;
}

// The options of Problem::Linearize.
struct CERES_EXPORT LinearizationOptions {
  // The parameter blocks of the columns, in this order. Empty: all, in the
  // problem's order. Blocks that are not listed are held constant. No block may
  // be listed twice.
  std::vector<double*> parameter_blocks;

  // True: residuals and Jacobians are corrected for the loss functions, as in a
  // solve (Triggs et al., "Bundle Adjustment - A Modern Synthesis", 2000,
  // section 4.3). False: as if no residual block had a loss function.
  bool apply_loss_function = true;

  // True: Jacobians are in tangent coordinates. False: in ambient coordinates,
  // as the cost functions write them.
  bool apply_manifolds = true;

  // The number of threads, also for the functions of the Linearization; > 0.
  int num_threads = 1;
};

// Residuals r and Jacobian J of the residual blocks of a problem, to first
// order: r(x plus delta) is about r + J delta.
//
//   ceres::Linearization linearization;
//   problem.Linearize(LinearizationOptions(), {}, &linearization);
//   for (int i = 0; i < linearization.num_residual_blocks(); ++i)
//     for (int k = 0; k < linearization.num_cells(i); ++k) {
//       const auto [column_block, values] = linearization.cell(i, k);
//       ...
//     }
//
// Rows are in the order of the listed residual blocks. Columns are in the order
// of the listed parameter blocks, like those of Problem::Evaluate: a constant
// block has columns without entries. A cell is the block of J of one residual
// block and one varying parameter block; it is a view of the memory that the
// evaluation wrote, and valid while the Linearization lives.
//
// All results have the same bits for every number of threads.
//
// A Linearization remains valid when the problem changes. Its addresses and
// ids are then those of the time of the evaluation. With num_threads > 1 it
// must not be used after the end of the problem or its context, because its
// functions use their threads. Const functions may run concurrently if
// num_threads is 1.
class CERES_EXPORT Linearization {
 public:
  // The columns of one parameter block.
  struct ColumnBlock {
    // The address of the block, and its columns [first_column, first_column +
    // num_columns).
    double* parameter_block;
    int first_column;
    int num_columns;
    // Whether the block was constant: its columns have no entries.
    bool is_constant;
  };
  // A block of J.
  struct Cell {
    // The index of its ColumnBlock, and its entries: one row for each residual.
    int column_block;
    ConstMatrixRef values;
  };
  // The normal equations J'J delta = -J'r.
  struct Normal {
    // J'J, both triangles, with the pattern of its blocks: rows and columns of
    // constant blocks have no entries.
    CRSMatrix matrix;
    // J'r, the gradient of the cost.
    Vector gradient;
  };

  // Empty: no rows, no columns.
  Linearization();
  Linearization(Linearization&&) noexcept;
  Linearization& operator=(Linearization&&) noexcept;
  ~Linearization();

  // Sizes. A residual block without residuals counts.
  int num_rows() const;
  int num_columns() const;
  int num_residual_blocks() const;

  // The cost 1/2 sum_i rho_i(|f_i|^2) of the residual blocks.
  double cost() const;

  // The columns, in order.
  const std::vector<ColumnBlock>& column_blocks() const;

  // Residual block i: its id, its first row, its residuals, and its number of
  // cells. Check that 0 <= i < num_residual_blocks().
  ResidualBlockId residual_block(int i) const;
  int first_row(int i) const;
  ConstVectorRef residuals(int i) const;
  int num_cells(int i) const;

  // Cell k of residual block i. Cells are in the order of the arguments of the
  // cost function. Checks that 0 <= k < num_cells(i).
  Cell cell(int i, int k) const;

  // Copies: all residuals, and J. Columns of J ascend within a row. Jacobian
  // checks that J has fewer than 2^31 entries.
  Vector Residuals() const;
  CRSMatrix Jacobian() const;

  // J'r.
  Vector Gradient() const;

  // J'J and J'r. J'J is formed block by block.
  Normal NormalEquations() const;

  // J x and J'y. Check the sizes of their arguments.
  Vector Multiply(const Vector& x) const;
  Vector TransposeMultiply(const Vector& y) const;

 private:
  friend class Problem;
  std::unique_ptr<internal::LinearizationData> data_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"

#endif  // CERES_PUBLIC_LINEARIZATION_H_
