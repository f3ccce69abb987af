// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/evaluation_callback.h"

namespace ceres {

EvaluationCallback::~EvaluationCallback() = default;

}  // namespace ceres
