// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_SCHUR_KERNELS_H_
#define CERES_INTERNAL_KERNELS_SCHUR_KERNELS_H_

#include <cstdint>

#include "ceres/kernels/panel_block.h"

namespace ceres::internal::kernels {

// The inner loops of Schur elimination on plain pointers. Each function runs
// the best instruction set of the machine, chosen at run time; each has a plain
// twin in schur_plain.h. They work on one stretch of points or rows and add
// into memory that the caller gave to this thread alone: callers may run them
// concurrently on different stretches with different targets. Sums are in a
// fixed order; bits depend on the instruction set, on nothing else.
//
// Point: an eliminated column block, e wide. With the cells E (m x e) and F (m
// x f) of its rows, r their residuals, D the damping:
//
//     B = sum E'E + D^2 = L L'      g = sum E'r      w = L^-1 g
//     U_a = L^-1 sum E'F            (e x f, for each remaining block a it sees)
//     S_ab -= U_a' U_b              rhs_a -= U_a' w
//     S_ab += sum F_a' F_b          rhs_a += sum F_a' r
//
// Clique: an ascending list of distinct remaining column blocks ("slots") whose
// products meet in S. Clique p, for p < number of points, is what point p sees;
// further ones are what a single row sees, where a row's own products F_a'F_b
// need places of their own: rows that touch no point, and rows of points that
// are not all alike.

// The block sizes (row, e, f) with code of their own: points all of whose rows
// have m residuals and exactly one remaining cell, right behind E in the
// row block, of a block that no other row of the point touches.
enum class SchurShape : unsigned char { kDynamic, k2x3x6, k2x3x9, k2x3x10 };

// x_i = table[i & mask] + step i: a list, or what all rows have alike
// (parallel/periodic_array.h).
template <typename T>
struct PeriodicView {
  const T* table = nullptr;
  int64_t mask = -1;
  T step = 0;

