// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_PYTHON_PYTHON_TEXT_H_
#define VESTA_PYTHON_PYTHON_TEXT_H_

#include <string>

namespace vesta::python {

// A message of the library with the names that Python has:
//
//   Solver::Options::num_threads      num_threads
//   Problem::AddEqualityConstraint    Problem.add_equality_constraint
//   SetParameterBlockConstant         set_parameter_block_constant
//   ceres::Solve                      solve
//
// All messages that reach Python pass through this: those of exceptions, of
// results, of reports and of the log. Other words stay. The result stays if it
// passes again.
std::string PythonText(const std::string& message);

}  // namespace vesta::python

#endif  // VESTA_PYTHON_PYTHON_TEXT_H_
