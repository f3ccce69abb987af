// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/report/constraint_section.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "ceres/evaluation/active_constraints.h"
#include "ceres/evaluation_callback.h"
#include "ceres/problem/constraint.h"
#include "ceres/problem/parameter_block.h"

namespace ceres::internal {
namespace {

std::vector<double> ValuesOf(const Constraint& constraint) {
  std::vector<const double*> parameters;
  for (const ParameterBlock* block : constraint.parameter_blocks) {
    parameters.push_back(block->user_state());
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values(constraint.lower.size(), nan);
  if (!constraint.cost_function->Evaluate(parameters.data(), values.data(),
                                          nullptr)) {
    std::fill(values.begin(), values.end(), nan);
  }
  return values;
}

}  // namespace

ConstraintSection CollectConstraints(Problem* problem) {
  ConstraintSection section;
  const ProblemImpl& impl = *problem->mutable_impl();
  section.num_constraints = static_cast<int>(impl.constraints().size());
  if (section.num_constraints == 0) return section;
  if (EvaluationCallback* callback = impl.options().evaluation_callback) {
    callback->PrepareForEvaluation(/*evaluate_jacobians=*/false,
                                   /*new_evaluation_point=*/true);
  }
  std::vector<ReportedConstraint>& all = section.coordinates;
  for (const auto& constraint : impl.constraints()) {
    const std::vector<double> values = ValuesOf(*constraint);
    const auto size = static_cast<int>(values.size());
    for (int i = 0; i < size; ++i) {
      ReportedConstraint shown;
      shown.name = constraint->Label();
      if (size > 1) shown.name += "[" + std::to_string(i) + "]";
      shown.value = values[i];
      shown.lower = constraint->lower[i];
      shown.upper = constraint->upper[i];
      shown.multiplier = constraint->multipliers[i];
      shown.is_active = IsActiveCoordinate(*constraint, i, values[i]);
      shown.violation =
          std::max({shown.lower - shown.value, shown.value - shown.upper, 0.0});
      section.num_active += shown.is_active ? 1 : 0;
      all.push_back(std::move(shown));
    }
  }
  section.num_coordinates = static_cast<int>(all.size());
  std::stable_sort(
      all.begin(), all.end(),
      [](const ReportedConstraint& a, const ReportedConstraint& b) {
        return std::make_tuple(a.is_active, std::abs(a.multiplier)) >
               std::make_tuple(b.is_active, std::abs(b.multiplier));
      });
  if (all.size() > kMaxReportConstraints) all.resize(kMaxReportConstraints);
  return section;
}

}  // namespace ceres::internal
