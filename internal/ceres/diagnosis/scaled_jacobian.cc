// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/scaled_jacobian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ceres/diagnosis/wide_products.h"
#include "ceres/execution/loops.h"

namespace ceres::internal {
namespace {

using ConstCell =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic,
                                   Eigen::RowMajor>>;

bool IsZero(const double* values, int size) {
  return std::all_of(values, values + size, [](double x) { return x == 0.0; });
}

}  // namespace

// Finds the parts of a Jacobian.
class PartFinder {
 public:
  PartFinder(const Execution& execution, const BlockJacobian& jacobian,
             const std::vector<bool>* is_row_used)
      : execution_(execution),
        whole_(jacobian),
        s_(*jacobian.structure),
        is_cell_used_(s_.cell_column.size(), 0),
        parent_(s_.num_column_blocks()),
        is_block_used_(s_.num_column_blocks(), 0),
        first_block_(s_.num_row_blocks(), -1) {
    ParallelFor(execution, 0, s_.num_row_blocks(), [&](int row) {
      if (is_row_used != nullptr && !(*is_row_used)[row]) return;
      for (int c = s_.first_cell[row]; c < s_.first_cell[row + 1]; ++c) {
        is_cell_used_[c] =
            !IsZero(jacobian.row_block(row) + s_.cell_position[c],
                    s_.row_size(row) * s_.column_size(s_.cell_column[c]));
      }
    });
  }

  std::vector<std::unique_ptr<JacobianPart>> Find() {
    Connect();
    std::vector<std::unique_ptr<JacobianPart>> parts = ListBlocks();
    if (parts.size() == 1 && IsWhole()) {
      parts[0]->whole_ = &whole_;
      parts[0]->columns.resize(s_.num_columns());
      std::iota(parts[0]->columns.begin(), parts[0]->columns.end(), 0);
      parts[0]->cells_.emplace(s_);
      return parts;
    }
    ParallelFor(execution_, 0, static_cast<int>(parts.size()),
                [&](int part) { Fill(parts[part].get()); });
    return parts;
  }

 private:
  // The representative of a set of column blocks; halves the path to it.
  int Representative(int i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }

  void Connect() {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (int row = 0; row < s_.num_row_blocks(); ++row) {
      for (int c = s_.first_cell[row]; c < s_.first_cell[row + 1]; ++c) {
        if (is_cell_used_[c] == 0) continue;
        is_block_used_[s_.cell_column[c]] = 1;
        if (first_block_[row] < 0) first_block_[row] = s_.cell_column[c];
        const int a = Representative(first_block_[row]);
        const int b = Representative(s_.cell_column[c]);
        parent_[std::max(a, b)] = std::min(a, b);
      }
    }
  }

  std::vector<std::unique_ptr<JacobianPart>> ListBlocks() {
    std::vector<std::unique_ptr<JacobianPart>> parts;
    std::vector<int> part_of(s_.num_column_blocks(), -1);
    own_column_block_.assign(s_.num_column_blocks(), -1);
    for (int block = 0; block < s_.num_column_blocks(); ++block) {
      if (is_block_used_[block] == 0) continue;
      int& part = part_of[Representative(block)];
      if (part < 0) {
        part = static_cast<int>(parts.size());
        parts.push_back(std::make_unique<JacobianPart>());
      }
      part_of[block] = part;
      own_column_block_[block] =
          static_cast<int>(parts[part]->column_blocks.size());
      parts[part]->column_blocks.push_back(block);
    }
    for (int row = 0; row < s_.num_row_blocks(); ++row) {
      if (first_block_[row] < 0) continue;
      parts[part_of[first_block_[row]]]->row_blocks.push_back(row);
    }
    for (const std::unique_ptr<JacobianPart>& part : parts) {
      std::stable_partition(part->row_blocks.begin(), part->row_blocks.end(),
                            [&](int row) { return HasEliminated(row); });
    }
    return parts;
  }

  // Whether a row depends on an eliminated block of the whole.
  bool HasEliminated(int row) const {
    return row < s_.eliminated_first_row.back() &&
           is_cell_used_[s_.first_cell[row]] != 0;
  }

  bool IsWhole() const {
    const auto is_set = [](char x) { return x != 0; };
    return std::all_of(is_cell_used_.begin(), is_cell_used_.end(), is_set) &&
           std::all_of(is_block_used_.begin(), is_block_used_.end(), is_set) &&
           std::all_of(first_block_.begin(), first_block_.end(),
                       [](int block) { return block >= 0; });
  }

