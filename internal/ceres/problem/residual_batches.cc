// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "ceres/base/huge_pages.h"
#include "ceres/base/intrinsics.h"
#include "ceres/base/number.h"
#include "ceres/base/reserve_more.h"
#include "ceres/logging/logging.h"
#include "ceres/problem.h"
#include "ceres/problem/added_batch.h"
#include "ceres/problem/delete_each_once.h"
#include "ceres/problem/problem_impl.h"

// Parameter arrays and residual batches of a problem: the functions of Problem
// and of ProblemImpl.

namespace ceres {

ParameterArray Problem::AddParameterArray(double* values, std::int64_t count,
                                          int size, Manifold* manifold) {
  const ParameterArray array(values, count, size);
  impl_->AddParameterArray(array, manifold);
  return array;
}

ResidualBatchId Problem::AddResidualBatch(
    std::unique_ptr<ResidualBatch> batch, LossFunction* loss_function,
    const std::vector<BatchArgument>& arguments) {
  return impl_->AddResidualBatch(std::move(batch), loss_function, arguments);
}

void Problem::RemoveResidualBatch(ResidualBatchId batch) {
  impl_->RemoveResidualBatch(impl_->GetResidualBatch(batch));
}

void Problem::GetResidualBatches(std::vector<ResidualBatchId>* batches) const {
  VESTA_CHECK(batches != nullptr) << "The output is null.";
  batches->clear();
  for (const auto& [serial, batch] : impl_->residual_batches()) {
    batches->push_back(batch.get());
  }
}

const ResidualBatch* Problem::GetResidualBatch(ResidualBatchId batch) const {
  return &impl_->GetResidualBatch(batch)->batch();
}

namespace {

// Returns the row after a CHECK that the batch has it.
std::int64_t CheckRow(const internal::AddedBatch& batch, std::int64_t row) {
  VESTA_CHECK(row >= 0 && row < batch.num_rows())
      << "Row " << row << " is not in the residual batch, which has "
      << internal::CountOf(batch.num_rows(), "row") << ".";
  return row;
}

}  // namespace

ResidualBlockId Problem::GetResidualBlockForRow(ResidualBatchId batch,
                                                std::int64_t row) const {
  impl_->GetResidualBatch(batch);
  internal::ResidualBlock* const block = batch->block(CheckRow(*batch, row));
  return block->index() < 0 ? nullptr : block;
}

ResidualBatchId Problem::GetResidualBatchForResidualBlock(
    const ResidualBlockId residual_block, std::int64_t* row) const {
  const internal::ResidualBlock& block =
      *impl_->GetResidualBlock(residual_block);
  if (!block.is_batch_row()) return nullptr;
  const auto& batch_row =
      static_cast<const internal::BatchRow&>(*block.cost_function());
  if (row != nullptr) *row = batch_row.number();
  return impl_->residual_batches().at(batch_row.batch().serial).get();
}

void Problem::SetResidualBatchWeights(ResidualBatchId batch,
                                      const double* weights) {
  impl_->CheckIsNotBeingSolved();
  impl_->GetResidualBatch(batch)->set_weights(weights);
  impl_->NoteChangedRows(*batch, 0, batch->num_rows());
}

void Problem::SetRowActive(ResidualBatchId batch, std::int64_t row,
                           bool is_active) {
  impl_->CheckIsNotBeingSolved();
  impl_->GetResidualBatch(batch);
  if (batch->is_active(CheckRow(*batch, row)) == is_active) return;
  batch->SetActive(row, is_active);
  impl_->NoteChangedRows(*batch, row, row + 1);
}

bool Problem::IsRowActive(ResidualBatchId batch, std::int64_t row) const {
  impl_->GetResidualBatch(batch);
  return batch->is_active(CheckRow(*batch, row));
}

void Problem::SetResidualBatchName(ResidualBatchId batch,
                                   const std::string& name) {
  impl_->GetResidualBatch(batch)->name = name;
}

const std::string& Problem::GetResidualBatchName(ResidualBatchId batch) const {
  return impl_->GetResidualBatch(batch)->name;
}

namespace internal {

void ProblemImpl::AddParameterArray(const ParameterArray& array,
                                    Manifold* manifold) {
  const std::int64_t count = array.count();
  VESTA_CHECK_GE(count, 0)
      << "A parameter array has a negative number of parameter blocks.";
  VESTA_CHECK_GE(array.size(), 1)
      << "The parameter blocks of an array must have a positive size.";
  VESTA_CHECK_LE(count, std::numeric_limits<int>::max() / array.size())
      << "The parameter array has " << count << " parameter blocks of size "
      << array.size()
      << ", more than Problem::NumParameters can count. Solve the problem in "
         "parts.";
  VESTA_CHECK(array.values() != nullptr || count == 0)
      << "The parameter array is null.";
  const std::size_t first = parameter_blocks_.size();
  try {
    ReserveMore(count, &parameter_blocks_);
    if (count > 0) parameter_map_.Reserve(parameter_map_.size() + count);
    for (std::int64_t i = 0; i < count; ++i) {
      AddParameterBlock(array[i], array.size());
    }
  } catch (...) {
    TakeBackParameterBlocks(first);
    throw;
  }
  if (manifold == nullptr) return;
  for (std::int64_t i = 0; i < count; ++i) {
    SetManifold(GetParameterBlock(array[i]), manifold);
  }
  if (count == 0 && options_.manifold_ownership == TAKE_OWNERSHIP) {
    OwnManifold(manifold);
  }
}

// The parameter blocks of one argument, by row.
class ProblemImpl::BatchColumn {
 public:
  // One block for all rows.
  explicit BatchColumn(ParameterBlock* block) : one_(block) {}

