// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/diagnosis/diagnosed_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "ceres/evaluation_callback.h"
#include "ceres/problem.h"
#include "ceres/sparse/independent_set.h"

namespace ceres::internal {
namespace {

// The coordinates that vary, if some have equal bounds and the block has no
// manifold; else empty.
std::vector<int> FreeCoordinates(const ParameterBlock& block) {
  if (block.manifold() != nullptr || !block.has_bounds()) return {};
  const std::vector<int> pinned = block.PinnedCoordinates();
  if (pinned.empty()) return {};
  std::vector<int> free;
  for (int k = 0; k < block.size(); ++k) {
    if (!std::binary_search(pinned.begin(), pinned.end(), k)) free.push_back(k);
  }
  return free;
}

// Restores the user's values at the end, also after an exception.
class UserMemoryGuard {
 public:
  UserMemoryGuard(const Program& program, const std::vector<double>* state)
      : program_(program), state_(*state) {}
  ~UserMemoryGuard() { program_.WriteUserMemory(state_.data()); }
  UserMemoryGuard(const UserMemoryGuard&) = delete;
  UserMemoryGuard& operator=(const UserMemoryGuard&) = delete;

 private:
  const Program& program_;
  const std::vector<double>& state_;
};

bool IsVariable(const ParameterBlock& block) {
  return !block.IsConstant() && !block.IsPinned() && block.tangent_size() > 0;
}

// Moves blocks that a Schur complement can eliminate to the front, and returns
// their number: the points of a scene. 0 if there are few, as in a pose graph:
// then a fill-reducing order of all blocks is better.
int MoveEliminatedFirst(const std::vector<ResidualBlock*>& residual_blocks,
                        std::vector<ParameterBlock*>* blocks) {
  constexpr double kMany = 0.75;
  std::vector<int> column_of;  // By index of the block, or -1.
  for (std::size_t k = 0; k < blocks->size(); ++k) {
    column_of.resize((*blocks)[k]->index() + 1, -1);
    column_of.back() = static_cast<int>(k);
  }
  std::vector<int> first = {0};
  std::vector<int> columns;
  for (const ResidualBlock* residual_block : residual_blocks) {
    for (int a = 0; a < residual_block->num_parameter_blocks(); ++a) {
      const auto index = static_cast<std::size_t>(
          residual_block->parameter_blocks()[a]->index());
      if (index < column_of.size() && column_of[index] >= 0) {
        columns.push_back(column_of[index]);
      }
    }
    first.push_back(static_cast<int>(columns.size()));
  }
  const std::vector<int> set = MaximalIndependentSet(
      ColumnGraph(static_cast<int>(blocks->size()), first, columns));
  const auto size_of = [](int sum, const ParameterBlock* block) {
    return sum + block->tangent_size();
  };
  std::vector<bool> is_in_set(blocks->size(), false);
  std::vector<ParameterBlock*> order;
  for (const int column : set) {
    is_in_set[column] = true;
    order.push_back((*blocks)[column]);
  }
  if (std::accumulate(order.begin(), order.end(), 0, size_of) <
      kMany * std::accumulate(blocks->begin(), blocks->end(), 0, size_of)) {
    return 0;
  }
  for (std::size_t k = 0; k < blocks->size(); ++k) {
    if (!is_in_set[k]) order.push_back((*blocks)[k]);
  }
  *blocks = std::move(order);
  return static_cast<int>(set.size());
}

}  // namespace

DiagnosedProblem::DiagnosedProblem(const Execution& execution,
                                   ProblemImpl* problem)
    : problem_(problem), constraints_(*problem) {
  has_active_set_ = constraints_.Find(&constraint_error_);
  std::vector<bool> is_used(problem->parameter_blocks().size(), false);
  std::vector<ResidualBlock*> residual_blocks;
  for (ResidualBlock* residual_block : constraints_.AllResidualBlocks()) {
    if (residual_block->num_residuals() == 0) continue;
    bool has_variable = false;
    for (int a = 0; a < residual_block->num_parameter_blocks(); ++a) {
      const ParameterBlock& argument = *residual_block->parameter_blocks()[a];
      if (!IsVariable(argument)) continue;
      is_used[argument.index()] = true;
      has_variable = true;
    }
    if (has_variable) residual_blocks.push_back(residual_block);
  }
  std::vector<ParameterBlock*> varying;
  for (ParameterBlock* block : problem->parameter_blocks()) {
    if (!IsVariable(*block)) continue;
    if (is_used[block->index()]) {
      varying.push_back(block);
      continue;
    }
    ++num_unused_blocks_;
    const std::vector<int> coordinates = FreeCoordinates(*block);
    if (coordinates.empty()) {
      for (int k = 0; k < block->tangent_size(); ++k) {
        unused_.push_back({block, k});
      }
    }
    for (const int k : coordinates) unused_.push_back({block, k});
  }
  const int num_eliminated = MoveEliminatedFirst(residual_blocks, &varying);
  for (const ParameterBlock* block : varying) {
    coordinates_.push_back(FreeCoordinates(*block));
  }
  const Program whole(varying, num_eliminated, residual_blocks, execution);
  const std::optional<Program> pinned = whole.WithPinnedCoordinates();
  program_ = std::make_unique<const Program>(pinned ? *pinned : whole);
  for (const bool apply_loss_function : {false, true}) {
    Evaluator::Options options;
    options.execution = execution;
    options.apply_loss_function = apply_loss_function;
    options.evaluation_callback = problem->options().evaluation_callback;
    if (apply_loss_function && !program_->has_loss_functions()) continue;
    evaluators_[apply_loss_function] =
        std::make_unique<Evaluator>(*program_, options);
  }
  for (int block = 0; block < program_->num_column_blocks(); ++block) {
    block_of_column_.insert(block_of_column_.end(),
                            program_->tangent_size(block), block);
    movable_.push_back({program_->parameter_blocks()[block]->user_state(),
                        program_->ambient_size(block),
                        program_->manifolds()[block]});
  }
}

DiagnosedCoordinate DiagnosedProblem::coordinate(int column) const {
  const int block = block_of_column_[column];
  const int k = column - program_->delta_offset()[block];
  const std::vector<int>& coordinates = coordinates_[block];
  return {program_->parameter_blocks()[block],
          coordinates.empty() ? k : coordinates[k]};
}

bool DiagnosedProblem::EvaluateAt(bool apply_loss_function,
                                  const std::vector<double>& state,
                                  BlockJacobian* jacobian,
                                  std::string* message) {
  *message = constraint_error_;
  if (!has_active_set_) return false;
  Evaluator& own =
      evaluator(apply_loss_function && program_->has_loss_functions());
  jacobian->structure = &own.structure();
  jacobian->values.Resize(jacobian->structure->num_values());
  double cost = 0.0;
  const Evaluator::Result result = own.EvaluateJacobian(
      state.data(), /*new_evaluation_point=*/true, &cost, jacobian,
      /*gradient=*/nullptr, /*squared_column_norms=*/nullptr);
  *message = result.message;
  if (result.ok && has_constraints()) ScaleConstraints(jacobian);
  return result.ok;
}

void DiagnosedProblem::ScaleConstraints(BlockJacobian* jacobian) const {
  const BlockJacobianStructure& s = *jacobian->structure;
  std::vector<double> norms(s.num_columns(), 0.0);
  // Calls f(row in the row block, column, entry) for the entries of a row
  // block.
  const auto visit = [&](int row, const auto& f) {
    for (int c = s.first_cell[row]; c < s.first_cell[row + 1]; ++c) {
      const int n = s.column_size(s.cell_column[c]);
      double* const cell = jacobian->row_block(row) + s.cell_position[c];
      for (int k = 0; k < s.row_size(row) * n; ++k) {
        f(k / n, s.column_offset[s.cell_column[c]] + k % n, &cell[k]);
      }
    }
  };
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (constraint(row) != nullptr) continue;
    visit(row, [&](int, int column, const double* entry) {
      norms[column] = std::hypot(norms[column], *entry);
    });
  }
  for (int row = 0; row < s.num_row_blocks(); ++row) {
    if (constraint(row) == nullptr) continue;
    std::vector<double> sizes(s.row_size(row), 0.0);
    std::vector<double> unscaled(s.row_size(row), 0.0);
    visit(row, [&](int i, int column, const double* entry) {
      unscaled[i] = std::hypot(unscaled[i], *entry);
      if (norms[column] == 0.0) return;
      sizes[i] = std::hypot(sizes[i], *entry / norms[column]);
    });
    visit(row, [&](int i, int, double* entry) {
      const double size = sizes[i] > 0.0 ? sizes[i] : unscaled[i];
      if (size > 0.0) *entry /= size;
    });
  }
}

