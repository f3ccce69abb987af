// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/constraint_function.h"

#include <algorithm>
#include <cmath>

#include "Eigen/Core"
#include "Eigen/Eigenvalues"
#include "ceres/base/type_of.h"
#include "ceres/evaluation/cost_function_call.h"

namespace ceres::internal {
namespace {

using RowMajor =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Constraints on more coordinates have no curvature rows: these would be a
// dense matrix of all coordinates.
constexpr int kMaxCurvatureSize = 128;
// The step of a difference, relative to the coordinate, and the smallest
// coordinate relative to the largest of its block.
constexpr double kDifferenceStep = 1e-5;
constexpr double kSmallCoordinate = 1e-3;
// Derivatives that differ by less, relative to the largest, are the same.
constexpr double kSameDerivatives = 1e-12;
// Curvature below this part of the largest is rounding.
constexpr double kNoiseOfCurvature = 1e-8;

double DifferenceStep(const double* values, int size, int i) {
  double largest = 0.0;
  for (int k = 0; k < size; ++k) {
    largest = std::max(largest, std::abs(values[k]));
  }
  const double reference =
      std::max(std::abs(values[i]), kSmallCoordinate * largest);
  return kDifferenceStep * (reference > 0.0 ? reference : 1.0);
}

// The coordinate after a step toward the side of the bounds that has more room.
double MoveWithinBounds(const ParameterBlock& block, int i, double value,
                        double step) {
  const double lower = block.LowerBound(i);
  const double upper = block.UpperBound(i);
  return upper - value >= std::min(step, value - lower)
             ? std::min(value + step, upper)
             : std::max(value - step, lower);
}

}  // namespace

ConstraintFunction::ConstraintFunction(
    const CostFunction& function, std::string label, std::vector<double> lower,
    std::vector<double> upper, const std::vector<ParameterBlock*>& blocks)
    : function_(function),
      label_(std::move(label)),
      lower_(std::move(lower)),
      upper_(std::move(upper)),
      blocks_(blocks),
      penalties_(lower_.size(), 1.0),
      multipliers_(lower_.size(), 0.0),
      curvature_(lower_.size(), 0.0),
      values_(lower_.size(), 0.0),
      trial_values_(lower_.size(), 0.0) {
  *mutable_parameter_block_sizes() = function.parameter_block_sizes();
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    if (blocks_[k]->IsConstant() || blocks_[k]->IsPinned()) continue;
    varying_.push_back(k);
    num_varying_ += function.parameter_block_sizes()[k];
  }
  has_curvature_rows_ = !HasType<SelectedCoordinates>(function) &&
                        num_varying_ <= kMaxCurvatureSize;
  set_num_residuals(size() + (has_curvature_rows_ ? num_varying_ : 0));
}

bool ConstraintFunction::Evaluate(double const* const* parameters,
                                  double* residuals, double** jacobians) const {
  if (!function_.Evaluate(parameters, residuals, jacobians)) return false;
  const int m = size();
  std::vector<double>& values = jacobians == nullptr ? trial_values_ : values_;
  std::copy(residuals, residuals + m, values.begin());
  std::fill(residuals + m, residuals + num_residuals(), 0.0);
  for (std::size_t k = 0; jacobians != nullptr && k < blocks_.size(); ++k) {
    if (jacobians[k] == nullptr) continue;
    const int n = parameter_block_sizes()[k];
    std::fill(jacobians[k] + m * n, jacobians[k] + num_residuals() * n, 0.0);
  }
  // The evaluator reports them as the function wrote them.
  if (!IsValid(residuals, jacobians)) return true;
  for (int i = 0; i < m; ++i) {
    const double z = residuals[i] + multipliers_[i] / penalties_[i];
    residuals[i] = std::sqrt(penalties_[i]) *
                   (z - std::min(std::max(z, lower_[i]), upper_[i]));
  }
  if (jacobians == nullptr) return true;
  if (has_curvature_rows_) AddCurvature(parameters, jacobians);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    if (jacobians[k] == nullptr) continue;
    const int n = parameter_block_sizes()[k];
    for (int i = 0; i < m; ++i) {
      const double scale = std::sqrt(penalties_[i]);
      double* const row = jacobians[k] + i * n;
      for (int j = 0; j < n; ++j) row[j] *= scale;
    }
  }
  return true;
}

// Whether all outputs of the function are written and finite.
bool ConstraintFunction::IsValid(const double* residuals,
                                 double** jacobians) const {
  const int m = size();
  if (std::any_of(residuals, residuals + m, IsInvalid)) return false;
  for (std::size_t k = 0; jacobians != nullptr && k < blocks_.size(); ++k) {
    const double* const j = jacobians[k];
    if (j != nullptr &&
        std::any_of(j, j + m * parameter_block_sizes()[k], IsInvalid)) {
      return false;
    }
  }
  return true;
}

void ConstraintFunction::Reset() {
  std::fill(penalties_.begin(), penalties_.end(), 1.0);
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  std::fill(curvature_.begin(), curvature_.end(), 0.0);
  derivatives_.clear();
  num_negative_rows_ = 0;
  is_nonlinear_ = false;
  has_been_differentiated_ = false;
}