  // The block of row i is that of index i in the array; it is found in `map` if
  // there are few rows. k: the number of the argument.
  BatchColumn(const BatchArgument& argument, int k, std::int64_t num_rows,
              const ParameterMap& map)
      : k_(k),
        array_(&argument.array()),
        narrow_(argument.narrow_indices()),
        wide_(argument.wide_indices()),
        map_(&map) {
    // A look-up takes as long as some entries of the table.
    constexpr int kFewRows = 4;
    if (num_rows >= array_->count() / kFewRows) MakeTable();
  }

  // The block of a row, after CHECKs of the index.
  ParameterBlock* Find(std::int64_t row) const {
    if (one_ != nullptr) return one_;
    const std::int64_t i = narrow_ != nullptr ? narrow_[row] : wide_[row];
    if (i < 0 || i >= array_->count()) FailForIndex(row, i);
    ParameterBlock* const block =
        table_.empty() ? map_->Find(AddressKey((*array_)[i])) : table_[i];
    if (block == nullptr || block->size() != array_->size()) {
      FailForBlock(row, i, block);
    }
    return block;
  }

 private:
  void MakeTable() {
    // How many blocks ahead the slot of a block is fetched into the cache.
    constexpr std::int64_t kAhead = 16;
    table_.resize(array_->count());
    for (std::int64_t i = 0; i < array_->count(); ++i) {
      CERES_PREFETCH(map_->FirstSlot(
          AddressKey((*array_)[std::min(i + kAhead, array_->count() - 1)])));
      table_[i] = map_->Find(AddressKey((*array_)[i]));
    }
  }

  [[noreturn]] void FailForIndex(std::int64_t row, std::int64_t i) const {
    VESTA_FATAL() << "Row " << row << " of the residual batch has the index "
                  << i << " for argument " << k_
                  << ", which is out of range: the parameter array has "
                  << CountOf(array_->count(), "parameter block") << ".";
  }
  [[noreturn]] void FailForBlock(std::int64_t row, std::int64_t i,
                                 const ParameterBlock* block) const {
    VESTA_CHECK(block == nullptr)
        << "Row " << row << " of the residual batch has parameter block " << i
        << " of an array for argument " << k_
        << ". The problem has it with size " << block->size()
        << ", the array with size " << array_->size() << ".";
    VESTA_FATAL() << "Row " << row << " of the residual batch has parameter "
                  << "block " << i << " of an array for argument " << k_
                  << ", which is not in the problem: AddParameterArray was not "
                     "called, or the block was removed.";
  }

