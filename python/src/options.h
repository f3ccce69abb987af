// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef VESTA_PYTHON_OPTIONS_H_
#define VESTA_PYTHON_OPTIONS_H_

#include <nanobind/nanobind.h>

#include <memory>

#include "ceres/ordered_groups.h"
#include "ceres/solver.h"

namespace vesta::python {

// An elimination order: groups of parameter blocks, with the arrays that hold
// them kept alive.
struct ParameterBlockOrdering {
  std::shared_ptr<ceres::ParameterBlockOrdering> groups =
      std::make_shared<ceres::ParameterBlockOrdering>();
  nanobind::list arrays;
};

// The options of a solve, with what Python objects stand for.
struct SolverOptions : ceres::Solver::Options {
  // Callables that get an IterationSummary.
  nanobind::list python_callbacks;
  // ParameterBlockOrdering or None.
  nanobind::object linear_ordering = nanobind::none();
  nanobind::object inner_ordering = nanobind::none();
};

}  // namespace vesta::python

#endif  // VESTA_PYTHON_OPTIONS_H_
