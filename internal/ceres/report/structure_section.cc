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

#include "ceres/problem/problem_impl.h"
#include "ceres/report/density_grid.h"
#include "ceres/solver/ordering/column_order.h"
#include "ceres/solver/ordering/reduced_problem.h"
#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/fill_reducing_ordering.h"
#include "ceres/sparse/independent_set.h"

namespace ceres::internal {
namespace {

// Bounds of time and memory: a pair is an entry of a matrix, counted once for
// each row that contributes to it.
constexpr double kMaxPairs = 2e8;
// Fill is counted for matrices of at most so many blocks, since the time is
// proportional to the fill.
constexpr int kMaxBlocksForFill = 20000;

// Sets of blocks; all pairs of a set are entries of a symmetric matrix.
struct Cliques {
  std::vector<int> first = {0};
  std::vector<int> members;

  int size() const { return static_cast<int>(first.size()) - 1; }
  void Finish() { first.push_back(static_cast<int>(members.size())); }
  double NumPairs() const {
    double pairs = 0.0;
    for (int i = 0; i < size(); ++i) {
      const double n = first[i + 1] - first[i];
      pairs += n * n;
    }
    return pairs;
  }
};

SymmetricGraph GraphOf(const Cliques& cliques, int num_nodes) {
  // The cliques of each node.
  std::vector<int> start(num_nodes + 1, 0);
  for (const int node : cliques.members) ++start[node + 1];
  for (int i = 0; i < num_nodes; ++i) start[i + 1] += start[i];
  std::vector<int> clique(cliques.members.size());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (int c = 0; c < cliques.size(); ++c) {
    for (int k = cliques.first[c]; k < cliques.first[c + 1]; ++k) {
      clique[next[cliques.members[k]]++] = c;
    }
  }
  SymmetricGraph graph;
  std::vector<int> last_seen(num_nodes, -1);
  for (int node = 0; node < num_nodes; ++node) {
    const std::size_t begin = graph.neighbor.size();
    last_seen[node] = node;
    for (int k = start[node]; k < start[node + 1]; ++k) {
      const int c = clique[k];
      for (int m = cliques.first[c]; m < cliques.first[c + 1]; ++m) {
        const int other = cliques.members[m];
        if (last_seen[other] == node) continue;
        last_seen[other] = node;
        graph.neighbor.push_back(other);
      }
    }
    std::sort(graph.neighbor.begin() + static_cast<std::ptrdiff_t>(begin),
              graph.neighbor.end());
    graph.start.push_back(static_cast<int>(graph.neighbor.size()));
  }
  return graph;
}

// A symmetric block matrix: J'J or S.
struct BlockMatrix {
  SymmetricGraph graph;
  std::vector<int> width;  // scalar columns of each block

