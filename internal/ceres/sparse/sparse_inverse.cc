// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/sparse_inverse.h"

#include <algorithm>
#include <utility>

#include "ceres/sparse/elimination_tree.h"
#include "ceres/sparse/inverse_solves.h"
#include "ceres/sparse/selected_inverse.h"
#include "ceres/sparse/sparse_tuning.h"

namespace ceres::internal {
namespace {

// A wanted block with the positions of its rows and columns in the permuted
// matrix.
struct PlacedBlock {
  InverseSolves::Range row, column;
  double* values;
};

// The inverse is symmetric, so a block or its transpose can be computed. The
// column of the request is the part that more blocks have, because blocks of
// one column share a solve. If both parts are equally frequent, the later one
// is the column: its path to the root of the elimination tree is shorter.
InverseSolves::Request ToRequest(const PlacedBlock& block,
                                 const std::vector<int>& num_wanted) {
  const int of_row = num_wanted[block.row.first];
  const int of_column = num_wanted[block.column.first];
  const bool is_transposed =
      of_row > of_column ||
      (of_row == of_column && block.row.first > block.column.first);
  if (is_transposed) return {block.row, block.column, true, block.values};
  return {block.column, block.row, false, block.values};
}

// Finds the position of a block in the fronts. Returns false if the block is
// not in the pattern of the factor.
bool FindInFront(const FrontPlan<double>& plan, const InverseSolves& solves,
                 const PlacedBlock& block, FrontBlock* result) {
  const bool is_transposed = block.column.first < block.row.first;
  InverseSolves::Range early = block.row, late = block.column;
  if (is_transposed) std::swap(early, late);
  const int s = solves.FrontOf(early.first);
  const Front& front = plan.fronts[s];
  int column = late.first - front.first_column;
  if (column >= front.width) {
    const auto begin = plan.row.begin() + front.row_begin;
    const auto end = begin + front.below;
    const auto place = std::lower_bound(begin, end, late.first);
    if (place == end || *place != late.first) return false;
    column = front.width + static_cast<int>(place - begin);
  }
  *result = {s,           early.first - front.first_column,
             column,      early.size,
             late.size,   is_transposed,
             block.values};
  return true;
}

double CostOfSolves(const std::vector<PlacedBlock>& blocks,
                    const InverseSolves& solves,
                    const std::vector<int>& num_wanted) {
  double cost = 0.0;
  std::vector<bool> is_column(num_wanted.size(), false);
  for (const PlacedBlock& block : blocks) {
    const InverseSolves::Request request = ToRequest(block, num_wanted);
    const auto cost_of = [&](const InverseSolves::Range& range) {
      return solves.Cost(solves.FrontOf(range.first), request.column.size);
    };
    if (!is_column[request.column.first]) {
      is_column[request.column.first] = true;
      cost += cost_of(request.column);
    }
    if (request.row.first != request.column.first) cost += cost_of(request.row);
  }
  return cost;
}

double CostOfSelection(const std::vector<FrontBlock>& blocks,
                       const FrontPlan<double>& plan) {
  double cost = 0.0;
  std::vector<bool> is_needed(plan.fronts.size(), false);
  for (const FrontBlock& block : blocks) {
    for (int s = block.front; s != -1 && !is_needed[s];
         s = plan.fronts[s].parent) {
      is_needed[s] = true;
      cost += SelectedInverse::Cost(plan.fronts[s]);
    }
  }
  return cost;
}

}  // namespace

void ComputeInverseBlocks(const Execution& execution,
                          const std::vector<int>& block_offset,
                          const FrontPlan<double>& plan, const double* columns,
                          InverseMethod method,
                          const std::vector<InverseBlock>& blocks) {
  const std::vector<int> place = InversePermutation(plan.permutation);
  const auto size_of = [&](int b) {
    return block_offset[b + 1] - block_offset[b];
  };
  const auto range_of = [&](int b) -> InverseSolves::Range {
    return {place[block_offset[b]], size_of(b)};
  };
  const InverseSolves solves(plan, columns);
  std::vector<int> num_wanted(plan.permutation.size(), 0);
  std::vector<PlacedBlock> in_fronts, elsewhere;
  std::vector<FrontBlock> front_blocks;
  for (const InverseBlock& block : blocks) {
    if (size_of(block.row) == 0 || size_of(block.column) == 0) continue;
    const PlacedBlock placed{range_of(block.row), range_of(block.column),
                             block.values};
    ++num_wanted[placed.row.first];
    ++num_wanted[placed.column.first];
    FrontBlock in_front;
    if (method == InverseMethod::kFewestOperations &&
        FindInFront(plan, solves, placed, &in_front)) {
      in_fronts.push_back(placed);
      front_blocks.push_back(in_front);
    } else {
      elsewhere.push_back(placed);
    }
  }
  if (sparse_tuning::kSolvesOverProducts *
          CostOfSolves(in_fronts, solves, num_wanted) <
      CostOfSelection(front_blocks, plan)) {
    elsewhere.insert(elsewhere.end(), in_fronts.begin(), in_fronts.end());
    front_blocks.clear();
  }
  if (!front_blocks.empty()) {
    SelectedInverse(plan, columns).Compute(execution, std::move(front_blocks));
  }
  if (elsewhere.empty()) return;
  std::vector<InverseSolves::Request> requests;
  requests.reserve(elsewhere.size());
  for (const PlacedBlock& block : elsewhere) {
    requests.push_back(ToRequest(block, num_wanted));
  }
  solves.Compute(execution, std::move(requests));
}

}  // namespace ceres::internal
