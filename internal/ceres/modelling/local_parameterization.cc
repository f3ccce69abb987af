// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/local_parameterization.h"

#include <algorithm>
#include <utility>

#include "ceres/logging/logging.h"
#include "ceres/modelling/parameterization_manifold.h"

namespace ceres {

LocalParameterization::~LocalParameterization() = default;

bool LocalParameterization::MultiplyByJacobian(const double* x,
                                               const int num_rows,
                                               const double* global_matrix,
                                               double* local_matrix) const {
  // The product of Manifold, whose default needs no more than the Jacobian.
  const internal::ParameterizationManifold manifold(this,
                                                    DO_NOT_TAKE_OWNERSHIP);
  return manifold.Manifold::RightMultiplyByPlusJacobian(
      x, num_rows, global_matrix, local_matrix);
}

namespace internal {

ParameterizationByManifold::ParameterizationByManifold(
    std::unique_ptr<const Manifold> manifold)
    : manifold_(std::move(manifold)) {}

ParameterizationByManifold::~ParameterizationByManifold() = default;

bool ParameterizationByManifold::Plus(const double* x, const double* delta,
                                      double* x_plus_delta) const {
  return manifold_->Plus(x, delta, x_plus_delta);
}

bool ParameterizationByManifold::ComputeJacobian(const double* x,
                                                 double* jacobian) const {
  return manifold_->PlusJacobian(x, jacobian);
}

bool ParameterizationByManifold::MultiplyByJacobian(
    const double* x, const int num_rows, const double* global_matrix,
    double* local_matrix) const {
  return manifold_->RightMultiplyByPlusJacobian(x, num_rows, global_matrix,
                                                local_matrix);
}

int ParameterizationByManifold::GlobalSize() const {
  return manifold_->AmbientSize();
}

int ParameterizationByManifold::LocalSize() const {
  return manifold_->TangentSize();
}

}  // namespace internal

IdentityParameterization::IdentityParameterization(int size)
    : ParameterizationByManifold(
          std::make_unique<EuclideanManifold<DYNAMIC>>(size)) {}

SubsetParameterization::SubsetParameterization(
    int size, const std::vector<int>& constant_parameters)
    : ParameterizationByManifold(
          std::make_unique<SubsetManifold>(size, constant_parameters)) {}

QuaternionParameterization::QuaternionParameterization()
    : ParameterizationByManifold(std::make_unique<QuaternionManifold>()) {}

EigenQuaternionParameterization::EigenQuaternionParameterization()
    : ParameterizationByManifold(std::make_unique<EigenQuaternionManifold>()) {}

HomogeneousVectorParameterization::HomogeneousVectorParameterization(int size)
    : sphere_(size) {}

bool HomogeneousVectorParameterization::Plus(const double* x,
                                             const double* delta,
                                             double* x_plus_delta) const {
  std::vector<double> halved(delta, delta + LocalSize());
  for (double& value : halved) value *= 0.5;
  return sphere_.Plus(x, halved.data(), x_plus_delta);
}

bool HomogeneousVectorParameterization::ComputeJacobian(
    const double* x, double* jacobian) const {
  if (!sphere_.PlusJacobian(x, jacobian)) return false;
  const int num_entries = GlobalSize() * LocalSize();
  for (int i = 0; i < num_entries; ++i) jacobian[i] *= 0.5;
  return true;
}

ProductParameterization::~ProductParameterization() = default;

void ProductParameterization::Add(LocalParameterization* factor) {
  VESTA_CHECK(factor != nullptr)
      << "ProductParameterization: factor " << factors_.size() << " is null.";
  factors_.emplace_back(factor);
  global_size_ += factor->GlobalSize();
  local_size_ += factor->LocalSize();
}

bool ProductParameterization::Plus(const double* x, const double* delta,
                                   double* x_plus_delta) const {
  for (const auto& factor : factors_) {
    if (!factor->Plus(x, delta, x_plus_delta)) return false;
    x += factor->GlobalSize();
    delta += factor->LocalSize();
    x_plus_delta += factor->GlobalSize();
  }
  return true;
}

bool ProductParameterization::ComputeJacobian(const double* x,
                                              double* jacobian) const {
  std::fill_n(jacobian, global_size_ * local_size_, 0.0);
  std::vector<double> block;
  double* corner = jacobian;  // of the factor's block on the diagonal
  for (const auto& factor : factors_) {
    const int num_rows = factor->GlobalSize();
    const int num_cols = factor->LocalSize();
    block.resize(num_rows * num_cols);
    if (!factor->ComputeJacobian(x, block.data())) return false;
    for (int row = 0; row < num_rows; ++row) {
      std::copy_n(block.data() + row * num_cols, num_cols,
                  corner + row * local_size_);
    }
    corner += num_rows * local_size_ + num_cols;
    x += num_rows;
  }
  return true;
}

}  // namespace ceres
