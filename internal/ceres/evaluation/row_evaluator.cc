// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_evaluator.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/types.h"

namespace ceres::internal {

RowPlan::RowPlan(const Program& program,
                 const BlockJacobianStructure& structure,
                 const std::vector<int>& joint_column, bool apply_loss_function)
    : program(program),
      structure(structure),
      apply_loss_function(apply_loss_function),
      cells(program.arguments.size()) {
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const std::int64_t num_residuals = structure.row_size(row);
    std::int64_t ambient_size = 0;
    for (int k = program.first_argument[row];
         k < program.first_argument[row + 1]; ++k) {
      const Program::Argument& argument = program.arguments[k];
      if (argument.column_block < 0) continue;
      const int column = joint_column[argument.column_block];
      int place = structure.first_cell[row];
      while (structure.cell_column[place] != column) ++place;
      Cell& cell = cells[k];
      cell.position = structure.cell_position[place] +
                      program.delta_offset[argument.column_block] -
                      structure.column_offset[column];
      cell.stride = structure.column_size(column);
      const bool is_manifold =
          program.manifolds[argument.column_block] != nullptr;
      const bool is_shared = argument.tangent_size != cell.stride;
      cell.is_direct = !is_manifold && !is_shared;
      if (cell.is_direct) continue;
      has_indirect_cells = true;
      ambient_size += num_residuals * argument.size;
      if (is_manifold && is_shared) {
        max_tangent_size =
            std::max(max_tangent_size, num_residuals * argument.tangent_size);
      }
    }
    max_ambient_size = std::max(max_ambient_size, ambient_size);
  }
}

RowEvaluator::RowEvaluator(const RowPlan& plan)
    : plan_(plan),
      parameters_(plan.program.max_arguments_per_block),
      jacobians_(plan.program.max_arguments_per_block),
      unwanted_residuals_(plan.program.max_residuals_per_block),
      ambient_(plan.max_ambient_size),
      tangent_(plan.max_tangent_size) {}

bool RowEvaluator::EvaluateCost(const double* state, int row, double* residuals,
                                double* cost) {
  const bool residuals_are_wanted = residuals != nullptr;
  if (!residuals_are_wanted) residuals = unwanted_residuals_.data();
  const int num_residuals = plan_.structure.row_size(row);
  const Call call = {row, residuals, false};
  GatherParameters(state, row);
  MarkUnwritten(residuals, num_residuals);
  if (!plan_.program.cost_functions[row]->Evaluate(parameters_.data(),
                                                   residuals, nullptr)) {
    return Fail(call, "its cost function returned false");
  }
  const double squared_norm = SquaredNorm(residuals, num_residuals);
  if (!std::isfinite(squared_norm)) return OutputsAreValid(call, nullptr);
  *cost = 0.5 * squared_norm;
  if (plan_.loss(row) == nullptr) return true;

  double rho[3];
  if (!EvaluateLoss(call, squared_norm, rho)) return false;
  *cost = 0.5 * rho[0];
  if (residuals_are_wanted) {
    LossCorrection(squared_norm, rho)
        .CorrectResiduals(num_residuals, residuals);
  }
  return true;
}

bool RowEvaluator::EvaluateRecord(const double* state, int row, double* record,
                                  double* cost) {
  const BlockJacobianStructure& s = plan_.structure;
  const int num_residuals = s.row_size(row);
  const std::int64_t record_size =
      s.record_offset[row + 1] - s.record_offset[row];
  const Call call = {row, record, true};
  GatherParameters(state, row);
  std::int64_t ambient_size = 0;
  if (plan_.has_indirect_cells) {
    ambient_size = GatherJacobians(row, record);
    MarkUnwritten(ambient_.data(), ambient_size);
  } else {
    GatherDirectJacobians(row, record);
  }
  MarkUnwritten(record, record_size);
  if (!plan_.program.cost_functions[row]->Evaluate(parameters_.data(), record,
                                                   jacobians_.data())) {
    return Fail(call, "its cost function returned false");
  }
  if (ambient_size > 0 && !ToTangentCoordinates(row, ambient_size, record)) {
    return false;
  }
  const double squared_norm = SquaredNorm(record, num_residuals);
  const double jacobian_norm =
      SquaredNorm(record + num_residuals, record_size - num_residuals);
  if (!std::isfinite(squared_norm + jacobian_norm) &&
      !OutputsAreValid(call, record)) {
    return false;
  }
  *cost = 0.5 * squared_norm;
  if (plan_.loss(row) == nullptr) return true;

  double rho[3];
  if (!EvaluateLoss(call, squared_norm, rho)) return false;
  *cost = 0.5 * rho[0];
  const LossCorrection correction(squared_norm, rho);
  if (correction.is_identity()) return true;
  for (int k = s.first_cell[row]; k < s.first_cell[row + 1]; ++k) {
    correction.CorrectJacobian(num_residuals, s.column_size(s.cell_column[k]),
                               record, record + s.cell_position[k]);
  }
  correction.CorrectResiduals(num_residuals, record);
  return true;
}

