// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_OPTION_CHECKER_H_
#define CERES_INTERNAL_SOLVER_OPTION_CHECKER_H_

#include <string>
#include <utility>

#include "ceres/base/format.h"
#include "ceres/logging/logging.h"
#include "ceres/types.h"

namespace ceres::internal {

// A number that a check compares: the value of an option, or a constant.
struct OptionNumber {
  // NOLINTNEXTLINE(google-explicit-constructor)
  OptionNumber(double constant) : value(constant) {}
  OptionNumber(const char* name, double value) : name(name), value(value) {}

  const char* name = nullptr;  // null: a constant
  double value = 0.0;
};

// An OptionNumber from a field of the struct `options`.
#define CERES_OPTION(options, field) \
  (::ceres::internal::OptionNumber(#field, (options).field))

// Checks the values of an options struct. Each check returns whether the values
// are valid; if not, it writes a message that names the option, its value and
// what it should be. A chain of checks with && stops at the first violation:
//
//   const OptionChecker check("Solver::Options", &error);
//   return check.Greater(CERES_OPTION(options, eta), 0.0) &&
//          check.AtMost(CERES_OPTION(options, min_lm_diagonal),
//                       CERES_OPTION(options, max_lm_diagonal));
class OptionChecker {
 public:
  // options_name: the struct that the user set. error: not null; outlives this.
  OptionChecker(const char* options_name, std::string* error)
      : options_name_(options_name), error_(error) {}

  // Comparisons of the first number with the second. NaN violates them all.
  bool Greater(OptionNumber left, OptionNumber right) const {
    return left.value > right.value || Report(left, ">", right);
  }
  bool AtLeast(OptionNumber left, OptionNumber right) const {
    return left.value >= right.value || Report(left, ">=", right);
  }
  bool Less(OptionNumber left, OptionNumber right) const {
    return left.value < right.value || Report(left, "<", right);
  }
  bool AtMost(OptionNumber left, OptionNumber right) const {
    return left.value <= right.value || Report(left, "<=", right);
  }

  // conflict: a message about options that exclude each other, or empty.
  bool HasNoConflict(std::string conflict) const {
    if (conflict.empty()) return true;
    *error_ = std::move(conflict);
    return false;
  }

  const char* options_name() const { return options_name_; }

 private:
  // Returns false.
  bool Report(OptionNumber left, const char* relation,
              OptionNumber right) const;

  const char* options_name_;
  std::string* error_;
};

// The checks of the options that Solver::Options and
// GradientProblemSolver::Options have in common. `Options` is one of the two
// structs. A check returns false at the first violation; the checker has then
// described it.

// Describes the conflict if the direction needs WOLFE and does not get it.
template <typename Options>
std::string QuasiNewtonConflict(const Options& o, const char* options_name) {
  const LineSearchDirectionType direction = o.line_search_direction_type;
  if (o.line_search_type == WOLFE ||
      (direction != BFGS && direction != LBFGS)) {
    return "";
  }
  return Format(
      "%s::line_search_direction_type = %s learns from steps of positive "
      "curvature, which %s::line_search_type = %s does not ensure: set "
      "line_search_type = WOLFE.",
      options_name, LineSearchDirectionTypeToString(direction), options_name,
      LineSearchTypeToString(o.line_search_type));
}

// is_line_search: the minimizer is LINE_SEARCH.
template <typename Options>
bool CheckLineSearchOptions(const Options& o, bool is_line_search,
                            const OptionChecker& check) {
  const OptionNumber decrease =
      CERES_OPTION(o, line_search_sufficient_function_decrease);
  const OptionNumber curvature =
      CERES_OPTION(o, line_search_sufficient_curvature_decrease);
  const OptionNumber max_contraction =
      CERES_OPTION(o, max_line_search_step_contraction);
  const OptionNumber min_contraction =
      CERES_OPTION(o, min_line_search_step_contraction);
  const OptionNumber num_steps =
      CERES_OPTION(o, max_num_line_search_step_size_iterations);
  return check.HasNoConflict(QuasiNewtonConflict(o, check.options_name())) &&
         check.Greater(CERES_OPTION(o, max_lbfgs_rank), 0.0) &&
         check.Greater(CERES_OPTION(o, min_line_search_step_size), 0.0) &&
         check.Greater(decrease, 0.0) && check.Greater(max_contraction, 0.0) &&
         check.Less(max_contraction, 1.0) &&
         check.Less(max_contraction, min_contraction) &&
         check.AtMost(min_contraction, 1.0) && check.AtLeast(num_steps, 0.0) &&
         (!is_line_search || check.AtLeast(num_steps, 1.0)) &&
         check.Less(decrease, curvature) && check.Less(curvature, 1.0) &&
         check.Greater(CERES_OPTION(o, max_line_search_step_expansion), 1.0);
}

template <typename Options>
bool CheckLimitOptions(const Options& o, const OptionChecker& check) {
  return check.AtLeast(CERES_OPTION(o, max_num_iterations), 0.0) &&
         check.AtLeast(CERES_OPTION(o, max_solver_time_in_seconds), 0.0);
}

template <typename Options>
bool CheckToleranceOptions(const Options& o, const OptionChecker& check) {
  return check.AtLeast(CERES_OPTION(o, function_tolerance), 0.0) &&
         check.AtLeast(CERES_OPTION(o, gradient_tolerance), 0.0) &&
         check.AtLeast(CERES_OPTION(o, parameter_tolerance), 0.0);
}

// Logs a warning if the contraction factors exclude the factor of bisection.
template <typename Options>
void WarnOfBisection(const Options& o, const char* options_name) {
  if (o.line_search_interpolation_type != BISECTION ||
      (o.max_line_search_step_contraction <= 0.5 &&
       o.min_line_search_step_contraction >= 0.5)) {
    return;
  }
  VESTA_LOG(kWarning)
      << options_name
      << "::line_search_interpolation_type = BISECTION halves step "
         "sizes, but the factors that the options allow, "
         "max_line_search_step_contraction = "
      << o.max_line_search_step_contraction
      << " to min_line_search_step_contraction = "
      << o.min_line_search_step_contraction
      << ", leave out 0.5. Set them to values on both sides of it.";
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_OPTION_CHECKER_H_
