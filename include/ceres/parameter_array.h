// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARAMETER_ARRAY_H_
#define CERES_PUBLIC_PARAMETER_ARRAY_H_

// Parameter blocks for Problem::AddResidualBatch. An extension: see
// docs/modelling/batches.md.

#include <cstdint>
#include <vector>

#include "ceres/parallel/detail/language.h"

namespace ceres {

// `count` parameter blocks of `size` doubles, one after the other in the user's
// memory. A handle: it owns nothing, and may be copied.
class ParameterArray {
 public:
  // For parameter blocks that the problem has. AddParameterArray adds them.
  ParameterArray(double* values, std::int64_t count, int size)
      : values_(values), count_(count), size_(size) {}

  // Parameter block i.
  double* operator[](std::int64_t i) const { return values_ + i * size_; }
  // Parameter block 0.
  double* values() const { return values_; }
  // The number of parameter blocks, and the number of doubles of each.
  std::int64_t count() const { return count_; }
  int size() const { return size_; }

 private:
  double* values_;
  std::int64_t count_;
  int size_;
};

// One argument of all rows of a residual batch: row i depends on block
// indices[i] of an array, or all rows depend on one block. indices: one for
// each row, the user's memory, which AddResidualBatch reads.
class BatchArgument {
 public:
  // All rows depend on the block at `values`.
  // NOLINTNEXTLINE(google-explicit-constructor): an element of a list.
  BatchArgument(double* values) : array_(values, 1, 0) {}
  // One index for each row.
  BatchArgument(const ParameterArray& array, const std::int32_t* indices)
      : is_one_block_(false), array_(array), narrow_(indices) {}
  BatchArgument(const ParameterArray& array, const std::int64_t* indices)
      : is_one_block_(false), array_(array), wide_(indices) {}
  // With these, AddResidualBatch checks the number of indices.
  BatchArgument(const ParameterArray& array,
                const std::vector<std::int32_t>& indices)
      : BatchArgument(array, indices.data()) {
    num_indices_ = static_cast<std::int64_t>(indices.size());
  }
  BatchArgument(const ParameterArray& array,
                const std::vector<std::int64_t>& indices)
      : BatchArgument(array, indices.data()) {
    num_indices_ = static_cast<std::int64_t>(indices.size());
  }

  // Whether all rows have the block at array().values().
  bool is_one_block() const { return is_one_block_; }
  // The array that the indices refer to.
  const ParameterArray& array() const { return array_; }
  // The indices, if they have 32 and 64 bits. Null otherwise.
  const std::int32_t* narrow_indices() const { return narrow_; }
  const std::int64_t* wide_indices() const { return wide_; }
  // The number of indices. Negative: not known.
  std::int64_t num_indices() const { return num_indices_; }

 private:
  bool is_one_block_ = true;
  ParameterArray array_;
  const std::int32_t* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
  std::int64_t num_indices_ = -1;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_PARAMETER_ARRAY_H_
