// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/constraint_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/evaluation/active_constraints.h"

namespace ceres::internal {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnbounded = std::numeric_limits<double>::max();

bool Varies(const ParameterBlock& block) {
  return !block.IsConstant() && !block.IsPinned();
}

// Names the option or the property of the problem that constraints exclude.
std::string FindConflict(const Solver::Options& options,
                         const ProblemImpl& problem) {
  const auto refuses = [](const char* option, const char* remedy) {
    return Format(
        "Solver::Options::%s does not work with constraints "
        "(Problem::AddEqualityConstraint): %s.",
        option, remedy);
  };
  if (options.minimizer_type != TRUST_REGION) {
    return refuses("minimizer_type = LINE_SEARCH", "choose TRUST_REGION");
  }
  if (options.trust_region_strategy_type != LEVENBERG_MARQUARDT) {
    return refuses("trust_region_strategy_type = DOGLEG",
                   "choose LEVENBERG_MARQUARDT");
  }
  if (options.use_inner_iterations) {
    return refuses("use_inner_iterations", "do not set it");
  }
  if (options.use_nonmonotonic_steps) {
    return refuses("use_nonmonotonic_steps", "do not set it");
  }
  if (options.check_gradients) {
    return refuses("check_gradients",
                   "check the cost functions of constraints with "
                   "GradientChecker");
  }
  if (!options.trust_region_minimizer_iterations_to_dump.empty()) {
    return refuses("trust_region_minimizer_iterations_to_dump",
                   "do not set it");
  }
  if (problem.num_linearization_points() > 0) {
    return "Problem::SetLinearizationPoint does not work with constraints "
           "(Problem::AddEqualityConstraint): remove the points.";
  }
  return "";
}

// The multipliers are the user's, or those of an earlier solve.
bool CheckMultipliers(const Constraint& constraint, std::string* error) {
  for (std::size_t i = 0; i < constraint.multipliers.size(); ++i) {
    if (std::isfinite(constraint.multipliers[i])) continue;
    *error = Format(
        "%s has a start that is not finite: multiplier %zu is %g. Set it to 0 "
        "with Problem::SetMultipliers.",
        constraint.Label().c_str(), i, constraint.multipliers[i]);
    return false;
  }
  return true;
}

bool CheckBounds(const Constraint& constraint, std::string* error) {
  for (std::size_t i = 0; i < constraint.lower.size(); ++i) {
    const double lower = constraint.lower[i];
    const double upper = constraint.upper[i];
    if (lower <= upper && lower < kInfinity && upper > -kInfinity) continue;
    *error = Format(
        "%s has bounds that no value meets: coordinate %zu has lower bound %g "
        "and upper bound %g.",
        constraint.Label().c_str(), i, lower, upper);
    return false;
  }
  return true;
}

}  // namespace

bool CheckConstraints(const Solver::Options& options,
                      const ProblemImpl& problem, std::string* error) {
  *error = FindConflict(options, problem);
  if (!error->empty()) return false;
  return std::all_of(problem.constraints().begin(), problem.constraints().end(),
                     [&](const auto& constraint) {
                       return CheckBounds(*constraint, error) &&
                              CheckMultipliers(*constraint, error);
                     });
}

ConstraintRows::ConstraintRows(const ProblemImpl& problem)
    : residual_blocks_(static_cast<int>(problem.residual_blocks().size())) {
  std::vector<bool> is_used(problem.parameter_blocks().size(), false);
  for (const ResidualBlock* block : problem.residual_blocks()) {
    for (int k = 0; k < block->num_parameter_blocks(); ++k) {
      is_used[block->parameter_blocks()[k]->index()] = true;
    }
  }
  for (const auto& constraint : problem.constraints()) {
    const std::vector<ParameterBlock*>& blocks = constraint->parameter_blocks;
    for (const ParameterBlock* block : blocks) is_used[block->index()] = true;
    if (std::none_of(
            blocks.begin(), blocks.end(),
            [](const ParameterBlock* block) { return Varies(*block); })) {
      fixed_.push_back(constraint.get());
      continue;
    }
    constraints_.push_back(constraint.get());
    AddRows(std::make_unique<ConstraintFunction>(
                *constraint->cost_function, constraint->Label(),
                constraint->lower, constraint->upper, blocks),
            blocks);
  }
  for (ParameterBlock* block : problem.parameter_blocks()) {
    if (is_used[block->index()] && block->has_bounds() && Varies(*block)) {
      AddBounds(block);
    }
  }
}

void ConstraintRows::AddRows(std::unique_ptr<ConstraintFunction> function,
                             const std::vector<ParameterBlock*>& blocks) {
  residual_blocks_.Add(function.get(), blocks);
  functions_.push_back(std::move(function));
}

// Coordinates of equal bounds do not vary (pinned_coordinates.h).
void ConstraintRows::AddBounds(ParameterBlock* block) {
  std::vector<int> coordinates;
  std::vector<double> lower;
  std::vector<double> upper;
  for (int i = 0; i < block->size(); ++i) {
    const double low = block->LowerBound(i);
    const double high = block->UpperBound(i);
    if (low == high || (low <= -kUnbounded && high >= kUnbounded)) continue;
    coordinates.push_back(i);
    lower.push_back(low);
    upper.push_back(high);
  }
  if (coordinates.empty()) return;
  bounded_.push_back(
      std::make_unique<SelectedCoordinates>(block->size(), coordinates));
  AddRows(std::make_unique<ConstraintFunction>(
              *bounded_.back(),
              "the bounds of parameter block " + std::to_string(block->index()),
              std::move(lower), std::move(upper),
              std::vector<ParameterBlock*>{block}),
          {block});
}

std::vector<ConstraintFunction*> ConstraintRows::functions() const {
  std::vector<ConstraintFunction*> functions;
  for (const auto& function : functions_) functions.push_back(function.get());
  return functions;
}

void ConstraintRows::ReadMultipliers() {
  for (const auto& function : functions_) function->Reset();
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    functions_[k]->multipliers() = constraints_[k]->multipliers;
  }
}

void ConstraintRows::WriteMultipliers() const {
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    constraints_[k]->multipliers = functions_[k]->multipliers();
  }
}

bool ConstraintRows::FindFixedViolations(double tolerance,
                                         FixedViolations* violations,
                                         std::string* error) const {
  for (const Constraint* constraint : fixed_) {
    ConstraintOutputs outputs;
    if (!EvaluateConstraint(*constraint, &outputs, error)) return false;
    const int m = constraint->cost_function->num_residuals();
    double largest = 0.0;
    for (int i = 0; i < m; ++i) {
      double squared_norm = 0.0;
      for (const std::vector<double>& cell : outputs.cells) {
        const int n = static_cast<int>(cell.size()) / m;
        for (int j = i * n; j < (i + 1) * n; ++j) {
          squared_norm += cell[j] * cell[j];
        }
      }
      const double c = outputs.residuals[i];
      const double violation =
          std::abs(c - std::min(std::max(c, constraint->lower[i]),
                                constraint->upper[i]));
      if (violation == 0.0) continue;
      largest = std::max(largest, violation / std::sqrt(squared_norm));
    }
    if (largest <= tolerance) continue;
    violations->constraints.push_back(constraint->Label());
    violations->largest = std::max(violations->largest, largest);
  }
  return true;
}

}  // namespace ceres::internal
