// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linearization.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ceres/base/number.h"
#include "ceres/linear/column_sums.h"
#include "ceres/linearization/linearization_data.h"
#include "ceres/logging/logging.h"
#include "ceres/normal/normal_equations.h"
#include "ceres/problem/size_limits.h"

namespace ceres {
namespace {

using internal::BlockJacobianStructure;
using internal::BlockSymmetricStructure;
using internal::LinearizationData;

// A stored block of J'J as block row `row` reads it.
struct BlockOfRow {
  int column;
  const double* values;
  bool is_transposed;  // the stored block is that of the other triangle
};

// The blocks of all block rows, both triangles, columns ascending.
std::vector<std::vector<BlockOfRow>> BlocksByRow(
    const BlockSymmetricStructure& pattern, const double* values) {
  std::vector<std::vector<BlockOfRow>> rows(pattern.num_blocks());
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    for (int k = pattern.first_entry[i]; k < pattern.first_entry[i + 1]; ++k) {
      const int j = pattern.entry_column[k];
      const double* block = values + pattern.value_offset[k];
      if (i != j) rows[j].push_back({i, block, true});
    }
  }
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    for (int k = pattern.first_entry[i]; k < pattern.first_entry[i + 1]; ++k) {
      rows[i].push_back(
          {pattern.entry_column[k], values + pattern.value_offset[k], false});
    }
  }
  return rows;
}

// Appends row r of a block row.
void AppendRow(const LinearizationData& data,
               const std::vector<BlockOfRow>& blocks, int r, int num_rows,
               CRSMatrix* matrix) {
  for (const BlockOfRow& block : blocks) {
    const int size = data.structure().column_size(block.column);
    for (int c = 0; c < size; ++c) {
      matrix->cols.push_back(data.columns.offset[block.column] + c);
      matrix->values.push_back(block.is_transposed
                                   ? block.values[c * num_rows + r]
                                   : block.values[r * size + c]);
    }
  }
  matrix->rows.back() = static_cast<int>(matrix->cols.size());
}

CRSMatrix ToCrs(const LinearizationData& data,
                const BlockSymmetricStructure& pattern, const double* values) {
  CRSMatrix matrix;
  matrix.num_rows = matrix.num_cols = data.columns.num_columns;
  matrix.rows.assign(1, 0);
  const std::vector<std::vector<BlockOfRow>> blocks =
      BlocksByRow(pattern, values);
  std::size_t next = 0;  // among the varying blocks
  for (int b = 0; b < static_cast<int>(data.column_blocks.size()); ++b) {
    const bool varies =
        next < data.column_block_of.size() && data.column_block_of[next] == b;
    const int size = data.column_blocks[b].num_columns;
    for (int r = 0; r < size; ++r) {
      matrix.rows.push_back(matrix.rows.back());
      if (varies) AppendRow(data, blocks[next], r, size, &matrix);
    }
    if (varies) ++next;
  }
  return matrix;
}

Vector ToVector(const std::vector<double>& values) {
  return ConstVectorRef(values.data(), values.size());
}

}  // namespace

Linearization::Linearization() = default;
Linearization::Linearization(Linearization&&) noexcept = default;
Linearization& Linearization::operator=(Linearization&&) noexcept = default;
Linearization::~Linearization() = default;

int Linearization::num_rows() const {
  return data_ == nullptr ? 0 : data_->structure().num_rows();
}

int Linearization::num_columns() const {
  return data_ == nullptr ? 0 : data_->columns.num_columns;
}

int Linearization::num_residual_blocks() const {
  return data_ == nullptr ? 0 : static_cast<int>(data_->residual_blocks.size());
}

double Linearization::cost() const {
  return data_ == nullptr ? 0.0 : data_->cost;
}

const std::vector<Linearization::ColumnBlock>& Linearization::column_blocks()
    const {
  static const std::vector<ColumnBlock> none;
  return data_ == nullptr ? none : data_->column_blocks;
}

ResidualBlockId Linearization::residual_block(int i) const {
  VESTA_CHECK(i >= 0 && i < num_residual_blocks())
      << "A linearization of "
      << internal::CountOf(num_residual_blocks(), "residual block")
      << " has no residual block " << i << ".";
  return data_->residual_blocks[i];
}

int Linearization::first_row(int i) const {
  residual_block(i);
  return data_->structure().row_offset[data_->row_block_of[i]];
}

