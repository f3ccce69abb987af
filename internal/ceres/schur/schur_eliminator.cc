// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/schur/schur_eliminator.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

#include "ceres/base/number.h"
#include "ceres/execution/loops.h"
#include "ceres/kernels/front_layout.h"
#include "ceres/kernels/split_panels.h"
#include "ceres/logging/logging.h"
#include "ceres/schur/schur_tuning.h"

namespace ceres::internal {

using kernels::PaddedSize;
using kernels::PanelBlockSize;
using kernels::PanelPosition;
using kernels::PointDiagonal;

namespace {

// Doubles of the largest block that lies on the stack while it is summed up.
constexpr int kStackBlock = 16 * 16;

// Doubles of the rows that are read at once from the source of a Jacobian:
// those of a batch (schur_tuning.h) with cameras of 9 parameters, 104 KiB.
constexpr std::size_t kPartValues = std::size_t{kSchurBatchRows} * 26;

// A buffer for one block's sum.
class BlockBuffer {
 public:
  explicit BlockBuffer(int size) {
    if (size > kStackBlock) heap_.Resize(size);
  }
  double* data() { return heap_.size() > 0 ? heap_.data() : stack_; }

 private:
  alignas(AlignedBuffer::kAlignment) double stack_[kStackBlock];
  AlignedBuffer heap_;
};

// Copies a block from panel layout to row-major rows, `stride` apart.
void Unpack(int rows, int columns, const double* panels, int64_t stride,
            double* block) {
  const int full = kernels::NumPanels(columns) * kernels::kPanelWidth;
  for (int r = 0; r < rows; ++r) {
    double* row = block + r * stride;
    for (int c = 0; c < columns; c += kernels::kPanelWidth) {
      if (c >= full) {
        for (int t = c; t < columns; ++t) {
          row[t] = panels[PanelPosition(rows, columns, r, t)];
        }
        break;
      }
      std::copy_n(panels + PanelPosition(rows, columns, r, c),
                  std::min(columns - c, kernels::kPanelWidth), row + c);
    }
  }
}

// Sets the padding of a block in panel layout to zero.
void ClearPadding(int rows, int columns, double* panels) {
  const int full = kernels::NumPanels(columns) * kernels::kPanelWidth;
  if (columns < full) {
    const int used = columns % kernels::kPanelWidth;
    double* last = panels + (full - kernels::kPanelWidth) * rows;
    for (int r = 0; r < rows; ++r) {
      std::fill(last + r * kernels::kPanelWidth + used,
                last + (r + 1) * kernels::kPanelWidth, 0.0);
    }
  }
  for (int t = 0; t < kernels::NumTailColumns(columns); ++t) {
    double* column = panels + full * rows + t * PaddedSize(rows);
    std::fill(column + rows, column + PaddedSize(rows), 0.0);
  }
}

}  // namespace

SchurEliminator::SchurEliminator(const Execution& execution,
                                 const SchurPlan& plan, KeepU keep,
                                 SolveWorkspace* workspace)
    : execution_(execution),
      plan_(plan),
      keep_(plan.gathers_by_row() ? KeepU::kYes : keep),
      partial_sums_memory_(workspace, WorkspaceRegion::kPartialSums),
      factor_memory_(workspace, WorkspaceRegion::kPointFactors) {
  partial_sums_memory_.Reserve(plan.merged_chunks().sums_size(), &execution_);
  factor_memory_.Reserve(plan.storage().factor_size());
  if (plan.gathers_by_row()) {
    w_.Resize(plan.structure().column_offset[plan.num_points()]);
  }
  if (keep_ == KeepU::kYes) {
    u_.Resize(plan.storage().u_size());
    // Products read the slack at the end of each chunk.
    std::fill_n(u_.data(), u_.size(), 0.0);
  }
  const int e = plan.sizes().max_eliminated_width;
  const int64_t eliminate =
      kernels::SchurScratchSize(e, plan.sizes().max_residuals) +
      AlignedBuffer::kSlack;
  const int64_t substitute = plan.sizes().max_point_residuals + e;
  thread_u_size_ = keep_ == KeepU::kYes
                       ? 0
                       : (std::max(plan.storage().max_u_size(),
                                   plan.batches().max_u_size()) +
                          2 * AlignedBuffer::kSlack) /
                             8 * 8;
  thread_scratch_size_ =
      thread_u_size_ +
      (std::max({eliminate, substitute, int64_t{plan.sizes().max_residuals}}) +
       7) /
          8 * 8;
  scratch_.Resize(thread_scratch_size_ * std::max(1, execution.num_threads));
  failed_point_.resize(plan.gathers_by_row()
                           ? static_cast<int>(plan.row_chunks().size())
                           : plan.merged_chunks().size());
  row_chunk_decrease_.resize(static_cast<int>(plan.row_chunks().size()));
  const BlockSymmetricStructure& pattern = plan.pattern();
  assembly_cost_.push_back(0);
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    const int begin = pattern.first_entry[i];
    const int end = pattern.first_entry[i + 1];
    assembly_cost_.push_back(assembly_cost_.back() + end - begin +
                             plan.reduced().first_source()[end] -
                             plan.reduced().first_source()[begin]);
  }
}

