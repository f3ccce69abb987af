// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_EVALUATION_COST_FUNCTION_CALL_H_
#define CERES_INTERNAL_EVALUATION_COST_FUNCTION_CALL_H_

#include <string>

#include "ceres/cost_function.h"

namespace ceres::internal {

// One call of a user's cost function, with its outputs, to explain why it
// failed. Refers to memory of the caller.
struct CostFunctionCall {
  // Index of the residual block in the problem.
  int residual_block_index;
  const CostFunction* cost_function;
  double const* const* parameters;
  const double* residuals;
  // Null, or one pointer per parameter block, null where not wanted.
  double const* const* jacobians;
};

// Whether an output was not written (it is still kImpossibleValue) or is not
// finite.
bool IsInvalid(double value);

// Names the first output that is invalid, and its parameter block. Empty: all
// outputs are valid.
std::string FindInvalidOutput(const CostFunctionCall& call);

// Says that the cost function returned false. For a row of a batch also names
// the first output that is not finite, if there is one.
std::string DescribeRefusal(const CostFunctionCall& call);

// Says what is wrong with the values {rho, rho', rho''} of a loss function.
// Empty: they are finite, and rho' is not negative.
std::string FindInvalidLoss(const double rho[3]);

// A message for the user: the residual block, what went wrong (`what`), and the
// inputs and outputs of the call. Long arrays are abridged.
std::string DescribeFailure(const CostFunctionCall& call,
                            const std::string& what);

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_EVALUATION_COST_FUNCTION_CALL_H_
