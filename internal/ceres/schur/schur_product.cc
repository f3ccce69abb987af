// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/execution/loops.h"
#include "ceres/kernels/split_panels.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {

using kernels::PaddedSize;
using kernels::PanelBlockSize;

SchurProductOperator::SchurProductOperator(const Execution& execution,
                                           const SchurPlan& plan)
    : execution_(execution), plan_(plan) {
  LayOut();
  FindFullestRow();
  CutIntoChunks();
  PlacePartialSums();
  parts_.Resize(execution, value_offset_.back());
  diagonal_.Resize(diagonal_offset_.back());
  for (AlignedBuffer* buffer : {&scale_, &inverse_scale_, &x_, &scaled_x_}) {
    buffer->Resize(padded_offset_.back());
    std::fill_n(buffer->data(), buffer->size(), 0.0);
  }
  partial_sums_.Resize(sums_size_);
  chunk_curvature_.resize(chunks_.size());
  thread_scratch_size_ = kernels::kPanelWidth *
                         int64_t{std::max(plan.sizes().max_width,
                                          plan.sizes().max_eliminated_width)};
  scratch_.Resize(thread_scratch_size_ * std::max(1, execution.num_threads));
}

void SchurProductOperator::LayOut() {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    width_.push_back(plan_.width(i));
    padded_offset_.push_back(padded_offset_.back() + PaddedSize(width_[i]));
    diagonal_offset_.push_back(diagonal_offset_.back() +
                               int64_t{width_[i]} * width_[i]);
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

void SchurProductOperator::FindFullestRow() {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  std::vector<int> elements(pattern.num_blocks(), 0);
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    for (int k = pattern.first_entry[i]; k < pattern.first_entry[i + 1]; ++k) {
      const int j = pattern.entry_column[k];
      elements[i] += width_[j];
      if (j != i) elements[j] += width_[i];
    }
  }
  for (const int n : elements) fullest_row_ = std::max(fullest_row_, n);
}

void SchurProductOperator::CutIntoChunks() {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  const int64_t num_chunks = std::clamp<int64_t>(
      value_offset_.back() / kMinProductChunkValues, 1, kMaxProductChunks);
  int begin = 0;
  for (int64_t c = 0; c < num_chunks && begin < pattern.num_blocks(); ++c) {
    Chunk chunk = {begin, begin, begin, sums_size_};
    const int64_t target = value_offset_.back() * (c + 1) / num_chunks;
    // The last row is the one whose end is nearest to the target.
    do {
      const int last_entry = pattern.first_entry[chunk.end + 1] - 1;
      chunk.last_touched =
          std::max(chunk.last_touched, pattern.entry_column[last_entry]);
      ++chunk.end;
    } while (chunk.end < pattern.num_blocks() &&
             value_offset_[pattern.first_entry[chunk.end]] +
                     value_offset_[pattern.first_entry[chunk.end + 1]] <=
                 2 * target);
    sums_size_ += padded_size(chunk.begin, chunk.last_touched + 1);
    begin = chunk.end;
    chunks_.push_back(chunk);
  }
}

void SchurProductOperator::PlacePartialSums() {
  const int num_blocks = plan_.pattern().num_blocks();
  std::vector<std::vector<int64_t>> sources(num_blocks);
  for (const Chunk& chunk : chunks_) {
    for (int i = chunk.begin; i <= chunk.last_touched; ++i) {
      sources[i].push_back(chunk.sum + padded_size(chunk.begin, i));
    }
  }
  for (const std::vector<int64_t>& list : sources) {
    first_point_source_.push_back(static_cast<int>(list.size()));
  }
  if (plan_.matrix() == ReducedMatrix::kRemainingBlocks) {
    const int num_cameras = plan_.cliques().first_camera()[plan_.num_points()];
    camera_x_.resize(num_cameras);
    camera_y_.resize(num_cameras);
    std::vector<int> place(num_blocks);
    std::vector<int> stamp(num_blocks, -1);
    for (int g = 0; g < plan_.merged_chunks().size(); ++g) {
      merged_sum_.push_back(sums_size_);
      const SchurChunk& merged = plan_.merged_chunks().chunk(g);
      for (int camera = plan_.cliques().first_camera()[merged.point_begin];
           camera < plan_.cliques().first_camera()[merged.point_end];
           ++camera) {
        const int i =
            plan_.cliques().camera_column()[camera] - plan_.num_points();
        if (stamp[i] != g) {
          stamp[i] = g;
          place[i] = static_cast<int>(sums_size_ - merged_sum_.back());
          sources[i].push_back(sums_size_);
          sums_size_ += PaddedSize(width_[i]);
        }
        camera_x_[camera] = padded_offset_[i];
        camera_y_[camera] = place[i];
      }
    }
    merged_sum_.push_back(sums_size_);
  }
  first_source_.push_back(0);
  for (int i = 0; i < num_blocks; ++i) {
    first_point_source_[i] += first_source_[i];
    sources_.insert(sources_.end(), sources[i].begin(), sources[i].end());
    first_source_.push_back(static_cast<int>(sources_.size()));
  }
}

