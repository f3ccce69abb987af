// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_NORMAL_KERNELS_H_
#define CERES_INTERNAL_KERNELS_NORMAL_KERNELS_H_

#include <cstdint>

namespace ceres::internal::kernels {

// The inner loop of gathering J'J by row: block rows of the upper triangle of
// J'J + D'D, and of -J'r. One call adds up all products of a block row:
//
// clang-format off
//                              columns of J      block rows of J'J
//     row block 0   | r | A . B . |               a: A'A  .  A'B  .
//     row block 1   | r | . C D . |               for each row block that
//     row block 2   | r | E . . F |               touches a, in row order
// clang-format on
//
// Runs the best instruction set of the machine, chosen at run time. Calls may
// run concurrently on different block rows with scratch of their own. Sums are
// in a fixed order: results depend on the instruction set, not on the number of
// threads.

// The part of one row block in the block row of one of its column blocks, a:
// A'r and A'A, and A'B for each of its column blocks b > a. A has the row
// block's residuals as rows and the columns of a.
struct NormalTerm {
  int64_t row_block;  // first double of the row block in the Jacobian's values
  int num_residuals;  // at the begin of the row block
  int cell;           // the place of A in the row block
  int64_t first_product;  // of its A'B; they end where the next term's begin
};

// A'B: a block of the matrix.
struct NormalProduct {
  // First double among the matrix's values; in a block row of shape kAny, among
  // the sums of the row.
  int64_t destination;
  int cell;       // the place of B in the row block
  int width;      // of b
  bool is_first;  // whether nothing was added to the destination before
};

// A block of a block row of shape kAny. Its products are summed in scratch, in
// panel layout (panel_block.h), and copied to the matrix once.
struct NormalBlock {
  int64_t destination;  // first double among the matrix's values
  int64_t sum;          // first double among the sums of the row
  int width;
};

// Block rows with code of their own: the block and all blocks that it has
// products with are k columns wide, and all its row blocks have k residuals.
// k3: poses in the plane, k6: poses in space.
enum class NormalShape : unsigned char { kAny, k3, k6 };

// All lists of a Jacobian and its J'J. Owns nothing.
struct NormalView {
  const double* values = nullptr;  // of the Jacobian; 8 doubles of slack
  const int* offset = nullptr;     // by block, +1: first column
  // By block row, +1: its terms, in the order of summation.
  const int64_t* first_term = nullptr;
  // One more term follows the last; its products begin where all products end.
  const NormalTerm* terms = nullptr;
  const NormalProduct* products = nullptr;
  // By block row: the first double of its diagonal block in the matrix.
  const int64_t* diagonal = nullptr;
  const NormalShape* shape = nullptr;  // by block row
  // By block row, +1: its blocks if its shape is kAny, the diagonal block
  // first.
  const int64_t* first_block = nullptr;
  const NormalBlock* blocks = nullptr;
};

// Doubles of scratch, 64-byte aligned, for blocks of up to this width and block
// rows whose sums take up to max_sums doubles.
int64_t NormalScratchSize(int max_width, int64_t max_sums);
// Doubles of the sum of a block.
int64_t NormalSumSize(int rows, int columns);

// Gathers the block rows [begin, end) of the matrix, each block row-major,
// diagonal blocks whole, and of -J'r, by column. damping: D by column, or null.
// Overwrites every block that a product or `diagonal` names, and nothing else.
void GatherNormalRows(const NormalView& view, const double* damping, int begin,
                      int end, double* scratch, double* matrix,
                      double* negative_gradient);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_NORMAL_KERNELS_H_