  int k_ = 0;
  ParameterBlock* one_ = nullptr;
  const ParameterArray* array_ = nullptr;
  const std::int32_t* narrow_ = nullptr;  // the indices, if they are narrow
  const std::int64_t* wide_ = nullptr;    // the indices, if they are wide
  const ParameterMap* map_ = nullptr;
  PagedVector<ParameterBlock*> table_;  // by index; empty: see map_
};

// Argument k of a batch.
ProblemImpl::BatchColumn ProblemImpl::ColumnOf(const BatchArgument& argument,
                                               int k, int size,
                                               std::int64_t num_rows) {
  if (argument.is_one_block()) {
    return BatchColumn(AddParameterBlock(argument.array().values(), size));
  }
  VESTA_CHECK_EQ(argument.array().size(), size)
      << "The parameter blocks of an array have the size on the left. Argument "
      << k << " of the residual batch has the size on the right.";
  const bool has_indices = argument.narrow_indices() != nullptr ||
                           argument.wide_indices() != nullptr;
  VESTA_CHECK(has_indices || num_rows == 0)
      << "Argument " << k
      << " of the residual batch has no indices: null was given.";
  VESTA_CHECK(argument.num_indices() < 0 || argument.num_indices() == num_rows)
      << "Argument " << k << " of the residual batch has "
      << CountOf(argument.num_indices(), "index", "indices")
      << ". The batch has " << CountOf(num_rows, "row") << ".";
  return BatchColumn(argument, k, num_rows, parameter_map_);
}

namespace {

void CheckCounts(const ResidualBatch& batch, std::int64_t num_residual_blocks,
                 std::int64_t num_residuals) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  const std::int64_t num_rows = batch.num_rows();
  VESTA_CHECK_LE(num_rows, kMost - num_residual_blocks)
      << "The problem has " << CountOf(num_residual_blocks, "residual block")
      << ". With the residual batch of " << CountOf(num_rows, "row")
      << " it would have more than Problem::NumResidualBlocks can count. "
         "Solve it in parts.";
  // The product cannot overflow: both factors have 32 bits.
  VESTA_CHECK_LE(num_rows * batch.num_residuals(), kMost - num_residuals)
      << "The problem has " << CountOf(num_residuals, "residual")
      << ". With the residual batch of " << CountOf(num_rows, "row") << " and "
      << CountOf(batch.num_residuals(), "residual")
      << " in each it would have more than Problem::NumResiduals can "
         "count. Solve it in parts.";
}

void CheckNoBlockTwiceInRow(const ResidualBlock& block, std::int64_t row) {
  ParameterBlock* const* const begin = block.parameter_blocks();
  for (int k = 1; k < block.num_parameter_blocks(); ++k) {
    ParameterBlock* const* const twice = std::find(begin, begin + k, begin[k]);
    VESTA_CHECK(twice == begin + k)
        << "Row " << row
        << " of the residual batch has one parameter block, at "
        << begin[k]->user_state() << ", for arguments " << (twice - begin)
        << " and " << k << ". The parameter blocks of a row must be distinct.";
  }
}

}  // namespace

AddedBatch* ProblemImpl::AddResidualBatch(
    std::unique_ptr<ResidualBatch> batch, LossFunction* loss_function,
    const std::vector<BatchArgument>& arguments) {
  VESTA_CHECK(batch != nullptr) << "The residual batch is null.";
  const std::vector<std::int32_t>& sizes = batch->parameter_block_sizes();
  VESTA_CHECK_EQ(sizes.size(), arguments.size())
      << "The residual batch's number of arguments (left) is not the number of "
         "those given (right).";
  const std::int64_t num_rows = batch->num_rows();
  CheckCounts(*batch, static_cast<std::int64_t>(residual_blocks_.size()),
              num_residuals_);
  const std::size_t block_size =
      ResidualBlock::MemorySize(static_cast<int>(sizes.size()), loss_function,
                                options_.enable_fast_removal);
  const std::size_t first = residual_blocks_.size();
  const std::size_t first_parameter_block = parameter_blocks_.size();
  void* blocks = nullptr;
  std::unique_ptr<AddedBatch> added;
  auto place = residual_batches_.end();
  try {
    std::vector<BatchColumn> columns;
    columns.reserve(sizes.size());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      columns.push_back(
          ColumnOf(arguments[k], static_cast<int>(k), sizes[k], num_rows));
    }
    ReserveMore(num_rows, &residual_blocks_);
    if (num_rows > 0) {
      blocks = residual_block_pool_.AllocatePiece(num_rows * block_size);
    }
    added = std::make_unique<AddedBatch>(
        std::move(batch), static_cast<char*>(blocks), block_size);
    added->all = &residual_batches_;
    added->serial =
        residual_batches_.empty() ? 0 : residual_batches_.rbegin()->first + 1;
    // A place for the batch: nothing fails once it has been taken.
    place = residual_batches_.emplace_hint(residual_batches_.end(),
                                           added->serial, nullptr);
    AddRows(columns, loss_function, *added);
    if (num_rows == 0 && loss_function != nullptr && OwnsLossFunctions()) {
      OwnLossOfEmptyBatch(loss_function);
    }
    known_batches_.insert(added.get());
  } catch (...) {
    if (place != residual_batches_.end()) residual_batches_.erase(place);
    TakeBack(first, first_parameter_block);
    if (blocks != nullptr) residual_block_pool_.FreePiece(blocks);
    throw;
  }
  place->second = std::move(added);
  NoteStructuralChange();
  return place->second.get();
}