  void Fill(JacobianPart* part) const {
    BlockJacobianStructure& own = part->own_structure_;
    for (const int block : part->column_blocks) {
      own.column_offset.push_back(own.column_offset.back() +
                                  s_.column_size(block));
      for (int i = s_.column_offset[block]; i < s_.column_offset[block + 1];
           ++i) {
        part->columns.push_back(i);
      }
      own.num_eliminated += block < s_.num_eliminated ? 1 : 0;
    }
    own.eliminated_first_row.assign(own.num_eliminated + 1, 0);
    std::vector<int> columns;
    for (const int row : part->row_blocks) {
      columns.clear();
      for (int c = s_.first_cell[row]; c < s_.first_cell[row + 1]; ++c) {
        if (is_cell_used_[c] != 0) {
          columns.push_back(own_column_block_[s_.cell_column[c]]);
        }
      }
      AppendRowBlock(s_.row_size(row), columns, &own);
      if (HasEliminated(row)) ++own.eliminated_first_row[columns[0] + 1];
    }
    std::partial_sum(own.eliminated_first_row.begin(),
                     own.eliminated_first_row.end(),
                     own.eliminated_first_row.begin());
    CutIntoRowChunks(&own);
    part->cells_.emplace(own);
    part->own_.structure = &own;
    part->own_.values.Resize(own.num_values());
    for (std::size_t k = 0; k < part->row_blocks.size(); ++k) {
      const int row = part->row_blocks[k];
      double* to = part->own_.row_block(static_cast<int>(k));
      to = std::fill_n(to, s_.row_size(row), 0.0);
      for (int c = s_.first_cell[row]; c < s_.first_cell[row + 1]; ++c) {
        if (is_cell_used_[c] == 0) continue;
        to = std::copy_n(whole_.row_block(row) + s_.cell_position[c],
                         s_.row_size(row) * s_.column_size(s_.cell_column[c]),
                         to);
      }
    }
  }

  const Execution execution_;
  const BlockJacobian& whole_;
  const BlockJacobianStructure& s_;
  std::vector<char> is_cell_used_;
  std::vector<int> parent_;
  std::vector<char> is_block_used_;
  std::vector<int> first_block_;  // By row block: of its used cells, or -1.
  std::vector<int> own_column_block_;
};

std::vector<double> ColumnNorms(const Execution& execution,
                                const BlockJacobian& jacobian,
                                const CellsByColumn& cells) {
  const BlockJacobianStructure& s = *jacobian.structure;
  std::vector<double> norms(s.num_columns(), 0.0);
  // Squares in this range are far from overflow and underflow.
  constexpr double kSmall = 1e-280;
  constexpr double kLarge = 1e280;
  ParallelFor(execution, 0, s.num_column_blocks(), [&](int block) {
    const int n = s.column_size(block);
    const auto visit = [&](const auto& f) {
      for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
        const auto [row, cell] = cells.cells[k];
        f(ConstCell(jacobian.row_block(row) + s.cell_position[cell],
                    s.row_size(row), n));
      }
    };
    double* const result = norms.data() + s.column_offset[block];
    visit([&](const ConstCell& cell) {
      const double* x = cell.data();
      for (int i = 0; i < cell.rows(); ++i, x += n) {
        for (int k = 0; k < n; ++k) result[k] += x[k] * x[k];
      }
    });
    if (std::all_of(result, result + n, [](double square) {
          return square > kSmall && square < kLarge;
        })) {
      for (int k = 0; k < n; ++k) result[k] = std::sqrt(result[k]);
      return;
    }
    std::fill_n(result, n, 0.0);
    std::vector<double> divisor(n, 0.0);
    visit([&](const ConstCell& cell) {
      const double* x = cell.data();
      for (int i = 0; i < cell.rows(); ++i) {
        for (int k = 0; k < n; ++k, ++x) {
          divisor[k] = std::max(divisor[k], std::abs(*x));
        }
      }
    });
    for (double& d : divisor) d = d > 0.0 ? d : 1.0;
    visit([&](const ConstCell& cell) {
      const double* x = cell.data();
      for (int i = 0; i < cell.rows(); ++i) {
        for (int k = 0; k < n; ++k, ++x) {
          result[k] += (*x / divisor[k]) * (*x / divisor[k]);
        }
      }
    });
    for (int k = 0; k < n; ++k) result[k] = divisor[k] * std::sqrt(result[k]);
  });
  return norms;
}