ConstVectorRef Linearization::residuals(int i) const {
  residual_block(i);
  const int row = data_->row_block_of[i];
  if (data_->row_block_of[i + 1] == row) return ConstVectorRef(nullptr, 0);
  return ConstVectorRef(data_->jacobian.row_block(row),
                        data_->structure().row_size(row));
}

int Linearization::num_cells(int i) const {
  residual_block(i);
  const BlockJacobianStructure& s = data_->structure();
  const int row = data_->row_block_of[i];
  return s.first_cell[data_->row_block_of[i + 1]] - s.first_cell[row];
}

Linearization::Cell Linearization::cell(int i, int k) const {
  VESTA_CHECK(k >= 0 && k < num_cells(i))
      << "Residual block " << i << " of a linearization has "
      << internal::CountOf(num_cells(i), "cell") << ", but not cell " << k
      << ".";
  const BlockJacobianStructure& s = data_->structure();
  const int row = data_->row_block_of[i];
  const int cell = s.first_cell[row] + k;
  const int column = s.cell_column[cell];
  return {data_->column_block_of[column],
          ConstMatrixRef(data_->jacobian.row_block(row) + s.cell_position[cell],
                         s.row_size(row), s.column_size(column))};
}

Vector Linearization::Residuals() const {
  if (data_ == nullptr) return Vector();
  return ToVector(internal::ResidualsOf(data_->jacobian));
}

CRSMatrix Linearization::Jacobian() const {
  if (data_ == nullptr) return CRSMatrix();
  const std::string error = internal::CrsSizeError(
      internal::JacobianSizes::Of(data_->residual_blocks));
  VESTA_CHECK(error.empty()) << "Linearization::Jacobian: " << error;
  return internal::ToCrs(data_->jacobian, data_->columns);
}

Vector Linearization::Gradient() const {
  return TransposeMultiply(Residuals());
}

Linearization::Normal Linearization::NormalEquations() const {
  Normal normal;
  normal.gradient = Gradient();
  if (data_ == nullptr) return normal;
  const BlockJacobianStructure& s = data_->structure();
  if (s.num_column_blocks() == 0) {
    normal.matrix = ToCrs(*data_, BlockSymmetricStructure(), nullptr);
    return normal;
  }
  internal::NormalEquations equations(data_->execution, s);
  std::vector<double> values(equations.pattern().num_values());
  std::vector<double> negative_gradient(s.num_columns());
  equations.Assemble(data_->jacobian, /*damping=*/nullptr, values.data(),
                     negative_gradient.data());
  normal.matrix = ToCrs(*data_, equations.pattern(), values.data());
  return normal;
}

Vector Linearization::Multiply(const Vector& x) const {
  VESTA_CHECK_EQ(static_cast<int>(x.size()), num_columns())
      << "Linearization::Multiply needs one value for each column.";
  if (data_ == nullptr) return Vector();
  const BlockJacobianStructure& s = data_->structure();
  std::vector<double> varying(s.num_columns());
  for (int b = 0; b < s.num_column_blocks(); ++b) {
    std::copy_n(x.data() + data_->columns.offset[b], s.column_size(b),
                varying.data() + s.column_offset[b]);
  }
  Vector y(num_rows());
  internal::Multiply(data_->execution, data_->jacobian, varying.data(),
                     y.data());
  return y;
}

Vector Linearization::TransposeMultiply(const Vector& y) const {
  VESTA_CHECK_EQ(static_cast<int>(y.size()), num_rows())
      << "Linearization::TransposeMultiply needs one value for each row.";
  if (data_ == nullptr) return Vector();
  const BlockJacobianStructure& s = data_->structure();
  std::vector<double> varying(s.num_columns());
  internal::TransposeMultiply(data_->execution, data_->jacobian,
                              data_->evaluator->column_sum_plan(), y.data(),
                              varying.data());
  return ToVector(data_->columns.Spread(s.column_offset, varying.data()));
}

bool Problem::Linearize(const LinearizationOptions& options,
                        const std::vector<ResidualBlockId>& residual_blocks,
                        Linearization* linearization) {
  VESTA_CHECK(linearization != nullptr)
      << "Problem::Linearize needs an output; null was given.";
  std::string message;
  std::unique_ptr<LinearizationData> data = internal::LinearizeProblem(
      options, residual_blocks, impl_.get(), &message);
  if (data == nullptr) {
    VESTA_LOG(kWarning) << "Problem::Linearize failed. " << message;
    return false;
  }
  linearization->data_ = std::move(data);
  return true;
}

}  // namespace ceres
