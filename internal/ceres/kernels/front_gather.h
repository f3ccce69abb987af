// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_FRONT_GATHER_H_
#define CERES_INTERNAL_KERNELS_FRONT_GATHER_H_

#include <cstdint>

namespace ceres::internal::kernels {

// Gathers the columns of J'J + D'D into the fronts that will be factored, for
// Jacobians whose cells are all k x k (k = 3 or 6): pose graphs.
//
// clang-format off
//     pivot block a of a front      | A'A + D^2 |   row blocks that touch a,
//     rows that are eliminated      |   B'A     |   in row order
//     later                         |   C'A     |
// clang-format on
//
// Runs the best instruction set of the machine, chosen at run time. Calls may
// run concurrently on different fronts. Sums are in a fixed order: results
// depend on the instruction set alone.
// Offsets have 32 bits, because all lists are read again in each factorization.

// A product B'A, where B is another cell of a row block that A is in, and the
// columns of B are eliminated later than those of A.
struct GatherProduct {
  int target;  // place of its first element in the front's columns
  int cell;    // place of B in the row block
};

// The part of one row block in the columns of one of its cells, A: A'r, A'A and
// the products B'A.
struct GatherTerm {
  int row_block;      // first double of the row block in the Jacobian's values
  int cell;           // place of A in the row block
  int first_product;  // they end where the next term's begin
};

// A block of columns.
struct GatherBlock {
  int first_term;  // they end where the next block's begin
  int diagonal;    // place of A'A in the front's columns
  int column;      // its first column in the Jacobian
};

// All lists. Blocks are in the order of elimination. One more block and one
// more term end the last ranges. Owns nothing.
struct GatherView {
  int size = 0;                    // k: 3 or 6
  const double* values = nullptr;  // of the Jacobian; 8 doubles of slack
  const GatherBlock* blocks = nullptr;
  const GatherTerm* terms = nullptr;
  const GatherProduct* products = nullptr;
  int num_terms = 0;
};

// Gathers the blocks [begin, end), the pivots of a front of `width` columns,
// into `columns` (front_layout.h), and their part of -J'r into
// `negative_gradient`. `columns` must be zero, except above the diagonal.
// damping: D by column, or null.
void GatherFront(const GatherView& view, const double* damping, int begin,
                 int end, int width, double* columns,
                 double* negative_gradient);

// A row block of one or two cells, by places among the Jacobian's values.
struct RowBlockOfPair {
  int residuals;
  int cell[2];
  int column[2];  // places in the step; column[1] = -1: one cell
};

// The decrease of the model, the sum of -(J x)'(r + J x / 2) over the row
// blocks [begin, end), which have view.size residuals and cells of view.size
// columns. Sums in the order of row blocks; results depend on the instruction
// set alone.
double PairsModelCostChange(const GatherView& view,
                            const RowBlockOfPair* row_blocks, int begin,
                            int end, const double* step);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_FRONT_GATHER_H_
