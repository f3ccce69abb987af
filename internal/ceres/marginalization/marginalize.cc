// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ceres/base/format.h"
#include "ceres/linearization.h"
#include "ceres/linearization/linearization_data.h"
#include "ceres/linearized_prior.h"
#include "ceres/logging/logging.h"
#include "ceres/marginalization.h"
#include "ceres/marginalization/minus_derivative.h"
#include "ceres/marginalization/row_elimination.h"
#include "ceres/marginalization/row_groups.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"

namespace ceres {
namespace {

using internal::Format;
using internal::IndexLess;
using internal::LinearizationData;
using internal::ParameterBlock;
using internal::ProblemImpl;
using internal::ResidualBlock;
using internal::RowElimination;
using internal::SquareRoot;

// The steps of one call. Only Apply changes the problem.
class Marginalization {
 public:
  Marginalization(const MarginalizationOptions& options, Problem* problem,
                  MarginalizationSummary* summary)
      : options_(options),
        problem_(*problem),
        impl_(*problem->mutable_impl()),
        summary_(*summary) {}

  void Run(const std::vector<double*>& parameter_blocks) {
    FindRemoved(parameter_blocks);
    FindResidualBlocks();
    FindNeighbours();
    if (HasBounds() || HasConstraints() || !ComputePrior()) return;
    Apply();
  }

 private:
  void FindRemoved(const std::vector<double*>& parameter_blocks);
  void FindResidualBlocks();
  void FindNeighbours();
  bool HasBounds();
  bool HasConstraints();
  bool ComputePrior();
  bool MakePrior(SquareRoot root);
  bool ShiftToPoint(const ParameterBlock& block,
                    const ColMajorMatrix& columns_of_block, Vector* b);
  void Apply();

  const MarginalizationOptions& options_;
  Problem& problem_;
  ProblemImpl& impl_;
  MarginalizationSummary& summary_;
  std::vector<ParameterBlock*> removed_;     // by index, without repetition
  std::vector<ParameterBlock*> neighbours_;  // by index
  std::vector<ResidualBlock*> residual_blocks_;
  std::unique_ptr<LinearizedPrior> prior_;  // null: rank 0
};

void Marginalization::FindRemoved(
    const std::vector<double*>& parameter_blocks) {
  for (const double* values : parameter_blocks) {
    removed_.push_back(impl_.GetParameterBlock(values));
  }
  std::sort(removed_.begin(), removed_.end(), IndexLess);
  const auto twice = std::adjacent_find(removed_.begin(), removed_.end());
  VESTA_CHECK(twice == removed_.end())
      << "Marginalize was given the parameter block at "
      << (*twice)->user_state() << " twice.";
  for (const ParameterBlock* block : removed_) {
    summary_.removed_parameter_blocks.push_back(block->user_state());
  }
}

// The residual blocks that depend on a removed block, in the problem's order.
void Marginalization::FindResidualBlocks() {
  if (impl_.options().enable_fast_removal) {
    std::unordered_set<ResidualBlock*> found;
    for (const ParameterBlock* block : removed_) {
      found.insert(block->dependents().begin(), block->dependents().end());
    }
    residual_blocks_.assign(found.begin(), found.end());
    std::sort(residual_blocks_.begin(), residual_blocks_.end(),
              [](const ResidualBlock* a, const ResidualBlock* b) {
                return a->index() < b->index();
              });
  } else {
    const auto is_removed = [this](ParameterBlock* block) {
      return std::binary_search(removed_.begin(), removed_.end(), block,
                                IndexLess);
    };
    for (ResidualBlock* block : impl_.residual_blocks()) {
      ParameterBlock* const* begin = block->parameter_blocks();
      if (std::any_of(begin, begin + block->num_parameter_blocks(),
                      is_removed)) {
        residual_blocks_.push_back(block);
      }
    }
  }
  summary_.num_removed_residual_blocks =
      static_cast<int>(residual_blocks_.size());
  for (const ResidualBlock* block : residual_blocks_) {
    summary_.num_removed_residuals += block->num_residuals();
  }
}

void Marginalization::FindNeighbours() {
  for (const ResidualBlock* block : residual_blocks_) {
    neighbours_.insert(
        neighbours_.end(), block->parameter_blocks(),
        block->parameter_blocks() + block->num_parameter_blocks());
  }
  std::sort(neighbours_.begin(), neighbours_.end(), IndexLess);
  neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()),
                    neighbours_.end());
  const auto is_none = [this](ParameterBlock* block) {
    return block->IsConstant() ||
           std::binary_search(removed_.begin(), removed_.end(), block,
                              IndexLess);
  };
  neighbours_.erase(
      std::remove_if(neighbours_.begin(), neighbours_.end(), is_none),
      neighbours_.end());
  for (const ParameterBlock* block : neighbours_) {
    summary_.neighbours.push_back(block->user_state());
    summary_.num_columns += block->tangent_size();
  }
}

