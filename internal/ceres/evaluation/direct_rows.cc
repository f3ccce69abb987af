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
                       const StopSignal* stop, CostlyRows* costly_rows)
    : plan_(plan),
      plus_jacobians_(plus_jacobians),
      stop_(stop),
      costly_rows_(costly_rows),
      state_(plan.program.num_state()),
      parameters_(plan.program.arguments.size()),
      jacobians_(plan.program.arguments.size()),
      residuals_(plan.structure.num_rows()) {
  const Program& program = plan.program;
  const BlockJacobianStructure& s = plan.structure;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    parameters_[k] = program.Values(static_cast<int>(k), state_.data());
  }
  rows_.reserve(program.num_row_blocks());
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const int first = program.first_argument[row];
    const auto record_size =
        static_cast<int>(s.record_offset[row + 1] - s.record_offset[row]);
    rows_.push_back({program.cost_functions[row], parameters_.data() + first,
                     jacobians_.data() + first, s.row_size(row), record_size});
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
  if (costly_rows_ != nullptr && costly_rows_->Watch(CostlyRows::Kind::kCost)) {
    return CallCostly(residuals, nullptr);
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

bool DirectRows::EvaluateRecords(const double* state, double* records,
                                 double* cost, double* gradient,
                                 double* squared_column_norms) {
  std::copy_n(state, state_.size(), state_.data());
  PointJacobiansInto(records);
  std::fill_n(records, plan_.structure.num_values(), kImpossibleValue);
  if (!CallForRecords(records)) return false;
  const double sum = CostOfRecords(records);
  if (gradient != nullptr) AddToSums(records, gradient, squared_column_norms);
  const bool is_finite = std::isfinite(sum) &&
                         JacobianSumsAreFinite(records, squared_column_norms);
  if (!is_finite &&
      !CheckRows(static_cast<int>(rows_.size()), nullptr, records)) {
    return false;
  }
  *cost = sum;
  return true;
}

bool DirectRows::CallForRecords(double* records) {
  if (costly_rows_ != nullptr &&
      costly_rows_->Watch(CostlyRows::Kind::kJacobian)) {
    return CallCostly(nullptr, records);
  }
  double* record = records;
  StopPoller poller(stop_);
  for (const Row& row : rows_) {
    poller.Poll();
    if (!row.cost_function->Evaluate(row.parameters, record, row.jacobians)) {
      return Fail(&row, nullptr, records);
    }
    record += row.record_size;
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

double DirectRows::CostOfRecords(const double* records) const {
  double sum = 0.0;
  for (const Row& row : rows_) {
    sum += 0.5 * SquaredNorm(records, row.num_residuals);
    records += row.record_size;
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
inline void AddScalars(int num_cells, const double* record, Sums* sums) {
  const double residual = record[0];
  for (int k = 1; k <= num_cells; ++k) {
    const int column = *sums->column++;
    sums->gradient[column] += record[k] * residual;
    sums->squared_column_norms[column] += record[k] * record[k];
  }
}

// Cells follow each other in a record.
void AddCells(const BlockJacobianStructure& s, int num_residuals,
              const double* record, int record_size, Sums* sums) {
  const double* cell = record + num_residuals;
  while (cell != record + record_size) {
    const int column = *sums->column++;
    const int offset = s.column_offset[column];
    const int size = s.column_offset[column + 1] - offset;
    AddGradientAndNorms(num_residuals, size, record, cell,
                        sums->gradient + offset,
                        sums->squared_column_norms + offset);
    cell += num_residuals * size;
  }
}

// Rows of one residual and kColumns cells of one column each.
template <int kColumns>
void AddFullRows(int num_rows, const double* record, double* gradient,
                 double* squared_column_norms) {
  double g[kColumns];
  double q[kColumns];
  std::copy_n(gradient, kColumns, g);
  std::copy_n(squared_column_norms, kColumns, q);
  for (int row = 0; row < num_rows; ++row, record += kColumns + 1) {
    for (int k = 0; k < kColumns; ++k) {
      g[k] += record[k + 1] * record[0];
      q[k] += record[k + 1] * record[k + 1];
    }
  }
  std::copy_n(g, kColumns, gradient);
  std::copy_n(q, kColumns, squared_column_norms);
}

}  // namespace

void DirectRows::AddToSums(const double* records, double* gradient,
                           double* squared_column_norms) const {
  const BlockJacobianStructure& s = plan_.structure;
  if (has_full_rows_) {
    switch (s.num_columns()) {
      case 1:
        return AddFullRows<1>(s.num_rows(), records, gradient,
                              squared_column_norms);
      case 2:
        return AddFullRows<2>(s.num_rows(), records, gradient,
                              squared_column_norms);
      case 3:
        return AddFullRows<3>(s.num_rows(), records, gradient,
                              squared_column_norms);
    }
  }
  Sums sums = {s.cell_column.data(), gradient, squared_column_norms};
  for (const Row& row : rows_) {
    if (has_scalars_only_) {
      AddScalars(row.record_size - 1, records, &sums);
    } else {
      AddCells(s, row.num_residuals, records, row.record_size, &sums);
    }
    records += row.record_size;
  }
}

// Calls all cost functions, with residuals or records, the later ones by
// several threads if the first take long. False on failure.
bool DirectRows::CallCostly(double* residuals, double* records) {
  const BlockJacobianStructure& s = plan_.structure;
  const auto call = [&](int index) {
    const Row& row = rows_[index];
    return records == nullptr
               ? row.cost_function->Evaluate(
                     row.parameters, residuals + s.row_offset[index], nullptr)
               : row.cost_function->Evaluate(row.parameters,
                                             records + s.record_offset[index],
                                             row.jacobians);
  };
  StopPoller poller(stop_);
  CostlyRows::SlabWatch watch(costly_rows_, /*slab=*/0);
  const int num_rows = s.num_row_blocks();
  int row = 0;
  while (row < num_rows) {
    const int end = std::min(num_rows, row + watch.NextRows(row));
    if (end == row) break;
    for (; row < end; ++row) {
      poller.Poll();
      if (!call(row)) return Fail(&rows_[row], residuals, records);
    }
  }
  watch.Stop(row);
  if (!costly_rows_->HasRest()) return true;
  FirstFailure failure;
  costly_rows_->EvaluateRest(
      [&](int /*thread_id*/, int /*slab*/, int index, double* /*cost*/) {
        if (!failure.MaySkip(index) && !call(index)) failure.Report(index, {});
      });
  return !failure.any() || Fail(&rows_[failure.index()], residuals, records);
}

void DirectRows::PointJacobiansInto(double* records) {
  if (records == records_) return;
  records_ = records;
  double* record = records;
  for (int row = 0; row < plan_.program.num_row_blocks(); ++row) {
    plan_.PlaceJacobians(row, record, rows_[row].jacobians);
    record += rows_[row].record_size;
  }
}

bool DirectRows::JacobianSumsAreFinite(
    const double* records, const double* squared_column_norms) const {
  const BlockJacobianStructure& s = plan_.structure;
  if (squared_column_norms == nullptr) {
    return std::isfinite(SquaredNorm(records, s.num_values()));
  }
  double sum = 0.0;
  for (int j = 0; j < s.num_columns(); ++j) sum += squared_column_norms[j];
  return std::isfinite(sum);
}

// Of the first rows, whose cost functions have returned true: whether what they
// wrote is valid. `residuals` of all rows, or else their records.
bool DirectRows::CheckRows(int num_rows, double* residuals, double* records) {
  const BlockJacobianStructure& s = plan_.structure;
  for (int row = 0; row < num_rows; ++row) {
    const double norm =
        records == nullptr
            ? SquaredNorm(residuals + s.row_offset[row], s.row_size(row))
            : SquaredNorm(records + s.record_offset[row],
                          s.record_offset[row + 1] - s.record_offset[row]);
    if (!std::isfinite(norm) &&
        !Explain(row, RowEvaluator::Outputs::kWritten, residuals, records)) {
      return false;
    }
  }
  return true;
}

// The cost function of a row returned false. One before it may have failed
// without doing so.
bool DirectRows::Fail(const Row* row, double* residuals, double* records) {
  const int index = static_cast<int>(row - rows_.data());
  return CheckRows(index, residuals, records) &&
         Explain(index, RowEvaluator::Outputs::kRefused, residuals, records);
}

bool DirectRows::Explain(int row, RowEvaluator::Outputs outputs,
                         double* residuals, double* records) {
  const BlockJacobianStructure& s = plan_.structure;
  if (!judge_) judge_.emplace(plan_, plus_jacobians_);
  return records == nullptr
             ? judge_->JudgeResiduals(state_.data(), row, outputs,
                                      residuals + s.row_offset[row])
             : judge_->JudgeRecord(state_.data(), row, outputs,
                                   records + s.record_offset[row]);
}

}  // namespace ceres::internal
