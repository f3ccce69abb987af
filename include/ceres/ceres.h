// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_CERES_H_
#define CERES_PUBLIC_CERES_H_

// The whole solver in one include. rotation.h, which has no part in solving, is
// not among it.

#include "ceres/autodiff_cost_function.h"
#include "ceres/constants.h"
#include "ceres/context.h"
#include "ceres/cost_function.h"
#include "ceres/crs_matrix.h"
#include "ceres/evaluation_callback.h"
#include "ceres/iteration_callback.h"
#include "ceres/jet.h"
#include "ceres/loss_function.h"
#include "ceres/manifold.h"
#include "ceres/ordered_groups.h"
#include "ceres/problem.h"
#include "ceres/sized_cost_function.h"
#include "ceres/solver.h"
#include "ceres/types.h"
#include "ceres/version.h"

#endif  // CERES_PUBLIC_CERES_H_
