// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#include "ceres/first_order_function.h"

namespace ceres {

FirstOrderFunction::~FirstOrderFunction() = default;

}  // namespace ceres
