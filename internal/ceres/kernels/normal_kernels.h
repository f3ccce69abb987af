// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_NORMAL_KERNELS_H_
#define CERES_INTERNAL_KERNELS_NORMAL_KERNELS_H_

#include <cstdint>

namespace ceres::internal::kernels {

// The inner loop of normal equations without elimination: block rows of the
// upper triangle of J'J + D'D, and of -J'r, each gathered from all the row
// blocks that touch it. Runs the best instruction set of the machine, chosen at
// run time; the plain twin is GatherNormalRowsPlain. Sums are in a fixed order;
// bits depend on the instruction set, on nothing else.

// What one row block adds to the block row of one of its column blocks, a: A'r
// and A'A, and A'B for each of its column blocks b > a.
struct NormalTerm {
  int64_t row_block;  // first double of the row block in the Jacobian's values
  int num_residuals;  // at the row block's start
  int cell;           // where A, num_residuals x width of a, begins in it
  int64_t first_product;  // of its A'B; they end where the next term's begin
};

// A'B: a block of the matrix.
struct NormalProduct {
  // First double among the matrix's values; of a block row that is kSummed, in
  // the scratch of the row.
  int64_t destination;
  int cell;       // where B begins in the row block
  int width;      // of b
  bool is_first;  // whether nothing was added there before
};

// Where a block of a block row that is kSummed goes, from the scratch.
struct NormalBlock {
  int64_t destination;  // among the matrix's values
  int64_t sum;          // in the scratch: kernels/panel_block.h
  int width;
};

// Block rows with code of their own: the block and all that it has products
// with are k wide, all its row blocks have k residuals. Poses in the plane,
// poses in space. Others are kSummed where several products are added to most
// blocks, which then stay in the layout of the sums until all of them are done.
enum class NormalShape : unsigned char { kDynamic, kSummed, k3, k6 };

struct NormalView {
  const double* values = nullptr;  // of the Jacobian; 8 doubles of slack
  const int* offset = nullptr;     // by block, + 1: first column
  // By block row, + 1: its terms, in the order of summation.
  const int64_t* first_term = nullptr;
  const NormalTerm* terms =
      nullptr;  // one more, whose products begin at the end
  const NormalProduct* products = nullptr;
  // By block row: where its diagonal block begins among the matrix's values.
  const int64_t* diagonal = nullptr;
  const NormalShape* shape = nullptr;  // by block row
  // By block row, + 1: the blocks of those that are kSummed, the diagonal one
  // first.
  const int64_t* first_block = nullptr;
  const NormalBlock* blocks = nullptr;
};

// Doubles of scratch, 64-byte aligned, for blocks of up to this width and sums
// of up to so many doubles.
int64_t NormalScratchSize(int max_width, int64_t max_sums);
// Doubles that the sum of a block takes.
int64_t NormalSumSize(int rows, int columns);

// The block rows [begin, end). `damping`: D by column, or null. matrix: each
// block row-major, diagonal blocks whole. negative_gradient: -J'r by column.
// Every block that a product or a diagonal names is overwritten, nothing else.
void GatherNormalRows(const NormalView& view, const double* damping, int begin,
                      int end, double* scratch, double* matrix,
                      double* negative_gradient);
void GatherNormalRowsPlain(const NormalView& view, const double* damping,
                           int begin, int end, double* matrix,
                           double* negative_gradient);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_NORMAL_KERNELS_H_
