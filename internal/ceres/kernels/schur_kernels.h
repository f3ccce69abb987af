// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_KERNELS_SCHUR_KERNELS_H_
#define CERES_INTERNAL_KERNELS_SCHUR_KERNELS_H_

#include <cstdint>

#include "ceres/kernels/panel_block.h"

namespace ceres::internal::kernels {

// The inner loops of Schur elimination on plain pointers: elimination of
// points, gathering of block rows of S, back substitution, and products with S.
//
// Each function runs the best instruction set of the machine, chosen at run
// time. Tests compare the results with dense matrices (schur_eliminator_test,
// schur_product_test). Functions check nothing; the caller passes consistent
// views and enough scratch. Calls may run concurrently
// if their ranges and their targets differ. Sums are in a fixed order: results
// depend on the instruction set, not on the number of threads.
//
// A point is an eliminated column block of e columns. For its row blocks, with
// the cells E (m x e) and F (m x f), the residuals r and the damping D:
//
// clang-format off
//     B     = sum E'E + D^2 = L L'      g = sum E'r      w = L^-1 g
//     U_a   = L^-1 sum E'F_a            e x f, for each remaining block a
//     S_ab -= U_a'U_b                   rhs_a -= U_a'w
//     S_ab += sum F_a'F_b               rhs_a += sum F_a'r
// clang-format on
//
// A clique is an ascending list of distinct remaining column blocks, the
// "cameras", whose products meet in S. The position of a camera in its clique
// is its local camera index. Clique p, for p < number of points, is what point
// p sees. Further cliques belong to single rows whose own products F_a'F_b need
// places: rows that touch no point, and rows of points without a SchurShape.
//
// Source of the elimination: Triggs et al., Bundle Adjustment: A Modern
// Synthesis, 2000, section 6.1.

// The block sizes (m, e, f) with code of their own. A point has such a shape if
// all its rows have m residuals and exactly one remaining cell, stored right
// behind E, of a block that no other row of the point touches.
enum class SchurShape : unsigned char { kDynamic, k2x3x6, k2x3x9, k2x3x10 };

// x_i = table[i & mask] + step i: a list, or a rule that holds for all rows
// (base/periodic_array.h).
template <typename T>
struct PeriodicView {
  const T* table = nullptr;
  int64_t mask = -1;
  T step = 0;

