// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/row_evaluator.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_evaluator-inl.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/types.h"

namespace ceres::internal {

namespace {

RowPlan::Cell::Fill ChooseFill(int ambient_size, int tangent_size,
                               bool is_manifold) {
  using Fill = RowPlan::Cell::Fill;
  if (!is_manifold) {
    return tangent_size == 1   ? Fill::kScalar
           : tangent_size == 3 ? Fill::kTriple
                               : Fill::kCopy;
  }
  switch (PlusJacobians::KindOf(ambient_size, tangent_size)) {
    case PlusJacobians::Kind::kAngle:
      return Fill::kAngle;
    case PlusJacobians::Kind::kQuaternion:
      return Fill::kQuaternion;
    case PlusJacobians::Kind::kQuaternionFirst:
      return Fill::kQuaternionFirst;
    case PlusJacobians::Kind::kOther:
      break;
  }
  return Fill::kManifold;
}

bool HasManifold(const Program& program) {
  return std::any_of(
      program.manifolds().begin(), program.manifolds().end(),
      [](const Manifold* manifold) { return manifold != nullptr; });
}

bool HasLossFunction(const Program& program) {
  if (!program.has_loss_functions()) return false;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    if (program.loss_function(row) != nullptr) return true;
  }
  return false;
}

}  // namespace

RowPlan::RowPlan(const Program& program,
                 const BlockJacobianStructure& structure,
                 const std::vector<int>& merged_column,
                 bool apply_loss_function)
    : program(program),
      structure(structure),
      apply_loss_function(apply_loss_function),
      has_indirect_cells(structure.num_column_blocks() <
                             program.num_column_blocks() ||
                         HasManifold(program)),
      is_direct(structure.num_row_chunks() == 1 && !has_indirect_cells &&
                !(apply_loss_function && HasLossFunction(program))) {
  if (has_indirect_cells) FindCells(merged_column);
  if (!is_direct) {
    FindRuns(structure.num_column_blocks() < program.num_column_blocks());
  }
}

void RowPlan::PlaceJacobians(int row, double* row_block,
                             double** jacobians) const {
  const auto position = structure.cell_position.view();
  const int* const arguments = program.arguments().data();
  const int num_eliminated = program.num_eliminated();
  const int first = structure.first_cell[row];
  int next = first + (row < structure.eliminated_first_row.back() ? 1 : 0);
  const int end = program.first_argument()[row + 1];
  for (int k = program.first_argument()[row]; k < end; ++k, ++jacobians) {
    const int argument = arguments[k];
    *jacobians = argument < 0                ? nullptr
                 : argument < num_eliminated ? row_block + position[first]
                                             : row_block + position[next++];
  }
}

void RowPlan::FindCells(const std::vector<int>& merged_column) {
  cells.resize(program.arguments().size());
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const std::int64_t num_residuals = structure.row_size(row);
    std::int64_t ambient_size = 0;
    for (int k = program.first_argument()[row];
         k < program.first_argument()[row + 1]; ++k) {
      const int argument = program.arguments()[k];
      if (argument < 0) continue;
      const int tangent_size = program.tangent_size(argument);
      const int column = merged_column[argument];
      int place = structure.first_cell[row];
      while (structure.cell_column[place] != column) ++place;
      Cell& cell = cells[k];
      cell.position = structure.cell_position[place] +
                      program.delta_offset()[argument] -
                      structure.column_offset[column];
      cell.stride = structure.column_size(column);
      const bool is_manifold = program.manifolds()[argument] != nullptr;
      const bool is_shared = tangent_size != cell.stride;
      if (!is_manifold && !is_shared) continue;
      cell.fill =
          ChooseFill(program.ambient_size(argument), tangent_size, is_manifold);
      ambient_size += num_residuals * program.ambient_size(argument);
      if (is_manifold && is_shared) {
        max_tangent_size =
            std::max(max_tangent_size, num_residuals * tangent_size);
      }
    }
    max_ambient_size = std::max(max_ambient_size, ambient_size);
  }
}

