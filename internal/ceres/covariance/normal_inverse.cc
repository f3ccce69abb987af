// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance/normal_inverse.h"

#include <algorithm>
#include <string>

#include "ceres/execution/aligned_buffer.h"
#include "ceres/normal/normal_equations.h"
#include "ceres/sparse/native_cholesky.h"
#include "ceres/sparse/sparse_inverse.h"

namespace ceres::internal {
namespace {

// The least of pivot / squared norm of the column. NaN is less than all.
double SmallestRelativePivot(const NativeFactor<double>& factor,
                             const double* squared_column_norms) {
  const FrontPlan<double>& plan = factor.plan();
  double smallest = 1.0;
  for (const Front& front : plan.fronts) {
    const double* const columns = factor.columns() + front.columns_begin;
    for (int j = 0; j < front.width; ++j) {
      // The root of a pivot is stored as its inverse.
      const double inverse =
          columns[kernels::PivotPosition<double>(front.width, j, j)];
      const double column_norm =
          squared_column_norms[plan.permutation[front.first_column + j]];
      const double relative = 1.0 / (inverse * inverse * column_norm);
      if (!(relative >= smallest)) smallest = relative;
    }
  }
  return smallest;
}

}  // namespace

bool InvertNormalMatrix(const Execution& execution,
                        const BlockJacobian& jacobian,
                        const double* squared_column_norms,
                        double smallest_pivot,
                        const std::vector<InverseBlock>& blocks) {
  const BlockJacobianStructure& s = *jacobian.structure;
  NormalEquations equations(execution, s);
  AlignedBuffer values(equations.pattern().num_values());
  AlignedBuffer gradient(s.num_columns());
  equations.Assemble(jacobian, /*damping=*/nullptr, values.data(),
                     gradient.data());
  const auto factor =
      CreateNativeFactor(SparseCholesky::Options(), equations.pattern());
  std::string message;
  if (factor->Factorize(execution, values.data(), &message) !=
      LinearSolverTermination::kSuccess) {
    return false;
  }
  const double bound = std::max(smallest_pivot, kSmallestNormalPivot);
  if (!(SmallestRelativePivot(*factor, squared_column_norms) >= bound)) {
    return false;
  }
  ComputeInverseBlocks(execution, s.column_offset, factor->plan(),
                       factor->columns(), InverseMethod::kFewestOperations,
                       blocks);
  return true;
}

}  // namespace ceres::internal
