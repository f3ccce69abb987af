// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_SHARED_OPTION_CHECKS_H_
#define CERES_INTERNAL_SOLVER_SHARED_OPTION_CHECKS_H_

#include <string>

#include "ceres/base/format.h"
#include "ceres/solver/option_rules.h"
#include "ceres/types.h"
#include "glog/logging.h"

// Checks of the options that Solver::Options and GradientProblemSolver::Options
// both have. Options is one of the two structs, options_name its name in
// messages. A check returns false at the first violation, and `error` describes
// the violation.

namespace ceres::internal {

#define CERES_OPTION(field) (OptionNumber<Options>(#field, &Options::field))

// is_line_search: the minimizer is LINE_SEARCH.
template <typename Options>
bool CheckLineSearchOptions(const Options& options, bool is_line_search,
                            const char* options_name, std::string* error) {
  const LineSearchDirectionType direction = options.line_search_direction_type;
  if (options.line_search_type != WOLFE &&
      (direction == BFGS || direction == LBFGS)) {
    *error = Format(
        "%s::line_search_direction_type = %s learns from steps of positive "
        "curvature, which %s::line_search_type = %s does not ensure: set "
        "line_search_type = WOLFE.",
        options_name, LineSearchDirectionTypeToString(direction), options_name,
        LineSearchTypeToString(options.line_search_type));
    return false;
  }
  enum : unsigned { kAlways = 1, kLineSearch = 2 };
  // clang-format off
  static constexpr OptionRule<Options> kRules[] = {
      {kAlways, CERES_OPTION(max_lbfgs_rank), kGreater, 0.0},
      {kAlways, CERES_OPTION(min_line_search_step_size), kGreater, 0.0},
      {kAlways, CERES_OPTION(line_search_sufficient_function_decrease), kGreater, 0.0},
      {kAlways, CERES_OPTION(max_line_search_step_contraction), kGreater, 0.0},
      {kAlways, CERES_OPTION(max_line_search_step_contraction), kLess, 1.0},
      {kAlways, CERES_OPTION(max_line_search_step_contraction), kLess, CERES_OPTION(min_line_search_step_contraction)},
      {kAlways, CERES_OPTION(min_line_search_step_contraction), kAtMost, 1.0},
      {kAlways, CERES_OPTION(max_num_line_search_step_size_iterations), kAtLeast, 0.0},
      {kLineSearch, CERES_OPTION(max_num_line_search_step_size_iterations), kAtLeast, 1.0},
      {kAlways, CERES_OPTION(line_search_sufficient_function_decrease), kLess,
       CERES_OPTION(line_search_sufficient_curvature_decrease)},
      {kAlways, CERES_OPTION(line_search_sufficient_curvature_decrease), kLess, 1.0},
      {kAlways, CERES_OPTION(max_line_search_step_expansion), kGreater, 1.0},
  };
  // clang-format on
  return ObeysRules(kRules, options,
                    is_line_search ? kAlways | kLineSearch : kAlways,
                    options_name, error);
}

template <typename Options>
bool CheckLimitOptions(const Options& options, const char* options_name,
                       std::string* error) {
  static constexpr OptionRule<Options> kRules[] = {
      {kEveryScope, CERES_OPTION(max_num_iterations), kAtLeast, 0.0},
      {kEveryScope, CERES_OPTION(max_solver_time_in_seconds), kAtLeast, 0.0},
  };
  return ObeysRules(kRules, options, kEveryScope, options_name, error);
}

template <typename Options>
bool CheckToleranceOptions(const Options& options, const char* options_name,
                           std::string* error) {
  static constexpr OptionRule<Options> kRules[] = {
      {kEveryScope, CERES_OPTION(function_tolerance), kAtLeast, 0.0},
      {kEveryScope, CERES_OPTION(gradient_tolerance), kAtLeast, 0.0},
      {kEveryScope, CERES_OPTION(parameter_tolerance), kAtLeast, 0.0},
  };
  return ObeysRules(kRules, options, kEveryScope, options_name, error);
}

#undef CERES_OPTION

// Logs a warning if the contraction factors exclude the factor of bisection.
template <typename Options>
void WarnOfBisection(const Options& options, const char* options_name) {
  if (options.line_search_interpolation_type != BISECTION ||
      (options.max_line_search_step_contraction <= 0.5 &&
       options.min_line_search_step_contraction >= 0.5)) {
    return;
  }
  LOG(WARNING) << options_name
               << "::line_search_interpolation_type = BISECTION "
                  "halves step sizes, but the factors that the options allow, "
                  "max_line_search_step_contraction = "
               << options.max_line_search_step_contraction
               << " to min_line_search_step_contraction = "
               << options.min_line_search_step_contraction
               << ", leave out 0.5. Set them to values on both sides of it.";
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_SHARED_OPTION_CHECKS_H_
