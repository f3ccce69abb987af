/* Vesta: a nonlinear least-squares solver.
 * Copyright 2026 The Vesta Authors. SPDX-License-Identifier: BSD-3-Clause */

/* Fits peaks to a spectrum, in the style of programs that were Fortran once:
 * arrays start at 1, matrices are column-major, work arrays are static. */

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "ceres/c_api.h"

#define NPTS 200 /* channels of the spectrum */
#define NPK 3    /* peaks */
#define NPAR 3   /* height, center and width of a peak */

/* Element (i, j) of a column-major matrix with ld rows. */
#define AT(a, ld, i, j) ((a)[((i)-1) + ((j)-1) * (ld)])

static double spectrum[2 * NPTS]; /* (2, NPTS): channel and counts */
static double peaks[NPAR * NPK];  /* (NPAR, NPK) */
static double baseline[2];        /* constant and slope */
static double work[NPTS * NPAR];  /* (NPTS, NPAR): derivatives */

static const double true_peaks[NPAR * NPK] = {
    80.0, 2.5, 0.40, 45.0, 5.0, 0.60, 60.0, 7.2, 0.30,
};

/* A linear congruential generator (Knuth, TAOCP volume 2, 3.3.4, MMIX). */
static uint64_t seed = 1963;

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}

static double normal(void) {
  double sum = -6.0;
  int i;
  for (i = 1; i <= 12; ++i) sum += uniform();
  return sum;
}

/* The height of a peak at x, and its derivatives by the parameters. */
static double peak(const double* p, double x, double* d) {
  const double z = (x - p[1]) / p[2];
  const double shape = exp(-0.5 * z * z);
  if (d != NULL) {
    d[0] = shape;
    d[1] = p[0] * shape * z / p[2];
    d[2] = p[0] * shape * z * z / p[2];
  }
  return p[0] * shape;
}

static void make_spectrum(int with_spikes) {
  int i, j;
  for (i = 1; i <= NPTS; ++i) {
    const double x = 0.05 * i;
    double y = 10.0 + 0.8 * x + normal();
    for (j = 1; j <= NPK; ++j) y += peak(&true_peaks[NPAR * (j - 1)], x, NULL);
    if (with_spikes && i % 23 == 0) y += 50.0;
    AT(spectrum, 2, 1, i) = x;
    AT(spectrum, 2, 2, i) = y;
  }
}

static void start(void) {
  int k, j;
  for (j = 1; j <= NPK; ++j) {
    for (k = 1; k <= NPAR; ++k) {
      AT(peaks, NPAR, k, j) = AT(true_peaks, NPAR, k, j) * (k == 1 ? 0.8 : 1.0);
    }
    AT(peaks, NPAR, 2, j) += 0.15;
    AT(peaks, NPAR, 3, j) *= 1.3;
  }
  baseline[0] = 0.0;
  baseline[1] = 0.0;
}

/* All channels at once. Blocks: baseline, peak 1, ..., peak NPK. The
 * derivatives of a block are made column by column, and copied to rows. */
static int spectrum_error(void* user_data, double** parameters,
                          double* residuals, double** jacobians) {
  const double* data = (const double*)user_data;
  int i, j, k;
  for (i = 1; i <= NPTS; ++i) {
    const double x = AT(data, 2, 1, i);
    residuals[i - 1] =
        parameters[0][0] + parameters[0][1] * x - AT(data, 2, 2, i);
  }
  if (jacobians != NULL && jacobians[0] != NULL) {
    for (i = 1; i <= NPTS; ++i) {
      jacobians[0][2 * (i - 1)] = 1.0;
      jacobians[0][2 * (i - 1) + 1] = AT(data, 2, 1, i);
    }
  }
  for (j = 1; j <= NPK; ++j) {
    for (i = 1; i <= NPTS; ++i) {
      double d[NPAR];
      residuals[i - 1] += peak(parameters[j], AT(data, 2, 1, i), d);
      for (k = 1; k <= NPAR; ++k) AT(work, NPTS, i, k) = d[k - 1];
    }
    if (jacobians == NULL || jacobians[j] == NULL) continue;
    for (k = 1; k <= NPAR; ++k) {
      for (i = 1; i <= NPTS; ++i) {
        jacobians[j][NPAR * (i - 1) + (k - 1)] = AT(work, NPTS, i, k);
      }
    }
  }
  return 1;
}

