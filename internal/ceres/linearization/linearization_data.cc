// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/linearization/linearization_data.h"

#include <cstddef>
#include <utility>

#include "ceres/logging/logging.h"
#include "ceres/problem/size_limits.h"

namespace ceres::internal {
namespace {

void ListColumnBlocks(const std::vector<ParameterBlock*>& blocks,
                      bool in_tangent_space, LinearizationData* data) {
  data->columns = ListedColumns::Of(blocks, in_tangent_space);
  int first_column = 0;
  for (ParameterBlock* block : blocks) {
    const int size = in_tangent_space ? block->tangent_size() : block->size();
    if (!block->IsConstant()) {
      data->column_block_of.push_back(
          static_cast<int>(data->column_blocks.size()));
    }
    data->column_blocks.push_back(
        {block->user_state(), first_column, size, block->IsConstant()});
    first_column += size;
  }
}

void ListRowBlocks(const std::vector<ResidualBlock*>& blocks,
                   LinearizationData* data) {
  data->residual_blocks = blocks;
  data->row_block_of.reserve(blocks.size() + 1);
  data->row_block_of.push_back(0);
  for (const ResidualBlock* block : blocks) {
    data->row_block_of.push_back(data->row_block_of.back() +
                                 (block->num_residuals() > 0 ? 1 : 0));
  }
}

void MakeProgram(const LinearizationOptions& options,
                 const ProblemImpl& problem, LinearizationData* data) {
  data->program = std::make_unique<Program>(
      data->columns.varying, /*num_eliminated=*/0, data->residual_blocks);
  if (problem.num_linearization_points() > 0) {
    data->fixed_points.emplace(problem.residual_blocks(), *data->program);
    data->program = std::make_unique<Program>(
        *data->program, data->fixed_points->cost_functions());
  }
  if (!options.apply_manifolds) {
    data->program =
        std::make_unique<Program>(data->program->WithoutManifolds());
  }
}

}  // namespace

std::unique_ptr<LinearizationData> LinearizeProblem(
    const LinearizationOptions& options,
    const std::vector<ResidualBlock*>& residual_blocks, ProblemImpl* problem,
    std::string* message) {
  VESTA_CHECK_GT(options.num_threads, 0)
      << "LinearizationOptions::num_threads must be positive.";
  auto data = std::make_unique<LinearizationData>();
  ListColumnBlocks(ListedParameterBlocks(*problem, options.parameter_blocks,
                                         "LinearizationOptions"),
                   options.apply_manifolds, data.get());
  ListRowBlocks(ListedResidualBlocks(*problem, residual_blocks), data.get());
  *message = SizeError(JacobianSizes::Of(data->residual_blocks));
  if (!message->empty()) return nullptr;
  MakeProgram(options, *problem, data.get());

  Evaluator::Options evaluator_options;
  evaluator_options.apply_loss_function = options.apply_loss_function;
  evaluator_options.evaluation_callback =
      problem->options().evaluation_callback;
  if (options.num_threads > 1) {
    problem->context()->EnsureMinimumThreads(options.num_threads);
    data->execution = {problem->context(), options.num_threads};
  }
  evaluator_options.execution = data->execution;
  data->evaluator.emplace(*data->program, evaluator_options);
  data->jacobian.structure = &data->evaluator->structure();
  data->jacobian.values.Resize(data->structure().num_values());
  std::vector<double> state(data->program->num_state());
  data->program->ReadUserMemory(state.data());
  Evaluator::Result result = data->evaluator->EvaluateJacobian(
      state.data(), /*new_evaluation_point=*/true, &data->cost, &data->jacobian,
      /*gradient=*/nullptr, /*squared_column_norms=*/nullptr);
  if (result) return data;
  *message = std::move(result.message);
  return nullptr;
}

}  // namespace ceres::internal
