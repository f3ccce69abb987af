// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The functions of Problem that evaluate. Problem belongs to a lower layer, but
// these functions need the Evaluator.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "ceres/crs_matrix.h"
#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation/evaluator.h"
#include "ceres/evaluation/listed_blocks.h"
#include "ceres/evaluation/loss_correction.h"
#include "ceres/evaluation/row_kernels.h"
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

// The steps of one evaluation of a single residual block.
class SingleBlockEvaluation {
 public:
  SingleBlockEvaluation(const ResidualBlock& block, double* residuals,
                        double** jacobians)
      : block_(block),
        num_residuals_(block.num_residuals()),
        own_residuals_(residuals == nullptr ? num_residuals_ : 0),
        residuals_(residuals == nullptr ? own_residuals_.data() : residuals),
        tangent_jacobians_(jacobians) {
    GatherArguments();
  }

  bool AsksForConstantBlock() const {
    for (int k = 0; k < block_.num_parameter_blocks(); ++k) {
      if (Wants(k) && block_.parameter_blocks()[k]->IsConstant()) return true;
    }
    return false;
  }

  bool CallCostFunction() {
    if (!block_.cost_function()->Evaluate(parameters_.data(), residuals_,
                                          JacobiansOrNull())) {
      return Fail("its cost function returned false");
    }
    const std::string invalid = FindInvalidOutput(Call());
    if (!invalid.empty()) return Fail(invalid);
    squared_norm_ = SquaredNorm(residuals_, num_residuals_);
    cost_ = 0.5 * squared_norm_;
    return true;
  }

  bool ApplyManifolds() {
    for (int k = 0; k < block_.num_parameter_blocks(); ++k) {
      const ParameterBlock& argument = *block_.parameter_blocks()[k];
      if (!Wants(k) || argument.manifold() == nullptr) continue;
      if (!argument.manifold()->RightMultiplyByPlusJacobian(
              argument.user_state(), num_residuals_, jacobians_[k],
              tangent_jacobians_[k])) {
        return Fail("the PlusJacobian of the manifold of parameter block " +
                    std::to_string(k) + " failed");
      }
    }
    return true;
  }

  bool ApplyLoss() {
    double rho[3];
    block_.loss_function()->Evaluate(squared_norm_, rho);
    const std::string invalid = FindInvalidLoss(rho);
    if (!invalid.empty()) return Fail(invalid);
    cost_ = 0.5 * rho[0];
    const LossCorrection correction(squared_norm_, rho);
    for (int k = 0; k < block_.num_parameter_blocks(); ++k) {
      if (!Wants(k)) continue;
      correction.CorrectJacobian(num_residuals_,
                                 block_.parameter_blocks()[k]->tangent_size(),
                                 residuals_, tangent_jacobians_[k]);
    }
    correction.CorrectResiduals(num_residuals_, residuals_);
    return true;
  }

  double cost() const { return cost_; }

 private:
  bool Wants(int k) const {
    return tangent_jacobians_ != nullptr && tangent_jacobians_[k] != nullptr;
  }
  double** JacobiansOrNull() {
    return tangent_jacobians_ == nullptr ? nullptr : jacobians_.data();
  }
  CostFunctionCall Call() {
    return {block_.index(), block_.cost_function(), parameters_.data(),
            residuals_, JacobiansOrNull()};
  }
  bool Fail(const std::string& what) {
    VESTA_LOG(kWarning) << DescribeFailure(Call(), what);
    return false;
  }

  void GatherArguments() {
    const int num_arguments = block_.num_parameter_blocks();
    parameters_.resize(num_arguments);
    jacobians_.assign(num_arguments, nullptr);
    ambient_.resize(num_arguments);
    std::fill_n(residuals_, num_residuals_, kImpossibleValue);
    for (int k = 0; k < num_arguments; ++k) {
      const ParameterBlock& argument = *block_.parameter_blocks()[k];
      parameters_[k] = argument.user_state();
      if (!Wants(k)) continue;
      const std::size_t size =
          static_cast<std::size_t>(num_residuals_) * argument.size();
      if (argument.manifold() == nullptr) {
        jacobians_[k] = tangent_jacobians_[k];
      } else {
        ambient_[k].resize(size);
        jacobians_[k] = ambient_[k].data();
      }
      std::fill_n(jacobians_[k], size, kImpossibleValue);
    }
  }

  const ResidualBlock& block_;
  const int num_residuals_;
  std::vector<double> own_residuals_;
  double* const residuals_;
  double** const tangent_jacobians_;  // the user's
  std::vector<const double*> parameters_;
  std::vector<double*> jacobians_;  // what the cost function writes
  std::vector<std::vector<double>> ambient_;
  double squared_norm_ = 0.0;
  double cost_ = 0.0;
};

bool EvaluateSingleBlock(const ProblemImpl& problem, ResidualBlock* id,
                         bool apply_loss_function, bool new_evaluation_point,
                         double* cost, double* residuals, double** jacobians) {
  const ResidualBlock& block = *problem.GetResidualBlock(id);
  SingleBlockEvaluation evaluation(block, residuals, jacobians);
  if (evaluation.AsksForConstantBlock()) {
    VESTA_LOG(kError)
        << "EvaluateResidualBlock was asked for the Jacobian of a "
        << "constant parameter block of residual block " << block.index()
        << "; pass a null pointer in its place.";
    return false;
  }
  if (EvaluationCallback* callback = problem.options().evaluation_callback) {
    callback->PrepareForEvaluation(jacobians != nullptr, new_evaluation_point);
  }
  if (!evaluation.CallCostFunction() || !evaluation.ApplyManifolds()) {
    return false;
  }
  if (apply_loss_function && block.loss_function() != nullptr &&
      !evaluation.ApplyLoss()) {
    return false;
  }
  if (cost != nullptr) *cost = evaluation.cost();
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
