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

// Numbers in a row, or one number that stands for all of them.
struct Numbers {
  const double* at = nullptr;
  bool is_constant = false;
};

// A piece of z = f(x, y). y is empty for functions of one argument.
struct RulePiece {
  Numbers x;
  Numbers y;
  const double* z = nullptr;
  // Values of the rule's companion at x. Empty: they are not known.
  Numbers companion;
  int64_t count = 0;
};

// Writes the values z of a piece, in which z is not set.
using RuleValues = std::function<void(const RulePiece& piece, double* z)>;
// The slopes dz / dx or dz / dy of a piece. `memory` has room for them.
using RuleSlopes =
    std::function<Numbers(const RulePiece& piece, double* memory)>;

struct NamedRule {
  int num_arguments = 1;
  RuleValues values;
  RuleSlopes by_x;
  RuleSlopes by_y;
  // NumPy's loops are faster, but for a few entries.
  bool is_slow = false;
  // A ufunc whose values at x are the slopes, but for a factor.
  const char* companion = nullptr;
};

// The rules of NumPy's ufuncs, by name.
const std::unordered_map<std::string, NamedRule>& DualRules();

// What a rule is applied to. A constant has no columns.
struct DualInput {
  const DoubleView* value = nullptr;
  const DoubleView* derivative = nullptr;
  std::shared_ptr<const DualColumns> columns;
};

// Values of a rule that are already known. Null: they are not.
struct KnownValues {
  const DoubleView* z = nullptr;
  const DoubleView* companion = nullptr;
};

// rule(x, y), broadcast as in NumPy; y has no value for one argument.
Dual ApplyRule(const NamedRule& rule, const DualInput& x, const DualInput& y,
               const KnownValues& known);

// The dual array of `value` whose derivatives are those of x times by_x and
// those of y times by_y; a factor that is null is one.
Dual Combine(const DoubleView& value, const DualInput& x,
             const DoubleView* by_x, const DualInput& y,
             const DoubleView* by_y);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_DUAL_RULES_H_
