// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation/cost_function_call.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "ceres/base/type_of.h"
#include "ceres/evaluation/constraint_function.h"
#include "ceres/problem/added_batch.h"
#include "ceres/types.h"

namespace ceres::internal {
namespace {

std::string ValueToString(double value) {
  if (value == kImpossibleValue) return "(not written)";
  char text[32];
  std::snprintf(text, sizeof(text), "%.8g", value);
  return text;
}

std::string WhatIsWrongWith(double value) {
  return value == kImpossibleValue ? "was not written"
                                   : "is " + ValueToString(value);
}

std::string ArrayToString(const double* values, std::int64_t size) {
  constexpr std::int64_t kMaxNumPrinted = 60;
  std::string text = "[";
  for (std::int64_t i = 0; i < std::min(size, kMaxNumPrinted); ++i) {
    text += (i == 0 ? "" : ", ") + ValueToString(values[i]);
  }
  if (size > kMaxNumPrinted) {
    text += ", ... " + std::to_string(size - kMaxNumPrinted) + " more";
  }
  return text + "]";
}

std::string SizesToString(const std::vector<int32_t>& sizes) {
  std::string text;
  for (const int32_t size : sizes) {
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  }
  return text.empty() ? "no parameter blocks"
                      : "parameter blocks of size " + text;
}

// The rows of a constraint are more than the residuals of the user's function.
const ConstraintFunction* FindConstraint(const CostFunctionCall& call) {
  return HasType<ConstraintFunction>(*call.cost_function)
             ? static_cast<const ConstraintFunction*>(call.cost_function)
             : nullptr;
}

int NumOwnResiduals(const CostFunctionCall& call) {
  const ConstraintFunction* const constraint = FindConstraint(call);
  return constraint == nullptr ? call.cost_function->num_residuals()
                               : constraint->size();
}

std::string NameOf(const CostFunctionCall& call) {
  const ConstraintFunction* const constraint = FindConstraint(call);
  return constraint == nullptr
             ? "Residual block " + std::to_string(call.residual_block_index) +
                   " of the problem" + NameOfRow(*call.cost_function)
             : "The constraint \"" + constraint->label() + '"';
}

}  // namespace

bool IsInvalid(double value) {
  return value == kImpossibleValue || !std::isfinite(value);
}

std::string FindInvalidOutput(const CostFunctionCall& call) {
  const int num_residuals = call.cost_function->num_residuals();
  const std::vector<int32_t>& sizes =
      call.cost_function->parameter_block_sizes();
  for (int r = 0; r < num_residuals; ++r) {
    if (IsInvalid(call.residuals[r])) {
      return "residual " + std::to_string(r) + " " +
             WhatIsWrongWith(call.residuals[r]);
    }
  }
  for (std::size_t k = 0; call.jacobians != nullptr && k < sizes.size(); ++k) {
    if (call.jacobians[k] == nullptr) continue;
    for (int i = 0; i < num_residuals * sizes[k]; ++i) {
      const double value = call.jacobians[k][i];
      if (!IsInvalid(value)) continue;
      return "the derivative of residual " + std::to_string(i / sizes[k]) +
             " by coordinate " + std::to_string(i % sizes[k]) +
             " of parameter block " + std::to_string(k) + " " +
             WhatIsWrongWith(value);
    }
  }
  return "";
}

std::string DescribeRefusal(const CostFunctionCall& call) {
  std::string text = "its cost function returned false";
  // Batches also fail for results that are not finite. A row that has written
  // no results was refused by the user's code.
  const bool has_results = BatchRow::Of(*call.cost_function) != nullptr &&
                           call.cost_function->num_residuals() > 0 &&
                           call.residuals[0] != kImpossibleValue;
  const std::string invalid = has_results ? FindInvalidOutput(call) : "";
  return invalid.empty() ? text : text + ": " + invalid;
}

std::string FindInvalidLoss(const double rho[3]) {
  const bool is_finite =
      std::isfinite(rho[0]) && std::isfinite(rho[1]) && std::isfinite(rho[2]);
  if (is_finite && rho[1] >= 0.0) return "";
  return "its loss function returned {rho, rho', rho''} = " +
         ArrayToString(rho, 3) + ", which must be finite, rho' not negative";
}

std::string DescribeFailure(const CostFunctionCall& call,
                            const std::string& what) {
  const int num_residuals = NumOwnResiduals(call);
  const std::vector<int32_t>& sizes =
      call.cost_function->parameter_block_sizes();
  std::string text =
      NameOf(call) + " (residuals: " + std::to_string(num_residuals) + "; " +
      SizesToString(sizes) + ") could not be evaluated: " + what + ".";
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    text += "\n  parameters[" + std::to_string(k) +
            "] = " + ArrayToString(call.parameters[k], sizes[k]);
  }
  text += "\n  residuals = " + ArrayToString(call.residuals, num_residuals);
  for (std::size_t k = 0; call.jacobians != nullptr && k < sizes.size(); ++k) {
    text += "\n  jacobians[" + std::to_string(k) + "] = ";
    text += call.jacobians[k] == nullptr
                ? std::string("not wanted")
                : ArrayToString(call.jacobians[k],
                                std::int64_t{num_residuals} * sizes[k]);
  }
  return text;
}

}  // namespace ceres::internal