inline void RowEvaluator::GatherParameters(const double* state, int row) {
  const Program& program = plan_.program;
  const Program::Argument* argument =
      program.arguments.data() + program.first_argument[row];
  const Program::Argument* end =
      program.arguments.data() + program.first_argument[row + 1];
  for (const double** parameter = parameters_.data(); argument != end;
       ++argument, ++parameter) {
    *parameter = argument->column_block >= 0 ? state + argument->state_offset
                                             : argument->constant;
  }
}

// Points jacobians_ into the record.
inline void RowEvaluator::GatherDirectJacobians(int row, double* record) {
  const RowPlan::Cell* cell =
      plan_.cells.data() + plan_.program.first_argument[row];
  const RowPlan::Cell* end =
      plan_.cells.data() + plan_.program.first_argument[row + 1];
  for (double** jacobian = jacobians_.data(); cell != end; ++cell, ++jacobian) {
    *jacobian = cell->position == RowPlan::Cell::kNone
                    ? nullptr
                    : record + cell->position;
  }
}

// Points jacobians_ into the record, or into ambient_ where a cell is not
// direct. Returns the number of doubles used of the latter.
std::int64_t RowEvaluator::GatherJacobians(int row, double* record) {
  const Program& program = plan_.program;
  const int first = program.first_argument[row];
  const int last = program.first_argument[row + 1];
  const std::int64_t num_residuals = plan_.structure.row_size(row);
  std::int64_t ambient_size = 0;
  for (int k = first; k < last; ++k) {
    const RowPlan::Cell& cell = plan_.cells[k];
    double* jacobian = nullptr;
    if (cell.position != RowPlan::Cell::kNone) {
      if (cell.is_direct) {
        jacobian = record + cell.position;
      } else {
        jacobian = ambient_.data() + ambient_size;
        ambient_size += num_residuals * program.arguments[k].size;
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
  const Program& program = plan_.program;
  const int first = program.first_argument[row];
  const int num_arguments = program.first_argument[row + 1] - first;
  const int num_residuals = plan_.structure.row_size(row);
  for (int k = 0; k < num_arguments; ++k) {
    const RowPlan::Cell& cell = plan_.cells[first + k];
    if (cell.is_direct) continue;
    const Program::Argument& argument = program.arguments[first + k];
    if (program.manifolds[argument.column_block] == nullptr) {
      CopyRows(num_residuals, argument.tangent_size, jacobians_[k], cell.stride,
               record + cell.position);
    } else if (!FillCell(num_residuals, first + k, parameters_[k],
                         jacobians_[k], record)) {
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
  const Program::Argument& a = plan_.program.arguments[argument];
  double* const part = record + cell.position;
  const bool is_shared = cell.stride != a.tangent_size;
  double* const tangent = is_shared ? tangent_.data() : part;
  const Manifold* const manifold = plan_.program.manifolds[a.column_block];
  if (!manifold->RightMultiplyByPlusJacobian(parameter, num_residuals, jacobian,
                                             tangent)) {
    return false;
  }
  if (is_shared) {
    CopyRows(num_residuals, a.tangent_size, tangent, cell.stride, part);
  }
  return true;
}

bool RowEvaluator::EvaluateLoss(const Call& call, double squared_norm,
                                double rho[3]) {
  plan_.loss(call.row)->Evaluate(squared_norm, rho);
  if (std::isfinite(rho[0] + rho[1] + rho[2]) && rho[1] >= 0.0) return true;
  const std::string what = FindInvalidLoss(rho);
  return what.empty() || Fail(call, what);
}

// Called when a norm of the outputs is not finite: finds out whether that is a
// failure. Derivatives may be so large that only their squares overflow.
// record: null, or the row's, in tangent coordinates.
bool RowEvaluator::OutputsAreValid(const Call& call, const double* record) {
  const Program& program = plan_.program;
  const BlockJacobianStructure& s = plan_.structure;
  std::string what = FindInvalidOutput(
      {program.residual_blocks[call.row]->index(),
       program.cost_functions[call.row], parameters_.data(), call.residuals,
       call.with_jacobians ? jacobians_.data() : nullptr});
  if (what.empty() &&
      !std::isfinite(SquaredNorm(call.residuals, s.row_size(call.row)))) {
    what = "the residuals are so large that their squared norm overflows";
  }
  if (what.empty() && record != nullptr) {
    const std::int64_t size =
        s.record_offset[call.row + 1] - s.record_offset[call.row];
    const bool is_valid = std::all_of(record, record + size, [](double value) {
      return std::isfinite(value) && value != kImpossibleValue;
    });
    if (!is_valid) {
      what = "the Jacobian times the PlusJacobian of a manifold is not finite";
    }
  }
  return what.empty() || Fail(call, what);
}

bool RowEvaluator::Fail(const Call& call, const std::string& what) {
  const Program& program = plan_.program;
  message_ = DescribeFailure(
      {program.residual_blocks[call.row]->index(),
       program.cost_functions[call.row], parameters_.data(), call.residuals,
       call.with_jacobians ? jacobians_.data() : nullptr},
      what);
  return false;
}

}  // namespace ceres::internal
