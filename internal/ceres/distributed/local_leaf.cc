// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/local_leaf.h"

#include <algorithm>
#include <numeric>

#include "ceres/base/format.h"

namespace ceres::internal {
namespace {

constexpr int kNoLeaf = -1;

// The leaves without blocks, in the order of BeginLeaf, and the first residual
// block of each, +1.
struct LeafBounds {
  std::vector<LocalLeaf> leaves;
  std::vector<int> first;
};

LeafBounds BoundsOf(const ProblemImpl& problem,
                    const distributed::SharedBlocks& shared, int rank) {
  const int num_residual_blocks =
      static_cast<int>(problem.residual_blocks().size());
  LeafBounds bounds;
  for (const auto& [number, first] : shared.leaves()) {
    bounds.leaves.emplace_back().number = number;
    bounds.first.push_back(std::min(first, num_residual_blocks));
  }
  if (bounds.leaves.empty()) {
    bounds.leaves.emplace_back().number = rank;
    bounds.first.push_back(0);
  }
  bounds.first.front() = 0;
  bounds.first.push_back(num_residual_blocks);
  return bounds;
}

// The variable parameter blocks that a leaf uses.
class UsedBlocks {
 public:
  UsedBlocks(const ProblemImpl& problem, std::vector<char> is_shared)
      : is_shared_(std::move(is_shared)),
        leaf_of_(problem.parameter_blocks().size(), kNoLeaf),
        num_uses_(problem.parameter_blocks().size(), 0) {}

  bool is_shared(const ParameterBlock& block) const {
    return is_shared_[block.index()] != 0;
  }
  int num_uses(const ParameterBlock& block) const {
    return num_uses_[block.index()];
  }

  // Appends blocks that leaf `k` uses for the first time. False if a private
  // block is in another leaf.
  bool Use(const ResidualBlock& residual_block, int k,
           std::vector<ParameterBlock*>* used, ParameterBlock** misplaced) {
    for (int a = 0; a < residual_block.num_parameter_blocks(); ++a) {
      ParameterBlock* block = residual_block.parameter_blocks()[a];
      if (block->IsConstant()) continue;
      int& leaf = leaf_of_[block->index()];
      if (leaf != k) {
        if (leaf != kNoLeaf && !is_shared(*block)) {
          *misplaced = block;
          return false;
        }
        leaf = k;
        num_uses_[block->index()] = 0;
        used->push_back(block);
      }
      ++num_uses_[block->index()];
    }
    return true;
  }

 private:
  const std::vector<char> is_shared_;
  std::vector<int> leaf_of_;   // the last leaf that used the block
  std::vector<int> num_uses_;  // in this leaf
};

bool HasVariableBlock(const ResidualBlock& residual_block) {
  for (int a = 0; a < residual_block.num_parameter_blocks(); ++a) {
    if (!residual_block.parameter_blocks()[a]->IsConstant()) return true;
  }
  return false;
}

// Splits the private blocks of a leaf into eliminated and promoted ones.
void ChooseEliminated(const UsedBlocks& used,
                      const std::vector<ParameterBlock*>& private_blocks,
                      std::vector<int>* place, LocalLeaf* leaf) {
  const int num_blocks = static_cast<int>(private_blocks.size());
  for (int i = 0; i < num_blocks; ++i) {
    (*place)[private_blocks[i]->index()] = i;
  }
  std::vector<std::vector<int>> neighbors(num_blocks);
  std::vector<int> of_row;
  for (const ResidualBlock* row : leaf->residual_blocks) {
    of_row.clear();
    for (int a = 0; a < row->num_parameter_blocks(); ++a) {
      const ParameterBlock& block = *row->parameter_blocks()[a];
      if (!block.IsConstant() && !used.is_shared(block)) {
        of_row.push_back((*place)[block.index()]);
      }
    }
    for (const int i : of_row) {
      for (const int j : of_row) {
        if (i != j) neighbors[i].push_back(j);
      }
    }
  }
  std::vector<int> order(num_blocks);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
    return used.num_uses(*private_blocks[i]) <
           used.num_uses(*private_blocks[j]);
  });
  std::vector<char> is_eliminated(num_blocks, 0);
  for (const int i : order) {
    is_eliminated[i] =
        std::none_of(neighbors[i].begin(), neighbors[i].end(),
                     [&](int j) { return is_eliminated[j] != 0; })
            ? 1
            : 0;
  }
  for (int i = 0; i < num_blocks; ++i) {
    (is_eliminated[i] != 0 ? leaf->eliminated : leaf->promoted)
        .push_back(private_blocks[i]);
  }
}

