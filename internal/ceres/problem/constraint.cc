// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/problem/constraint.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "ceres/logging/logging.h"
#include "ceres/problem.h"
#include "ceres/problem/delete_each_once.h"
#include "ceres/problem/problem_impl.h"

// The constraints of a problem: the functions of Problem and of ProblemImpl.

namespace ceres {

ConstraintId Problem::AddEqualityConstraint(
    CostFunction* cost_function, const std::vector<double*>& parameter_blocks) {
  VESTA_CHECK(cost_function != nullptr)
      << "A constraint needs a cost function; null was given.";
  const std::vector<double> zeros(cost_function->num_residuals(), 0.0);
  return impl_->AddConstraint(cost_function, zeros, zeros, parameter_blocks);
}

ConstraintId Problem::AddInequalityConstraint(
    CostFunction* cost_function, const std::vector<double>& lower,
    const std::vector<double>& upper,
    const std::vector<double*>& parameter_blocks) {
  return impl_->AddConstraint(cost_function, lower, upper, parameter_blocks);
}

void Problem::RemoveConstraint(ConstraintId constraint) {
  impl_->RemoveConstraint(impl_->GetConstraint(constraint));
}

int Problem::NumConstraints() const {
  return static_cast<int>(impl_->constraints().size());
}

void Problem::GetConstraints(std::vector<ConstraintId>* constraints) const {
  VESTA_CHECK(constraints != nullptr) << "The output is null.";
  constraints->clear();
  for (const auto& constraint : impl_->constraints()) {
    constraints->push_back(constraint.get());
  }
}

void Problem::SetConstraintName(ConstraintId constraint,
                                const std::string& name) {
  impl_->GetConstraint(constraint)->name = name;
}

const std::string& Problem::GetConstraintName(ConstraintId constraint) const {
  return impl_->GetConstraint(constraint)->name;
}

const std::vector<double>& Problem::GetMultipliers(
    ConstraintId constraint) const {
  return impl_->GetConstraint(constraint)->multipliers;
}

void Problem::SetMultipliers(ConstraintId constraint,
                             const std::vector<double>& multipliers) {
  std::vector<double>& to = impl_->GetConstraint(constraint)->multipliers;
  VESTA_CHECK_EQ(multipliers.size(), to.size())
      << "The constraint's number of coordinates (right) is not the number of "
         "multipliers (left).";
  to = multipliers;
}

namespace internal {

Constraint* ProblemImpl::AddConstraint(const CostFunction* cost_function,
                                       std::vector<double> lower,
                                       std::vector<double> upper,
                                       const std::vector<double*>& values) {
  VESTA_CHECK(cost_function != nullptr)
      << "A constraint needs a cost function; null was given.";
  const std::vector<int32_t>& sizes = cost_function->parameter_block_sizes();
  VESTA_CHECK_EQ(sizes.size(), values.size())
      << "The cost function's number of parameter blocks (left) is not the "
         "number of those given (right).";
  const std::size_t size = cost_function->num_residuals();
  VESTA_CHECK_EQ(size, lower.size())
      << "The constraint's number of coordinates (left) is not the number of "
         "lower bounds (right).";
  VESTA_CHECK_EQ(size, upper.size())
      << "The constraint's number of coordinates (left) is not the number of "
         "upper bounds (right).";
  auto constraint = std::make_unique<Constraint>();
  constraint->cost_function = cost_function;
  for (std::size_t k = 0; k < values.size(); ++k) {
    ParameterBlock* const block = AddParameterBlock(values[k], sizes[k]);
    const std::vector<ParameterBlock*>& blocks = constraint->parameter_blocks;
    VESTA_CHECK(std::find(blocks.begin(), blocks.end(), block) == blocks.end())
        << "The parameter block at " << values[k]
        << " is given twice to one constraint. A cost function's parameter "
           "blocks must be distinct.";
    constraint->parameter_blocks.push_back(block);
  }
  constraint->lower = std::move(lower);
  constraint->upper = std::move(upper);
  constraint->multipliers.assign(size, 0.0);
  constraint->index = static_cast<int>(constraints_.size());
  NoteStructuralChange();
  known_constraints_.insert(constraint.get());
  constraints_.push_back(std::move(constraint));
  if (counting_uses_ && OwnsCostFunctions()) {
    ++cost_function_uses_[cost_function];
  }
  return constraints_.back().get();
}

Constraint* ProblemImpl::GetConstraint(Constraint* constraint) const {
  VESTA_CHECK(known_constraints_.count(constraint) != 0)
      << "The problem has no constraint " << constraint
      << ". It may have been removed already, with one of its "
         "parameter blocks perhaps, or be of another problem.";
  return constraint;
}

void ProblemImpl::RemoveConstraint(Constraint* constraint) {
  NoteStructuralChange();
  if (!counting_uses_) StartCountingUses();
  const CostFunction* const cost_function = constraint->cost_function;
  const int hole = constraint->index;
  known_constraints_.erase(constraint);
  std::swap(constraints_[hole], constraints_.back());
  constraints_[hole]->index = hole;
  constraints_.pop_back();
  if (OwnsCostFunctions()) Release(cost_function, &cost_function_uses_);
}

std::string ProblemImpl::RefuseConstraints(const char* function) const {
  if (constraints_.empty()) return "";
  return std::string(function) +
         " does not support constraints (Problem::AddEqualityConstraint), and "
         "the problem has some, \"" +
         constraints_.front()->Label() + "\" for example.";
}

void ProblemImpl::RemoveConstraintsOf(const ParameterBlock* parameter_block) {
  for (std::size_t i = constraints_.size(); i-- > 0;) {
    const std::vector<ParameterBlock*>& blocks =
        constraints_[i]->parameter_blocks;
    if (std::find(blocks.begin(), blocks.end(), parameter_block) !=
        blocks.end()) {
      RemoveConstraint(constraints_[i].get());
    }
  }
}

void ProblemImpl::DeleteOwnedCostFunctions() {
  if (constraints_.empty() && residual_batches_.empty()) {
    DeleteCostFunctions(&residual_blocks_);
    return;
  }
  if (constraints_.empty()) {
    DeleteEachOnceOf(
        [](const ResidualBlock* block) {
          return block->is_batch_row() ? nullptr : block->cost_function();
        },
        &residual_blocks_);
    return;
  }
  std::vector<const CostFunction*> functions;
  for (const ResidualBlock* block : residual_blocks_) {
    if (OwnsCostFunctionOf(*block)) functions.push_back(block->cost_function());
  }
  for (const auto& constraint : constraints_) {
    functions.push_back(constraint->cost_function);
  }
  DeleteEachOnce(std::move(functions));
}

}  // namespace internal
}  // namespace ceres
