// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/active_constraints.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/evaluation/cost_function_call.h"
#include "ceres/evaluation_callback.h"
#include "ceres/types.h"

namespace ceres::internal {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::max();

bool Varies(const ParameterBlock& block) {
  return !block.IsConstant() && !block.IsPinned();
}

// The derivatives of some coordinates of a constraint. Residuals are zero.
class ActiveRows final : public CostFunction {
 public:
  // function: must outlive this.
  ActiveRows(const CostFunction& function, std::vector<int> coordinates)
      : function_(function), coordinates_(std::move(coordinates)) {
    *mutable_parameter_block_sizes() = function.parameter_block_sizes();
    set_num_residuals(static_cast<int>(coordinates_.size()));
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    std::fill_n(residuals, num_residuals(), 0.0);
    if (jacobians == nullptr) return true;
    ConstraintOutputs outputs(function_);
    for (std::size_t k = 0; k < outputs.jacobians.size(); ++k) {
      if (jacobians[k] == nullptr) outputs.jacobians[k] = nullptr;
    }
    if (!function_.Evaluate(parameters, outputs.residuals.data(),
                            outputs.jacobians.data())) {
      return false;
    }
    for (std::size_t k = 0; k < outputs.jacobians.size(); ++k) {
      if (jacobians[k] == nullptr) continue;
      const int n = parameter_block_sizes()[k];
      for (int i = 0; i < num_residuals(); ++i) {
        std::copy_n(outputs.jacobians[k] + coordinates_[i] * n, n,
                    jacobians[k] + i * n);
      }
    }
    return true;
  }

 private:
  const CostFunction& function_;
  const std::vector<int> coordinates_;
};

}  // namespace

ConstraintOutputs::ConstraintOutputs(const CostFunction& function)
    : residuals(function.num_residuals(), kImpossibleValue) {
  for (const int size : function.parameter_block_sizes()) {
    cells.emplace_back(residuals.size() * size, kImpossibleValue);
  }
  for (std::vector<double>& cell : cells) jacobians.push_back(cell.data());
}

bool EvaluateConstraint(const Constraint& constraint,
                        ConstraintOutputs* outputs, std::string* error) {
  const CostFunction& function = *constraint.cost_function;
  *outputs = ConstraintOutputs(function);
  std::vector<const double*> values;
  for (const ParameterBlock* block : constraint.parameter_blocks) {
    values.push_back(block->user_state());
  }
  std::string what;
  if (!function.Evaluate(values.data(), outputs->residuals.data(),
                         outputs->jacobians.data())) {
    what = "its cost function returned false";
  } else {
    CostFunctionCall call{};
    call.cost_function = &function;
    call.parameters = values.data();
    call.residuals = outputs->residuals.data();
    call.jacobians = outputs->jacobians.data();
    what = FindInvalidOutput(call);
  }
  if (what.empty()) return true;
  *error = Format("The constraint \"%s\" could not be evaluated: %s.",
                  constraint.Label().c_str(), what.c_str());
  return false;
}

bool IsActiveCoordinate(const Constraint& constraint, int coordinate,
                        double value) {
  const double lower = constraint.lower[coordinate];
  const double upper = constraint.upper[coordinate];
  const double multiplier = constraint.multipliers[coordinate];
  return lower == upper || value < lower || value > upper ||
         (multiplier < 0.0 && lower > -kUnbounded) ||
         (multiplier > 0.0 && upper < kUnbounded);
}

bool ActiveConstraints::Find(std::string* error) {
  EvaluationCallback* const callback = problem_.options().evaluation_callback;
  if (callback != nullptr && !problem_.constraints().empty()) {
    callback->PrepareForEvaluation(/*evaluate_jacobians=*/true,
                                   /*new_evaluation_point=*/true);
  }
  for (const auto& constraint : problem_.constraints()) {
    const std::vector<ParameterBlock*>& blocks = constraint->parameter_blocks;
    if (std::none_of(
            blocks.begin(), blocks.end(),
            [](const ParameterBlock* block) { return Varies(*block); })) {
      continue;
    }
    std::vector<int> coordinates;
    if (!FindCoordinates(*constraint, &coordinates, error)) return false;
    if (coordinates.empty()) continue;
    constraints_.push_back(constraint.get());
    functions_.push_back(std::make_unique<ActiveRows>(
        *constraint->cost_function, std::move(coordinates)));
    residual_blocks_.Add(functions_.back().get(), blocks);
  }
  return true;
}

bool ActiveConstraints::FindCoordinates(const Constraint& constraint,
                                        std::vector<int>* coordinates,
                                        std::string* error) const {
  ConstraintOutputs outputs;
  if (!EvaluateConstraint(constraint, &outputs, error)) return false;
  for (int i = 0; i < constraint.cost_function->num_residuals(); ++i) {
    if (IsActiveCoordinate(constraint, i, outputs.residuals[i]))
      coordinates->push_back(i);
  }
  return true;
}

std::vector<ResidualBlock*> ActiveConstraints::AllResidualBlocks() const {
  std::vector<ResidualBlock*> all = problem_.residual_blocks();
  all.insert(all.end(), residual_blocks().begin(), residual_blocks().end());
  return all;
}

}  // namespace ceres::internal
