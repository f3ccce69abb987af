// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_PERMUTED_CSC_H_
#define CERES_INTERNAL_SPARSE_PERMUTED_CSC_H_

#include <vector>

#include "ceres/execution/execution.h"
#include "ceres/execution/loops.h"
#include "ceres/sparse/block_symmetric_structure.h"

namespace ceres::internal {

// One triangle of P A P' in compressed columns, for a block-sparse symmetric A,
// and for each of its entries the place among A's block values where it comes
// from: after the pattern is built, new values are one gather.
//
// Immutable after construction.
class PermutedCsc {
 public:
  enum class Triangle { kLower, kUpper };

  // Whether the scalar entries can be counted in an int, as the libraries do.
  static bool IsSmallEnough(const BlockSymmetricStructure& structure);

  // `block_order[k]` is the block at position k. Linear time.
  PermutedCsc(const BlockSymmetricStructure& structure,
              const std::vector<int>& block_order, Triangle triangle);

  int size() const { return static_cast<int>(permutation_.size()); }
  int num_entries() const { return column_start_.back(); }
  // size + 1 and num_entries values; rows ascend in each column.
  const std::vector<int>& column_start() const { return column_start_; }
  const std::vector<int>& row() const { return row_; }
  // permutation()[k] is the row and column of A that became number k.
  const std::vector<int>& permutation() const { return permutation_; }

  // entries[k] for all k from A's block values.
  template <typename Scalar>
  void Gather(const Execution& execution, const double* values,
              Scalar* entries) const {
    constexpr int kMinEntriesPerPiece = 4096;
    const int* source = source_.data();
    ParallelFor(
        execution, 0, num_entries(),
        [=](int k) { entries[k] = static_cast<Scalar>(values[source[k]]); },
        kMinEntriesPerPiece);
  }

 private:
  std::vector<int> permutation_;
  std::vector<int> column_start_;
  std::vector<int> row_;
  std::vector<int> source_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_PERMUTED_CSC_H_
