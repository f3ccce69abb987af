// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause

#ifndef CERES_PUBLIC_NUMERIC_DIFF_OPTIONS_H_
#define CERES_PUBLIC_NUMERIC_DIFF_OPTIONS_H_

#include "ceres/parallel/detail/language.h"

namespace ceres {

// Options of finite differences. The step by which coordinate x_j is moved is
//
//   h = max(h_min, |x_j| * r),
//
// where for CENTRAL and FORWARD r = relative_step_size and h_min = sqrt(eps),
// with eps the precision of a double. For RIDDERS this is the first step, with
// r = ridders_relative_initial_step_size and h_min = max(sqrt(eps), r).
//
// RIDDERS starts again with another first step if h does not fit the function.
// The new step is shorter if the differences do not converge, for example
// |x_j| * r if this is less than h. It is longer if rounding hides the
// derivative and no curvature is seen. If the function fails at a longer step,
// only accuracy is lost.
struct NumericDiffOptions {
  // The step of CENTRAL and FORWARD, relative to |x_j|. The error is about eps
  // |f| / h + h |f''| (FORWARD) or eps |f| / h + h^2 |f'''| (CENTRAL).
  double relative_step_size = 1e-6;

  // The first step of Ridders' method, relative to |x_j|. From each first step
  // h the method evaluates central differences at h, h / c, h / c^2, ... with c
  // = ridders_step_shrink_factor > 1, and extrapolates them to h = 0.
  double ridders_relative_initial_step_size = 1e-2;

  // The largest number of differences per coordinate, over all first steps;
  // each costs two evaluations of the function.
  int max_num_ridders_extrapolations = 10;

  // Extrapolation ends when the estimated error of each derivative is below
  // this times the derivative, or grows. Two differences count only if they
  // are equal or the last ones.
  double ridders_epsilon = 1e-12;

  // The ratio of one step of Ridders' method to the next; > 1.
  double ridders_step_shrink_factor = 2.0;
};

}  // namespace ceres

#endif  // CERES_PUBLIC_NUMERIC_DIFF_OPTIONS_H_
