// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// curve_fitting.cc in C: fits y = exp(m x + c), with the derivatives by hand.

#include <math.h>
#include <stdio.h>

#include "ceres/c_api.h"

struct sample {
  double x;
  double y;
};

static struct sample samples[] = {
#include "curve_fitting_samples.inc"
};

enum { NUM_SAMPLES = sizeof(samples) / sizeof(samples[0]) };

// How far a sample is above the curve, a function of the two parameter blocks
// (m) and (c). The user data is the sample.
static int above_curve(void* user_data, double** blocks, double* residual,
                       double** derivatives) {
  const struct sample* s = user_data;
  const double curve = exp(*blocks[0] * s->x + *blocks[1]);
  *residual = s->y - curve;
  // Null where nobody wants them.
  double* by_m = derivatives != NULL ? derivatives[0] : NULL;
  double* by_c = derivatives != NULL ? derivatives[1] : NULL;
  if (by_m != NULL) *by_m = -s->x * curve;
  if (by_c != NULL) *by_c = -curve;
  return 1;
}

int main(void) {
  double m = 0.0;
  double c = 0.0;
  double* blocks[2] = {&m, &c};
  int sizes[2] = {1, 1};

  ceres_init();
  ceres_problem_t* problem = ceres_create_problem();
  for (struct sample* s = samples; s != samples + NUM_SAMPLES; ++s) {
    // One residual without a loss function, of two blocks.
    ceres_problem_add_residual_block(problem, above_curve, s, NULL, NULL, 1, 2,
                                     sizes, blocks);
  }
  ceres_solve(problem);
  ceres_free_problem(problem);
  printf("Fitted to %d samples: y = exp(%g x + %g)\n", NUM_SAMPLES, m, c);
  return 0;
}
