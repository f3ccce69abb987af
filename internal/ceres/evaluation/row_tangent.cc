// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// What RowEvaluator does where the cost function's Jacobians are not the cells:
// parameter blocks on manifolds, and such as share a cell.

#include <cmath>
#include <string>

#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"

namespace ceres::internal {
namespace {

// As a template's number of rows.
constexpr int kAnySize = 0;

}  // namespace

// Points jacobians_ into the row block, or into ambient_ where a cell is not
// direct. Returns the number of doubles used of the latter.
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

bool RowEvaluator::EvaluateIndirectRowBlocks(const double* state,
                                             const RowPlan::Run& run, int begin,
                                             int end, StopPoller* poller,
                                             double* row_blocks, double* cost) {
  const Program& program = plan_.program;
  const int* arguments =
      program.arguments().data() + program.first_argument()[begin];
  bool has_direct_cells = false;
  // The same for all rows of the run: those of its first are in the cache.
  const std::int64_t ambient_size =
      GatherJacobians(run.begin, row_blocks, &has_direct_cells);
  const bool all_is_copied =
      run.on_manifold.empty() ||
      (run.has_angles_only && plus_jacobians_.AnglesAreIdentity());
  const std::int64_t size = std::int64_t{end - begin} * run.row_block_size;
  double* row_block = row_blocks;
  double sum = *cost;
  for (int row = begin; row < end;
       ++row, row_block += run.row_block_size, arguments += run.num_arguments) {
    poller->Poll();
    PrefetchCostFunction(program, row + kPrefetchDistance);
    PrefetchRowBlock(row_block + size, run.row_block_size);
    GatherParameters(state, arguments, run.num_arguments);
    double* const ambient = ambient_.data();
    for (std::int64_t i = 0; i < ambient_size; ++i) {
      ambient[i] = kImpossibleValue;
    }
    MarkUnwritten(row_block, run.num_residuals);
    const Call call = {row, row_block, true};
    if (!program.cost_functions()[row]->Evaluate(parameters_.data(), row_block,
                                                 jacobians_.data())) {
      return Fail(call, kRefusal);
    }
    CopyIndexed(static_cast<int>(run.source.size()), run.source.data(), ambient,
                row_block + run.num_residuals);
    double row_cost = 0.0;
    if ((!all_is_copied && !FillManifoldParts(call, run, row_block)) ||
        !FinishRowBlock(call, CheckCells::kLater, row_block, &row_cost)) {
      return false;
    }
    sum += row_cost;
  }
  *cost = sum;
  return true;
}

// Where all else is copied.
bool RowEvaluator::FillManifoldParts(const Call& call, const RowPlan::Run& run,
                                     double* row_block) {
  using Fill = RowPlan::Cell::Fill;
  const int first = plan_.program.first_argument()[call.row];
  const RowPlan::Cell* const cells =
      plan_.cells.data() + plan_.program.first_argument()[run.begin];
  for (const int k : run.on_manifold) {
    const Fill fill = cells[k].fill;
    const double* const plus =
        fill == Fill::kManifold
            ? nullptr
            : plus_jacobians_.Find(plan_.program.arguments()[first + k]);
    const bool is_identity =
        fill == Fill::kAngle && plus != nullptr && *plus == 1.0;
    if (!is_identity && !FillCell(call, k, plus, row_block)) return false;
  }
  return true;
}

bool RowEvaluator::ToTangentCoordinates(const Call& call, double* row_block) {
  switch (plan_.structure.row_size(call.row)) {
    case 2:
      return FillCells<2>(call, row_block);
    case 3:
      return FillCells<3>(call, row_block);
    case 6:
      return FillCells<6>(call, row_block);
    default:
      return FillCells<kAnySize>(call, row_block);
  }
}

// What is copied is judged with the row block's cells. Behind a PlusJacobian an
// entry that was not written could hide.
template <int kRows>
bool RowEvaluator::FillCells(const Call& call, double* row_block) {
  using Fill = RowPlan::Cell::Fill;
  const Program& program = plan_.program;
  const int first = program.first_argument()[call.row];
  const int num_arguments = program.first_argument()[call.row + 1] - first;
  const int num_residuals =
      kRows == kAnySize ? plan_.structure.row_size(call.row) : kRows;
  const int* const columns = program.arguments().data() + first;
  const RowPlan::Cell* const cells = plan_.cells.data() + first;
  const double* const* const jacobians = jacobians_.data();
  for (int k = 0; k < num_arguments; ++k) {
    const RowPlan::Cell& cell = cells[k];
    const double* const jacobian = jacobians[k];
    double* const part = row_block + cell.position;
    const double* plus = nullptr;
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
        plus = plus_jacobians_.Find(columns[k]);
        if (plus != nullptr && *plus == 1.0) {
          CopyRows(num_residuals, 1, jacobian, cell.stride, part);
          continue;
        }
        break;
      case Fill::kQuaternion:
      case Fill::kQuaternionFirst:
        plus = plus_jacobians_.Find(columns[k]);
        break;
      case Fill::kManifold:
        break;
    }
    if (!FillCell(call, k, plus, row_block)) return false;
  }
  return true;
}

// The part of an argument on a manifold, from its Jacobian in ambient
// coordinates. plus: its PlusJacobian, if it is kept.
bool RowEvaluator::FillCell(const Call& call, int k, const double* plus,
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
    switch (cell.fill) {
      case RowPlan::Cell::Fill::kAngle:
        MultiplyRows<1, 1>(num_residuals, jacobian, plus, cell.stride, part);
        break;
      case RowPlan::Cell::Fill::kQuaternion:
        MultiplyRows<4, 3>(num_residuals, jacobian, plus, cell.stride, part);
        break;
      default:  // kQuaternionFirst
        MultiplyQuaternionFirst(num_residuals,
                                plan_.program.tangent_size(column), jacobian,
                                plus, cell.stride, part);
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
