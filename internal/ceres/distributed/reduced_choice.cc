// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/reduced_choice.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "ceres/base/format.h"
#include "ceres/solver/linear_solver_factory.h"

namespace ceres::internal {
namespace {

using distributed::ReducedSolver;

constexpr double kGigabyte = 1e9;

void SortAndMerge(std::vector<std::int64_t>* keys) {
  std::sort(keys->begin(), keys->end());
  keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
}

// Appends the pairs of column blocks that are in one list, as numbers.
void AddPairs(std::vector<int>* numbers, std::vector<std::int64_t>* keys) {
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    for (std::size_t j = i; j < numbers->size(); ++j) {
      keys->push_back((std::int64_t{(*numbers)[i]} << 32) | (*numbers)[j]);
    }
  }
}

// Merges keys when their number has doubled, so that keys need little more
// memory than the different ones.
class KeySet {
 public:
  std::vector<std::int64_t>& keys() { return keys_; }
  void MergeIfLarge() {
    if (keys_.size() > 2 * merged_ + kSlack) Merge();
  }
  void Merge() {
    SortAndMerge(&keys_);
    merged_ = keys_.size();
  }

 private:
  static constexpr std::size_t kSlack = 1 << 20;
  std::vector<std::int64_t> keys_;
  std::size_t merged_ = 0;
};

// The blocks of a leaf's part of S: two column blocks are neighbors if a
// residual block has both, or if both share residual blocks with one eliminated
// block.
void AddPairsOfLeaf(
    const LocalLeaf& leaf,
    const std::unordered_map<const ParameterBlock*, int>& number_of,
    KeySet* blocks) {
  // By eliminated block. Rows without one come under null.
  std::unordered_map<const ParameterBlock*, std::vector<int>> of_eliminated;
  std::vector<int> of_row;
  for (const ResidualBlock* row : leaf.residual_blocks) {
    of_row.clear();
    const ParameterBlock* eliminated = nullptr;
    for (int a = 0; a < row->num_parameter_blocks(); ++a) {
      const ParameterBlock* block = row->parameter_blocks()[a];
      if (block->IsConstant()) continue;
      const auto found = number_of.find(block);
      if (found == number_of.end()) {
        eliminated = block;
      } else {
        of_row.push_back(found->second);
      }
    }
    if (eliminated == nullptr) {
      AddPairs(&of_row, &blocks->keys());
      blocks->MergeIfLarge();
    } else {
      std::vector<int>& list = of_eliminated[eliminated];
      list.insert(list.end(), of_row.begin(), of_row.end());
    }
  }
  for (auto& [block, numbers] : of_eliminated) {
    AddPairs(&numbers, &blocks->keys());
    blocks->MergeIfLarge();
  }
}

int RowOf(std::int64_t key) { return static_cast<int>(key >> 32); }
int ColumnOf(std::int64_t key) { return static_cast<int>(key & 0xffffffff); }

// Sends each key to the rank that counts its row: row i is counted by rank
// i modulo n. Collective.
std::vector<std::int64_t> SendToCounters(
    RankGroup* ranks, const std::vector<std::int64_t>& keys) {
  const int num_ranks = ranks->size();
  std::vector<std::int64_t> send_first(num_ranks + 1, 0);
  for (const std::int64_t key : keys) ++send_first[RowOf(key) % num_ranks + 1];
  std::partial_sum(send_first.begin(), send_first.end(), send_first.begin());
  std::vector<std::int64_t> next(send_first.begin(), send_first.end() - 1);
  std::vector<std::int64_t> send(keys.size());
  for (const std::int64_t key : keys) {
    send[next[RowOf(key) % num_ranks]++] = key;
  }
  // The lengths of all lists, by sender and receiver.
  const std::vector<std::int64_t> all_first =
      ranks->GatherLists(Phase::kSetup, send_first);
  std::vector<std::int64_t> receive_first = {0};
  for (int r = 0; r < num_ranks; ++r) {
    const std::int64_t* of_rank = all_first.data() + r * (num_ranks + 1);
    receive_first.push_back(receive_first.back() + of_rank[ranks->rank() + 1] -
                            of_rank[ranks->rank()]);
  }
  std::vector<std::int64_t> received(receive_first.back());
  ranks->Exchange(Phase::kSetup, send.data(), send_first, received.data(),
                  receive_first);
  return received;
}

}  // namespace