kernels::SchurView SchurEliminator::View() const {
  kernels::SchurView view = plan_.View();
  view.values = jacobian_->values.data();
  return view;
}

// The view with the row blocks of [begin, end) alone, which it reads from the
// Jacobian's source.
kernels::SchurView SchurEliminator::ReadRows(int thread_id,
                                             const kernels::SchurView& view,
                                             int begin, int end) {
  const BlockJacobianStructure& s = plan_.structure();
  AlignedBuffer& part = parts_[thread_id];
  const auto size = static_cast<std::size_t>(s.row_block_offset[end] -
                                             s.row_block_offset[begin]);
  if (part.size() < size) part.Resize(std::max(size, kPartValues));
  jacobian_->source->Read(thread_id, begin, end, part.data());
  kernels::SchurView of_part = view;
  of_part.values = OriginOfRows(s, begin, part.data());
  return of_part;
}

// Calls f(view, begin, end) for the points [begin, end), or for one part of
// them after the other if the Jacobian has a source. A part stays in the
// second-level cache.
template <typename F>
void SchurEliminator::ForPoints(int thread_id, const kernels::SchurView& view,
                                int begin, int end, const F& f) {
  if (jacobian_->source == nullptr) return f(view, begin, end);
  const BlockJacobianStructure& s = plan_.structure();
  const std::vector<int>& first_row = s.eliminated_first_row;
  while (begin < end) {
    int part_end = begin + 1;
    const auto limit = s.row_block_offset[first_row[begin]] +
                       static_cast<std::int64_t>(kPartValues);
    while (part_end < end &&
           s.row_block_offset[first_row[part_end + 1]] <= limit) {
      ++part_end;
    }
    f(ReadRows(thread_id, view, first_row[begin], first_row[part_end]), begin,
      part_end);
    begin = part_end;
  }
}

// The same for rows.
template <typename F>
void SchurEliminator::ForRows(int thread_id, const kernels::SchurView& view,
                              int begin, int end, const F& f) {
  if (jacobian_->source == nullptr) return f(view, begin, end);
  const BlockJacobianStructure& s = plan_.structure();
  while (begin < end) {
    int part_end = begin + 1;
    const auto limit =
        s.row_block_offset[begin] + static_cast<std::int64_t>(kPartValues);
    while (part_end < end && s.row_block_offset[part_end + 1] <= limit) {
      ++part_end;
    }
    f(ReadRows(thread_id, view, begin, part_end), begin, part_end);
    begin = part_end;
  }
}

bool SchurEliminator::Eliminate(const BlockJacobian& jacobian,
                                const double* damping, std::string* message) {
  jacobian_ = &jacobian;
  damping_ = damping;
  if (jacobian.source != nullptr) {
    VESTA_CHECK(!plan_.gathers_by_row())
        << "S is gathered from all rows, which a source does not keep.";
    parts_.resize(std::max(1, execution_.num_threads));
  }
  partial_sums_ = partial_sums_memory_.data();
  factor_ = factor_memory_.data();
  const kernels::SchurView view = View();
  const int num_parts = static_cast<int>(failed_point_.size());
  ParallelFor(execution_, 0, num_parts, [&](int thread_id, int part) {
    CheckStop(execution_);
    failed_point_[part] = plan_.gathers_by_row()
                              ? FormRowChunk(thread_id, part, view)
                              : EliminateMergedChunk(thread_id, part, view);
  });
  for (const int point : failed_point_) {
    if (point < 0) continue;
    *message = "The normal equations of eliminated block " +
               std::to_string(point) + " (" +
               CountOf(plan_.structure().column_size(point), "column") +
               ", from column " +
               std::to_string(plan_.structure().column_offset[point]) +
               " on) are not positive definite: its residuals do not determine "
               "it, and the damping is too small to.";
    return false;
  }
  if (jacobian.source != nullptr) {
    *message = jacobian.source->failure();
    if (!message->empty()) return false;
  }
  if (plan_.gathers_by_row()) GatherRows(view);
  return true;
}