bool DiagnosedProblem::Evaluate(bool apply_loss_function,
                                BlockJacobian* jacobian, std::string* message) {
  std::vector<double> state(program_->num_state());
  program_->ReadUserMemory(state.data());
  return EvaluateAt(apply_loss_function, state, jacobian, message);
}

std::vector<double> DiagnosedProblem::NearbyDelta(int which,
                                                  double step) const {
  std::mt19937_64 random(7 + which);
  std::vector<double> delta(program_->num_delta());
  for (int column = 0; column < program_->num_delta(); ++column) {
    // Between 0.5 and 1, so that no coordinate stays.
    double size = 0.5 + 0.5 * static_cast<double>(random() >> 11) * 0x1p-53;
    if ((random() & 1) != 0) size = -size;
    const DiagnosedCoordinate at = coordinate(column);
    if (at.block->manifold() == nullptr) {
      const double value = at.block->user_state()[at.coordinate];
      size *= std::max(1.0, std::abs(value));
      // Towards the bound that is farther away: Plus projects on bounds.
      if (at.block->has_bounds()) {
        const double below = value - at.block->LowerBound(at.coordinate);
        const double above = at.block->UpperBound(at.coordinate) - value;
        size = std::copysign(size, above < below ? -1.0 : 1.0);
      }
    }
    delta[column] = step * size;
  }
  return delta;
}

