// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/problem_impl.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <new>

#include "ceres/base/reserve_more.h"
#include "ceres/logging/logging.h"
#include "ceres/problem/delete_each_once.h"

namespace ceres::internal {
namespace {

void CheckNoBlockTwice(double* const* values, int num_values) {
  // For few blocks, comparing all pairs is faster than sorting.
  constexpr int kMaxNumForPairs = 12;
  const double* twice = nullptr;
  if (num_values <= kMaxNumForPairs) {
    for (int i = 1; i < num_values; ++i) {
      for (int j = 0; j < i; ++j) {
        if (values[i] == values[j]) twice = values[i];
      }
    }
  } else {
    std::vector<double*> sorted(values, values + num_values);
    std::sort(sorted.begin(), sorted.end(), std::less<double*>());
    const auto it = std::adjacent_find(sorted.begin(), sorted.end());
    if (it != sorted.end()) twice = *it;
  }
  VESTA_CHECK(twice == nullptr)
      << "The parameter block at " << twice
      << " is given twice to one residual block. A cost "
      << "function's parameter blocks must be distinct.";
}

}  // namespace

ProblemImpl::ProblemImpl(const Problem::Options& options) : options_(options) {}

ProblemImpl::~ProblemImpl() {
  VESTA_CHECK(!is_being_solved_)
      << "The problem is destroyed while it is being solved. It must outlive "
         "Solve.";
  if (OwnsCostFunctions()) {
    DeleteOwnedCostFunctions();
  }
  if (OwnsLossFunctions()) {
    DeleteOwnedLossFunctions();
  }
  DeleteEachOnce(std::move(owned_manifolds_));
  // Residual blocks need no destructor.
  for (ParameterBlock* parameter_block : parameter_blocks_) {
    parameter_block->~ParameterBlock();
  }
}

ProblemImpl::BeingSolved::BeingSolved(ProblemImpl* problem)
    : problem_(*problem) {
  VESTA_CHECK(!problem_.is_being_solved_.exchange(true))
      << "The problem is being solved already. A callback or a cost function "
         "must not solve the problem that calls it, and two threads must not "
         "solve the same problem: use a problem for each.";
}

void ProblemImpl::FailForEdit() {
  VESTA_FATAL()
      << "The problem is being solved and cannot be changed: a callback, a "
         "cost function or another thread adds, removes or sets something. "
         "Stop the solve first: return SOLVER_TERMINATE_SUCCESSFULLY from the "
         "callback, change the problem, and solve again.";
}

bool ProblemImpl::OwnsCostFunctions() const {
  return options_.cost_function_ownership == TAKE_OWNERSHIP;
}

bool ProblemImpl::OwnsLossFunctions() const {
  return options_.loss_function_ownership == TAKE_OWNERSHIP;
}

ContextImpl* ProblemImpl::context() {
  if (options_.context != nullptr) {
    return ContextImpl::Of(options_.context);
  }
  if (own_context_ == nullptr) own_context_ = std::make_unique<ContextImpl>();
  return own_context_.get();
}

ResidualBlock* ProblemImpl::AddResidualBlock(CostFunction* cost_function,
                                             LossFunction* loss_function,
                                             double* const* values,
                                             int num_values) {
  ResidualBlock* residual_block =
      NewResidualBlock(cost_function, loss_function, values, num_values);
  const std::size_t num_parameter_blocks = parameter_blocks_.size();
  try {
    FillArguments(values, residual_block);
    if (residual_blocks_.size() == residual_blocks_.capacity()) {
      // The first size is just below a kilobyte: see BlockPool::AddChunk.
      ReserveMore(residual_blocks_.empty() ? 120 : 1, &residual_blocks_);
    }
    if (counting_uses_ || options_.enable_fast_removal || journal_ != nullptr) {
      MakeRoomInLists(*residual_block);
    }
  } catch (...) {
    FreeResidualBlock(residual_block);
    TakeBackParameterBlocks(num_parameter_blocks);
    throw;
  }
  FinishResidualBlock(residual_block);
  return residual_block;
}

// In lists that few problems have.
void ProblemImpl::MakeRoomInLists(const ResidualBlock& residual_block) {
  if (journal_ != nullptr) journal_->Reserve(1);
  if (options_.enable_fast_removal) {
    for (int i = 0; i < residual_block.num_parameter_blocks(); ++i) {
      ReserveMore(1,
                  residual_block.parameter_blocks()[i]->mutable_dependents());
    }
  }
  // The last one that can throw: a use is counted in both lists, or in none.
  if (counting_uses_) CountUses(residual_block);
}

// Takes back the parameter blocks from number `first` on. No residual block
// uses them.
void ProblemImpl::TakeBackParameterBlocks(std::size_t first) noexcept {
  while (parameter_blocks_.size() > first) {
    EraseParameterBlock(parameter_blocks_.back());
  }
}

// As if the newest residual blocks, from number `first` on, and the newest
// parameter blocks had not been added.
void ProblemImpl::TakeBack(std::size_t first,
                           std::size_t first_parameter_block) noexcept {
  while (residual_blocks_.size() > first) {
    ResidualBlock* const newest = residual_blocks_.back();
    if (journal_ != nullptr) journal_->ForgetNewest();
    if (options_.enable_fast_removal) RemoveFromDependents(newest);
    if (counting_uses_) UncountUses(*newest);
    num_residuals_ -= newest->num_residuals();
    residual_blocks_.pop_back();
    FreeResidualBlock(newest);
  }
  TakeBackParameterBlocks(first_parameter_block);
}

void ProblemImpl::FreeResidualBlock(ResidualBlock* residual_block) noexcept {
  const std::size_t size =
      residual_block->MemorySize(options_.enable_fast_removal);
  // GetResidualBlock recognizes freed blocks by this index.
  residual_block->set_index(-1);
  // The memory of all rows of a batch is freed with the batch.
  if (residual_block->is_batch_row()) return;
  residual_block_pool_.Free(residual_block, size);
}

void ProblemImpl::FillArguments(double* const* values,
                                ResidualBlock* residual_block) {
  ParameterBlock** arguments = residual_block->mutable_parameter_blocks();
  const int32_t* sizes =
      residual_block->cost_function()->parameter_block_sizes().data();
  for (int k = 0; k < residual_block->num_parameter_blocks(); ++k) {
    arguments[k] = last_arguments_.Find(k, values[k], sizes[k]);
    if (arguments[k] == nullptr) {
      arguments[k] = AddParameterBlock(values[k], sizes[k]);
      last_arguments_.Set(k, arguments[k]);
    }
  }
}

ResidualBlock* ProblemImpl::NewResidualBlock(CostFunction* cost_function,
                                             LossFunction* loss_function,
                                             double* const* values,
                                             int num_values) {
  VESTA_CHECK(cost_function != nullptr)
      << "A residual block needs a cost function; null was given.";
  VESTA_CHECK_EQ(
      static_cast<int>(cost_function->parameter_block_sizes().size()),
      num_values)
      << "The cost function's number of parameter blocks (left) is not the "
      << "number of those given (right).";
  if (!options_.disable_all_safety_checks) {
    CheckNoBlockTwice(values, num_values);
  }

  void* memory = residual_block_pool_.Allocate(ResidualBlock::MemorySize(
      num_values, loss_function, options_.enable_fast_removal));
  return new (memory) ResidualBlock(cost_function, loss_function, num_values,
                                    static_cast<int>(residual_blocks_.size()));
}

// Needs no memory.
void ProblemImpl::FinishResidualBlock(ResidualBlock* residual_block) {
  const int64_t num_residuals =
      int64_t{num_residuals_} + residual_block->num_residuals();
  VESTA_CHECK_LE(num_residuals, std::numeric_limits<int>::max())
      << "The problem would have " << num_residuals
      << " residuals, more than Problem::NumResiduals can count. Solve it in "
         "parts.";
  residual_blocks_.push_back(residual_block);
  NoteStructuralChange();
  if (journal_ != nullptr) journal_->NoteAdded(residual_block);
  num_residuals_ = static_cast<int>(num_residuals);

  if (options_.enable_fast_removal) AddToDependents(residual_block);
}

ParameterBlock* ProblemImpl::AddParameterBlock(double* values, int size) {
  VESTA_CHECK(values != nullptr)
      << "The parameter block number " << parameter_blocks_.size()
      << " to be added to the problem is null.";
  ParameterBlock*& place = *parameter_map_.FindOrInsert(AddressKey(values));
  if (place == nullptr) {
    try {
      place = NewParameterBlock(values, size);
    } catch (...) {
      parameter_map_.Erase(AddressKey(values));
      throw;
    }
  } else if (!options_.disable_all_safety_checks) {
    CheckSize(*place, size);
  }
  return place;
}

ParameterBlock* ProblemImpl::NewParameterBlock(double* values, int size) {
  VESTA_CHECK_GE(size, 0) << "The parameter block at " << values
                          << " has a negative size.";
  constexpr std::size_t kFew = 8;
  if (parameter_blocks_.empty()) parameter_blocks_.reserve(kFew);
  ReserveMore(1, &parameter_blocks_);
  void* memory = parameter_block_pool_.Allocate(sizeof(ParameterBlock));
  try {
    if (!options_.disable_all_safety_checks &&
        !occupied_memory_.Add(values, size)) {
      FailForOverlap(values, size);
    }
  } catch (const std::bad_alloc&) {
    parameter_block_pool_.Free(memory, sizeof(ParameterBlock));
    throw;
  }
  // The rest needs no memory.
  auto* parameter_block = new (memory)
      ParameterBlock(values, size, static_cast<int>(parameter_blocks_.size()));
  parameter_blocks_.push_back(parameter_block);
  NoteStructuralChange();
  const int64_t num_parameters = int64_t{num_parameters_} + size;
  VESTA_CHECK_LE(num_parameters, std::numeric_limits<int>::max())
      << "The problem would have " << num_parameters
      << " parameters, more than Problem::NumParameters can count. Solve it in "
         "parts.";
  num_parameters_ = static_cast<int>(num_parameters);
  return parameter_block;
}

void ProblemImpl::CheckSize(const ParameterBlock& parameter_block,
                            int size) const {
  VESTA_CHECK_EQ(parameter_block.size(), size)
      << "The parameter block at " << parameter_block.user_state()
      << " is in the problem with the size on the left, and is now used with "
      << "the size on the right. Its index in the problem is "
      << parameter_block.index() << ".";
}

void ProblemImpl::FailForOverlap(const double* values, int size) const {
  const std::less<const double*> before;
  for (const ParameterBlock* other : parameter_blocks_) {
    const double* other_end = other->user_state() + other->size();
    if (before(values, other_end) &&
        before(other->user_state(), values + size)) {
      VESTA_FATAL() << "The parameter block [" << values << ", "
                    << values + size << ") of size " << size
                    << " shares memory with the parameter block ["
                    << other->user_state() << ", " << other_end << ") of size "
                    << other->size() << ", which has index " << other->index()
                    << " in the problem. Parameter blocks must not overlap.";
    }
  }
  VESTA_FATAL() << "The parameter block at " << values << " of size " << size
                << " shares memory with another one.";
}

// A program may set a few manifolds for many blocks. Whenever the list has
// doubled, repetitions are removed from it.
void ProblemImpl::OwnManifold(const Manifold* manifold) noexcept {
  owned_manifolds_.push_back(manifold);
  if (owned_manifolds_.size() < max_owned_manifolds_) return;
  std::sort(owned_manifolds_.begin(), owned_manifolds_.end(),
            std::less<const Manifold*>());
  owned_manifolds_.erase(
      std::unique(owned_manifolds_.begin(), owned_manifolds_.end()),
      owned_manifolds_.end());
  max_owned_manifolds_ =
      std::max(max_owned_manifolds_, 2 * owned_manifolds_.size());
}

void ProblemImpl::SetManifold(ParameterBlock* parameter_block,
                              Manifold* manifold) {
  NoteChange(parameter_block);
  // A manifold whose functions throw is not owned.
  ReserveMore(1, &owned_manifolds_);
  parameter_block->SetManifold(manifold);
  if (manifold != nullptr && options_.manifold_ownership == TAKE_OWNERSHIP &&
      (owned_manifolds_.empty() || owned_manifolds_.back() != manifold)) {
    OwnManifold(manifold);
  }
}

void ProblemImpl::SetParameterization(ParameterBlock* parameter_block,
                                      LocalParameterization* parameterization) {
  NoteChange(parameter_block);
  if (parameterization == nullptr) {
    parameter_block->SetManifold(nullptr);
    return;
  }
  std::unique_ptr<ParameterizationManifold>& manifold =
      parameterizations_[parameterization];
  if (manifold == nullptr) {
    manifold = std::make_unique<ParameterizationManifold>(
        parameterization, options_.local_parameterization_ownership);
  }
  parameter_block->SetManifold(manifold.get());
}

ParameterBlock* ProblemImpl::FindParameterBlock(const double* values) const {
  return values == nullptr ? nullptr : parameter_map_.Find(AddressKey(values));
}

ParameterBlock* ProblemImpl::GetParameterBlock(const double* values) const {
  ParameterBlock* parameter_block = FindParameterBlock(values);
  VESTA_CHECK(parameter_block != nullptr)
      << "The problem has no parameter block at " << values
      << ". Parameter blocks are added by AddParameterBlock or "
      << "AddResidualBlock, and named by the address given there.";
  return parameter_block;
}

ResidualBlock* ProblemImpl::GetResidualBlock(
    ResidualBlock* residual_block) const {
  VESTA_CHECK(residual_block != nullptr) << "The residual block is null.";
  const bool is_ours =
      residual_block_pool_.Contains(residual_block) &&
      residual_block->index() >= 0 &&
      residual_block->index() < static_cast<int>(residual_blocks_.size()) &&
      residual_blocks_[residual_block->index()] == residual_block;
  VESTA_CHECK(is_ours) << "The problem has no residual block " << residual_block
                       << ". It may have been removed already, with one of its "
                       << "parameter blocks perhaps, or be of another problem.";
  return residual_block;
}

std::vector<ResidualBlock*> ProblemImpl::DependentResidualBlocks(
    const ParameterBlock* parameter_block) const {
  if (options_.enable_fast_removal) return parameter_block->dependents();
  std::vector<ResidualBlock*> dependents;
  for (ResidualBlock* residual_block : residual_blocks_) {
    ParameterBlock* const* begin = residual_block->parameter_blocks();
    ParameterBlock* const* end = begin + residual_block->num_parameter_blocks();
    if (std::find(begin, end, parameter_block) != end) {
      dependents.push_back(residual_block);
    }
  }
  return dependents;
}

void ProblemImpl::AddToDependents(ResidualBlock* residual_block) {
  ParameterBlock** arguments = residual_block->mutable_parameter_blocks();
  int* places = residual_block->mutable_dependent_places();
  for (int i = 0; i < residual_block->num_parameter_blocks(); ++i) {
    std::vector<ResidualBlock*>* dependents =
        arguments[i]->mutable_dependents();
    places[i] = static_cast<int>(dependents->size());
    dependents->push_back(residual_block);
  }
}

void ProblemImpl::RemoveFromDependents(ResidualBlock* residual_block) {
  for (int i = 0; i < residual_block->num_parameter_blocks(); ++i) {
    ParameterBlock* parameter_block = residual_block->parameter_blocks()[i];
    std::vector<ResidualBlock*>& dependents =
        *parameter_block->mutable_dependents();
    // Move the last entry to the place of the removed one.
    const int hole = residual_block->mutable_dependent_places()[i];
    const int last = static_cast<int>(dependents.size()) - 1;
    ResidualBlock* moved = dependents[last];
    dependents[hole] = moved;
    dependents.pop_back();
    int* places = moved->mutable_dependent_places();
    for (int k = 0; k < moved->num_parameter_blocks(); ++k) {
      if (moved->parameter_blocks()[k] == parameter_block &&
          places[k] == last) {
        places[k] = hole;
      }
    }
  }
}

void ProblemImpl::StartCountingUses() {
  cost_function_uses_.clear();
  loss_function_uses_.clear();
  for (const ResidualBlock* residual_block : residual_blocks_) {
    CountUses(*residual_block);
  }
  if (OwnsCostFunctions()) {
    for (const auto& constraint : constraints_) {
      ++cost_function_uses_[constraint->cost_function];
    }
  }
  for (const LossFunction* loss_function : losses_of_empty_batches_) {
    ++loss_function_uses_[loss_function];
  }
  counting_uses_ = true;
}

void ProblemImpl::CountUses(const ResidualBlock& residual_block) {
  int* const cost_function_uses =
      OwnsCostFunctionOf(residual_block)
          ? &cost_function_uses_[residual_block.cost_function()]
          : nullptr;
  if (OwnsLossFunctions() && residual_block.loss_function() != nullptr) {
    ++loss_function_uses_[residual_block.loss_function()];
  }
  if (cost_function_uses != nullptr) ++*cost_function_uses;
}

// Does not delete the functions. An entry without uses may stay: it counts from
// 0 if the function, or another one at its address, is used again.
void ProblemImpl::UncountUses(const ResidualBlock& residual_block) {
  if (OwnsCostFunctionOf(residual_block)) {
    --cost_function_uses_.find(residual_block.cost_function())->second;
  }
  if (OwnsLossFunctions() && residual_block.loss_function() != nullptr) {
    --loss_function_uses_.find(residual_block.loss_function())->second;
  }
}

void ProblemImpl::ReleaseUses(const ResidualBlock& residual_block) {
  if (OwnsCostFunctionOf(residual_block)) {
    Release(residual_block.cost_function(), &cost_function_uses_);
  }
  if (OwnsLossFunctions() && residual_block.loss_function() != nullptr) {
    Release(residual_block.loss_function(), &loss_function_uses_);
  }
}

void ProblemImpl::RemoveResidualBlock(ResidualBlock* residual_block) {
  GetResidualBlock(residual_block);
  NoteStructuralChange();
  if (!counting_uses_) StartCountingUses();
  if (journal_ != nullptr) journal_->NoteRemoved(residual_block);
  if (options_.enable_fast_removal) RemoveFromDependents(residual_block);
  num_residuals_ -= residual_block->num_residuals();

  const int hole = residual_block->index();
  residual_blocks_[hole] = residual_blocks_.back();
  residual_blocks_[hole]->set_index(hole);
  residual_blocks_.pop_back();

  ReleaseUses(*residual_block);
  FreeResidualBlock(residual_block);
}

void ProblemImpl::SetLinearizationPoint(ParameterBlock* parameter_block,
                                        const double* point) {
  NoteStructuralChange();
  if (parameter_block->linearization_point() != nullptr) {
    --num_linearization_points_;
  }
  parameter_block->SetLinearizationPoint(point);
  if (parameter_block->linearization_point() != nullptr) {
    ++num_linearization_points_;
  }
}

void ProblemImpl::PrepareToRemove(const ParameterBlock* parameter_block,
                                  std::size_t num_residual_blocks) {
  if (num_residual_blocks > 0) {
    if (!counting_uses_) StartCountingUses();
    if (journal_ != nullptr) journal_->Reserve(num_residual_blocks);
  }
  if (kept_preprocessing_ != nullptr) {
    kept_preprocessing_->NoteRemoved(parameter_block);
  }
}

void ProblemImpl::RemoveParameterBlock(ParameterBlock* parameter_block) {
  NoteStructuralChange();
  // Erase from the last to the first, so that few entries are moved.
  const std::vector<ResidualBlock*> dependents =
      DependentResidualBlocks(parameter_block);
  PrepareToRemove(parameter_block, dependents.size());
  // The rest needs no memory.
  if (parameter_block->linearization_point() != nullptr) {
    --num_linearization_points_;
  }
  RemoveConstraintsOf(parameter_block);
  for (auto it = dependents.rbegin(); it != dependents.rend(); ++it) {
    // Without safety checks, a residual block may use the same parameter block
    // twice.
    if ((*it)->index() >= 0) RemoveResidualBlock(*it);
  }
  EraseParameterBlock(parameter_block);
}

// A block that no residual block uses.
void ProblemImpl::EraseParameterBlock(
    ParameterBlock* parameter_block) noexcept {
  if (!options_.disable_all_safety_checks) {
    occupied_memory_.Remove(parameter_block->user_state(),
                            parameter_block->size());
  }
  parameter_map_.Erase(AddressKey(parameter_block->user_state()));
  num_parameters_ -= parameter_block->size();

  const int hole = parameter_block->index();
  parameter_blocks_[hole] = parameter_blocks_.back();
  parameter_blocks_[hole]->set_index(hole);
  parameter_blocks_.pop_back();
  last_arguments_.Forget();
  parameter_block->~ParameterBlock();
  parameter_block_pool_.Free(parameter_block, sizeof(ParameterBlock));
}

}  // namespace ceres::internal
