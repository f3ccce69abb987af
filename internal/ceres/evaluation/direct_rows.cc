// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/direct_rows.h"

#include <algorithm>
#include <cmath>

#include "ceres/evaluation/first_failure.h"
#include "ceres/evaluation/row_kernels.h"
#include "ceres/types.h"

namespace ceres::internal {

bool DirectRows::Suit(const RowPlan& plan) {
  if (plan.structure.num_slabs() != 1 || plan.has_indirect_cells) return false;
  const auto& losses = plan.program.loss_functions;
  return !plan.apply_loss_function ||
         std::all_of(losses.begin(), losses.end(),
                     [](const LossFunction* loss) { return loss == nullptr; });
}

DirectRows::DirectRows(const RowPlan& plan, const PlusJacobians& plus_jacobians,
                       const StopSignal* stop, CostlyRows* costly_rows)
    : plan_(plan),
      stop_(stop),
      costly_rows_(costly_rows),
      row_evaluator_(plan, plus_jacobians),
      rows_(plan.program.num_row_blocks()),
      state_(plan.program.num_state()),
      parameters_(plan.program.arguments.size()),
      jacobians_(plan.program.arguments.size()),
      residuals_(plan.structure.num_rows()) {
  const BlockJacobianStructure& s = plan.structure;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const int row = static_cast<int>(i);
    const int first = plan.program.first_argument[i];
    std::copy_n(row_evaluator_.Parameters(state_.data(), row).begin(),
                plan.program.first_argument[i + 1] - first,
                parameters_.begin() + first);
    rows_[i] = {plan.program.cost_functions[i], parameters_.data() + first,
                jacobians_.data() + first, s.row_size(row),
                static_cast<int>(s.record_offset[i + 1] - s.record_offset[i])};
  }
  has_scalars_only_ = s.num_rows() == s.num_row_blocks() &&
                      s.num_columns() == s.num_column_blocks();
}

bool DirectRows::EvaluateCost(const double* state, double* residuals,
                              double* cost) {
  std::copy_n(state, state_.size(), state_.data());
  if (residuals == nullptr) residuals = residuals_.data();
  std::fill_n(residuals, residuals_.size(), kImpossibleValue);
  if (costly_rows_ != nullptr && costly_rows_->Watch(CostlyRows::Kind::kCost)) {
    return CallAll(residuals, nullptr) &&
           AddUpCost([](const Row&, double*) { return true; }, residuals, cost);
  }
  StopPoller poller(stop_);
  return AddUpCost(
      [&poller](const Row& row, double* mine) {
        poller.Poll();
        return row.cost_function->Evaluate(row.parameters, mine, nullptr);
      },
      residuals, cost);
}

template <typename Call>
inline bool DirectRows::AddUpCost(const Call& call, double* residuals,
                                  double* cost) {
  double sum = 0.0;
  double* mine = residuals;
  for (const Row& row : rows_) {
    if (!call(row, mine)) return Fail(&row, residuals, nullptr);
    sum += 0.5 * SquaredNorm(mine, row.num_residuals);
    mine += row.num_residuals;
  }
  if (!std::isfinite(sum) &&
      !CheckRows(static_cast<int>(rows_.size()), residuals, nullptr)) {
    return false;
  }
  *cost = sum;
  return true;
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

}  // namespace

bool DirectRows::EvaluateRecords(const double* state, double* records,
                                 double* cost, double* gradient,
                                 double* squared_column_norms) {
  std::copy_n(state, state_.size(), state_.data());
  PointJacobiansInto(records);
  std::fill_n(records, plan_.structure.num_values(), kImpossibleValue);
  if (costly_rows_ != nullptr &&
      costly_rows_->Watch(CostlyRows::Kind::kJacobian)) {
    return CallAll(nullptr, records) &&
           AddUpRecords([](const Row&, double*) { return true; }, records, cost,
                        gradient, squared_column_norms);
  }
  StopPoller poller(stop_);
  return AddUpRecords(
      [&poller](const Row& row, double* record) {
        poller.Poll();
        return row.cost_function->Evaluate(row.parameters, record,
                                           row.jacobians);
      },
      records, cost, gradient, squared_column_norms);
}

template <typename Call>
inline bool DirectRows::AddUpRecords(const Call& call, double* records,
                                     double* cost, double* gradient,
                                     double* squared_column_norms) {
  const BlockJacobianStructure& s = plan_.structure;
  double sum = 0.0;
  double* record = records;
  Sums sums = {s.cell_column.data(), gradient, squared_column_norms};
  for (const Row& row : rows_) {
    if (!call(row, record)) return Fail(&row, nullptr, records);
    sum += 0.5 * SquaredNorm(record, row.num_residuals);
    if (gradient != nullptr) {
      if (has_scalars_only_) {
        AddScalars(row.record_size - 1, record, &sums);
      } else {
        AddCells(s, row.num_residuals, record, row.record_size, &sums);
      }
    }
    record += row.record_size;
  }
  const bool is_finite = std::isfinite(sum) &&
                         JacobianSumsAreFinite(records, squared_column_norms);
  if (!is_finite &&
      !CheckRows(static_cast<int>(rows_.size()), nullptr, records)) {
    return false;
  }
  *cost = sum;
  return true;
}

// Calls all cost functions, with residuals or records, the later ones by
// several threads if the first take long. False on failure.
bool DirectRows::CallAll(double* residuals, double* records) {
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
  costly_rows_->EvaluateRest([&](int /*thread_id*/, int /*slab*/, int index) {
    if (!failure.MaySkip(index) && !call(index)) failure.Report(index, {});
  });
  return !failure.any() || Fail(&rows_[failure.index()], residuals, records);
}

void DirectRows::PointJacobiansInto(double* records) {
  if (records == records_) return;
  records_ = records;
  const Program& program = plan_.program;
  double* record = records;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    const int first = program.first_argument[row];
    std::copy_n(row_evaluator_.DirectJacobians(row, record).begin(),
                program.first_argument[row + 1] - first,
                jacobians_.begin() + first);
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
  return records == nullptr
             ? row_evaluator_.JudgeResiduals(state_.data(), row, outputs,
                                             residuals + s.row_offset[row])
             : row_evaluator_.JudgeRecord(state_.data(), row, outputs,
                                          records + s.record_offset[row]);
}

}  // namespace ceres::internal