// Keeps the derivatives, and whether they have ever changed.
void ConstraintFunction::CompareDerivatives(double** jacobians) const {
  std::vector<double> derivatives;
  derivatives.reserve(static_cast<std::size_t>(size()) * num_varying_);
  for (int i = 0; i < size(); ++i) {
    for (const std::size_t k : varying_) {
      const int n = parameter_block_sizes()[k];
      const double* const row = jacobians[k] + i * n;
      derivatives.insert(derivatives.end(), row, row + n);
    }
  }
  double largest = 0.0;
  double difference = 0.0;
  for (std::size_t i = 0; i < derivatives_.size(); ++i) {
    largest = std::max(largest, std::abs(derivatives[i]));
    difference =
        std::max(difference, std::abs(derivatives[i] - derivatives_[i]));
  }
  if (!(difference <= kSameDerivatives * largest)) is_nonlinear_ = true;
  derivatives_.swap(derivatives);
}

// Writes the curvature rows. jacobians: the derivatives of c, and below them
// the rows to write.
void ConstraintFunction::AddCurvature(double const* const* parameters,
                                      double** jacobians) const {
  const int m = size();
  num_negative_rows_ = 0;
  CompareDerivatives(jacobians);
  const auto is_zero = [](double multiplier) { return multiplier == 0.0; };
  if ((!is_nonlinear_ && has_been_differentiated_) ||
      std::all_of(curvature_.begin(), curvature_.end(), is_zero)) {
    return;
  }
  has_been_differentiated_ = true;
  std::vector<double> hessian;
  if (!DifferentiateTwice(parameters, derivatives_, &hessian)) return;
  const Eigen::Map<RowMajor> h(hessian.data(), num_varying_, num_varying_);
  const RowMajor symmetric = 0.5 * (h + h.transpose());
  const Eigen::SelfAdjointEigenSolver<RowMajor> eigen(symmetric);
  if (eigen.info() != Eigen::Success) return;
  const double noise =
      kNoiseOfCurvature * eigen.eigenvalues().cwiseAbs().maxCoeff();
  for (int q = 0; q < num_varying_; ++q) {
    const double eigenvalue = eigen.eigenvalues()[q];
    if (std::abs(eigenvalue) <= noise) continue;
    if (eigenvalue < 0.0) ++num_negative_rows_;
    const double root = std::sqrt(std::abs(eigenvalue));
    int offset = 0;
    for (const std::size_t k : varying_) {
      const int n = parameter_block_sizes()[k];
      for (int j = 0; j < n; ++j) {
        jacobians[k][(m + q) * n + j] =
            root * eigen.eigenvectors()(offset + j, q);
      }
      offset += n;
    }
  }
}

// hessian = d(sum_i pi_i dc_i/dx)/dx by one-sided differences. jacobian: dc/dx.
// Returns false if a point cannot be evaluated.
bool ConstraintFunction::DifferentiateTwice(
    double const* const* parameters, const std::vector<double>& jacobian,
    std::vector<double>* hessian) const {
  const int m = size();
  const std::vector<int32_t>& sizes = parameter_block_sizes();
  std::vector<const double*> at(parameters, parameters + sizes.size());
  std::vector<std::vector<double>> cells(sizes.size());
  std::vector<double*> pointers(sizes.size(), nullptr);
  for (const std::size_t k : varying_) {
    cells[k].resize(static_cast<std::size_t>(m) * sizes[k]);
    pointers[k] = cells[k].data();
  }
  std::vector<double> residuals(m);
  hessian->assign(static_cast<std::size_t>(num_varying_) * num_varying_, 0.0);
  int column = 0;
  for (const std::size_t k : varying_) {
    std::vector<double> moved(parameters[k], parameters[k] + sizes[k]);
    at[k] = moved.data();
    for (int j = 0; j < sizes[k]; ++j, ++column) {
      moved[j] = MoveWithinBounds(*blocks_[k], j, moved[j],
                                  DifferenceStep(parameters[k], sizes[k], j));
      const double step = moved[j] - parameters[k][j];
      if (step == 0.0) continue;  // equal bounds
      if (!function_.Evaluate(at.data(), residuals.data(), pointers.data())) {
        return false;
      }
      int row = 0;
      for (const std::size_t l : varying_) {
        for (int p = 0; p < sizes[l]; ++p, ++row) {
          double sum = 0.0;
          for (int i = 0; i < m; ++i) {
            sum += curvature_[i] * (cells[l][i * sizes[l] + p] -
                                    jacobian[i * num_varying_ + row]);
          }
          (*hessian)[static_cast<std::size_t>(row) * num_varying_ + column] =
              sum / step;
        }
      }
      moved[j] = parameters[k][j];
    }
    at[k] = parameters[k];
  }
  return std::all_of(hessian->begin(), hessian->end(),
                     [](double value) { return std::isfinite(value); });
}

SelectedCoordinates::SelectedCoordinates(int size, std::vector<int> coordinates)
    : coordinates_(std::move(coordinates)) {
  set_num_residuals(static_cast<int>(coordinates_.size()));
  mutable_parameter_block_sizes()->push_back(size);
}

bool SelectedCoordinates::Evaluate(double const* const* parameters,
                                   double* residuals,
                                   double** jacobians) const {
  const int n = parameter_block_sizes()[0];
  for (int i = 0; i < num_residuals(); ++i) {
    residuals[i] = parameters[0][coordinates_[i]];
  }
  if (jacobians == nullptr || jacobians[0] == nullptr) return true;
  std::fill(jacobians[0], jacobians[0] + num_residuals() * n, 0.0);
  for (int i = 0; i < num_residuals(); ++i) {
    jacobians[0][i * n + coordinates_[i]] = 1.0;
  }
  return true;
}

}  // namespace ceres::internal
