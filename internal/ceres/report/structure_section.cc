// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/structure_section.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ceres/linear/block_jacobian.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/report/density_grid.h"
#include "ceres/solver/ordering/column_order.h"
#include "ceres/solver/ordering/reduced_problem.h"
#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/front_planning.h"
#include "ceres/sparse/independent_set.h"
#include "ceres/sparse/normal_pattern.h"

namespace ceres::internal {
namespace {

// Bounds of time and memory: a pair is an entry of a matrix, counted once for
// each row that contributes to it.
constexpr double kMaxPairs = 2e8;
// Fill is counted only for matrices of at most this number of blocks, because
// the time is proportional to the fill.
constexpr int kMaxBlocksForFill = 20000;

// The pairs of columns that rows have, counted once for each row.
double NumPairs(const BlockJacobianStructure& rows) {
  double pairs = 0.0;
  for (int row = 0; row < rows.num_row_blocks(); ++row) {
    const double n = rows.first_cell[row + 1] - rows.first_cell[row];
    pairs += n * n;
  }
  return pairs;
}

void AddColumnBlock(int width, BlockJacobianStructure* rows) {
  rows->column_offset.push_back(rows->num_columns() + width);
}

// A symmetric block matrix: J'J or S.
class BlockMatrix {
 public:
  // The matrix has the pattern of R'R, where R has these rows.
  explicit BlockMatrix(const BlockJacobianStructure& rows)
      : pattern_(NormalPattern(rows)) {}

  const BlockSymmetricStructure& pattern() const { return pattern_; }
  int num_blocks() const { return pattern_.num_blocks(); }
  int width(int block) const {
    return pattern_.block_offset[block + 1] - pattern_.block_offset[block];
  }
  std::int64_t NumNonzeros() const {
    std::int64_t count = 2 * pattern_.num_values();
    for (int i = 0; i < num_blocks(); ++i) {
      count -= std::int64_t{width(i)} * width(i);
    }
    return count;
  }
  double Density() const {
    const double n = pattern_.size();
    return n > 0 ? static_cast<double>(NumNonzeros()) / (n * n) : 0.0;
  }

