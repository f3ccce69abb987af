// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_FLOAT_ROWS_H_
#define CERES_INTERNAL_EVALUATION_FLOAT_ROWS_H_

#include <cstdint>
#include <string>

#include "ceres/base/huge_pages.h"
#include "ceres/linear/block_jacobian.h"
#include "ceres/linear/row_source.h"

namespace ceres::internal {

// Row blocks whose cells are kept in single precision, and whose residuals are
// kept in double precision.
//
// A minimizer steps by J~'J~ instead of J'J and stops where the gradient J'r,
// which is summed in double precision while rows are evaluated, is small. The
// entries of J~ are those of J times 1 + d, |d| <= 2^-24. J~'r differs from J'r
// by at most 2^-24 |J|'|r|, so steps end at a distance of about 2^-24 from the
// minimum, and the cost there is higher by about 2^-48.
class FloatRows final : public RowSource {
 public:
  // `structure` must outlive this.
  explicit FloatRows(const BlockJacobianStructure& structure);

  void Take(int begin, int end, const double* row_blocks) override;
  void Read(int thread_id, int begin, int end, double* row_blocks) override;
  std::string failure() const override { return ""; }

 private:
  const BlockJacobianStructure& structure_;
  // Rows one behind the other.
  PagedVector<double> residuals_;
  PagedVector<float> cells_;
};

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_FLOAT_ROWS_H_
