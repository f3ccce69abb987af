// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental/incremental_cholesky.h"

#include <algorithm>

#include "ceres/logging/logging.h"
#include "ceres/sparse/front_arithmetic.h"

namespace ceres::internal {

int IncrementalCholesky::PopOr(std::vector<int>* list, int otherwise) {
  if (list->empty()) return otherwise;
  const int last = list->back();
  list->pop_back();
  return last;
}

int IncrementalCholesky::AddBlock(int size) {
  VESTA_CHECK_GT(size, 0) << "A block has at least one scalar.";
  VESTA_CHECK(!is_prepared_) << "Blocks cannot change before Update.";
  const int id = PopOr(&free_blocks_, static_cast<int>(blocks_.size()));
  if (id == static_cast<int>(blocks_.size())) blocks_.emplace_back();
  if (size >= static_cast<int>(free_offsets_.size())) {
    free_offsets_.resize(size + 1);
  }
  Block& block = blocks_[id];
  block = Block();
  block.size = size;
  block.offset =
      PopOr(&free_offsets_[size], static_cast<int>(solution_.size()));
  if (block.offset == static_cast<int>(solution_.size())) {
    solution_.resize(solution_.size() + size);
    damping_.resize(solution_.size());
  }
  std::fill_n(solution_.begin() + block.offset, size, 0.0);
  std::fill_n(damping_.begin() + block.offset, size, 0.0);
  return id;
}

void IncrementalCholesky::RemoveBlock(int id) {
  Block& block = blocks_[id];
  VESTA_CHECK_EQ(block.num_terms, 0) << "The block still has terms.";
  VESTA_CHECK(!is_prepared_) << "Blocks cannot change before Update.";
  TouchBlock(id);
  if (block.front != kNone) num_scalars_ -= block.size;
  MarkDetermined(id, true);
  if (block.is_damped) --num_damped_;
  free_offsets_[block.size].push_back(block.offset);
  block = Block();
  free_blocks_.push_back(id);
}

int IncrementalCholesky::AddTerm(const std::vector<int>& blocks) {
  const int id = PopOr(&free_terms_, static_cast<int>(terms_.size()));
  VESTA_CHECK(!is_prepared_) << "Terms cannot change before Update.";
  if (id == static_cast<int>(terms_.size())) terms_.emplace_back();
  Term& term = terms_[id];
  term.blocks = blocks;
  term.exists = true;
  term.is_new = true;
  new_terms_.push_back(id);
  int size = 0;
  for (const int b : blocks) {
    ++blocks_[b].num_terms;
    blocks_[b].is_last = true;
    size += blocks_[b].size;
    TouchBlock(b);
  }
  term.values.resize(PackedSystemSize(size));
  return id;
}

void IncrementalCholesky::RemoveTerm(int id) {
  VESTA_CHECK(!is_prepared_) << "Terms cannot change before Update.";
  Term& term = terms_[id];
  for (const int b : term.blocks) {
    --blocks_[b].num_terms;
    TouchBlock(b);
  }
  term = Term();
  free_terms_.push_back(id);
}

int64_t IncrementalCholesky::SetDamping(int id, const double* diagonal) {
  Block& block = blocks_[id];
  num_damped_ += (diagonal != nullptr ? 1 : 0) - (block.is_damped ? 1 : 0);
  block.is_damped = diagonal != nullptr;
  for (int i = 0; i < block.size; ++i) {
    damping_[block.offset + i] = block.is_damped ? diagonal[i] : 0.0;
  }
  int64_t operations = 0;
  for (int f = block.front; f != kNone && !MustEliminate(fronts_[f]);
       f = fronts_[f].parent) {
    operations += EliminationCost(fronts_[f].width, fronts_[f].below);
    fronts_[f].is_stale = true;
    stale_fronts_.push_back(f);
  }
  return operations;
}

double IncrementalCholesky::DampingEnergy(int id) const {
  const Block& block = blocks_[id];
  double sum = 0.0;
  for (int i = block.offset; i < block.offset + block.size; ++i) {
    sum += damping_[i] * solution_[i] * solution_[i];
  }
  return 0.5 * sum;
}

int64_t IncrementalCholesky::Reserve(const std::vector<int>& terms,
                                     int64_t most) {
  const size_t num_before = stale_fronts_.size();
  int64_t operations = 0;
  for (const int t : terms) {
    int f = terms_[t].front;
    while (f != kNone && !MustEliminate(fronts_[f])) {
      operations += EliminationCost(fronts_[f].width, fronts_[f].below);
      if (operations > most) {
        for (size_t k = num_before; k < stale_fronts_.size(); ++k) {
          fronts_[stale_fronts_[k]].is_stale = false;
        }
        stale_fronts_.resize(num_before);
        return kNone;
      }
      fronts_[f].is_stale = true;
      stale_fronts_.push_back(f);
      f = fronts_[f].parent;
    }
  }
  return operations;
}

void IncrementalCholesky::ForgetPaths() {
  path_operations_.assign(fronts_.size(), kNone);
}

int64_t IncrementalCholesky::PathOperations(int term) {
  path_.clear();
  int f = terms_[term].front;
  while (f != kNone && path_operations_[f] == kNone &&
         !MustEliminate(fronts_[f])) {
    path_.push_back(f);
    f = fronts_[f].parent;
  }
  const bool is_known = f != kNone && path_operations_[f] != kNone;
  int64_t operations = is_known ? path_operations_[f] : 0;
  for (size_t k = path_.size(); k-- > 0;) {
    const DynamicFront& front = fronts_[path_[k]];
    operations += EliminationCost(front.width, front.below);
    path_operations_[path_[k]] = operations;
  }
  return operations;
}

double* IncrementalCholesky::ChangeTerm(int id) {
  Reserve({id}, kUnlimited);
  return terms_[id].values.data();
}

void IncrementalCholesky::TouchBlock(int id) {
  const int front = blocks_[id].front;
  if (front == kNone) {
    new_blocks_.push_back(id);
  } else if (!fronts_[front].is_affected) {
    fronts_[front].is_affected = true;
    touched_fronts_.push_back(front);
  }
}

void IncrementalCholesky::ResetSolution(int id) {
  std::fill_n(solution_.begin() + blocks_[id].offset, blocks_[id].size, 0.0);
}

IncrementalCholesky::Report IncrementalCholesky::Update(
    const Execution& execution, double tolerance, int64_t most_operations,
    const BlockScale& scale) {
  if (!is_prepared_) Prepare(ReorderLimits());
  const int64_t first_waiting = FirstWaitingOperations();
  Report report;
  report.num_reorder_operations = OrderMore(most_operations);
  report.num_blocks_reordered = num_blocks_reordered_;
  if (most_operations != kUnlimited) {
    most_operations +=
        first_waiting - std::max<int64_t>(0, report.num_reorder_operations);
  }
  ReplaceAffected();
  CollectEliminated();
  report.num_fronts_eliminated = static_cast<int>(eliminated_.size());
  for (const int f : eliminated_) {
    report.num_blocks_eliminated += static_cast<int>(fronts_[f].pivots.size());
  }
  scale_ = scale == nullptr ? nullptr : &scale;
  report.failed_block = EliminateFronts(execution);
  num_fronts_solved_ = 0;
  solve_operations_ = 0;
  solved_blocks_.clear();
  const bool succeeded = report.failed_block == kNone;
  if (succeeded) {
    SolveEliminated();
    SolveWaiting(tolerance, most_operations);
  }
  FinishUpdate(succeeded);
  report.num_fronts_solved = num_fronts_solved_;
  report.num_fronts_waiting = num_waiting_;
  report.num_solve_operations = solve_operations_;
  return report;
}

// Stale fronts in place, then new fronts. Ancestors have larger ranks, and new
// fronts have larger ranks than fronts in place.
void IncrementalCholesky::CollectEliminated() {
  eliminated_.clear();
  for (const int f : stale_fronts_) {
    // Otherwise the front was replaced, and its number may be used again.
    if (fronts_[f].is_stale && !fronts_[f].is_new) eliminated_.push_back(f);
  }
  std::sort(eliminated_.begin(), eliminated_.end(), [this](int a, int b) {
    return fronts_[a].first_rank < fronts_[b].first_rank;
  });
  // A number that was used again, and is stale again.
  eliminated_.erase(std::unique(eliminated_.begin(), eliminated_.end()),
                    eliminated_.end());
  for (const int f : eliminated_) {
    // Ancestors may have another order since the front was assembled.
    std::sort(
        fronts_[f].below_blocks.begin(), fronts_[f].below_blocks.end(),
        [this](int a, int b) { return blocks_[a].rank < blocks_[b].rank; });
  }
  eliminated_.insert(eliminated_.end(), new_fronts_.begin(), new_fronts_.end());
}

int IncrementalCholesky::EliminateFronts(const Execution& execution) {
  for (const int f : eliminated_) {
    energy_ -= fronts_[f].energy;
    fronts_[f].energy = 0.0;
    const int failed = EliminateFront(execution, &fronts_[f]);
    if (failed != kNone) return failed;
    energy_ += fronts_[f].energy;
  }
  return kNone;
}

int IncrementalCholesky::EliminateFront(const Execution& execution,
                                        DynamicFront* front) {
  int place = 0;
  for (const std::vector<int>* list : {&front->pivots, &front->below_blocks}) {
    for (const int b : *list) {
      blocks_[b].place = place;
      place += blocks_[b].size;
    }
  }
  diagonal_.clear();
  if (num_undetermined_ > 0 || num_damped_ > 0) CollectDamping(*front);
  const int failed = AssembleAndEliminate(execution, front);
  if (failed == kNone || scale_ == nullptr) return failed;
  return DetermineBlocks(execution, failed, front);
}

void IncrementalCholesky::CollectDamping(const DynamicFront& front) {
  for (const int b : front.pivots) {
    MarkDetermined(b, true);
    if (!blocks_[b].is_damped) continue;
    diagonal_.resize(front.width, 0.0);
    std::copy_n(damping_.begin() + blocks_[b].offset, blocks_[b].size,
                diagonal_.begin() + blocks_[b].place);
  }
}

int IncrementalCholesky::AssembleAndEliminate(const Execution& execution,
                                              DynamicFront* front) {
  assembly_.Start(front);
  for (const int child : front->children) {
    assembly_.AddChild(fronts_[child], PlacesOf(fronts_[child].below_blocks));
  }
  for (const int t : front->terms) {
    assembly_.AddPacked(terms_[t].values.data(), PlacesOf(terms_[t].blocks));
  }
  if (!diagonal_.empty()) assembly_.AddDiagonal(diagonal_.data());
  int failed = assembly_.Eliminate(execution);
  if (failed == kNoFailedPivot) return kNone;
  for (const int b : front->pivots) {
    if (failed < blocks_[b].size) return b;
    failed -= blocks_[b].size;
  }
  return front->pivots.back();
}

// Repeats the elimination with a larger diagonal on the blocks that fail, one
// after the other. Returns the block that fails nevertheless, or kNone.
int IncrementalCholesky::DetermineBlocks(const Execution& execution, int failed,
                                         DynamicFront* front) {
  // The diagonal of a block grows by this factor when the block fails again.
  constexpr double kGrowth = 1e4;
  diagonal_.resize(front->width, 0.0);
  double fraction = 0.0;
  while (failed != kNone) {
    const Block& block = blocks_[failed];
    fraction = block.is_undetermined ? fraction * kGrowth
                                     : sparse_tuning::kUndeterminedDiagonal;
    if (!(fraction <= 1.0)) return failed;
    MarkDetermined(failed, false);
    const double diagonal = fraction * (*scale_)(failed);
    for (int i = 0; i < block.size; ++i) {
      diagonal_[block.place + i] =
          std::max(diagonal_[block.place + i], diagonal);
    }
    failed = AssembleAndEliminate(execution, front);
  }
  return kNone;
}

void IncrementalCholesky::MarkDetermined(int id, bool is_determined) {
  if (blocks_[id].is_undetermined != is_determined) return;
  blocks_[id].is_undetermined = !is_determined;
  num_undetermined_ += is_determined ? -1 : 1;
}

// By scalar: the row of the front that is assembled.
const std::vector<int>& IncrementalCholesky::PlacesOf(
    const std::vector<int>& blocks) {
  places_.clear();
  for (const int b : blocks) {
    for (int i = 0; i < blocks_[b].size; ++i) {
      places_.push_back(blocks_[b].place + i);
    }
  }
  return places_;
}

void IncrementalCholesky::FinishUpdate(bool succeeded) {
  is_prepared_ = false;
  for (const int f : new_fronts_) {
    fronts_[f].is_new = false;
    if (succeeded || fronts_[f].is_affected) continue;
    fronts_[f].is_affected = true;
    touched_fronts_.push_back(f);
  }
  new_fronts_.clear();
  if (!succeeded) return;
  for (const int f : eliminated_) fronts_[f].is_stale = false;
  stale_fronts_.clear();
}

}  // namespace ceres::internal
