// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/minimizer/constrained/constraint_model.h"

#include <cmath>
#include <unordered_map>

#include "ceres/base/type_of.h"
#include "ceres/logging/logging.h"

namespace ceres::internal {

ConstraintModel::ConstraintModel(
    const Program& program, const BlockJacobianStructure& structure,
    const std::vector<ConstraintFunction*>& functions)
    : structure_(structure), is_row_(program.num_row_blocks(), false) {
  std::unordered_map<const CostFunction*, int> row_of;
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    row_of[program.cost_functions()[row]] = row;
  }
  std::int64_t num_saved = 0;
  for (ConstraintFunction* function : functions) {
    const int row = row_of.at(function);
    blocks_.push_back({function, row, size(), num_saved});
    is_row_[row] = true;
    num_saved +=
        structure.row_block_offset[row + 1] - structure.row_block_offset[row];
    lower.insert(lower.end(), function->lower().begin(),
                 function->lower().end());
    upper.insert(upper.end(), function->upper().begin(),
                 function->upper().end());
    multipliers.insert(multipliers.end(), function->multipliers().begin(),
                       function->multipliers().end());
    is_constraint.resize(lower.size(),
                         !HasType<SelectedCoordinates>(function->function()));
  }
  saved_.resize(num_saved);
  values.assign(size(), 0.0);
  penalties.assign(size(), 1.0);
  scale_.assign(size(), 1.0);
}

void ConstraintModel::Publish(
    const std::vector<double>& curvature_multipliers) {
  for (const Block& block : blocks_) {
    for (int i = 0; i < block.function->size(); ++i) {
      const int k = block.first + i;
      block.function->multipliers()[i] = multipliers[k];
      block.function->penalties()[i] = penalties[k];
      block.function->curvature_multipliers()[i] = curvature_multipliers[k];
    }
  }
}

void ConstraintModel::TakeJacobian(const BlockJacobian& jacobian) {
  num_negative_rows_ = 0;
  for (const Block& block : blocks_) {
    num_negative_rows_ += block.function->num_negative_rows();
    std::copy(jacobian.row_block(block.row),
              jacobian.row_block(block.row) +
                  (structure_.row_block_offset[block.row + 1] -
                   structure_.row_block_offset[block.row]),
              saved_.begin() + block.saved);
    std::copy(block.function->values().begin(), block.function->values().end(),
              values.begin() + block.first);
  }
  for (int i = 0; i < size(); ++i) scale_[i] = std::sqrt(penalties[i]);
}

void ConstraintModel::GetTrialValues(std::vector<double>* trial) const {
  trial->resize(size());
  for (const Block& block : blocks_) {
    std::copy(block.function->trial_values().begin(),
              block.function->trial_values().end(),
              trial->begin() + block.first);
  }
}

void ConstraintModel::WriteRows(const std::vector<Side>& sides,
                                BlockJacobian* jacobian) const {
  for (const Block& block : blocks_) {
    double* const to = jacobian->row_block(block.row);
    const double* const from = saved_.data() + block.saved;
    for (int i = 0; i < block.function->size(); ++i) {
      const int k = block.first + i;
      const bool is_active = sides[k] != kNone;
      const double scale = std::sqrt(penalties[k]);
      const double ratio = scale / scale_[k];
      to[i] =
          is_active ? scale * (Shifted(k, values) - Bound(k, sides[k])) : 0.0;
      for (int cell = structure_.first_cell[block.row];
           cell < structure_.first_cell[block.row + 1]; ++cell) {
        const int n = structure_.column_size(structure_.cell_column[cell]);
        const int begin = structure_.cell_position[cell] + i * n;
        for (int j = begin; j < begin + n; ++j) {
          to[j] = is_active ? from[j] * ratio : 0.0;
        }
      }
    }
  }
}

void ConstraintModel::MultiplyNegative(const double* step,
                                       std::vector<double>* product) const {
  product->assign(num_negative_rows_, 0.0);
  if (num_negative_rows_ == 0) return;
  int first = 0;
  for (const Block& block : blocks_) {
    const int m = block.function->size();
    const int count = block.function->num_negative_rows();
    for (int cell = structure_.first_cell[block.row];
         count > 0 && cell < structure_.first_cell[block.row + 1]; ++cell) {
      const int column = structure_.cell_column[cell];
      const int n = structure_.column_size(column);
      const double* entry = saved_.data() + block.saved +
                            structure_.cell_position[cell] +
                            static_cast<std::ptrdiff_t>(m) * n;
      for (int q = 0; q < count; ++q) {
        for (int j = 0; j < n; ++j, ++entry) {
          (*product)[first + q] +=
              *entry * step[structure_.column_offset[column] + j];
        }
      }
    }
    first += count;
  }
}

