// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/scaled_jacobian.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

using ConstCell =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                   Eigen::RowMajor>>;

// The representative of a set; halves the path to it.
int Find(std::vector<int>* parent, int i) {
  while ((*parent)[i] != i) {
    (*parent)[i] = (*parent)[(*parent)[i]];
    i = (*parent)[i];
  }
  return i;
}

// By row block: the cells with entries other than zero.
bool IsUsed(const double* values, int size) {
  return std::any_of(values, values + size, [](double x) { return x != 0.0; });
}

// Fills structure and jacobian of a part.
void FillPart(const BlockJacobian& whole, const std::vector<char>& is_cell_used,
              const std::vector<int>& own_column_block, JacobianPart* part) {
  const BlockJacobianStructure& s = *whole.structure;
  BlockJacobianStructure& own = part->structure;
  for (const int block : part->column_blocks) {
    own.column_offset.push_back(own.column_offset.back() +
                                s.column_size(block));
    for (int i = s.column_offset[block]; i < s.column_offset[block + 1]; ++i) {
      part->columns.push_back(i);
    }
  }
  std::vector<int> columns;
  for (const int row : part->row_blocks) {
    columns.clear();
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      if (is_cell_used[c])
        columns.push_back(own_column_block[s.cell_column[c]]);
    }
    AppendRowBlock(s.row_size(row), columns, &own);
  }
  CutIntoRowChunks(&own);
  part->jacobian.structure = &own;
  part->jacobian.values.Resize(own.num_values());
  for (std::size_t k = 0; k < part->row_blocks.size(); ++k) {
    const int row = part->row_blocks[k];
    double* to = part->jacobian.row_block(static_cast<int>(k));
    to = std::fill_n(to, s.row_size(row), 0.0);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      if (!is_cell_used[c]) continue;
      to = std::copy_n(whole.row_block(row) + s.cell_position[c],
                       s.row_size(row) * s.column_size(s.cell_column[c]), to);
    }
  }
}

}  // namespace

std::vector<double> ColumnNorms(const Execution& execution,
                                const BlockJacobian& jacobian,
                                const CellsByColumn& cells) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::vector<double> norms(s.num_columns(), 0.0);
  ParallelFor(execution, 0, s.num_column_blocks(), [&](int block) {
    const int n = s.column_size(block);
    const auto visit = [&](const auto& f) {
      for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
        const auto [row, cell] = cells.cells[k];
        f(ConstCell(jacobian.row_block(row) + s.cell_position[cell],
                    s.row_size(row), n));
      }
    };
    Eigen::ArrayXd largest = Eigen::ArrayXd::Zero(n);
    visit([&](const ConstCell& cell) {
      largest =
          largest.max(cell.cwiseAbs().colwise().maxCoeff().transpose().array());
    });
    const Eigen::ArrayXd divisor = (largest > 0.0).select(largest, 1.0);
    Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(n);
    visit([&](const ConstCell& cell) {
      for (int i = 0; i < cell.rows(); ++i) {
        sum += (cell.row(i).transpose().array() / divisor).square();
      }
    });
    Eigen::Map<Eigen::ArrayXd>(norms.data() + s.column_offset[block], n) =
        largest * sum.sqrt();
  });
  return norms;
}

void ScaleColumns(const Execution& execution,
                  const std::vector<double>& column_norms,
                  BlockJacobian* jacobian) {
  const BlockJacobianStructure& s = *jacobian->structure;
  ParallelFor(execution, 0, s.num_row_blocks(), [&](int row) {
    double* const values = jacobian->row_block(row);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int column = s.cell_column[c];
      const int n = s.column_size(column);
      const double* const norms = column_norms.data() + s.column_offset[column];
      double* const cell = values + s.cell_position[c];
      for (int k = 0; k < s.row_size(row) * n; ++k) {
        if (norms[k % n] > 0.0) cell[k] /= norms[k % n];
      }
    }
  });
}

std::vector<std::unique_ptr<JacobianPart>> FindParts(
    const Execution& execution, const BlockJacobian& jacobian,
    const std::vector<bool>* is_row_used) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::vector<char> is_cell_used(s.cell_column.size(), 0);
  ParallelFor(execution, 0, s.num_row_blocks(), [&](int row) {
    if (is_row_used != nullptr && !(*is_row_used)[row]) return;
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      is_cell_used[c] =
          IsUsed(jacobian.row_block(row) + s.cell_position[c],
                 s.row_size(row) * s.column_size(s.cell_column[c]));
    }
  });
  std::vector<int> parent(s.num_column_blocks());
  std::iota(parent.begin(), parent.end(), 0);
  std::vector<char> is_block_used(s.num_column_blocks(), 0);
  std::vector<int> first_block(s.num_row_blocks(), -1);
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      if (!is_cell_used[c]) continue;
      is_block_used[s.cell_column[c]] = 1;
      if (first_block[row] < 0) first_block[row] = s.cell_column[c];
      const int a = Find(&parent, first_block[row]);
      const int b = Find(&parent, s.cell_column[c]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::unique_ptr<JacobianPart>> parts;
  std::vector<int> part_of(s.num_column_blocks(), -1);
  std::vector<int> own_column_block(s.num_column_blocks(), -1);
  for (int block = 0; block < s.num_column_blocks(); ++block) {
    if (!is_block_used[block]) continue;
    int& part = part_of[Find(&parent, block)];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.push_back(std::make_unique<JacobianPart>());
    }
    part_of[block] = part;
    own_column_block[block] =
        static_cast<int>(parts[part]->column_blocks.size());
    parts[part]->column_blocks.push_back(block);
  }
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (first_block[row] < 0) continue;
    parts[part_of[first_block[row]]]->row_blocks.push_back(row);
  }
  ParallelFor(execution, 0, static_cast<int>(parts.size()), [&](int part) {
    FillPart(jacobian, is_cell_used, own_column_block, parts[part].get());
  });
  return parts;
}

}  // namespace ceres::internal