  T operator[](int64_t i) const {
    return table[i & mask] + step * static_cast<T>(i);
  }
};

// The Jacobian and the plan of the elimination. "+1": one more entry than
// things.
struct SchurView {
  // Jacobian: see BlockJacobianStructure. A whole vector of 8 may be read from
  // any place inside `values`.
  const double* values = nullptr;
  PeriodicView<int64_t> row_block_offset;
  PeriodicView<int> row_offset;
  PeriodicView<int> first_cell;
  const int* cell_column = nullptr;
  PeriodicView<int> cell_position;
  const int* column_offset = nullptr;
  const int* eliminated_first_row = nullptr;
  // Plan.
  const int* first_slot = nullptr;   // by clique, +1
  const int* slot_column = nullptr;  // by slot: its column block
  const int* slot_offset = nullptr;  // by slot: sum of the widths of the
                                     // earlier slots of its clique
  const int* cell_slot = nullptr;  // by cell of a point's row: the slot of its
                                   // column, from the clique's first
  // By clique: where its destinations begin. A clique of k slots has k (k + 1)
  // / 2 of them, for (a, b), a <= b, row by row; only the k diagonal ones where
  // `pairs` says so.
  const int64_t* first_destination = nullptr;
  const int* destination =
      nullptr;  // lines of 8 doubles from the start of the copy
  const int* row_clique = nullptr;  // by row: its own clique, or -1. May be
                                    // null: no row has one
  const int* slot_cell = nullptr;   // by slot, of a row's own clique: the cell
  const int64_t* factor_offset = nullptr;  // by point, +1: of L in the factors
  const int64_t* u_offset = nullptr;       // by point, +1: of its U_a
};

// Where the destination of (a, a) stands among those of a clique of k slots.
constexpr int64_t DiagonalIndex(bool pairs, int64_t a, int64_t k) {
  return pairs ? a * k - a * (a - 1) / 2 : a;
}

// What points add to the diagonal blocks.
//
// The destination of a diagonal block (a, a), f wide, has its part of the right
// hand side behind it, and behind that, for kSplit, a second block:
//
//     | block: PanelBlockSize(f, f) | rhs: PaddedSize(f) | second block |
enum class PointDiagonal : unsigned char {
  kNone,   // nothing: block = C
  kFused,  // - U_a'U_a into the block: block = S
  kSplit,  // into the second one: block = C, block + second = S
};
constexpr int DiagonalRhsPosition(int f) { return PanelBlockSize(f, f); }
constexpr int DiagonalSecondPosition(int f) {
  return PanelBlockSize(f, f) + PaddedSize(f);
}

// Where an elimination goes.
struct SchurTarget {
  const double* damping = nullptr;  // D by column, or null
  PointDiagonal diagonal = PointDiagonal::kFused;
  bool pairs = true;       // whether points have all pairs, or only diagonals
  double* copy = nullptr;  // 64-byte aligned
  // L of each point: e x e lower triangle packed by rows, the diagonal replaced
  // by its reciprocal.
  double* factor = nullptr;
  // U_a of a point at u + u_offset[point] + e * slot_offset[slot], row-major;
  // where not kept, of each point in turn at u. 8 doubles of slack behind the
  // last.
  double* u = nullptr;
  bool keep_u = false;
  double* w = nullptr;        // by column of the points; for FormPoints only
  double* scratch = nullptr;  // ScratchSize(...) doubles
};

// Scratch for points up to e wide with rows of up to m residuals.
constexpr int SchurScratchSize(int e, int m) { return e * e + 2 * e + e * m; }

// Eliminates the points [begin, end), all of `shape`. Returns -1, or the first
// point whose B is not positive definite; what was added is then unspecified.
int EliminatePoints(const SchurView& view, const SchurTarget& target,
                    SchurShape shape, int begin, int end);

// The products of a batch of points, sorted by destination: each destination is
// then read and written once for all of its products, and in registers in
// between.
//
//   batch:  rows -> F, L^-1 E' and r - E L'^-1 w of each (in the cache)
//   sum:    destination += - U_a'U_b of its pairs (a, b) of rows;
//           where a = b, the diagonal: + F_a'F_a, and F_a'r - U_a'w
//
// Points are of a shape with code of its own, U is not kept, and S is formed
// (pairs, kFused).
struct SchurPair {
  uint16_t a;  // rows, counted from the first of the batch: that of the smaller
  uint16_t b;  // slot first
};
// So many pairs behind the last may be read.
inline constexpr int kSchurPairsAhead = 2;
struct SchurSum {
  int destination;  // as in SchurView
  int num_pairs;    // all with a = b, or all with a != b
};
// Points [begin, end). Sums and pairs up to those of the next batch; one more
// batch stands behind the last.
struct SchurBatch {
  int begin;
  int end;
  int64_t first_sum;
  int64_t first_pair;
};
struct SchurSums {
  const SchurBatch* batches = nullptr;
  const SchurSum* sums = nullptr;
  const SchurPair* pairs = nullptr;
};
// Doubles at target.u, 64-byte aligned, for each row of a batch.
constexpr int SchurBatchRowSize(int m, int e, int f) {
  return PaddedSize(m * (kPanelWidth + NumTailColumns(f) + e)) + m;
}

// Eliminates the points of the batches [begin, end), all of `shape`, as
// EliminatePoints does.
int EliminateBatches(const SchurView& view, const SchurTarget& target,
                     const SchurSums& sums, SchurShape shape, int begin,
                     int end);

// Only forms what products are made of: L, w and the U_a (kept) of the points
// [begin, end), all of `shape`. Returns as EliminatePoints does.
int FormPoints(const SchurView& view, const SchurTarget& target,
               SchurShape shape, int begin, int end);

// What one slot a of a clique adds to the block row of its column: its products
// with slot a and the `num_slots` - 1 behind it, at `destination` and behind.
// Of a point, `point` >= 0: - U_a'U_b, and for a regular one (`shape`) the
// products of the slot's `row`. Of a row's own clique, `point` < 0: F_a'F_b of
// `row`.
struct SchurTerm {
  int64_t u;            // of U_a
  int64_t destination;  // index of that of (a, a)
  int point;
  int row;
  int slot;
  int num_slots;
  SchurShape shape;
};
// The terms of block row i, [first_term[i], first_term[i + 1]), in the order of
// summation, and its part of the copy, doubles [row_begin[i], row_begin[i +
// 1]).
struct SchurGather {
  const int64_t* first_term = nullptr;
  const SchurTerm* terms = nullptr;
  const int64_t* row_begin = nullptr;
};

// The block rows [begin, end) of the copy, from what FormPoints made of all
// points: cleared and summed. Writes nothing else; `target.pairs` must be set.
void GatherBlockRows(const SchurView& view, const SchurTarget& target,
                     const SchurGather& gather, int begin, int end);

// Adds the rows [begin, end), which touch no point.
void AddRows(const SchurView& view, const SchurTarget& target, int begin,
             int end);

// Back substitution of the points [begin, end), all of `shape`: with the
// remaining part of `step` given, for each point
//
//     y = - L'^-1 L^-1 E' (r + F z)
//
// is written into `step`, and the decrease of the model, - sum m' (r + m / 2)
// with m = E y + F z, is returned. The bits of y do not depend on which points
// are put back together. A whole vector of 8 may be read from any place inside
// `factor`. `scratch`: the residuals of the largest point, plus 2 e.
double BackSubstitutePoints(const SchurView& view, const double* factor,
                            SchurShape shape, int begin, int end,
                            double* scratch, double* step);

// The same decrease of the rows [begin, end), which touch no point.
// `scratch`: the residuals of the largest row.
double RowsModelCostChange(const SchurView& view, int begin, int end,
                           double* scratch, const double* step);

// y_a -= U_a' sum_b U_b x_b of the points [begin, end), U kept by the
// elimination. x and y are padded and 64-byte aligned: the block of slot s is
// at x + slot_x[s] (y + slot_y[s]), PaddedSize(f) doubles; in x the padding is
// zero, in y it is anything. The doubles that are read behind the last U of a
// stretch must be finite. `scratch`: 8 e doubles, 64-byte aligned.
void SubtractPointProducts(const SchurView& view, SchurShape shape,
                           const double* u, int begin, int end,
                           const int* slot_x, const int* slot_y,
                           const double* x, double* y, double* scratch);

// A block-sparse symmetric matrix in panel layout: row i has the entries
// [first_entry[i], first_entry[i + 1]), the diagonal block first; padding of
// the values is zero. The values are q + t of split_panels.h, or q alone.
struct PanelMatrixView {
  int uniform_width = 0;               // of all blocks, or 0
  const int* width = nullptr;          // by block
  const int* padded_offset = nullptr;  // by block: of its PaddedSize doubles
  const int* first_entry = nullptr;    // by block row, +1
  const int* entry_column = nullptr;
  const int64_t* value_offset = nullptr;  // by entry
  const int32_t* whole = nullptr;         // q, 32-byte aligned
  const float* rest = nullptr;            // t, 32-byte aligned, or null
};

// y += the contributions of the block rows [begin, end) and their mirror images
// to the product with x; x and y padded and 64-byte aligned, with zeros in the
// padding of x. Only blocks from `begin` on are written. `scratch`: 8 doubles
// for each row of the widest block, 64-byte aligned.
void AddSymmetricProduct(const PanelMatrixView& matrix, int begin, int end,
                         const double* x, double* y, double* scratch);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_SCHUR_KERNELS_H_
