// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_evaluator.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/problem/parameter_block.h"
#include "ceres/types.h"

namespace ceres::internal {

RowEvaluator::RowEvaluator(const RowPlan& plan,
                           const PlusJacobians& plus_jacobians)
    : plan_(plan),
      plus_jacobians_(plus_jacobians),
      parameters_(plan.program.max_arguments_per_block()),
      jacobians_(plan.program.max_arguments_per_block()),
      unwanted_residuals_(plan.program.max_residuals_per_block()),
      ambient_(plan.max_ambient_size),
      tangent_(plan.max_tangent_size) {}

bool RowEvaluator::EvaluateCost(const double* state, int row, double* residuals,
                                double* cost) {
  PrefetchCostFunction(plan_.program, row);
  double* const out =
      residuals == nullptr ? unwanted_residuals_.data() : residuals;
  const int num_residuals = plan_.structure.row_size(row);
  const Call call = {row, out, false};
  GatherParameters(state, row);
  MarkUnwritten(out, num_residuals);
  if (!plan_.program.cost_functions()[row]->Evaluate(parameters_.data(), out,
                                                     nullptr)) {
    return FailRefused(call);
  }
  return FinishCost(call, SquaredNorm(out, num_residuals), residuals, cost);
}

bool RowEvaluator::EvaluateRowBlock(const double* state, int row,
                                    CheckCells check, double* row_block,
                                    double* cost) {
  PrefetchCostFunction(plan_.program, row);
  const BlockJacobianStructure& s = plan_.structure;
  const int num_residuals = s.row_size(row);
  const std::int64_t row_block_size =
      s.row_block_offset[row + 1] - s.row_block_offset[row];
  const Call call = {row, row_block, true};
  GatherParameters(state, row);
  std::int64_t ambient_size = 0;
  bool has_direct_cells = true;
  if (plan_.has_manifold_or_merged_blocks) {
    has_direct_cells = false;
    ambient_size = GatherJacobians(row, row_block, &has_direct_cells);
    MarkUnwritten(ambient_.data(), ambient_size);
  } else {
    plan_.PlaceJacobians(row, row_block, jacobians_.data());
  }
  // Cells that are not direct are written when they are filled.
  MarkUnwritten(row_block, has_direct_cells ? row_block_size : num_residuals);
  if (!plan_.program.cost_functions()[row]->Evaluate(
          parameters_.data(), row_block, jacobians_.data())) {
    return FailRefused(call);
  }
  if (ambient_size > 0 && !ToTangentCoordinates(call, row_block)) return false;
  return FinishRowBlock(call, check, row_block, cost);
}

bool RowEvaluator::CellsAreValid(const Call& call, double* row_block) {
  const BlockJacobianStructure& s = plan_.structure;
  const int num_residuals = s.row_size(call.row);
  const std::int64_t size =
      s.row_block_offset[call.row + 1] - s.row_block_offset[call.row];
  return std::isfinite(
             SquaredNorm(row_block + num_residuals, size - num_residuals)) ||
         OutputsAreValid(call, row_block);
}

bool RowEvaluator::IsValid(const double* state, int row, double* row_block) {
  const BlockJacobianStructure& s = plan_.structure;
  const double squared_norm = SquaredNorm(
      row_block, s.row_block_offset[row + 1] - s.row_block_offset[row]);
  if (std::isfinite(squared_norm)) return true;
  // Evaluates again, and checks before the manifolds and the loss function.
  double cost = 0.0;
  return EvaluateRowBlock(state, row, CheckCells::kNow, row_block, &cost);
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
// row_block: null, or the row block in tangent coordinates.
bool RowEvaluator::OutputsAreValid(const Call& call, const double* row_block) {
  const BlockJacobianStructure& s = plan_.structure;
  std::string what = FindInvalidOutput(Describe(call));
  if (what.empty() &&
      !std::isfinite(SquaredNorm(call.residuals, s.row_size(call.row)))) {
    what = "the residuals are so large that their squared norm overflows";
  }
  if (what.empty() && row_block != nullptr) {
    const std::int64_t size =
        s.row_block_offset[call.row + 1] - s.row_block_offset[call.row];
    const bool is_valid =
        std::all_of(row_block, row_block + size, [](double value) {
          return std::isfinite(value) && value != kImpossibleValue;
        });
    if (!is_valid) {
      what = "the Jacobian times the PlusJacobian of a manifold is not finite";
    }
  }
  return what.empty() || Fail(call, what);
}

CostFunctionCall RowEvaluator::Describe(const Call& call) const {
  const Program& program = plan_.program;
  return {program.residual_block_index()[call.row],
          program.cost_functions()[call.row], parameters_.data(),
          call.residuals, call.with_jacobians ? jacobians_.data() : nullptr};
}

bool RowEvaluator::Fail(const Call& call, const std::string& what) {
  failed_row_ = call.row;
  message_ = DescribeFailure(Describe(call), what);
  return false;
}

bool RowEvaluator::FailRefused(const Call& call) {
  return Fail(call, DescribeRefusal(Describe(call)));
}

// For a row whose cost function a strategy has called. outputs: the row block,
// which has only direct cells, or, without Jacobian, the residuals. refused:
// the cost function has returned false.
bool RowEvaluator::CheckOutputs(const double* state, int row, double* outputs,
                                bool with_jacobian, bool refused) {
  GatherParameters(state, row);
  if (with_jacobian) plan_.PlaceJacobians(row, outputs, jacobians_.data());
  const Call call = {row, outputs, with_jacobian};
  return refused ? FailRefused(call)
                 : OutputsAreValid(call, with_jacobian ? outputs : nullptr);
}

// The steps for parameter blocks that are on manifolds or merged: the cost
// function's Jacobians are not the cells.

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
          jacobian, num_residuals * plan_.program.ambient_size(column)))) {
    ClearPinnedCoordinates(num_residuals, k, column);
    if (!OutputsAreValid(call, nullptr)) return false;
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

// Clears the derivatives of argument k that are not finite by coordinates whose
// bounds are equal: they are constant. The program holds them by a manifold of
// its own. A manifold of the user's says nothing about derivatives.
void RowEvaluator::ClearPinnedCoordinates(int num_residuals, int k,
                                          int column) {
  const ParameterBlock& block = *plan_.program.parameter_blocks()[column];
  if (plan_.program.manifolds()[column] == block.manifold()) return;
  for (const int i : block.PinnedCoordinates()) {
    for (int r = 0; r < num_residuals; ++r) {
      double& value = jacobians_[k][r * block.size() + i];
      if (!std::isfinite(value)) value = 0.0;
    }
  }
}

}  // namespace ceres::internal
