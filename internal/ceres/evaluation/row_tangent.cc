// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What RowEvaluator does where the cost function's Jacobians are not the cells:
// parameter blocks on manifolds, and such as share a cell.

#include <cmath>
#include <string>

#include "ceres/evaluation/row_evaluator.h"
#include "ceres/evaluation/row_kernels.h"

namespace ceres::internal {
namespace {

// As a template's number of rows.
constexpr int kAnySize = 0;

}  // namespace

// Points jacobians_ into the record, or into ambient_ where a cell is not
// direct. Returns the number of doubles used of the latter.
std::int64_t RowEvaluator::GatherJacobians(int row, double* record,
                                           bool* has_direct_cells) {
  const Program& program = plan_.program;
  const int first = program.first_argument[row];
  const int last = program.first_argument[row + 1];
  const std::int64_t num_residuals = plan_.structure.row_size(row);
  std::int64_t ambient_size = 0;
  for (int k = first; k < last; ++k) {
    const RowPlan::Cell& cell = plan_.cells[k];
    double* jacobian = nullptr;
    if (cell.position != RowPlan::Cell::kNone) {
      if (cell.fill == RowPlan::Cell::Fill::kDirect) {
        *has_direct_cells = true;
        jacobian = record + cell.position;
      } else {
        jacobian = ambient_.data() + ambient_size;
        ambient_size +=
            num_residuals * program.ambient_size(program.arguments[k]);
      }
    }
    jacobians_[k - first] = jacobian;
  }
  return ambient_size;
}

bool RowEvaluator::ToTangentCoordinates(int row, std::int64_t ambient_size,
                                        double* record) {
  const Call call = {row, record, true};
  if (!std::isfinite(SquaredNorm(ambient_.data(), ambient_size)) &&
      !OutputsAreValid(call, nullptr)) {
    return false;
  }
  switch (plan_.structure.row_size(row)) {
    case 3:
      return FillCells<3>(call, record);
    case 6:
      return FillCells<6>(call, record);
    default:
      return FillCells<kAnySize>(call, record);
  }
}

template <int kRows>
bool RowEvaluator::FillCells(const Call& call, double* record) {
  using Fill = RowPlan::Cell::Fill;
  const Program& program = plan_.program;
  const int first = program.first_argument[call.row];
  const int num_arguments = program.first_argument[call.row + 1] - first;
  const int num_residuals =
      kRows == kAnySize ? plan_.structure.row_size(call.row) : kRows;
  const int* const columns = program.arguments.data() + first;
  const RowPlan::Cell* const cells = plan_.cells.data() + first;
  for (int k = 0; k < num_arguments; ++k) {
    const RowPlan::Cell& cell = cells[k];
    const double* const jacobian = jacobians_[k];
    double* const part = record + cell.position;
    switch (cell.fill) {
      case Fill::kDirect:
        continue;
      case Fill::kScalar:
        CopyRows(num_residuals, 1, jacobian, cell.stride, part);
        continue;
      case Fill::kTriple:
        CopyRows(num_residuals, 3, jacobian, cell.stride, part);
        continue;
      case Fill::kCopy:
        CopyRows(num_residuals, program.tangent_size(columns[k]), jacobian,
                 cell.stride, part);
        continue;
      case Fill::kAngle:
      case Fill::kQuaternion: {
        const double* const plus = plus_jacobians_.Find(columns[k]);
        if (plus == nullptr) break;
        if (cell.fill == Fill::kAngle) {
          MultiplyRows<1, 1>(num_residuals, jacobian, plus, cell.stride, part);
        } else {
          MultiplyRows<4, 3>(num_residuals, jacobian, plus, cell.stride, part);
        }
        continue;
      }
      case Fill::kManifold:
        break;
    }
    if (!FillCell(num_residuals, first + k, parameters_[k], jacobian, record)) {
      return Fail(call, "the PlusJacobian of the manifold of parameter block " +
                            std::to_string(k) + " failed");
    }
  }
  return true;
}

// The part of an argument on a manifold, from its Jacobian in ambient
// coordinates.
bool RowEvaluator::FillCell(int num_residuals, int argument,
                            const double* parameter, const double* jacobian,
                            double* record) {
  const RowPlan::Cell& cell = plan_.cells[argument];
  const int column = plan_.program.arguments[argument];
  const int tangent_size = plan_.program.tangent_size(column);
  double* const part = record + cell.position;
  const bool is_shared = cell.stride != tangent_size;
  double* const tangent = is_shared ? tangent_.data() : part;
  const Manifold* const manifold = plan_.program.manifolds[column];
  if (!manifold->RightMultiplyByPlusJacobian(parameter, num_residuals, jacobian,
                                             tangent)) {
    return false;
  }
  if (is_shared) {
    CopyRows(num_residuals, tangent_size, tangent, cell.stride, part);
  }
  return true;
}

}  // namespace ceres::internal