  T operator[](int64_t i) const {
    return table[i & mask] + step * static_cast<T>(i);
  }
};

// The Jacobian and the plan of the elimination. "+1" marks a list with one more
// entry, which ends the last range. Owns nothing.
struct SchurView {
  // The Jacobian; see BlockJacobianStructure. Kernels may read 8 doubles from
  // any place inside `values`.
  const double* values = nullptr;
  PeriodicView<int64_t> row_block_offset;
  PeriodicView<int> row_offset;
  PeriodicView<int> first_cell;
  const int* cell_column = nullptr;
  PeriodicView<int> cell_position;
  const int* column_offset = nullptr;
  const int* eliminated_first_row = nullptr;
  // The plan. Cameras of all cliques are listed one clique after the other.
  const int* first_camera = nullptr;   // by clique, +1
  const int* camera_column = nullptr;  // by camera: its column block
  // By camera: the columns of the earlier cameras of its clique together.
  const int* camera_offset = nullptr;
  // By cell of a point's row: the local camera index of its column block.
  const int* cell_camera = nullptr;
  // By clique: its first destination. A clique of k cameras has k (k + 1) / 2
  // destinations, for (a, b), a <= b, row by row; if SchurTarget::pairs is
  // false and the clique is a point's, it has k, for (a, a).
  const int64_t* first_destination = nullptr;
  // Lines of 8 doubles from the begin of the partial sum.
  const int* destination = nullptr;
  // By row: the row's own clique, or -1. Null: no row has one.
  const int* row_clique = nullptr;
  const int* camera_cell =
      nullptr;  // by camera of a row's own clique: its cell
  const int64_t* factor_offset = nullptr;  // by point, +1: of L in the factors
  const int64_t* u_offset = nullptr;       // by point, +1: of its U_a
};

// The index of the destination of (a, a) among those of a clique of k cameras.
constexpr int64_t DiagonalIndex(bool pairs, int64_t a, int64_t k) {
  return pairs ? a * k - a * (a - 1) / 2 : a;
}

// The contribution of points to the diagonal blocks.
//
// The destination of a diagonal block (a, a) of f columns holds its part of the
// right hand side as well, and for kSplit a second block:
//
// clang-format off
//     | block: PanelBlockSize(f, f) | rhs: PaddedSize(f) | second block |
// clang-format on
enum class PointDiagonal : unsigned char {
  kNone,   // nothing: block = C
  kFused,  // - U_a'U_a into the block: block = S
  kSplit,  // into the second one: block = C, block + second = S
};
constexpr int DiagonalRhsPosition(int f) { return PanelBlockSize(f, f); }
constexpr int DiagonalSecondPosition(int f) {
  return PanelBlockSize(f, f) + PaddedSize(f);
}

// The output of an elimination. Memory of the caller, for one thread at a time.
struct SchurTarget {
  const double* damping = nullptr;  // D by column, or null
  PointDiagonal diagonal = PointDiagonal::kFused;
  bool pairs = true;  // whether points have all pairs, or only diagonals
  double* partial_sum = nullptr;  // 64-byte aligned
  // L of each point: e x e lower triangle packed by rows, the diagonal replaced
  // by its reciprocal.
  double* factor = nullptr;
  // U_a of a point, row-major, followed by 8 doubles of slack behind the last
  // point. If keep_u: at u + u_offset[point] + e * camera_offset[camera]. Else
  // each point overwrites u.
  double* u = nullptr;
  bool keep_u = false;
  double* w = nullptr;        // by column of the points; for FormPoints only
  double* scratch = nullptr;  // SchurScratchSize(...) doubles
};

// Scratch for points up to e wide with rows of up to m residuals.
constexpr int SchurScratchSize(int e, int m) { return e * e + 2 * e + e * m; }

// Eliminates the points [begin, end), all of `shape`, point by point. Returns
// -1, or the first point whose B is not positive definite; the partial sum is
// then unspecified.
int EliminatePoints(const SchurView& view, const SchurTarget& target,
                    SchurShape shape, int begin, int end);

// A batch: points whose products are sorted by destination, so that each
// destination is read and written once for all products of the batch.
//
// clang-format off
//     1. rows -> F, L^-1 E' and r - E L'^-1 w of each row      (stay in cache)
//     2. for each destination (a, b):
//            destination -= sum U_a'U_b over its pairs of rows
//            if a = b:  destination += sum F_a'F_a, rhs_a += F_a'r - U_a'w
// clang-format on
//
// Batches are for points with a SchurShape if U is not kept and S is formed
// (pairs, kFused).
struct SchurPair {
  uint16_t a;  // rows, counted from the first row of the batch; the row of the
  uint16_t b;  // smaller local camera index first
};
// The number of pairs behind the last one that kernels may read.
inline constexpr int kSchurPairsAhead = 2;
struct SchurSum {
  int destination;  // as in SchurView
  int num_pairs;    // all with a = b, or all with a != b
};
// Points [begin, end). The sums and pairs of a batch end where those of the
// next batch begin; one more batch ends the last.
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
// Doubles at SchurTarget::u, 64-byte aligned, for each row of a batch.
constexpr int SchurBatchRowSize(int m, int e, int f) {
  return PaddedSize(m * (kPanelWidth + NumTailColumns(f) + e)) + m;
}

// Eliminates the points of the batches [begin, end), all of `shape`, as
// EliminatePoints does.
int EliminateBatches(const SchurView& view, const SchurTarget& target,
                     const SchurSums& sums, SchurShape shape, int begin,
                     int end);

// Forms L, w and the U_a (kept) of the points [begin, end), all of `shape`, and
// adds no products. Returns what EliminatePoints returns.
int FormPoints(const SchurView& view, const SchurTarget& target,
               SchurShape shape, int begin, int end);

// The part of camera a of a clique in the block row of its column: its products
// with camera a and the num_cameras - 1 cameras behind it. For a point's clique
// (point >= 0) these are - U_a'U_b, and if the point has a shape F_a'F_a of
// `row`; for a row's own clique (point < 0), F_a'F_b of `row`.
struct SchurTerm {
  int64_t u;            // of U_a
  int64_t destination;  // index of that of (a, a)
  int point;
  int row;
  int camera;
  int num_cameras;
  SchurShape shape;
};
// Block row i: its terms [first_term[i], first_term[i + 1]), in the order of
// summation, and its part of the partial sum, doubles [row_begin[i],
// row_begin[i + 1]).
struct SchurGather {
  const int64_t* first_term = nullptr;
  const SchurTerm* terms = nullptr;
  const int64_t* row_begin = nullptr;
};

// Sets the block rows [begin, end) of the partial sum to zero and adds up their
// terms, from the L, w and U of FormPoints. Writes nothing else. Requires
// target.pairs.
void GatherBlockRows(const SchurView& view, const SchurTarget& target,
                     const SchurGather& gather, int begin, int end);

// Adds the own products of the rows [begin, end), which touch no point.
void AddRows(const SchurView& view, const SchurTarget& target, int begin,
             int end);

// Back substitution of the points [begin, end), all of `shape`. Reads the
// remaining part z of `step`, writes for each point
//
//     y = - L'^-1 L^-1 E' (r + F z)
//
// into `step`, and returns the decrease of the model, - sum m' (r + m / 2) with
// m = E y + F z. The bits of y do not depend on how points are cut into calls.
// Kernels may read 8 doubles from any place inside `factor`. `scratch`: the
// residuals of the largest point, plus 2 e.
double BackSubstitutePoints(const SchurView& view, const double* factor,
                            SchurShape shape, int begin, int end,
                            double* scratch, double* step);

// The decrease of the model by the rows [begin, end), which touch no point.
// `scratch`: the residuals of the largest row.
double RowsModelCostChange(const SchurView& view, int begin, int end,
                           double* scratch, const double* step);

// y_a -= U_a' sum_b U_b x_b for the points [begin, end), U kept by the
// elimination. The block of camera s is at x + camera_x[s] and y + camera_y[s],
// PaddedSize(f) doubles, 64-byte aligned. The padding of x is zero; the padding
// of y is arbitrary. Kernels may read 8 doubles behind the last U of the range;
// they must be finite. `scratch`: 8 e doubles, 64-byte aligned.
void SubtractPointProducts(const SchurView& view, SchurShape shape,
                           const double* u, int begin, int end,
                           const int* camera_x, const int* camera_y,
                           const double* x, double* y, double* scratch);

// A block-sparse symmetric matrix in panel layout (panel_block.h). Block row i
// has the entries [first_entry[i], first_entry[i + 1]), the diagonal block
// first. The padding of values is zero. A value is q + t of split_panels.h, or
// q alone.
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

// y += A x over the block rows [begin, end) of A and their mirror images below
// the diagonal. Writes only blocks from `begin` on. x and y are padded and
// 64-byte aligned; the padding of x is zero. `scratch`: 8 doubles for each row
// of the widest block, 64-byte aligned.
void AddSymmetricProduct(const PanelMatrixView& matrix, int begin, int end,
                         const double* x, double* y, double* scratch);

}  // namespace ceres::internal::kernels

#endif  // CERES_INTERNAL_KERNELS_SCHUR_KERNELS_H_