kernels::SchurTarget SchurEliminator::Target(int thread_id) {
  double* const scratch = scratch_.data() + thread_id * thread_scratch_size_;
  kernels::SchurTarget target;
  target.damping = damping_;
  target.diagonal = plan_.diagonal();
  target.pairs = plan_.matrix() == ReducedMatrix::kSchurComplement;
  target.factor = factor_;
  target.keep_u = keep_ == KeepU::kYes;
  target.u = target.keep_u ? u_.data() : scratch;
  target.w = w_.data();
  target.scratch = scratch + thread_u_size_;
  return target;
}

int SchurEliminator::FormRowChunk(int thread_id, int row_chunk,
                                  const kernels::SchurView& view) {
  const kernels::SchurTarget target = Target(thread_id);
  const SchurChunk& chunk = plan_.row_chunks()[row_chunk];
  for (int k = chunk.first_range; k < chunk.end_range; ++k) {
    const UniformRange& range = plan_.ranges()[k];
    const int failed =
        kernels::FormPoints(view, target, range.shape, range.begin, range.end);
    if (failed >= 0) return failed;
  }
  return -1;
}

void SchurEliminator::GatherRows(const kernels::SchurView& view) {
  const kernels::SchurGather gather = plan_.gather().View();
  ParallelForByCost(
      execution_, 0, plan_.num_remaining_blocks(), plan_.gather().cost().data(),
      [&](int thread_id, IndexRange rows) {
        CheckStop(execution_);
        kernels::SchurTarget target = Target(thread_id);
        target.partial_sum = partial_sums_;
        kernels::GatherBlockRows(view, target, gather, rows.begin, rows.end);
      });
}

int SchurEliminator::EliminateBatches(int thread_id,
                                      const kernels::SchurView& view,
                                      const kernels::SchurTarget& target, int m,
                                      kernels::SchurShape shape,
                                      const SchurBatches::Range& range) {
  const kernels::SchurSums sums = plan_.batches().View(m);
  if (jacobian_->source == nullptr) {
    return kernels::EliminateBatches(view, target, sums, shape,
                                     range.first_batch, range.end_batch);
  }
  const std::vector<int>& first_row = plan_.structure().eliminated_first_row;
  int failed = -1;
  for (int k = range.first_batch; k < range.end_batch && failed < 0; ++k) {
    const kernels::SchurBatch& batch = sums.batches[k];
    failed = kernels::EliminateBatches(
        ReadRows(thread_id, view, first_row[batch.begin], first_row[batch.end]),
        target, sums, shape, k, k + 1);
  }
  return failed;
}

int SchurEliminator::EliminatePoints(int thread_id,
                                     const kernels::SchurView& view,
                                     const kernels::SchurTarget& target,
                                     const UniformRange& range) {
  int failed = -1;
  ForPoints(thread_id, view, range.begin, range.end,
            [&](const kernels::SchurView& part, int begin, int end) {
              if (failed >= 0) return;
              failed = kernels::EliminatePoints(part, target, range.shape,
                                                begin, end);
            });
  return failed;
}

int SchurEliminator::EliminateMergedChunk(int thread_id, int m,
                                          const kernels::SchurView& view) {
  kernels::SchurTarget target = Target(thread_id);
  target.partial_sum = partial_sums_ + plan_.merged_chunks().sum_begin(m);
  std::fill_n(target.partial_sum,
              plan_.merged_chunks().sum_begin(m + 1) -
                  plan_.merged_chunks().sum_begin(m),
              0.0);
  const SchurChunk& chunk = plan_.merged_chunks().chunk(m);
  for (int k = chunk.first_range; k < chunk.end_range; ++k) {
    const UniformRange& range = plan_.ranges()[k];
    const SchurBatches::Range& batches = plan_.batches().range(k);
    const bool has_batches =
        keep_ == KeepU::kNo && batches.first_batch < batches.end_batch;
    const int failed =
        has_batches
            ? EliminateBatches(thread_id, view, target, m, range.shape, batches)
            : EliminatePoints(thread_id, view, target, range);
    if (failed >= 0) return failed;
  }
  ForRows(thread_id, view, chunk.row_begin, chunk.row_end,
          [&](const kernels::SchurView& part, int begin, int end) {
            kernels::AddRows(part, target, begin, end);
          });
  return -1;
}