 private:
  BlockSymmetricStructure pattern_;
};

// Scalars of the Cholesky factor if blocks are eliminated in this order, or -1
// if that takes too long to count.
std::int64_t FactorNonzeros(const BlockMatrix& matrix,
                            const std::vector<int>& order) {
  if (matrix.num_blocks() > kMaxBlocksForFill) return -1;
  std::vector<int> weight;
  for (const int block : order) weight.push_back(matrix.width(block));
  const SymmetricGraph graph = GraphOfBlocks(matrix.pattern());
  const std::vector<std::int64_t> below =
      ColumnCounts(graph, order, EliminationTree(graph, order), weight);
  std::int64_t count = 0;
  for (std::size_t k = 0; k < below.size(); ++k) {
    const std::int64_t w = weight[k];
    count += w * (w + 1) / 2 + w * below[k];
  }
  return count;
}

enum class Fill { kCount, kIgnore };

StructurePicture Draw(std::string title, std::string caption,
                      const BlockMatrix& matrix, const std::vector<int>& order,
                      Fill fill) {
  StructurePicture picture;
  picture.title = std::move(title);
  picture.caption = std::move(caption);
  picture.num_blocks = matrix.num_blocks();
  picture.size = matrix.pattern().size();
  picture.nonzeros = matrix.NumNonzeros();
  if (fill == Fill::kCount) {
    picture.factor_nonzeros = FactorNonzeros(matrix, order);
  }
  std::vector<int> offset(matrix.num_blocks());
  int next = 0;
  for (const int block : order) {
    offset[block] = next;
    next += matrix.width(block);
  }
  DensityGrid grid(picture.size);
  const auto add_block = [&](int i, int j) {
    grid.AddBlock(offset[i], matrix.width(i), offset[j], matrix.width(j));
  };
  const BlockSymmetricStructure& pattern = matrix.pattern();
  for (int i = 0; i < matrix.num_blocks(); ++i) {
    for (int e = pattern.first_entry[i]; e < pattern.first_entry[i + 1]; ++e) {
      const int j = pattern.entry_column[e];
      add_block(i, j);
      if (j != i) add_block(j, i);
    }
  }
  picture.grid_size = grid.grid_size();
  picture.cells = grid.Digits();
  return picture;
}

std::vector<int> NaturalOrder(int n) {
  std::vector<int> order(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  return order;
}

bool FactorsSparse(LinearSolverType type) {
  return type == SPARSE_NORMAL_CHOLESKY || type == SPARSE_SCHUR;
}

// The order of blocks in a native factorization; empty if the ordering fails.
std::vector<int> FillReducingOrder(const BlockMatrix& matrix,
                                   LinearSolverOrderingType type,
                                   const std::vector<int>* group) {
  EliminationOrder used;
  std::string error;
  static_cast<void>(PlanFronts<double>(type, matrix.pattern(), group,
                                       FrontEntries::kNone, &used, &error));
  return used.order;
}

// The order of the solve, as places in the list of the reduced problem.
struct SolveOrder {
  std::vector<int> columns;
  int num_eliminated = 0;
  std::vector<int> remaining_groups;
};

SolveOrder OrderOf(const ColumnOrder& order, const ReducedProblem& reduced) {
  std::unordered_map<const ParameterBlock*, int> place;
  for (std::size_t i = 0; i < reduced.parameter_blocks.size(); ++i) {
    place.emplace(reduced.parameter_blocks[i], static_cast<int>(i));
  }
  SolveOrder result;
  for (const ParameterBlock* block : order.parameter_blocks) {
    result.columns.push_back(place.at(block));
  }
  result.num_eliminated = order.num_eliminated;
  result.remaining_groups = order.remaining_groups;
  return result;
}

// Rows whose R'R has the pattern of S: for each eliminated column, the
// remaining columns of its rows together; for each other row, its columns.
// remaining: the number of a remaining column, -1: eliminated. Before, *schur
// has the columns.
void AddSchurRows(const BlockJacobianStructure& rows,
                  const std::vector<int>& remaining,
                  BlockJacobianStructure* schur) {
  std::vector<std::vector<int>> of_eliminated(remaining.size());
  std::vector<int> columns;
  for (int r = 0; r < rows.num_row_blocks(); ++r) {
    int eliminated = -1;
    columns.clear();
    for (int c = rows.first_cell[r]; c < rows.first_cell[r + 1]; ++c) {
      const int column = rows.cell_column[c];
      if (remaining[column] < 0) {
        eliminated = column;
      } else {
        columns.push_back(remaining[column]);
      }
    }
    if (eliminated < 0) {
      AppendRowBlock(/*num_residuals=*/1, columns, schur);
    } else {
      of_eliminated[eliminated].insert(of_eliminated[eliminated].end(),
                                       columns.begin(), columns.end());
    }
  }
  for (std::vector<int>& of_one : of_eliminated) {
    std::sort(of_one.begin(), of_one.end());
    of_one.erase(std::unique(of_one.begin(), of_one.end()), of_one.end());
    AppendRowBlock(/*num_residuals=*/1, of_one, schur);
  }
}

class Collector {
 public:
  Collector(const Solver::Options& options, const Solver::Summary& summary,
            const ReducedProblem& reduced)
      : options_(options),
        type_(summary.linear_solver_type_used),
        reduced_(reduced) {
    for (const ParameterBlock* block : reduced.parameter_blocks) {
      AddColumnBlock(block->tangent_size(), &rows_);
    }
    const ColumnsOfRows& columns = reduced.columns_of_rows;
    for (std::size_t row = 0; row + 1 < columns.first.size(); ++row) {
      AppendRowBlock(/*num_residuals=*/1,
                     {columns.columns.begin() + columns.first[row],
                      columns.columns.begin() + columns.first[row + 1]},
                     &rows_);
    }
    section_.num_column_blocks = num_columns();
    section_.num_columns = rows_.num_columns();
  }

  StructureSection Collect(const ColumnOrder& column_order) {
    if (NumPairs(rows_) > kMaxPairs) {
      section_.note = "J'J has too many entries for a picture.";
      return section_;
    }
    const BlockMatrix normal(rows_);
    section_.normal_density = normal.Density();
    const SolveOrder order = OrderOf(column_order, reduced_);
    const bool factors_normal = type_ == SPARSE_NORMAL_CHOLESKY;
    AddPicture(Draw("J'J, order of the problem",
                    "Parameter blocks in the order in which they were added.",
                    normal, NaturalOrder(num_columns()),
                    factors_normal ? Fill::kCount : Fill::kIgnore));
    if (factors_normal) {
      const std::vector<int>* groups =
          order.remaining_groups.empty() ? nullptr : &order.remaining_groups;
      AddOrdered("J'J", normal, groups);
    }
    CollectSchur(order, normal);
    return section_;
  }

 private:
  int num_columns() const {
    return static_cast<int>(reduced_.parameter_blocks.size());
  }
  void AddPicture(StructurePicture picture) {
    section_.pictures.push_back(std::move(picture));
  }
  void AddOrdered(const std::string& name, const BlockMatrix& matrix,
                  const std::vector<int>* groups) {
    const std::vector<int> order =
        FillReducingOrder(matrix, options_.linear_solver_ordering_type, groups);
    if (order.empty()) return;
    AddPicture(Draw(name + ", order of the factorization",
                    std::string("Fill-reducing ordering ") +
                        LinearSolverOrderingTypeToString(
                            options_.linear_solver_ordering_type) +
                        ".",
                    matrix, order, Fill::kCount));
  }

  // S of the solve, or, if the solve eliminates nothing, the sizes of S after
  // the elimination of a maximal independent set.
  void CollectSchur(const SolveOrder& solve_order, const BlockMatrix& normal) {
    section_.eliminates = solve_order.num_eliminated > 0;
    std::vector<int> remaining_columns;
    std::vector<int> remaining(num_columns(), 0);
    if (section_.eliminates) {
      for (int k = 0; k < solve_order.num_eliminated; ++k) {
        remaining[solve_order.columns[k]] = -1;
      }
      remaining_columns.assign(
          solve_order.columns.begin() + solve_order.num_eliminated,
          solve_order.columns.end());
    } else {
      const ColumnsOfRows& columns = reduced_.columns_of_rows;
      for (const int column : MaximalIndependentSet(
               ColumnGraph(num_columns(), columns.first, columns.columns))) {
        remaining[column] = -1;
      }
      for (int column = 0; column < num_columns(); ++column) {
        if (remaining[column] == 0) remaining_columns.push_back(column);
      }
    }
    BlockJacobianStructure schur;
    for (std::size_t i = 0; i < remaining_columns.size(); ++i) {
      remaining[remaining_columns[i]] = static_cast<int>(i);
      AddColumnBlock(rows_.column_size(remaining_columns[i]), &schur);
    }
    section_.num_eliminated_blocks =
        num_columns() - static_cast<int>(remaining_columns.size());
    section_.num_remaining_columns = schur.num_columns();
    section_.num_eliminated_columns =
        section_.num_columns - section_.num_remaining_columns;
    if (!section_.eliminates) return;
    AddSchurRows(rows_, remaining, &schur);
    if (NumPairs(schur) > kMaxPairs) {
      section_.note = "S has too many entries for a picture.";
      return;
    }
    DrawSchur(solve_order, normal, BlockMatrix(schur));
  }

  void DrawSchur(const SolveOrder& order, const BlockMatrix& normal,
                 const BlockMatrix& schur) {
    section_.schur_density = schur.Density();
    AddPicture(Draw("J'J, order of the elimination",
                    "The eliminated parameter blocks first: their part is "
                    "block diagonal.",
                    normal, order.columns, Fill::kIgnore));
    if (schur.num_blocks() == 0) return;
    const bool is_factored = FactorsSparse(type_);
    AddPicture(Draw("S, order of the problem",
                    "The Schur complement: what is left after the elimination.",
                    schur, NaturalOrder(schur.num_blocks()),
                    is_factored ? Fill::kCount : Fill::kIgnore));
    if (is_factored) {
      AddOrdered(
          "S", schur,
          order.remaining_groups.empty() ? nullptr : &order.remaining_groups);
    }
  }

  const Solver::Options& options_;
  const LinearSolverType type_;
  const ReducedProblem& reduced_;
  BlockJacobianStructure rows_;
  StructureSection section_;
};

}  // namespace

StructureSection CollectStructure(const Solver::Options& options,
                                  const Solver::Summary& summary,
                                  Problem* problem) {
  StructureSection section;
  const ProblemImpl& impl = *problem->mutable_impl();
  const ReducedProblem reduced = ReduceProblem(impl, Execution());
  if (reduced.parameter_blocks.empty()) {
    section.note = "No parameter block varies.";
    return section;
  }
  const LinearSolverType type = summary.minimizer_type == LINE_SEARCH
                                    ? CGNR
                                    : summary.linear_solver_type_used;
  std::string error;
  const std::optional<ColumnOrder> order =
      OrderColumns(Execution(), impl, reduced, type,
                   options.linear_solver_ordering.get(), &error);
  if (!order.has_value()) {
    section.note = error;
    return section;
  }
  return Collector(options, summary, reduced).Collect(*order);
}

}  // namespace ceres::internal
