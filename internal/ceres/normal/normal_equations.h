// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_H_
#define CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/execution/execution.h"
#include "ceres/kernels/normal_kernels.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// The normal equations of a damped problem without eliminated blocks,
//
// clang-format off
//     (J'J + D'D) step = - J'r,
//
//     block row a of J'J:   A'A  A'B  A'C  ..    summed over the row blocks
//                                                [ .. A .. B .. C .. ] that
//                                                touch column block a
// clang-format on
//
// gathered by row: one thread adds up a block row from the row blocks that
// touch it, in row order, and writes it where a factorization reads it. There
// are no partial sums. The bits do not depend on the number of threads. A row
// block is read once for each of its column blocks; the row blocks of pose
// graphs have two.
//
// This is one of two strategies that form J'J. The other is partial sums
// (SchurPlan with nothing eliminated); AreWorthGathering chooses.
// GatheredCholesky gathers by row as well, straight into fronts. Measurements:
// docs/notes/2026-11-formation-strategies.md.
//
// Not thread-safe.
class NormalEquations {
 public:
  // Returns true if threads can share the block rows evenly: no block row has
  // more than an eighth of the work, or there is only one row chunk. Returns
  // false if blocks are eliminated. A curve fit with few parameter blocks, or a
  // block that most rows touch, gives false.
  static bool AreWorthGathering(const BlockJacobianStructure& structure);

  // Finds the row blocks of each block row and the destinations of products.
  // CHECKs that nothing is eliminated. `structure` must outlive this.
  NormalEquations(const Execution& execution,
                  const BlockJacobianStructure& structure);

  // The pattern of J'J, in whose order Assemble writes values.
  const BlockSymmetricStructure& pattern() const { return pattern_; }

  // Writes J'J + D'D to values (pattern().num_values() doubles) and -J'r to
  // negative_gradient (one double a column). damping: D by column, or null.
  void Assemble(const BlockJacobian& jacobian, const double* damping,
                double* values, double* negative_gradient);

  // The lists as kernels read them. Points to this object and the Jacobian.
  kernels::NormalView View(const BlockJacobian& jacobian) const;
  // Doubles of scratch of a thread.
  int64_t scratch_size() const { return thread_scratch_size_; }

 private:
  void FindTerms(const CellsByColumn& cells);
  void FindProducts(const CellsByColumn& cells);
  void SetDestinations(int block_row, std::vector<int64_t>* destination);
  kernels::NormalShape ShapeOf(int block_row) const;

  const Execution execution_;
  const BlockJacobianStructure& structure_;
  BlockSymmetricStructure pattern_;
  std::vector<int64_t> first_term_;  // by block row, +1
  std::vector<kernels::NormalTerm> terms_;
  std::vector<kernels::NormalProduct> products_;
  std::vector<int64_t> diagonal_;  // by block row: place of its diagonal block
  std::vector<kernels::NormalShape> shape_;
  std::vector<int64_t> first_block_;  // by block row, +1
  std::vector<kernels::NormalBlock> blocks_;
  int64_t max_sums_ = 0;
  std::vector<int64_t> cost_;  // by block row, cumulative
  int64_t thread_scratch_size_ = 0;
  AlignedBuffer scratch_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_H_
