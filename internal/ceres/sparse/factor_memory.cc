// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/factor_memory.h"

#include "ceres/base/format.h"
#include "ceres/base/memory_shortage.h"

namespace ceres::internal {

std::string FindFactorMemoryError(double bytes, double max_bytes) {
  constexpr double kGigabyte = 1e9;
  double limit = max_bytes;
  const bool is_too_much = max_bytes > 0.0 && bytes > max_bytes;
  if (!is_too_much && !ExceedsMemory(bytes, &limit)) return "";
  return Format(
      "Sparse Cholesky factorization failed: the factor needs %.3g GB, and "
      "this process can have %.3g GB. Set linear_solver_type = ITERATIVE_SCHUR "
      "or CGNR, or try the other linear_solver_ordering_type.",
      bytes / kGigabyte, limit / kGigabyte);
}

}  // namespace ceres::internal