// The run that a row would begin.
RowPlan::Run RowPlan::RunOf(int row, bool has_merged_columns) const {
  Run run;
  run.end = row + 1;
  run.num_residuals = structure.row_size(row);
  run.row_block_size = static_cast<int>(structure.row_block_offset[row + 1] -
                                        structure.row_block_offset[row]);
  run.is_indirect = HasIndirectCells(row);
  const int first = program.first_argument()[row];
  const int first_cell = structure.first_cell[row];
  if (structure.first_cell[row + 1] != first_cell + 2) return run;
  run.shape = kernels::FindRowBlockShape(
      run.num_residuals,
      structure.column_size(structure.cell_column[first_cell]),
      structure.column_size(structure.cell_column[first_cell + 1]));
  if (has_merged_columns || program.first_argument()[row + 1] != first + 2 ||
      (has_indirect_cells && (cells[first].fill != Cell::Fill::kDirect ||
                              cells[first + 1].fill != Cell::Fill::kDirect))) {
    return run;
  }
  run.is_regular = true;
  // The eliminated argument's cell comes first.
  run.cell[0] =
      program.arguments()[first + 1] < program.num_eliminated() ? 1 : 0;
  run.cell[1] = 1 - run.cell[0];
  for (int k = 0; k < 2; ++k) {
    run.position[k] = structure.cell_position[first_cell + run.cell[k]];
  }
  return run;
}

// Whether there are some, and no others.
bool RowPlan::HasIndirectCells(int row) const {
  if (!has_indirect_cells) return false;
  bool any = false;
  for (int k = program.first_argument()[row];
       k < program.first_argument()[row + 1]; ++k) {
    if (program.arguments()[k] < 0) continue;
    if (cells[k].fill == Cell::Fill::kDirect) return false;
    any = true;
  }
  return any;
}

// Whether the cells of two rows of as many residuals are filled alike and lie
// alike.
bool RowPlan::HaveSameCells(int row, int other) const {
  const int first = program.first_argument()[row];
  const int first_other = program.first_argument()[other];
  const int num_arguments = program.first_argument()[row + 1] - first;
  if (program.first_argument()[other + 1] - first_other != num_arguments) {
    return false;
  }
  for (int k = 0; k < num_arguments; ++k) {
    const Cell& a = cells[first + k];
    const Cell& b = cells[first_other + k];
    if (a.position != b.position || a.stride != b.stride || a.fill != b.fill) {
      return false;
    }
    const int column = program.arguments()[first + k];
    const int column_other = program.arguments()[first_other + k];
    if (column >= 0 &&
        (program.ambient_size(column) != program.ambient_size(column_other) ||
         program.tangent_size(column) != program.tangent_size(column_other))) {
      return false;
    }
  }
  return true;
}

void RowPlan::DescribeIndirectRun(int row, Run* run) const {
  const int first = program.first_argument()[row];
  const int m = run->num_residuals;
  run->num_arguments = program.first_argument()[row + 1] - first;
  run->source.assign(run->row_block_size - m, 0);
  int ambient = 0;
  for (int k = 0; k < run->num_arguments; ++k) {
    const int column = program.arguments()[first + k];
    if (column < 0) continue;
    const Cell& cell = cells[first + k];
    const int size = program.ambient_size(column);
    if (program.manifolds()[column] != nullptr) {
      run->on_manifold.push_back(k);
      if (cell.fill != Cell::Fill::kAngle) run->has_angles_only = false;
    }
    if (cell.fill != Cell::Fill::kQuaternion &&
        cell.fill != Cell::Fill::kQuaternionFirst &&
        cell.fill != Cell::Fill::kManifold) {
      for (int i = 0; i < m * size; ++i) {
        run->source[cell.position - m + i / size * cell.stride + i % size] =
            ambient + i;
      }
    }
    ambient += m * size;
  }
}

namespace {

// Whether rows of both may be in one run, but for what only their indirect
// cells tell.
bool AreAlike(const RowPlan::Run& a, const RowPlan::Run& b) {
  if (a.is_regular != b.is_regular || a.is_indirect != b.is_indirect ||
      a.shape != b.shape) {
    return false;
  }
  if (!a.is_regular && !a.is_indirect) return true;
  return a.num_residuals == b.num_residuals &&
         a.row_block_size == b.row_block_size &&
         std::equal(a.position, a.position + 2, b.position) &&
         std::equal(a.cell, a.cell + 2, b.cell);
}

}  // namespace

