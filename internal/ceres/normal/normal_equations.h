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
//     (J'J + D'D) step = - J'r,
//
// block-sparse and in one pass: each block row is gathered by one owner from
// the row blocks that touch it, in row order, and written where a factorization
// reads it. Nothing is cleared, copied or summed afterwards, and the bits do
// not depend on the number of threads. A row block is read once for each of its
// column blocks; pose graphs have two.
//
// Not thread-safe.
class NormalEquations {
 public:
  // Whether owners share the work well: no block row has more than an eighth of
  // it, or there is too little of it to share. (Otherwise, with few columns or
  // with a block that most rows touch, SchurPlan cuts the rows instead.)
  static bool AreWorthGathering(const BlockJacobianStructure& structure);

  // Symbolic: which row blocks each block row is made of, and where products
  // go. Eliminated blocks: none (CHECK). `structure` must outlive this.
  NormalEquations(const Execution& execution,
                  const BlockJacobianStructure& structure);

  // Of J'J. Its values are what Assemble writes.
  const BlockSymmetricStructure& pattern() const { return pattern_; }

  // values: pattern().num_values(); negative_gradient: num_columns. `damping`:
  // D by column, or null.
  void Assemble(const BlockJacobian& jacobian, const double* damping,
                double* values, double* negative_gradient);

  // What the kernels see: points to this object and the Jacobian. A thread
  // needs scratch of so many doubles.
  kernels::NormalView View(const BlockJacobian& jacobian) const;
  int64_t scratch_size() const { return thread_scratch_size_; }

 private:
  void FindTerms();
  void FindProducts();
  void AppendBlockRow(int i, const std::vector<int>& columns,
                      size_t num_products, std::vector<int64_t>* destination);
  kernels::NormalShape ShapeOf(int block_row) const;

  const Execution execution_;
  const BlockJacobianStructure& structure_;
  BlockSymmetricStructure pattern_;
  std::vector<int64_t> first_term_;  // by block row, + 1
  std::vector<int> term_row_;        // the row that each term is of
  std::vector<kernels::NormalTerm> terms_;
  std::vector<kernels::NormalProduct> products_;
  std::vector<int64_t> diagonal_;  // by block row
  std::vector<kernels::NormalShape> shape_;
  std::vector<int64_t> first_block_;  // by block row, + 1
  std::vector<kernels::NormalBlock> blocks_;
  int64_t max_sums_ = 0;
  std::vector<int64_t> cost_;  // by block row, cumulative
  int64_t thread_scratch_size_ = 0;
  AlignedBuffer scratch_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_NORMAL_NORMAL_EQUATIONS_H_