bool DiagnosedProblem::EvaluateNearby(int which, double step,
                                      std::vector<double>* state,
                                      BlockJacobian* jacobian) {
  std::vector<double> here(program_->num_state());
  program_->ReadUserMemory(here.data());
  state->resize(here.size());
  const std::vector<double> delta = NearbyDelta(which, step);
  if (!program_->Plus(here.data(), delta.data(), state->data())) return false;
  std::string message;
  EvaluationCallback* const callback = problem_->options().evaluation_callback;
  if (callback == nullptr) {
    return EvaluateAt(/*apply_loss_function=*/false, *state, jacobian,
                      &message);
  }
  bool ok;
  {
    // The callback expects values in the user's memory, where the evaluator
    // writes the state.
    const UserMemoryGuard guard(*program_, &here);
    ok = EvaluateAt(/*apply_loss_function=*/false, *state, jacobian, &message);
  }
  // What the callback has stored belongs to the values in memory again.
  callback->PrepareForEvaluation(/*evaluate_jacobians=*/false,
                                 /*new_evaluation_point=*/true);
  return ok;
}

std::vector<double> DiagnosedProblem::Magnitudes() const {
  std::vector<double> magnitudes(program_->num_delta());
  for (int column = 0; column < program_->num_delta(); ++column) {
    const DiagnosedCoordinate at = coordinate(column);
    const double* const values = at.block->user_state();
    if (at.block->manifold() == nullptr) {
      magnitudes[column] = std::abs(values[at.coordinate]);
      continue;
    }
    for (int k = 0; k < at.block->size(); ++k) {
      magnitudes[column] = std::max(magnitudes[column], std::abs(values[k]));
    }
  }
  return magnitudes;
}

std::vector<MovableBlock> DiagnosedProblem::MovableBlocksAt(
    const std::vector<double>& state) const {
  std::vector<MovableBlock> blocks = movable_;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    blocks[block].values = state.data() + program_->state_offset()[block];
  }
  return blocks;
}

}  // namespace ceres::internal