// Whether a row may be in one run with those before, from its first one on.
bool RowPlan::MayFollow(const Run& run, int first, int row,
                        bool has_merged_columns) const {
  // Where offsets are no lists, cells lie alike in all row blocks.
  if (structure.first_cell.is_list() || has_indirect_cells) {
    return AreAlike(RunOf(row, has_merged_columns), run) &&
           (!run.is_indirect || HaveSameCells(first, row));
  }
  const int second = program.first_argument()[row] + 1;
  return !run.is_regular ||
         run.cell[0] ==
             (program.arguments()[second] < program.num_eliminated() ? 1 : 0);
}

void RowPlan::FindRuns(bool has_merged_columns) {
  // Shorter runs are left to code for any row.
  constexpr int kMinRows = 8;
  const int num_rows = program.num_row_blocks();
  for (int row = 0; row < num_rows;) {
    Run run = RunOf(row, has_merged_columns);
    int end = row + 1;
    while (end < num_rows && MayFollow(run, row, end, has_merged_columns))
      ++end;
    if (end - row < kMinRows) run = Run();
    run.begin = row;
    if (run.is_indirect) DescribeIndirectRun(row, &run);
    run.end = end;
    const bool is_any = !run.is_regular && !run.is_indirect;
    if (!runs.empty() && is_any && !runs.back().is_regular &&
        !runs.back().is_indirect && run.shape == runs.back().shape) {
      runs.back().end = end;
    } else {
      runs.push_back(run);
    }
    row = end;
  }
}

const RowPlan::Run& RowPlan::run(int row) const {
  return *std::upper_bound(
      runs.begin(), runs.end(), row,
      [](int value, const Run& run) { return value < run.end; });
}

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
  PrefetchCostFunction(plan_.program, row + kPrefetchDistance);
  double* const out =
      residuals == nullptr ? unwanted_residuals_.data() : residuals;
  const int num_residuals = plan_.structure.row_size(row);
  const Call call = {row, out, false};
  GatherParameters(state, row);
  MarkUnwritten(out, num_residuals);
  if (!plan_.program.cost_functions()[row]->Evaluate(parameters_.data(), out,
                                                     nullptr)) {
    return Fail(call, kRefusal);
  }
  return CostOf(call, SquaredNorm(out, num_residuals), residuals, cost);
}

// The cost of a row from its residuals; these are corrected where not null.
inline bool RowEvaluator::CostOf(const Call& call, double squared_norm,
                                 double* residuals, double* cost) {
  if (!std::isfinite(squared_norm)) return OutputsAreValid(call, nullptr);
  *cost = 0.5 * squared_norm;
  if (plan_.loss(call.row) == nullptr) return true;

  double rho[3];
  if (!EvaluateLoss(call, squared_norm, rho)) return false;
  *cost = 0.5 * rho[0];
  if (residuals != nullptr) {
    LossCorrection(squared_norm, rho)
        .CorrectResiduals(plan_.structure.row_size(call.row), residuals);
  }
  return true;
}

bool RowEvaluator::EvaluateCosts(const double* state, const RowPlan::Run& run,
                                 int begin, int end, StopPoller* poller,
                                 double* residuals, double* cost) {
  const Program& program = plan_.program;
  const int* columns =
      plan_.structure.cell_column.data() + plan_.structure.first_cell[begin];
  double* out = residuals == nullptr ? unwanted_residuals_.data() : residuals;
  double sum = *cost;
  for (int row = begin; row < end; ++row, columns += 2) {
    poller->Poll();
    PrefetchCostFunction(program, row + kPrefetchDistance);
    GatherParameters(state, run, columns);
    MarkUnwritten(out, run.num_residuals);
    const Call call = {row, out, false};
    if (!program.cost_functions()[row]->Evaluate(parameters_.data(), out,
                                                 nullptr)) {
      return Fail(call, kRefusal);
    }
    double row_cost = 0.0;
    if (!CostOf(call, SquaredNorm(out, run.num_residuals),
                residuals == nullptr ? nullptr : out, &row_cost)) {
      return false;
    }
    sum += row_cost;
    if (residuals != nullptr) out += run.num_residuals;
  }
  *cost = sum;
  return true;
}

