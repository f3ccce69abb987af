// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_LINEAR_ROW_SOURCE_H_
#define CERES_INTERNAL_LINEAR_ROW_SOURCE_H_

#include <cstdint>
#include <string>

namespace ceres::internal {

// Row blocks of a Jacobian that are not in memory as doubles
// (Solver::Options::jacobian_storage). A pass reads them in parts of
// consecutive rows, into a buffer of its thread that stays in the cache:
//
//   evaluation          Take    once for each row
//   a pass over rows    Read    part by part
//
// The values that Read writes do not depend on how rows are cut into parts.
class RowSource {
 public:
  virtual ~RowSource() = default;
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  // Takes the row blocks of rows [begin, end), which lie one behind the other.
  // Several threads may call it, for different rows.
  virtual void Take(int begin, int end, const double* row_blocks) = 0;
  // Writes the row blocks of rows [begin, end), one behind the other. One
  // thread at a time for each thread_id of the solve's execution.
  virtual void Read(int thread_id, int begin, int end, double* row_blocks) = 0;
  // Why Read could not write a row; empty: it wrote all. Between two passes.
  virtual std::string failure() const = 0;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_LINEAR_ROW_SOURCE_H_
