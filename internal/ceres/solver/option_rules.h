// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_OPTION_RULES_H_
#define CERES_INTERNAL_SOLVER_OPTION_RULES_H_

#include <string>
#include <utility>

#include "ceres/base/format.h"

// Rules for the values of an options struct, as tables. `Options` is the
// struct, for example Solver::Options.

namespace ceres::internal {

// A number that a rule compares: an option, or a constant without a name.
template <typename Options>
struct OptionNumber {
  constexpr OptionNumber(double constant) : constant(constant) {}
  constexpr OptionNumber(const char* name, int Options::*field)
      : name(name), int_field(field) {}
  constexpr OptionNumber(const char* name, double Options::*field)
      : name(name), double_field(field) {}

  double In(const Options& options) const {
    if (name == nullptr) return constant;
    return int_field != nullptr ? options.*int_field : options.*double_field;
  }

  const char* name = nullptr;
  int Options::*int_field = nullptr;
  double Options::*double_field = nullptr;
  double constant = 0.0;
};

enum OptionRelation { kGreater, kAtLeast, kLess, kAtMost };

inline constexpr unsigned kEveryScope = ~0u;

// Either compares two numbers, or looks for options that cannot be combined.
template <typename Options>
struct OptionRule {
  using Number = OptionNumber<Options>;

  constexpr OptionRule(unsigned scope, Number left, OptionRelation relation,
                       Number right)
      : scope(scope), left(left), relation(relation), right(right) {}
  constexpr OptionRule(unsigned scope,
                       std::string (*find_conflict)(const Options&))
      : scope(scope), find_conflict(find_conflict) {}

  // False if one of the numbers is NaN.
  bool IsObeyed(const Options& options) const {
    const double l = left.In(options);
    const double r = right.In(options);
    const bool or_equal = relation == kAtLeast || relation == kAtMost;
    if (l == r) return or_equal;
    return relation <= kAtLeast ? l > r : l < r;
  }

  // The rule applies if `scope` has a bit of the scopes of the options.
  unsigned scope;
  Number left{0.0};
  OptionRelation relation = kAtMost;
  Number right{0.0};
  // Returns what is wrong, or an empty string. Null if the rule compares.
  std::string (*find_conflict)(const Options&) = nullptr;
};

// The message for a comparison that is not obeyed. options_name: the struct
// that the user set, for example "Solver::Options".
template <typename Options>
std::string DescribeViolation(const OptionRule<Options>& rule,
                              const Options& options,
                              const char* options_name) {
  constexpr const char* kSigns[] = {">", ">=", "<", "<="};
  const char* const sign = kSigns[rule.relation];
  if (rule.right.name == nullptr) {
    return Format("%s::%s = %.15g is out of range: set it to a value %s %.15g.",
                  options_name, rule.left.name, rule.left.In(options), sign,
                  rule.right.constant);
  }
  return Format(
      "%s::%s = %.15g and %s::%s = %.15g contradict each other: change one of "
      "them so that the first is %s the second.",
      options_name, rule.left.name, rule.left.In(options), options_name,
      rule.right.name, rule.right.In(options), sign);
}

// Whether the options obey all rules of their scopes. If not, `error` describes
// the first violation.
template <typename Options, int kNumRules>
bool ObeysRules(const OptionRule<Options> (&rules)[kNumRules],
                const Options& options, unsigned scopes,
                const char* options_name, std::string* error) {
  for (const OptionRule<Options>& rule : rules) {
    if ((rule.scope & scopes) == 0) continue;
    if (rule.find_conflict == nullptr) {
      if (rule.IsObeyed(options)) continue;
      *error = DescribeViolation(rule, options, options_name);
      return false;
    }
    std::string conflict = rule.find_conflict(options);
    if (conflict.empty()) continue;
    *error = std::move(conflict);
    return false;
  }
  return true;
}

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_OPTION_RULES_H_
