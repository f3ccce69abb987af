// Vesta: a nonlinear least-squares solver.
// Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause
//
// Fits the curve y = exp(m x + c) to noisy samples of exp(0.3 x + 0.1), as
// curve_fitting.cc does, through the C interface.

#include <math.h>
#include <stdio.h>

#include "ceres/c_api.h"

static double samples[][2] = {
#include "curve_fitting_samples.inc"
};

// residual = y - exp(m x + c) for one sample (x, y).
static int exponential_residual(void* user_data, double** parameters,
                                double* residuals, double** jacobians) {
  const double* sample = (const double*)user_data;
  const double x = sample[0];
  const double y = sample[1];
  const double m = parameters[0][0];
  const double c = parameters[1][0];
  const double prediction = exp(m * x + c);

  residuals[0] = y - prediction;
  if (jacobians == NULL) return 1;
  if (jacobians[0] != NULL) jacobians[0][0] = -x * prediction;
  if (jacobians[1] != NULL) jacobians[1][0] = -prediction;
  return 1;
}

int main(void) {
  const double initial_m = 0.0;
  const double initial_c = 0.0;
  double m = initial_m;
  double c = initial_c;
  double* parameters[] = {&m, &c};
  int parameter_block_sizes[] = {1, 1};
  const size_t num_samples = sizeof(samples) / sizeof(samples[0]);

  ceres_init();
  ceres_problem_t* problem = ceres_create_problem();
  for (size_t i = 0; i < num_samples; ++i) {
    ceres_problem_add_residual_block(
        problem, exponential_residual, samples[i], /*loss_function=*/NULL,
        /*loss_function_data=*/NULL, /*num_residuals=*/1,
        /*num_parameter_blocks=*/2, parameter_block_sizes, parameters);
  }
  ceres_solve(problem);
  ceres_free_problem(problem);

  printf("Initial m: %g, c: %g\n", initial_m, initial_c);
  printf("Final m: %g, c: %g\n", m, c);
  return 0;
}
