// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

// The destructors of interfaces that define nothing else.

#include "ceres/evaluation_callback.h"
#include "ceres/first_order_function.h"
#include "ceres/iteration_callback.h"

namespace ceres {

EvaluationCallback::~EvaluationCallback() = default;
FirstOrderFunction::~FirstOrderFunction() = default;
IterationCallback::~IterationCallback() = default;

}  // namespace ceres
