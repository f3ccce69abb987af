// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/distributed/leaf_system.h"

#include <algorithm>
#include <unordered_map>

#include "ceres/linear/column_sums.h"
#include "ceres/linear/vector_ops.h"
#include "ceres/schur/iterative_reduced_system.h"

namespace ceres::internal {
namespace {

// The numbers of the leaf's remaining blocks in the reduced system, ascending.
std::vector<int> NumbersOf(const SharedLayout& layout,
                           const LocalLeaf& blocks) {
  std::unordered_map<const ParameterBlock*, int> number_of;
  for (std::size_t i = 0; i < layout.local_blocks.size(); ++i) {
    number_of[layout.local_blocks[i]] = layout.local_numbers[i];
  }
  std::vector<int> numbers;
  for (const auto* list : {&blocks.shared, &blocks.promoted}) {
    for (const ParameterBlock* block : *list) {
      numbers.push_back(number_of.at(block));
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<int> ColumnsOf(const RankColumns& columns,
                           const std::vector<int>& numbers) {
  std::vector<int> result;
  for (const int number : numbers) {
    result.push_back(columns.ColumnOfNumber(number));
  }
  return result;
}

Program MakeProgram(const Execution& execution, const RankColumns& columns,
                    const std::vector<int>& remaining_columns,
                    const LocalLeaf& blocks) {
  std::vector<ParameterBlock*> parameter_blocks = blocks.eliminated;
  for (const int column : remaining_columns) {
    parameter_blocks.push_back(columns.program().parameter_blocks()[column]);
  }
  return Program(parameter_blocks, static_cast<int>(blocks.eliminated.size()),
                 blocks.residual_blocks, execution);
}

Evaluator::Options EvaluatorOptions(const Execution& execution,
                                    SolveWorkspace* workspace) {
  Evaluator::Options options;
  options.execution = execution;
  options.workspace = workspace;
  return options;
}

}  // namespace

LeafSystem::LeafSystem(const Execution& execution, const RankColumns& columns,
                       const SharedLayout& layout, int leaf,
                       const LocalLeaf& blocks, const SchurSolverOptions* schur,
                       SolveWorkspace* workspace)
    : execution_(execution),
      columns_(columns),
      leaf_(leaf),
      remaining_numbers_(NumbersOf(layout, blocks)),
      remaining_columns_(ColumnsOf(columns, remaining_numbers_)),
      workspace_(workspace),
      program_(MakeProgram(execution, columns, remaining_columns_, blocks)),
      evaluator_(program_, EvaluatorOptions(execution, workspace)),
      state_(program_.num_state()),
      gradient_(program_.num_delta()),
      squared_column_norms_(program_.num_delta()),
      damping_(program_.num_delta()),
      step_(program_.num_delta()) {
  const BlockJacobianStructure& structure = evaluator_.structure();
  jacobian_.structure = &structure;
  jacobian_.values.Resize(execution, structure.num_values());
  for (const int number : remaining_numbers_) {
    remaining_size_ +=
        layout.block_offset[number + 1] - layout.block_offset[number];
    is_home_.push_back(
        layout.home_leaf[number] == layout.local_leaves[leaf] ? 1 : 0);
  }
  if (program_.num_row_blocks() == 0 || schur == nullptr) return;
  const bool is_iterative =
      schur->method == SchurSolverOptions::Method::kIterative;
  plan_ = is_iterative
              ? MakeIterativePlan(*schur, execution, structure)
              : std::make_unique<SchurPlan>(
                    execution, structure, ReducedMatrix::kSchurComplement,
                    kernels::PointDiagonal::kFused, SchurFormation::kChoose,
                    SchurPlaces::kNotInBatches);
  eliminator_ = std::make_unique<SchurEliminator>(
      execution, *plan_,
      plan_->matrix() == ReducedMatrix::kRemainingBlocks
          ? SchurEliminator::KeepU::kYes
          : SchurEliminator::KeepU::kNo,
      workspace);
  if (is_iterative && remaining_size_ > 0) {
    product_ = std::make_unique<SchurProductOperator>(execution, *plan_);
  }
}

void LeafSystem::LoadState(const double* rank_state) {
  const Program& rank = columns_.program();
  const std::vector<int>& offset = rank.state_offset();
  const RankColumns::Range mine = columns_.PrivateColumns(leaf_);
  double* to = std::copy(rank_state + offset[mine.begin],
                         rank_state + offset[mine.end], state_.data());
  for (const int column : remaining_columns_) {
    to = std::copy(rank_state + offset[column], rank_state + offset[column + 1],
                   to);
  }
}

void LeafSystem::LoadStep(const double* rank_step,
                          std::vector<double>* step) const {
  step->resize(program_.num_delta());
  const std::vector<int>& offset = columns_.program().delta_offset();
  const RankColumns::Range mine = columns_.PrivateColumns(leaf_);
  double* to = std::copy(rank_step + offset[mine.begin],
                         rank_step + offset[mine.end], step->data());
  for (const int column : remaining_columns_) {
    to = std::copy(rank_step + offset[column], rank_step + offset[column + 1],
                   to);
  }
}

Evaluator::Result LeafSystem::EvaluateCost(const double* rank_state,
                                           double* cost) {
  LoadState(rank_state);
  return evaluator_.EvaluateCost(state_.data(), true, cost, nullptr);
}

Evaluator::Result LeafSystem::EvaluateJacobian(const double* rank_state,
                                               double* cost,
                                               double* rank_gradient,
                                               double* rank_column_norms) {
  LoadState(rank_state);
  Evaluator::Result result = evaluator_.EvaluateJacobian(
      state_.data(), true, cost, &jacobian_, gradient_.data(),
      squared_column_norms_.data());
  if (!result) return result;
  const RankColumns::Range mine = columns_.PrivateColumns(leaf_);
  const int begin = columns_.program().delta_offset()[mine.begin];
  const int size = program_.num_delta() - remaining_size_;
  std::copy_n(gradient_.data(), size, rank_gradient + begin);
  std::copy_n(squared_column_norms_.data(), size, rank_column_norms + begin);
  return result;
}

void LeafSystem::CopyRemainingSums(double* sums) const {
  const std::vector<int>& offset = program_.delta_offset();
  for (int column = program_.num_eliminated();
       column < program_.num_column_blocks(); ++column) {
    for (const auto* values : {&gradient_, &squared_column_norms_}) {
      sums = std::copy(values->begin() + offset[column],
                       values->begin() + offset[column + 1], sums);
    }
  }
}

void LeafSystem::LoadDamping(const double* rank_damping,
                             std::vector<double>* damping) const {
  LoadStep(rank_damping, damping);
  const std::vector<int>& offset = program_.delta_offset();
  for (std::size_t i = 0; i < is_home_.size(); ++i) {
    if (is_home_[i] != 0) continue;
    const int column = program_.num_eliminated() + static_cast<int>(i);
    std::fill(damping->begin() + offset[column],
              damping->begin() + offset[column + 1], 0.0);
  }
}

bool LeafSystem::Eliminate(const double* rank_damping, std::string* message) {
  if (plan_ == nullptr) return true;
  LoadDamping(rank_damping, &damping_);
  EnterPhase(workspace_, SolvePhase::kEliminate);
  if (!eliminator_->Eliminate(jacobian_, damping_.data(), message))
    return false;
  EnterPhase(workspace_, SolvePhase::kAssemble);
  return true;
}

void LeafSystem::AssembleSystem(double* values) const {
  if (plan_ == nullptr || remaining_size_ == 0) return;
  eliminator_->AssembleBlocks(values);
  eliminator_->AssembleRhs(values + plan_->pattern().num_values());
}

double LeafSystem::BackSubstitute(double* rank_step) {
  if (plan_ == nullptr) return 0.0;
  LoadStep(rank_step, &step_);
  EnterPhase(workspace_, SolvePhase::kBackSubstitute);
  const double decrease = eliminator_->BackSubstitute(step_.data());
  const RankColumns::Range mine = columns_.PrivateColumns(leaf_);
  std::copy_n(step_.data(), program_.num_delta() - remaining_size_,
              rank_step + columns_.program().delta_offset()[mine.begin]);
  return decrease;
}

double LeafSystem::ModelCostChange(const double* rank_step) {
  LoadStep(rank_step, &step_);
  return internal::ModelCostChange(execution_, jacobian_, step_.data());
}

double LeafSystem::DotOfProducts(const double* rank_x, const double* rank_y) {
  const int num_rows = evaluator_.structure().num_rows();
  LoadStep(rank_x, &step_);
  products_[0].resize(num_rows);
  Multiply(execution_, jacobian_, step_.data(), products_[0].data());
  if (rank_x == rank_y) {
    return Dot(execution_, num_rows, products_[0].data(), products_[0].data());
  }
  LoadStep(rank_y, &other_step_);
  products_[1].resize(num_rows);
  Multiply(execution_, jacobian_, other_step_.data(), products_[1].data());
  return Dot(execution_, num_rows, products_[0].data(), products_[1].data());
}

std::vector<std::vector<int>> RemainingOf(
    const std::vector<std::unique_ptr<LeafSystem>>& leaves) {
  std::vector<std::vector<int>> numbers;
  numbers.reserve(leaves.size());
  for (const auto& leaf : leaves) numbers.push_back(leaf->remaining());
  return numbers;
}

}  // namespace ceres::internal