void SchurEliminator::SumSources(int entry, int position, int size,
                                 double* sum) const {
  const int64_t begin = plan_.reduced().first_source()[entry];
  const int64_t end = plan_.reduced().first_source()[entry + 1];
  if (begin == end) {
    std::fill_n(sum, size, 0.0);
    return;
  }
  const double* const sums = partial_sums_ + position;
  std::copy_n(sums + plan_.reduced().sources()[begin], size, sum);
  for (int64_t s = begin + 1; s < end; ++s) {
    const double* source = sums + plan_.reduced().sources()[s];
    for (int i = 0; i < size; ++i) sum[i] += source[i];
  }
}

void SchurEliminator::AddDamping(int block, double* panel_block) const {
  if (damping_ == nullptr) return;
  const int width = plan_.width(block);
  const double* d =
      damping_ +
      plan_.structure().column_offset[plan_.structure().num_eliminated + block];
  for (int k = 0; k < width; ++k) {
    panel_block[PanelPosition(width, width, k, k)] += d[k] * d[k];
  }
}

// Adds the contributions of the points to diagonal block (block, block), which
// kSplit sums up separately.
void SchurEliminator::AddSecondBlock(int block, double* panel_block) const {
  const int width = plan_.width(block);
  const int size = PanelBlockSize(width, width);
  BlockBuffer second(size);
  SumSources(plan_.pattern().first_entry[block],
             kernels::DiagonalSecondPosition(width), size, second.data());
  for (int k = 0; k < size; ++k) panel_block[k] += second.data()[k];
}

void SchurEliminator::SumEntry(int row, int entry, double* panel_block) const {
  const int column = plan_.pattern().entry_column[entry];
  SumSources(entry, 0, PanelBlockSize(plan_.width(row), plan_.width(column)),
             panel_block);
  if (row != column) return;
  AddDamping(row, panel_block);
  if (plan_.diagonal() == PointDiagonal::kSplit &&
      plan_.matrix() == ReducedMatrix::kSchurComplement) {
    AddSecondBlock(row, panel_block);
  }
}

// f(row, column, entry, block), `block` being the summed block in panel layout,
// which f may change. Entries of a row come in order, in one thread.
template <typename F>
void SchurEliminator::ForEachEntry(const F& f) const {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  const int largest =
      PanelBlockSize(plan_.sizes().max_width, plan_.sizes().max_width);
  ParallelForByCost(execution_, 0, pattern.num_blocks(), assembly_cost_.data(),
                    [&](IndexRange rows) {
                      CheckStop(execution_);
                      BlockBuffer buffer(largest);
                      double* block = buffer.data();
                      for (int i = rows.begin; i < rows.end; ++i) {
                        for (int k = pattern.first_entry[i];
                             k < pattern.first_entry[i + 1]; ++k) {
                          SumEntry(i, k, block);
                          f(i, pattern.entry_column[k], k, block);
                        }
                      }
                    });
}

void SchurEliminator::AssembleRhs(double* rhs) {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  for (int i = 0; i < pattern.num_blocks(); ++i) {
    const int width = plan_.width(i);
    double* block = rhs + pattern.block_offset[i];
    SumSources(pattern.first_entry[i], kernels::DiagonalRhsPosition(width),
               width, block);
    for (int k = 0; k < width; ++k) block[k] = -block[k];
  }
}

void SchurEliminator::AssembleDense(double* matrix) {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  const int64_t n = pattern.size();
  ForEachEntry([&](int i, int j, int /*entry*/, double* block) {
    double* rows = matrix + pattern.block_offset[i] * n;
    if (i == j) {
      // A factorization has overwritten blocks that no product contributes to.
      for (int r = 0; r < plan_.width(i); ++r) {
        std::fill(rows + r * n + pattern.block_offset[i], rows + (r + 1) * n,
                  0.0);
      }
    }
    Unpack(plan_.width(i), plan_.width(j), block, n,
           rows + pattern.block_offset[j]);
  });
}