bool Marginalization::HasBounds() {
  for (const ParameterBlock* block : removed_) {
    if (!block->has_bounds() || block->IsConstant()) continue;
    summary_.message = Format(
        "Parameter block %d (at %p, size %d) has bounds, and the least cost "
        "within bounds has no quadratic prior. Remove its bounds, or set it "
        "constant, before it is marginalized.",
        block->index(), static_cast<void*>(block->user_state()), block->size());
    return true;
  }
  return false;
}

bool Marginalization::HasConstraints() {
  for (const auto& constraint : impl_.constraints()) {
    for (ParameterBlock* block : constraint->parameter_blocks) {
      if (!std::binary_search(removed_.begin(), removed_.end(), block,
                              IndexLess)) {
        continue;
      }
      summary_.message = Format(
          "Parameter block %d (at %p, size %d) has the constraint \"%s\", "
          "which "
          "a prior cannot replace. Remove the constraint, or set the block "
          "constant and remove it, instead of marginalizing it.",
          block->index(), static_cast<void*>(block->user_state()),
          block->size(), constraint->Label().c_str());
      return true;
    }
  }
  return false;
}

// Column blocks of the linearization: varying removed blocks, then neighbours.
bool Marginalization::ComputePrior() {
  if (residual_blocks_.empty()) return true;
  std::vector<int> block_sizes;
  LinearizationOptions linearize;
  linearize.num_threads = options_.num_threads;
  for (const ParameterBlock* block : removed_) {
    if (block->IsConstant()) continue;
    linearize.parameter_blocks.push_back(block->user_state());
    block_sizes.push_back(block->tangent_size());
    summary_.num_eliminated_columns += block->tangent_size();
  }
  const int num_eliminated = static_cast<int>(block_sizes.size());
  for (const ParameterBlock* block : neighbours_) {
    linearize.parameter_blocks.push_back(block->user_state());
    block_sizes.push_back(block->tangent_size());
  }
  // Everything is constant: there is nothing to keep. An empty list would stand
  // for all blocks.
  if (block_sizes.empty()) return true;

  std::string message;
  const std::unique_ptr<LinearizationData> data =
      internal::LinearizeProblem(linearize, residual_blocks_, &impl_, &message);
  if (data == nullptr) {
    summary_.message = "The residual blocks cannot be linearized. " + message;
    return false;
  }
  summary_.removed_cost = data->cost;
  RowElimination elimination(data->execution, options_.method,
                             options_.rank_tolerance, std::move(block_sizes),
                             internal::RowGroupsOf(*data));
  elimination.EliminateFirst(num_eliminated);
  SquareRoot root = elimination.TakeRest(num_eliminated);
  summary_.eliminated_rank = elimination.eliminated_rank();
  summary_.least_cost = elimination.least_cost();
  summary_.rank = root.rank();
  summary_.condition_number = root.condition_number;
  const int n = static_cast<int>(neighbours_.size());
  summary_.num_neighbour_pairs = n * (n - 1) / 2;
  if (root.rank() > 0) {
    summary_.num_fill_pairs =
        summary_.num_neighbour_pairs -
        internal::CountCoupledPairs(residual_blocks_, neighbours_);
  }
  return root.rank() == 0 || MakePrior(std::move(root));
}

