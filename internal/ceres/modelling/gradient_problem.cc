// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/gradient_problem.h"

#include <utility>

#include "ceres/logging/logging.h"

namespace ceres {
namespace {

std::unique_ptr<FirstOrderFunction> NotNull(
    std::unique_ptr<FirstOrderFunction> function) {
  VESTA_CHECK(function != nullptr)
      << "A GradientProblem needs a function; it was "
         "given null.";
  return function;
}

}  // namespace

GradientProblem::GradientProblem(FirstOrderFunction* function)
    : GradientProblem(std::unique_ptr<FirstOrderFunction>(function)) {}

GradientProblem::GradientProblem(FirstOrderFunction* function,
                                 Manifold* manifold)
    : GradientProblem(std::unique_ptr<FirstOrderFunction>(function),
                      std::unique_ptr<Manifold>(manifold)) {}

GradientProblem::GradientProblem(std::unique_ptr<FirstOrderFunction> function)
    : function_(NotNull(std::move(function))),
      manifold_(std::make_unique<EuclideanManifold<DYNAMIC>>(
          function_->NumParameters())) {}

GradientProblem::GradientProblem(std::unique_ptr<FirstOrderFunction> function,
                                 std::unique_ptr<Manifold> manifold)
    : function_(NotNull(std::move(function))), manifold_(std::move(manifold)) {
  VESTA_CHECK(manifold_ != nullptr)
      << "A GradientProblem was given a null manifold; leave it out instead.";
  VESTA_CHECK_EQ(manifold_->AmbientSize(), function_->NumParameters())
      << "The manifold's ambient size is not the function's number of "
         "parameters.";
}

int GradientProblem::NumParameters() const {
  return function_->NumParameters();
}

int GradientProblem::NumTangentParameters() const {
  return manifold_->TangentSize();
}

bool GradientProblem::Evaluate(const double* parameters, double* cost,
                               double* gradient) const {
  if (gradient == nullptr) {
    return function_->Evaluate(parameters, cost, nullptr);
  }
  ambient_gradient_.resize(NumParameters());
  return function_->Evaluate(parameters, cost, ambient_gradient_.data()) &&
         manifold_->RightMultiplyByPlusJacobian(
             parameters, 1, ambient_gradient_.data(), gradient);
}

bool GradientProblem::Plus(const double* x, const double* delta,
                           double* x_plus_delta) const {
  return manifold_->Plus(x, delta, x_plus_delta);
}

}  // namespace ceres
