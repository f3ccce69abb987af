// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_RESIDUAL_BATCH_H_
#define CERES_PUBLIC_RESIDUAL_BATCH_H_

// Many residual blocks of one kind. An extension: see
// docs/modelling/batches.md.

#include <cstdint>
#include <vector>

#include "ceres/internal/disable_warnings.h"
#include "ceres/internal/export.h"

namespace ceres {

// Rows of a batch, and the parameter blocks that they depend on.
struct BatchRows {
  // The number of rows; at least 1.
  int count;
  // The numbers of the rows in the batch's columns, in any order.
  const std::int64_t* rows;
  // parameters[i * num_arguments + k] is argument k of row rows[i].
  const double* const* parameters;
};

// The memory that a batch writes to. Row i writes its residuals to residuals +
// i * stride, and its Jacobian by argument k, row-major num_residuals x size of
// k, to jacobians[k] + i * stride.
struct BatchOutput {
  // The residuals of row 0.
  double* residuals;
  // The Jacobians of row 0. Null: no Jacobians are wanted. jacobians[k] null:
  // that one is not wanted.
  double* const* jacobians;
  // From the outputs of a row to those of the next one, in doubles.
  std::int64_t stride;
};

// Residual blocks of one kind: they have the same sizes, and each has a row of
// the batch's columns. A batch holds what a functor holds for one residual
// block, as arrays: measurements, for example. Problem::AddResidualBatch gives
// the rows their parameter blocks.
class CERES_EXPORT ResidualBatch {
 public:
  // The sizes of all rows. Checks that none is negative.
  ResidualBatch(std::int64_t num_rows, int num_residuals,
                std::vector<std::int32_t> parameter_block_sizes);
  ResidualBatch(const ResidualBatch&) = delete;
  ResidualBatch& operator=(const ResidualBatch&) = delete;
  virtual ~ResidualBatch();

  // The number of rows.
  std::int64_t num_rows() const { return num_rows_; }
  // The number of residuals of one row.
  int num_residuals() const { return num_residuals_; }
  // One size for each argument.
  const std::vector<std::int32_t>& parameter_block_sizes() const {
    return parameter_block_sizes_;
  }

  // Evaluates rows. Returns rows.count, or the index i of a row that cannot be
  // evaluated: then rows.rows[i] has failed, and all outputs are unspecified.
  // Every entry that is wanted must be written, with finite values: as for
  // CostFunction::Evaluate.
  //
  // Called by several threads at once. A row's results must not depend on which
  // rows stand beside it, nor on which Jacobians are wanted.
  virtual int Evaluate(const BatchRows& rows,
                       const BatchOutput& output) const = 0;

 private:
  const std::int64_t num_rows_;
  const int num_residuals_;
  const std::vector<std::int32_t> parameter_block_sizes_;
};

}  // namespace ceres

#include "ceres/internal/reenable_warnings.h"
#include "ceres/parallel/detail/language.h"

#endif  // CERES_PUBLIC_RESIDUAL_BATCH_H_
