// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SCHUR_SCHUR_PLAN_H_
#define CERES_INTERNAL_SCHUR_SCHUR_PLAN_H_

#include <optional>
#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/kernels/schur_kernels.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/schur/elimination_places.h"
#include "ceres/schur/gather_plan.h"
#include "ceres/schur/merged_chunks.h"
#include "ceres/schur/reduced_pattern.h"
#include "ceres/schur/remaining_blocks.h"
#include "ceres/schur/schur_batches.h"
#include "ceres/schur/schur_chunks.h"
#include "ceres/schur/schur_cliques.h"

namespace ceres::internal {

// How a plan forms S; see SchurPlan.
enum class SchurFormation {
  kChoose,       // by the number of partial sums that would be left
  kPartialSums,  // always
  kGatherByRow,  // always; kSchurComplement only
};

// To gather S by row, all row blocks are read in the order of cameras. A source
// of row blocks (linear/row_source.h) is read in parts of consecutive rows.
constexpr SchurFormation FormationFor(bool reads_from_source) {
  return reads_from_source ? SchurFormation::kPartialSums
                           : SchurFormation::kChoose;
}

// Whether the destinations of all products are listed, or only of those that
// are in no batch. kNotInBatches halves the plan if all points are in batches
// and no row has a clique of its own; the SchurEliminator must not keep U.
enum class SchurPlaces { kAll, kNotInBatches };

// The symbolic half of Schur elimination: what each point sees, where each
// product is added, and the pattern of the reduced matrix S.
//
// A SchurPlan is a function of the Jacobian's structure alone, which must
// outlive it. It is immutable after construction; any number of threads may
// read it. SchurEliminator is the numerical half.
//
// clang-format off
//
// The normal equations of the damped problem, points first:
//
//                     | B_1        |     |
//                     |     B_2    |  H  |    B  block diagonal: points
//     J'J + D'D   =   |        ..  |     |    C  remaining blocks: cameras
//                     |------------|-----|    H  coupling
//                     |     H'     |  C  |
//
//     J    Jacobian. Its row block k is [ .. E_k .. | .. F_ka .. F_kb .. ]: the
//          cell of one point, and the cells of cameras
//     r    residuals          D   diagonal of the damping
//     p    a point            a, b   cameras
//     k    a row block; sums over k run over the row blocks of p, or of a and b
//
//     B_p  = sum_k E_k'E_k + D_p^2          g_p = sum_k E_k'r_k
//     H_pa = sum_k E_k'F_ka
//     C_ab = sum_k F_ka'F_kb + (D_a^2 if a = b)
//
// Elimination of the points leaves the reduced system S z = b:
//
//     S = C - H'B^-1 H                      b = - (F'r - H'B^-1 g)
//
//     S_ab = C_ab - sum_p U_pa'U_pb         b_a = - sum_k F_ka'r_k
//                                                 + sum_p U_pa'w_p
//
//     B_p = L_p L_p'  (Cholesky)    U_pa = L_p^-1 H_pa    w_p = L_p^-1 g_p
//
// Point p adds to every block S_ab with a and b in its clique, the cameras that
// see it (SchurCliques):
//
//     clique of p = {a, b, c}                  a     b     c
//                                        a  | U'U   U'U   U'U |
//                                        b  |       U'U   U'U |  upper triangle
//                                        c  |             U'U |
//
// Many points add to one block. Two strategies form S without locks and with
// sums in a fixed order:
//
//     partial sums    row chunks, consecutive ones merged       MergedChunks
//                         | each merged chunk adds its products
//                         v (ProductDestinations, BatchPlan)
//                     partial sums, each with the blocks that its merged chunk
//                     touches
//                         | added up in the order of merged chunks,
//                         v each block by one thread            ReducedPattern
//                     S
//
//     gather by row   row chunks
//                         |
//                         v L, U and w of all points            PointStorage
//                     U and w, kept
//                         | one thread adds up block row a: its products with
//                         v all b >= a, point by point          GatherPlan
//                     S
//
// clang-format on
//
// Partial sums are used unless fewer than kFewPartialSums (schur_tuning.h)
// would be left of more row chunks. This happens for unordered photo
// collections with hundreds of cameras: each row chunk touches all blocks of a
// dense S, and few partial sums leave threads without work.
//
// Costs, in doubles that move to or from memory, for n observations of cameras
// with 9 parameters, q products of two cameras, and g partial sums of the size
// |S|:
//
// clang-format off
//     partial sums    26 n + 3 g |S| + 176 q (if a partial sum exceeds the
//                     cache: each product reads and writes a block)
//     gather by row   26 n + 54 n + 20 n + 27 (n + q) + 3 |S|
// clang-format on
//
// Within the partial sums, the products of points with a SchurShape are cut
// into batches and sorted by destination (BatchPlan). Measurements:
// docs/notes/2026-11-formation-strategies.md.
//
// Source: Triggs et al., Bundle Adjustment: A Modern Synthesis, 2000, section
// 6.1, for the elimination; the cut into chunks and the order of sums are an
// own derivation.
class SchurPlan {
 public:
  SchurPlan(const Execution& execution, const BlockJacobianStructure& structure,
            ReducedMatrix matrix, kernels::PointDiagonal diagonal,
            SchurFormation formation = SchurFormation::kChoose,
            SchurPlaces places = SchurPlaces::kAll);
  SchurPlan(const SchurPlan&) = delete;
  SchurPlan& operator=(const SchurPlan&) = delete;

  const BlockJacobianStructure& structure() const { return structure_; }
  ReducedMatrix matrix() const { return matrix_; }
  kernels::PointDiagonal diagonal() const { return diagonal_; }
  const SchurSizes& sizes() const { return sizes_; }
  int num_points() const { return structure_.num_eliminated; }
  int num_remaining_blocks() const { return remaining_.num(); }
  int width(int remaining_block) const {
    return remaining_.width(remaining_block);
  }

  const SchurCliques& cliques() const { return cliques_; }
  // The ranges of both kinds of chunks.
  const std::vector<UniformRange>& ranges() const { return ranges_; }
  const std::vector<SchurChunk>& row_chunks() const { return row_chunks_; }
  // One merged chunk if S is gathered by row.
  const MergedChunks& merged_chunks() const { return merged_chunks_; }
  const BatchPlan& batches() const { return *batches_; }
  const PointStorage& storage() const { return storage_; }
  const ReducedPattern& reduced() const { return *reduced_; }
  // The pattern of the reduced matrix.
  const BlockSymmetricStructure& pattern() const { return reduced_->blocks(); }
  bool gathers_by_row() const { return gathers_by_row_; }
  // CHECK: gathers_by_row().
  const GatherPlan& gather() const;

  // Without `values`. Points to this object and the structure.
  kernels::SchurView View() const;

 private:
  bool ShouldGatherByRow(SchurFormation formation) const;
  void PlanBatches(const Execution& execution);
  bool AllIsInBatches() const;
  void PlanPlaces(const Execution& execution);

  const BlockJacobianStructure& structure_;
  const ReducedMatrix matrix_;
  const kernels::PointDiagonal diagonal_;
  const SchurSizes sizes_;
  const RemainingBlocks remaining_;
  SchurCliques cliques_;
  std::vector<SchurChunk> row_chunks_;
  MergedChunks merged_chunks_;
  const bool gathers_by_row_;
  std::vector<UniformRange> ranges_;
  PointStorage storage_;
  ProductDestinations destinations_;
  std::optional<BatchPlan> batches_;
  std::optional<GatherPlan> gather_;
  std::optional<ReducedPattern> reduced_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SCHUR_SCHUR_PLAN_H_