// No residual block uses the loss function, which must be deleted all the same.
void ProblemImpl::OwnLossOfEmptyBatch(const LossFunction* loss_function) {
  ReserveMore(1, &losses_of_empty_batches_);
  if (counting_uses_) ++loss_function_uses_[loss_function];
  losses_of_empty_batches_.push_back(loss_function);
}

void ProblemImpl::DeleteOwnedLossFunctions() {
  if (losses_of_empty_batches_.empty()) {
    DeleteLossFunctions(&residual_blocks_);
    return;
  }
  std::vector<const LossFunction*> all = std::move(losses_of_empty_batches_);
  for (const ResidualBlock* block : residual_blocks_) {
    if (block->has_loss_function()) all.push_back(block->loss_function());
  }
  DeleteEachOnce(std::move(all));
}

void ProblemImpl::AddRows(const std::vector<BatchColumn>& columns,
                          LossFunction* loss_function,
                          const AddedBatch& batch) {
  const auto num_arguments = static_cast<int>(columns.size());
  const bool has_lists =
      counting_uses_ || options_.enable_fast_removal || journal_ != nullptr;
  for (std::int64_t row = 0; row < batch.num_rows(); ++row) {
    auto* const block = new (batch.block(row))
        ResidualBlock(batch.rows() + row, loss_function, num_arguments,
                      static_cast<int>(residual_blocks_.size()));
    block->set_is_batch_row();
    for (int k = 0; k < num_arguments; ++k) {
      block->mutable_parameter_blocks()[k] = columns[k].Find(row);
    }
    if (!options_.disable_all_safety_checks) {
      CheckNoBlockTwiceInRow(*block, row);
    }
    if (has_lists) MakeRoomInLists(*block);
    FinishResidualBlock(block);
  }
}

void ProblemImpl::NoteChangedRows(const AddedBatch& batch, std::int64_t begin,
                                  std::int64_t end) {
  if (journal_ == nullptr) return;
  NoteStructuralChange();
  journal_->Reserve(2 * (end - begin));
  for (std::int64_t row = begin; row < end; ++row) {
    ResidualBlock* const block = batch.block(row);
    if (block->index() < 0) continue;
    journal_->NoteRemoved(block);
    journal_->NoteAdded(block);
  }
}

AddedBatch* ProblemImpl::GetResidualBatch(AddedBatch* batch) const {
  VESTA_CHECK(known_batches_.count(batch) == 1)
      << "The problem has no residual batch " << batch
      << ". It may have been removed already, or be of another "
         "problem.";
  return batch;
}

void ProblemImpl::RemoveResidualBatch(AddedBatch* batch) {
  NoteStructuralChange();
  if (batch->num_rows() > 0) {
    if (!counting_uses_) StartCountingUses();
    if (journal_ != nullptr) journal_->Reserve(batch->num_rows());
  }
  // From the last to the first, so that few entries are moved. Needs no memory.
  for (std::int64_t row = batch->num_rows(); row-- > 0;) {
    ResidualBlock* const block = batch->block(row);
    if (block->index() >= 0) RemoveResidualBlock(block);
  }
  if (batch->num_rows() > 0) residual_block_pool_.FreePiece(batch->block(0));
  known_batches_.erase(batch);
  const std::int64_t serial = batch->serial;
  residual_batches_.erase(serial);
}

}  // namespace internal
}  // namespace ceres
