// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Moves numbers between the rows of a batch and lanes. The instruction set is
// chosen at run time.

#ifndef CERES_INTERNAL_LANES_BATCH_KERNELS_H_
#define CERES_INTERNAL_LANES_BATCH_KERNELS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ceres/lanes/lane_program.h"

namespace ceres::internal::lanes {

// Rows that are computed together. Their numbers should stay in the first-level
// cache, and they should be enough to hide the choice of instructions.
inline constexpr int kBlockRows = kBatchSamples * kLanes;

// From number to number of a block, in doubles. An odd number of cache lines:
// numbers of the same sample should not be in the same set of the cache.
inline constexpr std::ptrdiff_t kNumberStride = (kBatchSamples + 1) * kLanes;

// One bit for each row of a block: bit `lane` of entry `sample`.
using RowBits = std::array<std::uint8_t, kBatchSamples>;
static_assert(kLanes == 8, "");

inline RowBits FirstRows(int count) {
  RowBits bits;
  for (int s = 0; s < kBatchSamples; ++s) {
    const int num_lanes = std::clamp(count - s * kLanes, 0, kLanes);
    bits[s] = static_cast<std::uint8_t>((1 << num_lanes) - 1);
  }
  return bits;
}

inline bool HasBit(const RowBits& bits, int row) {
  return (bits[row / kLanes] >> row % kLanes) % 2 != 0;
}

// The functions below work on the first num_samples * kLanes rows of a block.

// Arrays of `size` doubles, one for each row of a block.
using RowPointers = std::array<const double*, kBlockRows>;

// to[i * kNumberStride + row] = from[row][i] for 0 <= i < size.
void GatherRows(const RowPointers& from, int size, int num_samples, double* to);

// Clears the bits of rows where a number memory[place + row] is not zero and
// should be, or the other way round.
void ClearMisfits(const std::vector<std::pair<std::uint32_t, bool>>& guards,
                  const double* memory, int num_samples, RowBits* fits);

// The results of a block: row i is written to base + indices[i] * stride, if
// its bit in `fits` is set.
struct RowTargets {
  double* base;
  std::ptrdiff_t stride;
  const int* indices;
  const RowBits* fits;
  // `size` doubles that are written for other rows.
  double* unused;
};

// Writes memory[results[i] + row], 0 <= i < size. Sets the bits of rows, those
// that do not fit too, where a number is not finite.
void ScatterRows(const std::uint32_t* results, int size, int num_samples,
                 const double* memory, const RowTargets& targets,
                 RowBits* not_finite);

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_BATCH_KERNELS_H_