// Eliminates the private blocks of the lowest group.
bool EliminateLowestGroup(const ParameterBlockOrdering& ordering,
                          const UsedBlocks& used,
                          const std::vector<ParameterBlock*>& private_blocks,
                          std::vector<int>* is_eliminated, LocalLeaf* leaf,
                          std::string* error) {
  const auto fail = [error](const ParameterBlock& block, const char* what) {
    *error = Format(
        "Options::linear_solver_ordering: parameter block %d (at %p, size %d) "
        "%s.",
        block.index(), static_cast<const void*>(block.user_state()),
        block.size(), what);
    return false;
  };
  const auto group_of = [&](const ParameterBlock& block) {
    return ordering.GroupId(block.user_state());
  };
  const int lowest =
      ordering.NumGroups() == 0 ? -1 : ordering.MinNonZeroGroup();
  for (const ParameterBlock* block : leaf->shared) {
    if (group_of(*block) < 0) return fail(*block, "is in no group");
    if (group_of(*block) > lowest) continue;
    return fail(*block,
                "is shared, and in the lowest group, whose blocks are "
                "eliminated on their ranks. Put it into another group");
  }
  for (ParameterBlock* block : private_blocks) {
    const int group = group_of(*block);
    if (group < 0) return fail(*block, "is in no group");
    (*is_eliminated)[block->index()] = group == lowest ? 1 : 0;
    (group == lowest ? leaf->eliminated : leaf->promoted).push_back(block);
  }
  for (const ResidualBlock* row : leaf->residual_blocks) {
    int num_eliminated = 0;
    for (int a = 0; a < row->num_parameter_blocks(); ++a) {
      const ParameterBlock& block = *row->parameter_blocks()[a];
      if (block.IsConstant() || used.is_shared(block)) continue;
      num_eliminated += (*is_eliminated)[block.index()];
      if (num_eliminated < 2) continue;
      return fail(block,
                  "and another block of the lowest group are in one residual "
                  "block. Put one of them into another group");
    }
  }
  return true;
}

}  // namespace

bool FindLocalLeaves(const ProblemImpl& problem,
                     const distributed::SharedBlocks& shared,
                     const ParameterBlockOrdering* ordering, int rank,
                     std::vector<LocalLeaf>* leaves, std::string* error) {
  std::vector<char> is_shared(problem.parameter_blocks().size(), 0);
  for (const auto& [id, values] : shared.blocks()) {
    const ParameterBlock* block = problem.FindParameterBlock(values);
    if (block == nullptr) {
      *error = Format(
          "shared block %lld (at %p) is not in the problem. Add it by "
          "AddParameterBlock or AddResidualBlock before Solve.",
          static_cast<long long>(id), static_cast<const void*>(values));
      return false;
    }
    is_shared[block->index()] = 1;
  }

  LeafBounds bounds = BoundsOf(problem, shared, rank);
  UsedBlocks used(problem, std::move(is_shared));
  std::vector<int> place(problem.parameter_blocks().size());
  for (int k = 0; k < static_cast<int>(bounds.leaves.size()); ++k) {
    LocalLeaf& leaf = bounds.leaves[k];
    std::vector<ParameterBlock*> blocks;
    for (int i = bounds.first[k]; i < bounds.first[k + 1]; ++i) {
      ResidualBlock* row = problem.residual_blocks()[i];
      if (!HasVariableBlock(*row)) {
        leaf.fixed_residual_blocks.push_back(row);
        continue;
      }
      leaf.residual_blocks.push_back(row);
      ParameterBlock* misplaced = nullptr;
      if (!used.Use(*row, k, &blocks, &misplaced)) {
        *error = Format(
            "parameter block %d (at %p, size %d) is private, but residual "
            "blocks of leaf %d and of an earlier leaf use it. Put these "
            "residual blocks into one leaf, or add the parameter block to "
            "SharedBlocks.",
            misplaced->index(), static_cast<void*>(misplaced->user_state()),
            misplaced->size(), leaf.number);
        return false;
      }
    }
    std::sort(blocks.begin(), blocks.end(),
              [](const ParameterBlock* a, const ParameterBlock* b) {
                return a->index() < b->index();
              });
    std::vector<ParameterBlock*> private_blocks;
    for (ParameterBlock* block : blocks) {
      (used.is_shared(*block) ? leaf.shared : private_blocks).push_back(block);
    }
    if (ordering == nullptr) {
      ChooseEliminated(used, private_blocks, &place, &leaf);
    } else if (!EliminateLowestGroup(*ordering, used, private_blocks, &place,
                                     &leaf, error)) {
      return false;
    }
  }
  *leaves = std::move(bounds.leaves);
  std::stable_sort(leaves->begin(), leaves->end(),
                   [](const LocalLeaf& a, const LocalLeaf& b) {
                     return a.number < b.number;
                   });
  return true;
}

}  // namespace ceres::internal
