// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_BENCHMARKS_PARAMETER_HASH_H_
#define VESTA_BENCHMARKS_PARAMETER_HASH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ceres/problem.h"

namespace ceres::examples {

// A hash of the bits of all parameter blocks, in the order of the problem
// (FNV-1a). Two solves with the same hash ended at the same bits.
inline std::uint64_t HashParameters(const Problem& problem) {
  std::vector<double*> blocks;
  problem.GetParameterBlocks(&blocks);
  std::uint64_t hash = 14695981039346656037u;
  for (const double* block : blocks) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(block);
    const std::size_t size =
        sizeof(double) *
        static_cast<std::size_t>(problem.ParameterBlockSize(block));
    for (std::size_t k = 0; k < size; ++k) {
      hash = (hash ^ bytes[k]) * 1099511628211u;
    }
  }
  return hash;
}

}  // namespace ceres::examples

#endif  // VESTA_BENCHMARKS_PARAMETER_HASH_H_