// The prior is about the current values x1; A (x boxminus x1) + b. For a block
// with the linearization point x0, x boxminus x1 is, to first order, x boxminus
// x0 - x1 boxminus x0: b becomes b - A (x1 boxminus x0).
bool Marginalization::ShiftToPoint(const ParameterBlock& block,
                                   const ColMajorMatrix& columns_of_block,
                                   Vector* b) {
  const double* point = block.linearization_point();
  Vector difference(block.tangent_size());
  const double* x0 = point == nullptr ? block.user_state() : point;
  if (!internal::Minus(block.manifold(), block.size(), block.user_state(), x0,
                       difference.data())) {
    summary_.message = Format(
        "Parameter block %d (at %p, size %d) shares a residual block with a "
        "removed one, and the Minus of its manifold failed. A prior needs it: "
        "use a Manifold that has Minus, not a LocalParameterization.",
        block.index(), static_cast<void*>(block.user_state()), block.size());
    return false;
  }
  if (point != nullptr) *b -= columns_of_block * difference;
  return true;
}

bool Marginalization::MakePrior(SquareRoot root) {
  std::vector<LinearizedPrior::Block> blocks;
  Vector b = std::move(root.b);
  Eigen::Index column = 0;
  for (const ParameterBlock* block : neighbours_) {
    const int size = block->tangent_size();
    if (!ShiftToPoint(*block, root.a.middleCols(column, size), &b)) {
      return false;
    }
    const double* point = block->linearization_point();
    blocks.push_back(
        {ConstVectorRef(point == nullptr ? block->user_state() : point,
                        block->size()),
         block->manifold()});
    column += size;
  }
  if (!root.a.allFinite() || !b.allFinite()) {
    summary_.message =
        "The prior has values that are not finite: the Jacobian has entries "
        "that are too large. Scale the residuals.";
    return false;
  }
  prior_ = std::make_unique<LinearizedPrior>(Matrix(root.a), std::move(b),
                                             std::move(blocks));
  return true;
}

// If there is no memory, throws and leaves the problem as it is.
void Marginalization::Apply() {
  std::vector<ParameterBlock*> with_new_point;
  if (options_.first_estimate_jacobians) {
    for (ParameterBlock* block : neighbours_) {
      if (block->linearization_point() != nullptr) continue;
      with_new_point.push_back(block);
    }
  }
  for (const ParameterBlock* block : removed_) {
    impl_.PrepareToRemove(block, residual_blocks_.size());
  }
  try {
    for (ParameterBlock* block : with_new_point) {
      impl_.SetLinearizationPoint(block, block->user_state());
    }
    if (prior_ != nullptr) {
      // The neighbours have been found by their addresses, which are not const.
      summary_.prior =
          problem_.AddResidualBlock(prior_.get(), nullptr, summary_.neighbours);
      prior_.release();
    }
  } catch (...) {
    for (ParameterBlock* block : with_new_point) {
      impl_.SetLinearizationPoint(block, nullptr);
    }
    throw;
  }
  for (ResidualBlock* block : residual_blocks_) {
    impl_.RemoveResidualBlock(block);
  }
  for (ParameterBlock* block : removed_) impl_.RemoveParameterBlock(block);
}

}  // namespace

bool Marginalize(const MarginalizationOptions& options,
                 const std::vector<double*>& parameter_blocks, Problem* problem,
                 MarginalizationSummary* summary) {
  VESTA_CHECK(problem != nullptr)
      << "Marginalize needs a problem; it was given null.";
  VESTA_CHECK(summary != nullptr)
      << "Marginalize needs a summary; it was given null.";
  VESTA_CHECK_GT(options.num_threads, 0)
      << "MarginalizationOptions::num_threads must be positive.";
  *summary = MarginalizationSummary();
  Marginalization(options, problem, summary).Run(parameter_blocks);
  return summary->message.empty();
}

}  // namespace ceres
