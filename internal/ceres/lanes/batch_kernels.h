// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Moves numbers between rows of a batch and lanes. The instruction set is
// chosen at run time.

#ifndef CERES_INTERNAL_LANES_BATCH_KERNELS_H_
#define CERES_INTERNAL_LANES_BATCH_KERNELS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "ceres/lanes/lane_program.h"

namespace ceres::internal::lanes {

// Where an array of each of kLanes residual blocks begins.
using LanePointers = std::array<const double*, kLanes>;
using LaneTargets = std::array<double*, kLanes>;

// A result of a block, kLanes numbers for each sample: where those of the first
// sample are, and how far those of the next sample are from there, in doubles.
struct ResultRow {
  std::uint32_t offset;
  std::uint32_t stride;
};

// to[i * stride + lane] = from[lane][i] for 0 <= i < size.
void GatherLanes(const LanePointers& from, int size, std::ptrdiff_t stride,
                 double* to);

// to[lane][i] = result i of a sample for 0 <= i < size. Adds 0 times these
// numbers to zeros[lane], which stays zero if and only if all are finite.
// memory and zeros are aligned to 64 bytes.
void ScatterLanes(const ResultRow* results, int size, const double* memory,
                  int sample, const LaneTargets& to, double* zeros);

}  // namespace ceres::internal::lanes

#endif  // CERES_INTERNAL_LANES_BATCH_KERNELS_H_