void SchurProductOperator::Update(const SchurEliminator& eliminator) {
  eliminator_ = &eliminator;
  FindScales();
  const SchurEliminator::SplitPanels panels = {
      value_offset_.data(), padded_offset_.data(), inverse_scale_.data(),
      whole(), rest()};
  const bool all_split = eliminator.AssemblePanels(panels);
  // Without S there is little to be won: most of what is read then is U.
  may_round_ = plan_.matrix() == ReducedMatrix::kSchurComplement && all_split &&
               IsDampedEnoughToRound();
}

bool SchurProductOperator::IsDampedEnoughToRound() const {
  constexpr double kRounding = 1.0 / (1 << 29);
  constexpr double kMostError = 0.01;
  const double* damping = eliminator_->damping();
  if (damping == nullptr) return false;
  damping += plan_.structure().column_offset[plan_.num_points()];
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < width_.size(); ++i) {
    const double* block = diagonal_.data() + diagonal_offset_[i];
    for (int k = 0; k < width_[i]; ++k, ++damping) {
      least = std::min(least, *damping * *damping / block[k * (width_[i] + 1)]);
    }
  }
  return kRounding * std::sqrt(fullest_row_) <= kMostError * least;
}

void SchurProductOperator::FindScales() {
  eliminator_->AssembleDiagonal(
      plan_.matrix() == ReducedMatrix::kSchurComplement
          ? SchurEliminator::Diagonal::kSchurComplement
          : SchurEliminator::Diagonal::kRemaining,
      diagonal_offset_.data(), diagonal_.data());
  for (size_t i = 0; i < width_.size(); ++i) {
    const double* block = diagonal_.data() + diagonal_offset_[i];
    for (int k = 0; k < width_[i]; ++k) {
      const double inverse = kernels::SplitScale(block[k * (width_[i] + 1)]);
      inverse_scale_.data()[padded_offset_[i] + k] = inverse;
      scale_.data()[padded_offset_[i] + k] = 1.0 / inverse;
    }
  }
}

