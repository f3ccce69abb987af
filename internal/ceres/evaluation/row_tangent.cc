// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The steps of RowEvaluator for parameter blocks that are on manifolds or
// merged: the cost function's Jacobians are not the cells.

#include <cmath>
#include <string>

#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"

namespace ceres::internal {

// Points jacobians_ into the row block, or into ambient_ if a cell is not
// direct. Returns how many doubles of ambient_ are used.
std::int64_t RowEvaluator::GatherJacobians(int row, double* row_block,
                                           bool* has_direct_cells) {
  const Program& program = plan_.program;
  const int first = program.first_argument()[row];
  const int last = program.first_argument()[row + 1];
  const std::int64_t num_residuals = plan_.structure.row_size(row);
  std::int64_t ambient_size = 0;
  for (int k = first; k < last; ++k) {
    const RowPlan::Cell& cell = plan_.cells[k];
    double* jacobian = nullptr;
    if (cell.position != RowPlan::Cell::kNone) {
      if (cell.fill == RowPlan::Cell::Fill::kDirect) {
        *has_direct_cells = true;
        jacobian = row_block + cell.position;
      } else {
        jacobian = ambient_.data() + ambient_size;
        ambient_size +=
            num_residuals * program.ambient_size(program.arguments()[k]);
      }
    }
    jacobians_[k - first] = jacobian;
  }
  return ambient_size;
}

// Fills the cells that are not direct. What is copied is checked with the row
// block's cells. A product with a PlusJacobian could hide an entry that was not
// written, so FillManifoldCell checks the factor.
bool RowEvaluator::ToTangentCoordinates(const Call& call, double* row_block) {
  using Fill = RowPlan::Cell::Fill;
  const Program& program = plan_.program;
  const int first = program.first_argument()[call.row];
  const int num_arguments = program.first_argument()[call.row + 1] - first;
  const int num_residuals = plan_.structure.row_size(call.row);
  for (int k = 0; k < num_arguments; ++k) {
    const RowPlan::Cell& cell = plan_.cells[first + k];
    const int column = program.arguments()[first + k];
    if (cell.fill == Fill::kDirect) continue;
    const double* const plus =
        cell.fill == Fill::kCopy || cell.fill == Fill::kManifold
            ? nullptr
            : plus_jacobians_.Find(column);
    const bool is_identity =
        cell.fill == Fill::kAngle && plus != nullptr && *plus == 1.0;
    if (cell.fill == Fill::kCopy || is_identity) {
      CopyRows(num_residuals, program.tangent_size(column), jacobians_[k],
               cell.stride, row_block + cell.position);
    } else if (!FillManifoldCell(call, k, plus, row_block)) {
      return false;
    }
  }
  return true;
}

// Fills the cell, or part of a cell, of argument k, which is on a manifold,
// from its Jacobian in ambient coordinates. plus: the PlusJacobian if it is
// kept, else null.
bool RowEvaluator::FillManifoldCell(const Call& call, int k, const double* plus,
                                    double* row_block) {
  const int argument = plan_.program.first_argument()[call.row] + k;
  const RowPlan::Cell& cell = plan_.cells[argument];
  const int column = plan_.program.arguments()[argument];
  const int num_residuals = plan_.structure.row_size(call.row);
  const double* const jacobian = jacobians_[k];
  if (!std::isfinite(SquaredNorm(
          jacobian, num_residuals * plan_.program.ambient_size(column))) &&
      !OutputsAreValid(call, nullptr)) {
    return false;
  }
  double* const part = row_block + cell.position;
  if (plus != nullptr) {
    if (cell.fill == RowPlan::Cell::Fill::kAngle) {
      MultiplyRows<1, 1>(num_residuals, jacobian, plus, cell.stride, part);
    } else {
      MultiplyQuaternionFirst(num_residuals, plan_.program.tangent_size(column),
                              jacobian, plus, cell.stride, part);
    }
    return true;
  }
  const int tangent_size = plan_.program.tangent_size(column);
  const bool is_shared = cell.stride != tangent_size;
  double* const tangent = is_shared ? tangent_.data() : part;
  if (!plan_.program.manifolds()[column]->RightMultiplyByPlusJacobian(
          parameters_[k], num_residuals, jacobian, tangent)) {
    return Fail(call, "the PlusJacobian of the manifold of parameter block " +
                          std::to_string(k) + " failed");
  }
  if (is_shared) {
    CopyRows(num_residuals, tangent_size, tangent, cell.stride, part);
  }
  return true;
}

}  // namespace ceres::internal