void ZeroRoundingErrors(const CellsByColumn& cells,
                        const std::vector<double>& magnitudes,
                        BlockJacobian* jacobian, std::vector<double>* norms) {
  constexpr double kRounding = 16.0 * std::numeric_limits<double>::epsilon();
  // Columns above this, divided by the largest one, are not looked at.
  constexpr double kSmall = 1e-12;
  const BlockJacobianStructure& s = *jacobian->structure;
  const auto effect = [&](int column) {
    return (*norms)[column] * std::max(1.0, magnitudes[column]);
  };
  double largest = 0.0;
  for (int column = 0; column < s.num_columns(); ++column) {
    largest = std::max(largest, effect(column));
  }
  // The size of the terms of a residual.
  const auto terms = [&](int row, int i) {
    double size = std::abs(jacobian->row_block(row)[i]);
    VisitCells(*jacobian, row, [&](int block, const auto& cell) {
      for (int j = 0; j < s.column_size(block); ++j) {
        size = std::max(size, std::abs(cell(i, j)) *
                                  magnitudes[s.column_offset[block] + j]);
      }
    });
    return size;
  };
  for (int block = 0; block < s.num_column_blocks(); ++block) {
    const int n = s.column_size(block);
    for (int j = 0; j < n; ++j) {
      const int column = s.column_offset[block] + j;
      if (!((*norms)[column] > 0.0 && effect(column) < kSmall * largest)) {
        continue;
      }
      const double unit = std::max(1.0, magnitudes[column]);
      bool is_rounding = true;
      for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
        const auto [row, cell] = cells.cells[k];
        const double* const a =
            jacobian->row_block(row) + s.cell_position[cell];
        for (int i = 0; i < s.row_size(row) && is_rounding; ++i) {
          is_rounding =
              std::abs(a[i * n + j]) * unit <= kRounding * terms(row, i);
        }
      }
      if (!is_rounding) continue;
      (*norms)[column] = 0.0;
      for (int k = cells.first[block]; k < cells.first[block + 1]; ++k) {
        const auto [row, cell] = cells.cells[k];
        double* const a = jacobian->row_block(row) + s.cell_position[cell];
        for (int i = 0; i < s.row_size(row); ++i) a[i * n + j] = 0.0;
      }
    }
  }
}

void ScaleColumns(const Execution& execution,
                  const std::vector<double>& column_norms,
                  BlockJacobian* jacobian) {
  const BlockJacobianStructure& s = *jacobian->structure;
  std::vector<double> divisors = column_norms;
  for (double& divisor : divisors) divisor = divisor > 0.0 ? divisor : 1.0;
  ParallelFor(execution, 0, s.num_row_blocks(), [&](int row) {
    double* const values = jacobian->row_block(row);
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int column = s.cell_column[c];
      const int n = s.column_size(column);
      const double* const own = divisors.data() + s.column_offset[column];
      double* cell = values + s.cell_position[c];
      for (int i = 0; i < s.row_size(row); ++i, cell += n) {
        for (int k = 0; k < n; ++k) cell[k] /= own[k];
      }
    }
  });
}

RowMajorMatrix Multiply(const Execution& execution,
                        const BlockJacobian& jacobian,
                        const RowMajorMatrix& v) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const auto k = static_cast<int>(v.cols());
  RowMajorMatrix w = RowMajorMatrix::Zero(s.num_rows(), k);
  WithConstantWidth(k, [&](auto width) {
    ParallelFor(execution, 0, s.num_row_blocks(), [&](int row) {
      const double* const values = jacobian.row_block(row);
      const int num_rows = s.row_size(row);
      double* const to = w.data() + std::int64_t{s.row_offset[row]} * k;
      const int end = s.first_cell[row + 1];
      for (int c = s.first_cell[row]; c < end; ++c) {
        const int column = s.cell_column[c];
        const int n = s.column_size(column);
        AddProduct<width>(values + s.cell_position[c], num_rows, n,
                          v.data() + std::int64_t{s.column_offset[column]} * k,
                          k, to);
      }
    });
  });
  return w;
}

RowMajorMatrix TransposeMultiply(const Execution& execution,
                                 const BlockJacobian& jacobian,
                                 const CellsByColumn& cells,
                                 const RowMajorMatrix& w) {
  const BlockJacobianStructure& s = *jacobian.structure;
  const auto k = static_cast<int>(w.cols());
  RowMajorMatrix x = RowMajorMatrix::Zero(s.num_columns(), k);
  WithConstantWidth(k, [&](auto width) {
    ParallelFor(execution, 0, s.num_column_blocks(), [&](int block) {
      const int n = s.column_size(block);
      double* const to = x.data() + std::int64_t{s.column_offset[block]} * k;
      for (int place = cells.first[block]; place < cells.first[block + 1];
           ++place) {
        const auto [row, cell] = cells.cells[place];
        AddTransposedProduct<width>(
            jacobian.row_block(row) + s.cell_position[cell], s.row_size(row), n,
            w.data() + std::int64_t{s.row_offset[row]} * k, k, to);
      }
    });
  });
  return x;
}

std::vector<std::unique_ptr<JacobianPart>> FindParts(
    const Execution& execution, const BlockJacobian& jacobian,
    const std::vector<bool>* is_row_used) {
  return PartFinder(execution, jacobian, is_row_used).Find();
}

}  // namespace ceres::internal
