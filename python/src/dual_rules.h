// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// The derivatives of elementwise functions.

#ifndef VESTA_PYTHON_DUAL_RULES_H_
#define VESTA_PYTHON_DUAL_RULES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "dual.h"

namespace vesta::python {

// z = f(x, y) for count pairs, and the derivatives by x and y. A slope that is
// not wanted is null; y is null for functions of one argument.
using DualRule =
    std::function<void(const double* x, const double* y, int64_t count,
                       double* z, double* by_x, double* by_y)>;

struct NamedRule {
  int num_arguments = 1;
  DualRule rule;
};

// The rules of NumPy's ufuncs, by name.
const std::unordered_map<std::string, NamedRule>& DualRules();

// What a rule is applied to. A constant has no columns.
struct DualInput {
  const DoubleView* value = nullptr;
  const DoubleView* derivative = nullptr;
  std::shared_ptr<const DualColumns> columns;
};

// rule(x, y), broadcast as in NumPy; y has no value for one argument.
Dual ApplyRule(const DualRule& rule, const DualInput& x, const DualInput& y);

// The dual array of `value` whose derivatives are those of x times by_x and
// those of y times by_y; a factor that is null is one.
Dual Combine(const DoubleView& value, const DualInput& x,
             const DoubleView* by_x, const DualInput& y,
             const DoubleView* by_y);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_DUAL_RULES_H_
