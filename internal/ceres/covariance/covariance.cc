// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/covariance.h"

#include "ceres/covariance/covariance_impl.h"
#include "ceres/problem.h"
#include "glog/logging.h"

namespace ceres {

using internal::CovarianceImpl;
using Space = CovarianceImpl::Space;

Covariance::Covariance(const Options& options)
    : impl_(std::make_unique<CovarianceImpl>(options)) {}
Covariance::Covariance(Covariance&&) noexcept = default;
Covariance& Covariance::operator=(Covariance&&) noexcept = default;
Covariance::~Covariance() = default;

bool Covariance::Compute(
    const std::vector<std::pair<const double*, const double*>>&
        covariance_blocks,
    Problem* problem) {
  CHECK(problem != nullptr);
  return impl_->Compute(covariance_blocks, problem->mutable_impl());
}

bool Covariance::Compute(const std::vector<const double*>& parameter_blocks,
                         Problem* problem) {
  CHECK(problem != nullptr);
  return impl_->Compute(parameter_blocks, problem->mutable_impl());
}

bool Covariance::GetCovarianceBlock(const double* parameter_block1,
                                    const double* parameter_block2,
                                    double* covariance_block) const {
  return impl_->GetBlock(parameter_block1, parameter_block2, Space::kAmbient,
                         covariance_block);
}

bool Covariance::GetCovarianceBlockInTangentSpace(
    const double* parameter_block1, const double* parameter_block2,
    double* covariance_block) const {
  return impl_->GetBlock(parameter_block1, parameter_block2, Space::kTangent,
                         covariance_block);
}

bool Covariance::GetCovarianceMatrix(
    const std::vector<const double*>& parameter_blocks,
    double* covariance_matrix) const {
  return impl_->GetMatrix(parameter_blocks, Space::kAmbient, covariance_matrix);
}

bool Covariance::GetCovarianceMatrixInTangentSpace(
    const std::vector<const double*>& parameter_blocks,
    double* covariance_matrix) const {
  return impl_->GetMatrix(parameter_blocks, Space::kTangent, covariance_matrix);
}

}  // namespace ceres
