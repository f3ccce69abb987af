// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_evaluator.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/evaluation_tuning.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"
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
  const Program& program = plan_.program;
  const BlockJacobianStructure& s = plan_.structure;
  std::string what = FindInvalidOutput(
      {program.residual_block_index()[call.row],
       program.cost_functions()[call.row], parameters_.data(), call.residuals,
       call.with_jacobians ? jacobians_.data() : nullptr});
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

bool RowEvaluator::Fail(const Call& call, const std::string& what) {
  const Program& program = plan_.program;
  failed_row_ = call.row;
  message_ = DescribeFailure(
      {program.residual_block_index()[call.row],
       program.cost_functions()[call.row], parameters_.data(), call.residuals,
       call.with_jacobians ? jacobians_.data() : nullptr},
      what);
  return false;
}

bool RowEvaluator::FailRefused(const Call& call) {
  return Fail(call, "its cost function returned false");
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

}  // namespace ceres::internal
