// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/gradient_checker.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "ceres/base/number.h"
#include "ceres/dynamic_numeric_diff_cost_function.h"
#include "ceres/logging/logging.h"
#include "ceres/types.h"

namespace ceres {
namespace {

using ProbeResults = GradientChecker::ProbeResults;

std::vector<Matrix> AmbientJacobians(const CostFunction& function,
                                     double value) {
  std::vector<Matrix> jacobians;
  for (const int size : function.parameter_block_sizes()) {
    jacobians.push_back(
        Matrix::Constant(function.num_residuals(), size, value));
  }
  return jacobians;
}

// The results before anything is evaluated. A null manifold stands for a
// Euclidean space.
ProbeResults ZeroResults(const CostFunction& function,
                         const std::vector<const Manifold*>& manifolds) {
  ProbeResults results;
  results.return_value = false;
  results.maximum_relative_error = 0.0;
  results.residuals = Vector::Zero(function.num_residuals());
  results.jacobians = AmbientJacobians(function, 0.0);
  results.numeric_jacobians = results.jacobians;
  for (size_t i = 0; i < manifolds.size(); ++i) {
    const int tangent_size = manifolds[i] != nullptr
                                 ? manifolds[i]->TangentSize()
                                 : function.parameter_block_sizes()[i];
    results.local_jacobians.emplace_back(
        Matrix::Zero(function.num_residuals(), tangent_size));
  }
  results.local_numeric_jacobians = results.local_jacobians;
  return results;
}

std::vector<double*> PointersTo(std::vector<Matrix>* matrices) {
  std::vector<double*> pointers;
  for (Matrix& matrix : *matrices) pointers.push_back(matrix.data());
  return pointers;
}

bool IsWritten(const Eigen::Ref<const Matrix>& values) {
  return values.allFinite() && !(values.array() == kImpossibleValue).any();
}

// How wrong `actual` is where `scale` is the largest derivative of the
// residual.
double EntryError(double actual, double expected, double scale) {
  constexpr double kResolution = 1e-12;
  const double difference = std::abs(actual - expected);
  if (!std::isfinite(difference)) {
    return std::numeric_limits<double>::infinity();
  }
  if (difference <= kResolution * scale) return 0.0;
  if (actual == 0.0 || expected == 0.0) return difference;
  return difference / std::max(std::abs(actual), std::abs(expected));
}

double LargestInRow(const std::vector<Matrix>& matrices, int row) {
  double largest = 0.0;
  for (const Matrix& matrix : matrices) {
    if (matrix.cols() > 0) {
      largest = std::max(largest, matrix.row(row).cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

bool Fail(std::string error, ProbeResults* results) {
  results->error_log = std::move(error);
  return false;
}

}  // namespace

GradientChecker::GradientChecker(const CostFunction* function,
                                 const std::vector<const Manifold*>* manifolds,
                                 const NumericDiffOptions& options)
    : function_(function), options_(options) {
  VESTA_CHECK(function != nullptr)
      << "GradientChecker needs a cost function; it was given null.";
  VESTA_CHECK_GT(function->num_residuals(), 0)
      << "GradientChecker: the cost function has no residuals.";
  const std::vector<int32_t>& sizes = function->parameter_block_sizes();
  if (manifolds == nullptr) {
    manifolds_.resize(sizes.size(), nullptr);
  } else {
    manifolds_ = *manifolds;
  }
  VESTA_CHECK_EQ(manifolds_.size(), sizes.size())
      << "GradientChecker: the number of manifolds (left) is not the number of "
      << "parameter blocks of the cost function (right).";
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (manifolds_[i] == nullptr) continue;
    VESTA_CHECK_EQ(manifolds_[i]->AmbientSize(), sizes[i])
        << "GradientChecker: the ambient size of manifold " << i
        << " (left) is not the size of the parameter block (right).";
  }
}

bool GradientChecker::Probe(double const* const* parameters,
                            double relative_precision,
                            ProbeResults* results) const {
  ProbeResults own_results;
  if (results == nullptr) results = &own_results;
  *results = ZeroResults(*function_, manifolds_);
  results->return_value =
      EvaluateResiduals(parameters, results) &&
      EvaluateNumericJacobians(parameters, results) &&
      ToTangent(parameters, results->jacobians, &results->local_jacobians,
                &results->error_log) &&
      ToTangent(parameters, results->numeric_jacobians,
                &results->local_numeric_jacobians, &results->error_log) &&
      Compare(relative_precision, results);
  return results->return_value;
}

// Reads: the function. Writes: residuals, jacobians.
bool GradientChecker::EvaluateResiduals(double const* const* parameters,
                                        ProbeResults* results) const {
  const int num_residuals = function_->num_residuals();
  Vector alone = Vector::Constant(num_residuals, kImpossibleValue);
  if (!function_->Evaluate(parameters, alone.data(), nullptr)) {
    return Fail("The cost function could not be evaluated without Jacobians.",
                results);
  }
  Vector residuals = Vector::Constant(num_residuals, kImpossibleValue);
  std::vector<Matrix> jacobians =
      AmbientJacobians(*function_, kImpossibleValue);
  if (!function_->Evaluate(parameters, residuals.data(),
                           PointersTo(&jacobians).data())) {
    return Fail("The cost function could not be evaluated with Jacobians.",
                results);
  }
  results->residuals = residuals;
  if (!IsWritten(residuals)) {
    return Fail("A residual was not written or is not finite.", results);
  }
  for (int r = 0; r < num_residuals; ++r) {
    constexpr double kRounding = 1e-12;
    const double difference = std::abs(residuals[r] - alone[r]);
    // Other code may compute with Jets, so the last bits may differ.
    if (!(difference <= kRounding * std::max(1.0, std::abs(residuals[r])))) {
      char text[160];
      std::snprintf(text, sizeof(text),
                    "Residual %d is %.17g when evaluated with Jacobians, and "
                    "%.17g without.",
                    r, residuals[r], alone[r]);
      return Fail(text, results);
    }
  }
  results->jacobians = std::move(jacobians);
  return true;
}

bool GradientChecker::EvaluateNumericJacobians(double const* const* parameters,
                                               ProbeResults* results) const {
  DynamicNumericDiffCostFunction<CostFunction, RIDDERS> differences(
      function_, DO_NOT_TAKE_OWNERSHIP, options_);
  for (const int size : function_->parameter_block_sizes()) {
    differences.AddParameterBlock(size);
  }
  differences.SetNumResiduals(function_->num_residuals());
  std::vector<Matrix> jacobians =
      AmbientJacobians(*function_, kImpossibleValue);
  Vector residuals(function_->num_residuals());
  if (!differences.Evaluate(parameters, residuals.data(),
                            PointersTo(&jacobians).data())) {
    return Fail(
        "The cost function could not be evaluated near the point, where finite "
        "differences need it.",
        results);
  }
  results->numeric_jacobians = std::move(jacobians);
  return true;
}

bool GradientChecker::ToTangent(double const* const* parameters,
                                const std::vector<Matrix>& ambient,
                                std::vector<Matrix>* tangent,
                                std::string* error) const {
  std::vector<Matrix> products = *tangent;
  for (size_t i = 0; i < ambient.size(); ++i) {
    const Manifold* manifold = manifolds_[i];
    if (manifold == nullptr) {
      products[i] = ambient[i];
      continue;
    }
    if (!manifold->RightMultiplyByPlusJacobian(
            parameters[i], static_cast<int>(ambient[i].rows()),
            ambient[i].data(), products[i].data())) {
      *error = "The PlusJacobian of the manifold of parameter block " +
               std::to_string(i) + " could not be evaluated.";
      return false;
    }
  }
  *tangent = std::move(products);
  return true;
}

bool GradientChecker::Compare(double relative_precision,
                              ProbeResults* results) const {
  const std::vector<Matrix>& actual = results->local_jacobians;
  const std::vector<Matrix>& numeric = results->local_numeric_jacobians;
  std::string lines;
  int num_wrong = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    for (int r = 0; r < actual[i].rows(); ++r) {
      const double scale = LargestInRow(numeric, r);
      for (int c = 0; c < actual[i].cols(); ++c) {
        const double error =
            EntryError(actual[i](r, c), numeric[i](r, c), scale);
        results->maximum_relative_error =
            std::max(results->maximum_relative_error, error);
        if (error <= relative_precision) continue;
        ++num_wrong;
        char line[200];
        std::snprintf(line, sizeof(line),
                      "\n  parameter block %zu, residual %d, coordinate %d: "
                      "%.17g from the cost function, %.17g by differences, "
                      "relative error %.3g",
                      i, r, c, actual[i](r, c), numeric[i](r, c), error);
        lines += line;
      }
    }
  }
  if (num_wrong == 0) return true;
  const std::string differing =
      internal::CountOf(num_wrong, "derivative differs", "derivatives differ");
  char head[160];
  std::snprintf(head, sizeof(head),
                "%s from finite differences by more than "
                "the relative precision %g (coordinates are tangent ones):",
                differing.c_str(), relative_precision);
  return Fail(head + lines, results);
}

}  // namespace ceres