std::int64_t CountReducedValues(RankGroup* ranks, const SharedLayout& layout,
                                const std::vector<LocalLeaf>& leaves) {
  std::unordered_map<const ParameterBlock*, int> number_of;
  for (std::size_t i = 0; i < layout.local_blocks.size(); ++i) {
    number_of[layout.local_blocks[i]] = layout.local_numbers[i];
  }
  KeySet blocks;
  for (const LocalLeaf& leaf : leaves) AddPairsOfLeaf(leaf, number_of, &blocks);
  blocks.Merge();
  std::vector<std::int64_t> keys = SendToCounters(ranks, blocks.keys());
  // The diagonal of blocks that no leaf uses.
  for (int i = ranks->rank(); i < layout.num_blocks(); i += ranks->size()) {
    keys.push_back((std::int64_t{i} << 32) | i);
  }
  SortAndMerge(&keys);
  const auto width = [&](int block) {
    return std::int64_t{layout.block_offset[block + 1]} -
           layout.block_offset[block];
  };
  std::int64_t mine = 0;
  for (const std::int64_t key : keys) {
    mine += width(RowOf(key)) * width(ColumnOf(key));
  }
  const std::vector<std::int64_t> counts = ranks->Gather(Phase::kSetup, mine);
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

ReducedChoice ChooseBeforeLeaves(const distributed::Options& options,
                                 RankGroup* ranks, const SharedLayout& layout,
                                 const std::vector<LocalLeaf>& leaves) {
  if (options.reduced_solver != ReducedSolver::AUTOMATIC) {
    return {options.reduced_solver, "reduced_solver asks for it"};
  }
  if (options.linear_solver_type == ITERATIVE_SCHUR) {
    return {ReducedSolver::REPLICATED_CG,
            "linear_solver_type is ITERATIVE_SCHUR"};
  }
  if (options.linear_solver_type == SPARSE_SCHUR &&
      options.use_mixed_precision_solves) {
    return {ReducedSolver::GATHERED, "use_mixed_precision_solves needs it"};
  }
  const double limit = kGigabyte * options.max_reduced_matrix_gigabytes;
  const double size = layout.size();
  // The upper triangle of a dense matrix bounds the pattern.
  if (options.linear_solver_type != SPARSE_SCHUR ||
      4.0 * size * (size + 1.0) <= limit * ranks->size()) {
    return {};
  }
  const double bytes =
      8.0 * static_cast<double>(CountReducedValues(ranks, layout, leaves));
  if (bytes <= limit * ranks->size()) return {};
  return {
      distributed::HasPetsc() ? ReducedSolver::PETSC_CG_SHELL
                              : ReducedSolver::REPLICATED_CG,
      Format("the matrix would have %.3g GB, more than "
             "max_reduced_matrix_gigabytes = %g times the number of ranks, %d",
             bytes / kGigabyte, options.max_reduced_matrix_gigabytes,
             ranks->size())};
}

SchurSolverOptions LeafOptions(const distributed::Options& options,
                               const ReducedChoice& choice) {
  SchurSolverOptions leaf =
      ChooseLinearMethod(options, /*has_eliminated=*/true).system;
  if (choice.is_implicit()) {
    if (options.linear_solver_type == SPARSE_SCHUR) {
      leaf.preconditioner = SCHUR_JACOBI;
      leaf.max_iterations = kMaxExactIterations;
    }
    leaf.method = SchurSolverOptions::Method::kIterative;
  } else if (leaf.method == SchurSolverOptions::Method::kIterative) {
    leaf.method = SchurSolverOptions::Method::kSparse;
  }
  return leaf;
}

}  // namespace ceres::internal
