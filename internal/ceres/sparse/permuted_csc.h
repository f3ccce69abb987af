// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_PERMUTED_CSC_H_
#define CERES_INTERNAL_SPARSE_PERMUTED_CSC_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/execution/loops.h"
#include "ceres/sparse/block_symmetric_structure.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {

// One triangle of P A P' in compressed sparse columns, for a block-sparse
// symmetric A. It knows the place of each entry among the block values of A, so
// that new values are one Gather. Immutable; thread-safe.
class PermutedCsc {
 public:
  enum class Triangle { kLower, kUpper };

  // Whether the number of scalar entries fits an int, which libraries use.
  static bool IsSmallEnough(const BlockSymmetricStructure& structure);

  // `elimination_order[k]` is the block at position k. Linear time.
  PermutedCsc(const BlockSymmetricStructure& structure,
              const std::vector<int>& elimination_order, Triangle triangle);

  int size() const { return static_cast<int>(permutation_.size()); }
  int num_entries() const { return column_start_.back(); }
  // size + 1 and num_entries values; rows ascend in each column.
  const std::vector<int>& column_start() const { return column_start_; }
  const std::vector<int>& row() const { return row_; }
  // permutation()[k] is the row and column of A at position k.
  const std::vector<int>& permutation() const { return permutation_; }

  // Writes all entries, from the block values of A.
  template <typename Scalar>
  void Gather(const Execution& execution, const double* values,
              Scalar* entries) const {
    const int* source = source_.data();
    ParallelFor(
        execution, 0, num_entries(),
        [=](int k) { entries[k] = static_cast<Scalar>(values[source[k]]); },
        sparse_tuning::kMinEntriesPerPiece);
  }

 private:
  std::vector<int> permutation_;
  std::vector<int> column_start_;
  std::vector<int> row_;
  std::vector<int> source_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_PERMUTED_CSC_H_
