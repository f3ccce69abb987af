// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_INTERNAL_SOLVER_OPTION_CHECKER_H_
#define CERES_INTERNAL_SOLVER_OPTION_CHECKER_H_

#include <string>
#include <utility>

namespace ceres::internal {

// A number that a check compares: the value of an option, or a constant.
struct OptionNumber {
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

}  // namespace ceres::internal

#endif  // CERES_INTERNAL_SOLVER_OPTION_CHECKER_H_