bool RowEvaluator::EvaluateRowBlock(const double* state, int row,
                                    CheckCells check, double* row_block,
                                    double* cost) {
  PrefetchCostFunction(plan_.program, row + kPrefetchDistance);
  const BlockJacobianStructure& s = plan_.structure;
  const int num_residuals = s.row_size(row);
  const std::int64_t row_block_size =
      s.row_block_offset[row + 1] - s.row_block_offset[row];
  const Call call = {row, row_block, true};
  GatherParameters(state, row);
  std::int64_t ambient_size = 0;
  bool has_direct_cells = true;
  if (plan_.has_indirect_cells) {
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
    return Fail(call, kRefusal);
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

bool RowEvaluator::EvaluateRowBlocks(const double* state,
                                     const RowPlan::Run& run, int begin,
                                     int end, StopPoller* poller,
                                     double* row_blocks, double* cost) {
  const Program& program = plan_.program;
  const int* columns =
      plan_.structure.cell_column.data() + plan_.structure.first_cell[begin];
  const std::int64_t size = std::int64_t{end - begin} * run.row_block_size;
  kernels::FillRowBlocks(size, kImpossibleValue, row_blocks);
  double* row_block = row_blocks;
  double sum = *cost;
  for (int row = begin; row < end;
       ++row, columns += 2, row_block += run.row_block_size) {
    poller->Poll();
    PrefetchCostFunction(program, row + kPrefetchDistance);
    PrefetchRowBlock(row_block + size, run.row_block_size);
    GatherParameters(state, run, columns);
    jacobians_[0] = row_block + run.position[0];
    jacobians_[1] = row_block + run.position[1];
    const Call call = {row, row_block, true};
    if (!program.cost_functions()[row]->Evaluate(parameters_.data(), row_block,
                                                 jacobians_.data())) {
      return Fail(call, kRefusal);
    }
    double row_cost = 0.0;
    if (!FinishRowBlock(call, CheckCells::kLater, row_block, &row_cost)) {
      return false;
    }
    sum += row_cost;
  }
  *cost = sum;
  return true;
}

bool RowEvaluator::IsValid(const double* state, int row, double* row_block) {
  const BlockJacobianStructure& s = plan_.structure;
  const double squared_norm = SquaredNorm(
      row_block, s.row_block_offset[row + 1] - s.row_block_offset[row]);
  if (std::isfinite(squared_norm)) return true;
  // Manifold and loss function have hidden what is wrong.
  double cost = 0.0;
  return EvaluateRowBlock(state, row, CheckCells::kNow, row_block, &cost);
}

// Of a regular row, whose cells' columns are given: these are read anyway.
inline void RowEvaluator::GatherParameters(const double* state,
                                           const RowPlan::Run& run,
                                           const int* columns) {
  const int* const offset = plan_.program.state_offset().data();
  parameters_[0] = state + offset[columns[run.cell[0]]];
  parameters_[1] = state + offset[columns[run.cell[1]]];
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
// row block: null, or the row's, in tangent coordinates.
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

bool RowEvaluator::JudgeResiduals(const double* state, int row, Outputs outputs,
                                  const double* residuals) {
  GatherParameters(state, row);
  const Call call = {row, residuals, false};
  return outputs == Outputs::kRefused ? Fail(call, kRefusal)
                                      : OutputsAreValid(call, nullptr);
}

bool RowEvaluator::JudgeRowBlock(const double* state, int row, Outputs outputs,
                                 double* row_block) {
  GatherParameters(state, row);
  plan_.PlaceJacobians(row, row_block, jacobians_.data());
  const Call call = {row, row_block, true};
  return outputs == Outputs::kRefused ? Fail(call, kRefusal)
                                      : OutputsAreValid(call, row_block);
}

}  // namespace ceres::internal
