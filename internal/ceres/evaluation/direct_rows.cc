// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/direct_rows.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/first_failure.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/types.h"

namespace ceres::internal {
namespace {

// Of rows of scalars: whether each has all columns, in their order.
bool HasFullRows(const BlockJacobianStructure& s) {
  const int num_columns = s.num_columns();
  if (s.num_values() != std::int64_t{s.num_rows()} * (num_columns + 1)) {
    return false;
  }
  int next = 0;
  for (const int column : s.cell_column) {
    if (column != next) return false;
    if (++next == num_columns) next = 0;
  }
  return true;
}

}  // namespace

DirectRows::DirectRows(const RowPlan& plan, const PlusJacobians& plus_jacobians,
                       const StopSignal* stop,
                       ExpensiveBlocks* expensive_blocks)
    : plan_(plan),
      plus_jacobians_(plus_jacobians),
      stop_(stop),
      expensive_blocks_(expensive_blocks),
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
  has_scalars_only_ = s.num_rows() == s.num_row_blocks() &&
                      s.num_columns() == s.num_column_blocks();
  has_full_rows_ = has_scalars_only_ && HasFullRows(s);
}

bool DirectRows::EvaluateCost(const double* state, double* residuals,
                              double* cost) {
  std::copy_n(state, state_.size(), state_.data());
  if (residuals == nullptr) residuals = residuals_.data();
  std::fill_n(residuals, residuals_.size(), kImpossibleValue);
  if (!CallForCost(residuals)) return false;
  const double sum = CostOf(residuals);
  if (!std::isfinite(sum) &&
      !CheckRows(static_cast<int>(rows_.size()), residuals, nullptr)) {
    return false;
  }
  *cost = sum;
  return true;
}

bool DirectRows::CallForCost(double* residuals) {
  if (expensive_blocks_ != nullptr &&
      expensive_blocks_->Watch(ExpensiveBlocks::Kind::kCost)) {
    return CallExpensive(residuals, nullptr);
  }
  double* mine = residuals;
  StopPoller poller(stop_);
  for (const Row& row : rows_) {
    poller.Poll();
    if (!row.cost_function->Evaluate(row.parameters, mine, nullptr)) {
      return Fail(&row, residuals, nullptr);
    }
    mine += row.num_residuals;
  }
  return true;
}

bool DirectRows::EvaluateRowBlocks(const double* state, double* row_blocks,
                                   double* cost, double* gradient,
                                   double* squared_column_norms) {
  std::copy_n(state, state_.size(), state_.data());
  PointJacobiansInto(row_blocks);
  std::fill_n(row_blocks, plan_.structure.num_values(), kImpossibleValue);
  if (!CallForRowBlocks(row_blocks)) return false;
  const double sum = CostOfRowBlocks(row_blocks);
  if (gradient != nullptr)
    AddToSums(row_blocks, gradient, squared_column_norms);
  const bool is_finite =
      std::isfinite(sum) &&
      JacobianSumsAreFinite(row_blocks, squared_column_norms);
  if (!is_finite &&
      !CheckRows(static_cast<int>(rows_.size()), nullptr, row_blocks)) {
    return false;
  }
  *cost = sum;
  return true;
}

bool DirectRows::CallForRowBlocks(double* row_blocks) {
  if (expensive_blocks_ != nullptr &&
      expensive_blocks_->Watch(ExpensiveBlocks::Kind::kJacobian)) {
    return CallExpensive(nullptr, row_blocks);
  }
  double* row_block = row_blocks;
  StopPoller poller(stop_);
  for (const Row& row : rows_) {
    poller.Poll();
    if (!row.cost_function->Evaluate(row.parameters, row_block,
                                     row.jacobians)) {
      return Fail(&row, nullptr, row_blocks);
    }
    row_block += row.row_block_size;
  }
  return true;
}

// Sums are formed after all calls of cost functions, across which they would
// have to stay in memory; in the order of the rows all the same.
double DirectRows::CostOf(const double* residuals) const {
  double sum = 0.0;
  for (const Row& row : rows_) {
    sum += 0.5 * SquaredNorm(residuals, row.num_residuals);
    residuals += row.num_residuals;
  }
  return sum;
}

double DirectRows::CostOfRowBlocks(const double* row_blocks) const {
  double sum = 0.0;
  for (const Row& row : rows_) {
    sum += 0.5 * SquaredNorm(row_blocks, row.num_residuals);
    row_blocks += row.row_block_size;
  }
  return sum;
}

namespace {

// The cells of one row, and what is added to.
struct Sums {
  const int* column;  // of the next cell
  double* gradient;
  double* squared_column_norms;
};

// One residual and one column in each cell.
inline void AddScalars(int num_cells, const double* row_block, Sums* sums) {
  const double residual = row_block[0];
  for (int k = 1; k <= num_cells; ++k) {
    const int column = *sums->column++;
    sums->gradient[column] += row_block[k] * residual;
    sums->squared_column_norms[column] += row_block[k] * row_block[k];
  }
}

// Cells follow each other in a row block.
void AddCells(const BlockJacobianStructure& s, int num_residuals,
              const double* row_block, int row_block_size, Sums* sums) {
  const double* cell = row_block + num_residuals;
  while (cell != row_block + row_block_size) {
    const int column = *sums->column++;
    const int offset = s.column_offset[column];
    const int size = s.column_offset[column + 1] - offset;
    AddGradientAndNorms(num_residuals, size, row_block, cell,
                        sums->gradient + offset,
                        sums->squared_column_norms + offset);
    cell += num_residuals * size;
  }
}

// Rows of one residual and kColumns cells of one column each.
template <int kColumns>
void AddFullRows(int num_rows, const double* row_block, double* gradient,
                 double* squared_column_norms) {
  double g[kColumns];
  double q[kColumns];
  std::copy_n(gradient, kColumns, g);
  std::copy_n(squared_column_norms, kColumns, q);
  for (int row = 0; row < num_rows; ++row, row_block += kColumns + 1) {
    for (int k = 0; k < kColumns; ++k) {
      g[k] += row_block[k + 1] * row_block[0];
      q[k] += row_block[k + 1] * row_block[k + 1];
    }
  }
  std::copy_n(g, kColumns, gradient);
  std::copy_n(q, kColumns, squared_column_norms);
}

}  // namespace

