// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/solver/option_checker.h"

#include "ceres/base/format.h"

namespace ceres::internal {

bool OptionChecker::Report(OptionNumber left, const char* relation,
                           OptionNumber right) const {
  if (right.name == nullptr) {
    *error_ =
        Format("%s::%s = %.15g is out of range: set it to a value %s %.15g.",
               options_name_, left.name, left.value, relation, right.value);
  } else {
    *error_ = Format(
        "%s::%s = %.15g and %s::%s = %.15g contradict each other: change one "
        "of them so that the first is %s the second.",
        options_name_, left.name, left.value, options_name_, right.name,
        right.value, relation);
  }
  return false;
}

}  // namespace ceres::internal