void ConstraintModel::DropNegativeRows(BlockJacobian* jacobian) {
  for (const Block& block : blocks_) {
    const int m = block.function->size();
    const int count = block.function->num_negative_rows();
    for (int cell = structure_.first_cell[block.row];
         count > 0 && cell < structure_.first_cell[block.row + 1]; ++cell) {
      const int n = structure_.column_size(structure_.cell_column[cell]);
      double* const entry = jacobian->row_block(block.row) +
                            structure_.cell_position[cell] +
                            static_cast<std::ptrdiff_t>(m) * n;
      std::fill(entry, entry + static_cast<std::ptrdiff_t>(count) * n, 0.0);
    }
  }
  num_negative_rows_ = 0;
}

void ConstraintModel::WriteNegativeResiduals(
    const std::vector<double>& residuals, BlockJacobian* jacobian) const {
  const double* next = residuals.data();
  for (const Block& block : blocks_) {
    const int count = block.function->num_negative_rows();
    std::copy(next, next + count,
              jacobian->row_block(block.row) + block.function->size());
    next += count;
  }
}

template <typename F>
void ConstraintModel::ForEachEntry(const F& f) const {
  for (const Block& block : blocks_) {
    const double* const from = saved_.data() + block.saved;
    for (int cell = structure_.first_cell[block.row];
         cell < structure_.first_cell[block.row + 1]; ++cell) {
      const int column_block = structure_.cell_column[cell];
      const int first = structure_.column_offset[column_block];
      const int n = structure_.column_size(column_block);
      const double* const entries = from + structure_.cell_position[cell];
      for (int i = 0; i < block.function->size(); ++i) {
        const int k = block.first + i;
        for (int j = 0; j < n; ++j) {
          f(k, first + j, entries[i * n + j] / scale_[k]);
        }
      }
    }
  }
}

void ConstraintModel::Multiply(const double* step,
                               std::vector<double>* product) const {
  product->assign(size(), 0.0);
  ForEachEntry([&](int i, int j, double a) { (*product)[i] += a * step[j]; });
}

void ConstraintModel::AddTransposed(const std::vector<double>& factors,
                                    double* y) const {
  ForEachEntry([&](int i, int j, double a) { y[j] += factors[i] * a; });
}

void ConstraintModel::AddSquares(const std::vector<double>& factors,
                                 double* y) const {
  ForEachEntry([&](int i, int j, double a) { y[j] += factors[i] * a * a; });
}

void ConstraintModel::MarkColumns(const std::vector<bool>& is_chosen,
                                  int num_columns,
                                  std::vector<bool>* marks) const {
  marks->assign(num_columns, false);
  ForEachEntry([&](int i, int j, double) {
    if (is_chosen[i]) (*marks)[j] = true;
  });
}

void ConstraintModel::RowNorms(const double* scale,
                               std::vector<double>* squared_norms,
                               std::vector<double>* scaled) const {
  squared_norms->assign(size(), 0.0);
  scaled->assign(size(), 0.0);
  ForEachEntry([&](int i, int j, double a) {
    (*squared_norms)[i] += a * a;
    (*scaled)[i] += a * a * scale[j];
  });
}

double ConstraintModel::Penalty(const std::vector<double>& c) const {
  double sum = 0.0;
  for (int i = 0; i < size(); ++i) {
    const double z = Shifted(i, c);
    const double t = z - Clamp(i, z);
    sum += penalties[i] * t * t;
  }
  return 0.5 * sum;
}

double ConstraintModel::Defect(const std::vector<double>& factors,
                               const std::vector<double>& c) const {
  double sum = 0.0;
  for (int i = 0; i < size(); ++i) {
    const double defect = c[i] - Clamp(i, Shifted(i, c));
    sum += factors[i] * defect * defect;
  }
  return sum;
}

double ConstraintModel::Violation(int i, const std::vector<double>& c) const {
  return std::abs(c[i] - Clamp(i, c[i]));
}

}  // namespace ceres::internal
