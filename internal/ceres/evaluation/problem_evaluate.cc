// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The functions of Problem that evaluate. Problem belongs to a lower layer, but
// these functions need the Evaluator.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ceres/crs_matrix.h"
#include "ceres/evaluation/block_evaluation.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/listed_blocks.h"
#include "ceres/logging/logging.h"
#include "ceres/problem.h"
#include "ceres/problem/problem_impl.h"
#include "ceres/problem/size_limits.h"
#include "ceres/types.h"

namespace ceres {
namespace internal {
namespace {

bool EvaluateProblem(ProblemImpl* problem,
                     const Problem::EvaluateOptions& options, double* cost,
                     std::vector<double>* residuals,
                     std::vector<double>* gradient, CRSMatrix* jacobian) {
  const ListedColumns columns = ListedColumns::Of(ListedParameterBlocks(
      *problem, options.parameter_blocks, "EvaluateOptions"));
  const std::vector<ResidualBlock*> blocks =
      ListedResidualBlocks(*problem, options.residual_blocks);
  const JacobianSizes sizes = JacobianSizes::Of(blocks);
  std::string error = SizeError(sizes);
  if (error.empty() && jacobian != nullptr) error = CrsSizeError(sizes);
  if (!error.empty()) {
    VESTA_LOG(kError) << "Problem::Evaluate: " << error;
    return false;
  }
  const Program program(columns.varying, /*num_eliminated=*/0, blocks);
  std::vector<double> state(program.num_state());
  program.ReadUserMemory(state.data());

  Evaluator::Options evaluator_options;
  evaluator_options.apply_loss_function = options.apply_loss_function;
  evaluator_options.evaluation_callback =
      problem->options().evaluation_callback;
  if (options.num_threads > 1) {
    problem->context()->EnsureMinimumThreads(options.num_threads);
    evaluator_options.execution = {problem->context(), options.num_threads};
  }
  Evaluator evaluator(program, evaluator_options);

  double new_cost = 0.0;
  Evaluator::Result result;
  std::vector<double> new_residuals;
  if (gradient == nullptr && jacobian == nullptr) {
    new_residuals.resize(program.num_residuals());
    result = evaluator.EvaluateCost(state.data(), /*new_evaluation_point=*/true,
                                    &new_cost, new_residuals.data());
  } else {
    BlockJacobian row_blocks;
    row_blocks.structure = &evaluator.structure();
    row_blocks.values.Resize(row_blocks.structure->num_values());
    std::vector<double> new_gradient(program.num_delta());
    result = evaluator.EvaluateJacobian(
        state.data(), /*new_evaluation_point=*/true, &new_cost, &row_blocks,
        gradient == nullptr ? nullptr : new_gradient.data(), nullptr);
    if (result && residuals != nullptr) new_residuals = ResidualsOf(row_blocks);
    if (result && gradient != nullptr) {
      *gradient = columns.Spread(program.delta_offset(), new_gradient.data());
    }
    if (result && jacobian != nullptr) *jacobian = ToCrs(row_blocks, columns);
  }
  if (!result) {
    VESTA_LOG(kWarning) << "Problem::Evaluate failed. " << result.message;
    return false;
  }
  if (cost != nullptr) *cost = new_cost;
  if (residuals != nullptr) *residuals = std::move(new_residuals);
  return true;
}

// The arguments of a residual block at the user's values. jacobians is null, or
// has one pointer per argument, null if its Jacobian is not wanted.
std::vector<BlockArgument> ArgumentsOf(const ResidualBlock& block,
                                       double* const* jacobians) {
  std::vector<BlockArgument> arguments;
  for (int k = 0; k < block.num_parameter_blocks(); ++k) {
    const ParameterBlock& argument = *block.parameter_blocks()[k];
    arguments.push_back({argument.user_state(), argument.size(),
                         argument.tangent_size(),
                         jacobians == nullptr ? nullptr : jacobians[k],
                         argument.manifold(), /*plus_jacobian=*/nullptr});
  }
  return arguments;
}

bool EvaluateSingleBlock(const ProblemImpl& problem, ResidualBlock* id,
                         bool apply_loss_function, bool new_evaluation_point,
                         double* cost, double* residuals, double** jacobians) {
  const ResidualBlock& block = *problem.GetResidualBlock(id);
  const std::vector<BlockArgument> arguments = ArgumentsOf(block, jacobians);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k].jacobian != nullptr &&
        block.parameter_blocks()[k]->IsConstant()) {
      VESTA_LOG(kError)
          << "EvaluateResidualBlock was asked for the Jacobian of a "
          << "constant parameter block of residual block " << block.index()
          << "; pass a null pointer in its place.";
      return false;
    }
  }
  if (EvaluationCallback* callback = problem.options().evaluation_callback) {
    callback->PrepareForEvaluation(jacobians != nullptr, new_evaluation_point);
  }
  std::vector<double> own_residuals(residuals == nullptr ? block.num_residuals()
                                                         : 0);
  double new_cost = 0.0;
  std::string error;
  if (!BlockEvaluation().Evaluate(
          block, arguments, apply_loss_function,
          residuals == nullptr ? own_residuals.data() : residuals, &new_cost,
          &error)) {
    VESTA_LOG(kWarning) << error;
    return false;
  }
  if (cost != nullptr) *cost = new_cost;
  return true;
}

}  // namespace
}  // namespace internal

bool Problem::Evaluate(const EvaluateOptions& options, double* cost,
                       std::vector<double>* residuals,
                       std::vector<double>* gradient, CRSMatrix* jacobian) {
  if (cost == nullptr && residuals == nullptr && gradient == nullptr &&
      jacobian == nullptr) {
    return true;
  }
  return internal::EvaluateProblem(impl_.get(), options, cost, residuals,
                                   gradient, jacobian);
}

bool Problem::EvaluateResidualBlock(ResidualBlockId residual_block_id,
                                    bool apply_loss_function, double* cost,
                                    double* residuals,
                                    double** jacobians) const {
  return internal::EvaluateSingleBlock(
      *impl_, residual_block_id, apply_loss_function,
      /*new_evaluation_point=*/true, cost, residuals, jacobians);
}

bool Problem::EvaluateResidualBlockAssumingParametersUnchanged(
    ResidualBlockId residual_block_id, bool apply_loss_function, double* cost,
    double* residuals, double** jacobians) const {
  return internal::EvaluateSingleBlock(
      *impl_, residual_block_id, apply_loss_function,
      /*new_evaluation_point=*/false, cost, residuals, jacobians);
}

}  // namespace ceres