/* One channel, a column of the spectrum. The same blocks. */
static int channel_error(void* user_data, double** parameters,
                         double* residuals, double** jacobians) {
  const double* channel = (const double*)user_data;
  int j, k;
  residuals[0] = parameters[0][0] + parameters[0][1] * channel[0] - channel[1];
  if (jacobians != NULL && jacobians[0] != NULL) {
    jacobians[0][0] = 1.0;
    jacobians[0][1] = channel[0];
  }
  for (j = 1; j <= NPK; ++j) {
    double d[NPAR];
    residuals[0] += peak(parameters[j], channel[0], d);
    if (jacobians == NULL || jacobians[j] == NULL) continue;
    for (k = 1; k <= NPAR; ++k) jacobians[j][k - 1] = d[k - 1];
  }
  return 1;
}

/* The loss of Geman and McClure: s / (1 + s / c). */
static void own_loss(void* user_data, double s, double out[3]) {
  const double c = *(const double*)user_data;
  const double q = 1.0 / (1.0 + s / c);
  out[0] = s * q;
  out[1] = q * q;
  out[2] = -2.0 / c * q * q * q;
}

/* Half the sum of the losses at the current parameters. */
static double cost_of(ceres_loss_function_t loss, void* loss_data) {
  double* blocks[1 + NPK];
  double sum = 0.0;
  int i, j;
  blocks[0] = baseline;
  for (j = 1; j <= NPK; ++j) blocks[j] = &AT(peaks, NPAR, 1, j);
  for (i = 1; i <= NPTS; ++i) {
    double r, out[3];
    channel_error(&AT(spectrum, 2, 1, i), blocks, &r, NULL);
    out[0] = r * r;
    if (loss != NULL) loss(loss_data, r * r, out);
    sum += 0.5 * out[0];
  }
  return sum;
}

static void solve(int by_channel, ceres_loss_function_t loss, void* loss_data) {
  ceres_problem_t* problem = ceres_create_problem();
  int sizes[1 + NPK] = {2, NPAR, NPAR, NPAR};
  double* blocks[1 + NPK];
  int i, j;
  blocks[0] = baseline;
  for (j = 1; j <= NPK; ++j) blocks[j] = &AT(peaks, NPAR, 1, j);
  if (!by_channel) {
    ceres_problem_add_residual_block(problem, spectrum_error, spectrum, loss,
                                     loss_data, NPTS, 1 + NPK, sizes, blocks);
  }
  for (i = 1; by_channel && i <= NPTS; ++i) {
    ceres_problem_add_residual_block(problem, channel_error,
                                     &AT(spectrum, 2, 1, i), loss, loss_data, 1,
                                     1 + NPK, sizes, blocks);
  }
  ceres_solve(problem);
  ceres_free_problem(problem);
}

static void print_figures(const char* name, double cost) {
  int j;
  printf("%s_cost %.15g\n", name, cost);
  for (j = 1; j <= NPK; ++j) {
    printf("%s_height_%d %.15g\n", name, j, AT(peaks, NPAR, 1, j));
    printf("%s_center_%d %.15g\n", name, j, AT(peaks, NPAR, 2, j));
    printf("%s_width_%d %.15g\n", name, j, AT(peaks, NPAR, 3, j));
  }
  printf("%s_slope %.15g\n", name, baseline[1]);
}

int main(void) {
  double scale = 9.0;
  void* soft;
  ceres_init();

  make_spectrum(0);
  start();
  solve(0, NULL, NULL);
  print_figures("plain", cost_of(NULL, NULL));

  make_spectrum(1);
  start();
  soft = ceres_create_softl1_loss_function_data(1.0);
  solve(1, ceres_stock_loss_function, soft);
  print_figures("soft", cost_of(ceres_stock_loss_function, soft));
  ceres_free_stock_loss_function_data(soft);

  /* From the solution with the other loss. */
  solve(1, own_loss, &scale);
  print_figures("own", cost_of(own_loss, &scale));
  return 0;
}
