// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_PARAMETER_ARRAY_H_
#define CERES_PUBLIC_PARAMETER_ARRAY_H_

// Parameter blocks for Problem::AddResidualBatch. An extension: see
// docs/modelling/batches.md.

#include <cstdint>
#include <variant>
#include <vector>

#include "ceres/internal/export.h"

namespace ceres {

// `count` parameter blocks of `size` doubles, one after the other in the user's
// memory. A handle: it owns nothing, and may be copied.
class ParameterArray {
 public:
  ParameterArray(double* values, std::int64_t count, int size)
      : values_(values), count_(count), size_(size) {}

  // Parameter block i.
  double* operator[](std::int64_t i) const { return values_ + i * size_; }
  double* values() const { return values_; }
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
  // NOLINTBEGIN(google-explicit-constructor): arguments of AddResidualBatch.
  BatchArgument(double* values) : values_(values) {}
  // NOLINTEND(google-explicit-constructor)
  BatchArgument(const ParameterArray& array, const std::int32_t* indices)
      : values_(Column<std::int32_t>{array, indices, kUnknown}) {}
  BatchArgument(const ParameterArray& array, const std::int64_t* indices)
      : values_(Column<std::int64_t>{array, indices, kUnknown}) {}
  // With these, AddResidualBatch checks the number of indices.
  BatchArgument(const ParameterArray& array,
                const std::vector<std::int32_t>& indices)
      : values_(Column<std::int32_t>{array, indices.data(), SizeOf(indices)}) {}
  BatchArgument(const ParameterArray& array,
                const std::vector<std::int64_t>& indices)
      : values_(Column<std::int64_t>{array, indices.data(), SizeOf(indices)}) {}

  static constexpr std::int64_t kUnknown = -1;
  template <typename Index>
  struct Column {
    ParameterArray array;
    const Index* indices;
    std::int64_t num_indices;
  };
  // One block, or a column of indices.
  const std::variant<double*, Column<std::int32_t>, Column<std::int64_t>>&
  values() const {
    return values_;
  }

 private:
  template <typename Index>
  static std::int64_t SizeOf(const std::vector<Index>& indices) {
    return static_cast<std::int64_t>(indices.size());
  }

  std::variant<double*, Column<std::int32_t>, Column<std::int64_t>> values_;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_PARAMETER_ARRAY_H_
