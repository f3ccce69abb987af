// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/listed_blocks.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "ceres/logging/logging.h"

namespace ceres::internal {

std::vector<ParameterBlock*> ListedParameterBlocks(
    const ProblemImpl& problem, const std::vector<double*>& listed,
    const char* options_name) {
  if (listed.empty()) return problem.parameter_blocks();
  std::vector<ParameterBlock*> blocks;
  std::vector<bool> is_listed(problem.parameter_blocks().size(), false);
  for (const double* values : listed) {
    blocks.push_back(problem.GetParameterBlock(values));
    const int index = blocks.back()->index();
    VESTA_CHECK(!is_listed[index])
        << options_name << "::parameter_blocks lists the parameter block at "
        << values << " twice.";
    is_listed[index] = true;
  }
  return blocks;
}

std::vector<ResidualBlock*> ListedResidualBlocks(
    const ProblemImpl& problem, const std::vector<ResidualBlock*>& listed) {
  if (listed.empty()) return problem.residual_blocks();
  for (ResidualBlock* block : listed) problem.GetResidualBlock(block);
  return listed;
}

ListedColumns ListedColumns::Of(const std::vector<ParameterBlock*>& blocks,
                                bool in_tangent_space) {
  ListedColumns columns;
  for (ParameterBlock* block : blocks) {
    if (!block->IsConstant()) {
      columns.varying.push_back(block);
      columns.offset.push_back(columns.num_columns);
    }
    columns.num_columns +=
        in_tangent_space ? block->tangent_size() : block->size();
  }
  return columns;
}

std::vector<double> ListedColumns::Spread(
    const std::vector<int>& program_offset, const double* x) const {
  std::vector<double> y(num_columns, 0.0);
  for (std::size_t b = 0; b < varying.size(); ++b) {
    std::copy(x + program_offset[b], x + program_offset[b + 1],
              y.begin() + offset[b]);
  }
  return y;
}

std::vector<double> ResidualsOf(const BlockJacobian& jacobian) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::vector<double> residuals;
  residuals.reserve(s.num_rows());
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    const double* r = jacobian.row_block(row);
    residuals.insert(residuals.end(), r, r + s.row_size(row));
  }
  return residuals;
}

namespace {

void AppendCrsRows(const BlockJacobian& jacobian, const ListedColumns& columns,
                   int row, std::vector<int>* sorted_cells, CRSMatrix* crs) {
  const BlockJacobianStructure& s = *jacobian.structure;
  sorted_cells->resize(s.first_cell[row + 1] - s.first_cell[row]);
  std::iota(sorted_cells->begin(), sorted_cells->end(), s.first_cell[row]);
  std::sort(sorted_cells->begin(), sorted_cells->end(),
            [&s](int a, int b) { return s.cell_column[a] < s.cell_column[b]; });
  for (int r = 0; r < s.row_size(row); ++r) {
    for (const int cell : *sorted_cells) {
      const int size = s.column_size(s.cell_column[cell]);
      const int first_column = columns.offset[s.cell_column[cell]];
      const double* values =
          jacobian.row_block(row) + s.cell_position[cell] + r * size;
      crs->values.insert(crs->values.end(), values, values + size);
      for (int c = 0; c < size; ++c) crs->cols.push_back(first_column + c);
    }
    crs->rows.push_back(static_cast<int>(crs->cols.size()));
  }
}

}  // namespace

CRSMatrix ToCrs(const BlockJacobian& jacobian, const ListedColumns& columns) {
  const BlockJacobianStructure& s = *jacobian.structure;
  CRSMatrix crs;
  crs.num_rows = s.num_rows();
  crs.num_cols = columns.num_columns;
  crs.rows.reserve(s.num_rows() + 1);
  crs.rows.push_back(0);
  crs.cols.reserve(s.num_values() - s.num_rows());
  crs.values.reserve(s.num_values() - s.num_rows());
  std::vector<int> sorted_cells;
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    AppendCrsRows(jacobian, columns, row, &sorted_cells, &crs);
  }
  return crs;
}

}  // namespace ceres::internal
