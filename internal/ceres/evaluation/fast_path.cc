// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/fast_path.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/row_kernels.h"
#include "ceres/types.h"

namespace ceres::internal {

FastPath::FastPath(const RowPlan& plan)
    : plan_(plan),
      state_(plan.program.num_state()),
      parameters_(plan.program.arguments().size()),
      jacobians_(plan.program.arguments().size()),
      residuals_(plan.structure.num_rows()) {
  const Program& program = plan.program;
  const BlockJacobianStructure& s = plan.structure;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    parameters_[k] = program.Values(static_cast<int>(k), state_.data());
  }
  rows_.reserve(program.num_row_blocks());
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const int first = program.first_argument()[row];
    const auto row_block_size =
        static_cast<int>(s.row_block_offset[row + 1] - s.row_block_offset[row]);
    rows_.push_back({program.cost_functions()[row], parameters_.data() + first,
                     jacobians_.data() + first, s.row_size(row),
                     row_block_size});
  }
}

void FastPath::Begin(const Evaluation& evaluation) {
  std::copy_n(evaluation.state, state_.size(), state_.data());
  if (evaluation.jacobian != nullptr) {
    PlaceJacobians(evaluation.jacobian->values.data());
  }
}

void FastPath::PlaceJacobians(double* row_blocks) {
  if (row_blocks == row_blocks_) return;
  row_blocks_ = row_blocks;
  double* row_block = row_blocks;
  for (int row = 0; row < plan_.program.num_row_blocks(); ++row) {
    plan_.PlaceJacobians(row, row_block, rows_[row].jacobians);
    row_block += rows_[row].row_block_size;
  }
}

// The memory of a row's residuals: the first doubles of its row block.
inline double* FastPath::Outputs(const Evaluation& evaluation, int row) {
  if (evaluation.jacobian != nullptr) {
    return evaluation.jacobian->row_block(row);
  }
  return (evaluation.residuals != nullptr ? evaluation.residuals
                                          : residuals_.data()) +
         plan_.structure.row_offset[row];
}

// Adds the costs of a batch. kStride: how far the residuals of a row are from
// those of the next one.
template <int FastPath::Row::*kStride>
inline double FastPath::AddCosts(const RowBatch& batch, const double* outputs,
                                 double sum) const {
  const Row* const end = rows_.data() + batch.end;
  for (const Row* row = rows_.data() + batch.begin; row != end; ++row) {
    sum += 0.5 * SquaredNorm(outputs, row->num_residuals);
    outputs += row->*kStride;
  }
  return sum;
}

EvaluationStrategy::Outcome FastPath::Evaluate(const Evaluation& evaluation,
                                               const RowBatch& batch,
                                               const Worker& worker,
                                               double* cost) {
  const Row* const refused =
      CallCostFunctions(evaluation, batch, &worker.poller);
  if (refused != nullptr) {
    // The outputs of an earlier row may be invalid.
    const int row = static_cast<int>(refused - rows_.data());
    if (ResidualsAreValid(evaluation, batch.begin, row, worker)) {
      worker.evaluator()->ExplainRefusal(evaluation.state, row,
                                         Outputs(evaluation, row),
                                         evaluation.jacobian != nullptr);
    }
    return Outcome::kFailed;
  }
  // Not in the loop of the calls, across which the sum would be kept in memory.
  const double* const outputs = Outputs(evaluation, batch.begin);
  const double sum = evaluation.jacobian != nullptr
                         ? AddCosts<&Row::row_block_size>(batch, outputs, *cost)
                         : AddCosts<&Row::num_residuals>(batch, outputs, *cost);
  if (!std::isfinite(sum) &&
      !ResidualsAreValid(evaluation, batch.begin, batch.end, worker)) {
    return Outcome::kFailed;
  }
  *cost = sum;
  return Outcome::kDone;
}

// Returns the row whose cost function returned false, or null.
const FastPath::Row* FastPath::CallCostFunctions(const Evaluation& evaluation,
                                                 const RowBatch& batch,
                                                 StopPoller* poller) {
  const BlockJacobianStructure& s = plan_.structure;
  double* outputs = Outputs(evaluation, batch.begin);
  const Row* const end = rows_.data() + batch.end;
  const Row* row = rows_.data() + batch.begin;
  if (evaluation.jacobian == nullptr) {
    std::fill_n(outputs, s.row_offset[batch.end] - s.row_offset[batch.begin],
                kImpossibleValue);
    for (; row != end; ++row) {
      poller->Poll();
      if (!row->cost_function->Evaluate(row->parameters, outputs, nullptr)) {
        return row;
      }
      outputs += row->num_residuals;
    }
    return nullptr;
  }
  std::fill_n(outputs,
              s.row_block_offset[batch.end] - s.row_block_offset[batch.begin],
              kImpossibleValue);
  for (; row != end; ++row) {
    poller->Poll();
    if (!row->cost_function->Evaluate(row->parameters, outputs,
                                      row->jacobians)) {
      return row;
    }
    outputs += row->row_block_size;
  }
  return nullptr;
}

// Whether the residuals of rows [begin, end) are valid. Their cost functions
// have returned true.
bool FastPath::ResidualsAreValid(const Evaluation& evaluation, int begin,
                                 int end, const Worker& worker) {
  for (int row = begin; row < end; ++row) {
    double* const outputs = Outputs(evaluation, row);
    const bool is_finite =
        std::isfinite(SquaredNorm(outputs, plan_.structure.row_size(row)));
    if (!is_finite &&
        !worker.evaluator()->CheckOutputs(evaluation.state, row, outputs,
                                          evaluation.jacobian != nullptr)) {
      return false;
    }
  }
  return true;
}

}  // namespace ceres::internal
