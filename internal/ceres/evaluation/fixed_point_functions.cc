// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/fixed_point_functions.h"

#include <algorithm>
#include <cstddef>

#include "ceres/internal/eigen.h"
#include "ceres/manifold.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

// An argument of a cost function. point: null if the argument has none.
struct Argument {
  const double* point;
  const Manifold* manifold;
  int size;

  bool IsMoved(const double* x) const {
    return point != nullptr && !std::equal(point, point + size, x);
  }
};

// jacobian (num_rows x ambient) <- jacobian P(point) M(x).
bool MoveJacobian(const Argument& argument, const double* x, int num_rows,
                  double* jacobian) {
  if (argument.manifold == nullptr) return true;
  const int tangent_size = argument.manifold->TangentSize();
  Matrix tangent(num_rows, tangent_size);
  Matrix minus_jacobian(tangent_size, argument.size);
  if (!argument.manifold->RightMultiplyByPlusJacobian(
          argument.point, num_rows, jacobian, tangent.data()) ||
      !argument.manifold->MinusJacobian(x, minus_jacobian.data())) {
    return false;
  }
  MatrixRef(jacobian, num_rows, argument.size).noalias() =
      tangent * minus_jacobian;
  return true;
}

class FixedPointFunction final : public CostFunction {
 public:
  FixedPointFunction(const CostFunction& function,
                     std::vector<Argument> arguments)
      : function_(function), arguments_(std::move(arguments)) {
    *mutable_parameter_block_sizes() = function_.parameter_block_sizes();
    set_num_residuals(function_.num_residuals());
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    if (jacobians == nullptr) {
      return function_.Evaluate(parameters, residuals, nullptr);
    }
    std::vector<const double*> points(parameters,
                                      parameters + arguments_.size());
    bool any_is_moved = false;
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      if (!arguments_[k].IsMoved(parameters[k])) continue;
      points[k] = arguments_[k].point;
      any_is_moved = true;
    }
    if (!any_is_moved) {
      return function_.Evaluate(parameters, residuals, jacobians);
    }
    std::vector<double> residuals_there(num_residuals());
    return function_.Evaluate(points.data(), residuals_there.data(),
                              jacobians) &&
           function_.Evaluate(parameters, residuals, nullptr) &&
           MoveJacobians(parameters, jacobians);
  }

 private:
  bool MoveJacobians(double const* const* parameters,
                     double** jacobians) const {
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      if (jacobians[k] != nullptr && arguments_[k].IsMoved(parameters[k]) &&
          !MoveJacobian(arguments_[k], parameters[k], num_residuals(),
                        jacobians[k])) {
        return false;
      }
    }
    return true;
  }

  const CostFunction& function_;
  const std::vector<Argument> arguments_;
};

// The arguments of a row, or nothing if none has a point.
std::vector<Argument> ArgumentsWithPoints(const ResidualBlock& block,
                                          const Program& program, int row) {
  std::vector<Argument> arguments;
  bool any_point = false;
  for (int k = 0; k < block.num_parameter_blocks(); ++k) {
    const ParameterBlock& argument = *block.parameter_blocks()[k];
    const bool varies =
        program.arguments()[program.first_argument()[row] + k] >= 0;
    arguments.push_back({varies ? argument.linearization_point() : nullptr,
                         argument.manifold(), argument.size()});
    any_point |= arguments.back().point != nullptr;
  }
  if (!any_point) arguments.clear();
  return arguments;
}

}  // namespace

FixedPointFunctions::FixedPointFunctions(
    const std::vector<ResidualBlock*>& residual_blocks,
    const Program& program) {
  cost_functions_ = program.cost_functions();
  for (int row = 0; row < program.num_row_blocks(); ++row) {
    std::vector<Argument> arguments = ArgumentsWithPoints(
        *residual_blocks[program.residual_block_index()[row]], program, row);
    if (arguments.empty()) continue;
    wrappers_.push_back(std::make_unique<FixedPointFunction>(
        *cost_functions_[row], std::move(arguments)));
    cost_functions_[row] = wrappers_.back().get();
  }
}

FixedPointFunctions::~FixedPointFunctions() = default;

}  // namespace ceres::internal
