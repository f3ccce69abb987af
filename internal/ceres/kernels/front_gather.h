// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_FRONT_GATHER_H_
#define CERES_INTERNAL_KERNELS_FRONT_GATHER_H_

#include <cstdint>

namespace ceres::internal::kernels {

// Normal equations J'J + D'D straight into the columns of the fronts that will
// factor them, for Jacobians whose cells are all of one size, k x k: pose
// graphs. Runs the best instruction set of the machine, chosen at run time; the
// plain twin is GatherFrontPlain. Sums are in a fixed order; bits depend on the
// instruction set, on nothing else.

// A'B for another cell B of a row block of A, whose columns are eliminated
// later: it is added below A's diagonal block, rows of B in columns of A.
struct GatherProduct {
  int target;  // of its first element, among the front's columns
  int cell;    // where B begins in the row block
};

// What one row block adds to the columns of one of its cells, A: A'r and A'A,
// and products.
struct GatherTerm {
  int row_block;      // first double of the row block in the Jacobian's values
  int cell;           // where A begins in the row block
  int first_product;  // they end where the next term's begin
};

// The columns of a block.
struct GatherBlock {
  int first_term;  // they end where the next block's begin
  int diagonal;    // as GatherProduct::target
  int column;      // the first, not permuted
};

// Blocks in the order of elimination; of blocks and terms there is one more.
// (All is read anew in each factorization, from the last cache: in 32 bits.)
struct GatherView {
  int size = 0;                    // k: 3 or 6
  const double* values = nullptr;  // of the Jacobian; 8 doubles of slack
  const GatherBlock* blocks = nullptr;
  const GatherTerm* terms = nullptr;
  const GatherProduct* products = nullptr;
  int num_terms = 0;
};

// The blocks [begin, end), which are the pivots of a front of this width, whose
// columns (front_layout.h) are zero but for what is above the diagonal.
// `damping`: D by column, or null. negative_gradient: the blocks' part of -J'r
// is written.
void GatherFront(const GatherView& view, const double* damping, int begin,
                 int end, int width, double* columns,
                 double* negative_gradient);
void GatherFrontPlain(const GatherView& view, const double* damping, int begin,
                      int end, int width, double* columns,
                      double* negative_gradient);

// A row block of two cells, or of one, by places among the Jacobian's values.
struct RowBlockOfPair {
  int residuals;
  int cell[2];
  int column[2];  // of the step; the second -1: there is no second cell
};

// The sum of -(J x)'(r + J x / 2) over the row blocks [begin, end), whose cells
// are view.size wide, as they have residuals. In the order of the row blocks;
// bits depend on the instruction set as well.
double PairsModelCostChange(const GatherView& view,
                            const RowBlockOfPair* row_blocks, int begin,
                            int end, const double* step);
double PairsModelCostChangePlain(const GatherView& view,
                                 const RowBlockOfPair* row_blocks, int begin,
                                 int end, const double* step);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_GATHER_H_