void DirectRows::AddToSums(const double* row_blocks, double* gradient,
                           double* squared_column_norms) const {
  const BlockJacobianStructure& s = plan_.structure;
  if (has_full_rows_) {
    switch (s.num_columns()) {
      case 1:
        return AddFullRows<1>(s.num_rows(), row_blocks, gradient,
                              squared_column_norms);
      case 2:
        return AddFullRows<2>(s.num_rows(), row_blocks, gradient,
                              squared_column_norms);
      case 3:
        return AddFullRows<3>(s.num_rows(), row_blocks, gradient,
                              squared_column_norms);
    }
  }
  Sums sums = {s.cell_column.data(), gradient, squared_column_norms};
  for (const Row& row : rows_) {
    if (has_scalars_only_) {
      AddScalars(row.row_block_size - 1, row_blocks, &sums);
    } else {
      AddCells(s, row.num_residuals, row_blocks, row.row_block_size, &sums);
    }
    row_blocks += row.row_block_size;
  }
}

// Calls all cost functions, with residuals or row blocks, the later ones by
// several threads if the first take long. False on failure.
bool DirectRows::CallExpensive(double* residuals, double* row_blocks) {
  const BlockJacobianStructure& s = plan_.structure;
  const auto call = [&](int index) {
    const Row& row = rows_[index];
    return row_blocks == nullptr
               ? row.cost_function->Evaluate(
                     row.parameters, residuals + s.row_offset[index], nullptr)
               : row.cost_function->Evaluate(
                     row.parameters, row_blocks + s.row_block_offset[index],
                     row.jacobians);
  };
  StopPoller poller(stop_);
  ExpensiveBlocks::RowChunkWatch watch(expensive_blocks_, /*row_chunk=*/0);
  const int num_rows = s.num_row_blocks();
  int row = 0;
  while (row < num_rows) {
    const int end = std::min(num_rows, row + watch.NextRows(row));
    if (end == row) break;
    for (; row < end; ++row) {
      poller.Poll();
      if (!call(row)) return Fail(&rows_[row], residuals, row_blocks);
    }
  }
  watch.Stop(row);
  if (!expensive_blocks_->HasRest()) return true;
  FirstFailure failure;
  expensive_blocks_->EvaluateRest(
      [&](int /*thread_id*/, int /*row_chunk*/, int index, double* /*cost*/) {
        if (!failure.MaySkip(index) && !call(index)) failure.Report(index, {});
      });
  return !failure.any() || Fail(&rows_[failure.index()], residuals, row_blocks);
}

void DirectRows::PointJacobiansInto(double* row_blocks) {
  if (row_blocks == row_blocks_) return;
  row_blocks_ = row_blocks;
  double* row_block = row_blocks;
  for (int row = 0; row < plan_.program.num_row_blocks(); ++row) {
    plan_.PlaceJacobians(row, row_block, rows_[row].jacobians);
    row_block += rows_[row].row_block_size;
  }
}

bool DirectRows::JacobianSumsAreFinite(
    const double* row_blocks, const double* squared_column_norms) const {
  const BlockJacobianStructure& s = plan_.structure;
  if (squared_column_norms == nullptr) {
    return std::isfinite(SquaredNorm(row_blocks, s.num_values()));
  }
  double sum = 0.0;
  for (int j = 0; j < s.num_columns(); ++j) sum += squared_column_norms[j];
  return std::isfinite(sum);
}

// Of the first rows, whose cost functions have returned true: whether what they
// wrote is valid. `residuals` of all rows, or else their row blocks.
bool DirectRows::CheckRows(int num_rows, double* residuals,
                           double* row_blocks) {
  const BlockJacobianStructure& s = plan_.structure;
  for (int row = 0; row < num_rows; ++row) {
    const double norm =
        row_blocks == nullptr
            ? SquaredNorm(residuals + s.row_offset[row], s.row_size(row))
            : SquaredNorm(
                  row_blocks + s.row_block_offset[row],
                  s.row_block_offset[row + 1] - s.row_block_offset[row]);
    if (!std::isfinite(norm) &&
        !Explain(row, RowEvaluator::Outputs::kWritten, residuals, row_blocks)) {
      return false;
    }
  }
  return true;
}

// The cost function of a row returned false. One before it may have failed
// without doing so.
bool DirectRows::Fail(const Row* row, double* residuals, double* row_blocks) {
  const int index = static_cast<int>(row - rows_.data());
  return CheckRows(index, residuals, row_blocks) &&
         Explain(index, RowEvaluator::Outputs::kRefused, residuals, row_blocks);
}

bool DirectRows::Explain(int row, RowEvaluator::Outputs outputs,
                         double* residuals, double* row_blocks) {
  const BlockJacobianStructure& s = plan_.structure;
  if (!judge_) judge_.emplace(plan_, plus_jacobians_);
  return row_blocks == nullptr
             ? judge_->JudgeResiduals(state_.data(), row, outputs,
                                      residuals + s.row_offset[row])
             : judge_->JudgeRowBlock(state_.data(), row, outputs,
                                     row_blocks + s.row_block_offset[row]);
}

}  // namespace ceres::internal
