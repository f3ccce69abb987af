// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_product.h"

#include <algorithm>
#include <utility>

#include "ceres/parallel/loops.h"

namespace ceres::internal {

using kernels::PaddedSize;
using kernels::PanelBlockSize;

SchurProductOperator::SchurProductOperator(const Execution& execution,
                                           const SchurPlan& plan)
    : execution_(execution), plan_(plan) {
  LayOut();
  CutIntoChunks();
  AddGroupCopies();
  values_.Resize(value_offset_.back());
  x_.Resize(padded_offset_.back());
  std::fill_n(x_.data(), x_.size(), 0.0);
  copies_.Resize(copies_size_);
  thread_scratch_size_ =
      kernels::kPanelWidth *
      int64_t{std::max(plan.max_width(), plan.max_eliminated_width())};
  scratch_.Resize(thread_scratch_size_ * std::max(1, execution.num_threads));
}

void SchurProductOperator::LayOut() {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    width_.push_back(plan_.width(i));
    padded_offset_.push_back(padded_offset_.back() + PaddedSize(width_[i]));
  }
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    for (int k = pattern.first_entry[i]; k < pattern.first_entry[i + 1]; ++k) {
      value_offset_.push_back(
          value_offset_.back() +
          PanelBlockSize(width_[i], width_[pattern.entry_column[k]]));
    }
  }
  const bool uniform =
      !width_.empty() &&
      std::all_of(width_.begin(), width_.end(),
                  [this](int width) { return width == width_[0]; });
  uniform_width_ = uniform ? width_[0] : 0;
}

void SchurProductOperator::CutIntoChunks() {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  const int64_t num_chunks = std::clamp<int64_t>(
      value_offset_.back() / kMinChunkValues, 1, kMaxChunks);
  int begin = 0;
  for (int64_t c = 0; c < num_chunks && begin < pattern.num_blocks(); ++c) {
    Chunk chunk = {begin, begin, begin, copies_size_};
    const int64_t target = value_offset_.back() * (c + 1) / num_chunks;
    do {
      const int last_entry = pattern.first_entry[chunk.end + 1] - 1;
      chunk.last_touched =
          std::max(chunk.last_touched, pattern.entry_column[last_entry]);
      ++chunk.end;
    } while (chunk.end < pattern.num_blocks() &&
             value_offset_[pattern.first_entry[chunk.end]] < target);
    copies_size_ += padded_size(chunk.begin, chunk.last_touched + 1);
    begin = chunk.end;
    chunks_.push_back(chunk);
  }
}

void SchurProductOperator::AddGroupCopies() {
  const int num_blocks = plan_.pattern().num_blocks();
  std::vector<std::vector<int64_t>> sources(num_blocks);
  for (const Chunk& chunk : chunks_) {
    for (int i = chunk.begin; i <= chunk.last_touched; ++i) {
      sources[i].push_back(chunk.copy + padded_size(chunk.begin, i));
    }
  }
  if (plan_.matrix() == ReducedMatrix::kRemainingBlocks) {
    const int num_slots = plan_.first_slot()[plan_.num_points()];
    slot_x_.resize(num_slots);
    slot_y_.resize(num_slots);
    std::vector<int> place(num_blocks);
    std::vector<int> stamp(num_blocks, -1);
    for (int g = 0; g < plan_.num_groups(); ++g) {
      group_copy_.push_back(copies_size_);
      const SchurPlan::Stretch& group = plan_.group(g);
      for (int slot = plan_.first_slot()[group.point_begin];
           slot < plan_.first_slot()[group.point_end]; ++slot) {
        const int i = plan_.slot_column()[slot] - plan_.num_points();
        if (stamp[i] != g) {
          stamp[i] = g;
          place[i] = static_cast<int>(copies_size_ - group_copy_.back());
          sources[i].push_back(copies_size_);
          copies_size_ += PaddedSize(width_[i]);
        }
        slot_x_[slot] = padded_offset_[i];
        slot_y_[slot] = place[i];
      }
    }
    group_copy_.push_back(copies_size_);
  }
  first_source_.push_back(0);
  for (const std::vector<int64_t>& list : sources) {
    sources_.insert(sources_.end(), list.begin(), list.end());
    first_source_.push_back(static_cast<int>(sources_.size()));
  }
}

void SchurProductOperator::Update(const SchurEliminator& eliminator) {
  eliminator_ = &eliminator;
  eliminator.AssemblePanels(value_offset_.data(), values_.data());
}

void SchurProductOperator::RunChunk(int chunk_index, double* scratch) const {
  const Chunk& chunk = chunks_[chunk_index];
  const BlockSymmetricStructure& pattern = plan_.pattern();
  kernels::PanelMatrixView view;
  view.uniform_width = uniform_width_;
  view.width = width_.data();
  view.padded_offset = padded_offset_.data();
  view.first_entry = pattern.first_entry.data();
  view.entry_column = pattern.entry_column.data();
  view.value_offset = value_offset_.data();
  view.values = values_.data();
  double* copy = copies_.data() + chunk.copy;
  std::fill_n(copy, padded_size(chunk.begin, chunk.last_touched + 1), 0.0);
  kernels::AddSymmetricProduct(view, chunk.begin, chunk.end, x_.data(),
                               copy - padded_offset_[chunk.begin], scratch);
}

void SchurProductOperator::RunGroup(int g, double* scratch) const {
  double* copy = copies_.data() + group_copy_[g];
  std::fill_n(copy, group_copy_[g + 1] - group_copy_[g], 0.0);
  const kernels::SchurView view = plan_.View();
  const SchurPlan::Stretch& group = plan_.group(g);
  for (int k = group.first_run; k < group.end_run; ++k) {
    const SchurPlan::Run& run = plan_.runs()[k];
    kernels::SubtractPointProducts(view, run.shape, eliminator_->u(), run.begin,
                                   run.end, slot_x_.data(), slot_y_.data(),
                                   x_.data(), copy, scratch);
  }
}

void SchurProductOperator::Apply(const double* x, double* y) const {
  constexpr int kBlocksPerPiece = 64;
  const std::vector<int>& block_offset = plan_.pattern().block_offset;
  const int num_blocks = plan_.pattern().num_blocks();
  ParallelFor(
      execution_, 0, num_blocks,
      [&](int i) {
        std::copy_n(x + block_offset[i], width_[i],
                    x_.data() + padded_offset_[i]);
      },
      kBlocksPerPiece);
  const int num_chunks = static_cast<int>(chunks_.size());
  const int num_groups =
      group_copy_.empty() ? 0 : static_cast<int>(group_copy_.size()) - 1;
  ParallelFor(
      execution_, 0, num_chunks + num_groups, [&](int thread_id, int task) {
        double* scratch = scratch_.data() + thread_id * thread_scratch_size_;
        if (task < num_groups) {
          RunGroup(task, scratch);
        } else {
          RunChunk(task - num_groups, scratch);
        }
      });
  ParallelFor(
      execution_, 0, num_blocks,
      [&](int i) {
        double* y_i = y + block_offset[i];
        const int begin = first_source_[i];
        std::copy_n(copies_.data() + sources_[begin], width_[i], y_i);
        for (int s = begin + 1; s < first_source_[i + 1]; ++s) {
          const double* copy = copies_.data() + sources_[s];
          for (int k = 0; k < width_[i]; ++k) y_i[k] += copy[k];
        }
      },
      kBlocksPerPiece);
}

}  // namespace ceres::internal