namespace {

// x'y, in chains that do not wait for each other.
double InnerProduct(int n, const double* x, const double* y) {
  constexpr int kChains = 8;
  double sums[kChains] = {};
  int i = 0;
  for (; i + kChains <= n; i += kChains) {
    for (int k = 0; k < kChains; ++k) sums[k] += x[i + k] * y[i + k];
  }
  for (; i < n; ++i) sums[0] += x[i] * y[i];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
         ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

}  // namespace

double SchurProductOperator::RunChunk(int chunk_index, Parts parts,
                                      double* scratch) const {
  const Chunk& chunk = chunks_[chunk_index];
  const BlockSymmetricStructure& pattern = plan_.pattern();
  kernels::PanelMatrixView view;
  view.uniform_width = uniform_width_;
  view.width = width_.data();
  view.padded_offset = padded_offset_.data();
  view.first_entry = pattern.first_entry.data();
  view.entry_column = pattern.entry_column.data();
  view.value_offset = value_offset_.data();
  view.whole = whole();
  view.rest = parts == Parts::kBoth ? rest() : nullptr;
  const int first = padded_offset_[chunk.begin];
  const int size = padded_size(chunk.begin, chunk.last_touched + 1);
  double* sum = partial_sums_.data() + chunk.sum;
  std::fill_n(sum, size, 0.0);
  kernels::AddSymmetricProduct(view, chunk.begin, chunk.end, scaled_x_.data(),
                               sum - first, scratch);
  return InnerProduct(size, scaled_x_.data() + first, sum);
}

void SchurProductOperator::RunMergedChunk(int g, double* scratch) const {
  double* sum = partial_sums_.data() + merged_sum_[g];
  std::fill_n(sum, merged_sum_[g + 1] - merged_sum_[g], 0.0);
  const kernels::SchurView view = plan_.View();
  const SchurChunk& merged = plan_.merged_chunks().chunk(g);
  for (int k = merged.first_range; k < merged.end_range; ++k) {
    const UniformRange& range = plan_.ranges()[k];
    kernels::SubtractPointProducts(view, range.shape, eliminator_->u(),
                                   range.begin, range.end, camera_x_.data(),
                                   camera_y_.data(), x_.data(), sum, scratch);
  }
}

// Writes x in padded form, for chunks and merged chunks.
void SchurProductOperator::TakeVector(const double* x) const {
  constexpr int kBlocksPerPiece = 64;
  const std::vector<int>& block_offset = plan_.pattern().block_offset;
  const bool has_points = !merged_sum_.empty();
  ParallelFor(
      execution_, 0, plan_.pattern().num_blocks(),
      [&](int i) {
        const int begin = padded_offset_[i];
        const double* x_i = x + block_offset[i];
        const double* scale = scale_.data() + begin;
        double* scaled = scaled_x_.data() + begin;
        for (int k = 0; k < width_[i]; ++k) scaled[k] = x_i[k] * scale[k];
        if (has_points) std::copy_n(x_i, width_[i], x_.data() + begin);
      },
      kBlocksPerPiece);
}

// Fills all partial sums of y. Returns x'Sx if S is formed.
double SchurProductOperator::FillPartialSums(Parts parts,
                                             const double* x) const {
  TakeVector(x);
  const int num_chunks = static_cast<int>(chunks_.size());
  const int num_merged =
      merged_sum_.empty() ? 0 : static_cast<int>(merged_sum_.size()) - 1;
  ParallelFor(
      execution_, 0, num_chunks + num_merged, [&](int thread_id, int task) {
        double* scratch = scratch_.data() + thread_id * thread_scratch_size_;
        if (task < num_merged) {
          RunMergedChunk(task, scratch);
        } else {
          const int chunk = task - num_merged;
          chunk_curvature_[chunk] = RunChunk(chunk, parts, scratch);
        }
      });
  double curvature = 0.0;
  for (const double of_chunk : chunk_curvature_) curvature += of_chunk;
  return curvature;
}

void SchurProductOperator::Finish(int begin, int end, double* y) const {
  const std::vector<int>& block_offset = plan_.pattern().block_offset;
  for (int i = begin; i < end; ++i) {
    const int width = width_[i];
    double* y_i = y + block_offset[i];
    const auto add_sums = [&](int source, int source_end) {
      for (; source < source_end; ++source) {
        const double* sum = partial_sums_.data() + sources_[source];
        for (int k = 0; k < width; ++k) y_i[k] += sum[k];
      }
    };
    // A block row is in a chunk.
    const int first = first_source_[i];
    std::copy_n(partial_sums_.data() + sources_[first], width, y_i);
    add_sums(first + 1, first_point_source_[i]);
    const double* scale = scale_.data() + padded_offset_[i];
    for (int k = 0; k < width; ++k) y_i[k] *= scale[k];
    add_sums(first_point_source_[i], first_source_[i + 1]);
  }
}

void SchurProductOperator::Multiply(Parts parts, const double* x,
                                    double* y) const {
  constexpr int kBlocksPerPiece = 64;
  FillPartialSums(parts, x);
  ParallelFor(
      execution_, 0, plan_.pattern().num_blocks(),
      [&](IndexRange blocks) { Finish(blocks.begin, blocks.end, y); },
      kBlocksPerPiece);
}

}  // namespace ceres::internal