  int num_blocks() const { return graph.num_nodes(); }
  int size() const {
    int size = 0;
    for (const int w : width) size += w;
    return size;
  }
  std::int64_t NumNonzeros() const {
    std::int64_t count = 0;
    for (int i = 0; i < num_blocks(); ++i) {
      count += std::int64_t{width[i]} * width[i];
      for (int k = graph.start[i]; k < graph.start[i + 1]; ++k) {
        count += std::int64_t{width[i]} * width[graph.neighbor[k]];
      }
    }
    return count;
  }
  double Density() const {
    const double n = size();
    return n > 0 ? static_cast<double>(NumNonzeros()) / (n * n) : 0.0;
  }
};

// Scalars of the Cholesky factor if blocks are eliminated in this order, or -1
// if that takes too long to count.
std::int64_t FactorNonzeros(const BlockMatrix& matrix,
                            const std::vector<int>& order) {
  if (matrix.num_blocks() > kMaxBlocksForFill) return -1;
  std::vector<int> weight;
  for (const int block : order) weight.push_back(matrix.width[block]);
  const std::vector<std::int64_t> below = ColumnCounts(
      matrix.graph, order, EliminationTree(matrix.graph, order), weight);
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
  picture.size = matrix.size();
  picture.nonzeros = matrix.NumNonzeros();
  if (fill == Fill::kCount) {
    picture.factor_nonzeros = FactorNonzeros(matrix, order);
  }
  std::vector<int> offset(matrix.num_blocks());
  int next = 0;
  for (const int block : order) {
    offset[block] = next;
    next += matrix.width[block];
  }
  DensityGrid grid(picture.size);
  for (int i = 0; i < matrix.num_blocks(); ++i) {
    grid.AddBlock(offset[i], matrix.width[i], offset[i], matrix.width[i]);
    for (int k = matrix.graph.start[i]; k < matrix.graph.start[i + 1]; ++k) {
      const int j = matrix.graph.neighbor[k];
      grid.AddBlock(offset[i], matrix.width[i], offset[j], matrix.width[j]);
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

// The fill-reducing order of blocks; empty if the ordering fails.
std::vector<int> FillReducingOrder(const BlockMatrix& matrix,
                                   LinearSolverOrderingType type,
                                   const std::vector<int>* group) {
  const std::vector<int> merged = MergeIndistinguishable(matrix.graph, group);
  int num_merged = 0;
  for (const int node : merged) num_merged = std::max(num_merged, node + 1);
  std::vector<int> merged_group;
  if (group != nullptr) {
    merged_group.resize(num_merged);
    for (std::size_t i = 0; i < merged.size(); ++i) {
      merged_group[merged[i]] = (*group)[i];
    }
  }
  std::string message;
  const std::vector<int> merged_order =
      NativeOrdering(QuotientGraph(matrix.graph, merged, num_merged), type,
                     group != nullptr ? &merged_group : nullptr, &message);
  if (!message.empty()) return {};
  std::vector<std::vector<int>> members(num_merged);
  for (std::size_t i = 0; i < merged.size(); ++i) {
    members[merged[i]].push_back(static_cast<int>(i));
  }
  std::vector<int> order;
  for (const int node : merged_order) {
    order.insert(order.end(), members[node].begin(), members[node].end());
  }
  return order;
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

// The cliques that S has after the elimination: for each eliminated column, the
// remaining columns of its rows together; for each other row, its columns.
// remaining: the number of a remaining column, -1: eliminated.
Cliques SchurCliques(const Cliques& rows, const std::vector<int>& remaining) {
  std::vector<std::vector<int>> of_eliminated(remaining.size());
  Cliques cliques;
  for (int r = 0; r < rows.size(); ++r) {
    int eliminated = -1;
    for (int k = rows.first[r]; k < rows.first[r + 1]; ++k) {
      if (remaining[rows.members[k]] < 0) eliminated = rows.members[k];
    }
    for (int k = rows.first[r]; k < rows.first[r + 1]; ++k) {
      const int column = remaining[rows.members[k]];
      if (column < 0) continue;
      if (eliminated >= 0) {
        of_eliminated[eliminated].push_back(column);
      } else {
        cliques.members.push_back(column);
      }
    }
    if (eliminated < 0) cliques.Finish();
  }
  for (std::vector<int>& columns : of_eliminated) {
    if (columns.empty()) continue;
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    cliques.members.insert(cliques.members.end(), columns.begin(),
                           columns.end());
    cliques.Finish();
  }
  return cliques;
}

class Collector {
 public:
  Collector(const Solver::Options& options, const Solver::Summary& summary,
            const ReducedProblem& reduced)
      : options_(options),
        type_(summary.linear_solver_type_used),
        reduced_(reduced) {
    const ColumnsOfRows& columns = reduced.columns_of_rows;
    rows_.first.assign(columns.first.begin(), columns.first.end());
    rows_.members.assign(columns.columns.begin(), columns.columns.end());
    for (const ParameterBlock* block : reduced.parameter_blocks) {
      normal_.width.push_back(block->tangent_size());
    }
    section_.num_column_blocks = num_columns();
    section_.num_columns = normal_.size();
  }

  StructureSection Collect(const ColumnOrder& column_order) {
    if (rows_.NumPairs() > kMaxPairs) {
      section_.note = "J'J has too many entries for a picture.";
      return section_;
    }
    normal_.graph = GraphOf(rows_, num_columns());
    section_.normal_density = normal_.Density();
    const SolveOrder order = OrderOf(column_order, reduced_);
    const bool factors_normal = type_ == SPARSE_NORMAL_CHOLESKY;
    AddPicture(Draw("J'J, order of the problem",
                    "Parameter blocks in the order in which they were added.",
                    normal_, NaturalOrder(num_columns()),
                    factors_normal ? Fill::kCount : Fill::kIgnore));
    if (factors_normal) {
      const std::vector<int>* groups =
          order.remaining_groups.empty() ? nullptr : &order.remaining_groups;
      AddOrdered("J'J", normal_, groups);
    }
    CollectSchur(order);
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
  void CollectSchur(const SolveOrder& solve_order) {
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
      for (const int column : MaximalIndependentSet(
               ColumnGraph(num_columns(), rows_.first, rows_.members))) {
        remaining[column] = -1;
      }
      for (int column = 0; column < num_columns(); ++column) {
        if (remaining[column] == 0) remaining_columns.push_back(column);
      }
    }
    BlockMatrix schur;
    for (std::size_t i = 0; i < remaining_columns.size(); ++i) {
      remaining[remaining_columns[i]] = static_cast<int>(i);
      schur.width.push_back(normal_.width[remaining_columns[i]]);
    }
    section_.num_eliminated_blocks =
        num_columns() - static_cast<int>(remaining_columns.size());
    section_.num_remaining_columns = schur.size();
    section_.num_eliminated_columns =
        section_.num_columns - section_.num_remaining_columns;
    if (!section_.eliminates) return;
    const Cliques cliques = SchurCliques(rows_, remaining);
    if (cliques.NumPairs() > kMaxPairs) {
      section_.note = "S has too many entries for a picture.";
      return;
    }
    schur.graph = GraphOf(cliques, static_cast<int>(remaining_columns.size()));
    section_.schur_density = schur.Density();
    DrawSchur(solve_order, schur);
  }

  void DrawSchur(const SolveOrder& order, const BlockMatrix& schur) {
    AddPicture(Draw("J'J, order of the elimination",
                    "The eliminated parameter blocks first: their part is "
                    "block diagonal.",
                    normal_, order.columns, Fill::kIgnore));
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
  Cliques rows_;
  BlockMatrix normal_;
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
