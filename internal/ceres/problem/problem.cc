// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The member functions of Problem, which call ProblemImpl. Evaluate and
// EvaluateResidualBlock are defined in evaluation/problem_evaluate.cc, in a
// higher layer.

#include "ceres/problem.h"

#include "ceres/base/type_of.h"
#include "ceres/logging/logging.h"
#include "ceres/modelling/parameterization_manifold.h"
#include "ceres/problem/problem_impl.h"

namespace ceres {

using internal::ParameterBlock;
using internal::ProblemImpl;
using internal::ResidualBlock;

Problem::Problem() : Problem(Options()) {}
Problem::Problem(const Options& options)
    : impl_(std::make_unique<ProblemImpl>(options)) {}
Problem::Problem(Problem&&) noexcept = default;
Problem& Problem::operator=(Problem&&) noexcept = default;
Problem::~Problem() = default;

ResidualBlockId Problem::AddResidualBlock(
    CostFunction* cost_function, LossFunction* loss_function,
    const std::vector<double*>& parameter_blocks) {
  return impl_->AddResidualBlock(cost_function, loss_function,
                                 parameter_blocks.data(),
                                 static_cast<int>(parameter_blocks.size()));
}

ResidualBlockId Problem::AddResidualBlock(CostFunction* cost_function,
                                          LossFunction* loss_function,
                                          double* const* const parameter_blocks,
                                          int num_parameter_blocks) {
  return impl_->AddResidualBlock(cost_function, loss_function, parameter_blocks,
                                 num_parameter_blocks);
}

std::vector<ResidualBlockId> Problem::AddResidualBlocks(
    const std::vector<CostFunction*>& cost_functions,
    LossFunction* loss_function, const std::vector<double*>& parameter_blocks) {
  return impl_->AddResidualBlocks(cost_functions, loss_function,
                                  parameter_blocks);
}

void Problem::AddParameterBlock(double* values, int size) {
  impl_->AddParameterBlock(values, size);
}

void Problem::AddParameterBlock(double* values, int size, Manifold* manifold) {
  impl_->SetManifold(impl_->AddParameterBlock(values, size), manifold);
}

void Problem::RemoveParameterBlock(const double* values) {
  impl_->RemoveParameterBlock(impl_->GetParameterBlock(values));
}

void Problem::RemoveResidualBlock(ResidualBlockId residual_block) {
  impl_->RemoveResidualBlock(residual_block);
}

void Problem::SetParameterBlockConstant(const double* values) {
  internal::ParameterBlock* const block = impl_->GetParameterBlock(values);
  impl_->NoteChange(block);
  block->SetConstant();
}

void Problem::SetParameterBlockVariable(double* values) {
  internal::ParameterBlock* const block = impl_->GetParameterBlock(values);
  impl_->NoteChange(block);
  block->SetVarying();
}

bool Problem::IsParameterBlockConstant(const double* values) const {
  return impl_->GetParameterBlock(values)->IsConstant();
}

void Problem::SetManifold(double* values, Manifold* manifold) {
  impl_->SetManifold(impl_->GetParameterBlock(values), manifold);
}

const Manifold* Problem::GetManifold(const double* values) const {
  return impl_->GetParameterBlock(values)->manifold();
}

bool Problem::HasManifold(const double* values) const {
  return GetManifold(values) != nullptr;
}

void Problem::SetParameterization(
    double* values, LocalParameterization* local_parameterization) {
  impl_->SetParameterization(impl_->GetParameterBlock(values),
                             local_parameterization);
}

const LocalParameterization* Problem::GetParameterization(
    const double* values) const {
  using internal::ParameterizationManifold;
  const Manifold* const manifold = GetManifold(values);
  return manifold != nullptr &&
                 internal::HasType<ParameterizationManifold>(*manifold)
             ? static_cast<const ParameterizationManifold*>(manifold)
                   ->parameterization()
             : nullptr;
}

bool Problem::HasParameterization(const double* values) const {
  return GetParameterization(values) != nullptr;
}

int Problem::ParameterBlockLocalSize(const double* values) const {
  return ParameterBlockTangentSize(values);
}

void Problem::SetParameterLowerBound(double* values, int index,
                                     double lower_bound) {
  internal::ParameterBlock* const block = impl_->GetParameterBlock(values);
  impl_->NoteChange(block);
  impl_->NoteBounds();
  block->SetLowerBound(index, lower_bound);
}

void Problem::SetParameterUpperBound(double* values, int index,
                                     double upper_bound) {
  internal::ParameterBlock* const block = impl_->GetParameterBlock(values);
  impl_->NoteChange(block);
  impl_->NoteBounds();
  block->SetUpperBound(index, upper_bound);
}

double Problem::GetParameterLowerBound(const double* values, int index) const {
  return impl_->GetParameterBlock(values)->LowerBound(index);
}

double Problem::GetParameterUpperBound(const double* values, int index) const {
  return impl_->GetParameterBlock(values)->UpperBound(index);
}

void Problem::SetLinearizationPoint(const double* values, const double* point) {
  impl_->SetLinearizationPoint(impl_->GetParameterBlock(values), point);
}

const double* Problem::GetLinearizationPoint(const double* values) const {
  return impl_->GetParameterBlock(values)->linearization_point();
}

int Problem::NumParameterBlocks() const {
  return static_cast<int>(impl_->parameter_blocks().size());
}

int Problem::NumParameters() const { return impl_->num_parameters(); }

int Problem::NumResidualBlocks() const {
  return static_cast<int>(impl_->residual_blocks().size());
}

int Problem::NumResiduals() const { return impl_->num_residuals(); }

int Problem::ParameterBlockSize(const double* values) const {
  return impl_->GetParameterBlock(values)->size();
}

int Problem::ParameterBlockTangentSize(const double* values) const {
  return impl_->GetParameterBlock(values)->tangent_size();
}

bool Problem::HasParameterBlock(const double* values) const {
  return impl_->FindParameterBlock(values) != nullptr;
}

void Problem::GetParameterBlocks(std::vector<double*>* parameter_blocks) const {
  VESTA_CHECK(parameter_blocks != nullptr) << "The output is null.";
  parameter_blocks->clear();
  parameter_blocks->reserve(impl_->parameter_blocks().size());
  for (const ParameterBlock* parameter_block : impl_->parameter_blocks()) {
    parameter_blocks->push_back(parameter_block->user_state());
  }
}

void Problem::GetResidualBlocks(
    std::vector<ResidualBlockId>* residual_blocks) const {
  VESTA_CHECK(residual_blocks != nullptr) << "The output is null.";
  *residual_blocks = impl_->residual_blocks();
}

void Problem::GetParameterBlocksForResidualBlock(
    const ResidualBlockId residual_block,
    std::vector<double*>* parameter_blocks) const {
  VESTA_CHECK(parameter_blocks != nullptr) << "The output is null.";
  const ResidualBlock* block = impl_->GetResidualBlock(residual_block);
  parameter_blocks->clear();
  for (int i = 0; i < block->num_parameter_blocks(); ++i) {
    parameter_blocks->push_back(block->parameter_blocks()[i]->user_state());
  }
}

const CostFunction* Problem::GetCostFunctionForResidualBlock(
    const ResidualBlockId residual_block) const {
  return impl_->GetResidualBlock(residual_block)->cost_function();
}

const LossFunction* Problem::GetLossFunctionForResidualBlock(
    const ResidualBlockId residual_block) const {
  return impl_->GetResidualBlock(residual_block)->loss_function();
}

void Problem::GetResidualBlocksForParameterBlock(
    const double* values, std::vector<ResidualBlockId>* residual_blocks) const {
  VESTA_CHECK(residual_blocks != nullptr) << "The output is null.";
  *residual_blocks =
      impl_->DependentResidualBlocks(impl_->GetParameterBlock(values));
}

void Problem::SetEvaluationCallback(EvaluationCallback* evaluation_callback) {
  impl_->SetEvaluationCallback(evaluation_callback);
}

const Problem::Options& Problem::options() const { return impl_->options(); }

void Problem::ReleasePreprocessing() { impl_->kept_preprocessing().reset(); }

internal::ProblemImpl* Problem::mutable_impl() { return impl_.get(); }

}  // namespace ceres
