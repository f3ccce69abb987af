// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/ordering/carried_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "ceres/solver/solver_tuning.h"

namespace ceres::internal {
namespace {

double ExpectedOperations(const CarriedOrder& kept,
                          const FactoredColumns& columns) {
  return kept.num_operations * columns.num_columns / kept.num_columns;
}

}  // namespace

FactoredColumns::FactoredColumns(const Program& program,
                                 const std::vector<int>& merged_columns)
    : program(program) {
  const int begin = program.num_eliminated();
  if (merged_columns.empty()) {
    first.resize(program.num_column_blocks() - begin + 1);
    std::iota(first.begin(), first.end(), begin);
  } else {
    // Eliminated columns are not merged.
    first.assign(merged_columns.begin() + begin, merged_columns.end());
  }
  num_columns = program.num_delta() - program.delta_offset()[begin];
}

EliminationOrder ExtendOrder(const CarriedOrder& kept,
                             const ProblemImpl& problem,
                             const FactoredColumns& columns) {
  EliminationOrder result;
  if (kept.blocks.empty()) return result;
  constexpr int kNone = -1;
  std::vector<int> block_of(problem.parameter_blocks().size(), kNone);
  for (int b = 0; b < columns.num_blocks(); ++b) {
    for (int c = columns.first[b]; c < columns.first[b + 1]; ++c) {
      block_of[columns.program.parameter_blocks()[c]->index()] = b;
    }
  }
  result.order.reserve(columns.num_blocks());
  std::vector<bool> is_placed(columns.num_blocks(), false);
  const auto place = [&](int b) {
    if (!is_placed[b]) result.order.push_back(b);
    is_placed[b] = true;
  };
  for (const ParameterBlock* parameter_block : kept.blocks) {
    const int b = block_of[parameter_block->index()];
    if (b != kNone) place(b);
  }
  for (int b = 0; b < columns.num_blocks(); ++b) place(b);
  result.is_final = kept.is_final;
  if (kept.num_operations > 0.0) {
    const double expected = ExpectedOperations(kept, columns);
    const double cost_of_order =
        kOperationsPerOrderedBlock * columns.num_blocks();
    const double tolerance =
        std::max((kMaxOperationsRatio - 1.0) * expected,
                 (cost_of_order - kept.deviation) / kFactorizationsPerSolve);
    result.min_operations = expected - tolerance;
    result.max_operations = expected + tolerance;
  }
  return result;
}

CarriedOrder OrderToKeep(const EliminationOrder& used,
                         const CarriedOrder& before,
                         const FactoredColumns& columns) {
  CarriedOrder result;
  for (const int b : used.order) {
    for (int c = columns.first[b]; c < columns.first[b + 1]; ++c) {
      result.blocks.push_back(columns.program.parameter_blocks()[c]);
    }
  }
  if (used.num_computed == 0 && before.num_operations > 0.0) {
    result.num_operations = before.num_operations;
    result.num_columns = before.num_columns;
    result.deviation =
        before.deviation +
        kFactorizationsPerSolve *
            std::abs(used.num_operations - ExpectedOperations(before, columns));
  } else {
    result.num_operations = used.num_operations;
    result.num_columns = columns.num_columns;
  }
  return result;
}

}  // namespace ceres::internal