// Row r of the upper triangle is column r of the front: it lies in pieces, one
// for each panel.
void SchurEliminator::AssembleFront(double* front) {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  const int n = pattern.size();
  ForEachEntry([&](int i, int j, int /*entry*/, double* block) {
    const int row = pattern.block_offset[i];
    const int column = pattern.block_offset[j];
    const int rows = plan_.width(i);
    const int columns = plan_.width(j);
    const bool is_full = pattern.first_entry[i + 1] - pattern.first_entry[i] ==
                         pattern.num_blocks() - i;
    for (int r = 0; r < rows; ++r) {
      if (i == j && !is_full) {
        // A factorization has overwritten blocks that no product contributes
        // to.
        for (int c = row; c < n; ++c) {
          front[kernels::PivotPosition<double>(n, c, row + r)] = 0.0;
        }
      }
      for (int c = 0; c < columns; ++c) {
        front[kernels::PivotPosition<double>(n, column + c, row + r)] =
            block[PanelPosition(rows, columns, r, c)];
      }
    }
  });
}

void SchurEliminator::AssembleBlocks(double* values) const {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  ForEachEntry([&](int i, int j, int entry, double* block) {
    Unpack(plan_.width(i), plan_.width(j), block, plan_.width(j),
           values + pattern.value_offset[entry]);
  });
}

const double* SchurEliminator::Blocks(WorkspaceArray* memory) {
  AssembleBlocks(memory->data());
  return memory->data();
}

bool SchurEliminator::AssemblePanels(const SplitPanels& panels) const {
  std::atomic<bool> all_split{true};
  ForEachEntry([&](int i, int j, int entry, double* block) {
    ClearPadding(plan_.width(i), plan_.width(j), block);
    const int64_t offset = panels.value_offset[entry];
    if (!kernels::SplitPanelBlock(plan_.width(i), plan_.width(j), block,
                                  panels.scale + panels.scale_offset[i],
                                  panels.scale + panels.scale_offset[j],
                                  panels.whole + offset,
                                  panels.rest + offset)) {
      all_split.store(false, std::memory_order_relaxed);
    }
  });
  return all_split.load(std::memory_order_relaxed);
}

void SchurEliminator::AssembleEntry(int row, int entry, double* block) const {
  const int rows = plan_.width(row);
  const int columns = plan_.width(plan_.pattern().entry_column[entry]);
  BlockBuffer panels(PanelBlockSize(rows, columns));
  SumEntry(row, entry, panels.data());
  Unpack(rows, columns, panels.data(), columns, block);
}

void SchurEliminator::AssembleDiagonal(Diagonal which, const int64_t* offset,
                                       double* blocks) const {
  const BlockSymmetricStructure& pattern = plan_.pattern();
  const bool add_second = which == Diagonal::kSchurComplement &&
                          plan_.diagonal() == PointDiagonal::kSplit;
  const int largest =
      PanelBlockSize(plan_.sizes().max_width, plan_.sizes().max_width);
  ParallelFor(execution_, 0, pattern.num_blocks(), [&](IndexRange rows) {
    BlockBuffer block(largest);
    for (int i = rows.begin; i < rows.end; ++i) {
      const int width = plan_.width(i);
      SumSources(pattern.first_entry[i], 0, PanelBlockSize(width, width),
                 block.data());
      AddDamping(i, block.data());
      if (add_second) AddSecondBlock(i, block.data());
      Unpack(width, width, block.data(), width, blocks + offset[i]);
    }
  });
}

double SchurEliminator::BackSubstitute(double* step) {
  const kernels::SchurView view = View();
  ParallelFor(
      execution_, 0, static_cast<int>(plan_.row_chunks().size()),
      [&](int thread_id, int s) {
        CheckStop(execution_);
        double* scratch = scratch_.data() + thread_id * thread_scratch_size_;
        const SchurChunk& row_chunk = plan_.row_chunks()[s];
        double decrease = 0.0;
        for (int k = row_chunk.first_range; k < row_chunk.end_range; ++k) {
          const UniformRange& range = plan_.ranges()[k];
          ForPoints(thread_id, view, range.begin, range.end,
                    [&](const kernels::SchurView& part, int begin, int end) {
                      decrease += kernels::BackSubstitutePoints(
                          part, factor_, range.shape, begin, end, scratch,
                          step);
                    });
        }
        ForRows(thread_id, view, row_chunk.row_begin, row_chunk.row_end,
                [&](const kernels::SchurView& part, int begin, int end) {
                  decrease += kernels::RowsModelCostChange(part, begin, end,
                                                           scratch, step);
                });
        row_chunk_decrease_[s] = decrease;
      });
  double decrease = 0.0;
  for (const double row_chunk : row_chunk_decrease_) decrease += row_chunk;
  const bool has_read_all =
      jacobian_->source == nullptr || jacobian_->source->failure().empty();
  return has_read_all ? decrease : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ceres::internal
