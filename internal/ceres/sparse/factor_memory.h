// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SPARSE_FACTOR_MEMORY_H_
#define CERES_INTERNAL_SPARSE_FACTOR_MEMORY_H_

#include <string>

namespace ceres::internal {

// Checks, after the symbolic factorization and before memory is allocated, that
// a sparse factor can be in memory. Returns empty, or an error with the sizes
// and the options to change.
//
// bytes: of the factor, and of the update matrices. max_bytes: 0, or a limit
// that is less than what the process can have.
std::string FindFactorMemoryError(double bytes, double max_bytes);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SPARSE_FACTOR_MEMORY_H_
