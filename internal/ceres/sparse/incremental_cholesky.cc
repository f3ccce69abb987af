// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/sparse/incremental_cholesky.h"

#include <algorithm>
#include <cmath>

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
  }
  std::fill_n(solution_.begin() + block.offset, size, 0.0);
  return id;
}

void IncrementalCholesky::RemoveBlock(int id) {
  Block& block = blocks_[id];
  VESTA_CHECK_EQ(block.num_terms, 0) << "The block still has terms.";
  TouchBlock(id);
  free_offsets_[block.size].push_back(block.offset);
  block = Block();
  free_blocks_.push_back(id);
}

int IncrementalCholesky::AddTerm(const std::vector<int>& blocks) {
  const int id = PopOr(&free_terms_, static_cast<int>(terms_.size()));
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
  term.values.resize(PackedSize(size));
  return id;
}

void IncrementalCholesky::RemoveTerm(int id) {
  Term& term = terms_[id];
  for (const int b : term.blocks) {
    --blocks_[b].num_terms;
    TouchBlock(b);
  }
  term = Term();
  free_terms_.push_back(id);
}

double* IncrementalCholesky::ChangeTerm(int id) {
  Term& term = terms_[id];
  if (!term.is_new) {
    for (const int b : term.blocks) TouchBlock(b);
  }
  return term.values.data();
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
    const Execution& execution, double tolerance) {
  CollectAffected();
  CollectNodes();
  CollectCliques();
  ReleaseAffected();
  ordering_.Order(graph_, &forest_);
  BuildFronts();

  Report report;
  report.num_fronts_eliminated = forest_.num_fronts();
  report.num_blocks_eliminated = graph_.num_nodes();
  report.failed_block = EliminateFronts(execution);
  num_fronts_solved_ = 0;
  solved_blocks_.clear();
  if (report.failed_block == kNone) {
    SolveNewFronts(tolerance);
  } else {
    for (const int f : new_fronts_) {
      fronts_[f].is_affected = true;
      touched_fronts_.push_back(f);
    }
  }
  report.num_fronts_solved = num_fronts_solved_;
  FinishUpdate();
  return report;
}

int IncrementalCholesky::EliminateFronts(const Execution& execution) {
  for (const int f : new_fronts_) {
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
  assembly_.Start(front);
  for (const int child : front->children) {
    assembly_.AddChild(fronts_[child], PlacesOf(fronts_[child].below_blocks));
  }
  for (const int t : front->terms) {
    assembly_.AddPacked(terms_[t].values.data(), PlacesOf(terms_[t].blocks));
  }
  int failed = assembly_.Eliminate(execution);
  if (failed == kNoFailedPivot) return kNone;
  for (const int b : front->pivots) {
    if (failed < blocks_[b].size) return b;
    failed -= blocks_[b].size;
  }
  return front->pivots.back();
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

void IncrementalCholesky::SolveNewFronts(double tolerance) {
  for (size_t k = new_fronts_.size(); k-- > 0;) {
    SolveFront(&fronts_[new_fronts_[k]]);
  }
  stack_.assign(orphans_.begin(), orphans_.end());
  while (!stack_.empty()) {
    DynamicFront& front = fronts_[stack_.back()];
    stack_.pop_back();
    if (!HasMoved(front, tolerance)) continue;
    SolveFront(&front);
    stack_.insert(stack_.end(), front.children.begin(), front.children.end());
  }
}

bool IncrementalCholesky::HasMoved(const DynamicFront& front,
                                   double tolerance) const {
  const double* used = front.used();
  for (const int b : front.below_blocks) {
    const double* const x = Solution(b);
    for (int i = 0; i < blocks_[b].size; ++i) {
      if (std::abs(x[i] - *used++) > tolerance) return true;
    }
  }
  return false;
}

void IncrementalCholesky::SolveFront(DynamicFront* front) {
  double* used = front->used();
  for (const int b : front->below_blocks) {
    used = std::copy_n(Solution(b), blocks_[b].size, used);
  }
  if (static_cast<int>(pivot_solution_.size()) < front->padded_width) {
    pivot_solution_.Resize(2 * front->padded_width);
  }
  double* const x = pivot_solution_.data();
  std::copy_n(front->forward(), front->padded_width, x);
  kernels::SolveBackward(front->width, front->below, front->columns(),
                         front->used(), x);
  const double* from = x;
  for (const int b : front->pivots) {
    std::copy_n(from, blocks_[b].size, solution_.begin() + blocks_[b].offset);
    from += blocks_[b].size;
  }
  solved_blocks_.insert(solved_blocks_.end(), front->pivots.begin(),
                        front->pivots.end());
  ++num_fronts_solved_;
}

void IncrementalCholesky::FinishUpdate() {
  for (const int b : nodes_) {
    blocks_[b].node = kNone;
    blocks_[b].is_last = false;
  }
  new_terms_.clear();
  new_blocks_.clear();
}

}  // namespace ceres::internal
