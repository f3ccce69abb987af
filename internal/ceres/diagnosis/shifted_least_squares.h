// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_DIAGNOSIS_SHIFTED_LEAST_SQUARES_H_
#define CERES_INTERNAL_DIAGNOSIS_SHIFTED_LEAST_SQUARES_H_

#include <memory>
#include <string>

#include "ceres/diagnosis/tall_matrices.h"
#include "ceres/execution/execution.h"
#include "ceres/linear/block_jacobian.h"

namespace ceres::internal {

// Solves min |J X - W|^2 + d^2 |X|^2 for several W and one J:
//
//     X = (J'J + d^2 I)^-1 J'W
//
// Eliminates the structure's eliminated blocks by a Schur complement, in the
// notation of schur_eliminator.h:
//
// clang-format off
//     first pass over the rows    t = B^-1 E'W      c = F'(W - E t)
//     sparse factor               S z = c
//     second pass                 y = t - B^-1 E'F z
// clang-format on
//
// The bits do not depend on the number of threads. Not thread-safe.
class ShiftedLeastSquares {
 public:
  // `jacobian` and its structure must outlive the object.
  static std::unique_ptr<ShiftedLeastSquares> Create(
      const Execution& execution, const BlockJacobian& jacobian,
      const CellsByColumn& cells);
  virtual ~ShiftedLeastSquares() = default;

  enum class Outcome { kSuccess, kNotPositiveDefinite, kNoMemory };
  // Factors J'J + d^2 I. The message is set unless the outcome is kSuccess.
  // Throws Stopped.
  [[nodiscard]] virtual Outcome Factorize(double d, std::string* message) = 0;

  // X, after a Factorize that succeeded. The columns of X whose solution is not
  // finite are zero. Throws Stopped.
  virtual RowMajorMatrix Solve(const RowMajorMatrix& w) = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_DIAGNOSIS_SHIFTED_LEAST_SQUARES_H_
