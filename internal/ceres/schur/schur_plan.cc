// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_plan.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "ceres/execution/loops.h"

namespace ceres::internal {

using kernels::PanelBlockSize;
using kernels::PointDiagonal;
using kernels::SchurShape;

SchurPlan::SchurPlan(const Execution& execution,
                     const BlockJacobianStructure& structure,
                     ReducedMatrix matrix, PointDiagonal diagonal,
                     SchurFormation formation, SchurPlaces places)
    : structure_(structure), matrix_(matrix), diagonal_(diagonal) {
  FindSizes();
  FindPointSlots(execution);
  AddRowCliques();
  CutIntoStretches();
  GroupRowChunks(execution);
  ChooseFormation(execution, formation);
  FindRuns();
  LayOutEntries();
  SumProducts(execution);
  if (places == SchurPlaces::kNotInBatches && AllIsInBatches()) {
    cell_slot_ = PagedVector<int>();
    slot_offset_ = std::vector<int>();
  } else {
    FillDestinations(execution);
    PlaceU();
  }
  FindTerms();
  FindPattern();
}

void SchurPlan::CutIntoStretches() {
  std::vector<int> boundaries = structure_.row_chunk_first_row;
  if (boundaries.size() < 2) boundaries = {0, structure_.num_row_blocks()};
  const std::vector<int>& point_row = structure_.eliminated_first_row;
  const int first_other = point_row.back();
  const int num_row_chunks = static_cast<int>(boundaries.size()) - 1;
  int point = 0;
  for (int s = 0; s < num_row_chunks; ++s) {
    Stretch row_chunk;
    row_chunk.point_begin = point;
    while (point < num_points() &&
           (s + 1 == num_row_chunks || point_row[point] < boundaries[s + 1])) {
      ++point;
    }
    row_chunk.point_end = point;
    row_chunk.row_begin = std::max(boundaries[s], first_other);
    row_chunk.row_end = std::max(boundaries[s + 1], first_other);
    row_chunks_.push_back(row_chunk);
  }
}

bool SchurPlan::HasPairs(int clique) const {
  return clique >= num_points() || matrix_ == ReducedMatrix::kSchurComplement;
}

int SchurPlan::EntrySize(int row, int column) const {
  const int rows = width(row);
  if (row != column) return PanelBlockSize(rows, width(column));
  return kernels::DiagonalSecondPosition(rows) +
         (diagonal_ == PointDiagonal::kSplit ? PanelBlockSize(rows, rows) : 0);
}

// Points first.
std::vector<int> SchurPlan::CliquesOf(const Stretch& stretch) const {
  std::vector<int> cliques;
  for (int p = stretch.point_begin; p < stretch.point_end; ++p) {
    cliques.push_back(p);
  }
  if (!row_clique_.empty()) {
    const auto add_rows = [&](int begin, int end) {
      for (int row = begin; row < end; ++row) {
        if (row_clique_[row] >= 0) cliques.push_back(row_clique_[row]);
      }
    };
    add_rows(structure_.eliminated_first_row[stretch.point_begin],
             structure_.eliminated_first_row[stretch.point_end]);
    add_rows(stretch.row_begin, stretch.row_end);
  }
  return cliques;
}

// Lists, for each remaining block, the cliques of the stretch that it is in.
SchurPlan::Incidence SchurPlan::FindIncidence(const Stretch& stretch) const {
  const std::vector<int> cliques = CliquesOf(stretch);
  Incidence incidence;
  incidence.first.assign(num_remaining_blocks() + 2, 0);
  int* count = incidence.first.data() + 2;
  for (const int q : cliques) {
    for (int slot = first_slot_[q]; slot < first_slot_[q + 1]; ++slot) {
      ++count[slot_column_[slot] - num_points()];
    }
  }
  for (size_t i = 2; i < incidence.first.size(); ++i) {
    incidence.first[i] += incidence.first[i - 1];
  }
  incidence.clique.resize(incidence.first.back());
  incidence.slot.resize(incidence.first.back());
  int* next = incidence.first.data() + 1;
  for (const int q : cliques) {
    for (int slot = first_slot_[q]; slot < first_slot_[q + 1]; ++slot) {
      const int place = next[slot_column_[slot] - num_points()]++;
      incidence.clique[place] = q;
      incidence.slot[place] = slot;
    }
  }
  return incidence;
}

void SchurPlan::ChooseFormation(const Execution& execution,
                                SchurFormation formation) {
  if (matrix_ != ReducedMatrix::kSchurComplement ||
      formation == SchurFormation::kCopies ||
      (formation == SchurFormation::kByCounting &&
       num_groups() >= std::min(kFewGroups, num_row_chunks()))) {
    return;
  }
  while (num_groups() > 1) MergeGroups(execution);
  row_begin_.push_back(0);
}

// The terms of every block row, points before rows that touch none, in order.
void SchurPlan::FindTerms() {
  if (!owner_computes()) return;
  std::vector<int> slot_row(slot_column_.size(), -1);
  for (int p = 0; p < num_points(); ++p) {
    if (shape_[p] == SchurShape::kDynamic) continue;
    for (int row = structure_.eliminated_first_row[p];
         row < structure_.eliminated_first_row[p + 1]; ++row) {
      slot_row[first_slot_[p] + cell_slot_[structure_.first_cell[row] + 1]] =
          row;
    }
  }
  for (size_t row = 0; row < row_clique_.size(); ++row) {
    const int q = row_clique_[row];
    if (q < 0) continue;
    std::fill(slot_row.begin() + first_slot_[q],
              slot_row.begin() + first_slot_[q + 1], static_cast<int>(row));
  }
  const Incidence incidence = FindIncidence(groups_.front());
  first_term_.assign(incidence.first.begin(), incidence.first.end() - 1);
  gather_cost_.push_back(0);
  for (int i = 0; i < num_remaining_blocks(); ++i) {
    int64_t cost = 1;
    for (int k = incidence.first[i]; k < incidence.first[i + 1]; ++k) {
      const int q = incidence.clique[k];
      const int slot = incidence.slot[k];
      const bool is_point = q < num_points();
      kernels::SchurTerm term = {};
      term.shape = is_point ? shape_[q] : SchurShape::kDynamic;
      term.point = is_point ? q : -1;
      term.row = slot_row[slot];
      term.slot = slot;
      term.num_slots = first_slot_[q + 1] - slot;
      term.destination =
          first_destination_[q] +
          kernels::DiagonalIndex(true, slot - first_slot_[q],
                                 first_slot_[q + 1] - first_slot_[q]);
      if (is_point) {
        term.u = u_offset_[q] +
                 int64_t{structure_.column_size(q)} * slot_offset_[slot];
      }
      terms_.push_back(term);
      cost += 1 + term.num_slots;
    }
    gather_cost_.push_back(gather_cost_.back() + cost);
  }
  row_begin_.assign(num_remaining_blocks() + 1, copies_size());
  for (auto entry = group_entries_[0].rbegin();
       entry != group_entries_[0].rend(); ++entry) {
    row_begin_[entry->row] = int64_t{entry->line} * kernels::kPanelWidth;
  }
  for (int i = num_remaining_blocks() - 1; i >= 0; --i) {
    row_begin_[i] = std::min(row_begin_[i], row_begin_[i + 1]);
  }
}

void SchurPlan::PlaceU() {
  // A stretch of U of its own for each group (or row chunk, where these run in
  // parallel), with slack behind it: no one reads, in the last lanes of a
  // vector, what another one writes.
  for (const Stretch& stretch : owner_computes() ? row_chunks_ : groups_) {
    for (int p = stretch.point_begin; p < stretch.point_end; ++p) {
      int width_of_slots = 0;
      if (num_slots(p) > 0) {
        const int last = first_slot_[p + 1] - 1;
        width_of_slots =
            slot_offset_[last] + structure_.column_size(slot_column_[last]);
      }
      const int64_t size = int64_t{structure_.column_size(p)} * width_of_slots;
      max_u_size_ = std::max(max_u_size_, size);
      u_offset_.push_back(u_offset_.back() + size);
    }
    u_offset_.back() += kernels::kPanelWidth;
  }
}

// Sorts the products of regular points.
void SchurPlan::SumProducts(const Execution& execution) {
  group_sums_.resize(num_groups());
  if (matrix_ != ReducedMatrix::kSchurComplement ||
      diagonal_ != PointDiagonal::kFused || owner_computes()) {
    return;
  }
  std::vector<std::unique_ptr<SchurSumsBuilder>> builders(
      std::max(1, execution.num_threads));
  ParallelFor(execution, 0, num_groups(), [&](int thread_id, int g) {
    std::unique_ptr<SchurSumsBuilder>& mine = builders[thread_id];
    if (mine == nullptr) {
      mine = std::make_unique<SchurSumsBuilder>(num_remaining_blocks(),
                                                num_points());
    }
    SumProductsOfGroup(g, mine.get());
  });
  for (const SchurSums& sums : group_sums_) {
    max_batch_u_size_ = std::max(max_batch_u_size_, sums.max_u_size());
  }
}

void SchurPlan::SumProductsOfGroup(int g, SchurSumsBuilder* builder) {
  int64_t num_products = 0;
  for (int p = groups_[g].point_begin; p < groups_[g].point_end; ++p) {
    if (shape_[p] == SchurShape::kDynamic) continue;
    const int64_t k = num_slots(p);
    num_products += k * (k + 1) / 2;
  }
  builder->Begin(num_products);
  for (const Entry& entry : group_entries_[g]) {
    builder->AddBlock(entry.row, entry.column, entry.line);
  }
  const kernels::SchurView view = View();
  for (int k = groups_[g].first_run; k < groups_[g].end_run; ++k) {
    Run& run = runs_[k];
    if (run.shape == SchurShape::kDynamic) continue;
    run.batches = builder->Append(view, run.shape, run.begin, run.end);
  }
  group_sums_[g] = builder->Finish();
}

bool SchurPlan::AllIsInBatches() const {
  if (owner_computes() || !row_clique_.empty()) return false;
  for (const Stretch& group : groups_) {
    for (int k = group.first_run; k < group.end_run; ++k) {
      const SchurSums::Range& batches = runs_[k].batches;
      if (batches.first_batch == batches.end_batch) return false;
    }
  }
  return true;
}

void SchurPlan::FindPattern() {
  pattern_.block_offset = {0};
  std::vector<size_t> next(num_groups(), 0);
  std::vector<std::pair<int, int64_t>> contributions;  // column, source
  for (int i = 0; i < num_remaining_blocks(); ++i) {
    pattern_.block_offset.push_back(pattern_.size() + width(i));
    contributions.clear();
    for (int g = 0; g < num_groups(); ++g) {
      const std::vector<Entry>& entries = group_entries_[g];
      for (; next[g] < entries.size() && entries[next[g]].row == i; ++next[g]) {
        contributions.emplace_back(
            entries[next[g]].column,
            copy_begin_[g] +
                int64_t{entries[next[g]].line} * kernels::kPanelWidth);
      }
    }
    std::stable_sort(
        contributions.begin(), contributions.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto close_entry = [&](int column) {
      pattern_.entry_column.push_back(column);
      pattern_.value_offset.push_back(pattern_.value_offset.back() +
                                      int64_t{width(i)} * width(column));
      first_source_.push_back(static_cast<int64_t>(sources_.size()));
    };
    // The diagonal block is there even where nothing touches it.
    if (contributions.empty() || contributions.front().first != i) {
      close_entry(i);
    }
    for (size_t k = 0; k < contributions.size(); ++k) {
      sources_.push_back(contributions[k].second);
      if (k + 1 == contributions.size() ||
          contributions[k + 1].first != contributions[k].first) {
        close_entry(contributions[k].first);
      }
    }
    pattern_.first_entry.push_back(
        static_cast<int>(pattern_.entry_column.size()));
  }
  group_entries_ = {};
}

void SchurPlan::FindRuns() {
  for (std::vector<Stretch>* stretches : {&row_chunks_, &groups_}) {
    for (Stretch& stretch : *stretches) {
      stretch.first_run = static_cast<int>(runs_.size());
      for (int p = stretch.point_begin; p < stretch.point_end;) {
        Run run = {p, p, shape_[p]};
        while (p < stretch.point_end && shape_[p] == run.shape) ++p;
        run.end = p;
        runs_.push_back(run);
      }
      stretch.end_run = static_cast<int>(runs_.size());
    }
  }
}

kernels::SchurGather SchurPlan::Gather() const {
  kernels::SchurGather gather;
  gather.first_term = first_term_.data();
  gather.terms = terms_.data();
  gather.row_begin = row_begin_.data();
  return gather;
}

namespace {

template <typename T>
kernels::PeriodicView<T> ViewOf(const PeriodicArray<T>& array) {
  const auto view = array.view();
  return {view.table, view.mask, view.step};
}

}  // namespace

kernels::SchurView SchurPlan::View() const {
  kernels::SchurView view;
  view.row_block_offset = ViewOf(structure_.row_block_offset);
  view.row_offset = ViewOf(structure_.row_offset);
  view.first_cell = ViewOf(structure_.first_cell);
  view.cell_column = structure_.cell_column.data();
  view.cell_position = ViewOf(structure_.cell_position);
  view.column_offset = structure_.column_offset.data();
  view.eliminated_first_row = structure_.eliminated_first_row.data();
  view.first_slot = first_slot_.data();
  view.slot_column = slot_column_.data();
  view.slot_offset = slot_offset_.data();
  view.cell_slot = cell_slot_.data();
  view.first_destination = first_destination_.data();
  view.destination = destination_.data();
  view.row_clique = row_clique_.empty() ? nullptr : row_clique_.data();
  view.slot_cell = slot_cell_.data();
  view.factor_offset = factor_offset_.data();
  view.u_offset = u_offset_.data();
  return view;
}

}  // namespace ceres::internal
